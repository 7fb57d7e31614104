"""The source of bots in Python: kept with a run to be read, and looked for only where a user says."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from mmsim.batch.manifest import SOURCES, BotSource
from mmsim.core.seating import split_bots
from mmsim.errors import MmsimError, UsageError
from mmsim.system.files import file_name, read_bytes, write_atomically


def keep(folder: Path, bots: str) -> list[BotSource]:
    """Copy the files of a list of bots into a run, as text that nobody imports; what the manifest says of them."""
    kept = []
    for number, named in enumerate(_files(bots), 1):
        content = _read(Path(named))
        name = f"{SOURCES}/{number}-{file_name(Path(named).name, 'the file of the bot')}.txt"
        write_atomically(folder / name, content)
        kept.append(BotSource(named, name, hashlib.sha256(content).hexdigest()))
    return kept


def find(folder: Path, bots: str, kept: Sequence[BotSource], where: Path | None) -> str:
    """A run's list of bots with the files of those in Python as the user has them; refused if they are others."""
    by_name = {source.named: source for source in kept}
    found = {}
    for named in _files(bots):
        source = by_name.get(named)
        if source is None:
            raise MmsimError(f"{folder} does not say what its bot {named} was; it cannot be played again")
        if where is None:
            raise UsageError(
                f"games of {folder} were played by a bot in Python, and a run's folder is never asked for code; say "
                f"where its file {Path(named).name} is: --bots-from PATH (as it was: {folder / source.kept})"
            )
        path = where / Path(named).name if where.is_dir() else where
        if set(":,") & set(str(path)):
            raise UsageError(f"--bots-from {path}: a list of bots cannot hold a path with a colon or a comma")
        if hashlib.sha256(_read(path)).hexdigest() != source.sha256:
            raise MmsimError(
                f"{path} is not the bot of {folder}, whose source is kept in {folder / source.kept}; "
                "games of two bots do not mix: start a new run"
            )
        found[named] = str(path)
    return ",".join(_with_file(spec, found) for spec in split_bots(bots))


def place(bots: str) -> Path | None:
    """Where the files of a list of bots are: the one there is, or the folder of all; None if there is no such place."""
    paths = [Path(named) for named in _files(bots)]
    if len({path.parent for path in paths}) != 1:
        return None
    return paths[0] if len(paths) == 1 else paths[0].parent


def _with_file(spec: str, found: dict[str, str]) -> str:
    name, colon, rest = spec.partition(":")
    return f"{found.get(name, name)}{colon}{rest}"


def _files(bots: str) -> list[str]:
    """The files of a list of bots, each once."""
    names = (spec.partition(":")[0] for spec in split_bots(bots))
    return list(dict.fromkeys(name for name in names if name.endswith(".py")))


def _read(path: Path) -> bytes:
    try:
        return read_bytes(path)
    except OSError as error:
        raise UsageError(f"bot {path}: cannot read {path}: {error.strerror or error}") from error
