"""`python -m build_tools.coverage_by_room`: the lines that `make coverage` reached, room by room; fails below 90 %."""

import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from coverage import Coverage

ROOT = Path(__file__).resolve().parents[1]
LEAST = 90.0  # per cent of the lines of a room
ROOMS = {  # patterns of paths below mmsim
    "rules": "*/rules/*.py",
    "engine": "*/engine/*.py",
    "batch": "batch/*.py",
    "analysis": "analysis/*.py",
    "report": "report/*.py",
}
_SHOWN = 3  # files of a room


class Reached(NamedTuple):
    """Lines of a file that can be executed, and those that were not."""

    file: str
    lines: int
    missing: int

    @property
    def percent(self) -> float:
        return percent(self.lines, self.missing)


def percent(lines: int, missing: int) -> float:
    return 100 * (lines - missing) / lines if lines else 100.0


def rooms(files: list[Reached]) -> dict[str, list[Reached]]:
    """The files of every room, those with most lines not reached first."""
    most_missing_first = sorted(files, key=lambda file: -file.missing)
    return {
        room: [file for file in most_missing_first if fnmatch(file.file, pattern)] for room, pattern in ROOMS.items()
    }


def describe(by_room: dict[str, list[Reached]]) -> tuple[list[str], list[str]]:
    """One line per room, and the rooms that are below the limit."""
    lines, failed = [], []
    for room, files in by_room.items():
        total, missing = sum(file.lines for file in files), sum(file.missing for file in files)
        share = percent(total, missing)
        worst = ", ".join(f"{file.file} {file.missing}" for file in files[:_SHOWN] if file.missing)
        lines.append(f"{room:10}{share:6.1f} % of {total:,} lines; most not reached: {worst or 'none'}")
        if not files or share < LEAST:
            failed.append(room)
    return lines, failed


def measured() -> list[Reached]:
    """What the data of coverage say about every module of mmsim, imported or not."""
    coverage = Coverage(config_file=str(ROOT / "pyproject.toml"))
    coverage.load()
    files = []
    for path in sorted((ROOT / "mmsim").rglob("*.py")):
        _, statements, _, missing, _ = coverage.analysis2(str(path))
        files.append(Reached(path.relative_to(ROOT / "mmsim").as_posix(), len(statements), len(missing)))
    return files


def main() -> None:
    lines, failed = describe(rooms(measured()))
    print("\n".join(lines))
    if failed:
        sys.exit(f"less than {LEAST:.0f} % of the lines of {', '.join(failed)} are reached")


if __name__ == "__main__":
    main()
