"""`mmsim replay` and `mmsim draw`: pages, animations and pictures of recorded games, and what is refused."""

import json
import os
import re
import resource
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mmsim.drawing import animation
from mmsim.games import find_shell
from tests.batch.helpers import ROOT
from tests.cli.runner import complaint, run
from tests.runs import write_run

USAGE, FAILURE = 2, 1
GOLDEN = Path(__file__).parent.parent / "golden"
METROMANIA, METRO = GOLDEN / "metromania" / "v2-2p-01.json", GOLDEN / "metro" / "metro-2p.json"


@pytest.mark.parametrize("record", [METROMANIA, METRO], ids=["metromania", "metro"])
def test_a_page_goes_beside_its_record_by_default(record: Path, tmp_path: Path) -> None:
    copied = tmp_path / "game.json"
    copied.write_bytes(record.read_bytes())
    result = run("replay", copied, "--playouts", 2)
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "game.html").read_text().startswith("<!doctype html>")
    assert f"html -> {tmp_path / 'game.html'}" in result.stderr


def test_a_game_of_a_run_is_named_by_variant_and_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "small", ("print", "print+loyal"), games=4, part_games=4)
    named = ("replay", "small", "--variant", "print+loyal-4p", "--number", 3)
    result = run(*named, "--playouts", 2)
    assert result.exit_code == 0, result.stderr
    page = (tmp_path / "print+loyal-4p-3.html").read_text()
    assert 'id="chances"' in page
    assert re.search(r"<h1>\w+ beats \w+( on the tie-break)?, -?\d+ to -?\d+</h1>", page)
    assert run(*named, "--playouts", 0, "--out", "plain.html").exit_code == 0
    assert 'id="chances"' not in (tmp_path / "plain.html").read_text()
    offered = run("replay", "small").stdout
    assert "the closest game" in offered
    assert "mmsim replay small --variant print" in offered
    assert "--number N, from 0 to 3" in offered
    assert "need a run" in complaint(USAGE, "replay", METRO, "--number", 3)


def test_a_variant_whose_knobs_have_slashes_is_kept_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "small", ("print", "print,seat_points=0/0/1/1"), games=4, part_games=4, bots="uniform")
    result = run("replay", "small", "--variant", "print,seat_points=0/0/1/1-4p", "--number", 3, "--playouts", 0)
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "print,seat_points=0-0-1-1-4p-3.html").is_file()


def test_a_film_shows_every_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[list[int]] = []
    monkeypatch.setattr(animation, "gif", lambda draw, moments, seconds: shown.append(moments) or b"film")
    assert run("replay", METROMANIA, "--out", tmp_path / "game.gif", "--seconds", 0.1).exit_code == 0
    assert (tmp_path / "game.gif").read_bytes() == b"film"
    turns = json.loads(METROMANIA.read_text())["moves"][-1]["turn"]
    assert len(shown[0]) == turns + 2  # before the first one, after each, and the final scores
    assert shown[0] == sorted(shown[0])


def test_pictures_of_some_moments_make_a_film() -> None:
    shell: Any = find_shell("metromania")
    draw = shell.replay(json.loads(METROMANIA.read_text())).animation
    film = Image.open(BytesIO(animation.gif(draw, [0, 9, 20], 0.1)))
    assert getattr(film, "n_frames", 0) == 3


def test_a_position_is_that_after_its_turn(tmp_path: Path) -> None:
    pictures = []
    for turn in (0, 5, None):
        words = [] if turn is None else ["--turn", turn]
        assert run("draw", METROMANIA, "--out", tmp_path / "turn.svg", *words).exit_code == 0
        pictures.append((tmp_path / "turn.svg").read_bytes())
    assert len(set(pictures)) == 3
    assert run("draw", METROMANIA, "--out", tmp_path / "turn.png", "--turn", 5).exit_code == 0
    assert Image.open(tmp_path / "turn.png").width == 1600
    says = complaint(USAGE, "draw", METROMANIA, "--out", tmp_path / "x.png", "--turn", 500)
    assert says.endswith("there is no turn 500")


def test_what_is_no_record_and_what_is_no_picture_is_refused(tmp_path: Path) -> None:
    assert complaint(USAGE, "replay", METRO, "--out", tmp_path / "x.doc").startswith("unknown file type")
    assert complaint(USAGE, "replay", tmp_path / "none.json").startswith("cannot read record file")
    broken = tmp_path / "broken.json"
    broken.write_text(METRO.read_text().replace('"turns": 0', '"turns": 1', 1))
    assert complaint(FAILURE, "replay", broken).startswith(f"{broken}: move ")
    broken.write_text("{")
    assert complaint(FAILURE, "draw", broken, "--out", tmp_path / "x.png").startswith(f"{broken}:1: ")


@pytest.mark.parametrize("command", [["verify"], ["replay"], ["draw", "--out", "picture.png"]])
def test_what_never_ends_is_not_read_as_a_record(command: list[str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for file in (tmp_path / "fifo", Path("/dev/zero")):
        ended = subprocess.run(  # with a limit, since the test would not end either
            [sys.executable, "-m", "mmsim", command[0], str(file), *command[1:]],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            text=True,
            capture_output=True,
            timeout=60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
        )
        assert ended.returncode == 2
        assert ended.stderr == f"mmsim: error: cannot read record file {file}: it is not a regular file\n"


def test_no_more_of_stdin_is_read_than_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mmsim.system.files.MAX_BYTES", 1000)
    says = "cannot read record file -: it is larger than 1,000 bytes"
    assert complaint(2, "verify", "-", stdin="x" * 1001) == says
