"""`mmsim boards new`: a board set of one's own begins as a good one."""

from pathlib import Path

import pytest

from mmsim.metromania.rules import board_file
from tests.cli.runner import complaint, output

USAGE = 2


@pytest.mark.parametrize("shipped", board_file.shipped_names())
def test_a_new_board_set_is_the_shipped_one_under_its_own_name(
    shipped: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    output("boards", "new", "mine", "--from", shipped)
    new, of = board_file.load("mine.toml"), board_file.load(shipped)
    assert (new.name, new.title) == ("mine", f"mine, begun from {shipped}")
    assert (new.side, new.pieces, new.frame) == (of.side, of.pieces, of.frame)
    assert "'mine' is a good board set" in output("boards", "check", "mine.toml")


def test_a_new_board_set_replaces_nothing_and_begins_from_a_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text("mine")
    assert complaint(USAGE, "boards", "new", "mine").startswith("mine.toml exists already")
    assert complaint(USAGE, "boards", "new", 'a"b').startswith("'a\"b' is not a plain name")
    assert complaint(USAGE, "boards", "new", "b", "--from", "rommy").startswith("unknown board set 'rommy'; did you")
    assert 'name = "b"' in output("boards", "new", "b", "--out", "-")
