"""Experiments: which variants are played by which bots, how often and from which seed."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from math import inf, sqrt
from pathlib import Path
from typing import Any, TypedDict

from mmsim.core.game import SimulatedGame, check_prepared
from mmsim.core.seating import bot_names, find_bot, split_bots
from mmsim.core.variant import PlayableVariant, Variant, check_seating
from mmsim.errors import UsageError, unknown
from mmsim.games import DEFAULT, GAMES, find_shell, game_of_all
from mmsim.system.files import checked_file_name, data_folder, read_toml
from mmsim.system.validation import abbreviated, check_keys, convert

DESIGNS = ("paired", "independent")
ON_BOARD = "@"  # between a ruleset and its board in the name of a variant, if there are several boards
OF_MEMBER = "~"  # between a variant and the member of the panel in the name of their games
_GAMES_PER_PART = 6000  # of the quickest strong bot: some seconds of one core
_SLOW_COST, _SLOW_DIVISOR = 10.0, 3.0  # parts of slow bots hold a third of the games: their files are cheap to write
_UNKNOWN_COST = 100.0  # of bots in Python, relative to the quickest strong bot
_RANGES = {"players": (1, 100), "games": (1, 10**12), "seed": (0, 2**64 - 1), "part_games": (1, 1_000_000)}


class _Lists(TypedDict, total=False):
    """The settings of an experiment that are lists."""

    variants: tuple[str, ...]
    boards: tuple[str, ...]
    panel: tuple[str, ...]
    metrics: tuple[str, ...]


@dataclass(frozen=True)
class Experiment:
    """What is played to answer a question; every ruleset is played on every board by every kind of players."""

    name: str
    variants: tuple[str, ...]  # ruleset specs
    question: str = ""
    game: str = DEFAULT
    boards: tuple[str, ...] = ()  # none: the default board of the game, or its only one
    players: int | None = None  # None: the default number of each ruleset
    bots: str = ""  # the bots of one table; or else
    panel: tuple[str, ...] = ()  # several kinds of players, who play the same games; neither: the game's default panel
    games: int = 10_000
    seed: int = 1
    design: str = "paired"  # every variant plays the same layouts and deals
    seats: str = "fixed"
    part_games: int | None = None  # games per part of the tables; None: as many as take some seconds
    metrics: tuple[str, ...] = ()  # chosen before anything is played; none: the game's short list
    move_seconds: float | None = None  # bots in Python run in processes of their own, with this time limit per move

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
        if repeated := [member for member in self.panel if self.panel.count(member) > 1]:
            raise UsageError(f"the panel names {repeated[0]} twice")
        if not self.bots and not self.panel:
            object.__setattr__(self, "panel", find_shell(self.game).default_panel)
        checked_file_name(self.name, "the experiment's name")
        for key, (least, most) in _RANGES.items():
            value = getattr(self, key)
            if value is not None and value < least:
                raise UsageError(f"{key} = {value} is too small; it must be at least {least}")
            if value is not None and value > most:
                raise UsageError(f"{key} = {value:,} is too large; it may be at most {most:,}")
        if self.move_seconds is not None and not 0 < self.move_seconds < inf:
            raise UsageError(f"move_seconds = {self.move_seconds} is not a number of seconds")

    @property
    def members(self) -> tuple[str, ...]:
        """The kinds of players that play every variant."""
        return self.panel or (self.bots,)

    @property
    def averages_boards(self) -> bool:
        """True if rulesets are compared on average over boards; with one ruleset the boards are compared."""
        return len(self.boards) > 1 and len(self.variants) > 1

    def with_members(self, members: Sequence[str]) -> "Experiment":
        if self.panel:
            return replace(self, panel=tuple(members))
        (bots,) = members
        return replace(self, bots=bots)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


# --- reading ---------------------------------------------------------------------------------------------------------


def shipped() -> dict[str, Path]:
    """The files of the experiments that come with mmsim, by name."""
    return {path.stem: path for path in sorted(data_folder("experiments").glob("*.toml"))}


def find(name_or_path: str) -> Experiment:
    """A shipped experiment by its name, or the one in a TOML file."""
    if name_or_path.endswith(".toml"):
        return read(Path(name_or_path))
    if path := shipped().get(name_or_path):
        return read(path)
    raise unknown("experiment", name_or_path, shipped())


def read(path: Path) -> Experiment:
    """The experiment in a TOML file, its rulesets checked; files it names are looked for beside it."""
    values = read_toml(path, "experiment file")
    try:
        experiment = from_mapping({"name": named_after(path.with_suffix("")), **values}, path.parent)
        for rules in experiment.variants:
            find_shell(experiment.game).explain(rules, experiment.players)
        return experiment
    except UsageError as error:
        raise UsageError(f"experiment file {path}: {error}") from error


def from_mapping(values: Mapping[str, Any], beside: Path = Path()) -> Experiment:
    """An experiment from plain values; every key and type is checked. A single word may stand for a list of one."""
    check_keys(values, Experiment.__dataclass_fields__)
    values = dict(values)
    values |= {
        key: [value] for key, value in values.items() if key in _Lists.__annotations__ and isinstance(value, str)
    }
    if isinstance(values.get("bots"), list | tuple) and all(isinstance(bot, str) for bot in values["bots"]):
        values["bots"] = ",".join(values["bots"])
    elif not isinstance(values.get("bots", ""), str):
        raise UsageError(f'bots = {abbreviated(values["bots"])} is not a list like ["a", "b"]')
    if "variants" not in values:
        raise UsageError('an experiment needs a line like variants = ["print", "print+loyal"]')
    for key, words in convert(values, _Lists, example='["a", "b"]').items():
        values[key] = [_beside(word, beside) for word in words]  # type: ignore[attr-defined]
    if "game" not in values:
        values["game"] = game_of_all(values["variants"]) if values["variants"] else DEFAULT
    if values.get("panel") and values["game"] in GAMES:
        values["panel"] = named_panel(values["game"], values["panel"])
    return convert(values, Experiment)


def with_settings(experiment: Experiment, settings: Mapping[str, Any]) -> Experiment:
    """The same experiment with other settings; naming bots replaces a panel, and the other way round."""
    replaced = {"panel": ()} if "bots" in settings else {"bots": ""} if "panel" in settings else {}
    return from_mapping({**experiment.to_json(), **replaced, **settings})


def _beside(word: str, folder: Path) -> str:
    path = folder / word
    return str(path) if word.endswith(".toml") and path.exists() else word


def named_after(path: Path) -> str:
    """A name for an experiment that has none: that of a folder or file, if it is a valid one."""
    try:
        return checked_file_name(path.resolve().name, "the name")
    except UsageError:
        return "run"


# --- players ---------------------------------------------------------------------------------------------------------


def named_panel(game: str, words: Sequence[str]) -> tuple[str, ...]:
    """The members of a panel; a word may be the name of one of the game's panels."""
    panels = find_shell(game).panels
    return tuple(member for word in words for member in panels.get(word, (word,)))


def is_strong(game: str, member: str) -> bool:
    """True if all bots of a member play to win; bots in Python are assumed to."""
    shell = find_shell(game)
    return all(name in shell.strong_bots or name not in shell.bots for name in bot_names(member))


def ignored_knobs(game: str, member: str, rules: str, other_rules: str, players: int | None) -> tuple[str, ...]:
    """The knobs in which two rulesets differ, if they differ in nothing else and no bot of a member looks at them."""
    shell = find_shell(game)
    before, after = shell.explain(rules, players), shell.explain(other_rules, players)
    if [fact.value for fact in before.facts] != [fact.value for fact in after.facts]:
        return ()
    different = tuple(name for name, value in before.knobs.items() if after.knobs.get(name) != value)
    bots = {*bot_names(member)}
    return different if all(bots <= {*shell.bots_ignoring.get(knob, ())} for knob in different) else ()


def drop_indifferent_members(experiment: Experiment) -> tuple[Experiment, list[str]]:
    """The experiment without the bots that play all its variants alike, and why each was dropped; refused if none is
    left."""
    reasons = {member: _why_indifferent(experiment, member) for member in experiment.members}
    dropped = [reason for reason in reasons.values() if reason]
    if len(dropped) == len(reasons):
        raise UsageError(dropped[0])
    left = [member for member, reason in reasons.items() if not reason]
    return experiment.with_members(left) if dropped else experiment, dropped


def _why_indifferent(experiment: Experiment, member: str) -> str:
    """Why a bot plays all variants alike; empty if it does not."""
    first, *others = experiment.variants
    ignored = [ignored_knobs(experiment.game, member, first, other, experiment.players) for other in others]
    if len(experiment.boards) > 1 or not ignored or not all(ignored):
        return ""
    knobs = ", ".join(dict.fromkeys(knob for names in ignored for knob in names))
    return f"{member} gives no evidence here: {first} and {', '.join(others)} differ in {knobs}, which it ignores"


def cost_of(game: str, member: str) -> float:
    """The time of a game of a member, relative to the quickest strong bot; bots in Python count as 1."""
    shell = find_shell(game)
    known = [spec for spec in split_bots(member) if spec.partition(":")[0] in shell.bots]
    return max((shell.cost(find_bot(spec, shell.bots)) for spec in known), default=1.0)


def thinning(experiment: Experiment) -> list[int]:
    """For every member of the panel: it plays one game for this many of the quickest member's.

    Numbers of games are proportional to one over the square root of the cost of a game: for a given time, this gives
    the most precise mean over members with equal variances (Cochran 1977, section 5.5).
    """
    costs = [max(1.0, cost_of(experiment.game, member)) for member in experiment.members]
    return [max(1, round(sqrt(cost / min(costs)))) for cost in costs]


def games_per_member(experiment: Experiment) -> dict[str, int]:
    """How many games of every variant each kind of player plays."""
    return {
        member: -(-experiment.games // every)
        for member, every in zip(experiment.members, thinning(experiment), strict=True)
    }


def default_part_games(experiment: Experiment, games_per_deal: int) -> int:
    """Games per part, so that a part takes some seconds: by the declared costs of the bots and never by the clock, so
    that parts hold the same games on every machine. Games of one deal stay together; for a panel it is the geometric
    mean of the extremes."""
    known = find_shell(experiment.game).bots
    loads = []
    for member, every in zip(experiment.members, thinning(experiment), strict=True):
        least = 0.0 if all(name in known for name in bot_names(member)) else _UNKNOWN_COST
        loads.append(max(cost_of(experiment.game, member), least) / every)
    load = sqrt(min(loads) * max(loads))
    games = int(_GAMES_PER_PART / load / (_SLOW_DIVISOR if load >= _SLOW_COST else 1.0))
    return max(games_per_deal, games // games_per_deal * games_per_deal)


# --- variants --------------------------------------------------------------------------------------------------------


def variants_of(experiment: Experiment) -> list[Variant]:
    """Every variant with every member of the panel, in the order in which tables and plans number them."""
    variants: list[Variant] = []
    for member in experiment.members:
        member_suffix = f"{OF_MEMBER}{_label(member)}" if len(experiment.members) > 1 else ""
        for board in experiment.boards or (None,):
            suffix = f"{ON_BOARD}{Path(board).stem}" if board and len(experiment.boards) > 1 else ""
            for rules in experiment.variants:
                seed = experiment.seed
                if experiment.design != "paired":
                    seed = int.from_bytes(sha256(f"{seed}/{len(variants)}".encode()).digest()[:8], "little")
                variants.append(
                    Variant(
                        *(rules, experiment.players, board, member, seed, experiment.seats, suffix + member_suffix),
                        move_seconds=experiment.move_seconds,
                    )
                )
    return variants


def _label(member: str) -> str:
    """A member of a panel in the name of a variant, without the folders of its files."""
    return ",".join(spec.rpartition("/")[2] if ".py" in spec else spec for spec in split_bots(member))


def prepare_variants(experiment: Experiment, game: SimulatedGame) -> list[PlayableVariant]:
    """Every variant of an experiment, checked and ready to be played."""
    for board in experiment.boards:
        find_shell(experiment.game).check_board(board)
    playable = [game.prepare(variant) for variant in variants_of(experiment)]
    names: set[str] = set()
    for variant in playable:
        check_prepared(game, variant)
        if variant.name in names:
            raise UsageError(f"the variant '{variant.name}' is there twice; drop one of them")
        names.add(variant.name)
        variant.check_whole_deals(games=experiment.games)
        if experiment.part_games:
            variant.check_whole_deals(part_games=experiment.part_games)
    return playable
