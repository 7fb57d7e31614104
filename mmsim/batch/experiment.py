"""Experiments: which variants are played by which bots, how often and from which seed."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from math import inf, sqrt
from pathlib import Path
from typing import Any, TypedDict

from mmsim.core.bots import NetBot
from mmsim.core.game import SimulatedGame, check_prepared
from mmsim.core.levels import RETRAINED, Level, find_levels
from mmsim.core.seating import bot_names, find_bot, split_bots
from mmsim.core.variant import ON_BOARD, PlayableVariant, Variant, board_label, check_seating, split_file
from mmsim.errors import UsageError, unknown
from mmsim.games import DEFAULT, GAMES, find_shell, game_of_all
from mmsim.system.files import checked_file_name, data_folder, read_toml
from mmsim.system.validation import abbreviated, check_keys, convert

DESIGNS = ("paired", "independent")
DIRECTIONS = ("higher", "lower")
OF_LEVEL = "~"  # between a variant and the level that plays it, in the name of their games
_GAMES_PER_PART = 3000  # of the quickest strong bot: about a second of one core
GAMES_GROUP = 60  # divisible by 2 to 6 players, so that rotated seats come out even
_UNKNOWN_COST = 300.0  # of bots in Python, relative to the quickest strong bot
_RANGES = {
    "players": (1, 100),
    "games": (1, 10**12),
    "seed": (0, 2**64 - 1),
    "part_games": (1, 1_000_000),
    "retrain_games": (100, 10_000_000),
}
# Games to learn positions from for every game to learn decisions from, and for every game to judge the nets by.
DECISIONS_EVERY, HELD_OUT_EVERY = 10, 5
_RETRAINING_S = 195.0  # of one core and per variant, by declared costs; on a slow core it may be twice as long
_POSITIONS_COST, _DECISIONS_COST = 3.0, 5.0  # of a game to learn from, with the fit, relative to one that is played


ABOUT = ("seats", "layouts", "differences")


@dataclass(frozen=True)
class WantedAnswer:
    """What would answer the question of an experiment: a metric that is higher or lower than in the first variant (or
    just different), or, without a metric, what the answer is about."""

    metric: str = ""
    group: str = ""  # of the metric; none: any of its groups
    direction: str = ""  # higher or lower; none: any difference
    tolerance: float | None = None  # None: that of the metric
    about: str = ""  # which seats are ahead, how much layouts matter, what differs

    @property
    def tolerances(self) -> dict[str, float]:
        """Its own tolerance, by metric; empty if that of the metric holds."""
        return {} if self.tolerance is None else {self.metric: self.tolerance}

    def __post_init__(self) -> None:
        if self.about and self.about not in ABOUT:
            raise unknown("answer", self.about, ABOUT)
        if bool(self.about) == bool(self.metric):
            raise UsageError('an answer is one of "seats", "layouts" and "differences", or names a metric')
        if self.direction not in ("", *DIRECTIONS):
            raise unknown("direction", self.direction, DIRECTIONS)
        if self.about and (self.group or self.direction or self.tolerance is not None):
            raise UsageError(f'the answer "{self.about}" has no group, direction or tolerance')
        if self.tolerance is not None and not 0 < self.tolerance < inf:
            raise UsageError(f"the tolerance of an answer must be a number above 0, not {self.tolerance:g}")


class _Lists(TypedDict, total=False):
    """The settings of an experiment that are lists."""

    variants: tuple[str, ...]
    boards: tuple[str, ...]
    metrics: tuple[str, ...]


@dataclass(frozen=True)
class Experiment:
    """What is played to answer a question; every ruleset is played on every board at every level."""

    name: str
    variants: tuple[str, ...]  # ruleset specs
    question: str = ""
    answer: WantedAnswer | None = None  # None: what differs, or which seats are ahead if there is one variant
    game: str = DEFAULT
    boards: tuple[str, ...] = ()  # none: the default board of the game, or its only one
    players: int | None = None  # None: the default number of each ruleset
    bots: str = ""  # the bots of one table, instead of levels
    levels: tuple[Level, ...] = ()  # who plays, from weak to strong; without either, the game's default levels
    games: int = 10_000  # of every variant, by the quickest level
    seed: int = 1
    design: str = "paired"  # every variant plays the same layouts and deals
    seats: str = "fixed"
    part_games: int | None = None  # games per part of the tables; None: as many as take about a second
    metrics: tuple[str, ...] = ()  # chosen before anything is played; none: the game's short list
    move_seconds: float | None = None  # bots in Python run in processes of their own, with this time limit per move
    retrain: bool = False  # levels with neural nets also play with nets fitted to every variant
    retrain_games: int | None = None  # to fit the nets of a variant to; None: as many as take some minutes of one core

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise unknown("game", self.game, GAMES)
        if self.design not in DESIGNS:
            raise unknown("design", self.design, DESIGNS)
        check_seating(self.seats)
        if not self.variants:
            raise UsageError("an experiment needs at least one ruleset")
        if self.bots and self.levels:
            raise UsageError("an experiment names the bots of one table or levels of play, not both")
        if not self.bots and not self.levels:
            object.__setattr__(self, "levels", named_levels(self.game, ()))
        if self.retrain and self.bots:
            raise UsageError("nets are retrained for levels of play; name levels instead of the bots of one table")
        if self.retrain_games and not self.retrain:
            raise UsageError("retrain_games needs retrain = true, or --retrain")
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
    def played_levels(self) -> tuple[Level, ...]:
        """Who plays every variant: its levels, or the bots of its one table."""
        return self.levels or (Level(self.bots, self.bots, self.bots),)

    @property
    def variants_per_level(self) -> int:
        """Rulesets times boards: what every level plays."""
        return len(self.variants) * max(1, len(self.boards))

    def analysed_levels(self, shipped: bool = False) -> list[int]:
        """The indices of the levels to analyse; of a retrained level and the shipped one it comes from, only one."""
        retrained = {level.shipped_name for level in self.played_levels if level.is_retrained}
        return [
            place
            for place, level in enumerate(self.played_levels)
            if level.is_retrained != shipped or level.shipped_name not in retrained
        ]

    @property
    def averages_boards(self) -> bool:
        """True if rulesets are compared on average over boards; with one ruleset the boards are compared."""
        return len(self.boards) > 1 and len(self.variants) > 1

    @property
    def wanted(self) -> WantedAnswer:
        """What would answer the question."""
        several = len(self.variants) > 1 or len(self.boards) > 1
        return self.answer or WantedAnswer(about="differences" if several else "seats")

    def with_files(self, rename: Callable[[str], str]) -> "Experiment":
        """The experiment with other names of its rulesets and boards, which may be files."""

        def renamed(word: str) -> str:
            name, layout = split_file(word)
            return f"{rename(name)}{layout}"

        return replace(self, variants=tuple(map(renamed, self.variants)), boards=tuple(map(renamed, self.boards)))

    @property
    def named_metrics(self) -> list[str]:
        """The metrics that it names, which its game must have."""
        return [*self.metrics, *filter(None, [self.wanted.metric])]

    def with_bots(self, bots: Sequence[str]) -> "Experiment":
        """The same experiment with other bots at its tables."""
        if self.levels:
            levels = zip(self.levels, bots, strict=True)
            return replace(self, levels=tuple(replace(level, bots=seated) for level, seated in levels))
        (seated,) = bots
        return replace(self, bots=seated)

    def to_json(self) -> dict[str, Any]:
        """The settings as plain JSON; those about retraining are left out unless nets are retrained."""
        values = asdict(self)
        return values if self.retrain else {key: values[key] for key in values if not key.startswith("retrain")}


# --- reading ---------------------------------------------------------------------------------------------------------


def shipped_experiments() -> dict[str, Path]:
    """The files of the experiments that come with mmsim, by name."""
    return {path.stem: path for path in sorted(data_folder("experiments").glob("*.toml"))}


def find_experiment(name_or_path: str) -> Experiment:
    """A shipped experiment by its name, or the one in a TOML file."""
    if name_or_path.endswith(".toml"):
        return read_experiment(Path(name_or_path))
    if path := shipped_experiments().get(name_or_path):
        return read_experiment(path)
    raise unknown("experiment", name_or_path, shipped_experiments())


def read_experiment(path: Path) -> Experiment:
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
    """An experiment from plain values; every key and type is checked. A single word may stand for a list of one.

    `time`, like 20m, stands for as many games as take that long on one core, by the declared costs of the bots.
    """
    values = dict(values)
    time = values.pop("time", None)
    check_keys(values, Experiment.__dataclass_fields__)
    lists = (*_Lists.__annotations__, "levels")
    values |= {key: [value] for key, value in values.items() if key in lists and isinstance(value, str)}
    if isinstance(values.get("bots"), list | tuple) and all(isinstance(bot, str) for bot in values["bots"]):
        values["bots"] = ",".join(values["bots"])
    elif not isinstance(values.get("bots", ""), str):
        raise UsageError(f'bots = {abbreviated(values["bots"])} is not a list like ["a", "b"]')
    if isinstance(values.get("answer"), str):
        values["answer"] = {"about": values["answer"]}
    elif isinstance(values.get("answer"), Mapping):
        check_keys(values["answer"], WantedAnswer.__dataclass_fields__)
    if "variants" not in values:
        raise UsageError('an experiment needs a line like variants = ["print", "print+loyal"]')
    for key, words in convert(values, _Lists, example='["a", "b"]').items():
        values[key] = [_beside(word, beside) for word in words]  # type: ignore[attr-defined]
    if "game" not in values:
        values["game"] = game_of_all(values["variants"]) if values["variants"] else DEFAULT
    words = values.get("levels") or ()
    if words and values["game"] in GAMES and all(isinstance(word, str) for word in words):
        values["levels"] = [asdict(level) for level in named_levels(values["game"], words)]
    experiment = convert(values, Experiment)
    return experiment if time is None else replace(experiment, games=games_in(experiment, parse_duration(time)))


def with_settings(experiment: Experiment, settings: Mapping[str, Any]) -> Experiment:
    """The same experiment with other settings; naming bots replaces levels, and the other way round."""
    replaced = {"levels": ()} if "bots" in settings else {"bots": ""} if "levels" in settings else {}
    return from_mapping({**experiment.to_json(), **replaced, **settings})


def _beside(word: str, folder: Path) -> str:
    name, layout = split_file(word)
    path = folder / name
    return f"{path}{layout}" if name.endswith(".toml") and path.exists() else word


def named_after(path: Path) -> str:
    """A name for an experiment that has none: that of a folder or file, if it is a valid one."""
    try:
        return checked_file_name(path.resolve().name, "the name")
    except UsageError:
        return "run"


# --- players ---------------------------------------------------------------------------------------------------------


def named_levels(game: str, words: Sequence[str]) -> tuple[Level, ...]:
    """The levels that words name, such as `club..master` or `all`; by default those of the game."""
    shell = find_shell(game)
    return find_levels(words or [shell.default_levels], shell.levels, shell.bots)


def with_retrained_levels(experiment: Experiment) -> Experiment:
    """The experiment with a retrained level beside every one whose bots have neural nets, and the games for that."""
    if not experiment.retrain:
        return experiment
    levels: list[Level] = []
    shipped = [level for level in experiment.levels if not level.is_retrained]
    for level in shipped:
        levels.append(level)
        if with_nets(experiment.game, level.bots, "any") != level.bots:
            levels.append(replace(level, name=f"{level.name}{RETRAINED}"))
    if len(levels) == len(shipped):
        names = ", ".join(level.name for level in shipped)
        raise UsageError(f"there is nothing to retrain: {names} play without neural nets of {experiment.game}")
    games = experiment.retrain_games or _retraining_games(experiment.game)
    return replace(experiment, levels=tuple(levels), retrain_games=games)


def with_nets(game: str, bots: str, file: str) -> str:
    """A list of bots in which those with neural nets have the nets of a file, unless they name others."""
    if set(",:=") & set(file):
        raise UsageError(f"nets cannot be seated from {file}: its name has a comma, a colon or an equals sign")
    known = find_shell(game).bots

    def seated(spec: str) -> str:
        name, colon, settings = spec.partition(":")
        if not isinstance(known.get(name), NetBot) or "weights=" in settings:
            return spec
        return f"{name}:weights={file}{',' if colon else ''}{settings}"

    return ",".join(map(seated, split_bots(bots)))


def ignored_knobs(game: str, bot_list: str, rules: str, other_rules: str, players: int | None) -> tuple[str, ...]:
    """The knobs in which two rulesets differ, if they differ in nothing else and no bot looks at them."""
    shell = find_shell(game)
    before, after = shell.explain(rules, players), shell.explain(other_rules, players)
    if [fact.value for fact in before.facts] != [fact.value for fact in after.facts]:
        return ()
    different = tuple(name for name, value in before.knobs.items() if after.knobs.get(name) != value)
    bots = {*bot_names(bot_list)}
    return different if all(bots <= {*shell.bots_ignoring.get(knob, ())} for knob in different) else ()


def drop_indifferent_levels(experiment: Experiment) -> tuple[Experiment, list[str]]:
    """The experiment without the levels that play all its variants alike, and why each was dropped; refused if none
    is left."""
    reasons = {level: _why_indifferent(experiment, level) for level in experiment.played_levels}
    dropped = [reason for reason in reasons.values() if reason]
    if len(dropped) == len(reasons):
        raise UsageError(dropped[0])
    left = tuple(level for level, reason in reasons.items() if not reason)
    return replace(experiment, levels=left) if dropped else experiment, dropped


def _why_indifferent(experiment: Experiment, level: Level) -> str:
    """Why the bots of a level play all variants alike; empty if they do not."""
    first, *others = experiment.variants
    ignored = [ignored_knobs(experiment.game, level.bots, first, other, experiment.players) for other in others]
    if len(experiment.boards) > 1 or not ignored or not all(ignored):
        return ""
    knobs = ", ".join(dict.fromkeys(knob for names in ignored for knob in names))
    who = level.name if level.name == level.bots else f"{level.name} ({level.bots})"
    return f"{who} gives no evidence here: {first} and {', '.join(others)} differ in {knobs}, which it ignores"


# --- how many games --------------------------------------------------------------------------------------------------


def cost_of(game: str, bots: str) -> float:
    """The time of a game of some bots, relative to the quickest strong bot; bots in Python count as 1."""
    shell = find_shell(game)
    known = [spec for spec in split_bots(bots) if spec.partition(":")[0] in shell.bots]
    return max((shell.cost(find_bot(spec, shell.bots)) for spec in known), default=1.0)


def game_seconds(game: str, bots: str) -> float:
    """The seconds that a game of some bots takes on one core, by declared costs."""
    return cost_of(game, bots) / find_shell(game).games_per_s


def thinning(experiment: Experiment) -> list[int]:
    """For every level, how many games the quickest level plays for each of its own.

    Numbers of games are proportional to one over the square root of the cost of a game: for a given time, this makes
    the sum of the levels' variances least (Cochran 1977, section 5.5).
    """
    costs = [max(1.0, cost_of(experiment.game, level.bots)) for level in experiment.played_levels]
    return [max(1, round(sqrt(cost / min(costs)))) for cost in costs]


def games_per_level(experiment: Experiment) -> dict[str, int]:
    """How many games of every variant each level plays."""
    return {
        level.name: -(-experiment.games // every)
        for level, every in zip(experiment.played_levels, thinning(experiment), strict=True)
    }


def _retraining_games(game: str) -> int:
    """How many games to learn positions from, so that a whole retraining takes some minutes by declared costs."""
    bot = next(bot for bot in find_shell(game).bots.values() if isinstance(bot, NetBot))
    decisions = (_DECISIONS_COST / DECISIONS_EVERY + 1 / HELD_OUT_EVERY) * game_seconds(game, bot.name)
    games = _RETRAINING_S / (_POSITIONS_COST * game_seconds(game, ",".join(bot.teachers)) + decisions)
    return max(1000, int(games) // 1000 * 1000)


def planned_seconds(experiment: Experiment) -> float:
    """The seconds that an experiment takes on one core, by declared costs."""
    games, count = games_per_level(experiment), experiment.variants_per_level
    return sum(
        games[level.name] * count * game_seconds(experiment.game, level.bots) for level in experiment.played_levels
    )


def games_in(experiment: Experiment, seconds: float) -> int:
    """How many games of the quickest level fit into a time on one core.

    By declared costs and never by the clock, so that it is the same on every machine.
    """
    games = seconds / planned_seconds(with_retrained_levels(replace(experiment, games=10**6))) * 10**6
    return max(GAMES_GROUP, int(games) // GAMES_GROUP * GAMES_GROUP)


def parse_duration(text: Any) -> float:
    """Seconds of a time like 90s, 20m or 1.5h."""
    match = re.fullmatch(r"\s*(\d*\.?\d+)\s*([smh])\s*", text) if isinstance(text, str) else None
    if not match or not float(match[1]):
        raise UsageError(f"'{text}' is not a time like 90s, 20m or 2h")
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2]]


def default_part_games(experiment: Experiment, games_per_deal: int) -> int:
    """Games per part, so that a part of the slowest level takes about a second and a killed run loses little.

    By the declared costs of the bots and never by the clock, so that parts hold the same games on every machine. Games
    of one deal stay together.
    """
    known = find_shell(experiment.game).bots
    loads = []
    for level, every in zip(experiment.played_levels, thinning(experiment), strict=True):
        least = 0.0 if all(name in known for name in bot_names(level.bots)) else _UNKNOWN_COST
        loads.append(max(cost_of(experiment.game, level.bots), least) / every)
    games = int(_GAMES_PER_PART / max(loads))
    return max(games_per_deal, games // games_per_deal * games_per_deal)


# --- variants --------------------------------------------------------------------------------------------------------


def variants_of(experiment: Experiment, nets: Sequence[str] = ()) -> list[Variant]:
    """Every variant at every level, in the order in which tables and plans number them.

    `nets` are the files that retrained levels play the variants with, one per variant; empty for the shipped nets.
    """
    variants: list[Variant] = []
    for level in experiment.played_levels:
        named = level.name if experiment.levels else ""
        level_suffix = f"{OF_LEVEL}{level.name}" if len(experiment.played_levels) > 1 else ""
        for board in experiment.boards or (None,):
            suffix = f"{ON_BOARD}{board_label(board)}" if board and len(experiment.boards) > 1 else ""
            for rules in experiment.variants:
                seed = experiment.seed
                if experiment.design != "paired":
                    seed = int.from_bytes(sha256(f"{seed}/{len(variants)}".encode()).digest()[:8], "little")
                file = nets[len(variants) % experiment.variants_per_level] if nets and level.is_retrained else ""
                bots = with_nets(experiment.game, level.bots, file) if file else level.bots
                variants.append(
                    Variant(
                        *(rules, experiment.players, board, bots, seed, experiment.seats, suffix, named, level_suffix),
                        move_seconds=experiment.move_seconds,
                    )
                )
    return variants


def prepare_variants(experiment: Experiment, game: SimulatedGame, nets: Sequence[str] = ()) -> list[PlayableVariant]:
    """Every variant of an experiment, checked and ready to be played."""
    for board in experiment.boards:
        find_shell(experiment.game).check_board(board)
    playable = [game.prepare(variant) for variant in variants_of(experiment, nets)]
    names: set[str] = set()
    for variant in playable:
        check_prepared(game, variant)
        if variant.name in names:
            raise UsageError(f"the variant '{variant.name}' is listed twice; remove one")
        names.add(variant.name)
        variant.check_whole_deals(games=experiment.games)
        if experiment.part_games:
            variant.check_whole_deals(part_games=experiment.part_games)
    return playable
