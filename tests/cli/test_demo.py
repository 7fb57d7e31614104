"""`mmsim demo`: the main job without a checkout, in one folder, as often as it is typed."""

import shlex
from pathlib import Path

import pytest

from mmsim.batch.run import Run
from tests.cli.runner import complaint, output

USAGE, FAILURE = 2, 1
FILES = ("game.json", "game.html", "run/manifest.json", "report/report.html", "report/memo.md")


def commands_in(printed: str) -> list[list[str]]:
    return [shlex.split(line)[2:] for line in printed.splitlines() if line.startswith("$ mmsim ")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def printed(folder: Path) -> str:
    return output("demo", "--games", 100, "--workers", 1, "--out", folder / "demo")


def test_it_ends_with_the_answer_and_the_files_to_look_at(folder: Path, printed: str) -> None:
    assert " wins with 26 points after 34 turns" in printed
    assert printed.count("Are Loyal and No Corruption fairer than hidden hands?") == 2
    named = [line.split() for line in printed.splitlines()[-3:]]
    assert named == [
        ["report", str(folder / "demo" / "report" / "report.html")],
        ["memo", str(folder / "demo" / "report" / "memo.md")],
        ["replay", str(folder / "demo" / "game.html")],
    ]
    assert [name for name in FILES if not (folder / "demo" / name).is_file()] == []


def test_it_prints_the_commands_it_consists_of(folder: Path, printed: str) -> None:
    typed = commands_in(printed)
    assert [words[0] for words in typed] == ["play", "replay", "run", "report"]
    record = folder / "demo" / "game.json"
    assert typed[0][-1] == str(record)
    assert output(*typed[0][:-2]) in printed
    assert output("verify", record).startswith(f"{record}:1: ok, ")


def test_run_again_it_plays_what_is_missing(folder: Path, printed: str) -> None:
    again = output("demo", "--games", 100, "--workers", 1, "--out", folder / "demo")
    assert commands_in(again)[2] == ["resume", str(folder / "demo" / "run"), "--workers", "1"]
    assert "nothing left to play" in again
    assert again.splitlines()[-12:] == printed.splitlines()[-12:]
    more = output("demo", "--games", 120, "--workers", 1, "--out", folder / "demo", "--quiet")
    assert more.count("Are Loyal and No Corruption fairer than hidden hands?") == 1  # not the whole answer
    assert commands_in(more)[2][:4] == ["run", str(folder / "demo" / "run"), "--more", "20"]
    assert Run(folder / "demo" / "run").games_per_variant == 120


def test_another_run_in_its_place_is_left_alone(tmp_path: Path) -> None:
    output("run", "--rules", "metro", "--bots", "uniform", "--games", 4, "--out", tmp_path / "run", "--quiet")
    text = complaint(USAGE, "demo", "--out", tmp_path)
    assert text == f"{tmp_path / 'run'} holds another run; choose another folder with --out"
    assert not (tmp_path / "game.json").exists()


def test_a_file_in_place_of_the_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("")
    assert complaint(FAILURE, "demo", "--out", tmp_path / "demo") == f"cannot write to {tmp_path / 'demo'}: File exists"
