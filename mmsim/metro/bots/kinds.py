"""The numbers by which compiled code knows the bots."""

UNIFORM, GREEDY, SPOILER, PLANNER, EXPERT, SEARCH = range(6)
