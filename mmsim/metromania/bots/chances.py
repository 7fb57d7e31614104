"""The chances to win in the course of a game."""

import numpy as np
from numpy.typing import NDArray

from mmsim.core.game import Variant
from mmsim.core.steps import chances_by_turn
from mmsim.metromania.bots.position import Position
from mmsim.metromania.bots.prepared import prepare
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference_scoring import result


def chances(game: Game, seed: int, number: int, playouts: int) -> NDArray[np.float64]:
    """[turn, player] of a finished game of the reference engine: before the first turn and after every one."""
    prepared = prepare(game.city.board_set, game.rules, Variant(game.rules.name, seed=seed))
    position = Position(prepared, number, game.city.layout, game.dealt)
    return chances_by_turn(position, game.history, playouts, game.rules.players, result(game).winners)
