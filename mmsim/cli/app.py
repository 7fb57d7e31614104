"""The command `mmsim`, from its first moment on: Ctrl-C ends it with a sentence also while it is still being loaded."""

import io
import sys

from mmsim.cli.interrupts import INTERRUPTED, NOTHING_KEPT, stoppable
from mmsim.system.safe_text import ASCII_ERRORS


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ASCII_ERRORS)
    try:
        with stoppable():
            from mmsim.cli.commands import app  # half a second on a busy machine

            app()
    except KeyboardInterrupt:
        print(f"stopped; {NOTHING_KEPT}", file=sys.stderr)
        sys.exit(INTERRUPTED)
