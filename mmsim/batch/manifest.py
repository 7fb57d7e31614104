"""The manifest of a run: its schema, read and checked in one place.

A folder may come from a stranger, or from a disk that flips bits: every value has a type and a range, no key is
unknown, no name is a path, and a checksum detects any later change.
"""

import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from mmsim.batch.experiment import Experiment, from_mapping
from mmsim.batch.plan import RunPlan
from mmsim.core.seating import check_rotation
from mmsim.core.variant import VariantDescription, split_file
from mmsim.errors import MmsimError, UsageError, unknown
from mmsim.system.files import checked_file_name, read_bytes, write_atomically
from mmsim.system.validation import Count, Sha256, Text

FORMAT = "mmsim-run/8"
MANIFEST = "manifest.json"
INPUTS = "inputs"  # the folder of the rulesets and boards an experiment names
SOURCES = "bots"  # the folder of the source of bots in Python, as text
RECORDS = "records"  # the folder of the records of remarkable games
NETS = "nets"  # the folder of the neural nets fitted to its variants
WIN_CHANCES_FILE = "win_chances.parquet"  # chances to win in some games, if they were estimated
END_POSITIONS_FILE = "end_positions.parquet"  # where things are at the end of some games, if that was collected
WHY = "why.json"  # the effects of changes, if `mmsim why` was run
SIDE_FILES = (WIN_CHANCES_FILE, END_POSITIONS_FILE, WHY)
CHECKSUM_DIGITS = 16  # hex digits of a checksum stored inside the data it protects
_MAX_DEPTH = 12  # nested lists and objects
_MOST_VARIANTS = 100_000
_MAX_PART_VALUES = 50_000_000  # in one table, rows times columns: what can be read into memory

TableName = Annotated[str, Meta(pattern="^[a-z][a-z0-9_]{0,39}$")]


class Precision(Struct, frozen=True, forbid_unknown_fields=True):
    """The precision a run is played to, half the width of a confidence sequence, and the one it reached."""

    metric: Text
    half_width: Annotated[float, Meta(gt=0)]
    looks: Count | None = None
    known_to: Annotated[float, Meta(ge=0)] | None = None

    @classmethod
    def parse(cls, text: str, metrics: Iterable[str]) -> "Precision":
        """Read `win_share±0.5%` or `score±0.2`; `+-` will do for `±`."""
        match = re.fullmatch(r"\s*(\w+)\s*(?:±|\+/?-)\s*(\d*\.?\d+)\s*(%?)\s*", text)
        if not match or not float(match[2]):
            raise UsageError(f"'{text}' is not of the form METRIC±WIDTH, like win_share±0.5%")
        if match[1] not in metrics:
            raise unknown("metric", match[1], metrics)
        return cls(match[1], float(match[2]) / (100 if match[3] else 1))

    def __str__(self) -> str:
        return f"{self.metric}±{self.half_width:g}"


class SequenceInterval(Struct, frozen=True, forbid_unknown_fields=True):
    """A difference at one level and in one group, with the ends of its confidence sequence."""

    level: Text
    group: Text
    difference: float
    low: float | None  # None: no end yet
    high: float | None


class Decision(Struct, frozen=True, forbid_unknown_fields=True):
    """What a run of two variants was played to decide, and the levels at which it did."""

    metric: Text
    unit: Text
    reference: Text
    variant: Text
    apart: list[Text]  # levels at which the variants differ
    equal: list[Text]  # at which they are equal within tolerance
    undecided: list[Text]  # at which neither is shown
    sequence: list[SequenceInterval]  # at the last look
    error: Annotated[float, Meta(gt=0, lt=1)]  # bound on the chance that any of it is wrong, over all looks together
    games: Count = 0  # of each variant
    looks: Count = 0

    @property
    def is_made(self) -> bool:
        return not self.undecided


class Machine(Struct, frozen=True, forbid_unknown_fields=True):
    processor: Text
    cores: Count | None
    system: Text
    python: Text
    versions: dict[str, Text]


class BotSource(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot in Python of a run: its file, and the copy of its source that is kept for readers."""

    named: Text  # as in the list of bots
    kept: Annotated[str, Meta(pattern=rf"^{SOURCES}/[^/]+\.txt$")]
    sha256: Sha256


class KeptRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """A record of a remarkable game, beside the tables."""

    file: Annotated[str, Meta(pattern=rf"^{RECORDS}/[a-z][a-z-]{{0,40}}\.json$")]
    variant: Text
    game: Count
    bytes: Count
    sha256: Sha256
    chances: list[list[Annotated[float, Meta(ge=0, le=1)]]] = []  # to win, by turn and player; empty: not estimated


class RetrainedNets(Struct, frozen=True, forbid_unknown_fields=True):
    """Neural nets fitted to a variant, and how often one bot with them wins against others with the shipped ones."""

    file: Annotated[str, Meta(pattern=rf"^{NETS}/[0-9a-f]{{12}}\.json$")]  # named after their digest
    bytes: Count
    sha256: Sha256
    bot: Text
    players: Annotated[int, Meta(ge=1, le=100)]
    games: Count  # that nothing was fitted to
    share: Annotated[float, Meta(ge=0, le=1)]
    half_width: Annotated[float, Meta(ge=0)]  # of its 95 % interval

    @property
    def gained(self) -> bool:
        """True if the whole interval is above an equal share; otherwise the variant is played with the shipped nets."""
        return self.share - self.half_width > 1 / self.players


class Finished(Struct, frozen=True, forbid_unknown_fields=True):
    at: Text
    parts: Count
    rows: dict[TableName, Count]
    bytes: Count
    bot_errors: Count
    digest: Sha256  # of the rows of all tables
    records: list[KeptRecord]


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything about a run except its parts."""

    format: str
    experiment: dict[str, Any]  # as `mmsim.batch.experiment` reads it
    games: Count  # of every variant that is not thinned; later looks raise it
    every: list[Annotated[int, Meta(ge=1, le=2**40)]]  # per variant: it plays one game for this many of `games`
    until: Precision | None
    variants: Annotated[list[VariantDescription], Meta(min_length=1, max_length=_MOST_VARIANTS)]
    rows_per_game: list[dict[TableName, Annotated[int, Meta(ge=0, le=100_000)]]]  # per variant
    tables: Annotated[dict[TableName, dict[str, Text]], Meta(max_length=100)]
    bots: list[BotSource]
    created: Text
    machine: Machine
    finished: Finished | None
    decision: Decision | None = None  # of a run that was played until it was decided
    nets: list[RetrainedNets] = []  # of every variant of a level, as far as they have been retrained

    @property
    def parsed_experiment(self) -> Experiment:
        """The experiment; paths in it are relative to the run's folder."""
        return from_mapping(self.experiment)

    @property
    def plan(self) -> RunPlan:
        return self.plan_of(self.games)

    def plan_of(self, games: int) -> RunPlan:
        """The plan for that many games of every variant."""
        deals = (variant.games_per_deal for variant in self.variants)
        return RunPlan(len(self.variants), games, self.experiment["part_games"], tuple(self.every), tuple(deals))


def runs_in(folder: Path) -> list[Path]:
    """The folders of the runs inside a folder, by name."""
    return sorted(path.parent for path in folder.glob(f"*/{MANIFEST}"))


def read_manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        content = read_bytes(path)
    except FileNotFoundError as error:
        if not folder.exists():
            raise UsageError(f"there is no run {folder} (mmsim runs list [FOLDER] names those there are)") from error
        raise UsageError(f"{folder} is not a run: it has no {MANIFEST}") from error
    except NotADirectoryError as error:
        raise UsageError(f"{folder} is not a run: it is not a folder") from error
    except OSError as error:
        raise MmsimError(f"cannot read {path}: {error.strerror or error}") from error
    try:
        written = msgspec.json.decode(content, type=dict[str, Any])
        if written.get("format") != FORMAT:
            raise MmsimError(f"it is not of the format {FORMAT}")
        if written.pop("check", None) != _checksum(written):
            raise MmsimError("its checksum is wrong: it was changed after it was written")
        manifest = msgspec.convert(written, Manifest)
        _check(manifest)
    except (ValueError, RecursionError, MmsimError) as error:  # what msgspec raises is a ValueError
        raise MmsimError(f"{path} is damaged: {error}") from error
    return manifest


def write_manifest(folder: Path, manifest: Manifest) -> None:
    write_atomically(folder / MANIFEST, encoded(msgspec.to_builtins(manifest)))


def encoded(manifest: dict[str, Any]) -> bytes:
    """A manifest as bytes, with a checksum of everything else."""
    signed = {**manifest, "check": _checksum(manifest)}
    return msgspec.json.format(msgspec.json.encode(signed), indent=1) + b"\n"


def _checksum(manifest: dict[str, Any]) -> str:
    return short_checksum(msgspec.json.encode(manifest, order="sorted"))


def short_checksum(data: bytes) -> str:
    """Enough of a sha256 to notice damage."""
    return sha256(data).hexdigest()[:CHECKSUM_DIGITS]


def _check(manifest: Manifest) -> None:
    """Check what types cannot: values that must be consistent, names that must not be paths."""
    _check_experiment(manifest)
    experiment, variants = manifest.parsed_experiment, manifest.variants
    count = experiment.variants_per_level * len(experiment.played_levels)
    if not len(variants) == count == len(manifest.rows_per_game) == len(manifest.every):
        raise MmsimError("its variants are not those of its experiment")
    if len({variant.name for variant in variants}) < len(variants):
        raise MmsimError("two of its variants have the same name")
    for variant, rows in zip(variants, manifest.rows_per_game, strict=True):
        if variant.game != experiment.game or variant.seats != experiment.seats:
            raise MmsimError(f"its variant {variant.name} does not belong to its experiment")
        if set(rows) != set(manifest.tables) or len(variant.bots) != len(variant.seat_player):
            raise MmsimError(f"the description of its variant {variant.name} is inconsistent")
        if set(variant.seat_player) != set(range(variant.players)):
            raise MmsimError(f"its variant {variant.name} has players without a seat, or seats without a player")
        if not all(isinstance(bot.get("bot"), str) for bot in variant.bots):
            raise MmsimError(f"its variant {variant.name} has a bot without a name")
        check_rotation(variant.players, variant.bots, variant.seats == "rotate")
    if len(manifest.nets) > experiment.variants_per_level or (manifest.nets and not experiment.retrain):
        raise MmsimError("it has neural nets that are not of its variants")
    if not {"games", "seats"} <= set(manifest.tables) or {INPUTS, SOURCES, RECORDS, NETS} & set(manifest.tables):
        raise MmsimError("its tables are not those of a game")
    if _depth([[variant.ruleset, variant.board, variant.bots] for variant in manifest.variants]) > _MAX_DEPTH:
        raise MmsimError("it is nested too deeply")
    check_part_size(manifest)
    for source in manifest.bots:
        checked_file_name(source.kept.removeprefix(f"{SOURCES}/"), "its bot")


def check_part_size(manifest: Manifest) -> None:
    """Refuse more values than a part can have before any of them is read."""
    plan = manifest.plan
    for number, rows_per_game in enumerate(manifest.rows_per_game):
        games = min(plan.size(number), max(manifest.games, 1))
        values = games * max((rows * len(manifest.tables[table]) for table, rows in rows_per_game.items()), default=0)
        if values > _MAX_PART_VALUES:
            raise UsageError(
                f"a part of {games:,} games would have {values:,} values in a table, and may have "
                f"{_MAX_PART_VALUES:,}; put fewer games into a part (part_games = {plan.part_games:,})"
            )


def _check_experiment(manifest: Manifest) -> None:
    known = set(Experiment.__dataclass_fields__)
    if lacking := known - set(manifest.experiment) - {"retrain", "retrain_games"}:
        raise MmsimError(f"its experiment has no {sorted(lacking)[0]}")
    experiment = manifest.parsed_experiment
    if experiment.part_games is None:
        raise MmsimError("its experiment does not say how many games there are per part")
    for word, _ in map(split_file, (*experiment.variants, *experiment.boards)):
        if word.endswith(".toml"):
            folder, *names = word.split("/")
            if folder != INPUTS or len(names) != 2:
                raise MmsimError(f"its file '{word}' is not kept in the run")
            for name in names:
                checked_file_name(name, "its file")
        elif "/" in word.partition(",")[0]:  # values of knobs may have some: seat_points=0/1/2/3
            raise MmsimError(f"its ruleset or board '{word}' contains a slash or backslash")


def _depth(thing: Any) -> int:
    """How deep lists and objects are nested."""
    depth, inner = 0, [thing]
    while inner:
        depth += 1
        inner = [
            value
            for outer in inner
            for value in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(value, dict | list)
        ]
    return depth
