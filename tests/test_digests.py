"""Fixed games are played as they were: a few lines of every kind of those that `python -m benchmarks.digests` plays."""

import json

import pytest

from benchmarks.digests import COMMITTED, cases, digest, line_of

EVERY = 19  # a prime: bots, editions and boards all change from one line to the next
CASES = list(cases())
SOME = CASES[::EVERY]


def test_the_committed_digests_are_those_of_all_lines() -> None:
    assert list(json.loads(COMMITTED.read_text())) == [line_of(case) for case in CASES]


def test_some_lines_have_every_bot_and_edition_in_them() -> None:
    def bots(chosen: list[tuple[str, str, int, str, str]]) -> set[tuple[str, str]]:
        return {(game, bots) for game, _, _, _, bots in chosen}

    assert bots(SOME) == bots(CASES)
    assert {rules[:2] for _, rules, _, _, _ in SOME} == {"en", "pr", "nl", "v2", "me"}


@pytest.mark.parametrize("case", SOME, ids=line_of)
def test_the_games_are_those_of_the_committed_digest(case: tuple[str, str, int, str, str]) -> None:
    said = "if these games are meant to change: python -m benchmarks.digests --write"
    assert json.loads(COMMITTED.read_text())[line_of(case)] == digest(*case), said
