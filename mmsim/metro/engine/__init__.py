"""The fast core: one compiled function per rule."""
