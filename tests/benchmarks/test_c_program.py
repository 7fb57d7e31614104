"""The C programs that the core is measured against play the same games: rows of both have the same distribution."""

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks import c_program
from mmsim.core.game import Variant
from mmsim.errors import MmsimError, UsageError
from mmsim.games import GAMES, find_game

COUNT = 8000
STANDARD_ERRORS = 5

Built = Callable[[str, bool], c_program.Yardstick]

with_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """Builds a program once, and quickly: what it plays does not hang on how fast it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(c_program, "_AS_FAST_AS_CAN_BE", ("-O1",))
        folder = tmp_path_factory.mktemp("yardstick")
        yield cache(lambda game, rows: c_program.build(game, folder, rows=rows))


@with_compiler
@pytest.mark.parametrize("game", GAMES)
def test_every_column_of_c_is_distributed_as_that_of_the_core(game: str, built: Built) -> None:
    program = built(game, True)
    engine = find_game(game)
    rules, _, players = program.variant.rpartition("-")
    core = engine.play_games(engine.prepare(Variant(rules, int(players.removesuffix("p")))), 0, COUNT)
    c = {table: np.zeros(len(rows), rows.dtype) for table, rows in core.items()}
    decisions = program.play(0, COUNT, c)
    assert decisions == pytest.approx(core.decisions, rel=0.01)
    for table, rows in core.items():
        for column in {*(rows.dtype.names or ())} - {"game"}:
            if f"{table}.{column}" in program.left_out:
                continue
            for power in (1, 2):
                ours, theirs = (_per_game(one[table][column], power) for one in (core, c))
                error = np.hypot(ours.std(), theirs.std()) / np.sqrt(COUNT)
                difference = abs(ours.mean() - theirs.mean())
                assert difference <= STANDARD_ERRORS * error + 1e-6, f"{table}.{column} to the power of {power}"


def _per_game(column: np.ndarray, power: int) -> np.ndarray:
    return (column.astype(float) ** power).reshape(COUNT, -1).mean(axis=1)


@with_compiler
@pytest.mark.parametrize("game", GAMES)
def test_both_c_programs_of_a_game_play_the_same_games(game: str, built: Built) -> None:
    engine = find_game(game)
    plain, keeping = built(game, False), built(game, True)
    shapes = engine.play_games(engine.prepare(Variant(plain.variant.rpartition("-")[0])), 0, 1)
    rows = {table: np.zeros(300 * len(one), one.dtype) for table, one in shapes.items()}
    assert plain.play(7, 300) == keeping.play(7, 300, rows)
    for column, mean in plain.means().items():
        column_values = next(table[column] for table in rows.values() if column in (table.dtype.names or ()))
        assert column_values.sum() / 300 == pytest.approx(mean)


def test_without_a_compiler_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MmsimError, match="needs a C compiler"):
        c_program.build(GAMES[0], tmp_path, rows=False)


def test_a_game_without_a_c_program_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no C program of chess"):
        c_program.build("chess", tmp_path, rows=False)


@with_compiler
def test_another_variant_than_the_one_c_plays_is_refused(built: Built) -> None:
    program = built("metromania", False)
    program.fits("print-4p", "classic")
    for variant, board in (("print-3p", "classic"), ("print-4p", "grand")):
        with pytest.raises(UsageError, match="plays print-4p on classic only"):
            program.fits(variant, board)
