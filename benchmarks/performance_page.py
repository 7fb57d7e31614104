"""Runs the commands of docs/explanation/performance.md and writes their output beside them.

python -m benchmarks.performance_page                # all of them: some minutes, on an otherwise idle machine
python -m benchmarks.performance_page metro start    # only these
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.findings import put
from mmsim.games import GAMES
from mmsim.system.files import write_atomically

PAGE = Path(__file__).parent.parent / "docs" / "explanation" / "performance.md"
BOTS = {
    "metromania": "uniform,greedy,runner,blocker,networker,planner,expert,"
    "search:turns=8,playouts=8,rounds=2,prior=2,search:turns=8,playouts=32",
    "metro": "uniform,greedy,spoiler,planner,evaluator,search",
}
_TURNS = 3
RUNS = {"quarter": 83_334, "million": 333_334}  # games of each of three variants


def main(names: list[str]) -> None:
    for name in names or FIGURES:
        print(f"{name} ...", file=sys.stderr)
        text = put(PAGE.read_text(encoding="utf-8"), name, FIGURES[name]())
        write_atomically(PAGE, text.encode())


def bench(game: str) -> str:
    """The speed of a game's bots, and of the C program."""
    commands = [f"mmsim bench --game {game} --bots {BOTS[game]}", f"python -m benchmarks.against_c --game {game}"]
    return _block(commands, "\n\n".join(map(run, commands)))


def whole_runs() -> str:
    """Whole runs compared with bare games: a short and a long one of quick bots, and one of slower bots."""
    commands = [
        f"python -m benchmarks.end_to_end --bots {bots} --games {games} --repeats 3"
        for bots, games in (("uniform", 600_000), ("uniform", 2_400_000), ("planner", 12_000))
    ]
    measured = [json.loads(run(command)) for command in commands]
    return _block(commands, "\n".join(map(whole_run, measured)))


def whole_run(measured: dict[str, Any]) -> str:
    """Two lines about a whole run."""
    (_, playing), *others = measured["stages_us"].items()
    rows = sum(microseconds for _, microseconds in others)
    return (
        f"{measured['bots']}, {measured['games']:,} games: "
        f"{100 * measured['median_of_bare']:.0f} % of two bare processes by the clock, "
        f"{100 * measured['median_cpu_of_bare']:.0f} % by CPU seconds\n"
        f"{measured['bots']}, CPU per game: {playing:.1f} µs to play, {rows:.1f} µs more for its rows "
        f"({', '.join(f'{name} {microseconds:.1f}' for name, microseconds in others)}): "
        f"{100 * playing / (playing + rows):.0f} % without start and end"
    )


def million() -> str:
    """Run, report and comparison of a million games, and of a quarter of them to show what grows."""
    commands = {
        f"mmsim {command} {name}": f"mmsim {command} {words}{{runs}}/{name}"
        for name, games in RUNS.items()
        for command, words in (
            ("run", f"municipality-4p --bots uniform --games {games} --out "),
            ("report", ""),
            ("compare", ""),
        )
    }
    with TemporaryDirectory() as runs:
        lines = [timed(command.format(runs=runs), label) for label, command in commands.items()]
    return _block([command.format(runs="runs") for command in commands.values()], "\n".join(lines))


def start() -> str:
    """The first seconds of commands, with compiled code in the cache."""
    commands = ["mmsim --help", "mmsim rules list", "mmsim play --bots planner --quiet", "mmsim bench --help"]
    return _block(commands, "\n".join(timed(command) for command in commands))


def execution_modes() -> str:
    """Compiling from nothing: one library per game, and Numba alone."""
    commands = [f"python -m benchmarks.execution_modes --game {game}" for game in GAMES]
    return _block(commands, "\n".join(map(run, commands)))


def timed(command: str, label: str = "") -> str:
    """Wall time, CPU time and memory of a command with all its processes: the median of three turns.

    A command that creates a run has only one: it cannot create it again.
    """
    turns = sorted(_turn(command) for _ in range(1 if " --out " in command else _TURNS))
    seconds, cpu, megabytes = turns[len(turns) // 2]
    padded = f"{label:22}" if label else f"{' '.join(command.split()[:2]):14}"
    return f"{padded} {seconds:5.1f} s, {cpu:5.1f} s of CPU, {megabytes:.0f} MB"


def _turn(command: str) -> tuple[float, float, float]:
    words = [sys.executable, "-m", "benchmarks.usage", *_words(command)]
    process = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    if process.returncode:
        raise SystemExit(f"{command} failed")
    seconds, cpu, megabytes = map(float, process.stdout.split())
    return seconds, cpu, megabytes


def run(command: str) -> str:
    return subprocess.run(_words(command), check=True, stdout=subprocess.PIPE, text=True).stdout.rstrip()


def _words(command: str) -> list[str]:
    """The words of a command, run by this Python."""
    program, *rest = command.split()
    return [sys.executable, *(["-m", "mmsim"] if program == "mmsim" else []), *rest]


def _block(commands: list[str], output: str) -> str:
    return "\n".join(["```sh", *commands, "```", "", "```", output, "```"])


FIGURES: dict[str, Callable[[], str]] = {
    "metromania": lambda: bench("metromania"),
    "metro": lambda: bench("metro"),
    "runs": whole_runs,
    "million": million,
    "start": start,
    "execution_modes": execution_modes,
}


if __name__ == "__main__":
    main(sys.argv[1:])
