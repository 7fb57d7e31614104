"""Checking a run: its files against the journal, and a sample of its games against the reference engine.

A record alone is checked by playing its game again from its seed.
"""

import hashlib
import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mmsim.batch.journal import JournalEntry
from mmsim.batch.manifest import MANIFEST, SIDE_FILES
from mmsim.batch.retrained_nets import flaws_of_nets
from mmsim.batch.run import Run
from mmsim.core.records import RecordError, check_same
from mmsim.core.variant import SEATINGS, Variant
from mmsim.errors import MmsimError, UsageError
from mmsim.games import find_game, find_shell
from mmsim.system.files import read_bytes

SAMPLE = 20  # games to replay by default
_MAX_PART_DIGITS = 9


@dataclass
class CheckProgress:
    """How much a check has covered so far."""

    parts: int = 0
    games_replayed: int = 0


def check(run: Run, sample: int, progress: CheckProgress) -> Iterator[str]:
    """Everything that is wrong with a run, one sentence each."""
    plan = run.plan
    intact = bytearray(plan.parts)
    played = bytearray(plan.parts)
    if sample:
        run.prepared  # noqa: B018 - missing bots are reported before anything else
    yield from run.damaged_lines()
    for entry in run.done_entries():
        played[entry.part] = 1
        flaws = [*run.flaws(entry)] or [*_wrong_rows(run, entry)]
        intact[entry.part] = not flaws
        progress.parts += 1
        yield from flaws
    if missing := played.count(0):
        yield f"{missing} of {plan.parts} parts are not played yet: mmsim resume {run.folder}"
    elif run.manifest.finished and replace(run.manifest.finished, at="", records=[]) != replace(run.totals(), at=""):
        yield f"{run.folder / MANIFEST} does not match the totals of its parts: mmsim resume {run.folder}"
    yield from _foreign_parts(run)
    yield from _wrong_records(run)
    yield from _wrong_side_files(run)
    yield from (flaw for _, flaw in flaws_of_nets(run.folder, run.manifest.nets))
    for variant, game in _sample(run, intact, sample):
        try:
            replay(run, variant, game)
        except MmsimError as error:
            yield f"game {game} of {run.variant_names[variant]}: {error}"
        progress.games_replayed += 1


def _wrong_rows(run: Run, entry: JournalEntry) -> Iterator[str]:
    """Files of a part with the right checksum whose rows are not those of the journal."""
    from mmsim.tables.frames import games_digest
    from mmsim.tables.parquet_files import read_checked

    for table, file in entry.tables.items():
        path = run.folder / table / entry.file
        try:
            columns = dict.fromkeys(run.manifest.tables[table])
            frame = read_checked(path, columns, range(file.rows, file.rows + 1))
        except MmsimError as error:
            yield f"{path} {error}"
            continue
        if games_digest(frame, run.manifest.variants[entry.variant]) != file.digest:
            yield f"{path} does not match the digest of its rows in the journal"


def _foreign_parts(run: Run) -> Iterator[str]:
    """Files that look like parts and are not; programs that read the whole folder would count them."""
    for table in run.table_names:
        for path in sorted((run.folder / table).glob("*.parquet")):
            number = path.stem.removeprefix("part-")
            is_number = number.isascii() and number.isdigit() and len(number) <= _MAX_PART_DIGITS
            if not is_number or int(number) >= run.plan.parts:
                yield f"{path} does not belong to this run"


def _wrong_records(run: Run) -> Iterator[str]:
    for kept in run.manifest.finished.records if run.manifest.finished else ():
        path = run.folder / kept.file
        try:
            data = read_bytes(path)
            if hashlib.sha256(data).hexdigest() != kept.sha256:
                yield f"{path} does not match its checksum in the manifest"
                continue
            run.game.verify(json.loads(data))
        except FileNotFoundError:
            yield f"{path} is missing"
        except (OSError, ValueError, RecursionError, MmsimError) as error:
            yield f"{path}: {error}"


def _wrong_side_files(run: Run) -> list[str]:
    if not any(os.path.lexists(run.folder / name) for name in SIDE_FILES):
        return []
    from mmsim.batch.side_files import check_side_files  # imports Polars

    return check_side_files(run.folder)


def _sample(run: Run, intact: bytearray, sample: int) -> list[tuple[int, int]]:
    """Some games of the intact parts, always the same ones."""
    parts = [run.plan.part(number) for number in range(len(intact)) if intact[number]]
    generator = random.Random(0)
    games: set[tuple[int, int]] = set()
    size = min(sample, sum(part.count for part in parts))
    while len(games) < size:
        part = generator.choice(parts)
        games.add((part.variant, part.first + generator.randrange(part.count)))
    return sorted(games)


# --- one game ------------------------------------------------------------------------------------------------------


def replay_record(run: Run, variant: int, game: int) -> dict[str, Any]:
    """The record of a game of a run, played again; an error if it differs from the game in the tables."""
    if not 0 <= game < (games := run.plan.games_of(variant)):
        raise UsageError(f"{run.folder} has the games 0 to {games - 1}, not {game}")
    replayed = run.game.record(run.prepared[variant], game)
    number = run.plan.part_of(variant, game).number
    for entry in run.done_entries():
        if entry.part == number:
            for flaw in run.flaws(entry, ["seats"]):
                raise MmsimError(f"{flaw}; play it again: mmsim resume {run.folder} --deep")
            run.check_footers([run.plan.part(number)], ["seats"])
            _compare(run, variant, game, replayed)
    return replayed


def replay(run: Run, variant: int, game: int) -> None:
    """Play a game again with both engines; the error says what differs from the tables."""
    import polars as pl
    from polars.testing import assert_frame_equal

    simulator, prepared = run.game, run.prepared[variant]
    tables = simulator.play_games(prepared, game, 1)
    for table, rows in tables.items():
        stored = pl.read_parquet(_file(run, variant, game, table), glob=False).filter(pl.col("game") == game)
        try:
            assert_frame_equal(stored, simulator.frame(prepared, table, rows), check_exact=True)
        except AssertionError as error:
            raise MmsimError(f"played again, its rows of '{table}' are not those of the run: {error}") from error
    if not tables.errors:  # a game that a bot's error stopped has no complete record
        record = simulator.record(prepared, game)
        simulator.verify(record)
        _compare(run, variant, game, record)


def _compare(run: Run, variant: int, game: int, record: dict[str, Any]) -> None:
    """Compare the record of a game with its rows."""
    import polars as pl

    rows = pl.read_parquet(_file(run, variant, game, "seats"), glob=False).filter(pl.col("game") == game).sort("seat")
    winners = sorted({int(player) for player in rows.filter(pl.col("win_share") > 0)["player"]})
    for name, recorded, stored in (
        ("scores", record["result"]["scores"], rows["score"].to_list()),
        ("winners", sorted(record["result"]["winners"]), winners),
        ("bots", [seat["bot"] for seat in record["seats"]], rows["bot"].cast(pl.String).to_list()),
    ):
        if recorded != stored:
            raise MmsimError(f"its record has the {name} {recorded}, the tables have {stored}")


def _file(run: Run, variant: int, game: int, table: str) -> Path:
    return run.folder / table / run.plan.part_of(variant, game).file


# --- a record alone ---------------------------------------------------------------------------------------------------


def prove_origin(record: dict[str, Any]) -> None:
    """Play the game of a verified record again from its seed; raises RecordError if the moves differ.

    A record that does not say whether seats were rotated may have been played either way.
    """
    bots = [seat["bot"] for seat in record["seats"]]
    known_bots = find_shell(record["game"]).bots
    for bot in bots:
        if bot.partition(":")[0] not in known_bots:
            raise RecordError(f"bot '{bot}' is not one of mmsim's bots, so its game cannot be played again")
    recorded = record["seed"].get("seats")
    differences = [_difference(record, bots, seats) for seats in SEATINGS if recorded in (None, seats)]
    if differences and all(differences):
        raise RecordError(f"replaying its seed gives a different game: {differences[0]}")


def _difference(record: dict[str, Any], bots: list[str], seats: str) -> str | None:
    """The first difference between a record and the game played from its seed, or None."""
    game, number = find_game(record["game"]), record["seed"]["game"]
    players = len({seat["player"] for seat in record["seats"]})
    try:
        variant = Variant(
            record["ruleset"]["name"],
            players,
            bots=",".join(bots),  # with rotated seats any order will do
            seed=record["seed"]["master"],
            seats=seats,
            board=record.get("board", {}).get("set"),
        )
        check_same(record, json.loads(json.dumps(game.record(game.prepare(variant), number))), "the record")
    except (RecordError, UsageError) as error:
        return str(error)
    return None
