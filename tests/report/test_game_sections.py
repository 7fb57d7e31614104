"""Sections on the games of a run: its layouts on the atlas, and games worth a look with the chances to win."""

from pathlib import Path

import msgspec
import pytest

from mmsim.analysis.tables import open_run
from mmsim.batch import remarkable
from mmsim.batch.experiment import from_mapping
from mmsim.batch.run import Run
from mmsim.batch.session import Session
from mmsim.errors import MmsimError
from mmsim.report.game_sections import on_the_atlas, remarkable_games
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


def test_games_worth_a_look_show_who_was_likely_to_win_if_the_run_took_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = remarkable_games(gather(open_run(played(tmp_path / "short"))))
    assert short is not None
    assert "After “mmsim chances" in short.text[-1]
    monkeypatch.setattr(remarkable, "_WITH_CHANCES_S", 0.0)
    monkeypatch.setattr(remarkable, "_PLAYOUTS", 2)
    folder = played(tmp_path / "long")
    assert not (folder / "win_chances.parquet").exists()  # remarkable games say nothing about tension
    section = remarkable_games(gather(open_run(folder)))
    assert section is not None
    assert not any("mmsim chances" in text for text in section.text)
    for picture in section.pictures:
        assert picture.replay is not None
        assert b'"chances":[[' in picture.replay()


def test_stored_chances_of_another_game_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remarkable, "_WITH_CHANCES_S", 0.0)
    monkeypatch.setattr(remarkable, "_PLAYOUTS", 2)
    run = Run(played(tmp_path / "run"))
    run.finish([msgspec.structs.replace(kept, chances=kept.chances[:3]) for kept in run.finished.records])
    section = remarkable_games(gather(open_run(run.folder)))
    assert section is not None
    assert section.pictures[0].replay is not None
    with pytest.raises(MmsimError, match="are not those of this game"):
        section.pictures[0].replay()
