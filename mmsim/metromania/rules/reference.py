"""The reference engine: the building phase of Metromania in plain Python, to be read beside the rules page.

Sections 3 to 8 of the rules are here, one short function per rule, with ids; section 9 (trips, scores,
winners) is in `reference_scoring`. The fast core is tested against this engine and records are verified by it.
"""

from collections.abc import Iterator, Sequence

from mmsim.core.game import IllegalMove
from mmsim.core.rng import Purpose, Seed, Stream
from mmsim.metromania.rules.board import WATER_AND_GREEN, BoardSet, Layout, draw_layout
from mmsim.metromania.rules.deal import Marker, deal
from mmsim.metromania.rules.lattice import Cell, Vertex, Ways, far_sides, is_frame
from mmsim.metromania.rules.position import (
    DECLINE,
    MAX_STATIONS_PER_TUNNEL,
    PASS,
    TRIGGERS,
    TUNNELS,
    Game,
    Line,
    Move,
    PlayedMove,
    copy_of,
)
from mmsim.metromania.rules.rulesets import Ruleset

# --- legal moves ---------------------------------------------------------------------------------------------


def legal_moves(game: Game) -> list[Move]:
    """Every legal move, always in the same order: digs by line, starts, stations; or what is left to do."""
    if game.over:
        return []
    if game.bonus_line is not None:
        return bonus_choices(game)
    moves = dutiful(game, list(tunnel_moves(game)))
    if game.dug == 0 and not game.first_turn:  # T1, T2
        moves += station_moves(game, game.seat)
    return moves or [PASS]  # T2, T4


def tunnel_moves(game: Game) -> Iterator[Move]:
    """T3: all ways to place the next tunnel of this turn."""
    markers_left = game.rules.markers_per_turn - game.markers_laid
    for number in lines_to_dig(game):
        yield from dig_moves(game, game.seat, number, markers_left)
    if game.dug == 0 or not (game.first_turn or game.rules.start_turn == "whole"):  # T2, B1
        yield from start_moves(game, game.seat)


def lines_to_dig(game: Game) -> tuple[int, ...]:
    """T3: both lines; B1, `start_turn=whole`: only the one that this turn has started."""
    if game.rules.start_turn == "whole" and game.has_started:
        return (1,) if game.lines[game.seat][1].started else (0,)
    return 0, 1


def dutiful(game: Game, moves: list[Move]) -> list[Move]:
    """T3: the ways to place the next tunnel that the knob `dig_duty` allows."""
    if game.rules.dig_duty == "next" or not moves:
        return moves
    tunnels = [tunnels_in_reach(game, move) for move in moves]
    return [move for move, reached in zip(moves, tunnels, strict=True) if reached == max(tunnels)]


def tunnels_in_reach(game: Game, move: Move) -> int:
    """T3: the most tunnels the turn can reach after a move; a turn stopped by a trigger has done its duty."""
    after = copy_of(game)
    put_down(after, move)
    limit = tunnels_per_turn(game)
    if after.triggers_met or after.dug == limit:
        return limit
    most = after.dug
    for follower in tunnel_moves(after) if after.bonus_line is None else bonus_choices(after):
        most = max(most, tunnels_in_reach(after, follower))
        if most == limit:
            break
    return most


def tunnels_per_turn(game: Game) -> int:
    """T3, H2: how many tunnels this turn digs at most."""
    return game.rules.first_dig if game.turn == 1 and game.rules.first_dig else game.rules.dig


def start_moves(game: Game, seat: int) -> list[Move]:
    """B1, B2: the next line of a company on a free start."""
    first, second = game.lines[seat]
    if second.started:
        return []
    number = 1 if first.started else 0
    free = free_arrows(game, "S")
    if first.start_side is not None:
        free = on_far_sides(free, first.start_side, game.rules.start_overflow)
    elif game.turn == 1:  # H4
        free = [cell for cell in free if cell[1] < game.rules.first_sides] or free
    corners = game.city.lattice.corners
    return [
        Move("start", number, cell, base)
        for cell in free
        for base in corners[cell][:2]
        if enough_stations(game, seat, number, corners[cell][2], base)
    ]


def dig_moves(game: Game, seat: int, number: int, markers_left: int) -> list[Move]:
    """Section 5: all ways to dig on from the terminus of a line, or to end it."""
    ways = list(open_ways(game, seat, number))
    return [
        Move("end" if is_frame(cell) else "dig", number, cell, w, marker)
        for marker in markers_to_lay(game, seat, markers_left)
        for w, cell in ways
        if marker_fits(game, cell, marker)
    ]


def open_ways(game: Game, seat: int, number: int) -> Iterator[tuple[Vertex, Cell]]:
    """D1 to D5: where the next tunnel of a line may lead, each with the cell it would run in."""
    line = game.lines[seat][number]
    if not line.started or line.ended or line.tunnels == game.rules.tunnels_per_line:  # D1
        return
    u = line.terminus
    for w, cell in ways_at_open_angles(game, line):
        if (
            w not in line.path  # D3
            and cell_is_open(game, line, cell)
            and enough_stations(game, seat, number, u, w)
        ):
            yield w, cell


def ways_at_open_angles(game: Game, line: Line) -> Ways:
    """D2: the ways out of the terminus that make no acute angle with the last tunnel; from a station, all."""
    before, u = line.path[-2:]
    lattice = game.city.lattice
    return lattice.ways_out[u] if u in game.stations else lattice.ways_on[before, u]


def markers_to_lay(game: Game, seat: int, markers_left: int) -> tuple[Marker | None, ...]:
    """M1: no marker, or any of the hand as long as the turn has one left."""
    return (None, *game.hands[seat]) if markers_left > 0 else (None,)


def cell_is_open(game: Game, line: Line, cell: Cell) -> bool:
    """D1 and D4: free, neither lake nor park; in the frame only an end on an allowed side."""
    if cell in game.tunnels:
        return False
    if not is_frame(cell):
        return game.city.kind[cell] not in WATER_AND_GREEN
    return cell in end_cells(game, line)


def end_cells(game: Game, line: Line) -> list[Cell]:
    """D4: the frame cells on which a line may end."""
    assert line.start_side is not None
    return on_far_sides(free_arrows(game, "E"), line.start_side, game.rules.end_overflow)


def free_arrows(game: Game, arrow: str) -> list[Cell]:
    return [cell for cell in game.city.arrows[arrow] if cell not in game.tunnels]


def on_far_sides(cells: list[Cell], side: int, overflow: bool) -> list[Cell]:
    """B2, D4: those neither on a side nor next to it; if there is none, any (where the ruleset says so)."""
    allowed = far_sides(side)
    far = [cell for cell in cells if cell[1] in allowed]
    return far or (cells if overflow else [])


def marker_fits(game: Game, cell: Cell, marker: Marker | None) -> bool:
    """M1, M2: a spot takes a marker of its kind that touches no marker of the same letter; other cells take none."""
    spot = game.city.spots.get(cell)
    if marker is None:
        return spot is None
    return marker.kind == spot and not any(
        placed.letter == marker.letter and cells_touch(game, cell, at) for placed, (_, at) in game.placed.items()
    )


def cells_touch(game: Game, first: Cell, second: Cell) -> bool:
    """Whether two cells share a corner."""
    corners = game.city.lattice.corners
    return not set(corners[first]).isdisjoint(corners[second])


def enough_stations(game: Game, seat: int, number: int, u: Vertex, w: Vertex) -> bool:
    """D5: the supply has every station this tunnel would make."""
    return game.supply >= MAX_STATIONS_PER_TUNNEL or game.supply >= len(stations_made(game, seat, number, u, w))


def station_moves(game: Game, seat: int) -> list[Move]:
    """I1: every place for an intermediate station: before the last station of an unfinished line."""
    if game.supply == 0:  # I2
        return []
    moves, stations = [], set(game.stations)
    for number, line in enumerate(game.lines[seat]):
        if line.ended:
            continue
        at = [i for i, vertex in enumerate(line.path) if vertex in stations]
        between = line.path[1 : at[-1]] if at else []
        moves += [Move("station", number, at=vertex) for vertex in between if vertex not in stations]
    return moves


def bonus_moves(game: Game, seat: int, number: int) -> list[Move]:
    """I3: every place for the bonus station of a line that has just ended."""
    if game.supply == 0:
        return []
    inside = game.lines[seat][number].path[1:-1]
    return [Move("bonus", number, at=vertex) for vertex in inside if vertex not in game.stations]


def bonus_choices(game: Game) -> list[Move]:
    """I3: where the bonus station that is due may go, or nowhere."""
    assert game.bonus_line is not None
    return [*bonus_moves(game, game.seat, game.bonus_line), DECLINE]


# --- stations while digging (section 6) ----------------------------------------------------------------------


def stations_made(game: Game, seat: int, number: int, u: Vertex, w: Vertex) -> list[Vertex]:
    """ST6: the stations a tunnel from u to w makes, in order."""
    this = game.lines[seat][number]
    others = [line for _, _, line in game.all_lines() if line is not this and line.started]
    stations = []
    if splits(this, others, u, w):
        stations.append(u)
    if meets(others, u, w):
        stations.append(w)
    return [vertex for vertex in stations if vertex not in game.stations]  # ST4


def splits(this: Line, others: list[Line], u: Vertex, w: Vertex) -> bool:
    """ST2: another line came along the last edge to u and goes on elsewhere than to w."""
    if len(this.path) < 2:
        return False
    before = this.path[-2]
    return any(
        other.runs_along(before, u) and any(x not in (before, w) for x in other.neighbours_on_line(u))
        for other in others
    )


def meets(others: list[Line], u: Vertex, w: Vertex) -> bool:
    """ST1: another line is at w and did not come or go along the edge u-w."""
    return any(w in other.path and not other.runs_along(u, w) for other in others)


def station_value(game: Game, vertex: Vertex) -> int:
    """ST5: a point for every spot at the station, or one for any."""
    spots = sum(cell in game.city.spots for cell in game.city.lattice.cells_at[vertex])
    return min(spots, 1) if game.rules.station_points == "flat" else spots


# --- playing a move ------------------------------------------------------------------------------------------


def apply(game: Game, move: Move) -> PlayedMove:
    """Play a move if it is legal, as `carry_out` does; else raise an error."""
    if move not in legal_moves(game):
        raise IllegalMove.of(move, game.seat, game.turn)
    return carry_out(game, move)


def carry_out(game: Game, move: Move) -> PlayedMove:
    """Play one of the legal moves: change the position, prepare the next decision, return the move with its effects."""
    played = put_down(game, move)
    game.history.append(played)
    if game.bonus_line is None and turn_is_over(game, move):
        end_turn(game)
    return played


def put_down(game: Game, move: Move) -> PlayedMove:
    """Change what is on the table and notice triggers; the turn does not end here."""
    seat = game.seat
    if move.kind in TUNNELS:
        stations = place_tunnel(game, move)
    else:
        stations = [] if move.at is None else [move.at]
        game.bonus_line = None
    points = sum(station_value(game, vertex) for vertex in stations)
    game.stations += stations
    game.points[seat] += points
    game.passes = game.passes + 1 if move == PASS else 0
    if game.rules.trigger_turn == "stop":  # P3
        notice_triggers(game)
    if move.kind == "end" and bonus_moves(game, seat, move.line or 0):  # I3
        game.bonus_line = move.line
    return PlayedMove(game.turn, seat, move, tuple(stations), points)


def place_tunnel(game: Game, move: Move) -> list[Vertex]:
    """Put down the tunnel (and marker) of a move; returns the stations it makes."""
    assert move.line is not None
    assert move.cell is not None
    assert move.to is not None
    line = game.lines[game.seat][move.line]
    if move.kind == "start":  # B1
        line.path.append(game.city.lattice.corners[move.cell][2])
        line.start_side = int(move.cell[1])
        game.has_started = True
    stations = stations_made(game, game.seat, move.line, line.terminus, move.to)
    line.path.append(move.to)
    game.tunnels[move.cell] = (game.seat, move.line)
    game.dug += 1
    if move.kind == "end":  # D4
        line.end_side = int(move.cell[1])
    if move.marker is not None:  # M1
        game.hands[game.seat].remove(move.marker)
        game.placed[move.marker] = (game.seat, move.cell)
        game.markers_laid += 1
    return stations


def turn_is_over(game: Game, move: Move) -> bool:
    """T1, T3, P4: after a station or pass; after the last tunnel; on the spot when a trigger stops the turn."""
    if move.kind in ("station", "pass") or game.triggers_met:
        return True
    return game.dug == tunnels_per_turn(game) or not any(tunnel_moves(game))


# --- end of the building phase (section 8) -------------------------------------------------------------------


def triggers(game: Game) -> list[str]:
    """P1: every reason to end the building phase that holds now, in the order in which they are named."""
    holds = {
        "both_lines": any(first.ended and second.ended for first, second in game.lines),
        "stations": game.supply == 0,
        "lines": enough_lines_are_finished(game),
    }
    return [reason for reason in TRIGGERS if holds[reason]]


def enough_lines_are_finished(game: Game) -> bool:
    """P1, P3: `end_lines` lines are ended or blocked; stops early once too many are neither."""
    may_go_on = 2 * game.rules.companies - game.rules.end_lines
    for seat, number, line in game.all_lines():
        if not line.ended and not is_blocked(game, seat, number):
            may_go_on -= 1
            if may_go_on < 0:
                return False
    return may_go_on >= 0


def notice_triggers(game: Game) -> None:
    """P3: remember the triggers that hold; a bonus station may still free a line that counts as blocked."""
    if game.last_seats is None:  # P5: triggers no longer matter
        game.triggers_met.update(triggers(game))


def is_blocked(game: Game, seat: int, number: int) -> bool:
    """P2: started, unfinished, and nothing could be dug on it if a turn of its company began now."""
    line = game.lines[seat][number]
    if not line.started or line.ended:
        return False
    markers = markers_to_lay(game, seat, game.rules.markers_per_turn)
    return not any(marker_fits(game, cell, marker) for _, cell in open_ways(game, seat, number) for marker in markers)


def end_turn(game: Game) -> None:
    """P3, P5, T4: check the triggers, begin or continue the last round, pass the turn on."""
    companies = game.rules.companies
    game.turns_taken[game.seat] += 1
    notice_triggers(game)
    if game.last_seats is None and game.triggers_met:
        game.end_reason = next(reason for reason in TRIGGERS if reason in game.triggers_met)
        game.last_seats = seats_after_trigger(game)
    if game.last_seats is not None:  # P5
        game.over = not game.last_seats
    elif game.passes == companies:  # T4
        game.end_reason = "deadlock"
        game.over = True
    if not game.over:
        game.seat = next_seat(game)
        game.turn += 1
        if game.last_seats:
            game.seat, *game.last_seats = game.last_seats
        game.dug = game.markers_laid = 0
        game.has_started = False
        game.triggers_met.clear()


def plays_backwards(game: Game) -> bool:
    """H3: whether this turn is of a first round that is played backwards."""
    return game.rules.first_round == "reversed" and game.turn <= game.rules.companies


def next_seat(game: Game) -> int:
    """T1, H3: who plays the turn after this one; after a first round played backwards it is the first company again."""
    if plays_backwards(game):
        return max(game.seat - 1, 0)
    return (game.seat + 1) % game.rules.companies


def seats_after_trigger(game: Game) -> list[int]:
    """P5: the companies that have a turn after the one that triggered the end, in order; H3: the rest of a first round
    that is played backwards are those before it."""
    rules, companies = game.rules, game.rules.companies
    others = [(game.seat + i) % companies for i in range(1, companies)]
    if rules.last_round == "others" and rules.last_turns == "players":
        others = [seat for seat in others if rules.seat_player[seat] != rules.seat_player[game.seat]]
    rest = list(range(game.seat))[::-1] if plays_backwards(game) else [seat for seat in others if seat > game.seat]
    return {"none": [], "others": others, "round": rest}[rules.last_round]


# --- a game from its seed ------------------------------------------------------------------------------------


def set_up(board_set: BoardSet, rules: Ruleset, seed: Seed, layout: Layout | None = None) -> Game:
    """A game before its first move; the layout and the deal have random streams of their own."""
    layout = layout or draw_layout(seed.deal_stream(Purpose.LAYOUT, rules.players))
    return Game(board_set.city(layout), rules, deal(rules, seed.deal_stream(Purpose.DEAL, rules.players)))


def play_out(game: Game, seed: Seed) -> None:
    """Let `uniform` bots play a game to its end."""
    draws = [seed.bot_draws(seat) for seat in range(game.rules.companies)]
    while not game.over:
        carry_out(game, any_move(legal_moves(game), draws[game.seat]))


def any_move(moves: Sequence[Move], draws: Stream) -> Move:
    """The choice of the bot `uniform`: all legal moves are equally likely."""
    return moves[draws.below(len(moves))]
