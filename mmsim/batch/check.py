"""Trusting a run: its files against the journal, and games of it against the reference engine."""

import hashlib
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmsim.batch.plan import Part
from mmsim.batch.store import Run
from mmsim.batch.worker import Entry
from mmsim.core.errors import MmsimError, UsageError

SAMPLE = 20  # games replayed, unless said otherwise

Tell = Callable[[int, int], None]  # (things looked at, things to look at)


@dataclass
class Checked:
    """What a check has looked at."""

    parts: int = 0
    games_replayed: int = 0
    problems: int = 0


def check(run: Run, sample: int, checked: Checked, tell: Tell = lambda done, total: None) -> Iterator[str]:
    """Everything that is wrong with a run, one sentence each."""
    for problem in _problems(run, sample, checked, tell):
        checked.problems += 1
        yield problem


def _problems(run: Run, sample: int, checked: Checked, tell: Tell) -> Iterator[str]:
    plan = run.plan
    whole = bytearray(plan.parts)
    played = bytearray(plan.parts)
    for entry in run.done():
        played[entry.part] = 1
        flaws = [*run.flaws(entry)] or [*_miscounts(run, entry)]
        whole[entry.part] = not flaws
        checked.parts += 1
        tell(checked.parts, plan.parts)
        yield from flaws
    if missing := played.count(0):
        yield f"{missing} of {plan.parts} parts are not played yet: mmsim resume {run.folder}"
    yield from _strays(run)
    yield from _bad_records(run)
    for variant, game in _sample(run, whole, sample):
        try:
            replay(run, variant, game)
        except MmsimError as error:
            yield f"game {game} of {run.variant_names[variant]}: {error}"
        checked.games_replayed += 1


def _miscounts(run: Run, entry: Entry) -> Iterator[str]:
    """Rows of a part's files that are fewer or more than the games make."""
    import polars as pl

    part = run.plan.part(entry.part)
    for table, each in run.game.rows_per_game(run.prepared[entry.variant].prepared).items():
        path = run.folder / table / part.file
        rows = int(pl.scan_parquet(path, glob=False).select(pl.len()).collect().item())
        if rows != each * part.count or rows != entry.tables[table]["rows"]:
            yield f"{path} has {rows} rows instead of {each * part.count}"


def _strays(run: Run) -> Iterator[str]:
    """Files that look like parts and are none; a reader of the whole folder would count them."""
    for table in run.table_names:
        for path in sorted((run.folder / table).glob("*.parquet")):
            number = path.stem.removeprefix("part-")
            if not number.isdigit() or int(number) >= run.plan.parts:
                yield f"{path} is no part of this run"


def _bad_records(run: Run) -> Iterator[str]:
    """What is wrong with the records that lie beside the tables."""
    for about in (run.manifest["finished"] or {}).get("records", ()):
        path = run.folder / about["file"]
        try:
            data = path.read_bytes()
            if hashlib.sha256(data).hexdigest() != about["sha256"]:
                yield f"{path} has another checksum than the manifest says"
                continue
            run.game.verify(json.loads(data))
        except FileNotFoundError:
            yield f"{path} is missing"
        except (OSError, MmsimError) as error:
            yield f"{path}: {error}"


def _sample(run: Run, whole: bytearray, sample: int) -> list[tuple[int, int]]:
    """Some games of the parts that are whole, always the same ones."""
    parts = [run.plan.part(number) for number in range(len(whole)) if whole[number]]
    draws = random.Random(0)
    picked: set[tuple[int, int]] = set()
    wanted = min(sample, sum(part.count for part in parts))
    while len(picked) < wanted:
        part = draws.choice(parts)
        picked.add((part.variant, part.first + draws.randrange(part.count)))
    return sorted(picked)


# --- one game ------------------------------------------------------------------------------------------------------


def record(run: Run, variant: int, game: int) -> dict[str, Any]:
    """The record of a game of a run, played again; refused if it is not the game of the tables."""
    if not 0 <= game < run.games_asked:
        raise UsageError(f"{run.folder} has the games 0 to {run.games_asked - 1}, not {game}")
    found = run.game.record(run.prepared[variant].prepared, game)
    if _file(run, variant, game, "seats").exists():
        _compare(run, variant, game, found)
    return found


def replay(run: Run, variant: int, game: int) -> None:
    """Play a game again with both engines; an error says what differs from the tables."""
    import polars as pl
    from polars.testing import assert_frame_equal

    seam, prepared = run.game, run.prepared[variant].prepared
    tables = seam.play_games(prepared, game, 1)
    for table, rows in tables.items():
        stored = pl.read_parquet(_file(run, variant, game, table), glob=False).filter(pl.col("game") == game)
        try:
            assert_frame_equal(stored, seam.frame(prepared, table, rows), check_exact=True)
        except AssertionError as error:
            raise MmsimError(f"played again, its rows of '{table}' are not those of the run: {error}") from error
    if not tables.errors:  # the record of a game that a bot broke off is not a whole game
        record = seam.record(prepared, game)
        seam.verify(record)
        _compare(run, variant, game, record)


def _compare(run: Run, variant: int, game: int, record: dict[str, Any]) -> None:
    """Hold the record of a game against its rows."""
    import polars as pl

    rows = pl.read_parquet(_file(run, variant, game, "seats"), glob=False).filter(pl.col("game") == game).sort("seat")
    winners = sorted({int(player) for player in rows.filter(pl.col("win_share") > 0)["player"]})
    for what, recorded, stored in (
        ("scores", record["result"]["scores"], rows["score"].to_list()),
        ("winners", sorted(record["result"]["winners"]), winners),
        ("bots", [seat["bot"] for seat in record["seats"]], rows["bot"].cast(pl.String).to_list()),
    ):
        if recorded != stored:
            raise MmsimError(f"its record has the {what} {recorded}, the tables have {stored}")


def _file(run: Run, variant: int, game: int, table: str) -> Path:
    part: Part = run.plan.part_of(variant, game)
    return run.folder / table / part.file
