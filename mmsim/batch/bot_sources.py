"""The source of Python bots: copied into a run for people to read, loaded only from where the user says."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from mmsim.batch.manifest import SOURCES, BotSource
from mmsim.core.python_bots import read_source
from mmsim.core.seating import bot_names, split_bots
from mmsim.errors import MmsimError, UsageError
from mmsim.system.files import checked_file_name, write_atomically


def keep(folder: Path, bots: str) -> list[BotSource]:
    """Copy the files of a list of bots into a run as text, which is never imported; returns their manifest entries."""
    sources = []
    for number, named in enumerate(_files(bots), 1):
        content = read_source(Path(named))
        name = f"{SOURCES}/{number}-{checked_file_name(Path(named).name, 'the file of the bot')}.txt"
        write_atomically(folder / name, content)
        sources.append(BotSource(named, name, hashlib.sha256(content).hexdigest()))
    return sources


def find(folder: Path, bots: str, sources: Sequence[BotSource], bots_from: Path | None) -> str:
    """A run's list of bots with the paths of its Python files as the user has them; an error if they differ."""
    by_name = {source.named: source for source in sources}
    paths = {}
    for named in _files(bots):
        source = by_name.get(named)
        if source is None:
            raise MmsimError(f"{folder} does not say what its bot {named} was; it cannot be played again")
        if bots_from is None:
            raise UsageError(
                f"games of {folder} were played by a bot in Python, and code is never loaded from a run's folder; say "
                f"where its file {Path(named).name} is: --bots-from PATH (as it was: {folder / source.kept})"
            )
        path = bots_from / Path(named).name if bots_from.is_dir() else bots_from
        if set(":,") & set(str(path)):
            raise UsageError(f"--bots-from {path}: a list of bots cannot hold a path with a colon or a comma")
        if hashlib.sha256(read_source(path)).hexdigest() != source.sha256:
            raise MmsimError(
                f"{path} is not the bot of {folder}, whose source is kept in {folder / source.kept}; "
                "games of two bots do not mix: start a new run"
            )
        paths[named] = str(path)
    return ",".join(_with_path(spec, paths) for spec in split_bots(bots))


def location(bots: str) -> Path | None:
    """The file of the only Python bot in a list, or the folder of all of them; None if they are in several folders."""
    paths = [Path(named) for named in _files(bots)]
    if len({path.parent for path in paths}) != 1:
        return None
    return paths[0] if len(paths) == 1 else paths[0].parent


def _with_path(spec: str, paths: dict[str, str]) -> str:
    name, colon, rest = spec.partition(":")
    return f"{paths.get(name, name)}{colon}{rest}"


def _files(bots: str) -> list[str]:
    """The Python files in a list of bots, each once."""
    return list(dict.fromkeys(name for name in bot_names(bots) if name.endswith(".py")))
