"""`mmsim replay` and `mmsim draw`: pages, films and pictures of recorded games, and what is refused."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tests.cli.runner import complaint, run

USAGE, FAILURE = 2, 1
GOLDEN = Path(__file__).parent.parent / "golden"
METROMANIA, METRO = GOLDEN / "metromania" / "v2-2p-01.json", GOLDEN / "metro" / "metro-2p.json"


@pytest.mark.parametrize("record", [METROMANIA, METRO], ids=["metromania", "metro"])
def test_a_page_goes_beside_its_record_unless_told_otherwise(record: Path, tmp_path: Path) -> None:
    copied = tmp_path / "game.json"
    copied.write_bytes(record.read_bytes())
    result = run("replay", copied)
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "game.html").read_text().startswith("<!doctype html>")
    assert f"html -> {tmp_path / 'game.html'}" in result.stderr


def test_a_film_shows_every_turn_and_a_sheet_all_of_them(tmp_path: Path) -> None:
    assert run("replay", METROMANIA, "--out", tmp_path / "game.gif", "--seconds", 0.1).exit_code == 0
    film = Image.open(tmp_path / "game.gif")
    assert run("replay", METROMANIA, "--out", tmp_path / "game.png").exit_code == 0
    sheet = Image.open(tmp_path / "game.png")
    frames = getattr(film, "n_frames", 0)
    assert frames > 20
    assert sheet.width * sheet.height > frames * film.width * film.height


def test_a_position_is_that_after_its_turn(tmp_path: Path) -> None:
    pictures = []
    for turn in (0, 5, None):
        words = [] if turn is None else ["--turn", turn]
        assert run("draw", METROMANIA, "--out", tmp_path / "turn.png", *words).exit_code == 0
        pictures.append((tmp_path / "turn.png").read_bytes())
        assert Image.open(BytesIO(pictures[-1])).width == 1600
    assert len(set(pictures)) == 3
    says = complaint(USAGE, "draw", METROMANIA, "--out", tmp_path / "x.png", "--turn", 500)
    assert says.endswith("there is no turn 500")


def test_what_is_no_record_and_what_is_no_picture_is_refused(tmp_path: Path) -> None:
    assert complaint(USAGE, "replay", METRO, "--out", tmp_path / "x.doc").startswith("cannot tell from")
    assert complaint(USAGE, "replay", tmp_path / "none.json").startswith("cannot read record file")
    broken = tmp_path / "broken.json"
    broken.write_text(METRO.read_text().replace('"turns": 0', '"turns": 1', 1))
    assert complaint(FAILURE, "replay", broken).startswith(f"{broken}: move ")
    broken.write_text("{")
    assert complaint(FAILURE, "draw", broken, "--out", tmp_path / "x.png").startswith(f"{broken}:1: ")
