"""Contests: games that bots play on the workers of a batch."""
