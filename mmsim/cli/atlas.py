"""`mmsim atlas`: play every layout of a board and report which are fair."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import polars as pl

from mmsim.analysis.atlas import Atlas, find_atlas, open_atlas
from mmsim.analysis.atlas_features import Explained, explain_unevenness
from mmsim.analysis.atlas_replay import Intervention, ReplayResult, intervene, replay_extremes
from mmsim.batch.experiment import named_levels
from mmsim.cli import options
from mmsim.cli.console import counted, print_json, print_table, say, say_paragraph, this_command
from mmsim.cli.options import argument, option
from mmsim.cli.progress import duration, show_progress
from mmsim.cli.run import scheduler_of
from mmsim.contests.atlas import TABLE, AtlasLevel, AtlasPlan, play_atlas
from mmsim.contests.atlas import replay as replay_layouts
from mmsim.errors import UsageError, unknown
from mmsim.games import DEFAULT, find_shell, find_shell_and_rules
from mmsim.report import atlas_answer as answers
from mmsim.report.atlas_charts import atlas_charts
from mmsim.system.files import write_atomically
from mmsim.system.processes import cores

_ALL = "all"
_PICTURES = 3  # of every ranking
_GAMES = 100  # on every layout, if neither the command line nor the game says how many


def run(
    board: options.Board = None,
    rules: options.Rules = None,
    game: options.GameName = None,
    players: options.Players = None,
    levels: options.Levels = None,
    games_per_city: Annotated[
        list[str] | None,
        option(
            "--games-per-city GAMES",
            "Games on every layout, or LEVEL=N; repeat for several levels. Default: as in the atlas that comes with "
            "mmsim.",
        ),
    ] = None,
    cities: Annotated[
        str, option("--cities COUNT", "How many layouts: all, or the first N of an even sample of all.")
    ] = _ALL,
    seed: Annotated[
        int | None, option("--seed N", "Master seed. Default: as in the shipped atlas.", callback=options.check_seed)
    ] = None,
    out: Annotated[Path, option("--out FOLDER", "The folder of the atlas; an atlas begun there is continued.")] = Path(
        "runs/atlas"
    ),
    workers: options.Workers = None,
    cluster: options.Cluster = None,
    tls_ca: options.TlsCa = None,
    tls_cert: options.TlsCert = None,
    tls_key: options.TlsKey = None,
    quiet: options.Quiet = False,
    json_progress: options.JsonProgress = False,
) -> None:
    """Every game has its own deal, and nothing is kept but sums per layout and level. The same plan gives the same
    bytes with any number of workers; the same command continues an atlas that was stopped.
    """
    shell, spec = find_shell_and_rules(game, rules)
    space, allocation = shell.boards.all_layouts(board), shell.atlas
    games, declared = _games_by_level(games_per_city or ()), allocation.games_per_layout if allocation else {}
    words = levels or [name for name in games if name] or list(declared)
    plan = AtlasPlan(
        game=shell.name,
        rules=spec,
        players=players or shell.explain(spec, None).players,
        board=board or shell.default_board or "",
        seed=seed if seed is not None else allocation.seed if allocation else 1,
        layouts=_count(cities, space.count),
        levels=[
            AtlasLevel(level.name, level.bots, games.get(level.name, games.get("", declared.get(level.name, _GAMES))))
            for level in named_levels(shell.name, words)
        ],
    )
    if unused := {*games} - {"", *(level.name for level in plan.levels)}:
        raise UsageError(f"--games-per-city names {', '.join(sorted(unused))}, which is not among the levels")
    scheduler = scheduler_of(cluster, tls_ca, tls_cert, tls_key)
    kept = f"finished parts are kept; continue with: {this_command()}"
    with show_progress(quiet, json_progress, lambda: kept) as progress:
        plan, _ = play_atlas(out, plan, workers or cores(), progress, scheduler)
    per_level = ", ".join(f"{level.games} by {level.name}" for level in plan.levels)
    say(
        f"{out / TABLE}: {counted(plan.layouts, 'layout')} of {plan.board}, games on each: {per_level}; "
        f"{duration(plan.core_seconds)} of one core"
    )


def report(
    folder: Annotated[
        Path | None, argument("ATLAS", "The folder of an atlas. Default: the one that comes with mmsim.")
    ] = None,
    board: options.Board = None,
    game: options.GameName = None,
    level: Annotated[str | None, option("--level LEVEL", "The level to rank by. Default: the most reliable.")] = None,
    count: Annotated[int, option("--count N", "How many layouts of every ranking.", min=1)] = 5,
    replay: Annotated[
        int | None,
        option("--replay N", "Play the extremes again on a new seed, this many games on each layout.", min=100),
    ] = None,
    replay_level: Annotated[
        str | None, option("--replay-level LEVEL", "Who plays them again. Default: the level to rank by.")
    ] = None,
    out: Annotated[Path | None, option("--out FOLDER", "Write charts, pictures and all estimates here.")] = None,
    workers: options.Workers = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Estimates are shrunken (empirical Bayes), so that luck crowns no layout. With --replay the fairest and the most
    lopsided fifty are played again, with random layouts and some that are called unfair, and the strongest feature that
    can be laid alone is changed alone.
    """
    name = game or DEFAULT
    atlas = open_atlas(folder) if folder else find_atlas(name, board)
    if level is not None and level not in atlas.levels:
        raise unknown("level of this atlas", level, atlas.levels)
    at = atlas.levels.index(level) if level else atlas.best_level
    if replay_level and not replay:
        raise UsageError("--replay-level is for --replay GAMES")
    explained = explain_unevenness(atlas, at)
    texts = [*answers.answer(atlas, at), *answers.reliability_text(atlas), answers.features_text(explained)]
    rankings = {
        ranking.name: answers.ranking_table(atlas, ranking, at, count) for ranking in answers.rankings_of(atlas)
    }
    tables = {**rankings, "change of the squared unevenness": answers.effects_table(explained, count)}
    if replay:
        result, changed, who = _replay(atlas, at, replay, replay_level, explained, workers or cores(), quiet)
        texts += answers.replay_text(result, who)
        texts += [answers.intervention_text(changed)] if changed else []
        tables["played again"] = answers.replay_table(result)
    if as_json:
        print_json({"answer": texts, "tables": {key: [heads, *rows] for key, (heads, rows) in tables.items()}})
    else:
        for text in texts:
            say_paragraph(text)
        for title, (headings, rows) in tables.items():
            print_table(headings, rows, title, numeric={*headings} - {"layout", "feature", "layouts"}, plain=True)
    if out is not None:
        _write_files(atlas, at, explained, out)


def _replay(
    atlas: Atlas, level: int, games: int, by: str | None, explained: Explained, workers: int, quiet: bool
) -> tuple[ReplayResult, Intervention | None, str]:
    """The extremes, and the strongest feature that can be laid alone, on a seed that the atlas has not used."""
    (played_by,) = named_levels(atlas.plan.game, [by or atlas.levels[level]])
    new_level = AtlasLevel(played_by.name, played_by.bots, games)
    with show_progress(quiet) as progress:

        def play(numbers: Sequence[int]) -> pl.DataFrame:
            return replay_layouts(atlas.plan, new_level, numbers, atlas.plan.seed + 1, workers, progress)

        result = replay_extremes(atlas, level, play)
        first = int(atlas.numbers[0])
        alone = [effect for effect in explained.effects if atlas.space.with_feature(first, effect.feature)]
        changed = intervene(atlas, alone[0].feature, "", alone[0].value, play) if alone else None
    return result, changed, played_by.name


def _write_files(atlas: Atlas, level: int, explained: Explained, folder: Path) -> None:
    """Charts, pictures of the first layouts of every ranking, and the estimates of all layouts."""
    boards, rankings = find_shell(atlas.plan.game).boards, answers.rankings_of(atlas)
    outcome = next((ranking.outcome for ranking in rankings if ranking.outcome), atlas.outcomes[0])
    for chart in atlas_charts(atlas, level, explained, outcome):
        write_atomically(folder / "charts" / f"{chart.name}.svg", chart.files()["svg"])
    for ranking in rankings:
        for place, row in enumerate(atlas.ranked(ranking, level)[:_PICTURES], 1):
            shown = boards.show(atlas.plan.board, atlas.code(row), None)
            write_atomically(folder / "cities" / f"{ranking.name.replace(' ', '-')}-{place}.svg", shown.draw(".svg"))
    write_atomically(folder / "layouts.csv", atlas.estimates().write_csv().encode())
    say(f"charts, pictures and layouts.csv -> {folder}", err=True)


def _games_by_level(words: Sequence[str]) -> dict[str, int]:
    """The values of `--games-per-city`: level -> games; "" for all levels that are not named."""
    games = {}
    for word in words:
        level, _, number = word.rpartition("=")
        if not number.isascii() or not number.isdecimal() or not 1 < int(number) < 10**9:
            raise UsageError(f"--games-per-city takes a number of games above 1, or LEVEL=NUMBER, not '{word}'")
        games[level] = int(number)
    return games


def _count(cities: str, count: int) -> int:
    if cities == _ALL:
        return count
    if not cities.isascii() or not cities.isdecimal() or not 0 < int(cities) <= count:
        raise UsageError(f"--cities takes '{_ALL}' or a number from 1 to {count:,}, not '{cities}'")
    return int(cities)
