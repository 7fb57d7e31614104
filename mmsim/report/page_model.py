"""What a report's page is made of: sections with their charts, tables and pictures."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mmsim.report.charts import Chart


@dataclass(frozen=True)
class Table:
    """A table of texts; the first columns are words, the others numbers."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1  # columns of words at the left
    folded: bool = True
    verdicts: Sequence[str] = ()  # of every row, for its colour


@dataclass(frozen=True)
class Picture:
    """A remarkable game and how it ended, or maps of what lies where: what it is, and how to see it again."""

    title: str
    text: str
    command: str
    draw: Callable[[], bytes] | None  # as SVG; None if it cannot be drawn
    replay: Callable[[], bytes] | None = None  # a page to step through it; None if there is none

    @property
    def shows(self) -> str:
        """What is to be seen, for whoever does not see it."""
        return f"How {self.title[:1].lower()}{self.title[1:]} ended" if self.replay else f"{self.title}. {self.text}"

    @property
    def file(self) -> str:
        """Its picture, beside the page."""
        return f"pictures/{self._name}.svg"

    @property
    def page(self) -> str:
        """The page to step through it, beside the page of the report."""
        return f"games/{self._name}.html"

    @property
    def _name(self) -> str:
        return re.sub("[^a-z0-9]+", "-", self.title.lower())


@dataclass(frozen=True)
class Section:
    """A part of the report; its title says what was found."""

    id: str
    label: str
    title: str
    text: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
