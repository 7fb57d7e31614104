"""What a designer wants of a ruleset: a goal file, and its goals and guards as constraints on metrics.

A goal reads `seat_imbalance <= 1 pp`, `turns 28..34`, `last seat >= 23 %` or `margin smaller by 2`. A guard says by how
much a metric may get worse than in the ruleset that the search starts from.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mmsim.analysis.derived_metrics import SEAT_IMBALANCE
from mmsim.analysis.estimates import WIN_SHARE
from mmsim.analysis.knob_grid import KnobGrid, Setting, Vary, parse_vary
from mmsim.analysis.run_metrics import declared_metrics, find_metric
from mmsim.analysis.tables import TENSION
from mmsim.analysis.win_chances import TENSION_SCHEMA
from mmsim.analysis.wording import SEATS, scale_of
from mmsim.batch.experiment import GAMES_GROUP, named_after, named_levels
from mmsim.core.game import EstimatesWinChances
from mmsim.core.knobs import spelled
from mmsim.core.levels import Level
from mmsim.core.metrics import ORDINALS, Measure
from mmsim.core.variant import Variant
from mmsim.errors import UsageError, unknown
from mmsim.games import find_game, find_shell, find_statistics, game_of_ruleset
from mmsim.system.files import read_toml
from mmsim.system.validation import check_keys, convert

MAX_GRID = 200_000  # rulesets that a search may choose from
_LESS, _MORE = ("smaller", "lower", "fewer", "earlier", "shorter"), ("larger", "higher", "more", "later", "longer")
_NUMBER = r"([+-]?\d+(?:\.\d+)?)\s*(%|pp)?"
_EXAMPLES = "like 'seat_imbalance <= 1 pp', 'turns 28..34', 'last seat >= 23 %' or 'margin smaller by 2'"


@dataclass(frozen=True)
class Constraint:
    """A limit of a metric, or of its difference from the ruleset that the search starts from."""

    text: str  # the goal or guard as it was written
    measure: Measure
    group: str
    sign: int  # 1: no more than the bound; -1: no less
    bound: float
    relative: bool = False  # to the start
    is_guard: bool = False

    @property
    def is_imbalance(self) -> bool:
        return self.measure.name == SEAT_IMBALANCE.name


@dataclass(frozen=True)
class Goal:
    """What `mmsim design` searches for, and where."""

    name: str
    base: str
    goals: tuple[str, ...]
    knobs: Mapping[str, str | tuple[str | int | bool, ...]]  # that may be changed -> the values to choose from
    question: str = ""
    guards: Mapping[str, str | float] = field(default_factory=dict)  # metric -> how much worse it may get
    costs: Mapping[str, float] = field(default_factory=dict)  # knob -> what changing it costs; 1 if not named
    game: str = ""
    players: int | None = None
    levels: tuple[str, ...] = ()  # at which the goal must be met; the first races, the others judge the finalists
    boards: tuple[str, ...] = ()  # on which it must be met; none: the default board of the game, or its only one
    elsewhere: tuple[str, ...] = ()  # further boards, to see where it holds too
    elsewhere_levels: tuple[str, ...] = ()  # further levels, to see for whom it holds too
    rulesets: int = 500  # that are played, at most
    games: int = 6_000  # of a ruleset in the search at most, by the quickest level
    proof_games: int = 40_000  # of a ruleset in the proof at most, and of one that seems to meet the goal
    seed: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "game", self.game or game_of_ruleset(self.base))
        for key in ("rulesets", "games", "proof_games"):
            if getattr(self, key) < (least := 1 if key == "rulesets" else GAMES_GROUP):
                raise UsageError(f"{key} = {getattr(self, key)} is too small; it must be at least {least}")
        if not 0 <= self.seed < 2**63:
            raise UsageError(f"seed = {self.seed} is not a number from 0 to 2^63 - 1")
        if not self.goals:
            raise UsageError(f"a design needs a goal {_EXAMPLES}")

    @property
    def title(self) -> str:
        return self.question or f"Which change of {self.base} gives {' and '.join(self.goals)}?"

    def required_levels(self) -> tuple[Level, ...]:
        """The levels at which the goal must be met; by default expert, or else the strongest."""
        names = [level.name for level in find_shell(self.game).levels]
        default = "expert" if "expert" in names else names[-1]
        return named_levels(self.game, self.levels or (default,))

    def grid(self) -> tuple[KnobGrid, Setting]:
        """The rulesets to choose from, and the setting of the base; its own values are always among them."""
        shell = find_shell(self.game)
        values = shell.explain(self.base, self.players).knobs
        varied = []
        for knob, listed in self.knobs.items():
            if knob not in shell.knobs:
                raise unknown("knob", knob, shell.knobs)
            words = listed if isinstance(listed, str) else ",".join(map(spelled, listed))
            vary, own = parse_vary(f"{knob}={words}"), spelled(values[knob])
            for value in vary.values:
                shell.knobs[knob].check(knob, value)
            varied.append(vary if own in vary.values else Vary(knob, _inserted(own, vary.values)))
        for knob in self.costs:
            if knob not in self.knobs:
                raise unknown("knob with a cost", knob, self.knobs)
        grid = KnobGrid(self.base, tuple(varied), MAX_GRID, self.costs)
        return grid, tuple(spelled(values[vary.knob]) for vary in grid.varied)

    def constraints(self) -> tuple[Constraint, ...]:
        """Goals and guards; the error for an unknown metric names the nearest one."""
        players = find_shell(self.game).explain(self.base, self.players).players
        limits = [limit for text in self.goals for limit in parse_goal(self.game, text, players)]
        return (*limits, *(limit for guard in self.guards.items() for limit in parse_guard(self.game, *guard)))


def _inserted(own: str, values: Sequence[str]) -> tuple[str, ...]:
    """Values with that of the base: in their order if all are numbers, else first."""
    if not all(re.fullmatch(r"-?\d+", value) for value in (own, *values)):
        return own, *values
    return tuple(sorted((own, *values), key=int, reverse=int(values[0]) > int(values[-1])))


# --- reading ---------------------------------------------------------------------------------------------------------


def read_goal(path: Path, settings: Mapping[str, Any]) -> Goal:
    """The goal in a TOML file, with some settings replaced; every key and type is checked."""
    values = read_toml(path, "goal file")
    try:
        return goal_of({"name": named_after(path.with_suffix("")), **values, **settings})
    except UsageError as error:
        raise UsageError(f"goal file {path}: {error}") from error


def goal_of(values: Mapping[str, Any]) -> Goal:
    """A goal from plain values; a single word may stand for a list of one."""
    check_keys(values, Goal.__dataclass_fields__)
    lists = ("goals", "levels", "boards", "elsewhere", "elsewhere_levels")
    listed = {key: [value] for key, value in values.items() if key in lists and isinstance(value, str)}
    for key in ("base", "goals", "knobs"):
        if key not in values:
            raise UsageError(
                f"a design needs '{key}': mmsim experiments new NAME --goal writes a file with every setting"
            )
    goal = convert({**values, **listed}, Goal, example='["a", "b"]')
    goal.grid(), goal.constraints(), goal.required_levels(), named_levels(goal.game, goal.elsewhere_levels or ("all",))
    for board in (*goal.boards, *goal.elsewhere):
        find_shell(goal.game).check_board(board)
        find_game(goal.game).prepare(Variant(goal.base, goal.players, board))  # an unknown one is refused now
    return goal


def parse_goal(game: str, text: str, players: int) -> list[Constraint]:
    """The one or two limits of a goal."""
    match = re.fullmatch(
        rf"\s*(\S.*?)\s*(?:(<=|>=|<|>)\s*{_NUMBER}|=?\s*{_NUMBER}\s*\.\.\s*{_NUMBER}|\s([a-z]+)(?:\s+by\s+{_NUMBER})?)\s*",
        text,
    )
    if not match:
        raise UsageError(f"'{text}' is not a goal {_EXAMPLES}")
    name, compare, limit, unit, low, low_unit, high, high_unit, word, step, step_unit = match.groups()
    measure, group = _named(game, name, players)
    if compare:
        bounds = [(1 if compare.startswith("<") else -1, _amount(measure, text, limit, unit))]
    elif low:
        ends = [_amount(measure, text, low, low_unit or high_unit), _amount(measure, text, high, high_unit)]
        if ends[0] >= ends[1]:
            raise UsageError(f"'{text}' is no range: it goes from {low} to {high}")
        bounds = [(-1, ends[0]), (1, ends[1])]
    elif word in (*_LESS, *_MORE):
        by = _amount(measure, text, step, step_unit) if step else measure.tolerance
        sign = 1 if word in _LESS else -1
        return [Constraint(text, measure, group, sign, -by, relative=True)]
    else:
        raise UsageError(f"'{text}' is not a goal {_EXAMPLES}")
    if measure.name == SEAT_IMBALANCE.name and any(bound <= 0 for _, bound in bounds):
        raise UsageError(f"'{text}': no games can show an imbalance of nothing; name a limit above 0 pp")
    return [Constraint(text, measure, group, sign, bound) for sign, bound in bounds]


def parse_guard(game: str, name: str, worse: str | float) -> list[Constraint]:
    """A guard as limits of a difference: on the worse side, or on both if neither side is better."""
    measure, group = _named(game, name, 0)
    match = re.fullmatch(rf"\s*{_NUMBER}\s*", str(worse))
    if not match or float(match[1]) < 0:
        raise UsageError(f"{name} = {worse!r} is not an amount by which it may get worse, like 2 or '1 pp'")
    shown = f"{worse:g}" if isinstance(worse, float) else worse
    amount = _amount(measure, f"{name} = {shown}", *match.groups())
    text = f"{name} not worse by more than {shown}" if measure.better else f"{name} within {shown} of the start"
    signs = {"less": (1,), "more": (-1,)}.get(measure.better, (1, -1))
    return [Constraint(text, measure, group, sign, amount, relative=True, is_guard=True) for sign in signs]


def _named(game: str, name: str, players: int) -> tuple[Measure, str]:
    """The metric and group of a name like `turns`, `win_share 2nd` or `last seat`."""
    words = name.split()
    if players and len(words) == 2 and words[1] == "seat":
        seats = {**dict(zip(SEATS, ORDINALS, strict=True)), "last": ORDINALS[players - 1]}
        if seats.get(words[0]) not in ORDINALS[:players]:
            raise unknown("seat", words[0], [*SEATS[:players], "last"])
        return find_metric(game, WIN_SHARE), seats[words[0]]
    word, group = (words or [""])[0], " ".join(words[1:])
    core = find_game(game)
    schemas = core.tables | ({TENSION: TENSION_SCHEMA} if isinstance(core, EstimatesWinChances) else {})
    known = {metric.name: metric for metric in find_statistics(game).metrics if metric.known(schemas)}
    measures = {**known, SEAT_IMBALANCE.name: SEAT_IMBALANCE} if WIN_SHARE in known else known
    if word in measures:
        return measures[word], group
    if word in (measure.name for measure in declared_metrics(game)):
        raise UsageError(f"{word} is not counted game by game; {unknown('metric of games', word, measures)}")
    raise unknown("metric", word, measures)


def _amount(measure: Measure, text: str, number: str, unit: str | None) -> float:
    """A number in the unit of its metric; shares are written in per cent or percentage points."""
    is_share = measure.unit.startswith("share")
    if is_share != bool(unit):
        needed = "a share, so write % or pp after the number" if is_share else f"in {measure.unit}, so no % or pp"
        raise UsageError(f"'{text}': {measure.name} is {needed}")
    return float(number) / scale_of(measure.unit)
