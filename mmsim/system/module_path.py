"""Where modules come from. It imports nothing that a file of the current folder could stand in for."""

import os
import sys

_PACKAGES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def forget_current_folder() -> None:
    """Take out of the path what `python -m` puts first: the current folder, unless it is the one mmsim is in."""
    if not sys.flags.safe_path and sys.path and sys.path[0] != _PACKAGES:
        del sys.path[0]
