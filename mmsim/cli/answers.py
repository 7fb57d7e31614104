"""Print an answer: the question, the line that answers it, a few sentences, and what to do next."""

from textwrap import wrap

from rich.text import Text

from mmsim.analysis.run_metrics import measure_answer
from mmsim.analysis.tables import RunTables
from mmsim.cli.console import print_table, say_paragraph, text_console
from mmsim.errors import MmsimError
from mmsim.report.answer import Answer, answer_of
from mmsim.report.answer_tables import Rows, what_matters
from mmsim.report.report_data import without_failed_levels
from mmsim.report.sentences import RunWords, course_metrics
from mmsim.system.safe_text import printable

_INDENT = "  "
_LATER = ("How sure", "Not tested")  # after the table


def print_answer_of(run: RunTables, folder: str) -> None:
    """The answer of a run, with a table of its differences."""
    try:
        run = without_failed_levels(run)
        data = measure_answer(run, course_metrics(run.experiment.game))
    except MmsimError as error:  # the games are there, but no evidence on the question
        say_paragraph(f"Not known: {error}")
        return
    print_answer(answer_of(data, folder), what_matters(RunWords(data), data.primary) if data.primary else None)


def print_answer(answer: Answer, table: Rows | None = None) -> None:
    """The answer, and the differences behind it."""
    screen = text_console()
    width = screen.width

    def paragraph(text: str, bold: int = 0) -> None:
        lines = wrap(
            printable(text),
            width,
            initial_indent=_INDENT,
            subsequent_indent=_INDENT,
            break_long_words=False,
            break_on_hyphens=False,
        )
        shown = Text("\n".join(lines))
        shown.stylize("bold", 0, len(_INDENT) + bold if bold else 0)
        screen.print(shown)

    screen.print()
    screen.print(Text("\n".join(wrap(printable(answer.question), width)), style="bold"))
    screen.print(Text(printable(answer.setting), style="dim"))
    screen.print()
    paragraph(answer.verdict, len(answer.first_words[0]))
    screen.print()
    for heading, text in answer.paragraphs:
        if heading not in _LATER:
            paragraph(f"{heading}: {text}", len(heading) + 1)
    if table:
        screen.print()
        print_rows(table)
    for heading, text in answer.paragraphs:
        if heading in _LATER:
            paragraph(f"{heading}: {text}", len(heading) + 1)
    if answer.steps:
        screen.print()
    longest = max((len(what) for what, _ in answer.steps), default=0)
    for what, command in answer.steps:
        screen.print(Text(f"{_INDENT}{what:{longest}}   {command}"))


def print_rows(table: Rows) -> None:
    print_table(table.headings, table.rows, table.title, plain=True)
