"""The numbers by which compiled code knows the bots, and the elements of the game a bot can be asked to do without."""

UNIFORM, WEIGHING, SEARCH, EXPERT = range(4)

# A bot still uses an element it should do without if it has no other legal move.
ELEMENTS = {
    "bonus": "bonus stations",
    "intermediate": "intermediate stations",
    "others_lines": "markers laid beside lines of other companies",
    "blocking": "tunnels in cells that other companies need next",
    "second_line": "the second line",
    "open_hands": "open hands of other players",
}
BONUS_STATIONS, INTERMEDIATE, OTHERS_LINES, BLOCKING, SECOND_LINE, OPEN_HANDS = (
    1 << bit for bit in range(len(ELEMENTS))
)
