"""Forged run folders: nasty values with right checksums, wrong kinds of files, links, FIFOs.

No command may hang, take much memory, fail with anything but a sentence, or touch a file outside the folder.
"""

import hashlib
import json
import os
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from mmsim.batch.journal import SideFile, append_side_file
from mmsim.batch.manifest import SIDE_FILES, encoded, short_checksum
from mmsim.tables.frames import parquet_bytes
from tests.cli.served import CommandLine
from tests.faults.counts import Counts
from tests.runs import write_run

_DEEP: Any = []
for _ in range(200):
    _DEEP = [_DEEP]
_NASTY: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 7, 0.5, 1e300, 6e13, 2**31, 2**53, 2**63, 2**64 - 1, 60_000_000_000_000),
    *("", "x", "../../victim", "/etc/passwd", "victim.toml", "inputs/../../x.toml", "a/b.py:C", "\x1b[2J", "x" * 5000),
    *(
        [],
        {},
        [0],
        {"a": 1},
        ["x"],
        [[]],
        _DEEP,
        "games",
        "rotate",
        "nan",
        "0" * 64,
        "metro",
        "print+loyal",
        "$x$",
        "=1+1",
    ),
)
_COMMANDS = (
    *(("runs", "list", "{parent}"), ("runs", "show", "{run}"), ("runs", "show", "{run}", "--json")),
    *(("check", "{run}", "--sample", "0"), ("check", "{run}", "--sample", "1"), ("compare", "{run}")),
    *(
        ("report", "{run}", "--out", "{out}/report"),
        ("export", "{run}", "--table", "seats", "--out", "{out}/seats.csv"),
    ),
    ("record", "{run}", "--number", "3", "--out", "{out}/game.json", "--variant", "print-4p"),
    ("replay", "{run}", "--number", "0", "--out", "{out}/page.html", "--variant", "print-4p", "--playouts", "2"),
    ("heat", "{run}", "--games", "2", "--out", "{out}/heat.svg", "--workers", "1"),
    ("chances", "{run}", "--games", "2", "--playouts", "2", "--workers", "1", "--json"),
)
_RESUME_EVERY = 10  # folders: it starts processes


def main(seconds: float, seed: int) -> Counts:
    """Forge folders and run every command on them until the time is up."""
    counts, chance, shell = Counts("folders"), random.Random(seed), CommandLine()
    with TemporaryDirectory() as place:
        whole = write_run(Path(place) / "whole", ["print", "print+loyal"], games=24, part_games=12)
        for words in (
            ("chances", whole, "--games", 2, "--playouts", 2),
            ("heat", whole, "--games", 2, "--out", Path(place) / "whole" / "heat.svg"),
            ("why", whole, "--games", 8, "--only", "hands=open"),
        ):
            counts.expect(shell.ask(*words, "--workers", 1).code == 0, f"{words[0]} failed")
        (whole / "heat.svg").unlink()
        victim = Path(place) / "victim"
        victim.write_text("dear")
        while counts.has_time(seconds):
            runs, out = Path(place) / "runs", Path(place) / "out"
            run = Path(shutil.copytree(whole, runs / "run"))
            out.mkdir()
            what = chance.choice(_FAULTS)
            done = what(run, chance)
            counts.count("folders")
            commands = [chance.choice(_COMMANDS) for _ in range(3)]
            if counts.counted["folders"] % _RESUME_EVERY == 0:
                commands.append(("resume", "{run}", "--workers", "1", "--quiet"))
            for words in commands:
                filled = [word.format(run=run, parent=runs, out=out) for word in words]
                answer = shell.ask(*filled)
                counts.count(f"commands with exit code {answer.code}")
                counts.expect(answer.problem is None, f"{what.__name__} ({done}): {answer.problem}")
            counts.expect(victim.read_text() == "dear", f"{what.__name__} ({done}): a file outside was changed")
            outside = {path.name for path in Path(place).iterdir()} - {"whole", "victim", "runs", "out"}
            counts.expect(not outside, f"{what.__name__} ({done}): {outside} appeared outside")
            shutil.rmtree(runs)
            shutil.rmtree(out)
    shell.close()
    return counts


# --- faults --------------------------------------------------------------------------------------------------------


def _spoil(thing: Any, chance: random.Random) -> str:
    """Change one value somewhere inside; where, in words."""
    where = ""
    while True:
        keys = list(thing) if isinstance(thing, dict) else list(range(len(thing)))
        key = chance.choice(keys)
        where += f".{key}"
        inner = thing[key]
        if isinstance(inner, dict | list) and inner and chance.random() < 0.8:
            thing = inner
            continue
        how = chance.random()
        if how < 0.15:
            del thing[key]
            return f"{where} removed"
        if how < 0.25 and isinstance(thing, dict):
            thing["more"] = chance.choice(_NASTY)
            return f"{where} with a sister"
        thing[key] = value = chance.choice(_NASTY)
        return f"{where} = {str(value)[:40]}"


def _manifest(run: Path, chance: random.Random) -> str:
    path = run / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["check"]
    done = _spoil(manifest, chance)
    try:
        path.write_bytes(encoded(manifest))
    except (OverflowError, ValueError, RecursionError):
        path.write_text(json.dumps(manifest))
    return done


def _signed(entry: dict[str, Any]) -> bytes:
    body = json.dumps(entry).encode()[:-1]
    return body + f',"check":"{short_checksum(body)}"}}\n'.encode()


def _journal(run: Path, chance: random.Random) -> str:
    path = run / "parts.jsonl"
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    for entry in entries:
        del entry["check"]
    done = _spoil(entries, chance)
    path.write_bytes(b"".join(_signed(entry) if isinstance(entry, dict) and entry else b"[]\n" for entry in entries))
    return done


_BOMBS: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "rows": lambda table: table.head(1).select(pl.all().repeat_by(1_000_000).explode()),
    "text": lambda table: table.with_columns(
        pl.Series(table.columns[0], ["x" * 50_000_000] + ["y"] * (table.height - 1))
    ),
    "list": lambda table: table.with_columns(
        pl.Series(table.columns[-1], [[0] * 1_000_000] + [[1]] * (table.height - 1))
    ),
    "columns": lambda table: table.with_columns(*(pl.lit(number).alias(f"more{number}") for number in range(2000))),
}


def _part(run: Path, chance: random.Random) -> str:
    """Other bytes in a part, with a journal that agrees."""
    path = chance.choice(sorted(run.glob("*/*.parquet")))
    data = bytearray(path.read_bytes())
    how = chance.choice(["nothing", "cut", "noise", "another", "flips", "rows", "text", "list", "columns"])
    if how == "nothing":
        data.clear()
    elif how == "cut":
        del data[chance.randrange(len(data)) :]
    elif how == "noise":
        data = bytearray(chance.randbytes(1000))
    elif how in _BOMBS:
        data = bytearray(parquet_bytes(_BOMBS[how](pl.read_parquet(path))))
    elif how == "another":
        data = bytearray(chance.choice(sorted(run.glob("*/*.parquet"))).read_bytes())
    else:
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)
    if chance.random() < 0.7:
        number, lines = int(path.stem[5:]), []
        for line in (run / "parts.jsonl").read_text().splitlines():
            entry = json.loads(line)
            del entry["check"]
            if entry.get("part") == number:
                entry["tables"][path.parent.name] |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            lines.append(_signed(entry))
        (run / "parts.jsonl").write_bytes(b"".join(lines))
        how += ", journal agrees"
    return f"{path.parent.name}/{path.name}: {how}"


def _record(run: Path, chance: random.Random) -> str:
    """Other content in a record of a remarkable game, with a manifest that agrees."""
    path = chance.choice(sorted(run.glob("records/*.json")))
    record = json.loads(path.read_bytes())
    done = _spoil(record, chance)
    path.write_text(json.dumps(record))
    manifest = json.loads((run / "manifest.json").read_text())
    del manifest["check"]
    for kept in manifest["finished"]["records"]:
        if kept["file"] == str(path.relative_to(run)):
            kept["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (run / "manifest.json").write_bytes(encoded(manifest))
    return f"{path.name}: {done}"


def _side_file(run: Path, chance: random.Random) -> str:
    """Other content in a file beside the tables, with a journal that agrees."""
    path = chance.choice([run / name for name in SIDE_FILES])
    if path.suffix == ".json":
        answers = json.loads(path.read_bytes())
        done, data = _spoil(answers, chance), json.dumps(answers).encode()
    else:
        table = pl.read_parquet(path)
        column = chance.choice(table.columns)
        done, value = column, chance.choice(_NASTY)
        how = chance.choice(["value", "drop", "rows", "noise"])
        if how == "value":
            try:
                table = table.with_columns(
                    pl.lit(value, strict=False).cast(table[column].dtype, strict=False).alias(column)
                )
            except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError):
                table = table.with_columns(pl.lit(None).alias(column))
        elif how == "drop":
            table = table.drop(column)
        elif how == "rows":
            table = table.sample(fraction=0.5, seed=1)
        data = chance.randbytes(1000) if how == "noise" else parquet_bytes(table)
        done += f", {how}"
    path.write_bytes(data)
    entry = SideFile(path.name, len(data), hashlib.sha256(data).hexdigest())
    append_side_file(run / "parts.jsonl", entry)
    return f"{path.name}: {done}"


def _bytes(run: Path, chance: random.Random) -> str:
    """Any file, damaged."""
    path = chance.choice([path for path in sorted(run.rglob("*")) if path.is_file()])
    data = bytearray(path.read_bytes())
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(data) + 1)
        data[at : at + chance.randrange(4)] = chance.randbytes(chance.randrange(4))
    path.write_bytes(data)
    return str(path.relative_to(run))


def _place(run: Path, chance: random.Random) -> str:
    """Something else in the place of a file or folder."""
    path = chance.choice(sorted(run.rglob("*")))
    kind = chance.choice(["fifo", "folder", "link", "hard link", "endless", "gone"])
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(run.parent.parent / "victim")
    elif kind == "hard link":
        os.link(run.parent.parent / "victim", path)
    elif kind == "endless":
        path.symlink_to("/dev/zero")
    return f"{path.relative_to(run)}: {kind}"


_FAULTS: tuple[Callable[[Path, random.Random], str], ...] = (
    *(_manifest, _manifest, _journal, _part, _part, _side_file, _record, _bytes, _place),
)


if __name__ == "__main__":
    counted = main(float(sys.argv[1]), int(sys.argv[2]))
    print(counted, *counted.failures, sep="\n  ")
