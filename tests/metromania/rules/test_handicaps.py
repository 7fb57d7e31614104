"""Rules H1-H4: the knobs of ours that make up for a seat, in both engines."""

from random import Random

import pytest

from mmsim.core.rng import Seed
from mmsim.core.variant import Variant
from mmsim.metromania.game import Metromania
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference import apply, carry_out, legal_moves, play_out, set_up
from mmsim.metromania.rules.reference_scoring import result
from mmsim.metromania.rules.rulesets import ruleset
from mmsim.metromania.shell import record, story
from mmsim.metromania.shell.record import record_of, verify
from tests.metromania.positions import make_city, new_game
from tests.metromania.twins import CHOOSERS, Twins, shipped

FAIRNESS = "seat_points=0/1/2/3,first_dig=2,first_round=reversed,first_sides=2"


def played(spec: str, players: int = 4, seed: int = 3) -> Game:
    game = set_up(shipped("compact"), ruleset(spec, players), Seed(seed))
    play_out(game, Seed(seed))
    return game


@pytest.mark.rule("H1")
def test_every_company_has_the_points_of_its_seat_on_top() -> None:
    plain, helped = result(played("print")), result(played("print,seat_points=0/4/0/7"))
    assert [after - before for before, after in zip(plain.scores, helped.scores, strict=True)] == [0, 4, 0, 7]
    assert helped.kept_points == plain.kept_points


@pytest.mark.rule("H1")
def test_seats_that_are_not_named_have_nothing_and_numbers_beyond_the_last_seat_are_not_used() -> None:
    assert ruleset("print,seat_points=5", 4).points_by_seat == (5, 0, 0, 0)
    assert ruleset("print,seat_points=0/1/2/3", 3).points_by_seat == (0, 1, 2)


@pytest.mark.rule("H1")
def test_points_by_seat_decide_who_wins() -> None:
    assert result(played("print,seat_points=0/0/50/0")).winners == [2]


@pytest.mark.rule("H2")
@pytest.mark.parametrize("duty", ["next", "most"])
def test_the_first_turn_of_the_game_digs_fewer_tunnels(duty: str) -> None:
    game = set_up(shipped("box"), ruleset(f"print,first_dig=1,dig_duty={duty}", 4), Seed(1))
    while game.turn < 4:
        apply(game, legal_moves(game)[0])
    assert [sum(move.turn == turn for move in game.history) for turn in (1, 2, 3)] == [1, 3, 3]


def seats_in_order(spec: str, turns: int) -> list[int]:
    """Who plays the first turns, by the readable engine."""
    game = set_up(shipped("box"), ruleset(spec, 4), Seed(1))
    while game.turn <= turns:
        carry_out(game, legal_moves(game)[0])
    return [next(move.seat for move in game.history if move.turn == turn) for turn in range(1, turns + 1)]


@pytest.mark.rule("H3")
def test_a_reversed_first_round_ends_with_the_first_company_that_then_begins_the_second() -> None:
    assert seats_in_order("print,first_round=reversed", 10) == [3, 2, 1, 0, 0, 1, 2, 3, 0, 1]
    assert seats_in_order("print", 6) == [0, 1, 2, 3, 0, 1]


@pytest.mark.rule("H3", "P5")
@pytest.mark.parametrize(("last_round", "after"), [("round", [1, 0]), ("others", [3, 0, 1]), ("none", [])])
def test_an_end_in_a_reversed_first_round_is_followed_by_its_rest_or_by_the_others(
    last_round: str, after: list[int]
) -> None:
    game = new_game(make_city(4), spec=f"print,first_round=reversed,last_round={last_round}")
    while game.turn == 1:
        carry_out(game, legal_moves(game)[0])
    assert game.seat == 2
    game.triggers_met.add("stations")  # as if the third company had met it
    while not game.over:
        carry_out(game, legal_moves(game)[0])
        game.triggers_met.update({"stations"} if game.last_seats is None else ())
    turns = dict.fromkeys((move.turn, move.seat) for move in game.history)
    assert [seat for turn, seat in turns if turn > 2] == after


@pytest.mark.rule("H4")
def test_the_first_turn_starts_on_the_first_sides_or_anywhere_if_these_have_no_start() -> None:
    def sides(spec: str, frame: str) -> list[set[int]]:
        """The sides on which the first and the second company may start."""
        game = new_game(make_city(3, frame=frame), spec=spec)
        first = {move.cell[1] for move in legal_moves(game) if move.cell}
        while game.turn == 1:
            carry_out(game, legal_moves(game)[0])
        return [first, {move.cell[1] for move in legal_moves(game) if move.cell}]

    everywhere = {0, 1, 2, 3, 4, 5}
    assert sides("print,first_sides=2", "SSE") == [{0, 1}, everywhere]
    assert sides("print", "SSE") == [everywhere, everywhere]
    assert sides("print,first_sides=1", "EEE SSS ... ... EEE ...") == [{1}, {1}]


@pytest.mark.rule("H1", "H2", "H3", "H4")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_both_engines_play_the_same_game_under_all_of_them(players: int) -> None:
    rng = Random(players)
    for number in range(4):
        last_round = rng.choice(("none", "others", "round"))
        duty, lines, stations = rng.choice(("next", "most")), rng.randint(1, 5), rng.randint(1, 30)
        rest = f"last_round={last_round},dig_duty={duty},end_lines={lines},stations={stations}"
        rules = ruleset(f"print,{FAIRNESS},{rest}", players)
        Twins(shipped("compact"), rules, Seed(rng.getrandbits(64), number)).play(rng.choice(CHOOSERS), rng, 1)


@pytest.mark.parametrize("bots", ["uniform", "planner", "expert", "search:turns=4,playouts=2"])
def test_bots_play_by_them_and_their_records_are_verified_and_narrated(bots: str) -> None:
    core = Metromania()
    prepared = core.prepare(Variant(f"print,{FAIRNESS}", bots=bots, board="compact"))
    written = core.record(prepared, 2)
    assert written["ruleset"]["seat_points"] == "0/1/2/3"
    assert [move["seat"] for move in written["moves"] if move["turn"] == 1] == [3, 3]
    game = verify(written)
    assert "by seat" in [str(cell) for cell in story.score_sheet(game, result(game)).columns[0].cells]


def test_a_record_from_before_these_knobs_is_verified_with_their_defaults() -> None:
    game = played("print")
    written = record_of(game, result(game), ["uniform"] * 4, Seed(3))
    for knob in ("seat_points", "first_dig", "first_round", "first_sides"):
        assert written["ruleset"].pop(knob) == record.LATER_KNOBS[knob]
    verify(written)
