"""The numbers by which compiled code knows the bots."""

UNIFORM, GREEDY, SPOILER, PLANNER, EVALUATOR, SEARCH = range(6)
