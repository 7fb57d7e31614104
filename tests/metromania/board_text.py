"""A small board file, and how to change lines of it."""

# Lines 1-5, then nine lines per piece: piece 1 begins on line 6, piece 2 on 15, piece 3 on 24, piece 4 on 33,
# piece 5 on 42, piece 6 on 51; the rows of piece 1 stand on lines 9-12, those of piece 2 on 18-21, and so on.
HEAD = """\
name = "tiny"
title = "A tiny city"
side = 4
frame = "SESE"
"""
PIECE = """
[[piece]]
name = "Quarter {kind}{number}"
cells = '''
   {kind}
  ...
 ..{kind}..
.......
'''
"""
GOOD = HEAD + "".join(PIECE.format(kind="RCE"[i % 3], number=i + 1) for i in range(6))


def with_lines(first: int, last: int, *lines: str, text: str = GOOD) -> str:
    """The text with the lines from first to last replaced by these (none: taken away)."""
    old = text.splitlines()
    return "\n".join([*old[: first - 1], *lines, *old[last:]]) + "\n"


def with_line(number: int, *lines: str, text: str = GOOD) -> str:
    return with_lines(number, number, *lines, text=text)
