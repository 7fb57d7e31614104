"""The numbers by which compiled code knows the bots."""

UNIFORM, WEIGHING, SEARCH, EXPERT = range(4)
