"""What compiled code is built on: the only room that names Numba."""
