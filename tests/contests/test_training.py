"""Training end to end: the same file to the byte however many workers, and a bot that can be seated with it."""

from pathlib import Path

import pytest

from mmsim.cli.progress import show_progress
from mmsim.contests.matches import MatchRunner
from mmsim.contests.training import TrainingSettings, train
from mmsim.core.neural_net import BotNets
from mmsim.errors import UsageError
from mmsim.games import GAMES
from mmsim.metromania.bots import find_bot
from mmsim.metromania.bots.expert import EXPERT


def settings(**changes: object) -> TrainingSettings:
    small = {"games": 600, "value_epochs": 1, "decision_games": 24, "epochs": 2, "final_games": 32, "seed": 3}
    table = {"rules": ("print", "v2"), "players": (2, 3), "boards": ("compact", "random:7")}
    return TrainingSettings("metromania", **{**small, **table, **changes})  # type: ignore[arg-type]


def trained(folder: Path, workers: int, plan: TrainingSettings) -> tuple[BotNets, list[str]]:
    folder.mkdir()
    fitted: list[str] = []
    with show_progress(quiet=True) as watch, MatchRunner("metromania", workers, watch) as runner:
        nets, results = train(plan, runner, folder / "nets.json", lambda net, point: fitted.append(net))
    assert {result.players for result in results} == {*plan.players}
    assert all(0 <= result.share <= 1 for result in results)
    return nets, fitted


def test_a_training_gives_the_same_file_however_many_workers_play(tmp_path: Path) -> None:
    nets, fitted = trained(tmp_path / "one", 1, settings())
    assert fitted == ["value"] * 2 + ["board value"] * 2 + ["choice"] * 3
    assert nets.about["decisions"] >= 32
    assert nets.about["positions"] > 3000
    assert nets.board_value is not None
    trained(tmp_path / "two", 2, settings())
    one, two = ((tmp_path / name / "nets.json").read_bytes() for name in ("one", "two"))
    assert one == two
    assert b"mmsim bots train --game metromania --rules print --rules v2 --players 2 --players 3 --board comp" in one
    file = tmp_path / "one" / "nets.json"
    for bot in ("expert", "search"):
        assert find_bot(f"{bot}:weights={file},candidates=4").spec == f"{bot}:weights={file},candidates=4"


def test_a_bot_with_the_choice_net_of_another_gets_value_nets_of_its_own(tmp_path: Path) -> None:
    plan = settings(bot_name="deepsearch", players=(2,), rules=("print",), games=240, final_games=4)
    nets, fitted = trained(tmp_path / "one", 2, plan)
    assert fitted == ["value"] * 2 + ["board value"] * 2
    assert nets.choice.packed().tobytes() == EXPERT.nets.choice.packed().tobytes()
    assert nets.board_value is not None
    assert nets.board_value.embedding is not None
    assert nets.board_value.embedding.shape[1] == plan.bot.accumulators != EXPERT.accumulators
    assert nets.about["choice_of"] == EXPERT.nets.digest
    command = "mmsim bots train --game metromania --bot deepsearch --rules print --players 2 --board comp"
    assert nets.about["command"].startswith(command)
    assert "decision" not in nets.about["command"]


@pytest.mark.parametrize(
    ("name", "says"), [("deepserch", "did you mean 'deepsearch'"), ("planner", "bot planner has no neural net")]
)
def test_a_bot_that_cannot_be_trained_is_refused(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        settings(bot_name=name)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"games": 8, "players": (3,)}, "8 games gave only .* positions to learn from; play more games"),
        ({"decision_games": 1, "players": (3,), "rules": ("v2",)}, "1 games gave only .* decisions to learn from"),
    ],
)
def test_too_few_games_are_reported_in_a_sentence(tmp_path: Path, changes: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        trained(tmp_path / "few", 1, settings(**changes))


@pytest.mark.parametrize("game", GAMES)
def test_a_training_that_names_nothing_plays_what_the_game_names(game: str) -> None:
    plan = TrainingSettings(game)
    assert plan.rules == plan.bot.rules
    assert plan.against == plan.bot.against
    assert {(variant.rules, variant.players) for variant in plan.variants()} == {
        (rules, players) for rules in plan.rules for players in plan.players
    }
    assert {variant.board for variant in plan.variants()} == {*plan.boards}
    assert "--rules" not in plan.command
