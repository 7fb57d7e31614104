"""The page of findings: every ready experiment is answered, with the figures that its commands give."""

import json
import re
from pathlib import Path

from benchmarks.findings import FINDINGS, PAGE, put
from mmsim.batch.experiment import find, variants_of
from mmsim.contests.interventions import possible_changes
from mmsim.system.files import data_folder


def test_every_ready_experiment_has_its_figures() -> None:
    assert {finding.experiment for finding in FINDINGS} == {
        path.stem for path in data_folder("experiments").glob("*.toml")
    }
    for finding in FINDINGS:
        text = PAGE.read_text(encoding="utf-8")
        (block,) = re.findall(f"<!-- figures of {finding.name} -->\n(.*?)<!-- end of figures -->", text, re.DOTALL)
        assert f"{finding.play}\n" in block
        assert f"{finding.games:,} games of every variant" in block
        assert "PARTIAL" not in block
        assert f"(images/findings/{finding.name}.svg)" in block
        assert (PAGE.parent / "images" / "findings" / f"{finding.name}.svg").exists()


def test_commands_that_say_why_name_known_changes() -> None:
    for finding in FINDINGS:
        named = re.findall(r"--only (\S+)", finding.why)
        experiment = find(finding.experiment)
        variant = next(
            variant for variant in variants_of(experiment) if variant.rules == "print" or "--variant" not in finding.why
        )
        if named:
            assert {*named} <= {change.name for change in possible_changes(experiment.game, variant)[0]}


def test_figures_are_put_where_they_belong() -> None:
    page = "a\n<!-- figures of x -->\nold\n<!-- end of figures -->\nb\n<!-- figures of y -->\n<!-- end of figures -->\n"
    assert put(page, "y", "new") == page.replace("y -->\n", "y -->\nnew\n")
    assert "old" not in put(page, "x", "new")


def test_the_sample_report_is_there_and_small() -> None:
    sample = Path(__file__).parent.parent / "reports" / "sample"
    committed = [path for path in sample.rglob("*") if path.is_file() and path.suffix != ".png"]
    assert sample / "report.html" in committed
    assert sum(path.stat().st_size for path in committed) < 3_500_000  # three replay pages are a quarter of it


def test_the_sample_report_lists_only_files_that_are_committed() -> None:
    sample = Path(__file__).parent.parent / "reports" / "sample"
    listed = json.loads((sample / "files.json").read_text())["files"]
    assert "charts/seats.svg" in listed
    assert [name for name in listed if name.endswith(".png") or not (sample / name).is_file()] == []
