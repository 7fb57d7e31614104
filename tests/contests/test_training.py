"""Training end to end: the same file to the byte however many workers, and a bot that can be seated with it."""

from pathlib import Path

import pytest

from mmsim.cli.progress import show_progress
from mmsim.contests.matches import MatchRunner
from mmsim.contests.training import TrainingSettings, train
from mmsim.core.neural_net import read_net
from mmsim.errors import UsageError
from mmsim.metromania.bots import find_bot


def trained(folder: Path, workers: int) -> bytes:
    mixed = TrainingSettings(
        "metromania", "expert", ("print", "v2"), (2, 3), None, ("planner", "networker"), 3, 32, 2, 32
    )
    four = TrainingSettings("metromania", "expert", ("print",), (4,), None, ("planner",), 3, 8, 1, 4, add=True)
    folder.mkdir()
    file = folder / "net.json"
    with show_progress(quiet=True) as watch, MatchRunner("metromania", workers, watch) as runner:
        net, results = train(mixed, runner, file, lambda point: None)
        added, _ = train(four, runner, file, lambda point: None)
    both = read_net(file, added.inputs)
    assert both.for_players(4).about["command"].endswith("--epochs 1 --decay 0.001 --final-games 4 --seed 3")
    assert both.about == net.about
    assert net.about["decisions"] > 150
    assert len(results) == 8
    assert {result.players for result in results} == {2, 3}
    assert all(0 <= result.share <= 1 for result in results)
    return file.read_bytes()


def test_a_training_gives_the_same_file_however_many_workers_play(tmp_path: Path) -> None:
    one = trained(tmp_path / "one", 1)
    assert trained(tmp_path / "two", 2) == one
    assert b"mmsim bots train expert --game metromania --rules print --rules v2 --players 2 --players 3" in one
    file = tmp_path / "one" / "net.json"
    assert find_bot(f"expert:weights={file},candidates=4").spec == f"expert:weights={file},candidates=4"


def test_only_bots_with_a_net_can_be_trained() -> None:
    with pytest.raises(UsageError, match="bot planner has no neural net"):
        TrainingSettings("metromania", "planner", ("print",), (4,), None, ("planner",))


@pytest.mark.parametrize(("game", "pool"), [("metromania", ("planner", "networker")), ("metro", ("planner",))])
def test_a_training_that_names_no_opponents_meets_those_of_the_game(game: str, pool: tuple[str, ...]) -> None:
    assert (
        TrainingSettings(game, "expert", ("print" if game == "metromania" else "metro",), (4,), None, ()).against
        == pool
    )
