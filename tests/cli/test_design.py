"""`mmsim design` at the command line: what it refuses, what it writes, and that its example is valid."""

import tomllib
from pathlib import Path

import pytest

from mmsim.analysis.goals import read_goal
from tests.cli.runner import complaint, output

USAGE = 2
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("print",), "a design needs 'goals'"),
        (("print", "--goal", "turns 28..34"), "a design needs 'knobs'"),
        (("prnt", "--goal", "turns 28..34", "--vary", "dig=2:4"), "did you mean 'print'"),
        (("print", "--goal", "turnz 28..34", "--vary", "dig=2:4"), "did you mean 'turns'"),
        (("print", "--goal", "turns 28..34", "--vary", "dgi=2:4"), "did you mean 'dig'"),
        (("print", "--goal", "turns 28..34", "--vary", "dig"), "--vary takes two words with an equals sign between"),
        (("print", "--goal", "turns 28..34", "--vary", "dig=2:4", "--guard", "margin"), "--guard takes two words"),
        (("print", "--goal", "turns 28..34", "--vary", "dig=2:4", "--board", "boks"), "boks"),
        (("missing.toml",), "cannot read goal file missing.toml"),
    ],
)
def test_a_mistake_is_one_sentence(words: tuple[str, ...], says: str) -> None:
    assert says in complaint(USAGE, "design", *words)


def test_a_new_goal_file_is_valid_and_names_every_knob(tmp_path: Path) -> None:
    for game in ("metromania", "metro"):
        text = output("experiments", "new", "fair", "--goal", "--game", game, "--out", "-")
        path = tmp_path / "fair.toml"
        path.write_text(text)
        goal = read_goal(path, {})
        assert len(goal.knobs) == 2
        uncommented = "\n".join(line.removeprefix("# ") if " = [" in line else line for line in text.splitlines())
        assert len(tomllib.loads(uncommented)["knobs"]) > 10
        assert goal.goals == ("seat_imbalance <= 1 pp",)


def test_the_example_of_the_docs_is_valid() -> None:
    goal = read_goal(ROOT / "docs" / "examples" / "fair-4p.toml", {})
    assert goal.grid()[0].cells == 720


def test_a_design_prints_its_answer_and_writes_a_memo_that_begins_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("--vary", "hand=1,2", "--players", 2, "--levels", "uniform", "--games", 120, "--proof-games", 120)
    printed = output("design", "metro", "--goal", "score >= 1", *words, "--workers", 1)
    met = "Nothing needs to change: with Metro the goal is met (score: at least 1 point)"
    assert " ".join(printed.split()).startswith(met)
    memo = (tmp_path / "designs" / "design-hand" / "memo.md").read_text()
    assert f"**{met}" in memo
