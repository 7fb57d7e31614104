"""What all rulesets share: the name of a spec, its overrides, and the layers that knob values come from."""

from dataclasses import dataclass

import pytest

from mmsim.core.knobs import number, switch
from mmsim.core.ruleset import BaseRuleset, BaseSpec, apply_layers
from mmsim.errors import UsageError


@dataclass(frozen=True)
class Ruleset(BaseRuleset):
    """A ruleset with two knobs."""

    tiles: int = number(3, 1, 9, "R1", "Tiles in a hand.")
    open: bool = switch(False, "R2", "Whether hands are open.")


class Spec(BaseSpec):
    """A spec of it."""

    ruleset_type = Ruleset


def test_a_ruleset_knows_its_variant_and_its_knobs() -> None:
    rules = Ruleset("toy", 3, tiles=4)
    assert rules.variant == "toy-3p"
    assert rules.knobs() == {"tiles": 4, "open": False}


def test_a_spec_is_named_by_edition_modifiers_and_overrides() -> None:
    spec = Spec("toy", ("fast",)).with_overrides({"open": "true", "tiles": "5"})
    assert spec.name == "toy+fast,tiles=5,open=true"
    assert spec.with_overrides({"tiles": 6}).name == "toy+fast,tiles=6,open=true"


def test_an_impossible_override_is_refused() -> None:
    with pytest.raises(UsageError, match="1 to 9"):
        Spec("toy").with_overrides({"tiles": 10})


def test_later_layers_override_earlier_ones_and_are_named_as_the_source() -> None:
    values, sources = apply_layers(("tiles", "open"), [("edition", {"tiles": 4}), ("set by hand", {"tiles": 5})])
    assert values == {"tiles": 5}
    assert sources == {"tiles": "set by hand", "open": "default"}
