"""`mmsim design`: search for the smallest rule change that reaches a goal, and prove it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from mmsim.analysis.design import Search
from mmsim.analysis.design_candidates import columns
from mmsim.analysis.design_games import KeptGames
from mmsim.analysis.goals import Goal, goal_of, read_goal
from mmsim.cli import options
from mmsim.cli.console import print_json, say, say_paragraph, this_command
from mmsim.cli.options import argument, option
from mmsim.cli.progress import show_progress
from mmsim.errors import UsageError
from mmsim.report import design_memo
from mmsim.system.files import write_output
from mmsim.system.processes import cores

DESIGNS = Path("designs")


def design(
    subject: Annotated[
        str, argument("GOAL | SPEC", "A goal file (mmsim experiments new NAME --goal), or the ruleset to start from.")
    ],
    goal: Annotated[
        list[str] | None,
        option(
            "--goal TEXT", "What is wanted: 'seat_imbalance <= 1 pp', 'turns 28..34', 'margin smaller'; repeatable."
        ),
    ] = None,
    guard: Annotated[
        list[str] | None,
        option("--guard METRIC=AMOUNT", "How much worse a metric may get at most; repeat for several."),
    ] = None,
    vary: Annotated[
        list[str] | None,
        option("--vary KNOB=VALUES", "A knob that may change and its values, like dig=2:4; repeat for several."),
    ] = None,
    players: options.Players = None,
    levels: Annotated[
        list[str] | None,
        option(
            "--levels RANGE", "Where the goal must be met; the first level races. Default: expert, or the strongest."
        ),
    ] = None,
    board: Annotated[
        list[str] | None, option("--board SET", "A board set on which the goal must be met; repeat for several.")
    ] = None,
    rulesets: Annotated[
        int | None, option("--rulesets N", "Rulesets that are played at most. Default: 500.", min=1)
    ] = None,
    games: Annotated[
        int | None, option("--games N", "Games of a ruleset in the search at most. Default: 6000.", min=60)
    ] = None,
    proof_games: Annotated[
        int | None,
        option(
            "--proof-games N", "Games of a ruleset in the proof, or close to the goal, at most. Default: 40000.", min=60
        ),
    ] = None,
    seed: Annotated[int | None, option("--seed N", "Master seed; the same seed gives the same result.")] = None,
    workers: options.Workers = None,
    out: Annotated[Path | None, option("--out FOLDER", "Where to write. Default: designs/NAME.")] = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Rulesets race on the same deals; clear losers are dropped early. The smallest change that reaches the
    goal is confirmed on other seeds, and every ruleset one knob away is tested. The memo says what was found, for whom
    and where it holds, and what it costs. A search that was stopped goes on where it was if it is started again.
    """
    settings: dict[str, Any] = {
        "players": players,
        "levels": levels,
        "boards": board,
        "rulesets": rulesets,
        "games": games,
    }
    settings |= {"proof_games": proof_games, "seed": seed, "goals": goal}
    settings |= {"guards": _pairs("--guard", guard), "knobs": _pairs("--vary", vary)}
    wanted = _goal(subject, {key: value for key, value in settings.items() if value})
    folder = out or DESIGNS / wanted.name
    kept = f"finished blocks of games are kept; continue with: {this_command()}"
    with (
        show_progress(quiet, kept=lambda: kept) as progress,
        KeptGames(wanted.game, columns(wanted), folder / "games", workers or cores(), progress) as play,
    ):
        result = Search(wanted, play, progress.line).run()
    plain = design_memo.as_json(result)
    write_output(folder / "design.json", json.dumps(plain, indent=1).encode() + b"\n")
    write_output(folder / "memo.md", design_memo.memo(result).encode())
    if as_json:
        print_json(plain)
    else:
        for sentence in plain["answer"]:
            say_paragraph(sentence)
    say(f"memo -> {folder / 'memo.md'}", err=True)


def _goal(subject: str, settings: dict[str, Any]) -> Goal:
    if subject.endswith(".toml"):
        return read_goal(Path(subject), settings)
    name = "-".join(["design", *settings.get("knobs", {})])
    return goal_of({"name": name, "base": subject, **settings})


def _pairs(name: str, words: Sequence[str] | None) -> dict[str, str]:
    """Options like METRIC=AMOUNT."""
    pairs = {}
    for word in words or ():
        key, equals, value = word.partition("=")
        if not (key and equals and value):
            raise UsageError(f"{name} takes two words with an equals sign between, not '{word}'")
        pairs[key.strip()] = value.strip()
    return pairs
