"""Runs the commands of docs/performance.md and writes what they print beside them; sentences are written by hand.

python -m benchmarks.performance_page                # all of them: some minutes, on a machine with nothing else to do
python -m benchmarks.performance_page metro start    # only these
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.findings import put
from mmsim.games import GAMES
from mmsim.system.files import write_atomically

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
ALL_BOTS = "uniform,greedy,runner,blocker,networker,planner,expert,search:turns=4,playouts=4,search:playouts=8,search"
_TURNS = 3
RUNS = {"quarter": 83_334, "million": 333_334}  # games of each of three variants


def main(wanted: list[str]) -> None:
    for name in wanted or FIGURES:
        print(f"{name} ...", file=sys.stderr)
        text = put(PAGE.read_text(encoding="utf-8"), name, FIGURES[name]())
        write_atomically(PAGE, text.encode())


def bench(words: str) -> str:
    """A command with what it printed."""
    return _shown([f"mmsim bench {words}"], run(f"mmsim bench {words}"))


def whole_runs() -> str:
    """Whole runs against bare games: a short and a long one of bots that do not think, and one of bots that do."""
    commands = [
        f"python -m benchmarks.end_to_end --bots {bots} --games {games} --repeats 3"
        for bots, games in (("uniform", 600_000), ("uniform", 2_400_000), ("planner", 12_000))
    ]
    measured = [json.loads(run(command)) for command in commands]
    return _shown(commands, "\n".join(map(whole_run, measured)))


def whole_run(measured: dict[str, Any]) -> str:
    """What is measured of a whole run, in two lines."""
    played, *others = measured["stages_us"].items()
    rows = sum(microseconds for _, microseconds in others)
    return (
        f"{measured['bots']}, {measured['games']:,} games: "
        f"{100 * measured['median_of_bare']:.0f} % of two bare processes by the clock, "
        f"{100 * measured['median_cpu_of_bare']:.0f} % by CPU seconds\n"
        f"{measured['bots']}, CPU of a game: played in {played[1]:.1f} µs, its rows take {rows:.1f} µs more "
        f"({', '.join(f'{name} {microseconds:.1f}' for name, microseconds in others)}): "
        f"{100 * played[1] / (played[1] + rows):.0f} % without start and end"
    )


def million() -> str:
    """What becomes of a million games, and of a quarter of them to show what grows: report and comparison."""
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
    return _shown([command.format(runs="runs") for command in commands.values()], "\n".join(lines))


def start() -> str:
    """The first seconds: commands with compiled code at hand."""
    commands = ["mmsim --help", "mmsim rules list", "mmsim play --bots planner --quiet", "mmsim bench --help"]
    return _shown(commands, "\n".join(timed(command) for command in commands))


def ways() -> str:
    """Compiling from nothing: one library a game, and Numba alone."""
    commands = [f"mmsim bench --game {game} --bots uniform,planner --cold --json" for game in GAMES]
    lines = []
    for game, command in zip(GAMES, commands, strict=True):
        measured = json.loads(run(command))["ways"]
        for way, words in (("library", "one library"), ("numba", "Numba alone")):
            one = measured[way]
            speeds = ", ".join(f"{bot} {speed:,.0f} games/s" for bot, speed in one["games_per_s"].items())
            lines.append(f"{game}, {words}: compiled in {one['compile_cpu_s']:.0f} s of CPU; {speeds}")
        ratios = [f"{bot} {ratio:.2f}" for bot, ratio in measured["library_over_numba"].items()]
        lines.append(f"{game}, one library over Numba alone: {', '.join(ratios)}")
    return _shown(commands, "\n".join(lines))


def timed(command: str, label: str = "") -> str:
    """Seconds by the clock, CPU seconds and memory of a command with all its processes: the middle one of three turns,
    unless it leaves a run behind, which it could not make again."""
    turns = sorted(_turn(command) for _ in range(1 if " --out " in command else _TURNS))
    seconds, cpu, megabytes = turns[len(turns) // 2]
    what = f"{label:22}" if label else f"{' '.join(command.split()[:2]):14}"
    return f"{what} {seconds:5.1f} s, {cpu:5.1f} s of CPU, {megabytes:.0f} MB"


def _turn(command: str) -> tuple[float, float, float]:
    words = [sys.executable, "-m", "benchmarks.usage", *_words(command)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{command} failed")
    seconds, cpu, megabytes = map(float, done.stdout.split())
    return seconds, cpu, megabytes


def run(command: str) -> str:
    return subprocess.run(_words(command), check=True, stdout=subprocess.PIPE, text=True).stdout.rstrip()


def _words(command: str) -> list[str]:
    """With this Python, whatever is first on the path."""
    program, *rest = command.split()
    return [sys.executable, *(["-m", "mmsim"] if program == "mmsim" else []), *rest]


def _shown(commands: list[str], printed: str) -> str:
    return "\n".join(["```sh", *commands, "```", "", "```", printed, "```"])


_C = " --against-c" if shutil.which("cc") else ""
FIGURES: dict[str, Callable[[], str]] = {
    "metromania": lambda: bench(f"--bots {ALL_BOTS}{_C}"),
    "metro": lambda: bench(f"--game metro{_C}"),
    "runs": whole_runs,
    "million": million,
    "start": start,
    "ways": ways,
}


if __name__ == "__main__":
    main(sys.argv[1:])
