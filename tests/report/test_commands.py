"""`mmsim compare`, `report` and `sweep` from the command line."""

import json
import os
import pty
import re
import shlex
import sys
import tempfile
from io import StringIO
from pathlib import Path

import polars as pl
import pytest

from mmsim.analysis.run_metrics import ALL, compare_run
from mmsim.analysis.tables import open_run
from mmsim.batch.run import Run
from mmsim.batch.session import Session
from mmsim.cli.commands import app
from mmsim.report.answer import answer_of
from mmsim.report.charts import Chart
from mmsim.report.report_data import find_remarkable_games
from mmsim.report.sentences import course_metrics
from tests.cli.runner import complaint, output, run
from tests.report.conftest import write_toys
from tests.runs import change_part, write_run

DRAWN = Chart.files


def test_compare_prints_tables_and_the_answer(run_folder: Path) -> None:
    lines = output("compare", run_folder).splitlines()
    assert lines[1:3] == ["Are Loyal and No Corruption fairer than hidden hands?", "the 2006 rules, 4 players"]
    assert lines[4].startswith(("  No", "  Yes", "  Among"))
    assert "fixed hands (No Corruption)" in lines[4] + lines[5]
    assert max(map(len, lines[:-3])) <= 100
    assert any(line.startswith("compared with the 2006 rules") for line in lines)
    assert lines[-1].endswith(f"mmsim report {run_folder}")


def test_compare_shows_every_level_and_every_metric_if_asked(run_folder: Path) -> None:
    by_level = output("compare", run_folder, "--by-level")
    assert "unevenness of the seats (%): open hands (Loyal) (band: ±" in by_level
    assert "·[" in by_level
    everything = output("compare", run_folder, "--all")
    assert "stations left (stations," in everything
    assert "…" not in everything + by_level


def test_how_sure_an_answer_is_is_not_said_of_a_handful_of_games(tmp_path: Path) -> None:
    few, more = (write_run(tmp_path / f"of-{games}", games=games, part_games=games) for games in (48, 52))
    assert "How sure: 144 games, too few to say." in output("compare", few)
    assert "How sure: A difference in the unevenness of the seats is known to ±" in output("compare", more)


def test_metrics_come_out_the_same_whether_all_or_only_those_are_measured(run_folder: Path) -> None:
    tables = open_run(run_folder)
    few = compare_run(tables, described=course_metrics(tables.experiment.game))
    every = compare_run(tables, [ALL])
    assert len(few.estimates) < 12
    assert len(every.estimates) > 2 * len(few.estimates)
    assert answer_of(few) == answer_of(every)
    some, same = (
        [one.rows() for one in compared.comparisons if compared.is_selected(one.measure.name)]
        for compared in (few, every)
    )
    assert some == same
    assert all(few.estimates[name].rows().equals(every.estimates[name].rows()) for name in few.estimates)


def test_compare_plays_rulesets_itself() -> None:
    printed = json.loads(
        output(
            "compare", "print", "print,end_lines=8", "--bots", "uniform", "--games", 400, "--metric", "turns", "--json"
        )
    )
    (row,) = printed["comparisons"]
    assert printed["answer"]["verdict"].startswith("Yes. With an end after 8 lines, games are longer (by")
    assert row["verdict"] == "higher"
    assert row["reference"] == "print-4p"
    assert row["deals"] == 400
    assert {row["variant"] for row in printed["metrics"]} == {"print-4p", "print,end_lines=8-4p"}


def test_metrics_that_an_experiment_names_are_known_before_anything_is_played(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    for line in ('metrics = ["turn"]', 'answer = { metric = "turn" }'):
        file.write_text(f'variants = ["print", "v2"]\nbots = ["uniform"]\n{line}\n')
        assert complaint(2, "run", file, "--out", tmp_path / "run") == "unknown metric 'turn'; did you mean 'turns'?"
        assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("empty_charts")
def test_compare_and_report_answer_with_the_tolerance_of_the_experiment(tmp_path: Path) -> None:
    wanted = {"metric": "turns", "direction": "lower", "tolerance": 50.0}
    folder = write_run(tmp_path / "run", ["print", "print,end_lines=6"], 60, 60, bots="uniform", answer=wanted)
    same = "No. With an end after 6 lines, length is the same as with the 2006 rules."
    assert json.loads(output("compare", folder, "--json"))["answer"]["verdict"] == same
    output("report", folder, "--out", tmp_path / "report")
    assert "**No.** With an end after 6 lines, length is the same" in (tmp_path / "report" / "memo.md").read_text()


def test_compare_keeps_its_games_as_a_run_if_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    played = ("--bots", "planner", "--games", 40, "--workers", 1)
    words = ("compare", "print", "print+loyal", *played, "--metric", "margin", "--csv")
    printed = output(*words, "--out", tmp_path / "kept")
    assert output("compare", tmp_path / "kept", "--metric", "margin", "--csv") == printed
    assert "already holds a run" in complaint(2, *words, "--out", tmp_path / "kept")
    assert output(*words) == printed
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_a_comparison_that_is_stopped_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(session: Session) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(Session, "carry_out", stopped)
    result = run("compare", "print", "print+loyal", "--bots", "planner")
    assert (result.exit_code, result.stderr) == (130, "stopped; nothing is kept\n")
    assert not list(tmp_path.iterdir())
    result = run("compare", "print", "print+loyal", "--bots", "planner", "--out", tmp_path / "kept")
    assert result.stderr == f"stopped; 0 games are kept; continue with: mmsim resume {tmp_path / 'kept'}\n"


def test_compare_plays_until_a_metric_is_known(tmp_path: Path) -> None:
    words = ("--until", "turns±0.2", "--metric", "turns", "--workers", 1, "--json", "--out", tmp_path / "kept")
    printed = json.loads(output("compare", "print", "print,end_lines=8", "--bots", "uniform", *words))
    assert all(row["high"] - row["low"] < 0.4 for row in printed["metrics"])
    assert Run(tmp_path / "kept").manifest.until.known_to <= 0.2


def test_compare_says_when_a_metric_is_not_known_so_well() -> None:
    words = ("--until", "turns±0.001", "--metric", "turns", "--workers", 1, "--games", 400)
    printed = run("compare", "print", "print,end_lines=8", "--bots", "uniform", *words).stderr
    assert "not to ±0.001: the limit of 400 games was reached" in printed


def test_compare_prints_csv(run_folder: Path) -> None:
    table = pl.read_csv(StringIO(output("compare", run_folder, "--metric", "margin", "--csv")))
    assert table["metric"].unique().to_list() == ["margin"]
    assert table.height == 2


def test_compare_says_what_is_wrong(run_folder: Path, tmp_path: Path) -> None:
    assert "nothing to be compared with" in complaint(2, "compare", "print")
    assert "did you mean 'margin'" in complaint(2, "compare", run_folder, "--metric", "margn")
    assert "--tolerance takes NAME=VALUE" in complaint(2, "compare", run_folder, "--tolerance", "margin")
    assert "must be a number above 0, not inf" in complaint(2, "compare", run_folder, "--tolerance", "margin=inf")
    assert "did you mean 'margin'" in complaint(2, "compare", "print", "print+loyal", "--tolerance", "margn=1")
    assert "unknown variant" in complaint(2, "compare", run_folder, "--reference", "nl-4p")
    assert "unknown variant 'nl'" in complaint(2, "compare", "print", "print+loyal", "--reference", "nl")
    assert "choose one" in complaint(2, "compare", run_folder, "--json", "--csv")
    assert "takes one run, or rulesets" in complaint(2, "compare", run_folder, "print")
    assert "listed twice" in complaint(2, "compare", "print", "print")
    assert "--games is for rulesets" in complaint(2, "compare", run_folder, "--games", 50)
    assert "unknown seating 'rotated'" in complaint(2, "compare", "print", "print+loyal", "--seats", "rotated")
    rotated = ("--seats", "rotate", "--games", 50)
    assert "groups of 4: games may be 48 or 52, not 50" in complaint(2, "compare", "print", "print+loyal", *rotated)
    alone = write_run(tmp_path / "alone", ["print"], games=20, part_games=20)
    assert "nothing to compare" in complaint(2, "compare", alone)
    assert "no manifest.json" in complaint(2, "compare", tmp_path)
    until = ("compare", "print", "print+loyal", "--until")
    assert "did you mean 'margin'" in complaint(2, *until, "margn±1")
    assert "seat_imbalance is not a mean over games" in complaint(2, *until, "seat_imbalance±1%")
    metro = ("--game", "metro", "--until", "trip_minutes±1")
    assert "unknown metric 'trip_minutes'" in complaint(2, "compare", "metro", "metro+free", *metro)


def test_compare_is_loud_about_a_partial_run(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "partial", games=40, part_games=40, asked=80)
    assert "WARNING: PARTIAL RUN" in output("compare", folder, "--metric", "margin")
    for form in ("--csv", "--json"):
        assert "WARNING: PARTIAL RUN" in run("compare", folder, "--metric", "margin", form).stderr


@pytest.mark.usefixtures("empty_charts")
def test_report_prints_the_answer_and_where_it_is_and_opens_it_if_that_is_asked_for(
    run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    opened: list[str] = []
    monkeypatch.setattr("typer.launch", opened.append)
    lines = output("report", run_folder, "--open").splitlines()
    assert lines[1] == "Are Loyal and No Corruption fairer than hidden hands?"
    assert lines[-2].split() == ["report", "reports/municipality/report.html"]
    assert lines[-1].split() == ["memo", "reports/municipality/memo.md"]
    assert (tmp_path / "reports" / "municipality" / "memo.md").read_text().startswith("# Are Loyal and No Corruption")
    page = tmp_path / "reports" / "municipality" / "report.html"
    assert page.is_file()
    assert opened == [page.as_uri()]


def test_the_report_of_another_run_is_replaced_only_if_that_is_asked_for(
    small_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = write_toys(tmp_path / "other", seed=8)
    output("report", small_run, "--out", tmp_path / "out")
    again = run("report", small_run, "--out", tmp_path / "out", "--quiet")  # the same run
    assert (again.exit_code, again.stderr) == (0, "")
    message = f"{tmp_path}/out holds another report; --force replaces it, --out FOLDER writes elsewhere"
    assert complaint(2, "report", other, "--out", tmp_path / "out") == message
    monkeypatch.setattr("mmsim.cli.progress._FIRST_LINE_S", 0)
    printed = run("report", other, "--out", tmp_path / "out", "--force")
    assert printed.exit_code == 0
    assert printed.stderr.splitlines()[0] == "measuring 8 games"


def test_report_of_nothing_is_a_sentence(tmp_path: Path) -> None:
    assert f"there is no run {tmp_path}/nothing (mmsim runs list" in complaint(2, "report", tmp_path / "nothing")


def test_report_of_a_damaged_run_is_a_sentence(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "damaged", ["print"], games=20, part_games=10)
    part = folder / "lines" / "part-000001.parquet"
    part.write_bytes(part.read_bytes()[:100])
    assert "part-000001.parquet has 100 bytes instead of" in complaint(1, "report", folder)


def fail_games(folder: Path, *parts: int) -> None:
    """Let every game of some parts have been stopped by a bot's error."""
    status = Run(folder).table("games").collect_schema()["status"]
    for part in parts:
        change_part(folder, "games", part, status=pl.lit("bot_error").cast(status))


@pytest.mark.parametrize("command", ["report", "compare"])
@pytest.mark.parametrize(("failed", "variant"), [((0, 1), "dice-3p"), ((1,), "dice,hold=2-3p")])
@pytest.mark.usefixtures("toy_game", "empty_charts")
def test_a_variant_whose_games_all_failed_is_a_sentence(
    command: str, failed: tuple[int, ...], variant: str, tmp_path: Path
) -> None:
    folder = write_toys(tmp_path / "run", rules=["dice", "dice,hold=2"])
    fail_games(folder, *failed)
    result = run(command, folder, *(("--out", tmp_path / "out") if command == "report" else ()))
    assert result.exit_code == 1
    assert "Traceback" not in result.output
    why = f"no game of {variant} in {folder} came to a regular end (8 with status bot_error)"
    assert result.stderr.splitlines()[-1] == f"mmsim: error: there is nothing to measure: {why}"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("failed", [(0,), (1,), (0, 1)])
@pytest.mark.usefixtures("toy_game", "empty_charts")
def test_players_whose_games_of_a_variant_all_failed_are_left_out(failed: tuple[int, ...], tmp_path: Path) -> None:
    folder = write_toys(tmp_path / "run", rules=["dice", "dice,hold=2"], levels=["bold", "uniform"])
    fail_games(folder, *failed)
    result = run("report", folder, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert f"WARNING: {8 * len(failed)} games ended with status bot_error, left out of every metric." in result.stderr
    metrics = pl.read_parquet(tmp_path / "out" / "tables" / "metrics.parquet")
    assert metrics.filter(pl.col("metric") == "score")["games"].to_list() == [8, 8]
    compared = json.loads(run("compare", folder, "--json").stdout)
    assert {row["games"] for row in compared["metrics"]} == {8}


@pytest.mark.usefixtures("empty_charts")
def test_report_is_loud_about_a_partial_run(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "partial", ["print"], games=20, part_games=20, asked=40)
    result = run("report", folder, "--out", tmp_path / "out")
    assert result.exit_code == 0
    assert "WARNING: PARTIAL RUN: of 40 games" in result.stderr
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert re.search(r'<p class="warning" role="alert">.*PARTIAL RUN: of 40 games', page)
    assert "data:image" not in page
    assert "Games whose records this run does not have are not drawn" in page


@pytest.mark.parametrize("seats", ["fixed", "rotate"])
def test_the_command_of_a_remarkable_game_plays_it(seats: str, tmp_path: Path) -> None:
    bots = "greedy,uniform,uniform,uniform"
    folder = write_run(tmp_path / "run", ["print"], games=24, part_games=24, bots=bots, seats=seats)
    for game in find_remarkable_games(open_run(folder)):
        file = tmp_path / f"{game.remarkable.kind}.json"
        output(*shlex.split(game.command)[1:], "--quiet", "--record", file)
        output("record", folder, "--number", game.remarkable.game, "--out", tmp_path / "of-run.json")
        assert json.loads(file.read_text()) == json.loads((tmp_path / "of-run.json").read_text())
        assert output("verify", file)


@pytest.mark.slow
def test_two_variants_are_played_until_decided_by_any_number_of_workers(tmp_path: Path) -> None:
    words = ("compare", "print", "print,end_lines=3", "--bots", "uniform", "--metric", "turns", "--until", "decided")
    printed = []
    for workers in (1, 2):
        result = run(*words, "--games", 3000, "--workers", workers, "--out", tmp_path / str(workers))
        assert result.exit_code == 0, result.output
        printed.append(next(line for line in result.stdout.splitlines() if line.startswith("turns of")))
    assert printed[0] == printed[1]
    assert re.search(r"different at uniform; after [\d,]+ games of each and \d looks?, wrong at most 5%", printed[0])
    digests = {Run(tmp_path / workers).finished.digest for workers in "12"}
    assert len(digests) == 1
    decision = json.loads(run("compare", tmp_path / "1", "--json").stdout)["decision"]
    assert decision["sentence"] == printed[0]
    (known,) = decision["sequence"]
    assert known["level"] == "uniform"
    assert known["high"] < 0  # fewer turns; the interval excludes 0
    output("report", tmp_path / "1", "--out", tmp_path / "report")
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "Confidence sequence of an end after 3 lines against the 2006 rules" in page
    assert "stopped by a sequential test of turns" in page
    output("run", tmp_path / "1", "--more", 600)  # playing on withdraws the decision
    assert Run(tmp_path / "1").manifest.decision is None


def test_what_cannot_be_decided_is_said() -> None:
    until = ("--until", "decided", "--bots", "uniform")
    assert "compares two variants, not 3" in complaint(2, "compare", "print", "nl", "v2", *until)
    words = ("compare", "print", "nl", *until, "--metric", "seat_imbalance")
    assert "seat_imbalance is not a mean over games" in complaint(2, *words)


@pytest.mark.usefixtures("empty_charts")
def test_sweep_reports_how_games_respond(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, empty = "response-end-lines-turns", Chart.files
    monkeypatch.setattr(Chart, "files", lambda chart: (DRAWN if chart.name == name else empty)(chart))
    words = ("--vary", "end_lines=5:6", "--bots", "uniform", "--games", 300)
    printed = output("sweep", "print", *words, "--out", tmp_path / "out")
    assert printed.splitlines()[-2].endswith(f"   {tmp_path / 'out' / 'report.html'}")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "mmsim openings RUN" in page  # the games are not kept, so there is no folder to name
    assert not re.search(r"mmsim-\d", page)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "What does end_lines do to print?" in page
    assert re.search(r"Turns: \+[\d.]+ with end_lines = 6 instead of 5", page)
    assert "mmsim sweep print --vary end_lines=5:6 --bots uniform --games 300" in page  # the command that makes it
    chart = (tmp_path / "out" / "charts" / f"{name}.svg").read_text(encoding="utf-8")
    assert "5 (published)" in chart


@pytest.mark.slow
def test_sweep_asks_before_it_replaces_a_report_that_is_not_its_own(tmp_path: Path) -> None:
    words = ("sweep", "print", "--bots", "planner", "--games", 12, "--out", tmp_path, "--vary")
    output(*words, "end_lines=4,5")
    page = (tmp_path / "report.html").read_bytes()
    assert "holds another report; --force replaces it" in complaint(2, *words, "end_lines=4,6")
    assert (tmp_path / "report.html").read_bytes() == page
    output(*words, "end_lines=4,5")
    output(*words, "end_lines=4,6", "--force")
    assert (tmp_path / "report.html").read_bytes() != page


@pytest.mark.parametrize(("reply", "code"), [("y", 0), ("n", 1)])
def test_a_terminal_asks_before_a_report_is_replaced(
    reply: str,
    code: int,
    small_run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "report.html").write_text("mine")
    ours, theirs = pty.openpty()
    os.write(ours, f"{reply}\n".encode())
    terminal = os.fdopen(theirs)
    monkeypatch.setattr(sys, "stdin", terminal)
    with terminal, pytest.raises(SystemExit) as ended:
        app(["report", str(small_run), "--out", str(tmp_path), "--quiet"])
    os.close(ours)
    assert "holds another report; replace it? [y/N]" in capsys.readouterr().err
    assert ended.value.code == code
    assert ((tmp_path / "report.html").read_text() == "mine") == bool(code)


@pytest.mark.usefixtures("empty_charts")
def test_a_wide_sweep_has_a_readable_report(tmp_path: Path) -> None:
    """Eight variants would make crowded charts; those are left out."""
    words = ("--vary", "end_lines=4,5", "--vary", "change_minutes=1:4")
    printed = output(
        "sweep", "print", *words, "--bots", "uniform", "--games", 40, "--metric", "turns", "--out", tmp_path / "out"
    )
    assert " of 7 variants differ measurably. For example: " in " ".join(printed.split())
    charts = {path.stem for path in (tmp_path / "out" / "charts").glob("*.svg")}
    assert {"response-end-lines-turns", "response-change-minutes-turns", "seat-imbalance"} <= charts
    assert "faults" not in charts


def test_sweep_says_what_is_wrong() -> None:
    assert "Missing option '--vary'" in complaint(2, "sweep", "print")
    assert "takes KNOB=VALUES" in complaint(2, "sweep", "print", "--vary", "dig")
    assert "unknown knob" in complaint(2, "sweep", "print", "--vary", "digs=1:3", "--games", 10)
    assert "out of range" in complaint(2, "sweep", "print", "--vary", "dig=1:30", "--games", 10)
    assert "1,000,000,000 values" in complaint(2, "sweep", "print", "--vary", "change_minutes=1:1000000000")
