"""What every bot of the ladder must be: pure, legal, explainable, seated where the rotation says."""

import numpy as np
import pytest

from mmsim.core.seating import split_bots
from mmsim.core.variant import Variant
from mmsim.errors import UsageError
from mmsim.metromania.bots import BOTS, find_bot, seat_bots
from mmsim.metromania.bots.kinds import SEARCH
from mmsim.metromania.bots.position import Position
from mmsim.metromania.bots.turn_weights import FEATURES, PARAMETERS
from mmsim.metromania.game import Metromania

METROMANIA = Metromania()
ALL_BOTS = [name if "search" not in name else f"{name}:playouts=8" for name in BOTS]
MIXED = "planner,greedy,runner,search:playouts=8"
VARIANTS = [
    Variant("print", 4, bots=MIXED, seed=3),
    Variant("v2", 3, "compact", "networker,planner,blocker", 4, "rotate"),
    Variant("nl+advanced", 2, "open", "planner,greedy,runner,networker", 5, "rotate"),
    Variant("v2", 2, bots="planner,search:playouts=8", seed=6),
    Variant("print,stations=4,dig=5,markers_per_turn=2,tunnels_per_line=40", 4, "grand", MIXED, 7),
    Variant("en1+no-corruption,end_overflow=false,dig=1", 4, "compact", "planner", 8),
    Variant("nl,dig_duty=most,last_round=round", 4, "compact", MIXED, 9),
    Variant("print,dig_duty=most,dig=4", 3, bots="planner,networker,blocker", seed=10),
]


# --- games -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: f"{v.rules[:20]}-{v.players}p")
def test_games_of_bots_verify_and_are_the_same_step_by_step(variant: Variant) -> None:
    prepared = METROMANIA.prepare(variant)
    tables = METROMANIA.play_games(prepared, 0, 6)
    companies = prepared.rules.companies
    for game in (0, 5):
        recorded = METROMANIA.record(prepared, game)
        METROMANIA.verify(recorded)
        scores = tables["seats"]["score"][companies * game : companies * (game + 1)].tolist()
        assert recorded["result"]["scores"] == scores
        assert [seat["bot"] for seat in recorded["seats"]] == [bot.spec for bot in prepared.seating.at(game)]


@pytest.mark.parametrize("spec", ALL_BOTS)
def test_games_do_not_depend_on_how_they_are_cut(spec: str) -> None:
    prepared = METROMANIA.prepare(Variant("print", 4, bots=spec, seed=9, seats="rotate"))
    whole = METROMANIA.play_games(prepared, 2, 4)
    parts = [METROMANIA.play_games(prepared, first, 2) for first in (2, 4)]
    for table, rows in whole.items():
        assert rows.tobytes() == np.concatenate([part[table] for part in parts]).tobytes()


def test_rotated_games_share_layout_and_deal_and_move_the_bots_on() -> None:
    prepared = METROMANIA.prepare(Variant("print", 4, bots="planner,greedy,runner,uniform", seed=5, seats="rotate"))
    positions = [Position(prepared, game) for game in range(8)]
    for first in (0, 4):
        group = positions[first : first + 4]
        assert len({position.city.layout for position in group}) == 1
        assert len({position.dealt for position in group}) == 1
    assert positions[0].dealt != positions[4].dealt
    assert [position.bots[0].name for position in positions[:4]] == ["greedy", "planner", "runner", "uniform"]
    assert [position.bots[0].name for position in positions[4:]] == ["greedy", "planner", "uniform", "runner"]
    frame = METROMANIA.frame(prepared, "seats", METROMANIA.play_games(prepared, 0, 8)["seats"])
    assert frame["bot"].cast(str).to_list() == [bot.spec for position in positions for bot in position.bots]


def test_the_order_in_which_bots_are_listed_changes_no_rotated_game() -> None:
    prepared, reordered = (
        METROMANIA.prepare(Variant("print", 4, bots=bots, seed=5, seats="rotate"))
        for bots in ("planner,networker,runner,uniform", "planner,uniform,runner,networker")
    )
    for table, rows in METROMANIA.play_games(prepared, 0, 24).items():
        assert METROMANIA.play_games(reordered, 0, 24)[table].tobytes() == rows.tobytes()
    assert [prepared.seating.at(game) for game in range(24)] == [reordered.seating.at(game) for game in range(24)]


# --- strength, roughly (exactly: test_strength, slow) ----------------------------------------------------------


def test_the_planner_beats_uniform_bots_and_finishes_what_people_finish() -> None:
    prepared = METROMANIA.prepare(Variant("print", 4, bots="planner,uniform,uniform,uniform", seed=1, seats="rotate"))
    seats = METROMANIA.frame(prepared, "seats", METROMANIA.play_games(prepared, 0, 200)["seats"])
    assert seats.filter(seats["bot"].cast(str) == "planner")["win_share"].mean() > 0.8
    four = METROMANIA.play_games(METROMANIA.prepare(Variant("print", 4, bots="planner", seed=1)), 0, 150)
    assert four["lines"]["ended"].mean() > 0.4


# --- why -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS[:4], ids=lambda v: f"{v.rules[:20]}-{v.players}p")
def test_the_features_of_a_turn_add_up_to_its_value_and_the_best_turn_is_played(variant: Variant) -> None:
    position = Position(METROMANIA.prepare(variant), 1)
    explained = 0
    while not position.over:
        bot, move, legal = position.bots[position.seat], position.bot_move(), position.legal_moves()
        reasons = position.explain()
        assert all(reason.move in legal for reason in reasons)
        if reasons and bot.kind != SEARCH:
            explained += 1
            full_turns = [reason for reason in reasons if reason.value > -50]
            for reason in full_turns:
                assert sum(reason.features.values()) == pytest.approx(reason.value, abs=1e-5)
            if bot.settings.get("trips", 0) == 0:
                assert reasons[0].move == move
        if reasons and bot.kind == SEARCH:
            explained += 1
            assert sum(reason.playouts for reason in reasons) <= 8
        position.apply(move)
    assert explained > 5


# --- names -----------------------------------------------------------------------------------------------------


def test_every_weight_of_every_bot_has_a_meaning() -> None:
    for bot in BOTS.values():
        assert set(bot.settings) <= {*FEATURES, *PARAMETERS}
        assert bot.idea.endswith(".")
        assert bot.looks_at


def test_weights_are_part_of_the_name_and_of_the_play() -> None:
    assert find_bot("planner:block=2.0,leader=0").spec == "planner:block=2,leader=0"
    assert find_bot("planner:block=2.0").settings["block"] == 2.0
    default, changed = (
        METROMANIA.play_games(METROMANIA.prepare(Variant("print", 4, bots=bots, seed=2)), 0, 3)
        for bots in ("planner", "planner:marker=-9")
    )
    assert default["seats"].tobytes() != changed["seats"].tobytes()


def test_a_list_of_bots_is_split_at_commas_but_not_between_weights() -> None:
    assert split_bots("planner:block=2,leader=1,greedy") == ["planner:block=2,leader=1", "greedy"]
    assert [bot.spec for bot in seat_bots("planner:block=2", 3)] == ["planner:block=2"] * 3


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("planer", "unknown bot 'planer'; did you mean 'planner'?"),
        ("planner:blok=2", "unknown weight of bot planner 'blok'; did you mean 'block'?"),
        ("planner:block", "'block' is not of the form weight=value"),
        ("planner:block=much", "block=much is not a number"),
        ("planner:block=nan", "block=nan is out of range"),
        ("search:playouts=0", "playouts=0 is out of range; it takes 1 to 1e+06"),
        ("planner:ahead=4", "ahead=4 is out of range; it takes 1 to 3"),
        ("uniform:points=1", "bot uniform has no weights"),
        ("planner,greedy", "names 2 bots for 4 companies"),
    ],
)
def test_a_bot_that_cannot_be_is_refused_in_a_sentence(spec: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        seat_bots(spec, 4)
    assert says in str(refused.value)
