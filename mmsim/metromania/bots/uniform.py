"""The bot that plays at random."""

from mmsim.core.bots import Bot
from mmsim.metromania.bots import kinds

UNIFORM = Bot(
    name="uniform",
    idea="Any legal move, all equally likely.",
    looks_at="nothing",
    kind=kinds.UNIFORM,
)
