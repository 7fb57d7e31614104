"""The C programs play the same games as the core: the rows of both have the same distribution."""

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks import against_c
from mmsim.errors import MmsimError, UsageError
from mmsim.games import GAMES, find_game

COUNT = 8000
STANDARD_ERRORS = 5

Built = Callable[[str, bool], against_c.CProgram]

with_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """Builds each program once, without optimisation, which does not change its games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(against_c, "_OPTIMISATION", ("-O1",))
        folder = tmp_path_factory.mktemp("c")
        yield cache(lambda game, rows: against_c.build(game, folder, rows=rows))


@with_compiler
@pytest.mark.parametrize("game", GAMES)
def test_every_column_of_c_is_distributed_as_that_of_the_core(game: str, built: Built) -> None:
    program = built(game, True)
    engine = find_game(game)
    core = engine.play_games(engine.prepare(program.variant), 0, COUNT)
    c = {table: np.zeros(len(rows), rows.dtype) for table, rows in core.items()}
    decisions = program.play(0, COUNT, c)
    assert decisions == pytest.approx(core.decisions, rel=0.01)
    for table, rows in core.items():
        for column in {*(rows.dtype.names or ())} - {"game"}:
            if f"{table}.{column}" in program.left_out:
                continue
            for power in (1, 2):
                ours, theirs = (_per_game(tables[table][column], power) for tables in (core, c))
                error = np.hypot(ours.std(), theirs.std()) / np.sqrt(COUNT)
                difference = abs(ours.mean() - theirs.mean())
                assert difference <= STANDARD_ERRORS * error + 1e-6, f"{table}.{column} to the power of {power}"


def _per_game(column: np.ndarray, power: int) -> np.ndarray:
    return (column.astype(float) ** power).reshape(COUNT, -1).mean(axis=1)


@with_compiler
@pytest.mark.parametrize("game", GAMES)
def test_both_c_versions_of_a_game_play_the_same_games(game: str, built: Built) -> None:
    engine = find_game(game)
    plain, with_rows = built(game, False), built(game, True)
    shapes = engine.play_games(engine.prepare(plain.variant), 0, 1)
    rows = {table: np.zeros(300 * len(values), values.dtype) for table, values in shapes.items()}
    assert plain.play(7, 300) == with_rows.play(7, 300, rows)
    for column, mean in plain.means().items():
        column_values = next(table[column] for table in rows.values() if column in (table.dtype.names or ()))
        assert column_values.sum() / 300 == pytest.approx(mean)


def test_a_missing_compiler_is_reported_in_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MmsimError, match="needs a C compiler"):
        against_c.build(GAMES[0], tmp_path, rows=False)


def test_a_game_without_c_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no C program of chess"):
        against_c.build("chess", tmp_path, rows=False)


@with_compiler
def test_the_core_and_c_are_measured_in_turns(built: Built) -> None:
    report = against_c.compare("metro", games=1000, repeats=1)
    assert [row["engine"] for row in report["results"]] == ["core", "C", "C with rows"]
    assert set(report["core_over_c"]) == {"C", "C with rows"}
    assert report["means"]["score"]["c"] == pytest.approx(report["means"]["score"]["core"], rel=0.05)
