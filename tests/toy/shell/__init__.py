"""The toy at the shell."""
