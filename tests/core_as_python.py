"""Plays the cores as plain Python beside the reference engines: `make coverage` tells which lines that reaches."""

import sys
from random import Random

from mmsim.compiled import execution_mode
from mmsim.core.game import Variant
from mmsim.games import find_game
from tests.metro.engine import test_same_game as metro
from tests.metromania.engine import test_same_game as metromania

MIXED, CLASSIC, METRO, ROWS = 150, 6, 60, 2
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
        sys.exit("set MMSIM_JIT=0: compiled code cannot be measured")
    rng = Random(7)
    metromania.play_classic(rng, CLASSIC, compare_every=64)
    metromania.play_mixed(rng, MIXED, metromania.SMALL_SIDES, compare_every=64)
    metro.play_mixed(rng, METRO, compare_every=64)
    for name, variants in VARIANTS.items():
        game = find_game(name)
        for variant in variants:
            prepared = game.prepare(variant)
            rows = game.play_games(prepared, 0, ROWS)
            for table in rows:
                game.frame(prepared, table, rows[table])
    written = ROWS * sum(map(len, VARIANTS.values()))
    print(f"the cores as plain Python: {CLASSIC + MIXED + METRO} games compared, {written} written to tables")


if __name__ == "__main__":
    main()
