"""`mmsim why`: what makes games come out as they do, by changing one thing at a time and playing again."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from mmsim.batch.store import Run
from mmsim.cli.common import AsJson, Board, Players, Seed, console
from mmsim.cli.playing import Quiet, Workers, watched
from mmsim.core.errors import UsageError, unknown
from mmsim.core.files import write_output
from mmsim.core.game import Variant
from mmsim.core.processes import cores
from mmsim.games import game_of

if TYPE_CHECKING:
    from mmsim.analysis.elements import ElementValue
    from mmsim.analysis.stats import Estimate
    from mmsim.analysis.why import Interaction, Why
    from mmsim.contests.interventions import Change
    from mmsim.report.charts import Chart

_BOT = "planner"
_SHOWN = 12  # changes in the table


def why(
    context: typer.Context,
    what: Annotated[str, typer.Argument(metavar="RUN | SPEC", help="A run folder, or a ruleset.")],
    metric: Annotated[str, typer.Option(metavar="NAME", help="What is to be explained.")] = "win_share",
    bots: Annotated[
        str, typer.Option(metavar="LIST", help="One bot for every seat, or one a seat, with commas.")
    ] = _BOT,
    players: Players = None,
    board: Board = None,
    games: Annotated[int, typer.Option(min=8, help="Games of every change.")] = 4_000,
    seed: Seed = 1,
    only: Annotated[
        list[str] | None, typer.Option(metavar="CHANGE", help="Only this change; may be given several times.")
    ] = None,
    elements: Annotated[
        bool, typer.Option("--elements", help="Instead: what is each element of the game worth to a bot that has it?")
    ] = False,
    variant: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which variant of a run; if not given, the first.")
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
    exchanged. The rule and the way of playing that do most are also changed both at once.
    """
    if out is not None and out.suffix not in (".svg", ".png"):
        raise UsageError(f"a chart is .svg or .png, not {out.name}")
    if Path(what).is_dir():
        given = [name for name in ("bots", "players", "board") if _is_given(context, name)]
        if given:
            raise UsageError(f"--{given[0]} is for rulesets; {what} has its own")
        game, asked = _of_run(Path(what), variant)
        asked = replace(asked, seed=seed) if _is_given(context, "seed") else asked
    else:
        game, asked = game_of(what), Variant(what, players, board, bots, seed)
    if elements:
        _elements(game, asked, games, workers or cores(), as_json, quiet, out)
    else:
        _why(game, asked, metric, only or [], games, workers or cores(), as_json, quiet, out)


def _is_given(context: typer.Context, name: str) -> bool:
    return str(context.get_parameter_source(name)).endswith("COMMANDLINE")


def _of_run(folder: Path, name: str | None) -> tuple[str, Variant]:
    """A variant of a run, as it was played."""
    from mmsim.batch.experiment import variants_of

    run = Run(folder)
    variants = dict(zip([about["name"] for about in run.manifest.variants], variants_of(run.experiment), strict=True))
    if name is not None and name not in variants:
        raise unknown("variant", name, variants)
    found = variants[name] if name else next(iter(variants.values()))
    return run.experiment.game, replace(found, suffix="", seats="fixed")


def _why(
    game: str,
    asked: Variant,
    metric: str,
    only: Sequence[str],
    games: int,
    workers: int,
    as_json: bool,
    quiet: bool,
    out: Path | None,
) -> None:
    """The changes, then the two that do most together; nine arguments: the options of the command."""
    from mmsim.analysis import why as weighing
    from mmsim.analysis.findings import find_metric
    from mmsim.contests.interventions import changes_of, play_changes, unchanged

    find_metric(game, metric)
    base, changes = unchanged(asked), _chosen(changes_of(game, asked), only)
    with watched(quiet) as watch:
        played = play_changes(game, [base, *changes], games, workers, watch)
    found = weighing.weigh_changes(played, metric)
    two = weighing.biggest_two(found)
    both = None
    if two is not None:
        with watched(quiet) as watch:
            again = play_changes(game, [base, *two, two[0].and_also(two[1])], games, workers, watch)
        both = weighing.interaction(again, metric)
    sentences = weighing.conclusions(found, both)
    if as_json:
        typer.echo(json.dumps(_as_json(found, both, sentences), indent=1))
    else:
        _print(found, sentences)
    if out is not None:
        _draw(_chart(found, sentences), out)


def _chosen(changes: "Sequence[Change]", only: Sequence[str]) -> "Sequence[Change]":
    known = [change.name for change in changes]
    for name in only:
        if name not in known:
            raise unknown("change", name, known)
    return [change for change in changes if change.name in only] if only else changes


def _print(found: "Why", sentences: Sequence[str]) -> None:
    from mmsim.analysis import words

    screen = console()
    unit = words.difference_unit(found.unit)
    title = f"What {found.measure} becomes when one thing is changed; {found.games:,} games each, 95 % intervals"
    by_player = found.groups if len(found.groups) > 1 else ()
    table = Table("change", found.measure, "difference", "explains", *by_player, title=title, title_justify="left")
    table.add_row("as played", words.with_interval(found.before, found.unit), "", "", *_cells(found.before_groups))
    for effect in found.effects[:_SHOWN]:
        table.add_row(
            effect.change.name,
            words.value(effect.after, found.unit),
            words.with_interval(effect.difference, unit, signed=True) if not effect.same else "the same in every game",
            f"{found.explains(effect):+.0%}" if effect.told_apart else "",
            *_cells(effect.groups),
        )
    screen.print(table)
    if len(found.effects) > _SHOWN:
        screen.print(f"{len(found.effects) - _SHOWN} more changes do less; --json has all")
    for sentence in sentences:
        screen.print(sentence, markup=False)


def _cells(groups: "Sequence[Estimate]") -> list[str]:
    return [f"{one.value:.1%}" for one in groups] if len(groups) > 1 else []


def _numbers(one: "Estimate") -> dict[str, float]:
    return {"value": one.value, "low": one.low, "high": one.high, "se": one.se}


def _as_json(found: "Why", both: "Interaction | None", sentences: Sequence[str]) -> dict[str, object]:
    effects = [
        {
            "change": effect.change.name,
            "kind": effect.change.kind,
            "text": effect.change.text,
            found.measure: _numbers(effect.after),
            "difference": _numbers(effect.difference),
            "p_adjusted": effect.p_adjusted,
            "explains": found.explains(effect),
            "groups": dict(zip(found.groups, map(_numbers, effect.groups), strict=True)),
        }
        for effect in found.effects
    ]
    together = None
    if both is not None:
        together = {
            "changes": [both.one.change.name, both.other.change.name],
            found.measure: _numbers(both.both.after),
            "beyond_the_sum": _numbers(both.beyond),
            "groups": dict(zip(found.groups, map(_numbers, both.both.groups), strict=True)),
        }
    return {
        "metric": found.measure,
        "games": found.games,
        "as_played": {
            **_numbers(found.before),
            "groups": dict(zip(found.groups, map(_numbers, found.before_groups), strict=True)),
        },
        "changes": effects,
        "both": together,
        "sentences": list(sentences),
    }


def _chart(found: "Why", sentences: Sequence[str]) -> "Chart":
    from mmsim.report.charts import Row
    from mmsim.report.figures import dots

    rows = [Row(effect.change.name, [effect.difference]) for effect in found.effects[:_SHOWN]]
    note = f"Differences to the games as played, {found.games:,} games each, with 95 % intervals. {sentences[0]}"
    title = f"What {found.measure} would be without: {found.effects[0].change.name} does most"
    return dots("why", title, note, rows, ["difference"], "difference", 0.0)


def _elements(
    game: str, asked: Variant, games: int, workers: int, as_json: bool, quiet: bool, out: Path | None
) -> None:
    """The value of every element."""
    from mmsim.analysis.elements import element_values
    from mmsim.contests.interventions import play_changes, unchanged, without_elements

    changes = [unchanged(replace(asked, seats="rotate")), *without_elements(game, asked)]
    with watched(quiet) as watch:
        played = play_changes(game, changes, games, workers, watch)
    found = element_values(played)
    if as_json:
        typer.echo(json.dumps([_element_json(one) for one in found], indent=1))
    else:
        _print_elements(found, asked.bots, played.games)
    if out is not None:
        _draw(_element_chart(found, asked.bots, played.games), out)


def _element_json(one: "ElementValue") -> dict[str, object]:
    return {
        "element": one.change.name,
        "text": one.change.text,
        "win_share_without": _numbers(one.share),
        "value": _numbers(one.value),
        "by_seat": [_numbers(seat) for seat in one.by_seat],
        "p_adjusted": one.p_adjusted,
    }


def _print_elements(found: "Sequence[ElementValue]", bot: str, games: int) -> None:
    from mmsim.analysis import words

    screen = console()
    title = f"What one {bot} loses without an element, among others that have all; {games:,} games each"
    seats = [f"seat {seat}" for seat in range(len(found[0].by_seat))]
    table = Table("element", "wins without it", "value", *seats, title=title, title_justify="left")
    for one in found:
        value = words.with_interval(one.value, "share difference", signed=True)
        by_seat = [words.with_interval(seat, "share difference", signed=True) for seat in one.by_seat]
        table.add_row(one.change.text, words.value(one.share, "share"), value, *by_seat)
    screen.print(table)
    sure = [one for one in found if one.p_adjusted < 0.05 and one.value.value > 0]
    names = ", ".join(one.change.text for one in sure) or "nothing that these games can tell from chance"
    screen.print(f"worth something to {bot}: {names}", markup=False)


def _element_chart(found: "Sequence[ElementValue]", bot: str, games: int) -> "Chart":
    from mmsim.report.charts import Row
    from mmsim.report.figures import dots

    rows = [Row(one.change.text, [one.value]) for one in found]
    note = f"Points of win share that one {bot} loses without it; {games:,} games each, with 95 % intervals."
    return dots("elements", f"{found[0].change.text} are worth most", note, rows, ["value"], "share", 0.0)


def _draw(chart: "Chart", out: Path) -> None:
    write_output(out, chart.files()[out.suffix[1:]])
    typer.echo(f"chart -> {out}", err=True)
