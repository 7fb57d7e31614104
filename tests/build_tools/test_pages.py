"""The generated pages of docs/reference are current, and leave nothing out."""

import re

import pytest

from build_tools.pages import PAGES, REFERENCE
from mmsim.cli.commands import COMMANDS, load_command


def text_of(name: str) -> str:
    return (REFERENCE / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_current(name: str) -> None:
    assert text_of(name) == PAGES[name](), "run `make docs`"


@pytest.mark.parametrize("words", [words for commands in COMMANDS.values() for words in commands])
def test_every_option_of_every_command_is_on_the_page(words: str) -> None:
    _, _, section = text_of("command-line").partition(f"\n### mmsim {words}\n")
    section = section.partition("\n### ")[0]
    listed = re.findall(r"^\| `(--[\w-]+)", section, re.MULTILINE)
    options = [name for option in load_command(words).params for name in option.opts if name.startswith("--")]
    assert listed == options
    assert all(re.fullmatch(r"\| .+ \| .{4,} \|.*", line) for line in section.splitlines() if line.startswith("| `"))
