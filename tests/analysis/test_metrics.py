"""Metrics against the plainest Python that could compute them."""

from collections import defaultdict
from dataclasses import replace
from statistics import mean
from typing import Any

import numpy as np
import polars as pl
import pytest

from mmsim.analysis.estimates import TableMetrics, estimate_metrics, per_game
from mmsim.analysis.run_metrics import find_metric, measurable_gaps, measurable_metrics
from mmsim.analysis.tables import RunTables
from mmsim.core.metrics import Metric, MetricGrouping
from mmsim.errors import UsageError
from mmsim.games import GAMES, find_statistics

Rows = list[dict[str, Any]]


def rows_by_game(run: RunTables, table: str, variant: str) -> dict[int, Rows]:
    found: dict[int, Rows] = defaultdict(list)
    for row in run.tables[table].filter(pl.col("variant") == variant).collect().iter_rows(named=True):
        found[row["game"]].append(row)
    return found


def values(run: RunTables, name: str, variant: str = "print-4p") -> dict[tuple[str, int], float]:
    metric = find_metric("metromania", name)
    frame = per_game(metric, run.tables).filter(pl.col("variant") == variant).collect()
    return {(group, game): value for _, group, game, value in frame.iter_rows()}


def test_win_share_and_first_seat_advantage(run: RunTables) -> None:
    shares, ahead = values(run, "win_share"), values(run, "first_seat_advantage")
    for game, rows in rows_by_game(run, "seats", "print-4p").items():
        for seat, ordinal in enumerate(("1st", "2nd", "3rd", "4th")):
            assert shares[ordinal, game] == rows[seat]["win_share"]
        assert ahead["", game] == pytest.approx(rows[0]["win_share"] - 0.25)


def test_scores_and_their_parts(run: RunTables) -> None:
    score, parts, spread = (values(run, name) for name in ("score", "score_parts", "spread"))
    forgone = values(run, "points_forgone")
    for game, rows in rows_by_game(run, "seats", "print-4p").items():
        scores = [row["score"] for row in rows]
        assert score["", game] == pytest.approx(mean(scores))
        assert spread["", game] == max(scores) - min(scores)
        assert sum(parts[part, game] for part in ("kept", "trip", "penalties")) == pytest.approx(mean(scores))
        assert forgone["", game] == pytest.approx(mean(row["station_points"] - row["kept_points"] for row in rows))


def test_drama_and_decisiveness(run: RunTables) -> None:
    decided, comeback = values(run, "track_decided"), values(run, "track_comeback")
    late, shared = values(run, "track_decided_at_scoring"), values(run, "shared_wins")
    for game, (row,) in rows_by_game(run, "games", "print-4p").items():
        assert shared["", game] == (row["winner"] is None)
        if row["winner"] is None:
            assert ("", game) not in decided
            assert ("", game) not in comeback
            continue
        assert decided["", game] == pytest.approx(min(row["decided_turn"] / row["turns"], 1))
        assert comeback["", game] == (2 * row["decided_turn"] > row["turns"])
        assert late["", game] == (row["decided_turn"] > row["turns"])


def test_end_reasons_of_a_game_add_up_to_one(run: RunTables) -> None:
    reasons = values(run, "end_reason")
    for game, (row,) in rows_by_game(run, "games", "print-4p").items():
        of_game = {group: value for (group, number), value in reasons.items() if number == game and value}
        assert of_game == {row["end_reason"]: 1.0}


def test_trips_and_faults(run: RunTables) -> None:
    possible, minutes = values(run, "trips_possible"), values(run, "trip_minutes")
    park, companies, faults = (values(run, name) for name in ("park_lake_possible", "trip_companies", "fault"))
    for game, rows in rows_by_game(run, "trips", "print-4p").items():
        common = [row for row in rows if row["trip"] != "park_lake"]
        times = [row["minutes"] for row in common if row["minutes"] is not None]
        assert possible["", game] == pytest.approx(len(times) / 6)
        assert minutes.get(("", game)) == (pytest.approx(mean(times)) if times else None)
        (last,) = (row for row in rows if row["trip"] == "park_lake")
        assert park["", game] == (last["minutes"] is not None)
        involved = [row["involved"].bit_count() for row in rows if row["minutes"] is not None]
        assert companies.get(("", game)) == (pytest.approx(mean(involved)) if involved else None)
        for fault in ("not_placed", "no_station", "no_route"):
            assert faults[fault, game] == pytest.approx(mean(row["fault"] == fault for row in rows))


def test_fates_of_lines_add_up_to_one(run: RunTables) -> None:
    fates, lacking, length = (values(run, name) for name in ("line_fates", "block_reason", "line_tunnels"))
    for game, rows in rows_by_game(run, "lines", "print-4p").items():
        of_game = [fates[fate, game] for fate in ("ended", "blocked", "never started", "under way")]
        assert sum(of_game) == pytest.approx(1)
        assert of_game[0] == pytest.approx(mean(row["ended"] for row in rows))
        for reason in ("no_tunnel", "no_station", "no_marker", "no_cell"):
            assert lacking[reason, game] == pytest.approx(mean(row["block_reason"] == reason for row in rows))
        assert sum(lacking[reason, game] for reason, of in lacking if of == game) == pytest.approx(of_game[1])
        ended = [row["tunnels"] for row in rows if row["ended"]]
        assert length.get(("", game)) == (pytest.approx(mean(ended)) if ended else None)


@pytest.mark.parametrize("game", GAMES)
def test_every_metric_is_declared_in_full(game: str) -> None:
    metrics = find_statistics(game).metrics
    assert len({metric.name for metric in metrics}) == len(metrics)
    for metric in metrics:
        assert metric.question.endswith("?")
        assert metric.unit
        assert metric.tolerance > 0
        assert metric.better in ("", "more", "less")


def test_tables_without_a_column_lack_its_metrics(run: RunTables) -> None:
    poorer = {"games": run.tables["games"].drop("lead_changes"), "seats": run.tables["seats"]}
    names = {metric.name for metric in measurable_metrics(replace(run, tables=poorer))}
    assert "track_lead_changes" not in names
    assert "trips_possible" not in names
    assert {"margin", "win_share", "score"} <= names


def test_metrics_of_a_game_with_other_tables(run: RunTables) -> None:
    """A table no metric names, and words as plain strings: nothing here knows a game."""
    games = run.tables["games"].with_columns(pl.col("end_reason").cast(pl.String))
    metric = find_metric("metromania", "end_reason")
    assert set(metric.values(MetricGrouping({"games": games}))) <= {"both_lines", "stations", "lines", "deadlock"}


def test_an_unknown_metric_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="unknown metric 'margins'; did you mean 'margin'?"):
        find_metric("metromania", "margins")


def test_an_estimate_is_the_mean_of_per_game_values(run: RunTables) -> None:
    """Both ways to the same number, for every metric, group and variant."""
    for estimates in estimate_metrics(run, measurable_metrics(run)):
        metric = find_metric("metromania", estimates.measure.name)
        means = _means(metric, run)
        for v, variant in enumerate(estimates.variants):
            for g, group in enumerate(estimates.groups):
                if estimates.known(v, g):
                    assert estimates.means[v, g] == pytest.approx(means[variant, group], abs=1e-12)


def _means(metric: Metric, run: RunTables) -> dict[tuple[str, str], float]:
    frame = per_game(metric, run.tables).group_by("variant", "group").agg(pl.col("value").mean()).collect()
    return {(variant, group): value for variant, group, value in frame.iter_rows()}


@pytest.mark.parametrize("table", ["games", "seats", "trips", "lines"])
def test_values_are_the_same_whether_rows_stand_in_turn_or_not(run: RunTables, table: str) -> None:
    known = [*measurable_metrics(run), *(gap.metric for gap in measurable_gaps(run))]
    metrics = TableMetrics([metric for metric in known if metric.table == table], MetricGrouping(run.tables))
    games_per_deal = {variant.name: variant.games_per_deal for variant in run.variants}
    rows = run.tables[table].collect()
    in_turn = metrics.deals({table: rows.lazy()}, games_per_deal)
    mixed = metrics.deals({table: rows.sample(fraction=1, shuffle=True, seed=7).lazy()}, games_per_deal)
    short = metrics.deals({table: rows[1:].lazy()}, games_per_deal)  # the first game lacks a row
    assert len(in_turn) == len(mixed) == len(short) == len(run.variants)
    for one, other, less in zip(in_turn, mixed, short, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
        np.testing.assert_allclose(one[:, 1:], less[:, -one.shape[1] + 1 :], rtol=1e-12)
        assert np.isfinite(one).any(axis=(1, 2)).all()
