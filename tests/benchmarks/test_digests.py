"""Fixed games have not changed: a sample of the lines of `python -m benchmarks.digests`."""

import json

import pytest

from benchmarks.digests import COMMITTED, cases, digest, line_of

STEP = 19  # a prime: bots, editions and boards all change from one line to the next
CASES = list(cases())
SAMPLE = CASES[::STEP]


def test_the_committed_digests_are_those_of_all_lines() -> None:
    assert list(json.loads(COMMITTED.read_text())) == [line_of(case) for case in CASES]


def test_the_sample_contains_every_bot_and_edition() -> None:
    def bots(chosen: list[tuple[str, str, int, str, str]]) -> set[tuple[str, str]]:
        return {(game, bots) for game, _, _, _, bots in chosen}

    assert bots(SAMPLE) == bots(CASES)
    assert {rules[:2] for _, rules, _, _, _ in SAMPLE} == {"en", "pr", "nl", "v2", "me"}


@pytest.mark.parametrize("case", SAMPLE, ids=line_of)
def test_the_games_are_those_of_the_committed_digest(case: tuple[str, str, int, str, str]) -> None:
    hint = "if these games are meant to change: python -m benchmarks.digests --write"
    assert json.loads(COMMITTED.read_text())[line_of(case)] == digest(*case), hint
