"""`python -m mmsim.compiled [FOLDER]`: have the compiled code of all games ready, all at the same time.

Into a folder, if one is named, go copies of the libraries: what a wheel ships.
"""

import shutil
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mmsim.compiled import cache, execution_mode, startup


def main(folder: Path | None) -> None:
    if execution_mode.current() != execution_mode.LIBRARY and folder:
        return  # none can be made here
    startup.bars = False
    with ThreadPoolExecutor() as side_by_side:
        list(side_by_side.map(startup.warm_up, cache.programs()))
    for found in filter(None, map(cache.find, cache.programs())) if folder else ():
        shutil.copytree(found, Path(str(folder)) / found.name)


if __name__ == "__main__":
    parser = ArgumentParser("python -m mmsim.compiled", description="Have the compiled code of all games ready.")
    parser.add_argument("folder", nargs="?", type=Path, help="where copies of the libraries go: what a wheel ships")
    main(parser.parse_args().folder)
