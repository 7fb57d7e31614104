"""The bot with a net: a pure, legal choice, and search on top of it that uses all of its budget."""

from dataclasses import replace
from pathlib import Path

import pytest

from mmsim.cli.progress import show_progress
from mmsim.contests.matches import MatchRunner
from mmsim.contests.training import TrainingSettings, train
from mmsim.core.neural_net import Net
from mmsim.core.seating import find_bot
from mmsim.core.variant import Variant
from mmsim.metro.bots import BOTS
from mmsim.metro.bots.evaluator import EVALUATOR
from mmsim.metro.bots.position import Position
from mmsim.metro.bots.thinking.input_layout import INPUT_NAMES
from mmsim.metro.game import Metro
from tests.metro.twins import SPECS

METRO = Metro()


def net_of(path: Path, **direct: float) -> str:
    """An evaluator that goes by some inputs only."""
    replace(EVALUATOR.nets, choice=Net.linear(INPUT_NAMES, **direct)).write(path)
    return f"evaluator:weights={path}"


@pytest.mark.parametrize("spec", SPECS)
def test_its_games_are_legal_and_the_same_step_by_step(spec: str) -> None:
    players = 2 + SPECS.index(spec) % 5
    bots = ",".join(["evaluator", "planner", "evaluator", "uniform", "greedy", "evaluator"][:players])
    prepared = METRO.prepare(Variant(spec, players, bots=bots, seed=5, seats="rotate"))
    rows = METRO.play_games(prepared, 0, 2)["seats"]
    for game in range(2):
        record = METRO.record(prepared, game)
        METRO.verify(record)
        assert rows["score"][players * game : players * (game + 1)].tolist() == record["result"]["scores"]


def test_the_net_decides(tmp_path: Path) -> None:
    worst = METRO.play_games(METRO.prepare(Variant("metro", 4, bots=net_of(tmp_path / "a.json", value=-1.0))), 0, 5)
    default = METRO.play_games(METRO.prepare(Variant("metro", 4, bots="evaluator")), 0, 5)
    assert worst["games"].tobytes() != default["games"].tobytes()


def test_its_inputs_say_what_the_others_gain_by_their_best_replies() -> None:
    position = Position(METRO.prepare(Variant("metro", 4, bots="evaluator", seed=3)), 0)
    while position.turn < 30:
        position.apply(position.bot_move())
    position.bot_move()
    thoughts = position._memory.thoughts[0]
    inputs = thoughts.inputs[: 2 * len(INPUT_NAMES)].reshape(2, -1)
    described = [dict(zip(INPUT_NAMES, row.tolist(), strict=True)) for row in inputs]
    for row in described:
        assert row["answer"] >= row["answer_next"] > 0  # everybody gains by their best reply
        assert row["threat"] < row["answer"]


def test_the_weights_that_come_with_it_say_where_they_come_from() -> None:
    about = EVALUATOR.nets.about
    assert about["bot"] == EVALUATOR.name
    assert str(about["command"]).startswith("mmsim bots train expert --")  # as the bot was called then
    assert {"seed", "decisions", "held_out_decisions", "held_out_games"} <= set(about)
    assert BOTS["search"].description["net"] == EVALUATOR.description["net"]


def test_it_is_trained_by_the_same_code_as_the_other_games_expert(tmp_path: Path) -> None:
    rules = ("metro", "metro+companies")
    plan = TrainingSettings("metro", rules, (2, 3), (), 3, decision_games=16, epochs=1, final_games=16)
    file = tmp_path / "net.json"
    fitted: list[str] = []
    with show_progress(quiet=True) as watch, MatchRunner("metro", 1, watch) as runner:
        nets, results = train(plan, runner, file, lambda net, point: fitted.append(net))
    assert fitted == ["choice"] * 2  # no value net
    assert nets.value is nets.board_value is None
    assert nets.about["decisions"] > 100
    assert {result.players for result in results} == {2, 3}
    assert find_bot(f"evaluator:weights={file},candidates=3", BOTS).spec == f"evaluator:weights={file},candidates=3"


@pytest.mark.parametrize("playouts", [1, 2, 3, 7, 10, 33])
def test_search_uses_all_of_its_playouts(playouts: int) -> None:
    bots = f"search:playouts={playouts},width=6,doubt=10,begin=0"
    position = Position(METRO.prepare(Variant("metro", 4, bots=bots, seed=3)), 0)
    position.bot_move()
    thoughts = position._memory.thoughts[0]
    tried = thoughts.count[:6].sum()
    assert tried == (playouts if playouts > 1 else 0)  # a single playout compares nothing


def test_search_plays_like_the_evaluator_until_the_board_is_as_full_as_it_begins_at() -> None:
    evaluator, search, late = (
        METRO.play_games(METRO.prepare(Variant("metro", 4, bots=bots, seed=4)), 0, 4)["seats"]
        for bots in ("evaluator", "search:playouts=16,begin=0.5", "search:playouts=16,begin=1")
    )
    assert late["score"].tolist() == evaluator["score"].tolist()
    assert search["score"].tolist() != evaluator["score"].tolist()
