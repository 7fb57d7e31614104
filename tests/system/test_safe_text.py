"""Text from elsewhere cannot steer a terminal, and is readable where letters are missing."""

import polars as pl
import pytest

from mmsim.system.safe_text import PLAIN_TEXT_HANDLER, on_one_line, printable
from mmsim.tables.frames import no_formulas


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ± text", "plain ± text"),
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("\x9b2J", r"\x9b2J"),
        ("abc\u202edef", r"abc\u202edef"),
        ("two\nlines", r"two\nlines"),
        ("\udc80", r"\udc80"),
    ],
)
def test_control_characters_are_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable("a\nb\x1b", keep="\n") == "a\nb\\x1b"


def test_text_for_a_picture_is_put_on_one_line() -> None:
    assert on_one_line(" two\n lines\x1b[1m ") == "two lines [1m"


def test_a_stream_without_a_letter_gets_a_plain_one() -> None:
    assert "19.4±5.4 % → Ж".encode("ascii", PLAIN_TEXT_HANDLER) == rb"19.4+-5.4 % -> \u0416"


def test_a_cell_that_a_spreadsheet_would_run_gets_an_apostrophe() -> None:
    frame = pl.DataFrame({"bot": ["=1+1", "+x", "-y", "@z", "\tt", "a=b", None], "points": [-1, 2, 3, 4, 5, 6, 7]})
    frame = frame.with_columns(variant=pl.col("bot").cast(pl.Categorical))
    safe = no_formulas(frame)
    assert safe["bot"].to_list() == ["'=1+1", "'+x", "'-y", "'@z", "'\tt", "a=b", None]
    assert safe["variant"].to_list() == safe["bot"].to_list()
    assert safe["points"].to_list() == frame["points"].to_list()
