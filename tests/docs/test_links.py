"""Links and paths of the pages as a code host shows them."""

import re

import pytest

from tests.docs.pages import NAMES, ROOT, anchors, prose, text_of

LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:mmsim|tests|docs|benchmarks|experiments|boards|build_tools)/[\w./-]*|[A-Z]+\.md)`")


def exists(path: str) -> bool:
    """True for a file, and for a name with a placeholder whose folder exists, such as docs/rules/GAME.md."""
    file = ROOT / path
    return file.exists() or (file.stem in ("GAME", "NAME") and file.parent.is_dir())


def links(name: str) -> list[str]:
    return [link for link in LINK.findall(prose(name)) if not link.startswith(("https:", "http:", "mailto:"))]


@pytest.mark.parametrize("name", [name for name in NAMES if links(name)])
def test_every_link_leads_to_a_file_and_every_anchor_to_a_heading(name: str) -> None:
    dead = []
    for link in links(name):
        path, _, anchor = link.partition("#")
        target = ((ROOT / name).parent / path).resolve() if path else ROOT / name
        if not target.exists() or (anchor and anchor not in anchors(target.relative_to(ROOT).as_posix())):
            dead.append(link)
    assert dead == []


@pytest.mark.parametrize("name", [name for name in NAMES if PATH.search(text_of(name))])
def test_every_path_that_a_page_names_exists(name: str) -> None:
    assert sorted({path for path in PATH.findall(text_of(name)) if not exists(path)}) == []


def test_every_page_that_the_source_names_exists() -> None:
    files = [
        file for folder in ("mmsim", "benchmarks", "build_tools", "tests") for file in (ROOT / folder).rglob("*.py")
    ]
    named = {page for file in files for page in re.findall(r"\bdocs/[\w/-]+\.md", file.read_text(encoding="utf-8"))}
    assert len(named) > 10
    assert sorted(page for page in named if not exists(page)) == []


@pytest.mark.parametrize("name", ["README.md", "docs/findings.md"])
def test_whose_boards_these_are_is_said_before_any_figure(name: str) -> None:
    text = " ".join(text_of(name).split())
    assert "The books do not print the pieces of the box; these boards are ours." in text[:1200]
