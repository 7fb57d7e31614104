"""The section on what changes of one thing do, after `mmsim why`."""

from collections.abc import Sequence

from mmsim.analysis import wording as fmt
from mmsim.analysis.stats import Estimate
from mmsim.analysis.why import ChangeEffect, Why, conclusions, read_answers, shares_text
from mmsim.contests.interventions import AS_PLAYED
from mmsim.report import charts
from mmsim.report.charts import Chart, Row
from mmsim.report.report_data import ReportData
from mmsim.report.sections import Section, Table
from mmsim.report.sentences import capitalise

MAX_CHANGE_ROWS = 12  # in tables and charts


def why(data: ReportData) -> Section | None:
    """What changes of one thing do, if `mmsim why` was run on this run."""
    answers = read_answers(data.run.folder)
    if not answers:
        return None
    text, tables = [], []
    for answer in answers:
        metric = fmt.title(answer.measure)
        first, *others = conclusions(answer)
        text += [f"{capitalise(metric)} of {answer.variant}. {first}", *others, unchanged_text(answer)]
        columns, rows = change_rows(answer)
        caption = f"{answer.variant}: what {metric} becomes"
        tables.append(Table(caption, columns, rows, words=columns.index("difference")))
        if both := interaction_rows(answer):
            caption = f"{answer.variant}: two changes, alone and together"
            tables.append(Table(caption, *both, folded=False))
    chart_list = [why_chart(answer, f"why-{number}") for number, answer in enumerate(answers, 1)]
    return Section("why", "Why", why_title(answers[0]), text, chart_list, tables)


def change_rows(why: Why) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of a table of what every change does, by group of the metric."""
    metric, unit = fmt.title(why.measure), fmt.difference_unit(why.unit)
    percent = " %" if why.unit.startswith("share") else ""
    groups = [f"{group}{percent}" for group in why.groups] if len(why.groups) > 1 else []
    columns = ["change", *["group"] * why.is_grouped, "difference", "explains", metric, *groups]
    as_played = [""] * 4 if why.is_grouped else ["", "", fmt.with_interval(why.before, why.unit)]
    rows = [[AS_PLAYED, *as_played, *_group_cells(why, why.before_groups)]]
    for effect in _shown_effects(why):
        group = [fmt.title(effect.group)] if why.is_grouped else []
        explains = f"{why.explains(effect):+.0%}".replace("-", "−") if effect.is_significant else ""
        cells = [fmt.with_interval(effect.difference, unit, signed=True), explains, fmt.value(effect.after, why.unit)]
        rows.append([effect.change, *group, *cells, *_group_cells(why, effect.groups)])
    return columns, rows


def _shown_effects(why: Why) -> list[ChangeEffect]:
    """The changes that do most, without those that do nothing."""
    return [effect for effect in why.effects if not effect.identical][:MAX_CHANGE_ROWS]


def _group_cells(why: Why, groups: Sequence[Estimate | None]) -> list[str]:
    """The metric by group, if it has several."""
    unit = "share" if why.unit == "share distance" else why.unit
    if len(groups) < 2:
        return []
    return [fmt.value(estimate, unit).removesuffix("\u00a0%") if estimate else "–" for estimate in groups]


def interaction_rows(why: Why) -> tuple[list[str], list[list[str]]] | None:
    """Columns and rows of a table of two changes, alone and both at once, in the group where both do most."""
    pair = why.interaction
    if pair is None:
        return None
    group = pair.both.group

    def cell(explained: Estimate, groups: Sequence[Estimate | None]) -> str:
        estimate = groups[why.groups.index(group)] if why.is_grouped else explained
        return fmt.with_interval(estimate, why.unit) + shares_text(why, groups) if estimate else "–"

    as_played = cell(why.before, why.before_groups)
    first, second, both = (cell(effect.after, effect.groups) for effect in (pair.first, pair.second, pair.both))
    columns = [fmt.label(why.measure, group), AS_PLAYED, pair.second.change]
    return columns, [[AS_PLAYED, as_played, second], [pair.first.change, first, both]]


def unchanged_text(why: Why) -> str:
    """Which changes do nothing, and what was not changed."""
    same = [effect.change for effect in why.effects if effect.identical]
    fixed = [f"{name} ({reason.removesuffix('.')})" for name, reason in why.fixed.items()]
    not_changed = "; ".join([*fixed, "the number of players, the board and how well these bots play"])
    return (f"The same in every game: {', '.join(same)}. " if same else "") + f"Not changed: {not_changed}."


def why_chart(why: Why, name: str = "why") -> Chart:
    """The differences from the games as played."""
    rows = [Row(effect.change + effect.for_group, [effect.difference]) for effect in _shown_effects(why)]
    games = f"{why.bots}, {why.games:,} games each"
    note = f"Differences from the games as played ({games}) with 95 % intervals. {conclusions(why)[0]}"
    return charts.dot_chart(name, why_title(why), note, rows, ["difference"], fmt.difference_unit(why.unit), 0.0)


def why_title(why: Why) -> str:
    """One change that explains much, or does much, with its number."""
    pair, metric = why.interaction, f"the {fmt.title(why.measure)} of {why.variant}"
    if pair and why.explains(pair.first) > 0:
        share = fmt.percent(why.explains(pair.first))
        return f"with {pair.first.change}, {share} of {metric}{pair.first.for_group} goes away"
    if why.significant_effects:
        return f"with {why.significant_effects[0].change}, {metric} changes"
    return f"no change has a significant effect on {metric}"
