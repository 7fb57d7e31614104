"""`python -m mmsim.compiled [FOLDER]`: prepare the compiled code of all games, in parallel.

With a folder, the libraries are also copied into it: that is what a wheel ships.
"""

import shutil
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mmsim.compiled import cache, execution_mode, startup


def main(folder: Path | None) -> None:
    if folder and execution_mode.current() != execution_mode.LIBRARY:
        return  # no library can be built here
    startup.show_bars = False
    with ThreadPoolExecutor() as threads:
        list(threads.map(startup.warm_up, cache.programs()))
    if folder:
        for library in filter(None, map(cache.find_library, cache.programs())):
            shutil.copytree(library, folder / library.name)


if __name__ == "__main__":
    parser = ArgumentParser("python -m mmsim.compiled", description="Prepare the compiled code of all games.")
    parser.add_argument("folder", nargs="?", type=Path, help="where to copy the libraries, as a wheel ships them")
    main(parser.parse_args().folder)
