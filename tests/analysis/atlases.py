"""An atlas made up from known win shares: no game is played."""

import hashlib
from pathlib import Path

import msgspec
import numpy as np
import polars as pl

from mmsim.analysis.stats import Array
from mmsim.contests.atlas import PLAN, TABLE, AtlasLevel, AtlasPlan
from mmsim.tables.frames import parquet_bytes
from mmsim.tables.parquet_files import type_names

LAYOUTS, GAMES = 3000, {"club": 100, "expert": 12}


def true_shares(seed: int = 1) -> Array:
    """[layout, seat]: win shares that differ from layout to layout, the first seat ahead; every tenth is fair."""
    draws = np.random.default_rng(seed)
    shares = np.array([0.34, 0.26, 0.22, 0.18]) + draws.normal(0, 0.08, (LAYOUTS, 4))
    shares = np.clip(shares, 0.02, None)
    shares[::10] = 0.25
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def made_up(shares: Array, seed: int = 2) -> tuple[AtlasPlan, pl.DataFrame]:
    """The plan and table of games with these chances, alike at both levels; longer where the first seat wins."""
    draws, frames = np.random.default_rng(seed), []
    for level, games in GAMES.items():
        wins = np.array([draws.multinomial(games, row) for row in shares], np.float32)
        turns = draws.poisson(20 + 40 * np.repeat(shares[:, :1], games, axis=1))
        columns = {"level": [level] * len(shares), "layout": np.arange(len(shares), dtype=np.uint32)}
        columns["games"] = np.full(len(shares), games, np.uint32)
        columns |= {f"wins_{seat + 1}": wins[:, seat] for seat in range(4)}
        columns |= {"turns": turns.sum(axis=1), "turns_squares": (turns**2).sum(axis=1)}
        frames.append(pl.DataFrame(columns))
    levels = [AtlasLevel(level, "planner", games) for level, games in GAMES.items()]
    return AtlasPlan("metromania", "print", 4, "box", 33, len(shares), levels), pl.concat(frames)


def write(folder: Path, plan: AtlasPlan, table: pl.DataFrame) -> Path:
    content = parquet_bytes(table)
    digest = hashlib.sha256(content).hexdigest()
    plan = msgspec.structs.replace(plan, sha256=digest, rows=len(table), columns=type_names(table.schema))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TABLE).write_bytes(content)
    (folder / PLAN).write_bytes(msgspec.json.encode(plan))
    return folder
