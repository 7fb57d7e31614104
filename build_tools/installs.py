"""`python -m build_tools.installs`: install what is in `dist` on every Python found here, and use it as strangers do.

For each Python, in folders of its own: the wheel in an empty environment, the demo in an empty folder, a command whose
extra is missing, the extras; then a wheel made from the source archive, compared with the first file by file.
"""

import os
import re
import subprocess
import sys
import time
import zipfile
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
OLDEST = (3, 11)
EXTRAS = ("cluster", "design", "export")
_ASK = "import sys; print(*sys.version_info[:3], sys.implementation.name)"
_BUILT_HERE = re.compile(r"mmsim/compiled/shipped/|\.dist-info/(RECORD|WHEEL)$")  # by a compiler, or naming its output


class Python(NamedTuple):
    version: tuple[int, int, int]
    path: Path

    def __str__(self) -> str:
        return ".".join(map(str, self.version))


def find_pythons(named: Sequence[str] = ()) -> list[Python]:
    """The newest release of every CPython from 3.11 on: those named, else those on the path and of pyenv."""
    newest: dict[tuple[int, int], Python] = {}
    for path in (Path(which(name) or name) for name in named) if named else _candidates():
        try:
            asked = subprocess.run([path, "-c", _ASK], capture_output=True, text=True, check=True).stdout.split()
        except (OSError, subprocess.CalledProcessError):
            if named:
                sys.exit(f"{path} is not a Python that runs")
            continue
        python = Python((int(asked[0]), int(asked[1]), int(asked[2])), path)
        if asked[3] == "cpython" and python.version[:2] >= OLDEST:
            newest[python.version[:2]] = max(python, newest.get(python.version[:2], python))
    return sorted(newest.values())


def _candidates() -> Iterator[Path]:
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for folder in [*folders, *sorted(pyenv.glob("versions/*/bin"))]:
        if folder != pyenv / "shims":
            yield from sorted(path for path in folder.glob("python3.*") if re.fullmatch(r"python3\.\d+", path.name))


def differing_files(first: Path, second: Path) -> list[str]:
    """The files that differ between two wheels, apart from what a compiler made."""
    contents = []
    for wheel in (first, second):
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if not _BUILT_HERE.search(name)]
            contents.append({name: archive.read(name) for name in names})
    ours, theirs = contents
    return sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))


class Stranger:
    """Somebody with one Python, an empty environment, an empty folder and an empty cache."""

    def __init__(self, python: Python, home: Path) -> None:
        self.python, self.home = python, home
        self.folder = home / "folder"
        self.folder.mkdir()
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("MMSIM_", "PYTHON", "VIRTUAL"))
        }
        self.env = {**kept, "MMSIM_CACHE_DIR": str(home / "cache"), "PATH": f"{home / 'env' / 'bin'}:/usr/bin:/bin"}

    def types(self, *words: object, code: int = 0) -> tuple[str, float]:
        """What a command prints, on both streams, and the seconds it takes; the end if its exit code is another."""
        start = time.perf_counter()
        done = subprocess.run(
            [str(word) for word in words],
            cwd=self.folder,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != code:
            shown = " ".join(map(str, words))
            sys.exit(f"{done.stdout}\nPython {self.python}: exit code {done.returncode} instead of {code} of {shown}")
        return done.stdout, time.perf_counter() - start

    def pip(self, *words: object) -> float:
        env_python = self.home / "env" / "bin" / "python"
        return self.types(env_python, "-m", "pip", "--disable-pip-version-check", *words)[1]


def check(python: Python, wheel: Path, archive: Path, games: int) -> dict[str, str]:
    """Do everything with one Python; returns what was measured."""
    with TemporaryDirectory(prefix="mmsim-install-") as place:
        stranger = Stranger(python, Path(place))
        stranger.types(python.path, "-m", "venv", stranger.home / "env")
        seconds = {"install": stranger.pip("install", wheel)}
        _, seconds["--help"] = stranger.types("mmsim", "--help")
        printed, seconds["demo"] = stranger.types("mmsim", "demo", "--games", games)
        if "compiling" in printed and "-none-any" not in wheel.name:
            sys.exit(f"{printed}\nPython {python}: the compiled code of the wheel was not used")
        digest = next(line.split()[1] for line in printed.splitlines() if line.startswith("digest "))
        report = stranger.folder / "mmsim-demo" / "report" / "report.html"
        if not report.is_file() or len(list(stranger.folder.iterdir())) != 1:
            sys.exit(f"Python {python}: the demo wrote {sorted(stranger.folder.iterdir())}")
        advice, _ = stranger.types("mmsim", "export", "mmsim-demo/run", "--out", "tables.xlsx", code=2)
        if "pip install" not in advice or advice.count("\n") != 1:
            sys.exit(f"Python {python}: a missing extra is reported as {advice}")
        seconds["extras"] = stranger.pip("install", f"{wheel}[{','.join(EXTRAS)}]")
        for words in ("export mmsim-demo/run --out tables.xlsx", "export mmsim-demo/run --out tables.duckdb"):
            stranger.types("mmsim", *words.split())
        stranger.types("mmsim", "cluster", "certificates", "tls")
        stranger.types(stranger.home / "env" / "bin" / "python", "-c", "import distributed, optuna")
        seconds["archive"] = stranger.pip("wheel", "--no-deps", "--wheel-dir", stranger.home / "made", archive)
        (made,) = (stranger.home / "made").glob("*.whl")
        if differing := differing_files(wheel, made):
            sys.exit(f"Python {python}: the wheel made from {archive.name} differs in {', '.join(differing)}")
    return {"python": str(python), **{step: f"{took:.1f} s" for step, took in seconds.items()}, "digest": digest[:16]}


def main() -> None:
    parser = ArgumentParser("python -m build_tools.installs", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pythons", nargs="*", help="Pythons to use; by default every CPython from 3.11 that is found")
    parser.add_argument("--games", type=int, default=400, help="games per variant of the demo")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="where the wheel and the source archive are")
    options = parser.parse_args()
    wheels, archives = list(options.dist.glob("*.whl")), list(options.dist.glob("*.tar.gz"))
    if len(wheels) != 1 or len(archives) != 1:
        sys.exit(f"{options.dist} must hold one wheel and one source archive: make wheel")
    pythons = find_pythons(options.pythons)
    if not pythons:
        sys.exit("no CPython from 3.11 on is found")
    results = []
    for python in pythons:
        results.append(check(python, wheels[0].resolve(), archives[0].resolve(), options.games))
        print("; ".join(f"{step} {value}" for step, value in results[-1].items()), flush=True)
    if len({result["digest"] for result in results}) > 1:
        sys.exit("the same games have different rows on different Pythons")


if __name__ == "__main__":
    main()
