"""The rules pages, `docs/rules/GAME.md`: every heading `##` is a section, every item `- **ID** text` a rule."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from mmsim.errors import MmsimError, UsageError
from mmsim.system.files import data_folder

_RULE = re.compile(r"- \*\*([A-Z]+[0-9]+)\*\* (.*)")


@dataclass(frozen=True)
class Rule:
    """One rule of a game, as its page words it."""

    id: str
    section: str
    text: str


def rulebook(game: str) -> dict[str, Rule]:
    """Every rule of a game by its id, in the order of the page; none if the game has no page."""
    page = data_folder("docs/rules") / f"{game}.md"
    rules: dict[str, Rule] = {}
    for rule in read_rules(page.read_text(encoding="utf-8")) if page.is_file() else ():
        if rule.id in rules:
            raise MmsimError(f"{page} defines the rule {rule.id} twice")
        rules[rule.id] = rule
    return rules


def read_rules(page: str) -> Iterator[Rule]:
    """The rules of a page; tables and plain paragraphs between them belong to no rule."""
    section, id_, lines = "", "", list[str]()
    for line in [*page.splitlines(), ""]:
        if id_ and line.startswith("  "):
            lines.append(line.strip())
            continue
        if id_:
            yield Rule(id_, section, " ".join(lines))
        id_ = ""
        if match := _RULE.fullmatch(line):
            id_, lines = match.group(1), [match.group(2)]
        elif line.startswith("## "):
            section = line.removeprefix("## ")


def unknown_rule(id_: str, books: Mapping[str, Collection[str]]) -> UsageError:
    """The error for an id that no rule of these games has: the nearest one with its game, and the ids of each game."""
    known = [(game, rule) for game, rules in books.items() for rule in rules]
    if not known:
        return UsageError(f"unknown rule '{id_}'; {' and '.join(books)} has no rules page to look in")

    def similarity(game_and_rule: tuple[str, str]) -> tuple[bool, float]:
        rule = game_and_rule[1]
        return letters(rule) == letters(id_.upper()), SequenceMatcher(None, rule, id_.upper()).ratio()

    game, nearest = max(known, key=similarity)
    listed = "; ".join(f"{game}: {_ranges(rules)}" for game, rules in books.items() if rules)
    return UsageError(f"unknown rule '{id_}'; did you mean '{nearest}' of {game}? (known: {listed})")


def _ranges(rules: Collection[str]) -> str:
    """Ids like `A7, B1-B2, C1`."""
    runs = [list(run) for _, run in groupby(rules, letters)]
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def letters(id_: str) -> str:
    """The letters of an id: `TT` of `TT6`."""
    return id_.rstrip("0123456789")
