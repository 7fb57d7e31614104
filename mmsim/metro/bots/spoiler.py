"""The bot that cuts the lines of others short."""

from mmsim.core.bots import Bot, Weight
from mmsim.metro.bots import kinds

SPOILER = Bot(
    name="spoiler",
    idea="Ends the lines of the others while they are short, and keeps its own out of it.",
    looks_at="Its own tiles, the lines they would bring to a stop, and whose they are.",
    weights={
        "open": Weight(9.0, 0.0, 60.0, "Points an open line counts for: to end one below that takes them away."),
        "own": Weight(0.1, 0.0, 10.0, "Weight of the own points against those the others get on average."),
    },
    kind=kinds.SPOILER,
)
