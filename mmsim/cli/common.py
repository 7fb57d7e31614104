"""What several commands share: the console and options that mean the same everywhere."""

from typing import Annotated

import typer
from rich.console import Console

_PIPED_WIDTH = 160  # a pipe has no width; do not cut tables short there


def console() -> Console:
    """Stdout with colours on a terminal, and plain wide text in a pipe."""
    screen = Console(highlight=False, soft_wrap=True)
    if not screen.is_terminal:
        screen.width = _PIPED_WIDTH
    return screen


Seed = Annotated[int, typer.Option("--seed", min=0, max=2**64 - 1, help="Master seed; the same seed, the same result.")]
Players = Annotated[
    int | None,
    typer.Option("--players", help="Number of players, 2 to 4; if not given, 4, or 2 for a two-player mode."),
]
Layout = Annotated[str | None, typer.Option("--layout", help="Layout code like 1a-4c-2b-6a-3a-5b.")]
