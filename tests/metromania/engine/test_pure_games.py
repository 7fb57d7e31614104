"""A game is a pure function of its seed, its variant and its number; and the step API keeps to the rules."""

import hashlib
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmsim.core import records
from mmsim.core.game import GameRows
from mmsim.core.rng import Purpose, Seed
from mmsim.core.variant import Variant
from mmsim.metromania.bots import seat_bots
from mmsim.metromania.bots.playable_variant import MetromaniaVariant
from mmsim.metromania.bots.position import Position
from mmsim.metromania.engine.state import STATE
from mmsim.metromania.game import Metromania
from mmsim.metromania.rules.board import LAYOUTS, Layout
from mmsim.metromania.rules.deal import Marker, valid_deals
from mmsim.metromania.rules.position import DECLINE, PASS, Game, Move
from mmsim.metromania.rules.reference import IllegalMove, apply, legal_moves, play_out, set_up
from mmsim.metromania.rules.reference_scoring import result
from mmsim.metromania.shell import record

METROMANIA = Metromania()
VARIANTS = (
    Variant("print", 4),
    Variant("v2", 3, "grand", seed=2**64 - 1),
    Variant("nl+advanced", 2, "open", seed=5),
    Variant("en1,stations=5,tunnels_per_line=30", 2, "compact", seed=6),
)


def rows_of(prepared: MetromaniaVariant, first: int, count: int) -> dict[str, bytes]:
    return as_bytes(METROMANIA.play_games(prepared, first, count))


def as_bytes(rows: GameRows) -> dict[str, bytes]:
    return {table: np.asarray(array).tobytes() for table, array in rows.items()}


def joined(parts: list[dict[str, bytes]]) -> dict[str, bytes]:
    return {table: b"".join(part[table] for part in parts) for table in parts[0]}


@pytest.fixture(params=VARIANTS, ids=lambda variant: f"{variant.rules}-{variant.players}p")
def variant(request: pytest.FixtureRequest) -> Variant:
    chosen: Variant = request.param
    return chosen


@pytest.fixture
def prepared(variant: Variant) -> MetromaniaVariant:
    return METROMANIA.prepare(variant)


# --- parts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 60, 120])
def test_a_game_is_the_same_alone_and_in_parts_of_any_size(prepared: MetromaniaVariant, size: int) -> None:
    first, count = 5, 120
    together = rows_of(prepared, first, count)
    ends = [*range(first, first + count, size), first + count]
    parts = [rows_of(prepared, a, b - a) for a, b in pairwise(ends)]
    assert joined(parts) == together


def test_a_game_does_not_depend_on_the_games_played_before_it(prepared: MetromaniaVariant) -> None:
    assert rows_of(prepared, 50, 10) == joined([rows_of(prepared, game, 1) for game in range(59, 49, -1)][::-1])


def test_games_far_into_a_run_are_played_too(prepared: MetromaniaVariant) -> None:
    first = 2**40
    rows = METROMANIA.play_games(prepared, first, 3)
    assert rows["games"]["game"].tolist() == [first, first + 1, first + 2]
    assert as_bytes(rows) == joined([rows_of(prepared, game, 1) for game in range(first, first + 3)])
    assert len({row.tobytes() for row in np.asarray(METROMANIA.play_games(prepared, 0, 3)["games"][:])}) == 3


def test_another_master_seed_gives_other_games(variant: Variant) -> None:
    other = Variant(variant.rules, variant.players, variant.board, seed=variant.seed ^ 1)
    one, two = (METROMANIA.play_games(METROMANIA.prepare(v), 0, 50)["games"] for v in (variant, other))
    assert one["layout"].tolist() != two["layout"].tolist()
    assert np.mean(one["tunnels"] == two["tunnels"]) < 0.5


_ELSEWHERE = """
import hashlib, sys
from mmsim.core.variant import Variant
from mmsim.metromania.game import Metromania
rules, players, board, seed = sys.argv[1:]
game = Metromania()
rows = game.play_games(game.prepare(Variant(rules, int(players), board, seed=int(seed))), 40, 30)
print({table: hashlib.sha256(array.tobytes()).hexdigest() for table, array in rows.items()})
"""


def test_another_process_plays_the_same_games() -> None:
    variant = VARIANTS[1]
    asked = [variant.rules, str(variant.players), variant.board, str(variant.seed)]
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", _ELSEWHERE, *asked], capture_output=True, text=True, cwd=root)
    assert done.returncode == 0, done.stderr
    here = rows_of(METROMANIA.prepare(variant), 40, 30)
    assert done.stdout.strip() == str({table: hashlib.sha256(array).hexdigest() for table, array in here.items()})


# --- layout and deal -------------------------------------------------------------------------------------------

SAME_DEAL = ("print", "en1+loyal", "nl,dig=1", "v2+hidden", "print,stations=1,end_lines=8,tunnels_per_line=2")


def setting(prepared: MetromaniaVariant, game: int) -> tuple[Layout, Any]:
    position = Position(prepared, game)
    return position.city.layout, position.dealt


@pytest.mark.parametrize("players", [3, 4])
def test_rulesets_with_the_same_kind_of_deal_share_layout_and_deal(players: int) -> None:
    all_of_them = [METROMANIA.prepare(Variant(spec, players)) for spec in SAME_DEAL]
    settings = []
    for game in range(30):
        here = {setting(prepared, game) for prepared in all_of_them}
        assert len(here) == 1
        settings += here
    assert len({layout for layout, _ in settings}) > 28
    assert len({hands for _, hands in settings}) > 20
    rows = [METROMANIA.play_games(prepared, 0, 30)["games"]["layout"].tolist() for prepared in all_of_them]
    assert rows == [[layout.index for layout, _ in settings]] * len(rows)


def test_layouts_are_shared_by_all_rulesets_and_boards() -> None:
    layouts = [
        METROMANIA.play_games(METROMANIA.prepare(Variant(v.rules, v.players, v.board, seed=3)), 0, 40)["games"][
            "layout"
        ]
        for v in VARIANTS
    ]
    assert len({tuple(layout.tolist()) for layout in layouts}) == 1


def test_layout_and_deal_come_from_streams_of_their_own(prepared: MetromaniaVariant) -> None:
    deals = valid_deals(prepared.rules)
    for game in range(40):
        seed = Seed(prepared.seed, game)
        layout = Layout.from_index(seed.stream(Purpose.LAYOUT).below(LAYOUTS))
        assert setting(prepared, game) == (layout, deals[seed.stream(Purpose.DEAL).below(len(deals))])


def test_a_chosen_layout_does_not_move_the_deal_nor_a_chosen_deal_the_layout(prepared: MetromaniaVariant) -> None:
    deals = valid_deals(prepared.rules)
    for game in range(10):
        drawn = Position(prepared, game)
        chosen = Layout.from_index(1000 * game)
        assert Position(prepared, game, layout=chosen).city.layout == chosen
        assert Position(prepared, game, layout=chosen).dealt == drawn.dealt
        assert Position(prepared, game, hands=deals[-1]).dealt == deals[-1]
        assert Position(prepared, game, hands=deals[-1]).city.layout == drawn.city.layout


def test_hands_may_be_given_in_any_order(prepared: MetromaniaVariant) -> None:
    """A record lists a hand as it likes; the same moves are legal."""
    for game in range(3):
        hands = tuple(tuple(reversed(hand)) for hand in Position(prepared, game).dealt)
        position = Position(prepared, game, hands=hands)
        readable = Game(position.city, prepared.rules, hands)
        while not readable.over:
            moves = legal_moves(readable)
            assert sorted(position.legal_moves(), key=str) == sorted(moves, key=str)
            assert position.apply(moves[0]) == apply(readable, moves[0])


def test_what_one_seat_draws_moves_no_other_seats_draws(prepared: MetromaniaVariant) -> None:
    """Seat 0 is played by hand, its bot never asked; the others go on drawing from where they are."""
    for game in range(4):
        seed = Seed(prepared.seed, game)
        draws = [seed.stream(Purpose.BOT + seat) for seat in range(prepared.rules.companies)]
        position = Position(prepared, game)
        before = position.city.layout, position.dealt
        while not position.over:
            moves = position.legal_moves()
            if position.seat == 0:
                move = moves[-1 if game % 2 else 0]
            else:
                move = position.bot_move()
                assert move == moves[draws[position.seat].below(len(moves))]
            position.apply(move)
        assert (position.city.layout, position.dealt) == before == setting(prepared, game)


# --- records ---------------------------------------------------------------------------------------------------


def test_the_record_of_the_core_is_that_of_the_reference_engine(prepared: MetromaniaVariant) -> None:
    for game in (0, 1, 2**33):
        seed, bots = Seed(prepared.seed, game), seat_bots("uniform", prepared.rules.companies)
        readable = set_up(prepared.board_set, prepared.rules, seed)
        play_out(readable, seed)
        recorded = METROMANIA.record(prepared, game)
        assert recorded == record.record_of(readable, result(readable), [bot.name for bot in bots], seed)
        assert record.verify(json.loads(records.dumps(recorded))).history == readable.history


def test_the_record_tells_the_game_of_the_rows(prepared: MetromaniaVariant) -> None:
    rows = METROMANIA.play_games(prepared, 9, 1)
    outcome = METROMANIA.record(prepared, 9)["result"]
    assert rows["seats"]["score"].tolist() == outcome["scores"]
    assert [None if m < 0 else m for m in rows["trips"]["minutes"].tolist()] == [t["minutes"] for t in outcome["trips"]]


# --- step by step ----------------------------------------------------------------------------------------------


def state_of(position: Position) -> dict[str, Any]:
    """The whole position, but for what working out its legal moves may touch."""
    raw = position._memory.positions.view(np.ndarray)[0]
    return {name: np.array(raw[name]).tolist() for name in STATE.names or ()} | {"history": list(position.history)}


def wrong_moves(position: Position) -> list[Move]:
    """Moves near the legal ones that are not among them."""
    moves = position.legal_moves()
    grid = position.city.lattice
    near = [PASS, DECLINE, Move("dig"), Move("teleport", 0), Move("station", 0, at=(0, 0))]
    for move in moves[:3]:
        near += [
            move._replace(line=1 - (move.line or 0)),
            move._replace(line=2),
            move._replace(cell=grid.city_cells[0]),
            move._replace(to=(99, 99)),
            move._replace(at=(0, 1)),
            move._replace(marker=Marker("A", "R")),
            move._replace(marker=Marker("Z", "R")),
            move._replace(kind="bonus"),
        ]
    return [move for move in near if move not in moves]


def test_illegal_moves_are_refused_and_leave_no_trace(prepared: MetromaniaVariant) -> None:
    position = METROMANIA.new_game(prepared, 3)
    step = 0
    while not position.over:
        if step % 5 == 0:
            before, moves = state_of(position), position.legal_moves()
            for move in wrong_moves(position):
                with pytest.raises(IllegalMove):
                    position.apply(move)
            assert state_of(position) == before
            assert position.legal_moves() == moves
        position.apply(position.bot_move())
        step += 1
    before = state_of(position)
    for move in (PASS, DECLINE, position.history[-1].move):
        with pytest.raises(IllegalMove):
            position.apply(move)
    assert position.legal_moves() == []
    assert state_of(position) == before


def test_looking_at_a_game_does_not_change_it(prepared: MetromaniaVariant) -> None:
    quiet, looked_at = METROMANIA.new_game(prepared, 4), METROMANIA.new_game(prepared, 4)
    while not quiet.over:
        for seat in range(prepared.rules.companies):
            looked_at.view(seat)
        looked_at.legal_moves()
        move = quiet.bot_move()
        assert looked_at.bot_move() == move
        quiet.apply(move)
        looked_at.apply(move)
    assert quiet.result() == looked_at.result() == looked_at.result()
    assert state_of(quiet) == state_of(looked_at)


@pytest.mark.parametrize(
    ("spec", "players", "is_open"),
    [
        ("print", 4, False),
        ("print+loyal", 4, True),
        ("print+no-corruption", 4, True),
        ("v2", 3, True),
        ("v2+hidden", 3, False),
        ("nl+advanced", 2, False),
        ("nl+advanced,hands=open", 2, True),
    ],
)
def test_a_view_shows_other_hands_only_where_the_rules_lay_them_open(spec: str, players: int, is_open: bool) -> None:
    position = METROMANIA.new_game(METROMANIA.prepare(Variant(spec, players)), 1)
    companies, players_of = position.rules.companies, position.rules.seat_player
    while not position.over:
        position.apply(position.bot_move())
        for seat in range(companies):
            view = position.view(seat)
            held = [[m for m in hand if m not in view.placed] for hand in position.dealt]
            assert list(view.hand) == held[seat]
            assert view.hand_sizes == tuple(map(len, held))
            seen = [is_open or owner == players_of[seat] for owner in players_of]
            assert view.hands == tuple(tuple(hand) if see else None for hand, see in zip(held, seen, strict=True))
            shown = {m for value in vars(view).values() for m in markers_in(value)}
            own = {m for hand, see in zip(position.dealt, seen, strict=True) if see for m in hand}
            assert shown <= own | {*view.placed}
    assert sum(len(position.view(seat).placed) for seat in range(companies)) > 0


def markers_in(value: Any) -> list[Marker]:
    """Every marker in nested tuples, lists and dicts."""
    if isinstance(value, Marker):
        return [value]
    if isinstance(value, dict):
        return [marker for pair in value.items() for item in pair for marker in markers_in(item)]
    return [m for item in value for m in markers_in(item)] if isinstance(value, tuple | list) else []
