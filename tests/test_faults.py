"""The faults of `make faults` that are quick enough for an ordinary test."""

import random
from pathlib import Path

import pytest

from mmsim.compiled import cache, execution_mode
from tests.faults import __main__ as faults
from tests.faults import caches, mounts
from tests.faults.counts import Counts


def test_faults_are_counted_and_failures_recorded() -> None:
    counts = Counts("floods")
    assert counts.has_time(0)
    counts.count("wet feet", 2)
    assert not counts.has_time(0)
    assert counts.expect(True, "never")
    assert not counts.expect([], "the cellar is full")
    assert str(counts) == "floods: 2 wet feet; 1 failures"
    assert counts.failures == ["the cellar is full"]
    assert counts.row == "| *floods* | 2 wet feet | 1 |"


def test_counts_go_into_the_page_and_other_kinds_keep_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- counts -->\n| *kills* | 1 | 0 |\n| *bots* | 1 | 2 |\n<!-- end of counts -->\nafter\n")
    monkeypatch.setattr(faults, "PAGE", page)
    faults._write_page({"bots": "| *bots* | 9 | 0 |", "killed_commands": "| *killed commands* | 3 | 0 |"})
    assert page.read_text().splitlines()[1:-2] == [
        "<!-- counts -->",
        "| kind | what happened | failures |",
        "|---|---|---|",
        "| *bots* | 9 | 0 |",
        "| *killed commands* | 3 | 0 |",
        "| *kills* | 1 | 0 |",
    ]


@pytest.mark.skipif(execution_mode.current() != execution_mode.LIBRARY, reason="no library runs here")
@pytest.mark.parametrize("case", caches.CASES, ids=lambda case: case.name)
def test_whatever_the_cache_is_like_the_games_are_played(case: caches.Case) -> None:
    if case.mount and not mounts.possible():
        pytest.skip("nothing can be mounted here")
    if cache.find_library("metro") is None:
        pytest.skip("nothing is compiled yet")
    assert caches.try_case(case, random.Random(1), set()) is None
