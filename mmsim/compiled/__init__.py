"""The foundations of compiled code: the only package that imports Numba."""
