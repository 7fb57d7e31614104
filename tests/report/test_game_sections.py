"""The report of a run places its layouts on the atlas of their board."""

from pathlib import Path

import pytest

from mmsim.analysis.tables import open_run
from mmsim.batch.experiment import from_mapping
from mmsim.batch.run import Run
from mmsim.batch.session import Session
from mmsim.report.game_sections import on_the_atlas
from mmsim.report.report_data import gather


def played(folder: Path, **settings: object) -> Path:
    experiment = from_mapping({"name": "small", "variants": ["print"], "bots": "uniform", "games": 40, **settings})
    Session(Run.create(folder, experiment)).carry_out()
    return folder


def test_layouts_that_were_drawn_are_summed_up(tmp_path: Path) -> None:
    section = on_the_atlas(gather(open_run(played(tmp_path / "run"))))
    assert section is not None
    assert section.title.startswith("The layouts of this run have ")
    assert "on average, all 87,480 have" in section.title
    assert section.folded
    assert not section.tables


@pytest.mark.parametrize("layouts", [1, 2])
def test_layouts_that_were_chosen_are_listed(tmp_path: Path, layouts: int) -> None:
    codes = ["1a-4c-2b-6a-3a-5b", "1a-2a-3a-4a-5a-6a"][:layouts]
    boards = [f"box:{code}" for code in codes]
    section = on_the_atlas(gather(open_run(played(tmp_path / "run", boards=boards))))
    assert section is not None
    assert {row[0] for row in section.tables[0].rows} == {*codes}
    assert not section.folded


def test_other_boards_have_no_such_section(tmp_path: Path) -> None:
    assert on_the_atlas(gather(open_run(played(tmp_path / "run", boards=["compact"])))) is None
