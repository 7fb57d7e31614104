"""What players who know a variant gain, and which verdicts they change: a run with retrained nets (`--retrain`) against
the same layouts and deals with the shipped ones.

With nets of their own, variants are played differently from the first turn on, so that pairing games saves less
variance than with one net for all. A verdict may change for that reason alone, so the effects are compared too.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from mmsim.analysis import stats
from mmsim.analysis import wording as fmt
from mmsim.analysis.compare import ComparisonOverLevels
from mmsim.analysis.level_verdict import ALPHA
from mmsim.analysis.run_metrics import ComparedRun, compare_run
from mmsim.analysis.tables import open_run, shared_name
from mmsim.batch.run import Run
from mmsim.contests.retraining import gain_text
from mmsim.core.levels import RETRAINED

NO_CHANGE = "No verdict changes against the same deals with the shipped nets."


@dataclass(frozen=True)
class RetrainingResult:
    """What retraining has gained, and which verdicts it changes."""

    gains: Sequence[str]  # one sentence per variant
    gained: bool  # in at least one variant
    changed: Sequence[str] | None = None  # one sentence per verdict; None if there was nothing to compare

    @property
    def sentences(self) -> list[str]:
        return [*self.gains, *([] if self.changed is None else self.changed or [NO_CHANGE])]


def retraining_result(
    compared: ComparedRun, metrics: Collection[str] = (), tolerances: Mapping[str, float] | None = None
) -> RetrainingResult | None:
    """Only of a run with `--retrain`."""
    if not compared.run.experiment.retrain:
        return None
    run = Run(compared.run.folder)
    names, gained = map(shared_name, run.variant_names), any(nets.gained for nets in run.manifest.nets)
    gains = [f"{name}: {gain_text(nets)}." for name, nets in zip(names, run.manifest.nets, strict=False)]
    if not gained or len(compared.run.variants) < 2:
        return RetrainingResult(gains, gained)
    shipped = open_run(compared.run.folder, shipped=True).starting_with(compared.run.variants[0].name)
    before = compare_run(shipped, metrics, tolerances).comparisons
    return RetrainingResult(gains, gained, changed_verdicts(before, compared.comparisons, metrics))


def changed_verdicts(
    shipped: Sequence[ComparisonOverLevels], retrained: Sequence[ComparisonOverLevels], metrics: Collection[str] = ()
) -> list[str]:
    """One sentence per verdict that changes with retrained nets.

    Only the metrics that the question is about and the named ones count.
    """
    before = {_key(comparison): comparison for comparison in shipped}
    asked = [
        (before[_key(comparison)], comparison)
        for comparison in retrained
        if _key(comparison) in before and (comparison.primary or comparison.measure.name in metrics)
    ]
    changed = []
    for was, comparison in asked:
        old, new = was.verdict_text, comparison.verdict_text.replace(RETRAINED, "")
        if old != new:
            label = fmt.label(comparison.measure.name, comparison.group)
            moved = (
                "The effect has changed"
                if _is_moved(was, comparison, ALPHA / len(asked))
                else "That the effect changes is not shown"
            )
            changed.append(
                f"Verdict on {label} of {comparison.variant}: “{new}” with retrained nets ({_effects(comparison)}), "
                f"“{old}” with the shipped ones ({_effects(was)}). {moved}."
            )
    return changed


def _is_moved(shipped: ComparisonOverLevels, retrained: ComparisonOverLevels, alpha: float) -> bool:
    """True if an effect differs significantly at some level; treating both as independent errs on the safe side."""
    effects = {comparison.level.name: comparison.effect for comparison in shipped.levels}
    steps = [
        one.effect.difference_to(effects[one.level.shipped_name])
        for one in retrained.levels
        if one.level.is_retrained and one.level.shipped_name in effects
    ]
    return any(stats.two_sided_p(step, se) < alpha / len(steps) for step, se in steps)


def _effects(comparison: ComparisonOverLevels) -> str:
    """The difference at every level."""
    unit = fmt.difference_unit(comparison.measure.unit)
    return ", ".join(
        f"{one.level.shipped_name} {fmt.with_half_width(one.difference, unit)}" for one in comparison.levels
    )


def _key(comparison: ComparisonOverLevels) -> tuple[str, str, str]:
    return comparison.measure.name, comparison.group, comparison.variant
