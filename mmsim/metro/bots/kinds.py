"""The numbers by which compiled code knows the bots, and what they can do without."""

UNIFORM, GREEDY, SPOILER, PLANNER, EXPERT, SEARCH = range(6)

# Elements of the game that a bot can be told to do without; one that knows no other move may use them all the same.
ELEMENTS = {
    "draws": "drawing a tile instead of placing one from the hand",
    "wagons": "wagons in the centre",
    "exchanges": "exchanges of shares",
    "spoiling": "regard for what the others get",
}
DRAWS, WAGONS, EXCHANGES, SPOILING = (1 << bit for bit in range(len(ELEMENTS)))
