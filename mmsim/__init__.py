"""mmsim: is this variant fair, and is it more fun?"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from mmsim.batch.store import Run

__version__ = "0.1.0"


def load(folder: "str | os.PathLike[str]") -> "Run":
    """A run on disk: `mmsim.load("runs/loyal").seats` is a lazy frame."""
    from mmsim.batch.store import Run  # whoever only wants the version does not wait for it

    return Run(folder)
