"""`docs/reference/experiments.md`: the experiments that come with mmsim."""

from typing import Any

from build_tools.markdown import SHIPPED, ask, code, table

_HEAD = """\
# Experiments that come with mmsim

`mmsim run NAME` plays one, `mmsim experiments show NAME` prints it, and `mmsim experiments new FILE` starts one of your
own ([its keys](experiment-files.md)). Games are those of every variant by the quickest level; slower levels
[play fewer](../explanation/statistics.md#levels-of-play). The name leads to the answer. Written by `make docs` from
`experiments/`; do not edit.
"""


def page() -> str:
    experiments = ask("experiments", "list")
    return _HEAD + "".join(
        f"\n## {game.capitalize()}\n\n{_listed([each for each in experiments if each['game'] == game])}"
        for game in SHIPPED
    )


def _listed(experiments: list[dict[str, Any]]) -> str:
    columns = ("name", "question", "rulesets", "boards", "players", "played by", "games", "seed")
    return table(columns, [_row(each) for each in experiments])


def _row(experiment: dict[str, Any]) -> tuple[object, ...]:
    name, boards, levels = experiment["name"], experiment["boards"], experiment["levels"]
    return (
        f"[{name}](../findings/{name}.md)",
        experiment["question"],
        ", ".join(map(code, experiment["variants"])),
        ", ".join(map(code, boards)) if len(boards) <= 5 else f"`{boards[0]}` and {len(boards) - 1} random boxes",
        experiment["players"] or "",
        f"{levels[0]['name']} to {levels[-1]['name']}",
        f"{experiment['games']:,}",
        experiment["seed"],
    )
