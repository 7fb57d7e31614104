"""`python -m build_tools.pages` writes the generated pages of docs/reference, `make docs` for short."""

from collections.abc import Callable
from pathlib import Path

from build_tools import (
    board_sets_page,
    bots_page,
    command_line_page,
    experiments_page,
    metrics_page,
    python_page,
    rule_tests_page,
    rulesets_page,
    tables_page,
)

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
PAGES: dict[str, Callable[[], str]] = {
    "board-sets": board_sets_page.page,
    "bots": bots_page.page,
    "command-line": command_line_page.page,
    "experiments": experiments_page.page,
    "metrics": metrics_page.page,
    "python": python_page.page,
    "rule-tests": rule_tests_page.page,
    "rulesets": rulesets_page.page,
    "tables": tables_page.page,
}


def main() -> None:
    for name, page in PAGES.items():
        (REFERENCE / f"{name}.md").write_text(page(), encoding="utf-8")
    print(f"{len(PAGES)} pages -> docs/reference")


if __name__ == "__main__":
    main()
