"""The page about performance: every figure comes from a command, and every command has its place."""

import re

from benchmarks.performance_page import FIGURES, PAGE

TEXT = PAGE.read_text(encoding="utf-8")


def test_every_figure_has_its_place_and_every_place_its_figure() -> None:
    blocks = re.findall(r"<!-- figures of (\w+) -->\n(.*?)\n<!-- end of figures -->", TEXT, re.DOTALL)
    assert [name for name, _ in blocks] == list(FIGURES)
    for _, block in blocks:
        assert re.fullmatch(r"```sh\n.+?\n```\n\n```\n.+?\n```", block, re.DOTALL)
