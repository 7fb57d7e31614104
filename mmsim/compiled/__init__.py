"""What compiled code stands on: the only rooms that name Numba."""
