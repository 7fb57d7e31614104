"""Bots: how they are named and declared, that they play every variant, that those written in Python play along."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from mmsim.core.variant import Variant
from mmsim.errors import MmsimError, UsageError
from mmsim.metro.bots import BOTS, seat_bots
from mmsim.metro.bots.levels import LEVELS
from mmsim.metro.bots.thinking.memory import WEIGHTS
from mmsim.metro.game import Metro
from mmsim.metro.rules.deal import PERCENTS
from mmsim.metro.rules.rulesets import MODIFIERS
from tests.metro.twins import SPECS

METRO = Metro()


# --- names -----------------------------------------------------------------------------------------------------


def test_the_bots_of_the_house_are_declared_with_all_they_say_of_themselves() -> None:
    assert list(BOTS) == ["uniform", "greedy", "spoiler", "planner", "evaluator", "search"]
    for name, bot in BOTS.items():
        assert bot.name == name
        assert bot.idea.endswith(".")
        assert bot.looks_at.endswith(".")
        assert len(bot.weights) <= WEIGHTS
        assert all(w.low <= w.default <= w.high and w.text.endswith(".") for w in bot.weights.values())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("greedy", ["greedy"] * 3),
        ("greedy,uniform,planner", ["greedy", "uniform", "planner"]),
        (
            "search:playouts=50,width=4,uniform,greedy:open=9",
            ["search:playouts=50,width=4", "uniform", "greedy:open=9"],
        ),
        ("search:playouts=200,prior=0", ["search:playouts=200,prior=0"] * 3),
    ],
)
def test_a_list_of_bots_is_read(text: str, names: list[str]) -> None:
    assert [bot.spec for bot in seat_bots(text, 3)] == names


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("gredy", "unknown bot 'gredy'; did you mean 'greedy'"),
        ("greedy:opn=3", "unknown weight of bot greedy 'opn'; did you mean 'open'"),
        ("greedy:open=x", "bot greedy: open=x is not a number"),
        ("search:playouts=0", "playouts=0 is out of range"),
        ("greedy:open", "bot 'greedy:open': 'open' is not of the form weight=value"),
        ("greedy:open=1,open=2", "sets the weight open twice"),
        ("greedy,uniform", "--bots names 2 bots for 3 players; name one for all or 3 of them"),
        ("nowhere.py:Bot", "there is no file nowhere.py"),
    ],
)
def test_a_wrong_list_of_bots_is_refused_in_a_sentence(text: str, complaint: str) -> None:
    with pytest.raises(UsageError) as raised:
        seat_bots(text, 3)
    assert complaint in str(raised.value)


# --- playing ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("players", [2, 5])
def test_every_bot_plays_every_variant_to_the_end(spec: str, players: int) -> None:
    bots = ["search:playouts=8,width=3", "planner", "greedy", "spoiler", "uniform"][:players]
    prepared = METRO.prepare(Variant(spec, players, bots=",".join(bots), seats="rotate"))
    games = METRO.play_games(prepared, 0, 2 * players)["games"]
    assert (games["status"] == 0).all()


def win_share(bot: str, others: str, games: int, spec: str = "metro", players: int = 4) -> tuple[float, float]:
    """How often a bot wins against all others with rotated seats, and half the 95 % interval, by deals."""
    bots = ",".join([bot, *[others] * (players - 1)])
    prepared = METRO.prepare(Variant(spec, players, bots=bots, seed=20, seats="rotate"))
    seats = METRO.play_games(prepared, 0, games)["seats"].reshape(-1, players)
    own = [prepared.seating.orders[game % players].index(0) for game in range(games)]
    wins = seats["win_share"][np.arange(games), own].reshape(-1, players).mean(axis=1)
    return float(wins.mean()), float(1.96 * wins.std(ddof=1) / len(wins) ** 0.5)


@pytest.mark.parametrize(
    ("bot", "others", "games", "bar"),
    [("greedy", "uniform", 2000, 0.60), ("planner", "greedy", 1000, 0.40), ("spoiler", "uniform", 2000, 0.40)],
)
def test_a_bot_beats_the_one_below_it(bot: str, others: str, games: int, bar: float) -> None:
    share, half = win_share(bot, others, games)
    assert share - half > bar


@pytest.mark.slow
def test_the_search_beats_the_planner() -> None:
    share, half = win_share("search", "planner", 600)
    assert share - half > 0.35


# The standard error of a share is about 0.5 / sqrt(games) near a half and 0.46 / sqrt(games) near a third.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "games", "bar"),
    [
        ("casual", 8000, 0.35),
        ("club", 8000, 0.35),
        ("expert", 8000, 0.35),
        ("master", 8000, 0.35),
        pytest.param("grandmaster", 8000, 0.30, marks=pytest.mark.slow(minutes=6)),
    ],
)
def test_a_level_beats_the_one_below_it(level: str, games: int, bar: float) -> None:
    below, bots = next((low.bots, high.bots) for low, high in pairwise(LEVELS) if high.name == level)
    share, half = win_share(bots, below, games)
    assert share - half > bar, f"{share:.3f} ±{half:.3f}"


def test_every_level_above_the_lowest_is_declared_with_a_share_above_its_bar() -> None:
    for level in LEVELS[1:]:
        share, half = (float(number) for number in level.wins.replace("%", "").split("±"))
        assert share - half > (30 if level.name == "grandmaster" else 35), level.name


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("spec", ["metro", *(f"metro+{module}" for module in MODIFIERS)])
def test_the_evaluator_beats_the_planner_with_every_module_and_any_number_of_players(spec: str, players: int) -> None:
    share, half = win_share("evaluator", "planner", 200 * players, spec, players)
    assert share - half > 1 / players, f"{share:.3f} ±{half:.3f}"


@pytest.mark.parametrize("spec", SPECS[1:])
def test_the_planner_beats_the_uniform_bot_in_every_variant(spec: str) -> None:
    share, half = win_share("planner", "uniform", 400, spec)
    assert share - half > 0.30


@pytest.mark.rule("X15")
def test_the_planner_takes_a_hidden_share_that_it_knows_only_for_what_it_is_worth() -> None:
    prepared = METRO.prepare(Variant("metro+companies", 6, bots="planner"))
    known = 0
    for game in range(8):
        position = METRO.new_game(prepared, game)
        while not position.over:
            view, move = position.view(position.seat), position.bot_move()
            position.apply(move)
            if (move.kind, move.take) != ("exchange", "hidden"):
                continue
            own, i = view.shares[view.seat], PERCENTS.index(move.share or 0)
            top = view.piles[i][0]
            if top is None:
                continue
            value = position._memory.thoughts[0].value  # what the companies will likely be worth
            majority = 0.2 * sum(percent / 10 for percent, company in zip(PERCENTS, own, strict=True) if company == top)
            assert value[top] + majority > value[own[i]]
            known += 1
    assert known > 5


# --- bots written in Python ------------------------------------------------------------------------------------

_FILE = """
class First:
    def choose(self, view, moves):
        return moves[0]

class Any:
    def choose(self, view, moves):
        return moves[view.draws.below(len(moves))]

class Raises:
    def choose(self, view, moves):
        if view.turn > 8:
            raise ValueError("no idea")
        return moves[0]

class Cheats:
    def choose(self, view, moves):
        return moves[0]._replace(cell=(3, 3))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(_FILE)
    return path


def test_a_bot_in_python_plays_as_the_one_of_the_core_does(file: Path) -> None:
    mine, core = (
        METRO.play_games(METRO.prepare(Variant("metro", 3, bots=bots)), 4, 3) for bots in (f"{file}:Any", "uniform")
    )
    assert mine.decisions == core.decisions
    assert mine.errors == ()
    for table in core:
        assert np.asarray(mine[table]).tobytes() == np.asarray(core[table]).tobytes()


def test_bots_of_both_kinds_sit_at_one_table(file: Path) -> None:
    prepared = METRO.prepare(Variant("metro+companies", 3, bots=f"{file}:First,planner,greedy", seats="rotate"))
    tables = METRO.play_games(prepared, 0, 3)
    assert (tables["games"]["status"] == 0).all()
    frame = METRO.frame(prepared, "seats", tables["seats"])
    assert frame["bot"].to_list()[:3] == ["First", "greedy", "planner"]
    METRO.verify(METRO.record(prepared, 2))


@pytest.mark.parametrize(
    ("name", "message"), [("Raises", "ValueError: no idea"), ("Cheats", "which is not one of its")]
)
def test_a_bot_that_fails_ends_its_game_and_is_named(file: Path, name: str, message: str) -> None:
    prepared = METRO.prepare(Variant("metro", 3, bots=f"uniform,{file}:{name},uniform"))
    tables = METRO.play_games(prepared, 5, 2)
    assert [(error.game, error.seat, error.bot) for error in tables.errors] == [(5, 1, name), (6, 1, name)]
    assert all(message in error.message for error in tables.errors)
    rows = METRO.frame(prepared, "games", tables["games"])
    assert rows["status"].to_list() == ["bot_error"] * 2
    assert rows["end_reason"].to_list() == rows["winner"].to_list() == [None] * 2
    assert tables["seats"]["win_share"].sum() == 0
    assert len(tables["lines"]) == 64


def test_a_bot_file_with_several_classes_is_refused(file: Path) -> None:
    with pytest.raises(UsageError, match="4 of its classes have choose"):
        seat_bots(str(file), 2)
    with pytest.raises(UsageError, match="unknown class in .* 'Frist'; did you mean 'First'"):
        seat_bots(f"{file}:Frist", 2)
    file.write_text("class Only:\n    def choose(self, view, moves): ...\n")
    assert [bot.spec for bot in seat_bots(str(file), 2)] == ["Only"] * 2
    file.write_text("import nothing_of_that_name\n")
    with pytest.raises(MmsimError, match="cannot be run: ModuleNotFoundError"):
        seat_bots(str(file), 2)
