"""Small runs for tests, written as `mmsim run` writes them.

They are played in this process; where that has the compiler off, games with compiled code are played in another one,
which has it on.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
from msgspec.structs import replace

from mmsim.batch.experiment import from_mapping
from mmsim.batch.journal import PartFile, rewrite
from mmsim.batch.manifest import encoded
from mmsim.batch.remarkable import keep_records
from mmsim.batch.run import Run
from mmsim.batch.worker import PartPlayer, write_part
from mmsim.compiled import cache, execution_mode
from mmsim.tables.frames import games_digest

MUNICIPALITY = ("print", "print+loyal", "print+no-corruption")


def write_run(
    folder: Path,
    rules: Sequence[str] = MUNICIPALITY,
    games: int = 600,
    part_games: int = 300,
    players: int | None = 4,
    asked: int | None = None,
    seed: int = 7,
    question: str = "Are Loyal and No Corruption fairer than hidden hands?",
    **experiment: Any,
) -> Path:
    """A run folder; if more games are asked for than there are to be, one that was stopped."""
    values = {"name": folder.name, "question": question, "variants": list(rules), "players": players}
    values |= {"games": asked or games, "part_games": part_games, "seed": seed, **experiment}
    values |= {} if {"bots", "levels"} & set(experiment) else {"bots": "planner"}  # who can use all that is different
    game = from_mapping(values).game
    if execution_mode.current() == execution_mode.PLAIN and game in cache.programs():
        command = [sys.executable, "-m", "tests.runs", str(folder), str(games), json.dumps(values)]
        subprocess.run(command, env={**os.environ, "MMSIM_JIT": "1"}, check=True)
    else:
        _play(folder, games, values)
    return folder


def _play(folder: Path, games: int, values: dict[str, Any]) -> None:
    run = Run.create(folder, from_mapping(values))
    player = PartPlayer(run.experiment.game)
    with run.writing(), run.journal_writer() as journal:
        for part in (run.plan.part(number) for number in range(run.plan.parts)):
            if part.first + part.count <= games:
                played = player.play(part, run.prepared[part.variant].variant)
                write_part(folder, part, played.files)
                journal.append(played.entry)
        journal.finish()
        if games == run.games_per_variant:
            run.finish(keep_records(run))


def change_part(folder: Path, table: str, part: int, **columns: pl.Expr) -> None:
    """Give columns of a part other values, and have the journal agree."""
    path = folder / table / f"part-{part:06d}.parquet"
    frame = pl.read_parquet(path).with_columns(**columns)
    frame.write_parquet(path)
    data = path.read_bytes()
    run = Run(folder)
    digest = games_digest(frame, run.manifest.variants[run.plan.part(part).variant])
    file = PartFile(frame.height, len(data), hashlib.sha256(data).hexdigest(), digest)
    entries = [
        replace(entry, tables={**entry.tables, table: file}) if entry.part == part else entry
        for entry in run.journal_entries()
    ]
    rewrite(folder / "parts.jsonl", iter(entries))


def change_manifest(folder: Path, **changes: Any) -> None:
    """Put other values into a manifest."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    del manifest["check"]
    (folder / "manifest.json").write_bytes(encoded({**manifest, **changes}))


if __name__ == "__main__":
    _play(Path(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]))
