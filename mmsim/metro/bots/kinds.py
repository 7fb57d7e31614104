"""The numbers by which compiled code knows the bots, and the elements of the game a bot can be asked to do without."""

UNIFORM, GREEDY, SPOILER, PLANNER, EXPERT, SEARCH = range(6)

# A bot still uses an element it should do without if it has no other legal move.
ELEMENTS = {
    "draws": "drawing a tile instead of placing one from the hand",
    "wagons": "wagons in the centre",
    "exchanges": "exchanges of shares",
    "spoiling": "regard for what the others get",
}
DRAWS, WAGONS, EXCHANGES, SPOILING = (1 << bit for bit in range(len(ELEMENTS)))
