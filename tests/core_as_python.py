"""Plays the cores as plain Python beside the reference engines: `make coverage` tells which lines that reaches."""

import sys
from random import Random

from mmsim.core import accel
from mmsim.core.game import Game, Variant
from mmsim.metro.game import Metro
from mmsim.metromania.game import Metromania
from tests.metro.test_same_game import play_mixed as play_mixed_metro
from tests.metromania.test_same_game import SMALL_SIDES, play_classic, play_mixed

MIXED, CLASSIC, METRO, ROWS = 150, 6, 60, 2
VARIANTS = (Variant("print"), Variant("v2", players=3), Variant("nl+regular"), Variant("en1+advanced", board="compact"))
METRO_BOTS = "search:playouts=6,width=2,planner,greedy,spoiler"
METRO_VARIANTS = tuple(
    Variant(spec, bots=METRO_BOTS, seats="rotate") for spec in ("metro+companies+stations", "metro+central+numbers")
)


def write_tables(game: Game, variants: tuple[Variant, ...]) -> int:
    for variant in variants:
        prepared = game.prepare(variant)
        rows = game.play_shard(prepared, 0, ROWS)
        for table in rows:
            game.frame(prepared, table, rows[table])
    return ROWS * len(variants)


def main() -> None:
    if accel.ENABLED:
        sys.exit("set MMSIM_JIT=0: compiled code cannot be measured")
    rng = Random(7)
    play_classic(rng, CLASSIC, look_every=64)
    play_mixed(rng, MIXED, SMALL_SIDES, look_every=64)
    play_mixed_metro(rng, METRO, look_every=64)
    written = write_tables(Metromania(), VARIANTS) + write_tables(Metro(), METRO_VARIANTS)
    print(f"the cores as plain Python: {CLASSIC + MIXED + METRO} games compared, {written} written to tables")


if __name__ == "__main__":
    main()
