"""Rules X2-X4: the track tiles, their codes, and how turning changes them.

Sides are numbered clockwise from the top: 0 top, 1 right, 2 bottom, 3 left. A line enters a tile at the even port of a
side and leaves it at the odd port of a side (X2), so a track is a pair of sides, from and to.
"""

SIDES = range(4)
TOP, RIGHT, BOTTOM, LEFT = SIDES

# X3: how many sides clockwise from its entry a track leaves.
_LETTERS = {"a": 2, "b": 1, "c": 3, "d": 0}

# X4: how many tiles there are of every code.
_FOUR = "aaaa aacb acba baac cbaa"
_THREE = "bcbc cbcb"
_TWO = "bbbb cccc dddd adad dada dacc cdac ccda accd dbba adbb badb bbad ddbc cddb bcdd dbcd"
COUNTS = {code: count for codes, count in ((_FOUR, 4), (_THREE, 3), (_TWO, 2)) for code in codes.split()}
CODES = tuple(COUNTS)
TILES = tuple(code for code, count in COUNTS.items() for _ in range(count))
NUMBER = {code: i for i, code in enumerate(CODES)}


def exit_side(code: str, side: int) -> int:
    """The side by which a line leaves a tile that it entered by a side."""
    return (side + _LETTERS[code[side]]) % 4


def turned(code: str, turns: int) -> str:
    """The code of a tile turned clockwise by quarter turns (X13)."""
    turns %= 4
    return code[4 - turns :] + code[: 4 - turns]


def ways_to_lie(code: str, orientation: str) -> tuple[int, ...]:
    """X9, X13: the turns in which a tile may be placed, each giving another code; fixed: only as printed."""
    if orientation == "fixed":
        return (0,)
    seen = [turned(code, turns) for turns in SIDES]
    return tuple(turns for turns in SIDES if seen.index(seen[turns]) == turns)
