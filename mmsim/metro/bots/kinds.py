"""The numbers by which compiled code knows the bots."""

UNIFORM, GREEDY, SPOILER, PLANNER, SEARCH = range(5)
