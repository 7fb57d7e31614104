"""The fast core and the reference engine play the same game, decision by decision."""

from collections import Counter
from random import Random

import pytest

from mmsim.core.rng import Seed
from mmsim.metro.rules.reference import deal_from, play_uniform
from mmsim.metro.rules.rulesets import PLAYERS, ruleset
from tests.metro.twins import SPECS, Twins, random_rules


def play_mixed(rng: Random, count: int, compare_every: int) -> None:
    """Games of any variant, number of players, knobs and seating."""
    for number in range(count):
        seats = rng.choice(("fixed", "rotate"))
        Twins(random_rules(rng), rng.getrandbits(64), number, seats).play(rng, compare_every)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("spec", SPECS)
def test_every_variant_is_the_same_in_both_engines(spec: str, players: int) -> None:
    rng = Random(f"{spec} {players}")
    Twins(ruleset(spec, players), rng.getrandbits(64), rng.randrange(9)).play(rng)


def test_any_game_is_the_same_in_both_engines() -> None:
    play_mixed(Random(1000), 24, compare_every=16)


@pytest.mark.slow(minutes=2)
@pytest.mark.parametrize("seed", [1, 2])  # a worker each
def test_any_game_is_the_same_in_both_engines_many_times_over(seed: int) -> None:
    play_mixed(Random(1_000_000 + seed), 5_000, compare_every=64)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("rotate", [False, True])
def test_chance_is_the_same_in_both_engines(spec: str, rotate: bool) -> None:
    for players in PLAYERS:
        rules, seed = ruleset(spec, players), Seed(7, 11, rotate)
        twins = Twins(rules, 7, 11, "rotate" if rotate else "fixed")
        assert twins.core.deal == deal_from(seed, rules)


def test_the_uniform_bot_plays_the_same_game_in_both_engines() -> None:
    for spec in SPECS:
        rules = ruleset(spec, 3)
        core = Twins(rules, 5, 2).core
        while not core.over:
            core.apply(core.bot_move())
        assert core.history == play_uniform(rules, Seed(5, 2)).history


@pytest.mark.slow
def test_the_games_come_across_everything_that_is_rare() -> None:
    rng, seen = Random(3), Counter[str]()
    for number in range(150):
        twins = Twins(random_rules(rng), rng.getrandbits(64), number)
        outcome = twins.play(rng, compare_every=64)
        seen[outcome.end_reason] += 1
        seen["shared win"] += len(outcome.winners) > 1
        for played in twins.game.history:
            seen[played.move.kind] += 1
            seen["turned"] += bool(played.move.turns)
            seen["several arrivals"] += len(played.arrivals) > 1
            for arrived in played.arrivals:
                seen["to the centre"] += arrived.to > 32
                seen["from the centre"] += arrived.line > 32
                seen["short line"] += arrived.tiles == 1
                seen["from the centre to the centre"] += arrived.line > 32 and arrived.to > 32
                seen["nobody's"] += arrived.points == 0
    expected = {
        *("place", "draw", "exchange", "wagon", "pass", "turned", "tiles", "turn_limit", "shared win"),
        *("several arrivals", "to the centre", "from the centre", "from the centre to the centre"),
        *("short line", "nobody's"),
    }
    assert {name for name in expected if not seen[name]} == set()
