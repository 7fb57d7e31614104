"""The bot that plays at random."""

from mmsim.core.bots import Bot
from mmsim.metro.bots import kinds

UNIFORM = Bot(
    name="uniform",
    idea="Any legal move, all equally likely.",
    looks_at="Nothing but how many moves there are.",
    kind=kinds.UNIFORM,
)
