"""The verdict of a run in a few sentences; the first word answers the question."""

from collections.abc import Iterable, Sequence
from math import isfinite

from mmsim.analysis import number_format as fmt
from mmsim.analysis.compare import ComparisonOverLevels
from mmsim.analysis.derived_metrics import LAYOUT_SHARE, LAYOUT_SPREAD, SEAT_IMBALANCE
from mmsim.analysis.estimates import WIN_SHARE
from mmsim.analysis.level_verdict import LevelVerdict, Shape, Verdict, players_of
from mmsim.analysis.reply import Reply, VariantReply, reply_about
from mmsim.analysis.wording import seat_title
from mmsim.report.run_words import MAX_CHANGES, MAX_NAMED, SEAT_METRICS, RunWords, in_tolerances
from mmsim.report.sentences import capitalise, join_words

_STANDINGS = {Verdict.HIGHER: "more than a fair share", Verdict.LOWER: "less than a fair share"}


# --- a metric that should be higher or lower -------------------------------------------------------------------------


def replies_of(words: RunWords) -> list[VariantReply]:
    """What every other variant does to the metric in question."""
    wanted = words.run.experiment.wanted
    asked = [
        one for one in words.data.comparisons if one.measure.name == wanted.metric and wanted.group in ("", one.group)
    ]
    return [
        reply_about(variant, [one for one in asked if one.variant == variant], wanted.direction)
        for variant in dict.fromkeys(one.variant for one in asked)
    ]


def replied(words: RunWords, replies: Sequence[VariantReply]) -> str:
    """The replies about all variants, yes first; what is alike is said once."""
    alike: dict[tuple[object, ...], list[VariantReply]] = {}
    for one in replies:
        pattern = () if _shows_nothing(one) else tuple(one.levels.items())
        alike.setdefault((one.reply, pattern), []).append(one)
    order = list(Reply)
    groups = sorted(alike.values(), key=lambda group: order.index(group[0].reply))
    said, text = "", ""
    for group in groups:
        head, rest = _reply(words, group)
        text += f" {capitalise(rest)}" if head == said else f" {head} {rest}"
        said = head
    return text.strip()


def _reply(words: RunWords, group: Sequence[VariantReply]) -> tuple[str, str]:
    """What to say about variants with the same reply: the words that answer the question, and the rest."""
    first, names = group[0], words.either([one.variant for one in group])
    if _shows_nothing(first):
        where = " at any level of play" if words.several else ""
        bound = f"{_bound(words, group)}{_needed([one for reply in group for one in reply.comparisons])}"
        return "No difference found:", f"with {names}, {_not_shown(words, first)}{where}.{bound}"
    yes, no, otherwise, opposite, unknown = (
        first.levels_with(reply) for reply in (Reply.YES, Reply.NO, Reply.OTHERWISE, Reply.OPPOSITE, Reply.OPEN)
    )
    less = [level for level in unknown if level in first.fading]
    unclear = [level for level in unknown if level not in less]
    clauses = [
        f"{_clause(words, first, True)}{words.among(yes)}{_amounts(words, group, yes)}" if yes else "",
        f"{_same(words, first)} with {words.titles[0]}{words.among(no)}" if no else "",
        f"the seats are uneven in another way{words.among(otherwise)}" if otherwise else "",
        f"{_clause(words, first, False)}{words.among(opposite)}{_amounts(words, group, opposite)}" if opposite else "",
        f"the effect is clearly smaller, if there is any,{words.among(less)}" if less else "",
    ]
    heads = {Reply.YES: "Yes.", Reply.PARTLY: "Partly.", Reply.NO: "No.", Reply.OPEN: "Not shown."}
    head = heads.get(first.reply, "No, the opposite:")
    rest = f" {capitalise(words.people(unclear))} there are too few games to tell." if unclear and words.several else ""
    return head, f"{'with' if head.endswith(':') else 'With'} {names}, {'; '.join(filter(None, clauses))}.{rest}"


def _shows_nothing(reply: VariantReply) -> bool:
    """True if most levels cannot tell, and those that can show no difference."""
    return reply.reply is Reply.OPEN and {*reply.levels.values()} <= {Reply.OPEN, Reply.NO}


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


# --- which seats -----------------------------------------------------------------------------------------------------


def seats(words: RunWords) -> str:
    """Which seats of the first variant win more or less than their share: what holds at every level comes first."""
    if WIN_SHARE not in words.data.estimates:
        return "Not known: these games have no winners to count."
    verdicts, fair = words.data.seat_verdicts[0], words.fair_share
    clauses, most_levels = _standings(words, verdicts)
    if not clauses:
        if not any(one.is_open for one in verdicts.values()):
            within = f"within {words.tolerance(WIN_SHARE)}{words.among(words.levels)}"
            return f"{'No. ' if words.is_yes_or_no else ''}Every seat wins its fair share of {fair}, {within}."
        where = " at any level of play" if words.several else ""
        return f"Not shown. No seat is shown to win more or less than a fair {fair}{where}."
    head = ("Yes. " if 2 * most_levels >= len(words.levels) else "Partly. ") if words.is_yes_or_no else ""
    mixed = " But the bots at the table differ." if words.run.mixed else ""
    return f"{head}{capitalise('; '.join(clauses))}. {fair} would be fair.{mixed}"


def _standings(words: RunWords, verdicts: dict[str, LevelVerdict]) -> tuple[list[str], int]:
    """Clauses on the seats that win more or less than their share, one for all that do at the same levels; and the
    number of levels in the first of them."""
    alike: dict[tuple[str, ...], list[tuple[str, str]]] = {}  # standing and levels -> seats and wins
    for seat, verdict in verdicts.items():
        for kind, standing in _STANDINGS.items():
            if levels := verdict.levels_with(kind):
                named = seat_title(seat, words.players), _wins(words, seat, levels, [0])
                alike.setdefault((standing, *levels), []).append(named)
    clauses = []
    ordered = sorted(alike.items(), key=lambda pair: -len(pair[0]))
    for (standing, *levels), some in ordered:
        names, wins = (join_words([seat[part] for seat in some]) for part in (0, 1))
        verb = "seats win" if len(some) > 1 else "seat wins"
        clauses.append(f"the {names} {verb} {standing}{words.among(levels)} ({wins})")
    return clauses, len(ordered[0][0]) - 1 if ordered else 0


def _wins(words: RunWords, seat: str, levels: Sequence[str], variants: Iterable[int]) -> str:
    """The range of the win shares of a seat at some levels."""
    values = [
        round(100 * float(shares.means[variant, shares.groups.index(seat)]))
        for level, shares in words.data.by_level(WIN_SHARE)
        if level.name in levels
        for variant in variants
    ]
    low, high = min(values), max(values)
    return f"{low}\u00a0%" if low == high else f"{low} to {high}\u00a0%"


def seats_of_all(words: RunWords) -> str:
    """The seats that are ahead, or behind, with every variant at every level."""
    if WIN_SHARE not in words.data.estimates or words.run.mixed:
        return ""
    by_variant = words.data.seat_verdicts
    standing: dict[str, list[tuple[str, str]]] = {}
    for seat in by_variant[0]:
        kinds = {effect.verdict for verdicts in by_variant for effect in verdicts[seat].effects}
        kind = kinds.pop()
        if not kinds and kind in _STANDINGS:
            wins = _wins(words, seat, words.levels, range(len(by_variant)))
            standing.setdefault(_STANDINGS[kind], []).append((seat_title(seat, words.players), wins))
    clauses = []
    for where, some in standing.items():
        names, wins = (join_words([seat[part] for seat in some]) for part in (0, 1))
        clauses.append(f"the {names} {'seats win' if len(some) > 1 else 'seat wins'} {where} ({wins})")
    return f"{capitalise(join_words(clauses))}; {words.fair_share} would be fair." if clauses else ""


def seats_title(words: RunWords) -> str:
    """What holds for the seats of all variants at all levels, or else of the first variant, as the title of a chart."""
    if shared := seats_of_all(words):
        return shared.partition(";")[0]
    own = seats(words)
    for head in ("Yes. ", "No. ", "Partly. ", "Not shown. "):
        own = own.removeprefix(head)
    own = own.partition(";")[0].removesuffix(".")
    return f"With {words.titles[0]}, {own[:1].lower()}{own[1:]}" if len(words.titles) > 1 else own


# --- what differs ----------------------------------------------------------------------------------------------------


def differences(words: RunWords, comparisons: Sequence[ComparisonOverLevels]) -> str:
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


def other_changes(words: RunWords, metric: str) -> str:
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


def layouts(words: RunWords) -> str:
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
