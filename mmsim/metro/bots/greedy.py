"""The bot that takes the points it can get now."""

from mmsim.core.bots import Bot, Weight
from mmsim.metro.bots import kinds

GREEDY = Bot(
    name="greedy",
    idea="Own points now minus those given away, counting every line that ends against what it would bring if open.",
    looks_at="Its own tiles, the lines they would bring to a stop, and whose they are.",
    weights={
        "open": Weight(12.0, 0.0, 60.0, "Points an open line counts for: one that ends below that is a loss."),
        "given": Weight(1.0, 0.0, 10.0, "Weight of the points the others get on average."),
    },
    kind=kinds.GREEDY,
)
