"""What the drawings of all games share: the paper, the ink, the font, and clean text."""

PAPER = "#FFFFFF"
INK = "#2B2B2B"
FAINT = "#6E6A62"
FONT = "DejaVu Sans"  # comes with matplotlib, so that a drawing looks the same everywhere


def plain(text: str) -> str:
    """A user's text on one line, without what a picture or a terminal cannot show."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
