"""The rules pages: what is read from them, and that whatever names a rule names one that exists."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from build_tools.rule_tests_page import RULES, collect
from mmsim.core.rulebook import Rule, letters, read_rules, rulebook, unknown_rule
from mmsim.errors import MmsimError
from mmsim.games import GAMES, find_shell

ROOT = Path(__file__).parent.parent.parent
PLACES = ("mmsim", "tests", "benchmarks", "docs", "boards", "experiments")
BOOKS = {game: set(rulebook(game)) for game in GAMES}
ID = re.compile(rf"\b(?:{'|'.join(sorted({letters(rule) for rule in RULES}, key=len, reverse=True))})\d{{1,2}}\b")

PAGE = """\
# A game

- **A0x** no id

## 1. First

- **A1** One line.
- **A2** Two
  lines.

Some words, **A3** among them.

## 2. Second

- **BB10** Last, with `code`.

| A4 | a table |
"""


def texts() -> Iterator[tuple[Path, str]]:
    """Every source and page of the project with its text."""
    files = [path for place in PLACES for path in (ROOT / place).rglob("*")] + list(ROOT.glob("*.md"))
    for path in sorted(files):
        if path.suffix in (".py", ".md", ".toml") and path != Path(__file__):
            yield path.relative_to(ROOT), path.read_text(encoding="utf-8")


def test_rules_are_read_with_their_sections_and_unwrapped() -> None:
    assert list(read_rules(PAGE)) == [
        Rule("A1", "1. First", "One line."),
        Rule("A2", "1. First", "Two lines."),
        Rule("BB10", "2. Second", "Last, with `code`."),
    ]


def test_a_rule_defined_twice_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.md").write_text("- **A1** One.\n- **A1** Another.\n", encoding="utf-8")
    monkeypatch.setattr("mmsim.core.rulebook.data_folder", lambda name: tmp_path)
    with pytest.raises(MmsimError, match="defines the rule A1 twice"):
        rulebook("mine")
    assert rulebook("other") == {}


def test_an_unknown_rule_is_answered_with_the_nearest_of_its_letters() -> None:
    assert str(unknown_rule("b7", {"mine": ["A7", "B1", "B2", "C1"], "other": ["D1"]})) == (
        "unknown rule 'b7'; did you mean 'B1' of mine? (known: mine: A7, B1-B2, C1; other: D1)"
    )


def test_a_game_without_a_rules_page_suggests_no_rule_of_another_game() -> None:
    assert str(unknown_rule("R1", {"toy": []})) == "unknown rule 'R1'; toy has no rules page to look in"


def test_no_id_is_defined_twice() -> None:
    assert len(RULES) == len(set(RULES)) > 70


def test_every_rule_that_is_named_exists_and_is_one_of_the_game_that_names_it() -> None:
    wrong = {}
    for path, text in texts():
        game = next((game for game in GAMES if game in (*path.parts, path.stem)), None)
        if unknown := set(ID.findall(text)) - (BOOKS[game] if game else set(RULES)):
            wrong[path.as_posix()] = unknown
    assert wrong == {}


def test_every_mark_and_every_knob_names_rules_that_exist() -> None:
    assert set(collect()) <= set(RULES)
    for game in GAMES:
        for name, knob in find_shell(game).knobs.items():
            assert knob.rules, name
            assert set(knob.rules.split()) <= BOOKS[game], name


@pytest.mark.parametrize("game", GAMES)
def test_every_knob_stands_on_its_page(game: str) -> None:
    page = (ROOT / "docs" / "rules" / f"{game}.md").read_text(encoding="utf-8")
    missing = [name for name in find_shell(game).knobs if not re.search(rf"`{name}\b", page)]
    assert missing == []
