"""Plays the core as plain Python beside the reference engine: `make coverage` tells which of its lines that reaches."""

import sys
from random import Random

from mmsim.core import accel
from mmsim.core.game import Variant
from mmsim.metromania.game import Metromania
from tests.metromania.test_same_game import SMALL_SIDES, play_classic, play_mixed

MIXED, CLASSIC, ROWS = 150, 6, 2
VARIANTS = (Variant("print"), Variant("v2", players=3), Variant("nl+regular"), Variant("en1+advanced", board="compact"))


def main() -> None:
    if accel.ENABLED:
        sys.exit("set MMSIM_JIT=0: compiled code cannot be measured")
    rng = Random(7)
    play_classic(rng, CLASSIC, look_every=64)
    play_mixed(rng, MIXED, SMALL_SIDES, look_every=64)
    game = Metromania()
    for variant in VARIANTS:
        prepared = game.prepare(variant)
        rows = game.play_shard(prepared, 0, ROWS)
        for table in rows:
            game.frame(prepared, table, rows[table])
    print(f"the core as plain Python: {CLASSIC + MIXED} games compared, {ROWS * len(VARIANTS)} written to tables")


if __name__ == "__main__":
    main()
