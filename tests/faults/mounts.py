"""Private file systems for one command: small, read-only, or without the right to execute."""

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from typing import Any


def tiny(folder: object, kilobytes: int) -> str:
    """The command that mounts a disk of this size on a folder."""
    return f'mount -t tmpfs -o size={kilobytes}k,mode=700 mmsim "{folder}"'


def larger(folder: object, kilobytes: int) -> str:
    return f'mount -o remount,size={kilobytes}k "{folder}"'


def changed(folder: object, options: str) -> str:
    """The command that remounts a folder read-only (`ro`) or without the right to execute (`noexec`)."""
    return f'mount --bind "{folder}" "{folder}" && mount -o remount,bind,{options} "{folder}"'


@cache
def possible() -> bool:
    """True if this machine allows private mounts."""
    if shutil.which("unshare") is None:
        return False
    done = subprocess.run(["unshare", "-rm", "sh", "-c", tiny("/tmp", 100)], capture_output=True, check=False)
    return done.returncode == 0


def run(mounts: str, command: Sequence[object], **options: Any) -> "subprocess.CompletedProcess[str]":
    """Run a command after some mounts, which are gone when it ends."""
    inside = ["unshare", "-rm", "sh", "-c", f'{mounts} && exec "$@"', "sh"] if mounts else []
    return subprocess.run([*inside, *map(str, command)], capture_output=True, text=True, check=False, **options)
