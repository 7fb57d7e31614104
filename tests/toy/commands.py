"""Every command with the toy, in a process that has it installed: `python -m tests.toy.commands FOLDER`.

What the commands printed is written as JSON, the words of a command as the key.
"""

import json
import os
import shlex
import sys
from pathlib import Path

import pytest

from tests.cli.runner import run
from tests.forked_workers import fork_workers

COMMANDS = (
    "rules list --game toy",
    "rules show dice,hold=2",
    "bots list --game toy --json",
    "play --rules dice,hold=2 --players 3 --bots bold,uniform,uniform --number 5 --record game.json",
    "verify game.json",
    "run --rules dice --rules dice,hold=4 --players 3 --bots uniform --games 300 --part-games 60 --out run --quiet",
    "resume run --workers 1 --quiet",
    "check run",
    "export run --table seats --out seats.csv",
    "record run --number 7 --variant dice-3p --out seven.json",
    "compare run --csv",
    "compare dice dice,longest=2 --games 200 --metric rolls --json --workers 1",
    "sweep dice --vary hold=2:4:2 --games 200 --out sweep --workers 1",
    "design dice --goal 'rolls 1..3' --vary hold=2:4 --vary longest=1:4 --games 600 --workers 1 --out design",
    "experiments new goal --goal --game toy --out -",
    "ladder --game toy --players 3 --games 300 --json --quiet --workers 1",
    "why dice --players 3 --bots bold --games 300 --json --quiet --workers 1",
    "why dice --players 3 --level bold --games 60 --only first_holds --quiet --workers 1",
    "why run --games 30 --only hold=2 --quiet --workers 1",
    "report run --out report",
    "run --game toy --games 400 --bots bold,uniform --seats rotate --workers 1 --out until --until rolls±0.2 --quiet",
    "bench --game toy --games 1000 --repeats 1 --json",
)


def main(folder: Path) -> None:
    os.chdir(folder)
    fork_workers(pytest.MonkeyPatch())
    printed = {}
    for command in COMMANDS:
        result = run(*shlex.split(command))
        printed[command] = {"code": result.exit_code, "out": result.stdout, "err": result.stderr}
    Path("printed.json").write_text(json.dumps(printed, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
