"""The page on experiment files shows one that can be read, and names every key."""

import re
from dataclasses import fields
from pathlib import Path

from mmsim.batch import experiment as experiments
from mmsim.batch.experiment import Experiment
from tests.docs.pages import blocks, text_of

PAGE = "docs/reference/experiment-files.md"


def test_the_experiment_of_the_page_can_be_read(tmp_path: Path) -> None:
    ((_, printed),) = blocks(PAGE, "toml")
    (tmp_path / "mine.toml").write_text(printed)
    (tmp_path / "house.toml").write_text('base = "print"\n')
    experiment = experiments.read_experiment(tmp_path / "mine.toml")
    assert experiment.bots == "planner,greedy,greedy,greedy"
    assert experiment.variants[2] == str(tmp_path / "house.toml")


def test_the_page_names_every_key() -> None:
    rows = re.findall(r"^\| (`.*?) \|", text_of(PAGE), re.MULTILINE)
    named = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
    assert named == {field.name for field in fields(Experiment)} - {"name"} | {"time"}
