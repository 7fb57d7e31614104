"""Sentences that a game declares, filled with the numbers of a run; what a run does not have is left out."""

from contextlib import suppress
from dataclasses import dataclass

from mmsim.analysis import number_format as fmt
from mmsim.analysis.estimates import Estimates
from mmsim.core.metrics import Sentence
from mmsim.report.report_data import Evidence

_DUST = 1e-12  # what rounding leaves of a standard error of nothing, in parts of the number


def where(evidence: Evidence) -> str:
    """Which variant a sentence speaks of, if there are several."""
    return f"with {evidence.names[0]}, " if len(evidence.names) > 1 else ""


def capital(sentence: str) -> str:
    """A sentence as it begins."""
    return sentence[:1].upper() + sentence[1:]


@dataclass(frozen=True)
class _Number:
    """A metric of the reference variant, as the braces of a declared sentence name it."""

    estimates: Estimates
    group: int = 0

    @property
    def most(self) -> "_Number":
        """Its group with the largest mean."""
        return _Number(self.estimates, commonest(self.estimates))

    @property
    def name(self) -> str:
        return fmt.title(self.estimates.groups[self.group])

    def __getitem__(self, group: str) -> "_Number":
        if group not in self.estimates.groups:
            raise KeyError(group)
        return _Number(self.estimates, self.estimates.groups.index(group))

    def __format__(self, how: str) -> str:
        if not self.estimates.known(0, self.group):
            raise KeyError(self.name)
        estimate, unit = self.estimates.estimate(0, self.group), self.estimates.measure.unit
        value, interval = fmt.value(estimate, unit), fmt.interval(estimate, unit)
        sign = "" if unit.startswith("share") else f" {unit}"
        return {"": fmt.short(estimate, unit), "interval": interval, "full": f"{value}{sign} ({interval})"}[how]


def clauses(evidence: Evidence, sentence: Sentence, only_varying: bool = False) -> list[str]:
    """The clauses of a declared sentence whose numbers a run has."""
    all_estimates = evidence.estimates.items()
    numbers = {name: _Number(estimates) for name, estimates in all_estimates if not only_varying or varies(estimates)}
    filled = []
    for clause in sentence:
        with suppress(KeyError):
            filled.append(clause.format_map(numbers))
    return filled


def fill(evidence: Evidence, sentence: Sentence) -> str:
    """A declared sentence; empty where a run does not have the numbers of its first clause."""
    if not clauses(evidence, sentence[:1]):
        return ""
    return capital(where(evidence) + "".join(clauses(evidence, sentence)))


def varies(estimates: Estimates) -> bool:
    """Whether a metric is not the same number in every game of every variant."""
    for group in range(len(estimates.groups)):
        found = [estimates.estimate(v, group) for v in range(len(estimates.variants)) if estimates.known(v, group)]
        if any(one.se > _DUST * abs(one.value) or one.value != found[0].value for one in found):
            return True
    return False


def commonest(estimates: Estimates) -> int:
    """The group with the largest mean in the reference variant."""
    known = [g for g in range(len(estimates.groups)) if estimates.known(0, g)]
    return max(known, key=lambda g: float(estimates.means[0, g]))
