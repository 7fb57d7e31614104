"""The strongest of the weighing bots: it considers every feature of whole turns.

Its weights were found by self-play (docs/explanation/bot-training.md).
"""

from mmsim.metromania.bots.turn_weights import weighing

PLANNER = weighing(
    name="planner",
    idea="Weighs every whole turn by what it will be worth at the end of the game.",
    looks_at="its chance to end each line, points at stake, markers and spots, trips, networks, what others need",
    weights={
        "kept": 0.9441,
        "finish": 0.7337,
        "ends": 5.7048,
        "shorter": 0.2532,
        "race": 0.92,
        "marker": 2.5685,
        "near_spot": 4.782,
        "served": 2.4006,
        "served_partner": 3.1645,
        "served_other": 0.2841,
        "stations": 0.1678,
        "meets": 0.0963,
        "joins": 0.6172,
        "allies": 0.0185,
        "partner": 2.4441,
        "park_lake": 0.8193,
        "block": 1.0828,
        "leader": 1.2137,
        "room": 0.5296,
        "trips": 0.4718,
        "rivals": -0.3603,
        "close": -0.1341,
        "tunnels": 0.43,
        "ahead": 3,
        "opening": 1,
        "trials": 4,
        "fade": 0.7154,
        "reach_base": 1.6836,
        "reach_slack": -0.0559,
        "reach_far": 0.1401,
        "unstarted": 0.6786,
        "noise": 0.0,
    },
)
