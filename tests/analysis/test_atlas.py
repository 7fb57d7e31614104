"""What an atlas says, on made-up layouts whose truth is known."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from mmsim.analysis.atlas import FAIR, FDR, LOPSIDED, Atlas, open_atlas, shipped_atlas
from mmsim.analysis.atlas_features import explain
from mmsim.analysis.atlas_replay import intervene, replay_extremes
from mmsim.core.layouts import Ranking
from mmsim.errors import MmsimError, UsageError
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.board import Layout
from mmsim.metromania.shell.cities import Cities
from tests.analysis.atlases import LAYOUTS, made_up, true_shares, write

SHARES = true_shares()
TRUE_UNEVENNESS = np.sqrt(((SHARES - 0.25) ** 2).mean(axis=1))


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    return Atlas(*made_up(SHARES))


def test_estimates_are_as_reliable_as_they_claim(atlas: Atlas) -> None:
    for level in (0, 1):
        errors = ((atlas.seat_shares(level) - SHARES) ** 2).sum()
        reliability = 1 - errors / ((SHARES - SHARES.mean(axis=0)) ** 2).sum()
        assert atlas.reliability(level) == pytest.approx(reliability, abs=0.03)
        measured = np.corrcoef(atlas.unevenness(level) ** 2, TRUE_UNEVENNESS**2)[0, 1] ** 2
        assert atlas.unevenness_reliability(level) == pytest.approx(measured, abs=0.1)  # they are not normal
    assert atlas.raw_reliability(1) < 0.4 < 0.7 < atlas.reliability(1)  # expert learns from club
    assert atlas.agreement(0, 1) == pytest.approx(1.0, abs=0.05)
    assert atlas.best_level == 0


def test_rankings_begin_with_the_extremes_and_name_the_seat(atlas: Atlas) -> None:
    assert TRUE_UNEVENNESS[atlas.ranked(LOPSIDED, 0)[:50]].min() > np.median(TRUE_UNEVENNESS)
    assert (TRUE_UNEVENNESS[atlas.ranked(FAIR, 0)[:50]] < np.median(TRUE_UNEVENNESS)).mean() > 0.9
    longest = atlas.ranked(Ranking("longest", "turns", True), 0)[:100]
    assert SHARES[longest, 0].mean() > np.quantile(SHARES[:, 0], 0.9)
    assert len(atlas.extremes(FAIR)) == LAYOUTS // 100


def test_at_most_one_in_twenty_of_the_layouts_called_unfair_is_not(atlas: Atlas) -> None:
    unfair = atlas.unfair(0)
    assert unfair.sum() > 200
    assert (TRUE_UNEVENNESS[unfair] < atlas.unfair_from).mean() <= FDR


def test_what_is_known_about_a_layout_is_said_level_by_level(atlas: Atlas) -> None:
    row = int(atlas.ranked(LOPSIDED, 0)[0])
    assert atlas.row_of(atlas.code(row)) == row
    club, expert = atlas.describe(row)
    assert club.startswith("club: seats win ")
    assert club.endswith("more even than 0 % of 3,000 layouts; shown to be unfair")
    assert "12 games here" in expert
    assert atlas.row_of(atlas.space.code(LAYOUTS)) is None


def test_a_replay_on_true_chances_confirms_the_ranking(atlas: Atlas) -> None:
    draws = np.random.default_rng(9)

    def play(numbers: list[int]) -> pl.DataFrame:
        wins = np.array([draws.multinomial(1000, SHARES[number]) for number in numbers])
        columns = {f"wins_{seat + 1}": wins[:, seat] for seat in range(4)}
        return pl.DataFrame({"games": np.full(len(numbers), 1000), **columns})

    result = replay_extremes(atlas, 0, play)
    fair, lopsided, random, unfair = result.groups
    assert fair.kept_side >= 0.9
    assert lopsided.kept_side == 1.0
    assert fair.unevenness < random.unevenness < lopsided.unevenness
    assert random.unevenness == pytest.approx(np.sqrt((TRUE_UNEVENNESS**2).mean()), abs=3 * random.half_width)
    assert result.false_share <= 2 * FDR
    assert unfair.layouts == 100


def test_an_intervention_compares_cities_that_differ_in_one_feature(atlas: Atlas) -> None:
    played: list[int] = []

    def play(numbers: list[int]) -> pl.DataFrame:
        played.extend(numbers)
        turns = [10 + 3 * (place % 2) for place in range(len(numbers))]
        return pl.DataFrame({"games": [1] * len(numbers), "turns": turns})

    changed = intervene(atlas, "Old Town turned c", "turns", 2.5, play)
    assert (changed.change, changed.half_width, changed.predicted) == (3.0, 0.0, 2.5)
    without, with_it = (atlas.space.code(number) for number in played[:2])
    assert [a for a, b in zip(without.split("-"), with_it.split("-"), strict=True) if a != b] == ["1a"]
    assert intervene(atlas, "distance from lake to park", "turns", 0.0, play) is None


def test_features_are_found_where_they_matter_and_nowhere_else() -> None:
    cities, draws = Cities("box"), np.random.default_rng(10)
    numbers = [cities.at(place) for place in range(4000)]
    features, neighbours = cities.features(numbers), cities.neighbours(numbers)
    lakes = features["distance from lake to park"]
    values = 0.5 * lakes + 0.3 * features["Suburbs turned b"] + draws.normal(0, 0.5, 4000)
    explained = explain(features, neighbours, values, 1 - 0.25 / values.var())
    first, second = explained.effects[:2]
    assert (first.feature, first.value) == ("distance from lake to park", pytest.approx(0.5 * lakes.std(), abs=0.05))
    assert (second.feature, second.value) == ("Suburbs turned b", pytest.approx(0.3, abs=0.06))
    assert explained.r2 == pytest.approx(1.0, abs=0.08)
    noise = explain(features, neighbours, draws.normal(0, 1, 4000), 1.0)
    assert abs(noise.r2) < 0.05


def test_features_agree_with_the_drawn_city() -> None:
    cities = Cities("box")
    number = cities.number("1a-2a-3a-4a-5a-6a")
    features = {name: values[0] for name, values in cities.features([number]).items()}
    assert features["Old Town beside Lakeside"] == features["Old Town beside Suburbs"] == 1.0
    assert features["Old Town beside Parkside"] == features["Old Town turned b"] == 0.0
    city = board_file.load("box").city(Layout.from_code("1a-2a-3a-4a-5a-6a"))
    lake, park = (
        [corner for cell, kind in city.kind.items() if kind == letter for corner in city.lattice.corners[cell]]
        for letter in "LP"
    )
    apart = [max(abs(a - c), abs(b - d), abs(a - c + b - d)) for a, b in lake for c, d in park]
    assert features["distance from lake to park"] == min(apart)
    assert cities.neighbours([number]).shape == (1, 6)


def test_a_table_that_is_not_that_of_its_plan_is_refused(tmp_path: Path) -> None:
    plan, table = made_up(SHARES[:20])
    assert len(open_atlas(write(tmp_path, plan, table)).numbers) == 20
    (tmp_path / "atlas.parquet").write_bytes(b"nonsense")
    with pytest.raises(MmsimError, match="does not match its checksum"):
        open_atlas(tmp_path)
    write(tmp_path, plan, table)
    text = (tmp_path / "atlas.json").read_text()
    (tmp_path / "atlas.json").write_text(text.replace('"wins_1":"Float32"', '"wins_1":"Int64"'))
    with pytest.raises(MmsimError, match="has a column wins_1 of the type Float32 instead of Int64"):
        open_atlas(tmp_path)


def test_an_atlas_that_is_not_finished_is_refused(tmp_path: Path) -> None:
    write(tmp_path, *made_up(SHARES[:20]))
    text = (tmp_path / "atlas.json").read_text()
    (tmp_path / "atlas.json").write_text(text[: text.index('"sha256"')] + '"rows":0}')
    with pytest.raises(UsageError, match="is not finished; mmsim atlas run continues it"):
        open_atlas(tmp_path)


def test_a_board_without_an_atlas_has_none() -> None:
    assert shipped_atlas("metromania", "random:3") is None
    assert shipped_atlas("metro") is None
