"""The bot that plans ahead: it estimates the final length of every open line."""

from mmsim.core.bots import Bot, Weight
from mmsim.metro.bots import kinds

PLANNER = Bot(
    name="planner",
    idea="Expects a final length of every open line, with the chance of the centre, and moves to raise its own and "
    "lower the others'; draws, puts wagons and exchanges shares when that promises more than the tile in hand.",
    looks_at="Its own tiles, all open lines, the tiles it has not seen, open shares and the likely ranks of the "
    "companies.",
    weights={
        "others": Weight(1.0, 0.0, 10.0, "Weight of the points the others get on average."),
        "sweeps": Weight(6.0, 0.0, 50.0, "How often the expectations are passed on from cell to cell."),
        "start": Weight(3.0, 0.0, 60.0, "Tiles expected of a line before anything is known."),
        "wagon": Weight(1.0, 0.0, 10.0, "Weight of the points expected of a centre wagon."),
        "exchange": Weight(0.5, 0.0, 10.0, "Weight of the points expected of an exchange."),
    },
    kind=kinds.PLANNER,
)
