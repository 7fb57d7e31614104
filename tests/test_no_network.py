"""Nothing is fetched or sent at run time: the main commands work with the network switched off."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.batch.helpers import ROOT

_WITHOUT_NETWORK = ["unshare", "--map-root-user", "--net"]
_ONLINE = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"  # there is not even a local network
_COMMANDS = (
    "play --rules metro --bots uniform --seed 3 --record game.json --picture game.svg",
    "verify game.json",
    "replay game.json --out game.html",
    "run --rules metro --rules metro+free --bots greedy --games 24 --workers 2 --out run --quiet",
    "check run",
    "compare run",
    "report run --out report --quiet",
    "heat run --games 4 --workers 2 --out heat.svg --quiet",
    "chances run --games 2 --playouts 2 --workers 2 --quiet",
    "export run --table games --out games.csv",
    "runs list .",
    "ladder --game metro --bots uniform,greedy --games 12 --workers 1 --quiet",
    "rules list",
    "boards list",
    "bots list",
    "experiments list",
)


@cache
def _network_can_be_switched_off() -> bool:
    if shutil.which("unshare") is None:
        return False
    done = subprocess.run([*_WITHOUT_NETWORK, sys.executable, "-c", _ONLINE], capture_output=True, text=True)
    return "Network is unreachable" in done.stderr


@pytest.mark.skipif(
    not _network_can_be_switched_off(), reason="the network cannot be switched off here (unshare --net)"
)
def test_commands_work_without_a_network(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    for words in _COMMANDS:
        command = [*_WITHOUT_NETWORK, sys.executable, "-m", "mmsim", *words.split()]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, f"{words}: {done.stderr}"
