"""Bots in Python: from a file or a package; what they do wrong ends their game and nothing else."""

import signal
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from mmsim.core import python_bots, seating
from mmsim.core.python_bots import BotFailedError
from mmsim.core.variant import Variant
from mmsim.errors import MmsimError, UsageError
from mmsim.metromania.bots import find_bot
from mmsim.metromania.game import Metromania

METROMANIA = Metromania()
HOMING = Path(__file__).parents[3] / "docs" / "examples" / "homing.py"
BOTS = """
class First:
    "The first legal move."
    name = "first"

    def __init__(self, turns=99):
        self.turns = turns
        self.seen = []

    def choose(self, view, moves):
        self.seen.append(view.turn)
        assert self.seen == sorted(self.seen), "a new object for every game"
        if view.turn > self.turns:
            raise RuntimeError("enough")
        return moves[0]

class Chance:
    def choose(self, view, moves):
        return moves[view.draws.below(len(moves))]

class Cheat:
    def choose(self, view, moves):
        return "everything"

class Tamper:
    def choose(self, view, moves):
        moves.clear()
        view.placed.clear()
        return None

class Broken:
    def __init__(self):
        raise ValueError("not today")

    def choose(self, view, moves):
        return moves[0]

class Mute:
    pass

class Quitter:
    def choose(self, view, moves):
        raise SystemExit(7)

class Stopper:
    def choose(self, view, moves):
        raise KeyboardInterrupt

class Wordless:
    def choose(self, view, moves):
        class Odd(Exception):
            def __str__(self):
                raise SystemExit
        raise Odd

class Wanderer:
    def choose(self, view, moves):
        import os
        os.chdir("/")
        return moves[0]

class Lawyer:
    def choose(self, view, moves):
        object.__setattr__(view.rules, "tunnels_per_line", 1)
        object.__setattr__(view.city.layout, "pieces", (1, 1, 1, 1, 1, 1))
        return moves[0]

class Yes:
    def __eq__(self, other):
        return True

class Agreeable:
    def choose(self, view, moves):
        return Yes()

class Copyist:
    def choose(self, view, moves):
        import copy
        return copy.deepcopy(moves[-1])
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mybots.py"
    path.write_text(BOTS)
    return str(path)


def play(bots: str, games: int = 3) -> Any:
    prepared = METROMANIA.prepare(Variant("print", 4, "compact", bots, 5))
    return prepared, METROMANIA.play_games(prepared, 0, games)


def test_a_class_in_a_file_plays_beside_bots_of_the_core(file: str) -> None:
    prepared, played = play(f"{file}:First,uniform,planner,{file}:Chance")
    assert played.errors == ()
    assert [bot.spec for bot in prepared.seating.at(0)] == ["first", "uniform", "planner", "Chance"]
    assert find_bot(f"{file}:First").idea == "The first legal move."
    METROMANIA.verify(METROMANIA.record(prepared, 1))


def test_a_bot_in_python_is_as_pure_as_any(file: str) -> None:
    _, one = play(f"{file}:Chance")
    prepared, other = play(f"{file}:Chance")
    assert all(one[table].tobytes() == other[table].tobytes() for table in one)
    assert METROMANIA.play_games(prepared, 2, 1)["seats"].tobytes() == one["seats"][8:].tobytes()


@pytest.mark.parametrize(
    ("cls", "says"),
    [
        ("First:turns=6", "RuntimeError: enough"),
        ("Cheat", "chose 'everything', which is not one of its"),
        ("Tamper", "chose None, which is not one of its"),
        ("Broken", "ValueError: not today"),
        ("Quitter", "SystemExit: 7"),
        ("Stopper", "KeyboardInterrupt: "),
        ("Wordless", "Odd"),
    ],
)
def test_an_error_of_a_bot_ends_its_game_and_the_others_go_on(file: str, cls: str, says: str) -> None:
    prepared, played = play(f"uniform,uniform,{file}:{cls},uniform", 4)
    assert [error.game for error in played.errors] == [0, 1, 2, 3]
    assert {error.seat for error in played.errors} == {2}
    assert all(says in error.message for error in played.errors)
    games = METROMANIA.frame(prepared, "games", played["games"])
    assert games["status"].cast(str).to_list() == ["bot_error"] * 4
    assert games["end_reason"].is_null().all()
    assert games["winner"].is_null().all()
    seats = METROMANIA.frame(prepared, "seats", played["seats"])
    assert seats["seat"].to_list() == [0, 1, 2, 3] * 4
    assert seats["win_share"].sum() == 0
    for table, count in METROMANIA.rows_per_game(prepared).items():
        assert len(played[table]) == 4 * count
        METROMANIA.frame(prepared, table, played[table])


def test_other_games_are_whole_when_one_fails(file: str, tmp_path: Path) -> None:
    moody = tmp_path / "moody.py"
    moody.write_text(
        "class Moody:\n def choose(self, view, moves):\n  assert view.city.layout.index % 2\n  return moves[0]"
    )
    prepared, played = play(f"{moody}:Moody,uniform,uniform,uniform", 8)
    failed = {error.game for error in played.errors}
    assert 0 < len(failed) < 8
    status = METROMANIA.frame(prepared, "games", played["games"])["status"].cast(str).to_list()
    assert [game for game, one in enumerate(status) if one == "bot_error"] == sorted(failed)
    assert status.count("finished") == 8 - len(failed)


def test_what_a_bot_changes_changes_nothing(file: str) -> None:
    honest, _ = play(f"{file}:First,uniform,uniform,uniform", 1)
    for cls in ("Lawyer", "Agreeable"):  # both play the first legal move, too
        prepared, played = play(f"{file}:{cls},uniform,uniform,uniform", 1)
        assert played.errors == ()
        moves = [METROMANIA.record(one, 0)["moves"] for one in (prepared, honest)]
        assert moves[0] == moves[1]
    _, played = play(f"{file}:Copyist,uniform,uniform,uniform", 1)
    assert played.errors == ()


def test_a_bot_that_changes_the_folder_leaves_us_where_we_are(file: str, tmp_path: Path) -> None:
    with chdir(tmp_path):
        assert play(f"{file}:Wanderer,uniform,uniform,uniform", 1)[1].errors == ()
        assert Path.cwd() == tmp_path


def test_ctrl_c_of_the_user_stops_the_game_even_if_the_bot_swallows_it(tmp_path: Path) -> None:
    path = tmp_path / "deaf.py"
    path.write_text(
        "import os, signal\n"
        "class Deaf:\n"
        " def choose(self, view, moves):\n"
        "  try:\n"
        "   os.kill(os.getpid(), signal.SIGINT)\n"  # as a terminal does
        "   len(moves)\n"
        "  except BaseException:\n"
        "   pass\n"
        "  return moves[0]\n"
    )
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            play(f"{path}:Deaf,uniform,uniform,uniform", 1)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_file_that_quits_when_it_is_loaded_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "quits.py"
    path.write_text("raise SystemExit(3)")
    with pytest.raises(MmsimError, match="cannot be run: SystemExit: 3"):
        find_bot(f"{path}:Bot")


def test_the_record_of_a_game_that_failed_is_refused_with_the_reason(file: str) -> None:
    prepared, _ = play(f"{file}:Cheat,uniform,uniform,uniform", 1)
    with pytest.raises(BotFailedError, match="bot Cheat in seat 1 failed in turn 1: chose 'everything'"):
        METROMANIA.record(prepared, 0)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("{file}:Frist", "unknown class in {file} 'Frist'; did you mean 'First'?"),
        ("{file}", "{classes} of its classes have choose(view, moves); write {file}:MyBot"),
        ("{file}:Mute", "bot Mute has no method choose"),
        ("nowhere.py:Bot", "there is no file nowhere.py"),
        ("{file}:First:turns=many", "turns=many is not a number"),
    ],
)
def test_a_file_without_such_a_bot_is_refused_in_a_sentence(file: str, spec: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        find_bot(spec.format(file=file))
    assert says.format(file=file, classes=BOTS.count("def choose")) in str(refused.value)


def test_a_file_that_cannot_be_run_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text("class Bot(:")
    with pytest.raises(MmsimError, match="cannot be run: SyntaxError"):
        find_bot(f"{path}:Bot")


def test_packages_offer_bots_through_entry_points(monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    class Point:
        name = "guest"

        def load(self) -> Any:
            return seating.find_bot(f"{file}:First", {}).player

    monkeypatch.setattr(python_bots, "_entry_points", lambda: [Point()])
    assert find_bot("guest").idea == "The first legal move."
    with pytest.raises(UsageError, match="unknown bot 'gest'; did you mean 'guest'"):
        find_bot("gest")


def test_the_bot_of_the_tutorial_is_twenty_lines_and_beats_greedy() -> None:
    code = [line for line in HOMING.read_text().splitlines() if line.strip()]
    assert len(code) <= 20
    _, played = play(f"{HOMING}:Homing,greedy,greedy,greedy", 24)
    assert played.errors == ()
    assert played["seats"]["win_share"][::4].mean() > 0.3  # equal would be a quarter
