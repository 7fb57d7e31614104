"""The charts of an atlas, at the level that it is ranked by."""

import numpy as np
import pytest

from mmsim.analysis.atlas import Atlas
from mmsim.analysis.atlas_features import Explained
from mmsim.report.atlas_charts import atlas_charts
from tests.analysis.atlases import made_up, true_shares


@pytest.mark.parametrize(("level", "other"), [("club", "expert"), ("expert", "club")])
def test_charts_show_the_level_that_was_chosen(level: str, other: str) -> None:
    atlas = Atlas(*made_up(true_shares()))
    charts = {
        chart.name: chart for chart in atlas_charts(atlas, atlas.levels.index(level), Explained([], 0.5, 0.6), "turns")
    }
    median = np.median(100 * atlas.unevenness(atlas.levels.index(level)))
    assert charts["unevenness"].title.endswith(f"more uneven than {median:.0f} points")
    assert charts["seats"].title.endswith(f"seats at {level}")
    assert charts["levels"].title.startswith(f"True win shares at {level} and {other}: ")
