"""Findings of a run: skill, layouts, gaps, remarkable games, and how variants compare."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from msgspec import structs

from mmsim.analysis import run_metrics
from mmsim.analysis.compare import LevelEstimates, compare
from mmsim.analysis.derived_metrics import LAYOUT_SPREAD, layout_effects, rate_variants, skill_gradient
from mmsim.analysis.estimates import estimate_metrics
from mmsim.analysis.run_metrics import (
    ALL,
    compare_run,
    declared_metrics,
    estimate_run,
    measurable_gaps,
    primary_metrics,
)
from mmsim.analysis.tables import RunTables, open_run
from mmsim.batch.experiment import Experiment
from mmsim.errors import UsageError
from mmsim.games import GAMES, find_statistics
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.board import PIECES, Layout
from mmsim.report.report_data import find_remarkable_games
from tests.descriptions import described
from tests.runs import write_run


def made_run(tables: dict[str, pl.DataFrame], bots: tuple[str, ...] = ("x", "x"), games_per_deal: int = 1) -> RunTables:
    games = tables["games"].with_columns(pl.lit("finished").alias("status"))
    board = {"set": "even", "side": 1, "frame": ["S"] * 6}
    variants = (described("v", bots, rotate=games_per_deal > 1, board=board),)
    lazy = {name: frame.lazy() for name, frame in {**tables, "games": games}.items()}
    return RunTables(Experiment("made", ("v",), games=games.height), variants, lazy)


@pytest.mark.parametrize("game", GAMES)
def test_every_measure_has_a_name_of_its_own(game: str) -> None:
    names = [measure.name for measure in declared_metrics(game)]
    assert len(set(names)) == len(names)


def test_skill_gradient_is_the_chance_of_the_strongest_against_the_weakest() -> None:
    games = 2000
    won = np.random.default_rng(1).random(games) < 0.8
    seats = pl.DataFrame(
        {
            "variant": ["v"] * (2 * games),
            "game": np.repeat(np.arange(games), 2),
            "seat": [0, 1] * games,
            "bot": ["a", "b"] * games,
            "rank": np.column_stack([np.where(won, 1, 2), np.where(won, 2, 1)]).ravel(),
        }
    )
    run = made_run(
        {"games": pl.DataFrame({"variant": ["v"] * games, "game": range(games)}), "seats": seats}, ("a", "b")
    )
    estimates = skill_gradient(rate_variants(run))
    assert estimates is not None
    estimated = estimates.estimate(0, 0)
    assert estimated.value == pytest.approx(won.mean(), abs=0.01)
    assert estimated.low < 0.8 < estimated.high


def test_runs_with_one_bot_have_no_skill_gradient(run: RunTables) -> None:
    assert rate_variants(run) == {}
    with pytest.raises(UsageError, match="cannot measure skill_gradient"):
        estimate_run(run, ["skill_gradient"])


def layouts_run(layouts: int, each: int, between: float, chances: float = 0.1) -> RunTables:
    """Cities, each seen from many sides, that differ in margins and in the chances of the first of two players."""
    rng = np.random.default_rng(2)
    values = rng.normal(0, between, layouts).repeat(each) + rng.normal(0, 1, layouts * each)
    won = rng.random(len(values)) < rng.choice([0.5 - chances, 0.5 + chances], layouts).repeat(each)
    seats = pl.DataFrame(
        {
            "variant": ["v"] * (2 * len(values)),
            "game": np.repeat(np.arange(len(values)), 2),
            "player": [0, 1] * len(values),
            "win_share": np.column_stack([won, ~won]).ravel().astype(float),
        }
    )
    frame = pl.DataFrame(
        {
            "variant": ["v"] * len(values),
            "game": range(len(values)),
            "layout": [Layout.from_index(i // each).turned_city(i % 6).code for i in range(len(values))],
            "margin": values,
        }
    )
    return made_run({"games": frame, "seats": seats})


def test_layout_share_finds_the_variance_between_layouts() -> None:
    estimates, _ = layout_effects(layouts_run(300, 10, 0.5))
    estimated = estimates.estimate(0, estimates.groups.index("margin"))
    assert estimated.value == pytest.approx(0.2, abs=0.05)  # 0.25 of 1.25
    assert estimated.low < 0.2 < estimated.high


def test_who_wins_is_among_the_outcomes_and_its_spread_is_in_percentage_points() -> None:
    shares, spread = layout_effects(layouts_run(400, 40, 0.5))
    assert shares.groups[0] == "win_share"
    assert shares.means[0, 0] == pytest.approx(0.04, abs=0.01)  # 0.1 squared of 0.25
    assert spread.measure == LAYOUT_SPREAD
    estimated = spread.estimate(0, 0)
    assert estimated.value == pytest.approx(0.1, abs=0.015)
    assert estimated.low < 0.1 < estimated.high


def test_what_does_not_go_with_layouts_has_an_interval_above_nothing() -> None:
    for one in layout_effects(layouts_run(300, 10, 0.0, chances=0.0)):
        for group in range(len(one.groups)):
            estimated = one.estimate(0, group)
            assert estimated.low == 0 < estimated.high


def test_a_city_turned_is_one_layout() -> None:
    assert layouts_run(300, 12, 0.5).layouts == {"v": (300, 3600)}
    uneven = layouts_run(300, 12, 0.5)
    board = {"set": "odd", "side": 1, "frame": ["S", "E", "E", "E", "E", "E"]}
    turned = replace(uneven, variants=(structs.replace(uneven.variants[0], board=board),))
    assert turned.layouts == {"v": (1800, 3600)}  # its frame tells the sides apart


@pytest.mark.parametrize("board", ["roomy", "open"])
def test_layouts_are_one_city_where_their_board_set_says_so(board: str) -> None:
    board_set = board_file.load(board)
    drawn = [Layout.from_index(number) for number in range(0, 524_880, 9973)]
    layouts = [layout.turned_city(by) for layout in drawn for by in range(PIECES)]
    set_description = {"set": board, "side": board_set.side, "frame": list(board_set.frame)}
    description = described("v", ["x"], board=set_description)
    first = [board_set.canonical(layout) for layout in layouts]
    city = find_statistics("metromania").one_city(pl.col("layout"), description)
    found, of_first = (
        pl.DataFrame({"layout": [layout.code for layout in some]}).select(city).to_series().to_list()
        for some in (layouts, first)
    )
    assert found == of_first
    assert len(set(found)) == len({layout.code for layout in first})


def test_layouts_played_once_have_no_layout_share(run: RunTables) -> None:
    assert layout_effects(layouts_run(300, 1, 0.5)) == []
    assert run.layouts["print-4p"][1] == 600


def test_gaps_are_counted_as_plain_python_counts_them(run: RunTables) -> None:
    gaps = measurable_gaps(run)
    names = {gap.name for gap in gaps}
    assert {"deadlock", "half_point", "shared_trip", "line_not_started", "shared_win"} <= names
    found = dict(zip((gap.name for gap in gaps), estimate_metrics(run, [gap.metric for gap in gaps]), strict=True))
    seats = run.tables["seats"].filter(pl.col("variant") == "print-4p").collect().to_dicts()
    halves = {row["game"] for row in seats if row["lines_ended"] == 1 and row["station_points"] % 2}
    assert found["half_point"].means[0, 0] == pytest.approx(len(halves) / 600)
    trips = run.tables["trips"].filter(pl.col("variant") == "print-4p").collect().to_dicts()
    shared = {row["game"] for row in trips if row["minutes"] is not None and row["involved"].bit_count() > 1}
    assert found["shared_trip"].means[0, 0] == pytest.approx(len(shared) / 600)


def test_a_gap_is_measurable_if_the_tables_have_its_counter(run: RunTables) -> None:
    games = run.tables["games"].with_columns(passes=pl.col("game") % 3)
    counted = replace(run, tables={**run.tables, "games": games}, cut=None)
    gap = next(gap for gap in measurable_gaps(counted) if gap.name == "pass")
    assert estimate_metrics(counted, [gap.metric])[0].means[0, 0] == pytest.approx(400 / 600)
    assert gap in find_statistics("metromania").gaps


def test_remarkable_games_are_the_extremes_and_can_be_seen_again(run: RunTables) -> None:
    remarkable = {one.remarkable.kind: one for one in find_remarkable_games(run)}
    rows = {kind: one.remarkable.row for kind, one in remarkable.items()}
    games = run.tables["games"].collect()
    assert rows["longest"]["turns"] == games["turns"].max()
    assert rows["most lopsided"]["margin"] == games["margin"].max()
    assert rows["closest"]["margin"] == games.filter(pl.col("winner").is_not_null())["margin"].min()
    one = remarkable["longest"]
    record = one.record
    assert record is not None
    assert max(move["turn"] for move in record["moves"]) in (rows["longest"]["turns"], rows["longest"]["turns"] - 1)
    assert one.command == (
        f"mmsim play --rules {one.variant.rules} --players 4 --bots planner --seed 7 --number {one.remarkable.game}"
    )


def test_of_equally_remarkable_games_that_of_the_first_variant_is_taken(tmp_path: Path) -> None:
    """Bots that play at random play the same games with hidden and open hands."""
    run = open_run(write_run(tmp_path / "run", ["print", "print+loyal"], games=60, bots="uniform"))
    assert {game.variant.name for game in find_remarkable_games(run)} == {"print-4p"}


def test_only_variants_with_layouts_have_a_layout_share(tmp_path: Path) -> None:
    run = open_run(
        write_run(tmp_path / "run", ["metro", "metro+central"], games=26_000, part_games=26_000, bots="uniform")
    )
    (level,) = estimate_run(run, ["layout_share"])
    (estimated,) = level.metrics
    assert not any(estimated.known(0, g) for g in range(len(estimated.groups)))
    assert estimated.known(1, estimated.groups.index("margin"))
    assert compare([level]) == []


def test_primary_metrics_come_out_the_same_whether_all_are_measured_or_only_those(
    run: RunTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[set[str]] = []
    measure = run_metrics.estimate_measurable

    def note(run: RunTables, wanted: set[str]) -> list[LevelEstimates]:
        measured.append(wanted)
        return measure(run, wanted)

    monkeypatch.setattr(run_metrics, "estimate_measurable", note)
    few = compare_run(run)
    assert [len(names) < 12 for names in measured] == [True]
    monkeypatch.setattr(run_metrics, "all_games_identical", lambda comparisons: True)
    everything = compare_run(run)
    assert len(measured[-1]) > 40
    assert [one.rows() for one in few.primary] == [one.rows() for one in everything.primary]


def test_a_comparison_shows_the_primary_metrics_those_named_or_all(run: RunTables) -> None:
    compared = compare_run(run, [ALL])
    names = {one.measure.name for one in compared.comparisons}
    assert {name for name in names if compared.is_selected(name, ["turns"])} == {"turns"}
    assert {name for name in names if compared.is_selected(name)} == {*primary_metrics(run)}
    assert all(compared.is_selected(name, [ALL]) for name in names)
    assert len(names) > len(primary_metrics(run))
    with pytest.raises(UsageError, match="cannot measure tension: run mmsim chances"):
        compare_run(run, ["tension"])
