"""`python -m mmsim.compiled [FOLDER]`: prepare the compiled code of all games, in parallel.

With a folder, the libraries are also copied into it, to be shipped in a wheel. `--build PROGRAM` compiles the library
of one game into the folder, in this process; `startup` runs it.
"""

# ruff: noqa: E402
from mmsim.system.module_path import forget_current_folder

forget_current_folder()  # before anything else is imported

import gc
import os
import shutil
import sys
from argparse import SUPPRESS, ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from threading import Thread

from mmsim.compiled import cache, entry_points, execution_mode, startup


def prepare_all(folder: Path | None) -> None:
    if folder and execution_mode.current() != execution_mode.LIBRARY:
        return  # no library can be built here
    startup.show_bars = False
    with ThreadPoolExecutor() as threads:
        list(threads.map(startup.warm_up, cache.programs()))
    if folder:
        for library in filter(None, map(cache.find_library, cache.programs())):
            shutil.copytree(library, folder / library.name)


def build(program: str, folder: Path) -> None:
    """Compile every entry point of a program into one library in a folder; progress goes to stdout.

    It ends with the process that waits for it, which holds the other end of stdin.
    """
    Thread(target=lambda: (sys.stdin.read(), os._exit(1)), daemon=True).start()
    execution_mode.choose(execution_mode.BUILDING)
    gc.disable()  # Numba keeps nearly everything it allocates: collecting the rest costs a tenth of the time
    from mmsim.compiled import decorators, linking  # they depend on the mode

    import_module(f"mmsim.{program}.bots.entry_points")
    declared = entry_points.declared_entry_points(program)
    with decorators.watch_compiling(lambda done, total: print(done, total, flush=True)):
        compiled = [(entry_point, decorators.compile_entry_point(entry_point)) for entry_point in declared]
    linking.build_library(compiled, folder / entry_points.LIBRARY_FILE)


if __name__ == "__main__":
    parser = ArgumentParser("python -m mmsim.compiled", description="Prepare the compiled code of all games.")
    parser.add_argument("folder", nargs="?", type=Path, help="where to copy the libraries, as a wheel ships them")
    parser.add_argument("--build", metavar="PROGRAM", help=SUPPRESS)
    options = parser.parse_args()
    build(options.build, options.folder) if options.build else prepare_all(options.folder)
