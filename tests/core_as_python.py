"""Plays the cores as plain Python beside the reference engines; `make coverage` reports which lines that covers."""

import sys
from random import Random

from mmsim.compiled import execution_mode
from mmsim.core.variant import Variant
from mmsim.games import find_game
from tests.metro.engine import test_same_game as metro
from tests.metromania.engine import test_same_game as metromania

MIXED_GAMES, USUAL_GAMES, METRO_GAMES, TABLE_GAMES = 150, 6, 60, 2
VARIANTS = {
    "metromania": (
        Variant("print"),
        Variant("v2", players=3),
        Variant("nl+regular"),
        Variant("en1+advanced", board="compact"),
    ),
    "metro": (Variant("metro"), Variant("metro+companies+stations", players=3), Variant("metro+central+numbers")),
}


def main() -> None:
    if execution_mode.current() != execution_mode.PLAIN:
        sys.exit("set MMSIM_JIT=0: coverage of compiled code cannot be measured")
    rng = Random(7)
    metromania.play_usual(rng, USUAL_GAMES, compare_every=64)
    metromania.play_mixed(rng, MIXED_GAMES, metromania.SMALL_SIDES, compare_every=64)
    metro.play_mixed(rng, METRO_GAMES, compare_every=64)
    for name, variants in VARIANTS.items():
        game = find_game(name)
        for variant in variants:
            prepared = game.prepare(variant)
            rows = game.play_games(prepared, 0, TABLE_GAMES)
            for table in rows:
                game.frame(prepared, table, rows[table])
    written = TABLE_GAMES * sum(map(len, VARIANTS.values()))
    compared = USUAL_GAMES + MIXED_GAMES + METRO_GAMES
    print(f"the cores as plain Python: {compared} games compared, {written} written to tables")


if __name__ == "__main__":
    main()
