"""The bot that builds its lines where everybody's trips pass."""

from mmsim.metromania.bots.turn_weights import weighing

NETWORKER = weighing(
    name="networker",
    idea="Builds stations where lines meet, connects cheaply, and sits on the likely fastest routes.",
    looks_at="lines it can meet, networks it can join, markers without a station, the trips as they stand",
    weights={
        "meets": 1.0,
        "joins": 1.0,
        "allies": 2.0,
        "partner": 2.0,
        "served": 3.0,
        "served_partner": 3.0,
        "served_other": 1.0,
        "marker": 3.0,
        "near_spot": 1.0,
        "park_lake": 1.0,
        "trips": 1.0,
        "shorter": 0.3,
    },
)
