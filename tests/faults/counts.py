"""Counts of what happened while faults were injected, and of everything that should not have happened."""

import time
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Counts:
    """How often each kind of event happened, in order of first occurrence; failures as sentences."""

    name: str
    counted: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def count(self, event: str, times: int = 1) -> None:
        self.counted[event] += times

    def expect(self, holds: object, failure: str) -> bool:
        """Record a failure unless a condition holds; returns whether it does."""
        if not holds:
            self.failures.append(failure)
        return bool(holds)

    def has_time(self, seconds: float) -> bool:
        """True if there is time for one more fault; there always is for the first."""
        return not self.counted or time.monotonic() - self.began < seconds

    def __str__(self) -> str:
        return f"{self.name}: {self.events}; {len(self.failures)} failures"

    @property
    def events(self) -> str:
        return ", ".join(f"{times:,} {event}" for event, times in self.counted.items())

    @property
    def row(self) -> str:
        """As a row of the table in docs/explanation/reliability.md."""
        return f"| *{self.name.replace('_', ' ')}* | {self.events} | {len(self.failures)} |"
