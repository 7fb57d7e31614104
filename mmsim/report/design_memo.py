"""What a design found, as a memo in plain words and as JSON: the answer, its proof, whether less would do, for whom and
where it holds, what else changes, and what is gained for which change."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from mmsim.analysis import wording as fmt
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE
from mmsim.analysis.design import Design
from mmsim.analysis.design_candidates import Candidate, Cell
from mmsim.analysis.evidence import Evidence, Finding
from mmsim.analysis.goals import Constraint, Goal
from mmsim.analysis.run_metrics import find_metric
from mmsim.analysis.stats import Estimate
from mmsim.analysis.wording import ruleset_titles, wording
from mmsim.batch.confidence import ALPHA
from mmsim.core.metrics import Measure
from mmsim.games import find_shell
from mmsim.report.sentences import capitalise

_MAX_FRONT = 12  # rows of the table of trade-offs
Cells = list[str]


@dataclass(frozen=True)
class MemoTable:
    title: str
    columns: Cells
    rows: list[Cells]
    note: str = ""

    def markdown(self) -> str:
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        table = "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
        return f"## {self.title}\n\n{self.note + chr(10) * 2 if self.note else ''}{table}\n"


# --- the answer -----------------------------------------------------------------------------------------------------


def answer(design: Design) -> list[str]:
    """The answer, its limits and what to do next; the first sentence stands alone."""
    winner, wanted = design.winner, goal_in_words(design.goal, design.constraints)
    (base,) = ruleset_titles(design.goal.game, [design.goal.base])
    if winner is None:
        return [*_nothing_found(design, base, wanted)]
    if not winner.changes:
        first = f"Nothing needs to change: with {base} the goal is met ({wanted}) {_where(design)}."
        return [first, *_caveats(design, winner)]
    which = "smallest confirmed change" if design.not_excluded or design.left else "smallest change"
    first = f"The {which} of {base} that meets the goal ({wanted}) {_where(design)}: {_in_words(design, winner)}."
    return [first, f"{_numbers(design, winner)}.", _smallest(design, winner), *_caveats(design, winner)]


def _in_words(design: Design, one: Candidate) -> str:
    """A ruleset as players would name it, with the knobs that make it."""
    if not one.changes:
        return "no change"
    title = ruleset_titles(design.goal.game, [design.goal.base, one.rules])[1]
    return f"{title} ({', '.join(one.changes)})"


def goal_in_words(goal: Goal, constraints: Sequence[Constraint]) -> str:
    """The goals as players would say them: unevenness of the seats: at most 1 point."""
    by_text: dict[str, list[Constraint]] = {}
    for limit in constraints:
        if not limit.is_guard:
            by_text.setdefault(limit.text, []).append(limit)
    return fmt.join_words([_limits_in_words(goal, limits) for limits in by_text.values()])


def _label(goal: Goal, limit: Constraint) -> str:
    """What is limited, as players would say it: unevenness of the seats."""
    players = find_shell(goal.game).explain(goal.base, goal.players).players
    return wording(goal.game, limit.measure.name, limit.group, players).label


def _limits_in_words(goal: Goal, limits: Sequence[Constraint]) -> str:
    """The one or two limits of a goal."""
    first, unit = limits[0], limits[0].measure.unit
    label = _label(goal, first)
    amounts = " to ".join(f"{abs(limit.bound) * fmt.scale_of(unit):g}" for limit in limits)
    is_percentage = unit == "share" and not first.relative
    noun = "%" if is_percentage else "points" if unit.startswith("share") else unit
    amounts += f" {noun.removesuffix('s') if amounts == '1' else noun}"
    if first.relative:
        return f"{label}: {'lower' if first.sign > 0 else 'higher'} by at least {amounts}"
    if len(limits) == 2:
        return f"{label}: {amounts}"
    return f"{label}: at {'most' if first.sign > 0 else 'least'} {amounts}"


def _where(design: Design) -> str:
    """The levels and boards of the goal: at expert and master on box."""
    levels, boards = (
        fmt.join_words([*dict.fromkeys(words)])
        for words in (
            (cell.level.name for cell in design.cells),
            (cell.board for cell in design.cells if cell.board),
        )
    )
    return f"at {levels} on {boards}" if boards else f"at {levels}"


def _numbers(design: Design, candidate: Candidate) -> str:
    """The metrics of the goals wherever a ruleset was played, before and after."""
    parts, cells = [], _played_cells(design, candidate)
    for limit in _by_metric(design, guards=False):
        unit, values = limit.measure.unit, []
        for cell in cells:
            evidence = candidate.evidence[cell]
            shown = evidence.shown(limit.measure, limit.group, _each(design, candidate.alphas.get(cell, ALPHA)))
            before, instead, games = design.start.evidence.get(cell), "", f"{evidence.games:,} games"
            if before and candidate is not design.start:
                instead = f" instead of {fmt.short(before.shown(limit.measure, limit.group, ALPHA), unit)}"
                games += f" and {before.games:,} with no change" if before.games < evidence.games else ""
            values.append(f"{fmt.with_interval(shown, unit)}{instead} ({cell.name}, {games})")
        parts.append(f"{capitalise(_label(design.goal, limit))}: {fmt.join_words(values)}")
    missing = [cell.name for cell in design.cells if cell.name not in {played.name for played in cells}]
    held_out = ", on seeds that the search did not use" if set(cells) <= {*design.proof_cells} else ""
    return f"{'; '.join(parts)}{held_out}{f'; not tested at {fmt.join_words(missing)}' if missing else ''}"


def _played_cells(design: Design, candidate: Candidate) -> list[Cell]:
    """Where a ruleset was played: in the proof, or else in the search."""
    pairs = zip(design.proof_cells, design.cells, strict=True)
    return [
        cell for cell in (next((cell for cell in pair if cell in candidate.evidence), None) for pair in pairs) if cell
    ]


def _smallest(design: Design, winner: Candidate) -> str:
    """Whether less would do."""
    unsure, left = design.not_excluded, design.left
    smaller = sum(one.cost < winner.cost for one in design.candidates)
    if unsure:
        named = "; ".join(one.title for one in unsure[:3])
        return f"Whether less would do is open: these games do not exclude {named}."
    if left:
        return (
            f"None of the {smaller:,} rulesets played that change less meets the goal; {left:,} more were not played, "
            "so a smaller change may exist."
        )
    those = "the one ruleset that changes less is" if smaller == 1 else f"all {smaller:,} rulesets that change less are"
    return f"Less does not do: {those} shown to miss the goal."


def _nothing_found(design: Design, base: str, wanted: str) -> Iterator[str]:
    played, tested = len(design.candidates), (*design.finalists, *design.neighbours)
    excluded = sum(one.is_excluded((*design.cells, *design.proof_cells)) for one in design.candidates)
    goal = f"({wanted}) {_where(design)}{' together' if len(design.cells) > 1 else ''}"
    if excluded == played and not design.left:
        yield f"No change of {base} within these knobs meets the goal {goal}: all {played:,} are shown to miss it."
    else:
        known = "is confirmed to meet" if design.finalists else "was found that may meet"
        yield (
            f"No change of {base} {known} the goal {goal}; of {design.grid:,} rulesets {played:,} were played, and "
            f"{excluded:,} are shown to miss it."
        )
    yield from _enough_for_one(design)
    nearest = min(
        design.candidates, key=lambda one: (one not in tested, not _is_open(design, one), _violation(design, one))
    )
    yield f"Nearest: {_in_words(design, nearest)}, {_state(design, nearest, nearest in tested)}."
    yield f"{_numbers(design, nearest)}."


def _state(design: Design, one: Candidate, is_tested: bool) -> str:
    if one.is_excluded((*design.cells, *design.proof_cells)):
        return "which misses it"
    return f"undecided in the proof; {_more_games(design, one)}" if is_tested else "left open by the search"


def _enough_for_one(design: Design) -> Iterator[str]:
    """Where no change suits all levels and boards together: the smallest one that each of them confirms."""
    for both in zip(design.cells, design.proof_cells, strict=True) if len(design.cells) > 1 else ():
        met = [one for one in design.candidates if not one.is_excluded(both) and _is_met(one, both)]
        if met:
            yield f"At {both[0].name} alone it is met by {_in_words(design, min(met, key=lambda one: one.cost))}."


def _is_met(one: Candidate, cells: Sequence[Cell]) -> bool:
    return any(one.findings.get(cell) is Finding.MET for cell in cells)


def _more_games(design: Design, one: Candidate) -> str:
    """How many games would settle a proof that is open."""
    needed, name = max(
        (one.evidence[cell].games_to_settle(design.constraints, one.alphas[cell]), cell.name)
        for cell in design.proof_cells
        if one.findings.get(cell) is Finding.OPEN
    )
    return (
        f"{fmt.games(needed, needed)} at {name} should settle it" if needed < inf else "it may lie at the limit itself"
    )


def _is_open(design: Design, one: Candidate) -> bool:
    return one.finding(design.proof_cells) is Finding.OPEN


def _violation(design: Design, one: Candidate) -> float:
    """How far a ruleset is from the goal at the worst of the levels and boards that it was played at."""
    return max(one.evidence[cell].violation(design.constraints) for cell in _played_cells(design, one))


def _caveats(design: Design, winner: Candidate) -> Iterator[str]:
    """For whom and where else the answer holds, or does not."""
    words = {Finding.MET: "met", Finding.FAILED: "missed", Finding.OPEN: "open, for want of games,"}
    first = design.cells[0]
    levels = [cell for cell in design.elsewhere if cell.board == first.board]
    if levels:
        names = {
            word: fmt.join_words([cell.level.name for cell in levels if winner.findings[cell] is finding])
            for finding, word in words.items()
        }
        yield f"At other levels it is {'; '.join(f'{word} at {name}' for word, name in names.items() if name)}."
    if boards := [cell for cell in design.elsewhere if cell not in levels]:
        findings = [winner.findings[cell] for cell in boards]
        counts = {word: findings.count(finding) for finding, word in words.items() if finding in findings}
        many = f"{len(boards)} other boards" if len(boards) > 1 else "another board"
        counted = "; ".join(f"{word} on {count}" for word, count in counts.items())
        ranges = [
            f"{_label(design.goal, limit)} {_range([winner.evidence[cell] for cell in boards], limit)}"
            for limit in _by_metric(design, guards=False)
        ]
        yield f"On {many} at {first.level.name} it is {counted} ({'; '.join(ranges)})."


def _range(evidences: Sequence[Evidence], limit: Constraint) -> str:
    """The lowest and the highest estimate of a metric."""
    estimates = sorted(
        (evidence.shown(limit.measure, limit.group, ALPHA) for evidence in evidences), key=lambda one: one.value
    )
    unit = limit.measure.unit
    ends = dict.fromkeys(fmt.short(one, unit) for one in (estimates[0], estimates[-1]))
    return " to ".join(ends)


# --- tables ---------------------------------------------------------------------------------------------------------


def _by_metric(design: Design, guards: bool = True) -> list[Constraint]:
    """One constraint per metric and group, of goals or of guards as well."""
    chosen = [limit for limit in design.constraints if guards or not limit.is_guard]
    return list({(limit.measure.name, limit.group): limit for limit in reversed(chosen)}.values())[::-1]


def _each(design: Design, alpha: float) -> float:
    """The error rate of one interval, of which a cell has as many as there are constraints."""
    return alpha / len(design.constraints)


def _measured(design: Design, one: Candidate, cell: Cell) -> Cells:
    """The metrics of a goal with their intervals: simultaneous ones in the cells of a proof."""
    alpha = _each(design, one.alphas[cell]) if cell in one.alphas else ALPHA
    return [
        fmt.with_interval(one.evidence[cell].shown(limit.measure, limit.group, alpha), limit.measure.unit)
        for limit in _by_metric(design)
    ]


def tables(design: Design) -> list[MemoTable]:
    metrics = [fmt.label(limit.measure.name, limit.group) for limit in _by_metric(design)]
    made, winner = [], design.winner
    if design.finalists:
        tested = [design.start, *(one for one in design.finalists if one is not design.start)]
        rows = [
            [
                one.title,
                cell.name,
                *_measured(design, one, cell),
                f"{one.evidence[cell].games:,}",
                one.findings[cell],
            ]
            for one in tested
            for cell in design.proof_cells
            if cell in one.findings
        ]
        note = (
            "On seeds that the search did not use, with simultaneous 95 % intervals. The number of games was planned; "
            "what was clear before was played no further."
        )
        made.append(MemoTable("Proof", ["change", "who and where", *metrics, "games", "goal"], rows, note))
    if design.neighbours:
        made.append(_rivals_table(design, metrics))
    if design.elsewhere and winner:
        rows = [
            [
                cell.name,
                *_measured(design, winner, cell),
                f"{winner.evidence[cell].games:,}",
                winner.findings[cell],
            ]
            for cell in design.elsewhere
        ]
        made.append(MemoTable("For whom and where else", ["who and where", *metrics, "games", "goal"], rows))
    if winner and winner.changes and design.effects:
        made.append(_side_effects(design, design.effects))
    made.append(_front_table(design, metrics))
    return made


def _rivals_table(design: Design, metrics: Cells) -> MemoTable:
    """Smaller changes than the answer and its neighbours; where there is no answer, what the search had left open."""
    rows = []
    for one in design.neighbours:
        played = [cell for cell in design.proof_cells if cell in one.findings]
        cell = next((cell for cell in played if one.findings[cell] is Finding.FAILED), played[-1])
        games = f"{one.evidence[cell].games:,}"
        rows.append([one.title, f"{one.cost:g}", *_measured(design, one, cell), cell.name, games, one.finding(played)])
    columns = ["change", "cost", *metrics, "who and where", "games", "goal"]
    if design.winner is None:
        note = "All rulesets that the search had left open, on the deals of the proof, where they miss the goal."
        return MemoTable("Does any other do?", columns, rows, note)
    note = f"Every ruleset one knob away from the answer (cost {design.winner.cost:g}), on the deals of the proof."
    return MemoTable("Would less do?", columns, rows, note)


def _side_effects(design: Design, effects: Evidence) -> MemoTable:
    """What else the answer changes, in the first cell of the proof."""
    cell, rows = design.proof_cells[0], []
    for measure, group in _all_measures(design):
        difference = effects.difference(measure, group, ALPHA)
        if isfinite(difference.value):
            before = design.start.evidence[cell].shown(measure, group, ALPHA)
            unit = fmt.difference_unit(measure.unit)
            rows.append(
                [
                    fmt.label(measure.name, group),
                    fmt.value(before, measure.unit),
                    fmt.with_interval(difference, unit, signed=True),
                ]
            )
    note = f"Paired differences with 95 % intervals ({cell.name}, {effects.games:,} games)."
    return MemoTable("What it changes", ["metric", design.goal.base, "difference"], rows, note)


def _all_measures(design: Design) -> list[tuple[Measure, str]]:
    limited = [(limit.measure, limit.group) for limit in _by_metric(design)]
    others = (
        SEAT_IMBALANCE if name == SEAT_IMBALANCE.name else find_metric(design.goal.game, name) for name in design.others
    )
    return [*limited, *((measure, "") for measure in others)]


def front(design: Design) -> list[Candidate]:
    """The rulesets of the race that no other beats in everything: a smaller change, and nearer to every goal."""
    race = design.cells[0]
    points = {
        one.setting: (one.cost, *(max(one.evidence[race].excess(limit)[0], 0.0) for limit in design.constraints))
        for one in design.candidates
    }
    better = {
        setting: any(
            all(x <= y for x, y in zip(other, point, strict=True)) and other != point for other in points.values()
        )
        for setting, point in points.items()
    }
    return sorted((one for one in design.candidates if not better[one.setting]), key=lambda one: points[one.setting])


def _front_table(design: Design, metrics: Cells) -> MemoTable:
    race = design.cells[0]
    rows = [
        [one.title, f"{one.cost:g}", *_measured(design, one, race), f"{one.evidence[race].games:,}"]
        for one in front(design)[:_MAX_FRONT]
    ]
    note = (
        f"Rulesets that none other beats in both cost and goals, as the race at {race.name} estimates them, with 95 % "
        "intervals. A search flatters the best, so the proof counts."
    )
    return MemoTable("What is gained for which change", ["change", "cost", *metrics, "games"], rows, note)


# --- the whole ------------------------------------------------------------------------------------------------------


def method(design: Design) -> list[str]:
    """How it was found, and how to check it once more."""
    goal, race = design.goal, design.cells[0]
    games = sum(evidence.games for one in _everyone(design) for evidence in one.evidence.values())
    failed = sum(one.findings[race] is Finding.FAILED for one in design.candidates)
    lines = [
        f"{len(design.candidates):,} of {design.grid:,} rulesets were played, {games:,} games; {failed:,} were dropped "
        f"in the race at {race.name}, on common layouts and deals (seed {goal.seed}). All verdicts of the race "
        "together are wrong at most 5 % of the time, at whichever look they were reached; so are all of the proof.",
        "A change costs 1 (or what the goal says) for a knob, and up to that again for how far it is moved.",
    ]
    if design.winner and design.winner.changes:
        cell = design.proof_cells[0]
        words = ["mmsim", "compare", goal.base, design.winner.rules, "--levels", cell.level.name, "--metric"]
        words += [design.constraints[0].measure.name, "--games", str(design.winner.evidence[cell].games)]
        words += ["--players", str(goal.players)] if goal.players else []
        words += ["--board", cell.board] if cell.board else []
        lines.append(f"Check it with seeds of your own: `{shlex.join([*words, '--seed', str(goal.seed + 1_000_000)])}`")
    return lines


def _everyone(design: Design) -> list[Candidate]:
    return list({one.setting: one for one in (design.start, *design.candidates, *design.neighbours)}.values())


def memo(design: Design) -> str:
    first, *others = answer(design)
    parts = [
        f"# {design.goal.title}\n",
        f"**{first}** {' '.join(others)}\n",
        *(table.markdown() for table in tables(design)),
    ]
    return "\n".join([*parts, "## How this was found\n", "\n\n".join(method(design))]) + "\n"


def as_json(design: Design) -> dict[str, Any]:
    """Everything that was played, for other programs."""

    def cell_of(one: Candidate, cell: Cell) -> dict[str, Any]:
        estimates = {
            fmt.label(measure.name, group): _plain(one.evidence[cell].shown(measure, group, ALPHA))
            for measure, group in _all_measures(design)
        }
        where = {"level": cell.level.name, "board": cell.board, "seed": cell.seed}
        return {**where, "games": one.evidence[cell].games, "goal": one.findings[cell], "metrics": estimates}

    rulesets = [
        {
            "rules": one.rules,
            "changes": list(one.changes),
            "cost": one.cost,
            "played": [cell_of(one, cell) for cell in one.findings],
        }
        for one in _everyone(design)
    ]
    return {
        "question": design.goal.title,
        "answer": answer(design),
        "winner": design.winner.rules if design.winner else None,
        "grid": design.grid,
        "front": [one.rules for one in front(design)],
        "rulesets": rulesets,
    }


def _plain(estimate: Estimate) -> dict[str, float | None]:
    values = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return {key: value if isfinite(value) else None for key, value in values.items()}
