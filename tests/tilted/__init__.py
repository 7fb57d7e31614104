"""A game with a known best knob: everybody rolls dice, and `komi` makes up for a head start of the first player."""
