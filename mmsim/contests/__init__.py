"""Contests between bots, played by the workers of a batch; `analysis` evaluates the games."""
