"""The answer to the question of an experiment: one line that answers it, and the few sentences that a designer needs.

The same answer ends `mmsim run` and `mmsim compare`, begins a report and is its memo.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, sqrt

from mmsim.analysis import number_format as fmt
from mmsim.analysis.derived_metrics import LAYOUT_SPREAD, SEAT_IMBALANCE
from mmsim.analysis.estimates import WIN_SHARE
from mmsim.analysis.level_verdict import Verdict, players_of
from mmsim.analysis.reply import Reply, VariantReply
from mmsim.analysis.run_metrics import ComparedRun
from mmsim.batch.experiment import planned_seconds
from mmsim.games import find_shell
from mmsim.report import verdicts
from mmsim.report.run_words import RunWords
from mmsim.report.sentences import capitalise, how_games_go, join_words, on_every_board

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
    replies = verdicts.replies_of(words) if wanted.metric else []
    if replies:
        verdict = verdicts.replied(words, replies)
    elif wanted.metric and data.comparisons:
        verdict = f"Not known: these games have no {' '.join(filter(None, (wanted.metric, wanted.group)))}."
    elif wanted.about == "layouts":
        verdict = verdicts.layouts(words)
    elif data.comparisons:
        verdict = verdicts.differences(words, data.primary)
    else:
        verdict = verdicts.seats(words)
    is_about_seats = not data.comparisons and wanted.about != "layouts"
    shared = "" if is_about_seats else verdicts.seats_of_all(words)
    return Answer(
        question=words.question,
        setting=words.setting,
        verdict=verdict,
        shared=shared,
        changes=verdicts.other_changes(words, wanted.metric) if replies else "",
        course="" if data.comparisons else how_games_go(data),
        boards=" ".join(on_every_board(data, words.titles)),
        sure=_sure(words, LAYOUT_SPREAD.name if wanted.about == "layouts" else wanted.metric),
        untested=_untested(words),
        steps=_steps(words, folder, replies, bool(shared)) if folder else (),
    )


def _sure(words: RunWords, metric: str) -> str:
    """How precisely the answer is known at every level, and from how many games."""
    count = len(words.run.experiment.boards)
    played = f"{int(words.run.game_counts['games'].sum()):,} games{f' on {count} boards' if count > 1 else ''}."
    compared = bool(words.data.comparisons)
    metric = metric or (SEAT_IMBALANCE.name if compared else WIN_SHARE)
    halves = _half_widths(words, metric)
    if not halves:
        return played
    unit = words.data.estimates[metric].measure.unit
    texts = [
        f"±{words.size(half, unit, decimals=1)}{f' among {players_of(level)}' if words.several else ''}"
        for level, half in halves.items()
    ]
    what = f"a difference in the {words.label(metric)}" if compared else words.label(metric)
    verb = "are" if metric == WIN_SHARE and not compared else "is"
    return f"{capitalise(what)} {verb} known to {join_words(texts)} (95\u00a0%). {played}"


def _half_widths(words: RunWords, metric: str) -> dict[str, float]:
    """Half the widest interval of a metric, or of its differences, at every level."""
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
        if isfinite(half):
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
    if more := _more_games(words, [one for one in replies if Reply.OPEN in one.levels.values()]):
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
