"""What happened while faults were made: how often what, and everything that should not have happened."""

import time
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Counts:
    """How often what happened, in the order in which it was named first; failures in words."""

    name: str
    counted: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def count(self, what: str, often: int = 1) -> None:
        self.counted[what] += often

    def expect(self, holds: object, failure: str) -> bool:
        """Whether something holds; a failure if it does not."""
        if not holds:
            self.failures.append(failure)
        return bool(holds)

    def goes_on(self, seconds: float) -> bool:
        """Whether there is time for one more; there always is for the first."""
        return not self.counted or time.monotonic() - self.began < seconds

    def __str__(self) -> str:
        counted = ", ".join(f"{often:,} {what}" for what, often in self.counted.items())
        return f"{self.name}: {counted}; {len(self.failures)} failures"
