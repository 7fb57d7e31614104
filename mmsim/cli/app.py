"""The entry point of `mmsim`: Ctrl-C ends it with a sentence even while it is still loading."""

import io
import sys

from mmsim.cli.interrupts import exit_when_interrupted, raise_on_signals
from mmsim.system.safe_text import PLAIN_TEXT_HANDLER


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=PLAIN_TEXT_HANDLER)
    with exit_when_interrupted(), raise_on_signals():
        from mmsim.cli.commands import app  # takes up to half a second on a busy machine

        app()
