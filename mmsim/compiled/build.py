"""`python -m mmsim.compiled.build GAME FOLDER`: build the library of a game; `startup` runs it as a process."""

import gc
import sys
from importlib import import_module
from pathlib import Path

from mmsim.compiled import execution_mode


def build(program: str, folder: Path) -> None:
    """Compile every entry point of a program into one library in a folder; progress goes to stdout."""
    execution_mode.choose(execution_mode.BUILDING)
    gc.disable()  # Numba keeps nearly everything it allocates: collecting the rest costs a tenth of the time
    from mmsim.compiled import decorators, linking
    from mmsim.compiled.entry_points import LIBRARY_FILE, declared_entry_points

    import_module(f"mmsim.{program}.bots.entry_points")
    with decorators.watch_compiling(lambda done, total: print(done, total, flush=True)):
        compiled = [(entry, decorators.compile_entry_point(entry)) for entry in declared_entry_points(program)]
    linking.build_library(compiled, folder / LIBRARY_FILE)


if __name__ == "__main__":
    build(sys.argv[1], Path(sys.argv[2]))
