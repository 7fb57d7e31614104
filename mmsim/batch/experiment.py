"""Experiments: which variants are played by which bots, how often and from which seed."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from math import inf, sqrt
from pathlib import Path
from typing import Any

from mmsim.core.game import SimulatedGame, Variant, check_seating
from mmsim.core.seating import find_bot, games_a_deal, split_bots
from mmsim.errors import UsageError, unknown
from mmsim.games import DEFAULT, GAMES, find_shell, game_of_all
from mmsim.system.files import file_name, read_toml
from mmsim.system.package_data import data_folder

_LONGEST_SHOWN = 200  # letters of a value in an error
DESIGNS = ("paired", "independent")
OF_MEMBER = "~"  # between a variant and the member of the panel in the name of their games
_PART_GAMES = 6000  # games a part of the quickest strong bot: some seconds of one core
_SLOW, _SHORTER = 10.0, 3.0  # parts of bots that cost so much hold a third: files are cheap beside their games
_UNKNOWN_COST = 100.0  # of bots in Python, in games of the quickest strong one
_LISTS = ("variants", "boards", "panel", "metrics")
_NUMBERS = {"players": (1, 100), "games": (1, 10**12), "seed": (0, 2**64 - 1), "part_games": (1, 1_000_000)}


@dataclass(frozen=True)
class Experiment:
    """A question to be played out; every board is played under every ruleset."""

    name: str
    variants: tuple[str, ...]  # ruleset specs
    question: str = ""
    game: str = DEFAULT
    boards: tuple[str, ...] = ()  # none: the usual one of the game, or the only one
    players: int | None = None  # None: the usual number of each ruleset
    bots: str = ""  # who sits at the one table there is
    panel: tuple[str, ...] = ()  # or several kinds of players: each plays every variant on the same layouts and deals;
    # if neither is named, the usual panel of the game
    games: int = 10_000
    seed: int = 1
    design: str = "paired"  # every variant plays the same layouts and deals
    seats: str = "fixed"
    part_games: int | None = None  # games a part of the tables; None: as many as take some seconds
    metrics: tuple[str, ...] = ()  # what is asked, chosen before anything is played; none: the game's short list
    move_seconds: float | None = None  # bots in Python have processes of their own, and so long for a move

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise unknown("game", self.game, GAMES)
        if self.design not in DESIGNS:
            raise unknown("design", self.design, DESIGNS)
        check_seating(self.seats)
        if not self.variants:
            raise UsageError("an experiment needs at least one ruleset")
        if self.bots and self.panel:
            raise UsageError("an experiment names the bots of one table or a panel of several, not both")
        if twice := [member for member in self.panel if self.panel.count(member) > 1]:
            raise UsageError(f"the panel names {twice[0]} twice")
        if not self.bots and not self.panel:
            object.__setattr__(self, "panel", usual_panel(self.game))
        file_name(self.name, "the experiment's name")
        for key, (least, most) in _NUMBERS.items():
            value = getattr(self, key)
            if value is not None and value < least:
                raise UsageError(f"{key} = {value} is too small; it must be at least {least}")
            if value is not None and value > most:
                raise UsageError(f"{key} = {value:,} is too large; it may be at most {most:,}")

    @property
    def members(self) -> tuple[str, ...]:
        """The kinds of players that play every variant."""
        return self.panel or (self.bots,)

    def with_members(self, members: Sequence[str]) -> "Experiment":
        """The same question put to other players."""
        if self.panel:
            return replace(self, panel=tuple(members))
        (bots,) = members
        return replace(self, bots=bots)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class ReadyVariant:
    """A variant of an experiment, ready to be played."""

    variant: Variant
    prepared: Any
    about: dict[str, Any]  # what the game tells a manifest of it

    @classmethod
    def of(cls, game: SimulatedGame, variant: Variant) -> "ReadyVariant":
        prepared = game.prepare(variant)
        return cls(variant, prepared, game.describe(prepared))

    @property
    def name(self) -> str:
        return str(self.about["name"])

    @property
    def stamp(self) -> str:
        """A digest of all it is made of: rules, board, bots."""
        return hashlib.sha256(json.dumps(self.about, sort_keys=True).encode()).hexdigest()

    @property
    def games_a_deal(self) -> int:
        """How many games in a row share a layout and a deal."""
        return games_a_deal(int(self.about["players"]), self.variant.rotate)

    def check_groups(self, **numbers: int) -> None:
        """Refuse numbers of games that would tear games with the same deal apart."""
        for what, number in numbers.items():
            if over := number % self.games_a_deal:
                low = number - over
                fitting = " or ".join(str(near) for near in (low, low + self.games_a_deal) if near)
                raise UsageError(
                    f"with seats rotated, games of '{self.name}' come in groups of {self.games_a_deal}: "
                    f"{what} may be {fitting}, not {number}"
                )


def read(path: Path) -> Experiment:
    """The experiment of a TOML file, its rulesets checked; files it names are looked for beside it."""
    values = read_toml(path, "experiment file")
    try:
        experiment = from_mapping({"name": named_after(path.with_suffix("")), **values}, path.parent)
        for rules in experiment.variants:
            find_shell(experiment.game).explain(rules, experiment.players)
        return experiment
    except UsageError as error:
        raise UsageError(f"experiment file {path}: {error}") from error


def shipped() -> dict[str, Path]:
    """The files of the experiments that come with mmsim, by their names."""
    return {path.stem: path for path in sorted(data_folder("experiments").glob("*.toml"))}


def named_after(path: Path) -> str:
    """A name for an experiment that has none: that of a folder or file, if it can be one."""
    try:
        return file_name(path.resolve().name, "the name")
    except UsageError:
        return "run"


def find(name_or_path: str) -> Experiment:
    """A shipped experiment by its name, or the one of a TOML file."""
    if name_or_path.endswith(".toml"):
        return read(Path(name_or_path))
    if path := shipped().get(name_or_path):
        return read(path)
    raise unknown("experiment", name_or_path, shipped())


def from_mapping(given: Mapping[str, Any], beside: Path = Path()) -> Experiment:
    """An experiment from plain values; every key and type is checked."""
    known = [field.name for field in fields(Experiment)]
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key not in known:
            raise unknown("key", key, known)
        values[key] = _value(key, value, beside)
    if "variants" not in values:
        raise UsageError('an experiment needs a line like variants = ["print", "print+loyal"]')
    if "game" not in values:
        values["game"] = game_of_all(values["variants"]) if values["variants"] else DEFAULT
    if values.get("panel") and values["game"] in GAMES:
        values["panel"] = named_panel(values["game"], values["panel"])
    return Experiment(**values)


def named_panel(game: str, words: Sequence[str]) -> tuple[str, ...]:
    """The members of a panel; a word may be the name of a ready one."""
    ready = find_shell(game).panels
    return tuple(member for word in words for member in ready.get(word, (word,)))


def usual_panel(game: str) -> tuple[str, ...]:
    """The panel that is asked if nobody names one."""
    return tuple(next(iter(find_shell(game).panels.values())))


def thinned(experiment: Experiment) -> list[int]:
    """Of every member of the panel: one of its games is played for so many of the quickest one's.

    Numbers of games go with one over the root of what a game costs: for the time it takes, no other choice knows the
    mean over equally scattered members better (Cochran 1977, section 5.5).
    """
    costs = [max(1.0, cost_of(experiment.game, member)) for member in experiment.members]
    return [max(1, round(sqrt(cost / min(costs)))) for cost in costs]


def usual_part_games(experiment: Experiment, deal: int) -> int:
    """Games a part that take some seconds, by what is declared of the bots: never by the clock, so that parts hold the
    same games on every machine. Games of a deal, so many in a row, stay together; between the members of a panel it is
    the geometric mean."""
    known = find_shell(experiment.game).bots
    loads = []
    for member, every in zip(experiment.members, thinned(experiment), strict=True):
        all_known = all(spec.partition(":")[0] in known for spec in split_bots(member))
        loads.append(max(cost_of(experiment.game, member), 0.0 if all_known else _UNKNOWN_COST) / every)
    load = sqrt(min(loads) * max(loads))
    return max(deal, int(_PART_GAMES / load / (_SHORTER if load >= _SLOW else 1.0)) // deal * deal)


def is_strong(game: str, member: str) -> bool:
    """Whether all bots of a member play to win, and well; of bots in Python that is taken for granted."""
    shell = find_shell(game)
    names = (spec.partition(":")[0] for spec in split_bots(member))
    return all(name in shell.strong or name not in shell.bots for name in names)


def ignored_knobs(game: str, member: str, one: str, other: str, players: int | None) -> tuple[str, ...]:
    """The knobs in which two rulesets differ, if they differ in nothing else and no bot of a member looks at them."""
    shell = find_shell(game)
    before, after = shell.explain(one, players), shell.explain(other, players)
    if [fact.value for fact in before.facts] != [fact.value for fact in after.facts]:
        return ()
    apart = tuple(name for name, value in before.knobs.items() if after.knobs.get(name) != value)
    names = {spec.partition(":")[0] for spec in split_bots(member)}
    return apart if all(names <= set(shell.unseen.get(knob, ())) for knob in apart) else ()


def cost_of(game: str, member: str) -> float:
    """How long a game of a member takes; nobody knows that of bots in Python."""
    shell = find_shell(game)
    own = [spec for spec in split_bots(member) if spec.partition(":")[0] in shell.bots]
    return max((shell.cost(find_bot(spec, shell.bots)) for spec in own), default=1.0)


def _value(key: str, value: Any, beside: Path) -> Any:
    if key == "move_seconds":
        if value is not None and (type(value) not in (int, float) or not 0 < value < inf):
            raise UsageError(f"{key} = {_shown(value)} is not a number of seconds")
        return value
    if key in _NUMBERS:
        if key in ("players", "part_games") and value is None:
            return None
        if type(value) is not int:
            raise UsageError(f"{key} = {_shown(value)} is not a whole number")
        return value
    if key in _LISTS or key == "bots":
        words = [value] if isinstance(value, str) else value
        if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
            raise UsageError(f'{key} = {_shown(value)} is not a list like ["a", "b"]')
        return ",".join(words) if key == "bots" else tuple(_beside(word, beside) for word in words)
    if not isinstance(value, str):
        raise UsageError(f"{key} = {_shown(value)} is not a text")
    return value


def _shown(value: Any) -> str:
    """A value in an error, which may be anything and of any length."""
    shown = repr(value)
    return shown if len(shown) < _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}..."


def _beside(word: str, folder: Path) -> str:
    found = folder / word
    return str(found) if word.endswith(".toml") and found.exists() else word


def variants_of(experiment: Experiment) -> list[Variant]:
    """Every variant with every member of the panel, in the order in which tables and plans number them."""
    made: list[Variant] = []
    for member in experiment.members:
        of_member = f"{OF_MEMBER}{_label(member)}" if len(experiment.members) > 1 else ""
        for board in experiment.boards or (None,):
            suffix = f"@{Path(board).stem}" if board and len(experiment.boards) > 1 else ""
            for rules in experiment.variants:
                seed = experiment.seed if experiment.design == "paired" else _own_seed(experiment.seed, len(made))
                made.append(
                    Variant(
                        *(rules, experiment.players, board, member, seed, experiment.seats, suffix + of_member),
                        move_seconds=experiment.move_seconds,
                    )
                )
    return made


def _label(member: str) -> str:
    """A member of a panel in the name of a variant, wherever its files lie."""
    return ",".join(spec.rpartition("/")[2] if ".py" in spec else spec for spec in split_bots(member))


def prepare_variants(experiment: Experiment, game: SimulatedGame) -> list[ReadyVariant]:
    """Every variant of an experiment, ready to be played; their names are what the tables call them."""
    made = [ReadyVariant.of(game, variant) for variant in variants_of(experiment)]
    seen: set[str] = set()
    for variant in made:
        if variant.name in seen:
            raise UsageError(f"the variant '{variant.name}' is there twice; drop one of them")
        seen.add(variant.name)
        variant.check_groups(games=experiment.games)
        if experiment.part_games:
            variant.check_groups(part_games=experiment.part_games)
    return made


def _own_seed(seed: int, index: int) -> int:
    """A master seed for one variant of an independent design."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{index}".encode()).digest()[:8], "little")
