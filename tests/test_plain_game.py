"""The seam as a stranger meets it: a whole game in one file, and one clear sentence for every mistake."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mmsim import games
from mmsim.core.game import GameRows
from mmsim.core.shell import DrawsPictures
from mmsim.core.variant import PlayableVariant, Variant
from mmsim.errors import MmsimError, UsageError
from mmsim.plain_game import PlainShell
from tests.cli.runner import run
from tests.toy.game import Toy
from tests.toy.shell import ToyShell

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "how-to" / "adding-a-game.md").read_text(encoding="utf-8")
EXAMPLE = PAGE.partition("```python\n")[2].partition("```")[0]
MINE = """
class Mine:
    def choose(self, view, moves):
        return moves[view.draws.below(len(moves))]
"""

RUN_COMMANDS = """
from tests.cli.runner import run
for command in (
    "rules list --game nim",
    "rules show nim,stones=20",
    "bots list --game nim",
    "play --game nim --record game.json",
    "verify game.json --replay",
    "run --rules nim --rules nim,stones=20 --games 60 --part-games 20 --out run --workers 1 --quiet",
    "check run",
    "compare run --json",
):
    result = run(*command.split())
    assert result.exit_code == 0, (command, result.stderr)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package of the game `nim`, empty as yet."""
    folder = tmp_path / "nim_game"
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(games._PACKAGES, "nim", "nim_game")
    monkeypatch.setattr(games, "GAMES", (*games.GAMES, "nim"))
    monkeypatch.setattr("mmsim.batch.experiment.GAMES", games.GAMES)
    yield folder
    for finder in (games.find_game, games.find_shell, games.find_statistics):
        finder.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "nim_game"]:
        del sys.modules[name]


def refused(*words: str) -> str:
    result = run(*words)
    assert result.exit_code in (1, 2), result.stdout
    return result.stderr


# --- a game that is small --------------------------------------------------------------------------------------------


def test_the_example_of_the_page_is_a_whole_game(package: Path, tmp_path: Path) -> None:
    """In a process that finds it among installed packages, as its workers do."""
    (package / "game.py").write_text(EXAMPLE)
    installed = tmp_path / "nim-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: nim\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[mmsim.games]\nnim = nim_game\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])}
    subprocess.run([sys.executable, "-c", RUN_COMMANDS], env=env, cwd=tmp_path, check=True)


def test_what_a_small_game_does_not_say_has_a_default(package: Path) -> None:
    (package / "game.py").write_text(EXAMPLE)
    shell, game = games.find_shell("nim"), games.find_game("nim")
    assert (shell.name, game.name) == ("nim", "nim")
    assert (shell.default_rules, shell.default_players, shell.default_board) == ("nim", 2, None)
    assert (shell.default_bot, [level.name for level in shell.levels]) == ("careful", ["careful"])
    assert shell.cost(shell.bots["careful"]) == 1
    assert game.interventions(None) == {}
    assert not isinstance(shell, DrawsPictures)
    assert games.find_statistics("nim").primary_metrics == ("win_share", "score")


@pytest.mark.parametrize("seconds", [None, 10.0])
def test_bots_in_python_play_a_plain_game_also_in_their_own_process(tmp_path: Path, seconds: float | None) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    toy = games._set_name("toy", Toy())
    bots = f"{tmp_path / 'mine.py'}:Mine"
    played = toy.play_games(toy.prepare(Variant("dice", bots=bots, move_seconds=seconds)), 0, 5)
    uniform = toy.play_games(toy.prepare(Variant("dice")), 0, 5)
    assert played.errors == ()
    assert (played["seats"] == uniform["seats"]).all()  # the same draws


def test_a_bot_that_fails_ends_its_game(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE.replace("moves[view", "'fly' or moves[view"))
    toy = games._set_name("toy", Toy())
    played = toy.play_games(toy.prepare(Variant("dice", bots=f"{tmp_path / 'mine.py'}:Mine")), 0, 1)
    assert played["games"]["status"].tolist() == [1]
    assert "chose 'fly', which is not one of its 2 legal moves" in played.errors[0].message


def test_a_game_without_board_sets_refuses_a_board(package: Path, tmp_path: Path) -> None:
    (package / "game.py").write_text(EXAMPLE)
    for command in (["play"], ["run", "--games", "10", "--out", str(tmp_path / "run")]):
        assert "nim has no board sets, so there is no board 'xx'; drop --board" in refused(
            *command, "--game", "nim", "--board", "xx"
        )


def record() -> dict[str, Any]:
    toy = games._set_name("toy", Toy())
    written: dict[str, Any] = json.loads(json.dumps(toy.record(toy.prepare(Variant("dice")), 5)))
    return written


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("moves", "none", '^moves = "none" is not a list$'),
        ("seed", {"master": 1, "game": 5}, "^seed: 'seats' is missing$"),
        ("seats", [{"seat": 0, "player": 0}], r"^seats\[0\]: 'bot' is missing$"),
        ("moves", [{"turn": 1, "seat": 0}], "^move 1: 'move' is missing$"),
        ("moves", [], "^the record stops after move 0, but the game goes on: seat 1 is to move in turn 1$"),
        ("result", {"scores": [1, 2]}, "result"),
        ("ruleset", {"name": "dice", "hold": 9, "longest": 4}, "ruleset.hold: the record says 9, but it is 3"),
    ],
)
def test_a_record_of_a_plain_game_that_is_wrong_is_refused(key: str, value: Any, says: str) -> None:
    shell = ToyShell(games._set_name("toy", Toy()))
    shell.verify(record())
    with pytest.raises(MmsimError, match=says):
        shell.verify({**record(), key: value})


# --- mistakes in a game ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("", "nim_game.game must define one subclass of mmsim.core.game.SimulatedGame; it defines none"),
        (EXAMPLE + "\nclass Other(Nim): ...\n", "it defines Nim, Other"),
        ("import nowhere", "the game nim cannot be loaded: nim_game.game: ModuleNotFoundError: No module named"),
        (EXAMPLE.replace("def play(", "def playy("), "Can't instantiate abstract class|lacks play"),
    ],
)
def test_a_game_that_cannot_be_used_is_answered_with_one_sentence(package: Path, source: str, says: str) -> None:
    (package / "game.py").write_text(source)
    with pytest.raises((MmsimError, TypeError), match=says):
        games.find_game("nim").record(games.find_game("nim").prepare(Variant("nim")), 0)


def test_a_broken_package_breaks_no_other_game(package: Path) -> None:
    (package / "game.py").write_text("raise RuntimeError('broken')")
    assert run("rules", "show", "metro").exit_code == 0
    assert run("bots", "show", "planner").exit_code == 0
    assert "unknown edition 'metr'" in refused("rules", "show", "metr")
    assert "the game nim cannot be loaded: nim_game.game: RuntimeError: broken" in refused(
        "rules", "list", "--game", "nim"
    )


class WrongRows(Toy):
    def rows_per_game(self, prepared: PlayableVariant) -> dict[str, int]:
        return {"games": 1, "seats": 3}

    def play_games(self, prepared: PlayableVariant, first_game: int, count: int) -> GameRows:
        return Toy().play_games(prepared, first_game, count)


def test_a_wrong_number_of_rows_is_named_as_a_mistake_of_the_game() -> None:
    game = games._set_name("toy", WrongRows())
    prepared = game.prepare(Variant("dice"))
    with pytest.raises(
        MmsimError, match="toy has a mistake: play_games returns 20 rows of 'seats' for 10 games, .* says 3 per game"
    ):
        game.check_rows(prepared, game.play_games(prepared, 0, 10), 10)


class WrongSeats(Toy):
    def prepare(self, variant: Variant) -> PlayableVariant:
        prepared = super().prepare(variant)
        object.__setattr__(prepared.seating, "seat_player", [0, 2])
        return prepared


class NoVariant(Toy):
    def prepare(self, variant: Variant) -> Any:
        return {"rules": variant.rules}


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (WrongSeats, r"its seat_player is \[0, 2\]; it must name a player 0, 1, ... for every seat"),
        (NoVariant, "prepare\\(\\) must return a PlayableVariant, not a dict"),
    ],
)
def test_a_variant_prepared_wrongly_is_named_as_a_mistake_of_the_game(
    kind: type[Toy], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mmsim.batch import experiment

    monkeypatch.setitem(games._PACKAGES, "toy", "tests.toy")
    monkeypatch.setattr(experiment, "GAMES", (*games.GAMES, "toy"))
    asked = experiment.Experiment("x", ("dice",), game="toy", bots="bold", games=10)
    with pytest.raises(MmsimError, match=f"toy has a mistake: .*{says}"):
        experiment.prepare_variants(asked, games._set_name("toy", kind()))


def test_a_number_of_players_that_is_not_allowed_is_refused() -> None:
    with pytest.raises(UsageError, match="'dice' is for 2, 3, 4, 5, 6 players, not for 9"):
        games._set_name("toy", Toy()).prepare(Variant("dice", 9))


def test_levels_leave_out_slow_bots() -> None:
    shell = PlainShell(games._set_name("toy", Toy()))
    assert [level.bots for level in shell.levels] == ["bold"]
    shell.slow_bots = ("bold",)
    assert [level.bots for level in shell.levels] == ["uniform"]
