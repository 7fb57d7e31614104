"""The answer to the question of an experiment: one line that answers it, and the few sentences that a designer needs.

The same answer ends `mmsim run` and `mmsim compare`, begins a report and is its memo.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, isfinite, sqrt

from mmsim.analysis import wording as fmt
from mmsim.analysis.compare import ComparisonOverLevels
from mmsim.analysis.derived_metrics import LAYOUT_SHARE, LAYOUT_SPREAD, MIN_DEALS, SEAT_IMBALANCE
from mmsim.analysis.estimates import WIN_SHARE
from mmsim.analysis.level_verdict import LevelReplies, Reply, Shape, Verdict, players_of, reply_to
from mmsim.analysis.run_metrics import ComparedRun
from mmsim.analysis.wording import join_words
from mmsim.batch.experiment import planned_seconds
from mmsim.games import find_shell
from mmsim.report.sentences import (
    MAX_CHANGES,
    MAX_NAMED,
    SEAT_METRICS,
    RunWords,
    capitalise,
    how_games_go,
    in_tolerances,
    on_every_board,
    seats_of_all,
    seats_verdict,
)

_FIRST_WORDS = (
    *("Yes.", "Partly.", "No.", "No, the opposite:", "No difference found:", "Not shown.", "Not known:"),
    *("Not known yet:", "It matters for who wins:", "Not shown that it matters for who wins:"),
)


@dataclass(frozen=True)
class Answer:
    """What a designer reads first."""

    question: str
    setting: str  # rules, players, boards
    verdict: str  # its first words answer the question
    shared: str = ""  # which seats are ahead or behind for everyone
    changes: str = ""  # what else differs
    course: str = ""  # how games go, if nothing is compared
    boards: str = ""  # on how many boards
    sure: str = ""
    untested: str = ""
    steps: Sequence[tuple[str, str]] = ()  # what to do next, and the command

    @property
    def first_words(self) -> tuple[str, str]:
        """The verdict in two parts: the words that answer the question, and the rest."""
        first = next((words for words in _FIRST_WORDS if self.verdict.startswith(words)), "")
        return first, self.verdict.removeprefix(first)

    @property
    def paragraphs(self) -> list[tuple[str, str]]:
        """Headings and sentences after the verdict, in reading order."""
        named = (
            ("The same for everyone", self.shared),
            ("What players would notice", self.changes),
            ("How games go", self.course),
            ("On which boards", self.boards),
            ("How sure", self.sure),
            ("Not tested", self.untested),
        )
        return [(heading, text) for heading, text in named if text]

    @property
    def memo(self) -> str:
        """The answer as Markdown."""
        first, rest = self.first_words
        lines = [f"# {self.question}", f"*{capitalise(self.setting)}.*", f"**{first}**{rest}" if first else rest]
        lines += [f"**{heading}:** {text}" for heading, text in self.paragraphs]
        steps = [f"- {what}: `{command}`" for what, command in self.steps]
        lines += ["\n".join(["**What to do next:**", "", *steps])] if steps else []
        return "\n\n".join(lines).replace("\u00a0", " ") + "\n"


def answer_of(data: ComparedRun, folder: str = "") -> Answer:
    """The answer of a run; with its folder, also the commands that go on with it."""
    words, wanted = RunWords(data), data.run.experiment.wanted
    replies = replies_of(words) if wanted.metric else []
    if replies:
        verdict = reply_verdict(words, replies)
    elif wanted.metric and data.comparisons:
        verdict = f"Not known: these games have no {' '.join(filter(None, (wanted.metric, wanted.group)))}."
    elif wanted.about == "layouts":
        verdict = _layouts_verdict(words)
    elif data.comparisons:
        verdict = differences_verdict(words, data.primary)
    else:
        verdict = seats_verdict(words)
    is_about_seats = not data.comparisons and wanted.about != "layouts"
    shared = "" if is_about_seats else seats_of_all(words)
    return Answer(
        question=words.question,
        setting=words.setting,
        verdict=verdict,
        shared=shared,
        changes=_other_changes(words, wanted.metric) if replies else "",
        course="" if data.comparisons else how_games_go(data),
        boards=" ".join(on_every_board(data)),
        sure=_sure(words, LAYOUT_SPREAD.name if wanted.about == "layouts" else wanted.metric),
        untested=_untested(words),
        steps=_steps(words, folder, replies, bool(shared)) if folder else (),
    )


# --- a metric that should be higher or lower -------------------------------------------------------------------------


@dataclass(frozen=True)
class VariantReply:
    """What the games reply to the question about one variant."""

    variant: str
    comparisons: tuple[ComparisonOverLevels, ...]  # of the metric in question, one per group
    replies: LevelReplies


def replies_of(words: RunWords) -> list[VariantReply]:
    """What every other variant does to the metric in question."""
    wanted = words.run.experiment.wanted
    asked = [
        one for one in words.data.comparisons if one.measure.name == wanted.metric and wanted.group in ("", one.group)
    ]
    replies = []
    for variant in dict.fromkeys(one.variant for one in asked):
        comparisons = tuple(one for one in asked if one.variant == variant)
        level_replies = reply_to(wanted.direction, [one.verdict for one in comparisons])
        replies.append(VariantReply(variant, comparisons, level_replies))
    return replies


def reply_verdict(words: RunWords, replies: Sequence[VariantReply]) -> str:
    """The replies about all variants, yes first; what is alike is said once."""
    alike: dict[tuple[object, ...], list[VariantReply]] = {}
    for one in replies:
        pattern = () if _shows_nothing(one) else tuple(one.replies.levels.items())
        alike.setdefault((one.replies.overall, pattern), []).append(one)
    order = list(Reply)
    groups = sorted(alike.values(), key=lambda group: order.index(group[0].replies.overall))
    said, text = "", ""
    for group in groups:
        head, rest = _reply(words, group)
        text += f" {capitalise(rest)}" if head == said else f" {head} {rest}"
        said = head
    return text.strip()


def _reply(words: RunWords, group: Sequence[VariantReply]) -> tuple[str, str]:
    """A sentence on variants with the same reply, as the words that answer the question and the rest."""
    first, names = group[0], words.either([one.variant for one in group])
    if _shows_nothing(first):
        where = " at any level of play" if words.several else ""
        bound = f"{_bound(words, group)}{_needed([one for reply in group for one in reply.comparisons])}"
        return "No difference found:", f"with {names}, {_not_shown(words, first)}{where}.{bound}"
    yes, no, otherwise, opposite, unknown = (
        first.replies.levels_with(reply) for reply in (Reply.YES, Reply.NO, Reply.OTHERWISE, Reply.OPPOSITE, Reply.OPEN)
    )
    less = [level for level in unknown if level in first.replies.fading]
    unclear = [level for level in unknown if level not in less]
    clauses = [
        f"{_clause(words, first, True)}{words.among(yes)}{_amounts(words, group, yes)}" if yes else "",
        f"{_same(words, first)} with {words.titles[0]}{words.among(no)}" if no else "",
        f"the seats are uneven in another way{words.among(otherwise)}" if otherwise else "",
        f"{_clause(words, first, False)}{words.among(opposite)}{_amounts(words, group, opposite)}" if opposite else "",
        f"the effect is clearly smaller, if there is any,{words.among(less)}" if less else "",
    ]
    heads = {Reply.YES: "Yes.", Reply.PARTLY: "Partly.", Reply.NO: "No.", Reply.OPEN: "Not shown."}
    head = heads.get(first.replies.overall, "No, the opposite:")
    rest = f" {capitalise(words.people(unclear))} there are too few games to tell." if unclear and words.several else ""
    return head, f"{'with' if head.endswith(':') else 'With'} {names}, {'; '.join(filter(None, clauses))}.{rest}"


def _shows_nothing(reply: VariantReply) -> bool:
    """True if most levels cannot tell, and those that can show no difference."""
    return reply.replies.overall is Reply.OPEN and {*reply.replies.levels.values()} <= {Reply.OPEN, Reply.NO}


def _clause(words: RunWords, reply: VariantReply, as_asked: bool) -> str:
    """What was asked for, or its opposite; if any difference was asked for, what was found."""
    direction = words.run.experiment.wanted.direction
    if direction:
        return words.clause(reply.comparisons[0], (direction == "higher") == as_asked)
    return words.changes(reply.comparisons)


def _same(words: RunWords, reply: VariantReply) -> str:
    comparison = reply.comparisons[0]
    if comparison.measure.name == SEAT_IMBALANCE.name:
        return "the seats are as even as"
    if comparison.measure.name == WIN_SHARE and len(reply.comparisons) > 1:
        return "every seat wins as often as"
    return f"{words.wording(comparison).label} is the same as"


def _not_shown(words: RunWords, reply: VariantReply) -> str:
    comparison, direction = reply.comparisons[0], words.run.experiment.wanted.direction
    if comparison.measure.name == SEAT_IMBALANCE.name:
        return "the seats are not shown to be more or less even"
    if comparison.measure.name == WIN_SHARE and not direction:
        return "no seat is shown to win more or less often"
    return f"{words.wording(comparison).label} is not shown to change"


def _amounts(words: RunWords, group: Sequence[VariantReply], levels: Sequence[str]) -> str:
    if not words.run.experiment.wanted.direction:
        return ""  # said with every change
    texts = dict.fromkeys(words.amount_at(reply.comparisons[0], levels) for reply in group)
    return f" ({join_words([*texts])})"


def _bound(words: RunWords, group: Sequence[VariantReply]) -> str:
    """How large a difference may be that was not found, at the level that is shown and at the strongest."""
    texts = []
    for level in dict.fromkeys((words.data.shown.level.name, words.levels[-1])):
        shown = [at for reply in group for one in reply.comparisons if (at := one.at(level))]
        largest = max((max(abs(at.difference.low), abs(at.difference.high)) for at in shown), default=0.0)
        if shown and isfinite(largest):
            who = f" among {players_of(level)}" if words.several else ""
            texts.append(f"{words.size(largest, shown[0].measure.unit)}{who}")
    return f" If there is one, it is below {join_words(texts)} (95\u00a0%)." if texts else ""


def _needed(comparisons: Iterable[ComparisonOverLevels]) -> str:
    """How many games would settle what is open, if that can be said."""
    unsure = [at for one in comparisons for at in one.levels if at.verdict is Verdict.UNSURE]
    needed = [at.games_needed for at in unsure]
    known = [games for games in needed if games]
    if not known or len(known) < len(needed):
        return ""
    low, high = (max(games[end] for games in known) for end in (0, 1))
    return f" {capitalise(fmt.games(low, high))} of each variant would settle it."


# --- what differs ----------------------------------------------------------------------------------------------------


def differences_verdict(words: RunWords, comparisons: Sequence[ComparisonOverLevels]) -> str:
    """What differs between each variant and the first, and what does not."""
    variants = list(dict.fromkeys(one.variant for one in comparisons))
    of = {variant: [one for one in comparisons if one.variant == variant] for variant in variants}
    apart = [variant for variant in variants if any(one.is_different for one in of[variant])]
    yes, no = ("Yes. ", "No. ") if words.is_yes_or_no else ("", "")
    if not apart:
        return _no_differences(words, comparisons, no)
    many = len(variants) > MAX_NAMED
    named = sorted(apart, key=lambda variant: -max(map(in_tolerances, of[variant])))[:MAX_CHANGES] if many else apart
    text = f"{yes}{len(apart)} of {len(variants)} variants differ measurably. For example: " if many else yes
    first, *rest = (f"ith {words.title(variant)}, {words.changes(of[variant])}." for variant in named)
    start = f"{text}Compared with {words.titles[0]}: w" if len(variants) > 1 else f"{text}W"
    text = " W".join([f"{start}{first}", *rest])
    if not many and (same := [variant for variant in variants if variant not in apart]):
        text += f" With {words.either(same)}, nothing is shown to differ."
    return text


def _no_differences(words: RunWords, comparisons: Sequence[ComparisonOverLevels], no: str) -> str:
    where = " at any level of play" if words.several else ""
    unsure = [one for one in comparisons if one.verdict.is_open]
    if not unsure:
        return f"{no}Nothing that was measured differs by more than its tolerance{where}."
    labels = list(dict.fromkeys(words.label(one.measure.name) for one in unsure))
    levels = [
        level for level in words.levels if any(level in one.verdict.levels_with(Verdict.UNSURE) for one in unsure)
    ]
    rest = f"too few games were played to tell for {join_words(labels)}{words.among(levels)}"
    return f"No difference found: nothing is shown to differ{where}, but {rest}.{_needed(unsure)}"


def _other_changes(words: RunWords, metric: str) -> str:
    """What differs besides the metric in question."""
    told = {
        one.variant for one in words.data.primary if one.measure.name == metric and one.verdict.shape is Shape.EVERY
    }
    own = SEAT_METRICS if metric in SEAT_METRICS else (metric,)
    others = [
        one
        for one in words.data.primary
        if one.measure.name not in (own if one.variant in told else (metric, SEAT_IMBALANCE.name))
    ]
    if not others:
        return ""
    by_variant = {
        variant: words.changes([one for one in others if one.variant == variant])
        for variant in dict.fromkeys(one.variant for one in others)
    }
    texts = [f"With {words.title(variant)}, {text}." for variant, text in by_variant.items() if text]
    if len(texts) > MAX_NAMED:
        texts = [*texts[:MAX_CHANGES], f"{len(texts) - MAX_CHANGES} more variants differ in something."]
    if texts:
        return " ".join(texts)
    labels = join_words(list(dict.fromkeys(words.label(one.measure.name) for one in others)))
    if any(one.verdict.is_open for one in others):
        return f"Nothing that these games show; compared were {labels}."
    return f"Nothing: {labels} are the same within tolerance."


# --- layouts ---------------------------------------------------------------------------------------------------------


def _layouts_verdict(words: RunWords) -> str:
    """How much the layout matters for who wins and for how games go."""
    spreads = [
        (level, estimates.estimate(0, 0))
        for level, estimates in words.data.by_level(LAYOUT_SPREAD.name)
        if estimates.known(0, 0)
    ]
    if not spreads:
        return "Not known yet: too few games were played twice on one layout."
    sizes = join_words([f"{words.size(spread.value, 'share')}{words.among([level.name])}" for level, spread in spreads])
    spread_text = f"a seat's chance to win varies from layout to layout by {sizes} (standard deviation)."
    if all(spread.low > 0 for _, spread in spreads):
        verdict = f"It matters for who wins: {spread_text}"
    else:
        verdict = f"Not shown that it matters for who wins: {spread_text}"
    level, shares = words.data.by_level(LAYOUT_SHARE.name)[-1]
    certain = [
        f"{fmt.short(share, 'share')} of the variance in {words.label(outcome)}"
        for group, outcome in enumerate(shares.groups)
        if (share := shares.estimate(0, group)).low > 0
    ]
    such = join_words(certain[:MAX_CHANGES])
    return f"{verdict} It explains {such}{words.among([level.name])}." if certain else verdict


# --- how sure, and what next ------------------------------------------------------------------------------------------


def _sure(words: RunWords, metric: str) -> str:
    """How precisely the answer is known at every level, and from how many games."""
    count = len(words.run.experiment.boards)
    played = f"{int(words.run.game_counts['games'].sum()):,} games{f' on {count} boards' if count > 1 else ''}."
    compared = bool(words.data.comparisons)
    metric = metric or (SEAT_IMBALANCE.name if compared else WIN_SHARE)
    halves = _half_widths(words, metric)
    if not halves:
        return f"{played.removesuffix('.')}, too few to say."
    unit = words.data.estimates[metric].measure.unit
    texts = [
        f"±{words.size(half, unit, decimals=1)}{f' among {players_of(level)}' if words.several else ''}"
        for level, half in halves.items()
    ]
    what = f"a difference in the {words.label(metric)}" if compared else words.label(metric)
    verb = "are" if metric == WIN_SHARE and not compared else "is"
    return f"{capitalise(what)} {verb} known to {join_words(texts)} (95\u00a0%). {played}"


def _half_widths(words: RunWords, metric: str) -> dict[str, float]:
    """Half the widest interval of a metric, or of its differences, at every level that has played a few games."""
    halves = {}
    for level in words.levels:
        if words.data.comparisons:
            at = [one.at(level) for one in words.data.comparisons if one.measure.name == metric]
            known = [one.difference for one in at if one]
        else:
            known = [
                one
                for at_metric, estimates in words.data.by_level(metric)
                if at_metric.name == level
                for one in estimates.by_group(0)
                if one
            ]
        half = max(((one.high - one.low) / 2 for one in known), default=inf)
        if isfinite(half) and min(one.deals for one in known) >= MIN_DEALS:
            halves[level] = half
    return halves


def _untested(words: RunWords) -> str:
    """What the games say nothing about."""
    shell = find_shell(words.game)
    missing = ["people"]
    if words.levels[-1] in [level.name for level in shell.levels][:-1]:
        missing.append(f"players stronger than {players_of(words.levels[-1])}")
    if shell.default_board is not None and len(words.run.experiment.boards) < 2:
        missing.append("other boards")
    return f"{capitalise(join_words(missing))}."


def _steps(words: RunWords, folder: str, replies: Sequence[VariantReply], are_uneven: bool) -> list[tuple[str, str]]:
    """Commands that go on from here."""
    steps = []
    experiment = words.run.experiment
    if more := _more_games(words, [one for one in replies if Reply.OPEN in one.replies.levels.values()]):
        seconds = planned_seconds(experiment) * more / experiment.games
        steps.append((f"settle it (about {fmt.duration(seconds)} of one core)", f"mmsim run {folder} --more {more}"))
    if words.several and words.data.comparisons:
        steps.append(("level by level", f"mmsim compare {folder} --by-level"))
    if are_uneven:
        steps.append(("why the seats are uneven", f"mmsim why {folder}"))
    return [*steps, ("charts and games", f"mmsim report {folder}")]


def _more_games(words: RunWords, replies: Sequence[VariantReply]) -> int:
    """Games of the quickest level that would settle what is open; 0 if that cannot be said."""
    total, wanted = words.run.experiment.games, 0.0
    for shown in (shown for reply in replies for one in reply.comparisons for shown in one.levels):
        if shown.verdict is Verdict.UNSURE:
            if shown.games_needed is None:
                return 0
            low, high = shown.games_needed
            wanted = max(wanted, sqrt(low * high) / (shown.difference.deals * shown.games_per_deal) * total)
    more = wanted - total
    return int(-(-more // 1000) * 1000) if 0 < more < inf else 0
