"""Contests: bots against bots, played by the workers of a batch; what the games mean is for the analysis to say."""
