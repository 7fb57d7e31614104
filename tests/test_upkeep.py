"""Files that other programs read: hooks, the workflow of a public CI, the citation, the container."""

import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from mmsim import __version__

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def read_yaml(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_the_hooks_are_valid_and_run_the_tools_of_make_lint() -> None:
    clientlib = pytest.importorskip("pre_commit.clientlib")
    config = clientlib.load_config(ROOT / ".pre-commit-config.yaml")
    assert [repository["repo"] for repository in config["repos"]] == ["local"]  # nothing is fetched
    entries = [hook["entry"] for hook in config["repos"][0]["hooks"]]
    lint = re.search(r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert lint
    tools = [line.split("/")[1].split() for line in lint[1].splitlines()]
    assert [entry.split("/")[-1].split()[: len(tool[:2])] for entry, tool in zip(entries, tools, strict=True)] == [
        [word for word in tool[:2] if not word.startswith("-")] for tool in tools
    ]


def test_the_workflow_runs_the_checks_on_every_python_from_the_oldest_on() -> None:
    (job,) = read_yaml(".github/workflows/ci.yml")["jobs"].values()
    pythons = [tuple(map(int, version.split("."))) for version in job["strategy"]["matrix"]["python"]]
    oldest = tuple(map(int, PROJECT["project"]["requires-python"].removeprefix(">=").split(".")))
    assert pythons == [(3, minor) for minor in range(oldest[1], pythons[-1][1] + 1)]
    assert len(pythons) >= 4
    steps = [step.get("run", "").split()[:1] for step in job["steps"]]
    assert [".ci/run"] in steps
    assert all((ROOT / words[0]).exists() for words in steps if words and "/" in words[0])


def test_the_citation_has_what_its_format_requires_and_names_this_version() -> None:
    citation = read_yaml("CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["cff-version"] == "1.2.0"
    assert citation["authors"] == [{"name": "The mmsim contributors"}]
    assert str(citation["version"]) == __version__
    assert citation["license"] == PROJECT["project"]["license"]
    assert isinstance(citation["date-released"], date)


def test_the_version_has_a_section_in_the_changelog() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(__version__)}\] - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE)


def test_a_container_is_built_from_what_the_source_archive_holds() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "*"
    included = {line.removeprefix("!") for line in lines if line.startswith("!")}
    archive = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert included == {path.removeprefix("/") for path in archive} | {"pyproject.toml"}
    assert [path for path in included if not (ROOT / path).exists()] == []
