"""The fast core is many times as fast as the reference engine; both are measured in turns, in one run."""

import pytest

from mmsim.core.rng import Seed
from mmsim.core.variant import Variant
from mmsim.metro.game import Metro
from mmsim.metro.rules.reference import play_uniform
from mmsim.metro.rules.reference_scoring import result
from mmsim.system import timing

METRO = Metro()


def speeds(spec: str, games: int, repeats: int) -> list[timing.Speed]:
    """Four uniform players in the core and in the reference engine."""
    prepared = METRO.prepare(Variant(spec, 4))

    def core(first: int, count: int) -> int:
        return METRO.play_games(prepared, first, count).decisions

    def reference(first: int, count: int) -> int:
        decisions = 0
        for number in range(first, first + count):
            game = play_uniform(prepared.rules, Seed(prepared.seed, number))
            result(game)
            decisions += len(game.history)
        return decisions

    contenders = [
        timing.Contender("core", "uniform", core, games),
        timing.Contender("reference", "uniform", reference, games // 1000),
    ]
    return timing.measure(contenders, repeats, lambda done: None)


@pytest.mark.slow
def test_the_core_is_at_least_500_times_as_fast_as_the_reference_engine() -> None:
    fast, slow = speeds("metro", games=20_000, repeats=5)
    assert timing.ratio(fast, slow)["median"] >= 500
    assert fast.decisions_per_game == pytest.approx(slow.decisions_per_game, rel=0.05)
