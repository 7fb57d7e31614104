"""The reference engine: a game of Metro in plain Python, one short function per rule; read it beside the rules page.

Points, shares and station numbers at the end are in `reference_scoring`. The fast core is tested against this engine
and records are verified by it.
"""

from functools import cache

from mmsim.core.game import IllegalMove
from mmsim.core.rng import Purpose, Seed
from mmsim.metro.rules.board import (
    CELLS,
    CENTRE,
    CENTRE_STOPS,
    DEPARTURE,
    EDGE_CELLS,
    NEIGHBOURS,
    STATIONS,
    STOP_AT,
    Cell,
    beyond,
    opposite,
    outer_sides,
)
from mmsim.metro.rules.deal import PERCENTS, Deal, deal
from mmsim.metro.rules.position import DRAW, PASS, TAKES, Arrival, Game, Move, PlayedMove
from mmsim.metro.rules.rulesets import Ruleset
from mmsim.metro.rules.tiles import SIDES, exit_side, turned, ways_to_lie

# --- legal moves ---------------------------------------------------------------------------------------------


def legal_moves(game: Game) -> list[Move]:
    """Every legal move, always in the same order: tiles by slot in the hand, draw, exchanges, wagons, pass."""
    if game.over:
        return []
    cells = open_cells(game)
    if game.drawn is not None:  # X8: a drawn tile must be placed
        return place_moves(game, game.drawn, cells)
    hand = list(dict.fromkeys(game.hands[game.seat]))
    moves = [move for tile in hand for move in place_moves(game, tile, cells)]
    if game.supply:
        moves.append(DRAW)
    moves += exchange_moves(game) + wagon_moves(game)
    return moves if hand else [*moves, PASS]  # a player without a tile need not exchange a share


def open_cells(game: Game) -> list[Cell]:
    """X9: the free cells at the edge of the board or next to a placed tile; being next to the centre is not enough."""
    placed = game.board.keys()
    return [
        cell for cell in CELLS if cell not in placed and (cell in EDGE_CELLS or not placed.isdisjoint(NEIGHBOURS[cell]))
    ]


def place_moves(game: Game, tile: str, cells: list[Cell]) -> list[Move]:
    """X9, X10, X13: all ways to place a tile, by turn and cell."""
    codes = {turns: turned(tile, turns) for turns in ways_to_lie(tile, game.rules.orientation)}
    ways = [(turns, cell) for turns in codes for cell in cells]
    good = [(turns, cell) for turns, cell in ways if not makes_short_line(game, codes[turns], cell)]
    return [Move("place", tile, turns, cell) for turns, cell in good or ways]


def makes_short_line(game: Game, code: str, cell: Cell) -> bool:
    """X10, X16: whether a tile would make a line of one tile, from a station or a centre wagon to a stop."""
    return joins_stations(code, cell) or any(stop in game.owner for stop in turned_back(code, cell))


@cache
def joins_stations(code: str, cell: Cell) -> bool:
    """X10: whether a tile in a cell leads from a station straight to a station."""
    outer = outer_sides(cell)
    return any(exit_side(code, side) in outer for side in outer)


@cache
def turned_back(code: str, cell: Cell) -> tuple[int, ...]:
    """X16: the stops in the centre where a tile in a cell leads the line that departs there straight back."""
    sides = [side for side in SIDES if exit_side(code, side) == side]
    return tuple(stop for side in sides if (stop := STOP_AT.get((cell, side), 0)) > STATIONS)


def exchange_moves(game: Game) -> list[Move]:
    """X15: exchange a share not shown for the open or the top hidden one, until a company has enough profit."""
    if not game.rules.companies or max(game.points) >= game.rules.exchange_until:
        return []
    kept = [i for i in range(len(PERCENTS)) if i not in game.shown[game.seat]]
    return [Move("exchange", share=PERCENTS[i], take=take) for i in kept for take in TAKES]


def wagon_moves(game: Game) -> list[Move]:
    """X16: place a player's centre wagon, or that of a company whose share it holds, at a free edge of a free cell."""
    if not game.rules.stations:
        return []
    edges = [stop for stop in CENTRE_STOPS if stop not in game.owner and DEPARTURE[stop][0] not in game.board]
    used = {game.owner[stop] for stop in CENTRE_STOPS if stop in game.owner}
    if not game.rules.companies:
        return [] if game.seat in used else [Move("wagon", edge=stop) for stop in edges]
    usable = [i for i, company in enumerate(game.shares[game.seat]) if company not in used]
    return [Move("wagon", share=PERCENTS[i], edge=stop) for i in usable for stop in edges]


# --- lines ---------------------------------------------------------------------------------------------------


def trace(game: Game, line: int) -> tuple[list[Cell], int | None]:
    """X2, X6: the cells a line passes, one after another, and the stop it reaches, if it does."""
    cell, side = DEPARTURE[line]
    passed: list[Cell] = []
    while cell in game.board:
        passed.append(cell)
        side = exit_side(game.board[cell], side)
        ahead, stop = beyond(cell, side), STOP_AT.get((cell, side))
        if stop is not None and ahead not in game.board:  # X17: with central tiles there is no stop in the centre
            return passed, stop
        cell, side = ahead, opposite(side)
    return passed, None


def arrival(game: Game, line: int) -> Arrival | None:
    """X11, X16, X17: the arrival of the line that departs at a stop, if it has arrived."""
    passed, to = trace(game, line)
    if to is None:
        return None
    tiles = sum(cell not in CENTRE or game.rules.central_points for cell in passed)
    double = to > STATIONS and line <= STATIONS
    return Arrival(line, to, tiles, tiles * (2 if double else 1) if line in game.owner else 0)


def departures(game: Game) -> list[int]:
    """The stops from which lines run: every station, owned or not, and the centre wagons."""
    return [*range(1, STATIONS + 1), *(stop for stop in CENTRE_STOPS if stop in game.owner)]


# --- playing a move ------------------------------------------------------------------------------------------


def apply(game: Game, move: Move) -> PlayedMove:
    """Play a move if it is legal, as `carry_out` does; else raise an error."""
    if move not in legal_moves(game):
        raise IllegalMove.of(move, game.seat, game.turn)
    return carry_out(game, move)


def carry_out(game: Game, move: Move) -> PlayedMove:
    """Play one of the legal moves: change the position, prepare the next decision, return the move with its effects."""
    turn, seat = game.turn, game.seat
    arrived: list[Arrival] = []
    if move.kind == "draw":
        game.drawn = game.supply.pop(0)
    elif move.kind == "place":
        arrived = place(game, move)
    elif move.kind == "exchange":
        exchange(game, move)
    elif move.kind == "wagon":
        put_wagon(game, move)
    played = PlayedMove(turn, seat, move, tuple(arrived))
    game.history.append(played)
    if move.kind != "draw":
        end_turn(game)
    return played


def place(game: Game, move: Move) -> list[Arrival]:
    """X8, X11: put down a tile, score the lines that arrive, and fill up the hand."""
    assert move.tile is not None
    assert move.turns is not None
    assert move.cell is not None
    game.board[move.cell] = turned(move.tile, move.turns)
    if game.drawn is not None:
        game.drawn = None
    else:
        hand = game.hands[game.seat]
        hand.remove(move.tile)
        if game.supply:
            hand.append(game.supply.pop(0))
    going = [line for line in departures(game) if line not in game.arrivals]
    arrived = [at_stop for line in going if (at_stop := arrival(game, line)) is not None]
    for at_stop in arrived:
        game.arrivals[at_stop.line] = at_stop
        if at_stop.line in game.owner:
            game.points[game.owner[at_stop.line]] += at_stop.points
    return arrived


def exchange(game: Game, move: Move) -> None:
    """X15: a share goes under its pile; the open one is taken and replaced, or the top hidden one is taken."""
    assert move.share is not None
    i = PERCENTS.index(move.share)
    pile, shares = game.piles[i], game.shares[game.seat]
    pile.append(shares[i])
    if move.take == "open":
        shares[i], game.open_shares[i] = game.open_shares[i], pile.pop(0)
    else:
        shares[i] = pile.pop(0)


def put_wagon(game: Game, move: Move) -> None:
    """X16: a wagon in the centre; with module 1 the share that allows it stays shown."""
    assert move.edge is not None
    game.owner[move.edge] = game.seat
    if move.share is not None:
        i = PERCENTS.index(move.share)
        game.owner[move.edge] = game.shares[game.seat][i]
        game.shown[game.seat].add(i)


def end_turn(game: Game) -> None:
    """X12: the game ends with the last tile; else the next player's turn begins."""
    if game.tiles_left == 0:
        game.end_reason = "tiles"
    elif game.turn == game.rules.turn_limit:
        game.end_reason = "turn_limit"
    else:
        game.turn += 1
        game.seat = (game.seat + 1) % game.rules.players


# --- a game from its seed ------------------------------------------------------------------------------------


def deal_from(seed: Seed, rules: Ruleset) -> Deal:
    """The deal of a game."""
    layout, draws = (seed.deal_stream(purpose, rules.players) for purpose in (Purpose.LAYOUT, Purpose.DEAL))
    return deal(rules, layout, draws)


def set_up(rules: Ruleset, seed: Seed) -> Game:
    """A game before its first move."""
    return Game(rules, deal_from(seed, rules))


def play_out(game: Game, seed: Seed) -> None:
    """Let `uniform` bots play a game to its end: all legal moves are equally likely."""
    draws = [seed.bot_draws(seat) for seat in range(game.rules.players)]
    while not game.over:
        moves = legal_moves(game)
        carry_out(game, moves[draws[game.seat].below(len(moves))])


def play_uniform(rules: Ruleset, seed: Seed) -> Game:
    """A whole game of `uniform` bots."""
    game = set_up(rules, seed)
    play_out(game, seed)
    return game
