"""The page of findings: every ready experiment is answered, with the figures that the commands beside them give."""

import re
from pathlib import Path

from benchmarks.findings import FINDINGS, PAGE, put
from mmsim.batch.experiment import find, variants_of
from mmsim.contests.interventions import changes_of
from mmsim.system.package_data import data_folder


def test_every_ready_experiment_has_its_figures() -> None:
    assert {one.experiment for one in FINDINGS} == {path.stem for path in data_folder("experiments").glob("*.toml")}
    for one in FINDINGS:
        text = PAGE.read_text(encoding="utf-8")
        (block,) = re.findall(f"<!-- figures of {one.name} -->\n(.*?)<!-- end of figures -->", text, re.DOTALL)
        assert f"{one.play}\n" in block
        assert f"{one.games:,} games of every variant" in block
        assert "PARTIAL" not in block
        assert f"(images/findings/{one.name}.svg)" in block
        assert (PAGE.parent / "images" / "findings" / f"{one.name}.svg").exists()


def test_commands_that_say_why_name_changes_that_there_are() -> None:
    for one in FINDINGS:
        named = re.findall(r"--only (\S+)", one.why)
        asked = find(one.experiment)
        variant = next(way for way in variants_of(asked) if way.rules == "print" or "--variant" not in one.why)
        if named:
            assert {*named} <= {change.name for change in changes_of(asked.game, variant)[0]}


def test_figures_are_put_where_they_belong() -> None:
    page = "a\n<!-- figures of x -->\nold\n<!-- end of figures -->\nb\n<!-- figures of y -->\n<!-- end of figures -->\n"
    assert put(page, "y", "new") == page.replace("y -->\n", "y -->\nnew\n")
    assert "old" not in put(page, "x", "new")


def test_the_sample_report_is_there_and_small() -> None:
    sample = Path(__file__).parent.parent / "reports" / "sample"
    kept = [path for path in sample.rglob("*") if path.is_file() and path.suffix != ".png"]
    assert sample / "report.html" in kept
    assert sum(path.stat().st_size for path in kept) < 3_500_000  # three games to step through are a quarter of it
