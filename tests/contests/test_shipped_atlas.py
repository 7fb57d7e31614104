"""The atlas that comes with mmsim: a sample of it is played again to the byte, and commands draw from it."""

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pytest

from mmsim.analysis.atlas import FAIR, FDR, LOPSIDED, Atlas, shipped_atlas
from mmsim.analysis.atlas_replay import replay_extremes
from mmsim.contests.atlas import PLAN, TABLE, play_atlas, read_plan, replay
from mmsim.games import find_shell
from mmsim.system.files import data_folder
from mmsim.system.processes import cores
from mmsim.tables.frames import parquet_bytes
from tests.cli.runner import complaint, output

SHIPPED = data_folder("atlas") / "metromania-box.parquet"
SAMPLE = 5
USAGE = 2


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    found = shipped_atlas("metromania")
    assert found is not None
    return found


def test_a_sample_is_rebuilt_to_the_byte(tmp_path: Path) -> None:
    plan = read_plan(SHIPPED.with_suffix(".json"))
    begun = msgspec.structs.replace(plan, layouts=SAMPLE, sha256="", rows=0, core_seconds=0.0, columns={}, versions={})
    _, sample = play_atlas(tmp_path, begun, 1, lambda status: None)
    cities = [plan.space.at(place) for place in range(SAMPLE)]
    shipped = pl.read_parquet(SHIPPED).filter(pl.col("layout").is_in(cities))
    assert len(shipped) == SAMPLE * len(plan.levels)
    assert (tmp_path / TABLE).read_bytes() == parquet_bytes(shipped) == parquet_bytes(sample)
    assert (tmp_path / PLAN).exists()


def test_the_plan_is_the_one_that_was_fixed_in_advance(atlas: Atlas) -> None:
    declared = find_shell("metromania").atlas
    assert declared is not None
    assert {level.name: level.games for level in atlas.plan.levels} == declared.games_per_layout
    assert (atlas.plan.seed, atlas.plan.layouts) == (declared.seed, atlas.space.count)
    assert len(SHIPPED.read_bytes()) < 10_000_000


def test_it_is_as_reliable_as_the_page_says(atlas: Atlas) -> None:
    assert atlas.levels[atlas.best_level] == "club"
    assert atlas.raw_reliability(0) >= 0.8
    assert atlas.raw_reliability(1) < atlas.reliability(1)


@pytest.mark.parametrize(("option", "at_end"), [("--fair", FAIR), ("--lopsided", LOPSIDED)])
def test_cities_are_drawn_from_the_hundredth_that_comes_first(option: str, at_end: object, atlas: Atlas) -> None:
    words = ("boards", "generate", "--count", 20, option)
    codes = output(*words).split()
    rows = [atlas.row_of(code) for code in codes]
    assert len({*codes}) == 20
    assert {*rows} <= {*atlas.extremes(at_end).tolist()}
    assert output(*words).split() == codes != output(*words, "--seed", 2).split()


def test_long_cities_are_long(atlas: Atlas) -> None:
    turns = atlas.outcome("turns", 0).values[:, 0]
    rows = [atlas.row_of(code) for code in output("boards", "generate", "box", "--count", 10, "--long").split()]
    assert turns[rows].min() > np.quantile(turns, 0.9)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--fair", "--long"), "--fair, --lopsided and --long exclude each other; give one of them"),
        (("compact", "--fair"), "no atlas of compact comes with mmsim; play one: mmsim atlas run --board compact"),
        (("--fair", "--count", "90000"), "--count asks for 90,000 layouts; the atlas draws them from 875"),
    ],
)
def test_what_the_atlas_does_not_have_is_refused(words: tuple[str, ...], says: str) -> None:
    assert complaint(USAGE, "boards", "generate", *words) == says


def test_a_city_is_shown_with_what_the_atlas_knows_by_any_rotation() -> None:
    code = output("boards", "generate", "--lopsided").strip()
    turned = "-".join([*code.split("-")[2:], *code.split("-")[:2]])
    shown = [output("boards", "show", word) for word in (code, turned)]
    known = [text[text.index("the atlas of box under print, 4 players:") :] for text in shown]
    assert known[0] == known[1]
    assert "shown to be unfair" in known[0]
    assert "the atlas" not in output("boards", "show", "compact")


def test_the_report_ranks_by_any_of_its_levels_and_writes_everything(tmp_path: Path) -> None:
    report = json.loads(output("atlas", "report", "--level", "expert", "--count", 2, "--json", "--out", tmp_path))
    assert "depends on who plays" in report["answer"][0]
    assert " are shown to be unfair at expert: " in report["answer"][1]
    assert len(report["tables"]["fairest"]) == 3
    charts = {path.stem for path in (tmp_path / "charts").glob("*.svg")}
    assert charts == {"unevenness", "seats", "features", "length", "levels"}
    assert len([*(tmp_path / "cities").glob("*.svg")]) == 15
    assert pl.read_csv(tmp_path / "layouts.csv").height == 2 * 87_480
    assert "unknown level of this atlas 'clab'" in complaint(USAGE, "atlas", "report", "--level", "clab")


@pytest.mark.slow(minutes=2)
def test_extremes_keep_their_side_on_a_new_seed_and_hardly_any_alarm_is_false(atlas: Atlas) -> None:
    level = msgspec.structs.replace(atlas.plan.levels[0], games=600)

    def play(numbers: Sequence[int]) -> pl.DataFrame:
        return replay(atlas.plan, level, numbers, 35, cores(), lambda status: None)

    result = replay_extremes(atlas, 0, play)
    fair, lopsided, random, _ = result.groups
    assert min(fair.kept_side or 0, lopsided.kept_side or 0) >= 0.9
    assert fair.unevenness + fair.half_width < random.unevenness - random.half_width
    assert result.false_share <= FDR
