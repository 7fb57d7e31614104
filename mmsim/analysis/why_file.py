"""The answers of `mmsim why` beside the tables of a run, for its report."""

from pathlib import Path

import msgspec

from mmsim.analysis.why import Why
from mmsim.batch.manifest import WHY
from mmsim.errors import MmsimError
from mmsim.system.files import read_bytes, write_atomically


def write_answer(folder: Path, why: Why) -> None:
    """Add an answer to a run, in place of an older one to the same question."""
    try:
        others = [one for one in read_answers(folder) if (one.variant, one.measure) != (why.variant, why.measure)]
    except MmsimError:  # a damaged file is replaced
        others = []
    write_atomically(folder / WHY, msgspec.json.format(msgspec.json.encode([*others, why]), indent=1) + b"\n")


def read_answers(folder: Path) -> list[Why]:
    """The answers kept beside the tables of a run."""
    path = folder / WHY
    if not path.is_file() or path.is_symlink():
        return []
    try:
        return msgspec.json.decode(read_bytes(path), type=list[Why])
    except (ValueError, RecursionError) as error:  # msgspec raises a subclass of ValueError
        raise MmsimError(f"{path} is damaged: {error}; mmsim why writes it again") from error
