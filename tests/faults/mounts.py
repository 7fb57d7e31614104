"""File systems of one's own, for a command and nobody else: small, read-only, without the right to execute."""

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from typing import Any


def tiny(folder: object, kilobytes: int) -> str:
    """The command that makes a folder a disk of so many kilobytes."""
    return f'mount -t tmpfs -o size={kilobytes}k mmsim "{folder}"'


def larger(folder: object, kilobytes: int) -> str:
    return f'mount -o remount,size={kilobytes}k "{folder}"'


def changed(folder: object, options: str) -> str:
    """The command that has a folder as it is, but read-only (`ro`) or without the right to execute (`noexec`)."""
    return f'mount --bind "{folder}" "{folder}" && mount -o remount,bind,{options} "{folder}"'


@cache
def possible() -> bool:
    """Whether this machine lets us mount something where nobody else sees it."""
    if shutil.which("unshare") is None:
        return False
    done = subprocess.run(["unshare", "-rm", "sh", "-c", tiny("/tmp", 100)], capture_output=True, check=False)
    return done.returncode == 0


def run(mounts: str, command: Sequence[object], **options: Any) -> "subprocess.CompletedProcess[str]":
    """Carry out a command after some mounts, if there are any; they are gone when it ends."""
    inside = ["unshare", "-rm", "sh", "-c", f'{mounts} && exec "$@"', "sh"] if mounts else []
    return subprocess.run([*inside, *map(str, command)], capture_output=True, text=True, check=False, **options)
