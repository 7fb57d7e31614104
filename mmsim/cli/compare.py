"""`mmsim compare`: differences between variants, metric by metric."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec
import polars as pl
import typer

from mmsim.analysis import compare as comparing
from mmsim.analysis.compare import ComparisonOverLevels
from mmsim.analysis.decision import decide, sentence
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE
from mmsim.analysis.retrained import retraining_result
from mmsim.analysis.run_metrics import (
    ALL,
    check_metric_names,
    compare_run,
    estimate_run,
    metric_table,
)
from mmsim.analysis.tables import name_without_board, open_run
from mmsim.analysis.wording import join_words, ruleset_titles
from mmsim.batch.confidence import FIRST_LOOK_GAMES, next_look
from mmsim.batch.experiment import Experiment, WantedAnswer, named_after, named_levels, variants_of
from mmsim.batch.manifest import MANIFEST, Decision
from mmsim.batch.run import Run
from mmsim.batch.session import extend
from mmsim.cli import options
from mmsim.cli.answers import print_answer, print_rows
from mmsim.cli.console import print_json, say, say_paragraph, this_command, warn
from mmsim.cli.options import argument, option
from mmsim.cli.play_run import (
    create_run,
    drop_indifferent,
    metric_values,
    play_run,
    played_run,
    run_folder,
    within,
)
from mmsim.core.variant import board_label
from mmsim.errors import MmsimError, UsageError, full_name
from mmsim.games import find_shell, find_statistics, game_of_all
from mmsim.report import answer_tables
from mmsim.report.answer import answer_of
from mmsim.report.answer_tables import what_matters
from mmsim.report.report_data import without_failed_levels
from mmsim.report.sentences import MAX_NAMED, RunWords, course_metrics
from mmsim.tables.frames import no_formulas

_DECIDED = "decided"  # the value of --until that plays until two variants are known to differ or to be equal
_MOST_TO_DECIDE = 200_000  # games per variant
_PLAY_OPTIONS = (  # options for rulesets that are still to be played
    *("players", "bots", "levels", "games", "time", "until", "board", "layout", "seats", "game", "seed"),
    *("isolate", "move_seconds", "retrain", "retrain_games", "workers", "out"),
)


def compare(
    context: typer.Context,
    subjects: Annotated[list[str], argument("RUN | SPEC SPEC...", "A run folder, or rulesets to play and compare.")],
    players: options.Players = None,
    bots: options.Bots = None,
    levels: options.Levels = None,
    games: options.Games = 10_000,
    time: options.Time = None,
    until: Annotated[
        str | None,
        option(
            "--until decided|METRIC±WIDTH",
            "decided: play until two variants are known to differ or to be equal in --metric; METRIC±WIDTH: until "
            "a metric is known to this precision.",
        ),
    ] = None,
    board: options.BoardsToCompare = None,
    layout: options.Layouts = None,
    seats: options.Seats = "fixed",
    game: options.GameName = None,
    seed: options.Seed = 1,
    isolate: options.Isolate = False,
    move_seconds: options.MoveSeconds = None,
    retrain: options.Retrain = False,
    retrain_games: options.RetrainGames = None,
    workers: options.Workers = None,
    out: Annotated[Path | None, option("--out FOLDER", "Keep the games as a run in this folder.")] = None,
    reference: Annotated[str | None, option("--reference VARIANT", "What to compare with. Default: the first.")] = None,
    metric: options.Metrics = None,
    tolerance: Annotated[
        list[str] | None,
        option("--tolerance NAME=VALUE", "The largest difference that does not matter; repeat for more metrics."),
    ] = None,
    by_level: Annotated[bool, option("--by-level", "Show every difference at every level.")] = False,
    everything: Annotated[bool, option("--all", "Show all metrics at all levels, with all verdicts.")] = False,
    as_json: options.AsJson = False,
    as_csv: options.AsCsv = False,
    quiet: options.Quiet = False,
) -> None:
    options.check_one_format(as_json, as_csv)
    metric = [ALL] if everything else metric
    options.check_players(bots, levels)
    tolerances = options.parse_tolerances(tolerance or ())
    named_metrics = [name for name in metric or () if name != ALL]
    play_options = options.given_options(context, _PLAY_OPTIONS)
    first = subjects[0]
    shown = "all" if everything else "by level" if by_level else ""
    show = partial(_print_run, reference, metric or (), tolerances, as_json, as_csv, shown)
    if len(subjects) == 1 and len(board or ()) * len(layout or "1") < 2 and len(layout or ()) < 2:
        first = str(options.run_folder(Path(first)))
        if not Path(first).is_dir():
            raise UsageError(f"'{first}' is not a run folder, and one ruleset alone has nothing to be compared with")
        if play_options:
            raise UsageError(f"{play_options[0]} is for rulesets that are still to be played; {first} is a run")
        check_metric_names(Run(first).experiment.game, [*named_metrics, *tolerances])
        show(Path(first))
        return
    _check_rulesets(subjects)
    game = game or game_of_all(subjects)
    options.check_bots(bots, game)
    check_metric_names(game, [*named_metrics, *tolerances])
    boards = options.laid_out(game, board or (), layout or ())
    experiment = Experiment(
        name=named_after(out) if out else "comparison",
        variants=tuple(subjects),
        question=_question(game, subjects, boards),
        answer=WantedAnswer(metric=named_metrics[0]) if len(named_metrics) == 1 else None,
        game=game,
        boards=boards,
        players=players,
        bots=bots or "",
        levels=() if bots else named_levels(game, levels or ()),
        games=games,
        seed=seed,
        seats=seats,
        move_seconds=options.move_limit(isolate, move_seconds),
        retrain=retrain,
        retrain_games=retrain_games,
    )
    limited = "--games" in play_options or time is not None
    experiment = within(drop_indifferent(experiment), time, "--games" in play_options)
    names = _variant_names(experiment)
    if reference:
        full_name("variant", reference, names)
    if until != _DECIDED:
        played = played_run(experiment, workers, out, quiet, until, limited)
    elif len(names) == 2:
        primary = [*named_metrics, *find_statistics(game).primary_metrics][0]
        played = _run_until_decided(experiment, workers, out, quiet, primary, limited)
    else:
        raise UsageError(f"--until {_DECIDED} compares two variants, not {len(names)}")
    with played as folder:
        show(folder, keep=None if out else this_command("--out", str(options.RUNS / "comparison")))


def _question(game: str, rulesets: Sequence[str], boards: Sequence[str] | None) -> str:
    several = len(rulesets) > 1
    things = ruleset_titles(game, rulesets) if several else [board_label(board) for board in boards or ()]
    named = things if len(things) <= MAX_NAMED else [things[0], f"{len(things) - 1} others"]
    return f"What is different between {join_words(named)}?"


def _variant_names(experiment: Experiment) -> list[str]:
    """The variants of an experiment, named as in its tables, or as they are averaged over boards."""
    shell, at_first_level = find_shell(experiment.game), variants_of(experiment)[: experiment.variants_per_level]
    names = [shell.explain(variant.rules, variant.players).variant + variant.suffix for variant in at_first_level]
    return [*dict.fromkeys(map(name_without_board, names))] if experiment.averages_boards else names


def _check_rulesets(words: Sequence[str]) -> None:
    """Refuse run folders among rulesets; but a ruleset may have the name of a run."""
    runs = [word for word in words if (Path(word) / MANIFEST).is_file()]
    if len(runs) == len(words) or any("/" in word for word in runs):
        raise UsageError(f"compare takes one run, or rulesets to play; {runs[0]} is a run and does not stand alone")


@contextmanager
def _run_until_decided(
    experiment: Experiment, workers: int | None, folder: Path | None, quiet: bool, metric: str, limited: bool
) -> Iterator[Path]:
    """The folder of a run of two variants, played until a metric is decided or to its end; its manifest has the
    decision.

    Looks come after whole parts, and how many games those are does not depend on who plays them.
    """
    metric_values(metric, experiment.game)
    most, step = experiment.games if limited else _MOST_TO_DECIDE, experiment.part_games or FIRST_LOOK_GAMES
    experiment = replace(experiment, games=min(most, step), part_games=step)
    with run_folder(folder) as path:
        run, looks = create_run(path, experiment, None, limited), 1
        play_run(run, workers, quiet=quiet, keep=folder is not None)
        while not (decision := _decide(path, metric)).is_made and run.games_per_variant < most:
            extend(run, next_look(run.games_per_variant, step, most) - run.games_per_variant)
            play_run(run, workers, quiet=quiet, keep=folder is not None)
            looks += 1
        with run.writing():
            run.update_manifest(decision=msgspec.structs.replace(decision, games=run.games_per_variant, looks=looks))
        yield path


def _decide(folder: Path, metric: str) -> Decision:
    """What the games played so far decide."""
    run = open_run(folder)
    if comparisons := comparing.compare(estimate_run(run, [metric])):
        return decide(comparisons)
    raise MmsimError(run.warnings[-1])


def _print_run(
    reference: str | None,
    metrics: Sequence[str],
    tolerances: Mapping[str, float],
    as_json: bool,
    as_csv: bool,
    shown: str,
    folder: Path,
    keep: str | None = None,
) -> None:
    """Print the answer of a run and its differences; `keep` is the command that would keep its games."""
    run = without_failed_levels(open_run(folder))
    decision = sentence(run)
    names = [variant.name for variant in run.variants]
    run = run.starting_with(full_name("variant", reference, names) if reference else names[0])
    wanted = run.experiment.wanted
    tolerances = {**wanted.tolerances, **tolerances}
    compared = compare_run(
        run, [*metrics, *filter(None, [wanted.metric])], tolerances, course_metrics(run.experiment.game)
    )
    comparisons = [one for one in compared.comparisons if compared.is_selected(one.measure.name, metrics)]
    answer = answer_of(compared, "" if keep else str(folder))
    if keep:
        answer = replace(answer, steps=[("keep the games", keep)])
    retrained = retraining_result(compared, metrics, tolerances)
    retraining = retrained.sentences if retrained else []
    is_data = as_json or as_csv
    warn(run.warnings, err=is_data)
    if as_json:
        table = metric_table(compared.levels)
        printed: dict[str, object] = {
            "warnings": run.warnings,
            "metrics": table.filter(pl.col("metric").is_in({one.measure.name for one in comparisons})).to_dicts(),
            "comparisons": [row for comparison in comparisons for row in comparison.rows()],
            "answer": asdict(answer),
            "retraining": retraining,
        }
        if run.decision:
            printed["decision"] = {**msgspec.to_builtins(run.decision), "sentence": decision}
        print_json(printed)
    elif as_csv:
        print(no_formulas(comparing.comparison_table(comparisons)).write_csv(), end="")
    else:
        words = RunWords(compared)
        print_answer(answer, None if shown else what_matters(words, comparisons))
        for line in retraining:
            say_paragraph(line)
        _print_details(words, comparisons, shown)
    if decision:
        say(decision, err=is_data)


def _print_details(words: RunWords, comparisons: Sequence[ComparisonOverLevels], shown: str) -> None:
    """The differences of every variant level by level, or all of them with their verdicts."""
    metric = words.run.experiment.wanted.metric or SEAT_IMBALANCE.name
    if shown == "by level":
        for comparison in comparisons:
            if comparison.measure.name == metric:
                say("\n" + "\n".join(answer_tables.strips(words, comparison)))
    for variant in dict.fromkeys(comparison.variant for comparison in comparisons if shown):
        say("")
        make = answer_tables.everything if shown == "all" else answer_tables.level_by_level
        print_rows(make(words, comparisons, variant))
