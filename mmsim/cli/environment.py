"""Whether mmsim can work where it is started: the current folder and the limits of the system."""

import os
import resource

from mmsim.errors import MmsimError

_MIN_OPEN_FILES = 64  # libraries, pipes to some workers, and the files of a run
_MIN_ADDRESS_SPACE_BYTES = 3 << 30  # with two cores the compiler and the threads of Polars reserve two thirds of it


def check_environment() -> None:
    """Refuse to start where a later error would name neither cause nor cure."""
    try:
        os.getcwd()
    except FileNotFoundError:
        raise MmsimError("the folder you are in has been deleted; go to another one (cd)") from None
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY and allowed < _MIN_OPEN_FILES:
        raise MmsimError(f"only {allowed} open files are allowed here (ulimit -n); mmsim needs {_MIN_OPEN_FILES}")
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < _MIN_ADDRESS_SPACE_BYTES:
        raise MmsimError(
            f"only {allowed >> 20:,} MB of address space are allowed here (ulimit -v); "
            f"mmsim needs {_MIN_ADDRESS_SPACE_BYTES >> 20:,} MB, most of which it never touches"
        )
