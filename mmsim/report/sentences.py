"""Results as sentences: the answer of a report, the titles of its charts, and the templates that a game declares."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from string import Formatter

from mmsim.analysis import number_format as fmt
from mmsim.analysis.board_effects import OnBoards, first_against_last, on_boards, same_on_boards
from mmsim.analysis.compare import ALPHA, CANNOT_SAY, Comparison, Verdict, all_games_identical
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE, equal_groups_p_value
from mmsim.analysis.estimates import WIN_SHARE, Estimates, by_name
from mmsim.analysis.run_metrics import ComparedRun
from mmsim.analysis.stats import Estimate, holm
from mmsim.batch.experiment import OF_MEMBER
from mmsim.core.metrics import Sentence
from mmsim.games import find_statistics
from mmsim.report.report_data import ReportData

_MAX_NAMED_VARIANTS = 4  # more are counted, not named
_ROUNDING = 1e-12  # relative; a smaller standard error is zero
EXPLORATORY = " (exploratory)"  # after a metric that was not asked about before the games were played


def answer(data: ComparedRun) -> list[str]:
    """The answer in a few sentences: are seats fair, do variants differ, on which boards, how do games go."""
    return list(filter(None, (_fairness(data), _differences(data), " ".join(on_every_board(data)), _course(data))))


def comparison_label(comparison: Comparison) -> str:
    return fmt.label(comparison.measure.name, comparison.group) + ("" if comparison.primary else EXPLORATORY)


def capitalise(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def join_words(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def with_reference(data: ComparedRun, sentence: str) -> str:
    """A sentence on the reference, which is named if there are other variants."""
    return capitalise(f"with {data.names[0]}, {sentence}" if len(data.names) > 1 else sentence)


# --- templates that a game declares ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Field:
    """A metric of the reference, as the braces of a template name it."""

    estimates: Estimates
    group: int = 0

    @property
    def most(self) -> "_Field":
        return _Field(self.estimates, _largest_group(self.estimates))

    @property
    def name(self) -> str:
        return fmt.title(self.estimates.groups[self.group])

    def __getitem__(self, group: str) -> "_Field":
        if group not in self.estimates.groups:
            raise KeyError(group)
        return _Field(self.estimates, self.estimates.groups.index(group))

    def __format__(self, spec: str) -> str:
        if not self.estimates.known(0, self.group):
            raise KeyError(self.name)
        estimate, unit = self.estimates.estimate(0, self.group), self.estimates.measure.unit
        if spec == "interval":
            return fmt.interval(estimate, unit)
        if spec == "full":
            return f"{_value_and_unit(estimate, unit)} ({fmt.interval(estimate, unit)})"
        return fmt.short(estimate, unit)


def _value_and_unit(estimate: Estimate, unit: str, signed: bool = False) -> str:
    value = fmt.value(estimate, unit, signed)
    return value if unit.startswith("share") else f"{value} {unit}"


def _fill_clauses(data: ComparedRun, template: Sentence, only_varying: bool = False) -> list[str]:
    """The clauses of a template for which a run has the numbers."""
    fields = {
        name: _Field(estimates) for name, estimates in data.estimates.items() if not only_varying or varies(estimates)
    }
    clauses = []
    for clause in template:
        with suppress(KeyError):
            clauses.append(clause.format_map(fields))
    return clauses


def fill_template(data: ComparedRun, template: Sentence) -> str:
    """A template filled with the numbers of a run; empty if the run lacks those of the first clause."""
    if not _fill_clauses(data, template[:1]):
        return ""
    return with_reference(data, "".join(_fill_clauses(data, template)))


def course_metrics(game: str) -> set[str]:
    """The metrics in the template on how games go."""
    fields = (field for clause in find_statistics(game).course for _, field, _, _ in Formatter().parse(clause))
    return {re.split(r"\W", field)[0] for field in fields if field}


def varies(estimates: Estimates) -> bool:
    """True unless a metric is the same number in every game of every variant."""
    for group in range(len(estimates.groups)):
        known = list(filter(None, estimates.by_variant(group)))
        if any(mean.se > _ROUNDING * abs(mean.value) or mean.value != known[0].value for mean in known):
            return True
    return False


def _largest_group(estimates: Estimates, variant: int = 0) -> int:
    known = [g for g in range(len(estimates.groups)) if estimates.known(variant, g)]
    return max(known, key=lambda g: float(estimates.means[variant, g]))


# --- the answer ------------------------------------------------------------------------------------------------------


def _best_seat(shares: Estimates) -> tuple[str, Estimate]:
    """The player who wins most with the reference."""
    best = _largest_group(shares)
    return shares.groups[best], shares.estimate(0, best)


def _fair_share(shares: Estimates) -> str:
    players = sum(shares.known(0, g) for g in range(len(shares.groups)))
    return f"{100 / players:.3g}\u00a0% would be fair"


def seats_title(data: ComparedRun) -> str:
    """Which seat wins most, for the title of a chart."""
    shares = data.estimates[WIN_SHARE]
    seat, share = _best_seat(shares)
    if (kinds := len(shares.counted)) > 1:
        text = f"on average over {kinds} kinds of players the {seat} player wins {fmt.with_interval(share, 'share')}"
    elif equal_groups_p_value(shares, 0) >= ALPHA:
        fair = _fair_share(shares).partition(" would")[0]
        return with_reference(data, f"no player wins measurably more than a fair {fair}")
    else:
        text = f"the {seat} player wins {fmt.short(share, 'share')}"
    return with_reference(data, f"{text} of games; {_fair_share(shares)}")


def _fairness(data: ComparedRun) -> str:
    """Whether seats are fair, for whom, and whether variants differ in that."""
    shares = data.estimates.get(WIN_SHARE)
    if shares is None:
        return ""
    text = seats_of_panel(data, shares) if len(shares.counted) > 1 else _seats_of_one_kind(data, shares)
    compared = [comparison for comparison in data.comparisons if comparison.measure.name == SEAT_IMBALANCE.name]
    return f"{text}; {join_words(_fairness_of_others(data, compared))}." if compared else f"{text}."


def _seats_of_one_kind(data: ComparedRun, shares: Estimates) -> str:
    seat, share = _best_seat(shares)
    where = f"with {data.names[0]}, " if len(data.names) > 1 else ""
    wins = f"wins {fmt.with_interval(share, 'share')} of games where {_fair_share(shares)}"
    only = f"; only {data.players[0]} was asked" if len(data.players) == 1 else ""
    evidence = f"(p\u00a0{_equals(equal_groups_p_value(shares, 0))}{only})"
    if equal_groups_p_value(shares, 0) < ALPHA:
        uneven = "Seats are not equal"
        if data.run.mixed:
            uneven = "Players do not win equally often, but their bots differ"
        return f"{uneven}: {where}the {seat} player {wins} {evidence}"
    text = f"No seat is measurably ahead: {where}the {seat} player, who wins most, {wins} {evidence}"
    p_values = holm([equal_groups_p_value(shares, v) for v in range(len(data.names))])
    uneven_with = [name for name, p in zip(data.names, p_values, strict=True) if p < ALPHA]
    if 0 < len(uneven_with) <= _MAX_NAMED_VARIANTS:
        text += f", but seats are not equal with {join_words(uneven_with)}"
    return text


def seats_of_panel(data: ComparedRun, shares: Estimates) -> str:
    """Which seat is ahead with the reference, and for which kinds of players."""
    kinds = shares.counted
    p_values = holm([equal_groups_p_value(estimates, 0) for _, estimates in kinds])
    by_seat: dict[str, list[str]] = {}
    for (member, estimates), p in zip(kinds, p_values, strict=True):
        if p < ALPHA:
            by_seat.setdefault(_best_seat(estimates)[0], []).append(member.name)
    uneven = sum(map(len, by_seat.values()))
    if not by_seat:
        return with_reference(data, f"no seat is measurably ahead for any of {len(kinds)} kinds of players")
    if len(by_seat) > 1:
        by_player = [f"the {seat} for {join_words(members)}" for seat, members in sorted(by_seat.items())]
        rest = f", none measurably for {len(kinds) - uneven} of {len(kinds)}" if uneven < len(kinds) else ""
        return with_reference(data, f"which seat wins most depends on who plays: {join_words(by_player)}{rest}")
    ((seat, members),) = by_seat.items()
    share = fmt.with_interval(shares.estimate(0, shares.groups.index(seat)), "share")
    holds = f"all {len(kinds)} kinds of players"
    if uneven < len(kinds):
        holds = f"{uneven} of {len(kinds)} kinds of players ({join_words(members)})"
    text = f"the {seat} player wins most for {holds}: {share} of games on average where {_fair_share(shares)}"
    return with_reference(data, text)


def _fairness_of_others(data: ComparedRun, compared: Sequence[Comparison]) -> list[str]:
    """How even the other variants are, with one clause per verdict."""

    def clause(comparison: Comparison) -> str:
        if comparison.identical:
            return "exactly as even so far"
        verdict = {
            Verdict.EQUAL: f"as even within {100 * comparison.measure.tolerance:g}\u00a0pp",
            Verdict.BETTER: "more even",
            Verdict.WORSE: "less even",
            Verdict.REARRANGED: "uneven in another way",
            Verdict.DEPENDS: "more or less even depending on who plays",
        }.get(comparison.verdict, f"not told apart from {data.names[0]}{_games_missing(comparison)}")
        return f"{verdict}{holds_for(comparison)}"

    clauses = []
    for text, group in groupby(sorted(compared, key=clause), key=clause):
        variants = [data.name_of(comparison.variant) for comparison in group]
        names = join_words(variants) if len(variants) <= _MAX_NAMED_VARIANTS else f"{len(variants)} other variants"
        clauses.append(f"{names} {'is' if len(variants) == 1 else 'are'} {text}")
    return clauses


def _games_missing(comparison: Comparison) -> str:
    needed = comparison.games_needed
    text = f"{fmt.games(*needed)}{comparison.players_clause} would do" if needed else CANNOT_SAY
    return f" by this many games ({text})"


def holds_for(comparison: Comparison) -> str:
    """The kinds of players a verdict holds for, if there are several."""
    if len(comparison.members) < 2 or comparison.verdict in (Verdict.UNSURE, Verdict.DEPENDS):
        return ""
    players = comparison.players_with(comparison.verdict)
    if len(players) == len(comparison.members):
        return f" for all {len(players)} kinds of players"
    return f" for {len(players)} of {len(comparison.members)} kinds of players ({join_words(players)})"


def _equals(p: float) -> str:
    text = fmt.p_value(p)
    return (text if text.startswith("<") else f"= {text}").replace(" ", "\u00a0")


def _differences(data: ComparedRun) -> str:
    """How far the variants differ in what was asked, or how games end if there is only one variant."""
    if not data.comparisons:
        ends = fill_template(data, find_statistics(data.run.experiment.game).ends)
        return f"{ends}." if ends else ""
    others = data.run.variants[1:]
    if len(others) > _MAX_NAMED_VARIANTS:
        return _most_different(data)
    return f"Against {data.names[0]}, {'; '.join(variant_verdict(data, variant.name) for variant in others)}."


def _most_different(data: ComparedRun) -> str:
    """How many variants differ, and the largest difference of all."""
    apart = [comparison for comparison in data.primary if comparison.is_different]
    differing = len({comparison.variant for comparison in apart})
    text = f"Against {data.names[0]}, {differing} of {len(data.names) - 1} variants differ measurably"
    return (
        f"{text}, most {data.name_of(_largest(apart).variant)} in {_in_metric(_largest(apart))}."
        if apart
        else f"{text}."
    )


def _largest(comparisons: Sequence[Comparison]) -> Comparison:
    return max(comparisons, key=lambda comparison: abs(comparison.difference.value) / comparison.measure.tolerance)


def variant_verdict(data: ComparedRun, variant: str) -> str:
    """One variant against the reference in everything that was asked."""
    name = data.name_of(variant)
    if all_games_identical(data.comparisons_of(variant)):
        return f"{name} comes out the same in every game"
    compared = [comparison for comparison in data.primary if comparison.variant == variant]
    apart = [comparison for comparison in compared if comparison.is_different]
    if not apart:
        equal = sum(comparison.verdict is Verdict.EQUAL for comparison in compared)
        games = [comparison.games_needed for comparison in compared if comparison.verdict is Verdict.UNSURE]
        known = [needed for needed in games if needed]
        missing = f"; {fmt.games(*max(known))} would tell the others" if known and len(known) == len(games) else ""
        return (
            f"{name} is equal within tolerance in {equal} of {len(compared)} metrics and differs measurably in none"
            f"{missing}"
        )
    for_all = [comparison for comparison in apart if comparison.holds_for_all]
    kinds = len(apart[0].members)
    shared = f", in {len(for_all) or 'none'} of them for all {kinds} kinds of players" if kinds > 1 else ""
    depends = sum(comparison.verdict is Verdict.DEPENDS for comparison in apart)
    mixed = f", in {depends} one way or the other depending on who plays" if depends else ""
    most = _in_metric(_largest(for_all or apart))
    return f"{name} differs measurably in {len(apart)} of {len(compared)} metrics{shared}{mixed}, most in {most}"


def _in_metric(comparison: Comparison) -> str:
    """The metric of a comparison, its difference and for whom that holds."""
    unit, shown = fmt.difference_unit(comparison.measure.unit), comparison.difference
    players = comparison.players_with(comparison.verdict)
    if 0 < len(players) < len(comparison.members):  # the mean over all players is not what some of them show
        shown = next(member.difference for member in comparison.members if member.player == players[0])
    text = f"{_value_and_unit(shown, unit, signed=True)}, {fmt.interval(shown, unit, signed=True)}"
    return f"{fmt.label(comparison.measure.name, comparison.group)} ({text}{holds_for(comparison)})"


def on_every_board(data: ComparedRun) -> list[str]:
    """On how many boards the first seat is ahead of the last, and other variants more even than the reference."""
    if not data.by_board:
        return []
    ahead = {
        f"{board}{OF_MEMBER}{member.name}": first_against_last(estimates)
        for board, metrics in data.by_board.items()
        for shares in [by_name(metrics).get(WIN_SHARE)]
        if shares is not None
        for member, estimates in shares.counted
    }
    sentences = []
    if ahead:
        kinds = len(ahead) // len(data.by_board)
        whom = f" for each of {kinds} kinds of players" if kinds > 1 else ""
        where = board_count(
            on_boards(ahead),
            f"the first player is ahead of the last{whom}",
            f"the last player is ahead of the first{whom}",
        )
        sentences.append(f"{with_reference(data, where)}.")
    for comparison in data.comparisons:
        if comparison.measure.name == SEAT_IMBALANCE.name:
            name = data.name_of(comparison.variant)
            same = same_on_boards(comparison, data.board_comparisons)
            where = board_count(same, f"{name} has less even seats", f"{name} has more even seats")
            sentences.append(f"Against {data.names[0]}, {where}.")
    return sentences


def board_count(on: OnBoards, higher: str, lower: str) -> str:
    """On how many boards a difference of shares is shown: what it means to be higher, or lower, comes first."""
    boards = len({board.partition(OF_MEMBER)[0] for board in on.differences})
    cases = len(on.differences)
    if not on.shown:
        return f"on none of {boards} boards is it shown that {higher} or {lower}"
    text = higher if on.differences[on.shown[0]].value > 0 else lower
    smallest, largest = sorted(abs(100 * end) for end in on.range)
    if on.direction and len(on.shown) == cases:
        return f"{text} on every one of {boards} boards, by {smallest:.1f} to {largest:.1f} points"
    where = f"on {len(on.shown)} of {boards} boards"
    if cases != boards:
        where = f"in {len(on.shown)} of {cases} cases on {boards} boards"
    rest = "the others have the same sign" if on.direction else "not all others have the same sign"
    return f"{text} beyond chance {where}; {rest}"


def _course(data: ComparedRun) -> str:
    """How games go; a number that is the same in every game is left out."""
    template = find_statistics(data.run.experiment.game).course
    clauses = _fill_clauses(data, template, only_varying=True)
    return with_reference(data, f"{join_words(clauses)}.") if clauses else ""


# --- titles and texts of sections ------------------------------------------------------------------------------------


def score_parts_title(data: ReportData) -> str:
    parts = data.estimates["score_parts"]
    known = [(parts.estimate(0, g), group) for g, group in enumerate(parts.groups) if parts.known(0, g)]
    shown = [f"{fmt.short(part, '', signed=True)} {fmt.title(group)}" for part, group in known if part.value]
    return with_reference(data, f"{parts.measure.unit} come from {', '.join(shown) or 'nothing'}")


def score_spread_title(data: ReportData) -> str:
    """The quartiles of all scores."""
    values, shares = data.scores[0]
    low, middle, high = (
        values[min(int((shares.cumsum() < part).sum()), len(values) - 1)] for part in (0.25, 0.5, 0.75)
    )
    unit = data.estimates["score"].measure.unit
    text = f"half of all seats score {low:.0f} to {high:.0f} {unit}, the middle one {middle:.0f}".replace("-", "−")
    return with_reference(data, text)


def seat_scores_title(data: ReportData) -> str:
    scores = data.estimates["seat_score"]
    if equal_groups_p_value(scores, 0) >= ALPHA:
        return with_reference(data, "scores do not measurably depend on the playing order")
    best = _largest_group(scores)
    score = fmt.short(scores.estimate(0, best), "")
    return with_reference(data, f"the {scores.groups[best]} player scores most, {score} {scores.measure.unit}")


def seat_tests(data: ReportData) -> str:
    """The test of equal win shares, variant by variant."""
    shares = data.estimates[WIN_SHARE]
    p_values = [f"{name}: p\u00a0{_equals(equal_groups_p_value(shares, v))}" for v, name in enumerate(data.names)]
    return f"How often would equal seats show win shares as uneven as these? {'; '.join(p_values)}."


def imbalance_title(data: ReportData) -> str:
    """How far win shares are from fair, variant by variant."""
    estimates = data.estimates[SEAT_IMBALANCE.name]
    values = [fmt.short(estimates.estimate(v, 0), estimates.measure.unit) for v in range(len(estimates.variants))]
    uneven = sum(
        p < ALPHA for p in holm([equal_groups_p_value(data.estimates[WIN_SHARE], v) for v in range(len(values))])
    )
    if not uneven:
        return "Win shares are not measurably uneven"
    if len(values) == 1:
        return f"Win shares lie {values[0]} from fair"
    if len(values) > _MAX_NAMED_VARIANTS:
        return f"Win shares are measurably uneven in {uneven} of {len(values)} variants"
    named = [f"{value} ({name})" for value, name in zip(values, data.names, strict=True)]
    return f"Win shares lie {join_words(named)} from fair"


def variant_title(data: ReportData, variant: str) -> str:
    """One variant's verdicts, counted."""
    verdicts = [comparison.verdict for comparison in data.comparisons_of(variant)]
    equal, unsure = verdicts.count(Verdict.EQUAL), verdicts.count(Verdict.UNSURE)
    counts = [f"{len(verdicts) - equal - unsure} of {len(verdicts)} differ", f"{equal} are equal within tolerance"]
    return f"{data.name_of(variant)}: {', '.join([*counts, *([f'{unsure} need more games'] if unsure else [])])}"


def variants_title(data: ReportData) -> str:
    apart = sum(comparison.is_different for comparison in data.comparisons)
    unsure = sum(comparison.verdict is Verdict.UNSURE for comparison in data.comparisons)
    if apart:
        return f"{apart} of {len(data.comparisons)} differences are larger than chance"
    if unsure:
        return f"No difference stands out, but {unsure} of {len(data.comparisons)} need more games to be sure"
    return "No difference matters: all are within tolerance"


def gaps_title(data: ReportData) -> str:
    """The situation that came up most often with the reference."""
    gap, estimates = max(data.gaps, key=lambda gap_and_share: float(gap_and_share[1].means[0, 0]))
    if not estimates.means[0, 0]:
        return with_reference(data, "no open question came up")
    share = fmt.short(estimates.estimate(0, 0), "share")
    text = f"the most frequent open question, “{fmt.title(gap.name)}”, came up in {share} of games"
    return with_reference(data, text)


def bots_title(data: ReportData) -> str:
    ratings = next(iter(data.ratings.values()))
    best, worst = ratings.bots[0], ratings.bots[-1]
    if any(gap.is_significant for gap in ratings.gaps if {gap.stronger, gap.weaker} == {best.bot, worst.bot}):
        text = f"{best.bot} is the strongest, {best.elo.value - worst.elo.value:.0f} Elo above {worst.bot}"
        return with_reference(data, text) if len(data.names) > 1 else text  # names of bots keep their case
    return "The games do not tell the bots apart"


def boards_title(data: ReportData) -> str:
    estimates, layouts = data.estimates["layout_share"], _layouts(data)
    shares = [(estimates.estimate(0, g), fmt.title(group)) for g, group in enumerate(estimates.groups)]
    certain = [(share, outcome) for share, outcome in shares if share.low > 0]
    if not certain:
        return with_reference(data, f"these games do not tell what {layouts} matter for")
    share, outcome = max(certain, key=lambda pair: pair[0].value)
    variance = f"{fmt.short(share, 'share')} of the variance lies between them"
    return with_reference(data, f"{layouts} matter most for {outcome}: {variance}")


def _layouts(data: ReportData) -> str:
    """What games on one layout have in common; with rotated seats that is the deal too."""
    shared = any(variant.games_per_deal > 1 for variant in data.run.variants)
    return "layouts with their deals" if shared else "layouts"


def layout_spread(data: ReportData) -> str:
    """How far players' chances depend on the layout, variant by variant."""
    estimates = data.estimates["layout_spread"]
    known = [(estimates.estimate(v, 0), name) for v, name in enumerate(data.names) if estimates.known(v, 0)]
    values = [
        fmt.with_interval(spread, estimates.measure.unit) + (f" under {name}" if len(data.names) > 1 else "")
        for spread, name in known
    ]
    text = f"a player's chance to win varies between {_layouts(data)} with a standard deviation of {join_words(values)}"
    if all(spread.low > 0 for spread, _ in known):
        return f"Who wins depends on the layout too: {text}."
    return f"These games do not show for sure how far who wins depends on the layout: {text}."
