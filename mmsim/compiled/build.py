"""`python -m mmsim.compiled.build GAME FOLDER`: make the library of a game; run by `warm` and to build wheels."""

import gc
import sys
from importlib import import_module
from pathlib import Path

from mmsim.compiled import execution_mode


def build(program: str, folder: Path) -> None:
    """Compile every entry of a program into one library in a folder; tells on stdout how far it is."""
    execution_mode.choose(execution_mode.BUILDING)
    gc.disable()  # Numba keeps nearly all that it makes: looking for what it does not takes a tenth of the time
    from mmsim.compiled import accel, linking
    from mmsim.compiled.entry_points import LIBRARY, program_entries

    import_module(f"mmsim.{program}.bots.entry_points")
    entries = program_entries(program)
    with accel.watch_compiling(lambda done, total: print(done, total, flush=True)):
        compiled = [(entry, accel.compile_entry(entry)) for entry in entries]
    linking.make_library(compiled, folder / LIBRARY)


if __name__ == "__main__":
    build(sys.argv[1], Path(sys.argv[2]))
