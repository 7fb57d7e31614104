"""Golden games: the same seed gives the same game today as when the file was written, in both engines."""

import json
from pathlib import Path

import pytest

from mmsim.core.records import dumps
from mmsim.core.variant import Variant
from mmsim.metro.game import Metro
from tests.golden.metro.regenerate import FOLDER, contents

FILES = sorted(FOLDER.glob("*.json"))
METRO = Metro()


def test_the_reference_engine_plays_the_golden_games() -> None:
    assert {path.name: path.read_text(encoding="utf-8") for path in FILES} == contents()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_fast_core_plays_the_golden_games(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    recorded = json.loads(text)
    seed, players = recorded["seed"], len(recorded["seats"])
    variant = Variant(recorded["ruleset"]["name"], players, seed=seed["master"], seats=seed["seats"])
    assert dumps(METRO.record(METRO.prepare(variant), seed["game"])) == text
    METRO.verify(recorded)
