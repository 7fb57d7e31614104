"""Small runs for tests: games played in this process, written as a run folder."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mmsim.core.game import Variant
from mmsim.games import find_game

MUNICIPALITY = ("print", "print+loyal", "print+no-corruption")


def write_run(
    folder: Path,
    rules: Sequence[str] = MUNICIPALITY,
    games: int = 600,
    shard: int = 300,
    players: int | None = 4,
    asked: int | None = None,
    seed: int = 7,
    bots: str = "uniform",
    seats: str = "fixed",
    **experiment: Any,
) -> Path:
    """A run folder as `mmsim run` leaves it."""
    game = find_game("metromania")
    prepared = [game.prepare(Variant(spec, players, bots=bots, seed=seed, seats=seats)) for spec in rules]
    number = 0
    for first in range(0, games, shard):
        for one in prepared:
            rows = game.play_shard(one, first, min(shard, games - first))
            for table in rows:
                path = folder / table / f"part-{number:06d}.parquet"
                path.parent.mkdir(parents=True, exist_ok=True)
                game.frame(one, table, rows[table]).write_parquet(path)
            number += 1
    told = {
        "name": folder.name,
        "question": "Are Loyal and No Corruption fairer than hidden hands?",
        "game": "metromania",
        "variants": list(rules),
        "boards": ["classic"],
        "players": players,
        "bots": bots,
        "games": asked or games,
        "seed": seed,
        "design": "paired",
        "seats": seats,
        **experiment,
    }
    manifest = {"experiment": told, "variants": [game.describe(one) for one in prepared]}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    return folder
