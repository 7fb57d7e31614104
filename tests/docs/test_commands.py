"""Every command that a page shows exists with all its options, and those of the how-to pages are run."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mmsim.cli.commands import COMMANDS, load_command
from tests.cli.runner import run
from tests.docs.pages import DOCS, NAMES, blocks, commands
from tests.runs import write_run
from tests.sharing import made_once

WORDS = {words for group in COMMANDS.values() for words in group}
MOST = {"--games": 24, "--playouts": 2, "--more": 24, "--number": 3}  # what a test has time for
QUICK = {  # options that a test replaces, because they would take minutes
    "casual..expert": "casual..club",
    "master": "expert",
    "--open": "--force",  # no browser
    "win_share±0.5%": "win_share±40%",
    "margin±0.1": "margin±9",
    "change_minutes=1:5": "change_minutes=1,2",
    "end_lines=4,5,6": "end_lines=4,5",
}
TRAINING = ["--games", "60", "--decision-games", "24", "--epochs", "1", "--value-epochs", "1", "--final-games", "8"]
FILES = {"own-rules": {"toml": "house.toml"}, "own-bot": {"python": "homing.py"}}  # blocks to be saved as files


def split(words: list[str]) -> tuple[str, list[str]]:
    """A command and the rest of its line."""
    both = " ".join(words[:2])
    return (both, words[2:]) if both in WORDS else (words[0], words[1:])


@pytest.mark.parametrize("name", [name for name in NAMES if any(commands(name))])
def test_every_command_and_option_of_a_page_exists(name: str) -> None:
    for words in commands(name):
        if words[0].startswith("--"):
            continue
        command, rest = split(words)
        assert command in WORDS, words
        options = {option for parameter in load_command(command).params for option in parameter.opts}
        unknown = [word for word in rest if re.fullmatch(r"--[a-z-]+", word) and word not in {*options, "--help"}]
        assert unknown == [], (command, unknown)


def shortened(words: list[str]) -> Iterator[str]:
    """A command with fewer games."""
    for before, word in zip(["", *words], words, strict=False):
        limit = MOST.get(before)
        yield str(min(int(word), limit)) if limit and word.isdigit() else QUICK.get(word, word)
    plays = words[0] in ("run", "compare") and not words[1].startswith("runs/")
    if (plays or words[0] in ("why", "heat")) and "--games" not in words:
        yield from ("--games", "24")
    if plays and not {"--levels", "--bots"} & {*words}:
        yield from ("--levels", "club")
    if words[:2] == ["bots", "train"]:
        yield from TRAINING
    if words[0] == "sweep" and "--bots" not in words:
        yield from ("--games", "24", "--bots", "greedy")


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> Path:
        return write_run(folder, ["print", "print+loyal"], 24, 12)

    return made_once(tmp_path_factory, "print-and-loyal", make)


@pytest.mark.usefixtures("empty_charts")
@pytest.mark.parametrize(
    ("page", "runs"),
    [
        ("reports", ["municipality-4p"]),
        ("look-closer", []),
        ("runs", []),
        ("own-rules", []),
        ("own-board", []),
        ("own-bot", []),
        ("train-a-bot", []),
        ("share-a-run", ["loyal", "theirs"]),
    ],
)
def test_the_commands_of_a_how_to_page_run_in_their_order(
    page: str, runs: list[str], small_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder that has only the runs which the page takes for granted, and the files it says to write."""
    monkeypatch.chdir(tmp_path)
    for name in runs:
        shutil.copytree(small_run, Path("runs", name))
    for language, file in FILES.get(page, {}).items():
        ((_, text),) = blocks(f"docs/how-to/{page}.md", language)
        Path(file).write_text(text, encoding="utf-8")
    Path("mybot.py").touch()
    shown = [
        words for words in commands(f"docs/how-to/{page}.md") if "--retrain" not in words
    ]  # tests/contests does that
    assert len(shown) >= 3
    for words in shown:
        outcome = run(*shortened(words), stdin="y\n")
        assert outcome.exit_code == 0, (words, outcome.output)


def test_the_bot_of_the_page_is_the_one_that_is_tested() -> None:
    ((_, shown),) = blocks("docs/how-to/own-bot.md", "python")
    assert shown == (DOCS / "examples" / "homing.py").read_text(encoding="utf-8")
