"""Pages that name files name only files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PATH = re.compile(r"`((?:mmsim|tests|docs|benchmarks|experiments|boards)/[\w./-]*|[A-Z]+\.md)`")
LINK = re.compile(r"\]\(([^)#:]+)\)")


@pytest.mark.parametrize(
    "page",
    [
        "CONTRIBUTING.md",
        "docs/explanation/architecture.md",
        "docs/rules/metro.md",
        "docs/glossary.md",
        "docs/explanation/bots.md",
        "docs/explanation/openings.md",
    ],
)
def test_every_path_that_a_page_names_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = {ROOT / path for path in PATH.findall(text)}
    named |= {((ROOT / page).parent / link).resolve() for link in LINK.findall(text)}
    assert named
    assert {path.relative_to(ROOT).as_posix() for path in named if not path.exists()} == set()


@pytest.mark.parametrize("page", ["README.md", "docs/findings.md"])
def test_whose_boards_these_are_is_said_before_any_figure(page: str) -> None:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert "The books do not print the pieces of the box; these boards are ours." in text[:1200]
