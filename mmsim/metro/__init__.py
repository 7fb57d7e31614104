"""Game two: Metro."""
