"""`mmsim why`: find out what makes games end as they do, by changing one thing at a time and playing again."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from mmsim.analysis import wording as fmt
from mmsim.analysis.why import OtherLevel, Why, conclusions, explain, write_answer
from mmsim.batch.experiment import cost_of, named_levels
from mmsim.batch.manifest import WHY
from mmsim.cli import options
from mmsim.cli.console import counted, print_json, print_table, save, say, say_paragraph
from mmsim.cli.options import argument, option
from mmsim.cli.progress import show_progress
from mmsim.contests.interventions import Change, ChangedGames, play_changes, variant_of_run
from mmsim.core.levels import default_level
from mmsim.core.seating import split_bots
from mmsim.core.variant import Variant
from mmsim.drawing.board_canvas import picture_kind
from mmsim.errors import UsageError
from mmsim.games import find_shell, game_of_ruleset
from mmsim.report.sentences import capitalise
from mmsim.report.why_section import (
    MAX_CHANGE_ROWS,
    change_rows,
    interaction_rows,
    unchanged_text,
    why_chart,
    why_title,
)
from mmsim.system.processes import cores

_MIN_GAMES_ABOVE = 200  # of a slower level, per change


def why(
    context: typer.Context,
    subject: Annotated[str, argument("RUN | SPEC", "A run, which then keeps the answer for its report, or a ruleset.")],
    metric: Annotated[str, option("--metric METRIC", "The metric to explain.")] = "win_share",
    bots: options.Bots = None,
    level: Annotated[
        str | None, option("--level LEVEL", "The level of play. Default: expert, or the strongest of a run.")
    ] = None,
    players: options.Players = None,
    board: options.Board = None,
    layout: options.Layout = None,
    games: Annotated[int, option("--games N", "Games per change.", min=8)] = 4_000,
    seed: options.Seed = 1,
    only: Annotated[list[str] | None, option("--only CHANGE", "Make only this change; repeat for several.")] = None,
    variant: options.VariantName = None,
    workers: options.Workers = None,
    out: Annotated[Path | None, option("--out FILE", "Draw what the changes do (.svg or .png).")] = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Every change is played with the same deals: each knob at its other values, starts at random, hands shuffled
    between seats, openings exchanged. Play is then forced for one seat at a time, the rule and the way of playing that
    explain most are changed together, and the next stronger level is asked about the largest effects. One bot plays all
    seats unless --bots says otherwise.
    """
    kind = picture_kind(out) if out else ""
    if bots and level:
        raise UsageError("--bots seats one table, --level names a level of the game; give one of them")
    folder = Path(subject) if Path(subject).is_dir() else None
    if folder:
        if refused := options.given_options(context, ("bots", "players", "board", "layout")):
            raise UsageError(f"{refused[0]} is for rulesets; {subject} has its own")
        game, base = variant_of_run(folder, variant, level)
        base = replace(base, seed=seed) if options.given_options(context, ["seed"]) else base
    else:
        game = game_of_ruleset(subject)
        shell = find_shell(game)
        shell.check_board(board)
        (chosen,) = named_levels(game, [level or default_level([known.name for known in shell.levels])])
        board = shell.lay_out(board or None, layout) if layout else board
        base = Variant(subject, players, board, bots or chosen.bots, seed)
    if len(split_bots(base.bots)) > 1:  # else the effect of a seat could not be separated from that of its bot
        base = replace(base, seats="rotate")

    def play(changed: Sequence[Change], count: int = games) -> ChangedGames:
        with show_progress(quiet) as progress:
            return play_changes(game, changed, count, workers or cores(), progress)

    answer = explain(game, base, metric, play, only or [], _stronger_level(game, base.bots, games, play))
    if as_json:
        print_json(answer.as_json())
    else:
        _print_answer(answer)
    if folder:
        write_answer(folder, answer)
        say(f"why -> {folder / WHY}; a report of the run has a section on it now", err=True)
    if out is not None:
        save("chart", out, why_chart(answer).files()[kind[1:]])


def _stronger_level(game: str, bots: str, games: int, play: Callable[..., ChangedGames]) -> OtherLevel | None:
    """The level above that of these bots, with fewer games where it is slower; None if there is none."""
    levels = list(find_shell(game).levels)
    place = next((place for place, level in enumerate(levels[:-1]) if level.bots == bots), None)
    if place is None:
        return None
    above = levels[place + 1]
    affordable = round(games * cost_of(game, bots) / cost_of(game, above.bots))
    return OtherLevel(above.name, above.bots, partial(play, count=min(games, max(_MIN_GAMES_ABOVE, affordable))))


def _print_answer(answer: Why) -> None:
    """The conclusions, then the table they are read from."""
    say_paragraph(f"{capitalise(why_title(answer))}.")
    for sentence in conclusions(answer):
        say_paragraph(sentence)
    title = f"what {fmt.title(answer.measure)} becomes when one thing is changed ({answer.games:,} games each, 95 %)"
    print_table(*change_rows(answer), title, plain=True)
    if (more := len([effect for effect in answer.effects if not effect.identical]) - MAX_CHANGE_ROWS) > 0:
        say_paragraph(f"{counted(more, 'more change')} {'does' if more == 1 else 'do'} less; --json has all")
    if both := interaction_rows(answer):
        print_table(*both, "a rule and a way of playing, alone and together", plain=True)
    say_paragraph(unchanged_text(answer))
    say_paragraph(f"This is how {answer.bots} plays; --level asks players of another level.")
