"""`mmsim why`: what makes games come out as they do, by changing one thing at a time and playing again."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.table import Table

from mmsim.batch.experiment import OF_MEMBER, named_panel, variants_of
from mmsim.batch.manifest import WHY
from mmsim.batch.run import Run
from mmsim.cli import completion
from mmsim.cli.common import AsJson, Board, Players, Seed, console, say
from mmsim.cli.panel import PanelOption
from mmsim.cli.run_control import Quiet, Workers, watched
from mmsim.core.game import Variant
from mmsim.core.seating import split_bots
from mmsim.errors import UsageError, full_name, unknown
from mmsim.games import game_of
from mmsim.system.files import write_output
from mmsim.system.processes import cores

if TYPE_CHECKING:
    from mmsim.analysis.elements import Advantage, ElementValue
    from mmsim.analysis.stats import Estimate
    from mmsim.analysis.why import Why
    from mmsim.contests.interventions import Change
    from mmsim.report.charts import Chart

_BOT = "planner"


def why(
    context: typer.Context,
    what: Annotated[
        str,
        typer.Argument(
            metavar="RUN | SPEC",
            autocompletion=completion.runs_and_rulesets,
            help="A run folder, which then keeps the answer for its report, or a ruleset.",
        ),
    ],
    metric: Annotated[str, typer.Option(metavar="NAME", help="What is to be explained.")] = "win_share",
    bots: Annotated[
        str, typer.Option(metavar="LIST", help="One bot for every seat, or one a seat, with commas.")
    ] = _BOT,
    panel: PanelOption = None,
    players: Players = None,
    board: Board = None,
    games: Annotated[int, typer.Option(min=8, help="Games of every change; slow players play fewer.")] = 4_000,
    seed: Seed = 1,
    only: Annotated[
        list[str] | None, typer.Option(metavar="CHANGE", help="Only this change; may be given several times.")
    ] = None,
    elements: Annotated[
        bool, typer.Option("--elements", help="Instead: what is each element of the game worth to a bot that has it?")
    ] = False,
    variant: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", autocompletion=completion.variants, help="Which variant of a run; if not given, the first."
        ),
    ] = None,
    workers: Workers = None,
    out: Annotated[
        Path | None, typer.Option("--out", dir_okay=False, help="Draw what the changes do (.svg or .png).")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Change one thing at a time, play the same layouts and deals again, and say how much of an effect goes with it.

    Every knob is moved to its other values; starts are forced at random, hands shuffled between seats, openings
    exchanged. The rule and the way of playing that explain most are also changed both at once.
    """
    if out is not None and out.suffix not in (".svg", ".png"):
        raise UsageError(f"a chart is .svg or .png, not {out.name}")
    given = [name for name in ("bots", "panel", "players", "board", "seed") if _is_given(context, name)]
    if {"bots", "panel"} <= {*given}:
        raise UsageError("--bots seats one table and --panel asks several kinds of players; give one of them")
    folder = Path(what) if Path(what).is_dir() else None
    if folder:
        if given := [name for name in given if name != "seed"]:
            raise UsageError(f"--{given[0]} is for rulesets; {what} has its own")
        game, asked, members = _of_run(folder, variant)
        asked = replace(asked, seed=seed) if _is_given(context, "seed") else asked
    else:
        game = game_of(what)
        members = named_panel(game, panel) if panel else ()
        asked = Variant(what, players, board, members[0] if members else bots, seed)
    if len(split_bots(asked.bots)) > 1:  # else the effect of a seat could not be told from that of its bot
        asked = replace(asked, seats="rotate")
    if elements:
        if len(members) > 1:
            say(f"elements are measured for {asked.bots}, the first of the panel", err=True)
        _elements(game, asked, games, workers or cores(), as_json, quiet, out)
        return
    found = _answer(game, asked, members, metric, only or [], games, workers or cores(), quiet)
    if as_json:
        typer.echo(json.dumps(_as_json(found), indent=1))
    else:
        _print(found)
    if folder:
        from mmsim.analysis.why import keep

        keep(folder, found)
        say(f"why -> {folder / WHY}; a report of the run has a section on it now", err=True)
    if out is not None:
        from mmsim.report.why_section import chart

        _draw(chart(found), out)


def _is_given(context: typer.Context, name: str) -> bool:
    return str(context.get_parameter_source(name)).endswith("COMMANDLINE")


def _of_run(folder: Path, name: str | None) -> tuple[str, Variant, tuple[str, ...]]:
    """A variant of a run as its players played it, and all of them."""
    run = Run(folder)
    names = [str(about["name"]).partition(OF_MEMBER)[0] for about in run.manifest.variants]
    chosen = full_name("variant", name, dict.fromkeys(names)) if name else names[0]
    found = variants_of(run.experiment)[names.index(chosen)]
    members = run.experiment.members
    return run.experiment.game, replace(found, suffix="", seats="fixed"), members if len(members) > 1 else ()


def _answer(
    game: str,
    asked: Variant,
    members: Sequence[str],
    metric: str,
    only: Sequence[str],
    games: int,
    workers: int,
    quiet: bool,
) -> "Why":
    """The changes, then the two that explain most together."""
    from mmsim.analysis import why as weighing
    from mmsim.analysis.findings import find_metric
    from mmsim.contests.interventions import changes_of, play_changes, unchanged

    find_metric(game, metric)
    every, fixed = changes_of(game, asked)
    changes = [unchanged(asked), *_chosen(every, only)]
    with watched(quiet) as watch:
        played = play_changes(game, changes, games, workers, watch, members)
    found = weighing.weigh_changes(played, metric, {} if only else fixed)
    two = weighing.explaining_two(found)
    if two is None:
        return found
    by_name = {change.name: change for change in changes}
    both = by_name[two[0]].and_also(by_name[two[1]])
    with watched(quiet) as watch:
        played = played.and_also(play_changes(game, [both], games, workers, watch, members))
    return weighing.with_interaction(found, played.only([changes[0].name, *two, both.name]), metric)


def _chosen(changes: "Sequence[Change]", only: Sequence[str]) -> "Sequence[Change]":
    known = [change.name for change in changes]
    for name in only:
        if name not in known:
            raise unknown("change", name, known)
    return [change for change in changes if change.name in only] if only else changes


def _print(found: "Why") -> None:
    from mmsim.analysis.why import conclusions
    from mmsim.report.why_section import SHOWN, changes, fixed, together

    screen = console()
    games = "; ".join(f"{name} {count:,} games" for name, count in found.games.items())
    _print_rows(
        f"What {found.measure} becomes when one thing is changed ({games} each), 95 % intervals", *changes(found)
    )
    if (more := len([one for one in found.effects if not one.same]) - SHOWN) > 0:
        screen.print(f"{more} more change{'s' * (more != 1)} do less; --json has all")
    if both := together(found):
        _print_rows("The two that explain most, alone and together", *both)
    for sentence in [*conclusions(found), fixed(found)]:
        screen.print(sentence, markup=False)
    if len(found.games) == 1:
        screen.print(
            f"This is how {next(iter(found.games))} plays; --panel small asks other players too.", markup=False
        )


def _print_rows(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*row)
    console().print(table)


def _numbers(one: "Estimate | None") -> dict[str, float] | None:
    return {"value": one.value, "low": one.low, "high": one.high, "se": one.se} if one else None


def _as_json(found: "Why") -> dict[str, object]:
    """All of it as plain values, with the sentences."""
    from mmsim.analysis.why import conclusions

    plain = msgspec.to_builtins(found)
    for effect, one in zip(plain["effects"], found.effects, strict=True):
        effect["explains"] = found.explains(one)
    return {**plain, "sentences": conclusions(found)}


def _elements(
    game: str, asked: Variant, games: int, workers: int, as_json: bool, quiet: bool, out: Path | None
) -> None:
    """The value of every element."""
    from mmsim.analysis.elements import element_values
    from mmsim.contests.interventions import play_changes, unchanged, without_elements

    tables = without_elements(game, asked)
    changes = [unchanged(replace(asked, seats="rotate"))]
    changes += [change for one in tables for change in (one.one_without, one.one_with, one.all_without)]
    with watched(quiet) as watch:
        played = play_changes(game, changes, games, workers, watch)
    found, count = element_values(played, tables), played.members[0].games
    if as_json:
        typer.echo(json.dumps([_element_json(one) for one in found], indent=1))
    else:
        _print_elements(found, asked.bots, count)
    if out is not None:
        _draw(_element_chart(found, asked.bots, count), out)


def _element_json(one: "ElementValue") -> dict[str, object]:
    def way(found: "Advantage") -> dict[str, object]:
        return {
            "win_share": _numbers(found.share),
            "value": _numbers(found.value),
            "by_seat": [_numbers(seat) for seat in found.by_seat],
            "p_adjusted": found.p_adjusted,
        }

    return {
        "element": one.name,
        "text": one.text,
        "one_without_among_others_with": way(one.among_haves),
        "one_with_among_others_without": way(one.among_have_nots),
    }


def _print_elements(found: "Sequence[ElementValue]", bot: str, games: int) -> None:
    from mmsim.analysis import number_format as fmt

    seats = [f"seat {seat + 1}" for seat in range(len(found[0].among_haves.by_seat))]

    def rows(ways: "Sequence[tuple[str, Advantage]]") -> list[list[str]]:
        unit = "share difference"
        return [
            [text, fmt.value(one.share, "share"), fmt.with_interval(one.value, unit, signed=True)]
            + [fmt.with_half_width(seat, unit) for seat in one.by_seat]
            for text, one in ways
        ]

    loses = f"What one {bot} loses without an element, among others that have all; {games:,} games each"
    _print_rows(loses, ["element", "wins", "loses", *seats], rows([(one.text, one.among_haves) for one in found]))
    gains = f"What one {bot} gains with an element, among others that do without; {games:,} games each"
    _print_rows(gains, ["element", "wins", "gains", *seats], rows([(one.text, one.among_have_nots) for one in found]))
    screen = console()
    ways = {"lacks it": [one for one in found if _is_of_value(one.among_haves)]}
    ways["alone has it"] = [one for one in found if _is_of_value(one.among_have_nots)]
    for way, sure in ways.items():
        names = ", ".join(one.text for one in sure) or "nothing that these games can tell from chance"
        screen.print(f"of value where one {bot} {way}: {names}", markup=False)


def _is_of_value(one: "Advantage") -> bool:
    return one.told_apart and one.value.value > 0


def _element_chart(found: "Sequence[ElementValue]", bot: str, games: int) -> "Chart":
    from mmsim.report.charts import Row
    from mmsim.report.figures import dots

    rows = [Row(one.text, [one.among_haves.value, one.among_have_nots.value]) for one in found]
    note = f"Points of win share of one {bot}; {games:,} games each, with 95 % intervals."
    ways = ["loses without it, among others with it", "gains with it, among others without"]
    return dots("elements", f"Worth most: {found[0].text}", note, rows, ways, "share difference", 0.0)


def _draw(chart: "Chart", out: Path) -> None:
    write_output(out, chart.files()[out.suffix[1:]])
    typer.echo(f"chart -> {out}", err=True)
