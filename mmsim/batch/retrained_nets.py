"""The files of the neural nets that are fitted to the variants of a run: which are missing, damaged, or to be kept."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from mmsim.batch.experiment import Experiment, variants_of
from mmsim.batch.manifest import RetrainedNets
from mmsim.core.variant import Variant
from mmsim.errors import MmsimError
from mmsim.system.files import read_bytes, write_atomically


def variants_to_retrain(experiment: Experiment) -> list[Variant]:
    """The variants that nets are fitted to: those of one level, since levels differ only in their bots."""
    if not experiment.retrain:
        return []
    return variants_of(experiment)[: experiment.variants_per_level]


def flaws_of_nets(folder: Path, kept: Sequence[RetrainedNets]) -> Iterator[tuple[RetrainedNets, str]]:
    """What is wrong with the files of the nets that were fitted so far."""
    for nets in kept:
        path = folder / nets.file
        try:
            if hashlib.sha256(read_bytes(path)).hexdigest() != nets.sha256:
                yield nets, f"{path} does not match its checksum in the manifest"
        except FileNotFoundError:
            yield nets, f"{path} is missing"
        except OSError as error:
            yield nets, f"{path} cannot be read: {error.strerror or error}"


def write_nets(folder: Path, kept: Sequence[RetrainedNets], place: int, nets: RetrainedNets, content: bytes) -> bool:
    """Write the nets of a variant; True if they are new, not a damaged file made again."""
    if place < len(kept) and kept[place] != nets:
        raise MmsimError(
            f"{folder / kept[place].file} is damaged, and fitting it again gives other nets on this machine; "
            "start a new run"
        )
    write_atomically(folder / nets.file, content)
    return place >= len(kept)
