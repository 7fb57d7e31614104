"""Writes the golden games of Metro: `python -m tests.golden.metro.regenerate`.

A change of these files is a change of the rules or of the random streams; raise RULES_VERSION with it.
"""

from pathlib import Path

from mmsim.core.records import dumps
from mmsim.core.rng import Seed
from mmsim.metro.rules.reference import play_uniform
from mmsim.metro.rules.reference_scoring import result
from mmsim.metro.rules.rulesets import PLAYERS, ruleset
from mmsim.metro.shell.record import record_of
from tests.golden.metromania.regenerate import write
from tests.metro.twins import SPECS

FOLDER = Path(__file__).parent


def contents() -> dict[str, str]:
    """The name of every file and the record in it: each variant once, with two to six players in turn."""
    files = {}
    for number, spec in enumerate(SPECS):
        players = PLAYERS[number % len(PLAYERS)]
        rules, seed = ruleset(spec, players), Seed(number, 3, rotate=number % 2 == 1)
        game = play_uniform(rules, seed)
        record = record_of(game, result(game), ["uniform"] * players, seed)
        files[f"{spec.replace('+', '-')}-{players}p.json"] = dumps(record)
    return files


if __name__ == "__main__":
    write(FOLDER, contents())
