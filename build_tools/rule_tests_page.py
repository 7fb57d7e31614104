"""`docs/reference/rule-tests.md`: the tests of every rule."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from build_tools.markdown import code, table
from mmsim.core.rulebook import rulebook
from mmsim.games import GAMES

TESTS = Path(__file__).parent.parent / "tests"

RULES = tuple(id_ for game in GAMES for id_ in rulebook(game))

_HEAD = """\
# Rules and their tests

Every rule of [Metromania](../rules/metromania.md) and of [Metro](../rules/metro.md) (ids starting with X) with the
tests that cover it, from their `@pytest.mark.rule` marks. Written by `make docs`; do not edit.

"""


def marked_tests(text: str) -> Iterator[tuple[str, list[str]]]:
    """The test functions of a module that are marked with rules, with the ids of these rules."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and (ids := _rule_ids(node)):
            if isinstance(node, ast.FunctionDef):
                yield node.name, ids
            else:
                tests = [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]
                yield from ((f"{node.name}::{test.name}", ids) for test in tests if test.name.startswith("test_"))


def _rule_ids(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """The arguments of all `@pytest.mark.rule(...)` of a function or class."""
    calls = [mark for mark in node.decorator_list if isinstance(mark, ast.Call)]
    return [
        str(ast.literal_eval(argument))
        for call in calls
        if ast.unparse(call.func) == "pytest.mark.rule"
        for argument in call.args
    ]


@cache
def collect() -> dict[str, list[str]]:
    """The tests of every rule, as `file::name`."""
    tests: dict[str, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for name, ids in marked_tests(text) if "pytest.mark.rule" in text else ():
            for rule in ids:
                tests[rule].append(f"{path.relative_to(TESTS.parent).as_posix()}::{name}")
    return dict(tests)


def page() -> str:
    tests = collect()
    return _HEAD + table(("rule", "tests"), [(rule, "<br>".join(map(code, tests.get(rule, [])))) for rule in RULES])
