"""`docs/reference/board-sets.md`: the board sets that come with mmsim, and what a board file holds."""

from build_tools.markdown import ask, code, table

_HEAD = """\
# Board sets

A board set is six district pieces and a frame around the city. These come with mmsim; `random:SEED` draws
[any number of others](../explanation/boards.md), and [one of your own](../how-to/own-board.md) is a text file. Wherever
a board is named, write the name of a set or the path of its file. The page is written by `make docs`; do not edit.

"""
_TAIL = """
`box` is the default and agrees with what is known of the real game. `roomy` was the default before anything was known.

## Layouts

A layout puts the six pieces into the six sectors, each turned 0, 1 or 2 times (a, b, c): `1a-4c-2b-6a-3a-5b`, sector 0
first. There are 524,880 layouts, and 87,480 cities where all sides of the frame look alike, since a city turned is the
same one.

## A board file

```toml
name = "mine"
title = "One line about it"
side = 3                      # 3 to 12: rows of a piece; the box has 5
frame = "S.E"                 # along every side: S start, E end, . nothing; or a list of six strings

[[piece]]                     # six of these
name = "Old Town"
cells = '''
  .
 .R.
..C..
'''
```

| letter | cell |
|---|---|
| `.` | blank |
| `R`, `C`, `E` | a spot: residential, commercial, entertainment |
| `L`, `P` | lake, park |

Row 0 of a piece, one cell, is the corner at the city centre when the piece is not turned; row j has 2j + 1 cells.
Spaces in front of a row do not count. The frame is typed with the city centre above it, from left to right; a list of
six goes counter-clockwise.

`mmsim boards check FILE` names every error with its line; a city that is all lake and park is one. It warns of

- spots and cells that lake and park shut in,
- no spots at all, fewer than four of a kind (there are four markers of each), or kinds that are not equally many,
- a lake without a park, or a park without a lake,
- fewer starts or ends than the eight lines of four companies.
"""


def page() -> str:
    sets = ask("boards", "list")
    return _HEAD + table(tuple(sets[0]), [(code(row["set"]), *[*row.values()][1:]) for row in sets]) + _TAIL
