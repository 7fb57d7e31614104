"""Which rulesets a search plays next: all that are left if they are few, else those that Optuna proposes.

Optuna's tree-structured Parzen estimator (Bergstra et al. 2011, NeurIPS 24; with constraints as in Watanabe and Hutter
2023, IJCAI) learns which values of knobs go with small violations of the goal and with small changes.
"""

from collections.abc import Collection, Sequence
from typing import Any

from mmsim.analysis.knob_grid import KnobGrid, Setting
from mmsim.system.extras import missing_extra

_TRIES = 4  # proposals per ruleset that is wanted; some are known already, or change too much


class Proposer:
    """Optuna as a source of settings. It is seeded and learns of games in a fixed order, so that a search that is
    played again proposes the same."""

    def __init__(self, grid: KnobGrid, seed: int) -> None:
        try:
            import optuna  # most commands do without
        except ImportError as error:
            purpose = f"these knobs make {grid.cells:,} rulesets, more than are to be played, so the search needs"
            raise missing_extra(purpose, "design") from error
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._optuna: Any = optuna
        sampler = optuna.samplers.TPESampler(seed=seed % 2**32, multivariate=True, constant_liar=True)
        self._study: Any = optuna.create_study(sampler=sampler)
        choices = optuna.distributions.CategoricalDistribution
        ordered = optuna.distributions.IntDistribution
        self._values = {vary.knob: vary.values for vary in grid.varied}
        self._distributions = {
            vary.knob: ordered(0, len(vary.values) - 1) if _are_numbers(vary.values) else choices(vary.values)
            for vary in grid.varied
        }

    def tell(self, setting: Setting, cost: float, excesses: Sequence[float]) -> None:
        """Report what a change costs, and by how much it violates every constraint."""
        params = {
            knob: values.index(value) if _are_numbers(values) else value
            for (knob, values), value in zip(self._values.items(), setting, strict=True)
        }
        self._study.enqueue_trial(params)
        trial = self._study.ask(self._distributions)
        for number, excess in enumerate(excesses):
            trial.set_constraint(str(number), excess)
        self._study.tell(trial, cost)

    def ask(self, count: int, allowed: Collection[Setting]) -> list[Setting]:
        """Up to this many of the allowed settings, the most promising first."""
        proposed: dict[Setting, None] = {}
        trials: list[Any] = []
        while len(proposed) < count and len(trials) < count * _TRIES:
            trials.append(trial := self._study.ask(self._distributions))
            params = ((values, trial.params[knob]) for knob, values in self._values.items())
            setting = tuple(values[word] if _are_numbers(values) else word for values, word in params)
            if setting in allowed:
                proposed[setting] = None
        for trial in trials:
            self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
        return list(proposed)


def _are_numbers(values: Sequence[str]) -> bool:
    return all(value.lstrip("-").isdigit() for value in values)
