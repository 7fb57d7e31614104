"""Digests of fixed games: every bot of both games under every edition, mode and board, one line each.

python -m benchmarks.digests             play them and list the lines that differ from the committed ones
python -m benchmarks.digests --write     play them and write them to `digests.json`; lines not played stay
python -m benchmarks.digests planner     only the lines that contain this word

A change that should not change games leaves every digest alone. One that changes games on purpose writes the file
again, and the CHANGELOG says which lines changed and why.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mmsim.core.variant import Variant
from mmsim.games import find_game

COMMITTED = Path(__file__).with_name("digests.json")
SEED = 20261116

METROMANIA = {
    4: tuple(
        edition + modifier
        for edition in ("en1", "print", "nl", "v2")
        for modifier in ("", "+loyal", "+hidden", "+no-corruption")
    ),
    3: ("en1", "print", "nl", "v2", "print+loyal", "v2+no-corruption"),
    2: ("en1+regular", "en1+advanced", "print+advanced", "nl+regular", "nl+advanced", "v2+regular"),
}
BOARDS = ("compact", "grand", "open", "roomy", "random:1")  # besides the default, `box`
METRO = {
    2: ("metro", "metro+companies", "metro+numbers"),
    3: ("metro", "metro+free", "metro+stations"),
    4: (
        *("metro", "metro+free", "metro+hand2", "metro+hand3", "metro+companies", "metro+stations", "metro+central"),
        *("metro+numbers", "metro+companies+stations", "metro+companies+central", "metro+stations+numbers"),
        *("metro+central+numbers", "metro+central,central_points=on"),
    ),
    5: ("metro",),
    6: ("metro", "metro+companies"),
}
GAMES = {"uniform": 200, "search": 2}  # all other bots: 24
METROMANIA_BOTS = (
    *("uniform", "greedy", "runner", "blocker", "networker", "planner", "planner:noise=1"),
    *("expert", "search:playouts=8,turns=4", "planner,networker,runner,uniform"),
)
METRO_BOTS = ("uniform", "greedy", "spoiler", "planner", "evaluator", "search:playouts=8")


def cases() -> Iterator[tuple[str, str, int, str, str]]:
    """Game, rules, players, board and bots of every line."""
    for players, specs in METROMANIA.items():
        for rules in specs:
            boards = ("box", *BOARDS) if rules in ("print", "v2+regular") else ("box",)
            for board in boards:
                for bots in METROMANIA_BOTS:
                    if "," not in bots.partition(":")[0] or players == 4:
                        yield "metromania", rules, players, board, bots
    for players, specs in METRO.items():
        for rules in specs:
            for bots in METRO_BOTS:
                yield "metro", rules, players, "metro", bots


def line_of(case: tuple[str, str, int, str, str]) -> str:
    """The key of a case in `digests.json`."""
    name, rules, players, board, bots = case
    return f"{name} {rules} {players}p {board} {bots}"


def digest(name: str, rules: str, players: int, board: str, bots: str) -> str:
    """A digest of all tables: names, types and values of their columns."""
    game = find_game(name)
    count = GAMES.get(bots.partition(":")[0], 24)
    variant = Variant(rules, players, board=board, bots=bots, seed=SEED, seats="rotate")
    tables = game.play_games(game.prepare(variant), 0, count)
    checksum = hashlib.sha256()
    for table in sorted(tables):
        rows = tables[table]
        for column in sorted(rows.dtype.names or ()):
            checksum.update(f"{table}.{column} {rows.dtype[column]}\n".encode())
            checksum.update(np.ascontiguousarray(rows[column]).tobytes())
    return checksum.hexdigest()[:16]


def main(arguments: list[str]) -> int:
    write = "--write" in arguments
    words = [word for word in arguments if not word.startswith("-")]
    played: dict[str, str] = {}
    for case in cases():
        line = line_of(case)
        if all(word in line for word in words):
            played[line] = digest(*case)
    committed = json.loads(COMMITTED.read_text())
    if write:
        known = {**committed, **played}
        lines = [line for line in map(line_of, cases()) if line in known]
        COMMITTED.write_text(json.dumps({line: known[line] for line in lines}, indent=1) + "\n")
        print(f"{len(played)} digests written to {COMMITTED.name}")
        return 0
    changed = [line for line, digest in played.items() if committed.get(line) != digest]
    for line in changed:
        print(f"differs: {line}")
    print(f"{len(played) - len(changed)} of {len(played)} digests as committed")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
