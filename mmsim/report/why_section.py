"""What changes do, one at a time: rows for tables, a chart, and the section of runs that somebody has asked why of."""

from collections.abc import Sequence

from mmsim.analysis import number_format as fmt
from mmsim.analysis.stats import Estimate
from mmsim.analysis.why import Effect, Why, by_group, conclusions
from mmsim.contests.interventions import AS_PLAYED
from mmsim.report import figures
from mmsim.report.charts import Chart, Row

SHOWN = 12  # changes in tables and charts


def changes(why: Why) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of a table of what every change does: by player where it is the imbalance of one kind of bots,
    by kind of players where there are several."""
    if len(why.games) > 1:
        return _changes_of_panel(why)
    first = [AS_PLAYED, "", "", fmt.with_interval(why.before, why.unit), *_shares(why, why.before_groups)]
    rows = [[*_first_cells(why, effect), *_shares(why, effect.groups)] for effect in _shown(why)]
    return [*_columns(why), *(why.groups if len(why.groups) > 1 else ())], [first, *rows]


def _changes_of_panel(why: Why) -> tuple[list[str], list[list[str]]]:
    change, *others = _columns(why)
    first = [AS_PLAYED, "", "", "", fmt.with_interval(why.before, why.unit), *[""] * len(why.games)]
    rows, unit = [first], fmt.difference_unit(why.unit)
    for effect in _shown(why):
        name, *cells = _first_cells(why, effect)
        each = [effect.players.get(player) for player in why.games]
        for_whom = f"{effect.verdict}; {effect.holds}" if effect.holds else effect.verdict
        rows.append([name, for_whom, *cells, *(fmt.with_half_width(one, unit) if one else "–" for one in each)])
    return [change, "for whom", *others, *why.games], rows


def _columns(why: Why) -> list[str]:
    return ["change", "difference", "explains", fmt.title(why.measure)]


def _first_cells(why: Why, effect: Effect) -> list[str]:
    explains = f"{why.explains(effect):+.0%}".replace("-", "−") if effect.told_apart else ""
    return [effect.change, _difference(why, effect), explains, fmt.value(effect.after, why.unit)]


def _shown(why: Why) -> list[Effect]:
    """The changes that do most, of those that do anything."""
    return [effect for effect in why.effects if not effect.same][:SHOWN]


def _difference(why: Why, effect: Effect) -> str:
    return fmt.with_interval(effect.difference, fmt.difference_unit(why.unit), signed=True)


def _shares(why: Why, groups: Sequence[Estimate | None]) -> list[str]:
    """The metric group by group, where it has several."""
    unit = "share" if why.unit == "share distance" else why.unit
    return [fmt.value(one, unit) if one else "–" for one in groups] if len(groups) > 1 else []


def together(why: Why) -> tuple[list[str], list[list[str]]] | None:
    """Columns and rows of a table of two changes, alone and both at once."""
    both = why.interaction
    if both is None:
        return None

    def cell(effect: Effect) -> str:
        return fmt.with_interval(effect.after, why.unit) + by_group(why, effect.groups)

    as_played = fmt.with_interval(why.before, why.unit) + by_group(why, why.before_groups)
    return [fmt.title(why.measure), AS_PLAYED, both.other.change], [
        [AS_PLAYED, as_played, cell(both.other)],
        [both.one.change, cell(both.one), cell(both.both)],
    ]


def text(why: Why) -> list[str]:
    """What the section of a report says: the sentences, and what could not be changed."""
    first, *others = conclusions(why)
    about = f"{fmt.title(why.measure)[:1].upper()}{fmt.title(why.measure)[1:]} of {why.variant}"
    return [f"{about}. {first}", *others, fixed(why)]


def fixed(why: Why) -> str:
    """What does nothing here and what was not changed, in sentences."""
    same = [effect.change for effect in why.effects if effect.same]
    parts = [f"{name} ({reason.removesuffix('.')})" for name, reason in why.fixed.items()]
    sentences = [f"The same in every game: {', '.join(same)}."] if same else []
    not_changed = "; ".join([*parts, "the number of players, the board and how well these players play"])
    return " ".join([*sentences, f"Not changed: {not_changed}."])


def chart(why: Why, name: str = "why") -> Chart:
    """The differences to the games as played; a series for every kind of players."""
    shown = _shown(why)
    panel = len(why.games) > 1
    series = [*why.games, "mean"] if panel else ["difference"]
    rows = [
        Row(one.change, [*(one.players.get(name) for name in why.games), one.difference] if panel else [one.difference])
        for one in shown
    ]
    games = "; ".join(f"{count:,} games of {name}" for name, count in why.games.items())
    note = f"Differences to the games as played ({games}, each change) with 95 % intervals. {conclusions(why)[0]}"
    heading = title(why)
    return figures.dots(name, heading, note, rows, series, fmt.difference_unit(why.unit), 0.0)


def title(why: Why) -> str:
    """The change that explains most, or does most."""
    both, what = why.interaction, f"the {fmt.title(why.measure)} of {why.variant}"
    if both and why.explains(both.one) > 0:
        return f"{both.one.change} takes away {fmt.percent(why.explains(both.one))} of {what}"
    if why.matter:
        return f"{why.matter[0].change} does most to {what}"
    return f"no change does anything to {what} that can be told from chance"
