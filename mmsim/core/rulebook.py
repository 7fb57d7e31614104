"""The rules pages, `docs/rules/GAME.md`: a section a heading `##`, a rule an item `- **ID** text`."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from mmsim.errors import MmsimError, UsageError
from mmsim.system.package_data import data_folder

_RULE = re.compile(r"- \*\*([A-Z]+[0-9]+)\*\* (.*)")


@dataclass(frozen=True)
class Rule:
    """One rule of a game, in the words of its page."""

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
    """The rules of a page; what stands between them (tables, plain paragraphs) belongs to none."""
    section, id_, lines = "", "", list[str]()
    for line in [*page.splitlines(), ""]:
        if id_ and line.startswith("  "):
            lines.append(line.strip())
            continue
        if id_:
            yield Rule(id_, section, " ".join(lines))
        id_ = ""
        if found := _RULE.fullmatch(line):
            id_, lines = found.group(1), [found.group(2)]
        elif line.startswith("## "):
            section = line.removeprefix("## ")


def unknown_rule(id_: str, known: Collection[str]) -> UsageError:
    """The error for an unknown id: the nearest of the same letters if there is one, and what ids there are."""
    if not known:
        return UsageError(f"unknown rule '{id_}'; there is no rules page to look in")
    asked = id_.upper()
    nearest = max(known, key=lambda rule: (letters(rule) == letters(asked), SequenceMatcher(None, rule, asked).ratio()))
    runs = [list(run) for _, run in groupby(known, letters)]
    listed = ", ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
    return UsageError(f"unknown rule '{id_}'; did you mean '{nearest}'? (known: {listed})")


def letters(id_: str) -> str:
    """What an id begins with: `TT` of `TT6`."""
    return id_.rstrip("0123456789")
