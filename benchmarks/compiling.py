"""Compiling from nothing, the two ways there are: one library a game, and Numba alone (`MMSIM_LINK=0`)."""

import json
import time
from collections.abc import Sequence
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.timing import in_fresh_process
from mmsim.core.game import Variant

LIBRARY, NUMBA = "library", "numba"
_LINK = {LIBRARY: "1", NUMBA: "0"}
_PROGRAM = """
import json, os, sys, time
from benchmarks.timing import fitted, measure
from mmsim.core.game import Variant
from mmsim.games import find_game
given = json.loads(sys.argv[1])
game = find_game(given["game"])
before = sum(os.times()[:4])
compile_s = game.start_up()
measured = dict(compile_s=round(compile_s, 2), compile_cpu_s=round(sum(os.times()[:4]) - before, 2), games_per_s={})
for bot in given["bots"]:
    prepared = game.prepare(Variant(**given["variant"], bots=bot))
    game.play_games(prepared, 0, 1)
    measured.setdefault("first_game_at", time.time())
    play = lambda first, count: game.play_games(prepared, first, count).decisions
    contender = fitted("core", bot, play, given["most"])
    (speed,) = measure([contender], 1, lambda done: None)
    measured["games_per_s"][bot] = round(speed.games_per_s[0], 2)
print(json.dumps(measured))
"""


def compare_ways(game: str, variant: Variant, bots: Sequence[str], most: int, repeats: int) -> dict[str, Any]:
    """Compile both ways into empty caches, then play in turns, a process each time: times, games a second, ratios."""
    about = {"rules": variant.rules, "players": variant.players, "board": variant.board, "seed": variant.seed}
    given = json.dumps({"game": game, "variant": about, "bots": list(bots), "most": most})
    measured: dict[str, list[dict[str, Any]]] = {LIBRARY: [], NUMBA: []}
    with TemporaryDirectory() as empty:
        for _ in range(1 + repeats):  # the first time is for compiling
            for way, link in _LINK.items():
                began = time.time()
                changed = {"MMSIM_CACHE_DIR": f"{empty}/{way}", "MMSIM_JIT": "1", "MMSIM_LINK": link}
                measured[way].append(json.loads(in_fresh_process(_PROGRAM, given, **changed)))
                measured[way][-1]["first_game_s"] = round(measured[way][-1].pop("first_game_at") - began, 2)
    found: dict[str, Any] = {way: _summary(turns, bots) for way, turns in measured.items()}
    pairs = list(zip(measured[LIBRARY][1:], measured[NUMBA][1:], strict=True))
    found["library_over_numba"] = {
        "compile_cpu": round(measured[NUMBA][0]["compile_cpu_s"] / measured[LIBRARY][0]["compile_cpu_s"], 2),
        **{bot: round(median(a["games_per_s"][bot] / b["games_per_s"][bot] for a, b in pairs), 2) for bot in bots},
    }
    return found


def _summary(turns: list[dict[str, Any]], bots: Sequence[str]) -> dict[str, Any]:
    """What was said the first time, when everything was compiled, and how fast the games were after that."""
    first, *later = turns
    return {
        **{name: first[name] for name in ("compile_s", "compile_cpu_s")},
        "cold_first_game_s": first["first_game_s"],
        "first_game_s": round(median(turn["first_game_s"] for turn in later), 2),
        "games_per_s": {bot: round(median(turn["games_per_s"][bot] for turn in later), 2) for bot in bots},
    }
