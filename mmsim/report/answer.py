"""The answer to the question of an experiment: one line that answers it, and a few sentences that a designer needs.

The same answer ends `mmsim run` and `mmsim compare`, begins a report and is its memo.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, isfinite, sqrt

from mmsim.analysis import number_format as fmt
from mmsim.analysis.compare import CANNOT_SAY, Comparison, ComparisonOverLevels
from mmsim.analysis.derived_metrics import LAYOUT_SHARE, LAYOUT_SPREAD, SEAT_IMBALANCE, fair_share_tests
from mmsim.analysis.estimates import WIN_SHARE
from mmsim.analysis.level_verdict import (
    ALPHA,
    LevelEffect,
    LevelVerdict,
    Shape,
    Verdict,
    judge,
    players_of,
    where_it_holds,
)
from mmsim.analysis.reply import Reply, VariantReply, reply_about
from mmsim.analysis.run_metrics import ComparedRun
from mmsim.analysis.stats import holm
from mmsim.analysis.titles import ruleset_titles, seat_title, wording
from mmsim.batch.experiment import planned_seconds
from mmsim.core.levels import Level
from mmsim.games import find_shell, find_statistics
from mmsim.report.boards import on_every_board

_MAX_NAMED = 4  # variants; more are counted, not named
_MAX_CHANGES = 3  # of one variant, named in a sentence
_YES_OR_NO = ("Is", "Are", "Do", "Does", "Has", "Have", "Can", "Will", "Would")
_SEAT_METRICS = (WIN_SHARE, SEAT_IMBALANCE.name)
_STANDINGS = {Verdict.HIGHER: "ahead", Verdict.LOWER: "behind"}


@dataclass(frozen=True)
class Answer:
    """What a designer reads first."""

    question: str
    setting: str  # rules, players, boards
    verdict: str  # its first word answers the question
    shared: str  # which seats are ahead or behind for everyone
    changes: str  # what else differs
    boards: str  # on how many boards
    sure: str
    untested: str
    steps: Sequence[tuple[str, str]]  # what to do next, and the command

    @property
    def paragraphs(self) -> list[tuple[str, str]]:
        """Headings and sentences after the verdict, in reading order."""
        named = (
            ("The same for everyone", self.shared),
            ("What players would notice", self.changes),
            ("On which boards", self.boards),
            ("How sure", self.sure),
            ("Not tested", self.untested),
        )
        return [(heading, text) for heading, text in named if text]

    @property
    def memo(self) -> str:
        """The answer as Markdown."""
        first, rest = self.first_words
        lines = [f"# {self.question}", f"*{capitalise(self.setting)}.*", f"**{first}**{rest}"]
        lines += [f"**{heading}:** {text}" for heading, text in self.paragraphs]
        if self.steps:
            lines.append("\n".join(["**What to do next:**", "", *(f"- {what}: `{command}`" for what, command in self.steps)]))
        return "\n\n".join(lines).replace("\u00a0", " ") + "\n"

    @property
    def first_words(self) -> tuple[str, str]:
        """The verdict in two parts: the words that answer the question, and the rest."""
        for end in (".", ":", ","):
            first, found, rest = self.verdict.partition(end)
            if found and len(first) < len("No, the opposite: "):
                return first + found, rest
        return "", self.verdict


def capitalise(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def join_words(words: Sequence[str], last: str = "and") -> str:
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def answer_of(data: ComparedRun, folder: str = "") -> Answer:
    """The answer of a run; with its folder, the commands that go on with it."""
    writer = _Writer(data)
    wanted = data.run.experiment.wanted
    replies: list[VariantReply] = []
    if wanted.metric:
        replies = writer.replies()
        verdict = writer.replied(replies)
    elif wanted.about == "layouts":
        verdict = writer.layouts()
    elif wanted.about == "seats" or not data.comparisons:
        verdict = writer.seats()
    else:
        verdict = writer.differences(data.primary)
    about_seats = wanted.about == "seats" or not data.comparisons
    return Answer(
        question=writer.question,
        setting=writer.setting,
        verdict=verdict,
        shared="" if about_seats and wanted.about != "layouts" else writer.shared_seats(),
        changes=writer.other_changes(wanted.metric) if wanted.metric and data.comparisons else "",
        boards=" ".join(on_every_board(data, writer.titles)),
        sure=writer.sure(wanted.metric),
        untested=writer.untested,
        steps=writer.steps(folder, replies) if folder else (),
    )


class _Writer:
    """Writes the sentences of one run."""

    def __init__(self, data: ComparedRun) -> None:
        self.data = data
        self.run = data.run
        self.game = data.run.experiment.game
        self.titles = variant_titles(data)
        self.several = len(data.levels) > 1

    # --- what was asked -------------------------------------------------------------------------------------------

    @property
    def question(self) -> str:
        experiment = self.run.experiment
        if experiment.question:
            return experiment.question
        if experiment.wanted.about == "seats":
            return f"Does a seat have an advantage with {self.titles[0]}?"
        return f"What is different between {join_words(self.titles)}?"

    @property
    def setting(self) -> str:
        """The rules that all variants share, the number of players, the boards."""
        experiment = self.run.experiment
        players = join_words([str(number) for number in sorted({variant.players for variant in self.run.variants})])
        rules = self.titles[0] if len(experiment.variants) > 1 or len(self.titles) == 1 else ""
        boards = experiment.boards
        where = f"on {len(boards)} boards" if len(boards) > 1 else f"on {boards[0]}" if boards else ""
        return ", ".join(filter(None, (rules, f"{players} players", where)))

    @property
    def _is_yes_or_no(self) -> bool:
        return self.question.split(" ")[0] in _YES_OR_NO

    # --- words ----------------------------------------------------------------------------------------------------

    def title(self, variant: str) -> str:
        return self.titles[[description.name for description in self.run.variants].index(variant)]

    def named(self, variants: Sequence[str], last: str = "and") -> str:
        if len(variants) > _MAX_NAMED:
            return f"{len(variants)} of {len(self.titles) - 1} variants"
        return join_words([self.title(variant) for variant in variants], last)

    def among(self, levels: Sequence[str]) -> str:
        """Levels as the people who play them."""
        if not self.several:
            return ""
        every = [level.level.name for level in self.data.levels]
        if list(levels) == every:
            return " at every level of play"
        places = [every.index(level) for level in levels]
        if len(levels) > 2 and places == [*range(places[0], places[0] + len(places))]:
            return f" from {players_of(levels[0])} to {players_of(levels[-1])}"
        return f" among {join_words([players_of(level) for level in levels])}"

    def clause(self, comparison: ComparisonOverLevels, is_higher: bool) -> str:
        words = wording(self.game, comparison.measure.name, comparison.group, self.players)
        return words.higher if is_higher else words.lower

    @property
    def players(self) -> int:
        return self.run.variants[0].players

    def amount(self, comparison: Comparison, name_level: bool) -> str:
        """How large a difference is at one level."""
        unit = fmt.difference_unit(comparison.measure.unit)
        value = fmt.short(comparison.difference, unit, signed=True).lstrip("+−").replace("\u00a0pp", "")
        noun = "points" if unit.startswith("share") else unit
        level = f" among {players_of(comparison.level.name)}" if name_level and self.several else ""
        return f"by {value}\u00a0{noun}{level}"

    # --- a metric that should be higher or lower ----------------------------------------------------------------------

    def replies(self) -> list[VariantReply]:
        wanted = self.run.experiment.wanted
        asked = [
            one
            for one in self.data.comparisons
            if one.measure.name == wanted.metric and wanted.group in ("", one.group)
        ]
        variants = dict.fromkeys(one.variant for one in asked)
        return [
            reply_about(variant, [one for one in asked if one.variant == variant], wanted.direction)
            for variant in variants
        ]

    def replied(self, replies: Sequence[VariantReply]) -> str:
        """The replies about all variants; those that are alike are said once."""
        alike: dict[tuple[Reply, tuple[tuple[str, Reply], ...]], list[VariantReply]] = {}
        for one in replies:
            alike.setdefault((one.reply, tuple(one.levels.items())), []).append(one)
        order = list(Reply)
        return " ".join(self._reply(group) for (reply, _), group in sorted(alike.items(), key=lambda x: order.index(x[0][0])))

    def _reply(self, group: Sequence[VariantReply]) -> str:
        first = group[0]
        either = join_words([self.title(one.variant) for one in group], "or") if len(group) <= _MAX_NAMED else ""
        names = either or self.named([one.variant for one in group])
        yes, no, opposite, unknown = (
            first.levels_with(reply) for reply in (Reply.YES, Reply.NO, Reply.OPPOSITE, Reply.OPEN)
        )
        unclear = f" Among {join_words([*map(players_of, unknown)])} there are too few games to tell." if unknown and self.several else ""
        match first.reply:
            case Reply.YES:
                where = "" if unknown else self.among(yes)
                where = where or self.among(yes)
                return f"Yes. With {names}, {self._wanted_clause(group, True)}{where}, {self._amounts(group, yes)}.{unclear}"
            case Reply.OPPOSITE:
                return f"No, the opposite: with {names}, {self._wanted_clause(group, False)}{self.among(opposite)}, {self._amounts(group, opposite)}.{unclear}"
            case Reply.NO:
                parts = [f"{self._same_clause(group)} with {self.titles[0]}{self.among(no)}"] if no else []
                parts += [f"{self._wanted_clause(group, False)}{self.among(opposite)}"] if opposite else []
                return f"No. With {names}, {'; '.join(parts)}.{unclear}"
            case Reply.PARTLY:
                parts = [f"{capitalise(self.among(yes).strip())}, yes: with {names}, {self._wanted_clause(group, True)}, {self._amounts(group, yes)}."]
                parts += [f"{capitalise(self.among(no).strip())}, no: {self._same_clause(group)} with {self.titles[0]}."] if no else []
                parts += [f"{capitalise(self.among(opposite).strip())}, the opposite: {self._wanted_clause(group, False)}."] if opposite else []
                return " ".join(parts) + unclear
        needed = max((one.games_text or CANNOT_SAY for reply in group for one in reply.comparisons), key=len)
        if no or opposite:
            told = self._reply_told(group, no)
            return f"{told} Not known yet{self.among(unknown)}: {needed}."
        return f"Not known yet. The games do not show whether {self._wanted_clause(group, True)} with {names}; {needed}."

    def _reply_told(self, group: Sequence[VariantReply], no: Sequence[str]) -> str:
        names = join_words([self.title(one.variant) for one in group], "or") if len(group) <= _MAX_NAMED else "them"
        return f"No{self.among(no)}: with {names}, {self._same_clause(group)} with {self.titles[0]}."

    def _wanted_clause(self, group: Sequence[VariantReply], as_asked: bool) -> str:
        """What was asked for, or its opposite, as a clause; if any difference was asked for, what was found."""
        comparison, direction = group[0].comparisons[0], self.run.experiment.wanted.direction
        if not direction:
            if as_asked and group[0].reply in (Reply.YES, Reply.PARTLY):
                return join_words([self._change(one, "") for one in group[0].comparisons if one.is_different])
            words = wording(self.game, comparison.measure.name, comparison.group, self.players)
            label = "who wins" if comparison.measure.name == WIN_SHARE else words.label
            return f"{label} is different"
        return self.clause(comparison, (direction == "higher") == as_asked)

    def _same_clause(self, group: Sequence[VariantReply]) -> str:
        comparison = group[0].comparisons[0]
        if comparison.measure.name == SEAT_IMBALANCE.name:
            return "the seats are as even as"
        if comparison.measure.name == WIN_SHARE and len(group[0].comparisons) > 1:
            return "every seat wins as often as"
        return f"{wording(self.game, comparison.measure.name, comparison.group, self.players).label} is the same as"

    def _amounts(self, group: Sequence[VariantReply], levels: Sequence[str]) -> str:
        """By how much, at the level that is shown or else the strongest that shows it."""
        level = self.data.shown.level.name if self.data.shown.level.name in levels else levels[-1]
        shown = [at_level(reply.comparisons[0], level) for reply in group]
        texts = [self.amount(one, name_level=False) for one in shown if one]
        who = f" among {players_of(level)}" if self.several else ""
        return f"{join_words(list(dict.fromkeys(texts)))}{who}"

    # --- which seats ------------------------------------------------------------------------------------------------

    def seats(self) -> str:
        """Which seats of the first variant are ahead or behind: what holds at every level comes first."""
        if WIN_SHARE not in self.data.estimates:
            return "Not known: these games have no winners to count."
        verdicts = seat_verdicts(self.data)[0]
        yes, no, unknown = ("Yes. ", "No. ", "Not shown. ") if self._is_yes_or_no else ("", "", "")
        everywhere = self._standings(verdicts, lambda one: one.shape is Shape.EVERY)
        elsewhere = self._standings(verdicts, lambda one: one.is_different and one.shape is not Shape.EVERY)
        fair = fair_share(self.players)
        if not everywhere and not elsewhere:
            if all(not one.is_open for one in verdicts.values()):
                return f"{no}Every seat wins its fair share of {fair} within {self._tolerance(WIN_SHARE)}{self.among(self._every)}."
            return f"{unknown or 'Not shown. '}No seat is shown to be ahead or behind{' at any level of play' * self.several}; {fair} would be fair."
        sentences = [f"{join_words(everywhere)}; {fair} would be fair"] if everywhere else []
        if elsewhere:
            sentences.append("; ".join(elsewhere) + ("" if everywhere else f"; {fair} would be fair"))
        mixed = "But the bots at the table differ." if self.run.mixed else ""
        return f"{yes}{' '.join(f'{capitalise(one)}.' for one in sentences)} {mixed}".strip()

    @property
    def _every(self) -> list[str]:
        return [level.level.name for level in self.data.levels]

    def _standings(self, verdicts: dict[str, LevelVerdict], which) -> list[str]:  # type: ignore[no-untyped-def]
        """Clauses on the seats that are ahead or behind, one for all that stand alike."""
        alike: dict[str, list[tuple[str, str]]] = {}
        for seat, verdict in verdicts.items():
            if which(verdict):
                where = where_it_holds(verdict, _STANDINGS)
                alike.setdefault(where, []).append((seat_title(seat, self.players), self._wins(seat, verdict, [0])))
        clauses = []
        for where, seats in alike.items():
            names, wins = (join_words([seat[part] for seat in seats]) for part in (0, 1))
            verb = "seats are" if len(seats) > 1 else "seat is"
            verb = verb.split(" ")[0] + ":" if where.startswith(Shape.REVERSES) else verb
            clauses.append(f"the {names} {verb} {where} ({wins} of wins)")
        return clauses

    def _wins(self, seat: str, verdict: LevelVerdict, variants: Iterable[int]) -> str:
        """The win shares of a seat at the levels that show it to be ahead or behind."""
        shown = [effect.level for effect in verdict.effects if effect.is_shown]
        values = [
            round(100 * float(shares.means[variant, shares.groups.index(seat)]))
            for level, shares in self.data.by_level(WIN_SHARE)
            if level.name in shown
            for variant in variants
        ]
        low, high = min(values), max(values)
        return f"{low}\u00a0%" if low == high else f"{low} to {high}\u00a0%"

    def shared_seats(self) -> str:
        """Seats that are ahead, or behind, with every variant at every level."""
        if WIN_SHARE not in self.data.estimates or self.run.mixed:
            return ""
        by_variant = seat_verdicts(self.data)
        clauses = []
        for seat in by_variant[0]:
            verdicts = [verdicts[seat] for verdicts in by_variant]
            effects = [effect for verdict in verdicts for effect in verdict.effects]
            kinds = {effect.verdict for effect in effects}
            if len(kinds) == 1 and effects[0].is_shown:
                wins = self._wins(seat, verdicts[0], range(len(by_variant)))
                clauses.append((_STANDINGS[kinds.pop()], seat_title(seat, self.players), wins))
        if not clauses:
            return ""
        texts = []
        for standing in dict.fromkeys(clause[0] for clause in clauses):
            names = [name for kind, name, _ in clauses if kind == standing]
            wins = join_words([share for kind, _, share in clauses if kind == standing])
            texts.append(f"the {join_words(names)} seat{'s are' if len(names) > 1 else ' is'} {standing} ({wins} of wins)")
        return f"{join_words(texts)}; {fair_share(self.players)} would be fair."

    # --- what differs -----------------------------------------------------------------------------------------------

    def differences(self, comparisons: Sequence[ComparisonOverLevels]) -> str:
        """What differs between each variant and the first, and what does not."""
        variants = list(dict.fromkeys(one.variant for one in comparisons))
        by_variant = {variant: self._changes(comparisons, variant) for variant in variants}
        apart = [variant for variant in variants if by_variant[variant]]
        same = [variant for variant in variants if variant not in apart]
        yes, no = ("Yes. ", "No. ") if self._is_yes_or_no else ("", "")
        if not apart:
            if any(one.verdict.is_open for one in comparisons):
                open_ones = [one.games_text for one in comparisons if one.games_text]
                needed = CANNOT_SAY if CANNOT_SAY in open_ones or not open_ones else max(open_ones, key=len)
                return f"Not shown. No difference was found between {join_words(self.titles) if len(self.titles) <= _MAX_NAMED else 'the variants'}; {needed}."
            where = " at any level of play" if self.several else ""
            return f"{no}Nothing that was measured differs by more than its tolerance{where}."
        shown = sorted(apart, key=lambda variant: -max(_size(one) for one in comparisons if one.variant == variant and one.is_different))
        text = f"{yes}{len(apart)} of {len(variants)} variants differ. " if len(variants) > _MAX_NAMED else yes
        text += " ".join(f"With {self.title(variant)}, {by_variant[variant]}." for variant in (shown[:_MAX_CHANGES] if len(variants) > _MAX_NAMED else apart))
        if same and len(variants) <= _MAX_NAMED:
            text += f" With {join_words([self.title(variant) for variant in same], 'or')}, nothing is shown to differ."
        return text

    def _changes(self, comparisons: Sequence[ComparisonOverLevels], variant: str) -> str:
        """What differs with a variant: what holds at every level first, then by how much it matters."""
        apart = [one for one in comparisons if one.variant == variant and one.is_different]
        if any(one.measure.name == SEAT_IMBALANCE.name for one in apart):
            apart = [one for one in apart if one.measure.name != WIN_SHARE]
        apart.sort(key=lambda one: (not one.verdict.shape is Shape.EVERY, -_size(one)))
        texts = [self._change(one) for one in apart[:_MAX_CHANGES]]
        more = f"; {len(apart) - _MAX_CHANGES} more" if len(apart) > _MAX_CHANGES else ""
        return f"{'; '.join(texts)}{more}" if texts else ""

    def _change(self, comparison: ComparisonOverLevels, amount: str | None = None) -> str:
        """One difference as a clause, with where it holds and how large it is."""
        verdict, largest = comparison.verdict, comparison.largest
        if verdict.shape is Shape.REVERSES:
            shown = [one for one in comparison.levels if one.effect.is_shown]
            ends = (shown[0], shown[-1])
            return join_words([f"{self.clause(comparison, one.difference.value > 0)} among {players_of(one.level.name)}" for one in ends], "but")
        levels = [one.level.name for one in comparison.levels if one.effect.is_shown]
        if largest.verdict is Verdict.REARRANGED:
            return f"the seats are uneven in another way{self.among(levels)}"
        shown_level = at_level(comparison, self.data.shown.level.name)
        at = shown_level if shown_level and shown_level.effect.is_shown else largest
        by = self.amount(at, name_level=len(levels) > 1) if amount is None else amount
        return f"{self.clause(comparison, at.difference.value > 0)}{self.among(levels)}{f' ({by})' if by else ''}"

    def other_changes(self, metric: str) -> str:
        """What differs besides the metric in question."""
        own = _SEAT_METRICS if metric in _SEAT_METRICS else (metric,)
        others = [one for one in self.data.primary if one.measure.name not in own]
        if not others:
            return ""
        texts = []
        for variant in dict.fromkeys(one.variant for one in others):
            if changes := self._changes(others, variant):
                texts.append(f"With {self.title(variant)}, {changes}.")
        if len(texts) > _MAX_CHANGES:
            texts = [*texts[:_MAX_CHANGES], f"{len(texts) - _MAX_CHANGES} more variants differ in something."]
        labels = [
            wording(self.game, name, group, self.players).label
            for name, group in dict.fromkeys((one.measure.name, one.group) for one in others)
        ]
        if texts:
            return " ".join(texts)
        if all(one.verdict.shape is Shape.SAME and not one.verdict.is_open for one in others):
            return f"Nothing: {join_words(labels)} are the same within tolerance."
        return f"Nothing that these games show; {join_words(labels)} were compared."

    # --- layouts ------------------------------------------------------------------------------------------------------

    def layouts(self) -> str:
        """How much the layout matters for who wins and for how games go, at every level."""
        spreads = self.data.by_level(LAYOUT_SPREAD.name)
        shares = self.data.by_level(LAYOUT_SHARE.name)
        if not spreads:
            return "Not known yet: too few games were played twice on one layout."
        known = [(level, estimates.estimate(0, 0)) for level, estimates in spreads if estimates.known(0, 0)]
        texts = [f"{fmt.with_interval(spread, LAYOUT_SPREAD.unit)}{self.among([level.name])}" for level, spread in known]
        sure = all(spread.low > 0 for _, spread in known)
        verdict = (
            f"It matters for who wins: a seat's chance to win varies from layout to layout by {join_words(texts)} (standard deviation)."
            if sure
            else f"Not shown that it matters for who wins: a seat's chance to win varies from layout to layout by {join_words(texts)} (standard deviation)."
        )
        level, estimates = shares[-1] if shares else (None, None)
        if level and estimates:
            found = [(estimates.estimate(0, g), fmt.title(group)) for g, group in enumerate(estimates.groups)]
            certain = [f"{fmt.short(share, 'share')} of the variance of {outcome}" for share, outcome in found if share.low > 0]
            if certain:
                verdict += f" It explains {join_words(certain)}{self.among([level.name])}."
        return verdict

    # --- how sure, and what next ----------------------------------------------------------------------------------------

    def _tolerance(self, metric: str) -> str:
        measure = self.data.estimates[metric].measure
        value = f"{measure.tolerance * fmt.scale_of(measure.unit):.2g}"
        noun = "points" if measure.unit.startswith("share") else measure.unit
        return f"{value} {noun.removesuffix('s') if value == '1' else noun}"

    def sure(self, metric: str) -> str:
        """How precisely the answer is known at every level, and from how many games."""
        games = int(self.run.game_counts["games"].sum())
        boards = f" on {len(self.run.experiment.boards)} boards" if len(self.run.experiment.boards) > 1 else ""
        played = f"{games:,} games{boards}"
        precision = self._precision(metric or (SEAT_IMBALANCE.name if self.data.comparisons else WIN_SHARE))
        return f"{precision} {played}.".strip() if precision else f"{played}."

    def _precision(self, metric: str) -> str:
        halves: list[tuple[str, float, str]] = []  # level, half width, unit
        if self.data.comparisons:
            for level in self._every:
                widths = [
                    (shown.difference.high - shown.difference.low) / 2
                    for one in self.data.comparisons
                    if one.measure.name == metric and (shown := at_level(one, level))
                ]
                if widths and isfinite(max(widths)):
                    unit = next(one.measure.unit for one in self.data.comparisons if one.measure.name == metric)
                    halves.append((level, max(widths), unit))
            what = f"a difference in the {wording(self.game, metric).label} is known to"
        else:
            for level, estimates in self.data.by_level(metric):
                widths = [(one.high - one.low) / 2 for one in estimates.by_group(0) if one]
                if widths and isfinite(max(widths)):
                    halves.append((level.name, max(widths), estimates.measure.unit))
            what = "a seat's wins are known to" if metric == WIN_SHARE else f"{wording(self.game, metric).label} is known to"
        if not halves:
            return ""
        noun = "points" if halves[0][2].startswith("share") else halves[0][2]
        texts = [
            f"±{half * fmt.scale_of(unit):.2g} {noun}{f' ({players_of(level)})' if self.several else ''}"
            for level, half, unit in halves
        ]
        what = what.replace("{group} ", "")
        return f"{capitalise(what)} {join_words(texts)}, with 95 % confidence."

    @property
    def untested(self) -> str:
        """What the games say nothing about."""
        shell, experiment = find_shell(self.game), self.run.experiment
        stronger = [level.name for level in shell.levels]
        strongest = self._every[-1]
        missing = ["people"]
        if strongest in stronger[:-1]:
            missing.append(f"players stronger than {players_of(strongest)}")
        if shell.default_board is not None and len(experiment.boards) < 2:
            missing.append("other boards")
        return f"{capitalise(join_words(missing))}."

    def steps(self, folder: str, replies: Sequence[VariantReply]) -> list[tuple[str, str]]:
        """Commands that go on from here."""
        steps = []
        open_replies = [one for one in replies if Reply.OPEN in one.levels.values()]
        if open_replies and (more := self._more_games(open_replies)):
            seconds = planned_seconds(self.run.experiment) * more / self.run.experiment.games
            steps.append((f"settle it (about {fmt.duration(seconds)} of one core)", f"mmsim run {folder} --more {more}"))
        if self.several and self.data.comparisons:
            steps.append(("level by level", f"mmsim compare {folder} --by-level"))
        if WIN_SHARE in self.data.estimates and self.shared_seats():
            steps.append(("why the seats are uneven", f"mmsim why {folder}"))
        return [*steps, ("charts and games", f"mmsim report {folder}")]

    def _more_games(self, replies: Sequence[VariantReply]) -> int:
        """Games of the quickest level that would settle what is open; 0 if that cannot be said."""
        experiment, wanted = self.run.experiment, 0.0
        for reply in replies:
            for one in reply.comparisons:
                for shown in one.levels:
                    if shown.verdict is Verdict.UNSURE:
                        if shown.games_needed is None or not shown.difference.deals:
                            return 0
                        low, high = shown.games_needed
                        played = shown.difference.deals * shown.games_per_deal
                        wanted = max(wanted, sqrt(low * high) / played * experiment.games)
        more = wanted - experiment.games
        return 0 if more <= 0 or more == inf else int(-(-more // 1000) * 1000)


# --- seats -------------------------------------------------------------------------------------------------------


def fair_share(players: int) -> str:
    return f"{100 / players:.3g}\u00a0%"


def seat_verdicts(data: ComparedRun) -> list[dict[str, LevelVerdict]]:
    """For every variant and seat, at which levels it wins more or less than a fair share; all of them are one family
    of tests."""
    levels = data.by_level(WIN_SHARE)
    seats = data.estimates[WIN_SHARE].groups
    variants = range(len(data.run.variants))
    cells = [
        (variant, seat, level, test)
        for level, shares in levels
        for variant in variants
        for seat, test in zip(seats, fair_share_tests(shares, variant), strict=True)
    ]
    unfair, fair = (holm([getattr(cell[3], p) for cell in cells]) for p in ("p_value", "p_equal"))
    effects: dict[tuple[int, str], list[LevelEffect]] = {}
    for (variant, seat, level, test), p, q in zip(cells, unfair, fair, strict=True):
        verdict = Verdict.EQUAL if q < ALPHA else Verdict.UNSURE
        if verdict is Verdict.UNSURE and p < ALPHA:
            verdict = Verdict.HIGHER if test.difference > 0 else Verdict.LOWER
        effect = LevelEffect(level.name, level.make, test.difference, test.se, verdict)
        effects.setdefault((variant, seat), []).append(effect)
    tolerance, alpha = data.estimates[WIN_SHARE].measure.tolerance, ALPHA / (len(seats) * len(variants))
    return [{seat: judge(effects[variant, seat], tolerance, alpha) for seat in seats} for variant in variants]


def variant_titles(data: ComparedRun) -> list[str]:
    """What every variant is called: by its rules, or by its board if only boards differ."""
    run = data.run
    boards = [variant.board_name or "" for variant in run.variants]
    rules = [variant.rules for variant in run.variants]
    if len({*rules}) == 1 and len({*boards}) > 1:
        return data.names
    if not all(rules):
        return data.names
    titles = ruleset_titles(run.experiment.game, list(dict.fromkeys(rules)))
    named = dict(zip(dict.fromkeys(rules), titles, strict=True))
    by_variant = [named[spec] for spec in rules]
    return by_variant if len({*by_variant}) == len(by_variant) else data.names


def at_level(comparison: ComparisonOverLevels, level: str) -> Comparison | None:
    """A comparison at one level; None if it is no evidence there."""
    return next((shown for shown in comparison.levels if shown.level.name == level), None)


def _size(comparison: ComparisonOverLevels) -> float:
    """How much a difference matters: in tolerances, at the level where it is largest."""
    return abs(comparison.largest.difference.value) / comparison.measure.tolerance
