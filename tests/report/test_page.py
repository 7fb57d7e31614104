"""The report as files: its content, and that it needs nothing else."""

import os
import re
import signal
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl
import pytest

from mmsim.analysis.stats import Estimate
from mmsim.analysis.tables import open_run
from mmsim.analysis.wording import short_names
from mmsim.batch.experiment import Experiment, from_mapping, read_experiment
from mmsim.batch.manifest import Decision, SequenceInterval
from mmsim.batch.run import Run
from mmsim.report.answer import answer_of
from mmsim.report.charts import Row, dot_chart
from mmsim.report.page import _spans, chart_workers, experiment_toml, make_sections, may_replace, write_report
from mmsim.report.report_data import gather
from mmsim.report.sections import headline_chart
from tests.cli.runner import run
from tests.report.conftest import write_toys
from tests.runs import write_run

GAMES = ("the-longest-game", "the-closest-game", "the-most-lopsided-game")


@pytest.fixture(scope="session")
def page(report: Path) -> str:
    return (report / "report.html").read_text(encoding="utf-8")


def test_the_page_asks_the_question_and_begins_with_the_memo(page: str, report: Path, run_folder: Path) -> None:
    assert "<h1>Are Loyal and No Corruption fairer than hidden hands?</h1>" in page
    data = gather(open_run(run_folder))
    answer = answer_of(data)
    first, rest = answer.first_words
    assert f"<strong>{first}</strong>{rest}" in page
    memo = (report / "memo.md").read_text(encoding="utf-8")
    assert f"**{first}**{rest}".replace("\u00a0", " ") in memo
    for heading, text in answer.paragraphs:
        assert f"<strong>{heading}:</strong> {text}" in page
        assert f"**{heading}:** {text}".replace("\u00a0", " ") in memo


def test_every_section_is_there_and_linked(page: str) -> None:
    ids = set(re.findall(r'<section id="([a-z-]+)"', page))
    links = set(re.findall(r"<nav.*</nav>", page, re.DOTALL)[0].split('href="#')[1:])
    linked = {link.partition('"')[0] for link in links}
    assert ids == linked
    assert {"answer", "differences", "players", "seats", "scores", "ends", "trips", "lines", "openings"} <= ids
    assert not {"bots", "boards"} & ids  # one bot, and hardly a layout played twice
    assert {"variants", "remarkable-games", "gaps", "method", "reproduce"} <= ids


def test_everything_but_the_answer_is_folded_under_its_finding(page: str) -> None:
    folded = re.findall(r'<section id="([a-z-]+)">\s*<details class="fold"><summary>.*?<h2>(.+?)</h2></summary>', page)
    assert {"seats", "scores", "openings", "variants", "gaps"} <= {name for name, _ in folded}
    assert not {"answer", "differences", "players", "method", "reproduce"} & {name for name, _ in folded}


def test_metrics_bots_and_terms_are_explained_where_they_stand(page: str, report: Path) -> None:
    assert re.search(r'<abbr title="How many turns does a game take\?">turns', page)
    players = page[page.index('<section id="players">') : page.index('<section id="method">')]
    assert re.search(r'<abbr title="[^"]+">[\w:=]+</abbr>', players)
    glossary = (report / "glossary.html").read_text(encoding="utf-8")
    terms = re.findall(r'<a class="term" href="glossary.html#([a-z-]+)" title="[^"]{20,}"', page)
    assert "tolerance" in terms
    assert all(f'<td id="{term}">' in glossary for term in terms)


def test_the_page_has_the_digest_to_reproduce_against(page: str, run_folder: Path) -> None:
    finished = Run(run_folder).manifest.finished
    assert finished is not None
    assert f'<code class="digest">{finished.digest}</code>' in page


@pytest.mark.usefixtures("empty_charts", "toy_game")
def test_commands_name_the_run_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_toys(tmp_path / "some where" / "toys")
    monkeypatch.chdir(tmp_path)
    for given in (Path("some where/toys"), tmp_path / "some where" / "toys"):
        page, _ = write_report(open_run(given), tmp_path / "report")
        text = page.read_text(encoding="utf-8")
        assert "<code>mmsim report &#39;some where/toys&#39;</code>" in text
        assert str(tmp_path) not in text


@pytest.mark.parametrize(("count", "most", "spans"), [(1, 2, "6"), (2, 2, "33"), (3, 2, "222"), (5, 2, "33222")])
def test_no_row_of_charts_is_left_half_empty(count: int, most: int, spans: str) -> None:
    assert _spans(range(count), most) == [int(span) for span in spans]


@pytest.mark.parametrize("count", range(1, 12))
def test_rows_of_pictures_are_full(count: int) -> None:
    filled = 0
    for span in _spans(range(count), 3):
        filled += span
        assert filled <= 6
        filled %= 6
    assert filled == 0


def test_the_page_loads_nothing(page: str, report: Path) -> None:
    assert all(address.startswith("data:") for address in re.findall(r'src="([^"]*)"', page))
    links = {link for link in re.findall(r'href="([^"]*)"', page) if not link.startswith(("#", "data:"))}
    assert {link.partition("#")[0] for link in links} == {
        "rules.html",
        "glossary.html",
        *(f"pictures/{name}.svg" for name in GAMES),
        *(f"games/{name}.html" for name in GAMES),
    }
    assert all((report / link.partition("#")[0]).is_file() for link in links)
    assert "<script src" not in page
    assert "@import" not in page
    outside = set(re.findall(r"https?://[^\s\"'<>)]+", page))
    assert outside <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_ids_are_unique(page: str) -> None:
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_charts_and_tables_are_beside_the_page(report: Path) -> None:
    svgs = sorted(path.stem for path in (report / "charts").glob("*.svg"))
    assert svgs == sorted(path.stem for path in (report / "charts").glob("*.png"))
    assert {"seats-by-level", "differences", "score-parts", "ends", "faults", "variant-1", "variant-2"} <= set(svgs)
    for name in ("metrics", "comparisons", "played", "gaps", "remarkable_games"):
        csv = pl.read_csv(report / "tables" / f"{name}.csv")
        assert {"variant", "level"} <= set(csv.columns)
        assert csv.height == pl.read_parquet(report / "tables" / f"{name}.parquet").height > 0


@pytest.mark.slow
def test_the_same_run_gives_the_same_page(report: Path, run_folder: Path, tmp_path: Path) -> None:
    page, _ = write_report(open_run(run_folder), tmp_path / "again")
    assert page.read_bytes() == (report / "report.html").read_bytes()


def test_the_experiment_can_be_read_again(report: Path, run_folder: Path) -> None:
    written = tomllib.loads((report / "experiment.toml").read_text(encoding="utf-8"))
    assert from_mapping(written) == open_run(run_folder).experiment
    experiment = Experiment("x", ("print",), 'says "ä"')
    assert from_mapping(tomllib.loads(experiment_toml(experiment))) == experiment


@pytest.mark.slow
def test_files_that_the_experiment_names_are_beside_the_report(tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text('base = "print"\n[knobs]\nend_lines = 5\n')
    run = write_run(tmp_path / "house", [str(tmp_path / "house.toml")], games=8, part_games=8)
    write_report(open_run(run), tmp_path / "report")
    (rules,) = read_experiment(tmp_path / "report" / "experiment.toml").variants
    assert Path(rules).is_relative_to(tmp_path / "report")
    assert Path(rules).read_text() == 'base = "print"\n[knobs]\nend_lines = 5\n'


def test_different_bots_are_rated(tmp_path: Path) -> None:
    bots = "uniform,greedy,greedy,greedy"
    run = open_run(write_run(tmp_path / "bots", ["print"], games=300, part_games=300, bots=bots))
    data = gather(run)
    assert data.estimates["bot_win_share"].groups == ("greedy", "uniform")
    lone = data.estimates["bot_win_share"].means[0, 1]
    assert lone == pytest.approx(data.estimates["win_share"].means[0, 0])
    assert 0 < data.estimates["skill_gradient"].means[0, 0] < 1
    (bots,) = (part for part in make_sections(data) if part.id == "bots")
    assert bots.charts[0].name == "bots"
    assert {table.caption for table in bots.tables} == {"Bots in numbers", "Every pair of bots"}


@pytest.mark.slow
def test_a_run_of_one_variant_has_a_report_without_comparisons(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "alone", ["print"], games=60, part_games=60, question=""))
    page, answer = write_report(run, tmp_path / "report")
    assert answer.question == "Does a seat have an advantage with the 2006 rules?"
    assert "the lead in score changes hands" in answer.course.lower()
    text = page.read_text(encoding="utf-8")
    assert 'id="variants"' not in text
    assert not (tmp_path / "report" / "tables" / "comparisons.csv").exists()


def test_what_is_measured_elsewhere_is_of_the_same_variants_in_the_same_order(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "two", ["print", "v2"], games=40, part_games=40, bots="uniform"))
    turned = gather(run.starting_with("v2-4p"))
    assert [*dict.fromkeys(book.variant for book in turned.openings)] == ["v2-4p", "print-4p"]
    assert turned.estimates["turns"].variants == ("v2-4p", "print-4p")
    assert [*turned.layouts] == ["v2-4p", "print-4p"]
    with chart_workers() as submit:
        elsewhere = gather(run.starting_with("v2-4p"), submit)
    assert elsewhere.openings == turned.openings
    assert elsewhere.layouts == turned.layouts


def test_two_players_with_two_companies_each_are_two_seats(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "two", ["print+advanced"], games=200, part_games=200, players=2))
    shares = gather(run).estimates["win_share"]
    assert shares.groups == ("1st", "2nd")
    assert shares.means[0].sum() == pytest.approx(1)


@pytest.mark.usefixtures("small_run")
def test_hostile_names_stay_text(tmp_path: Path) -> None:
    run = write_toys(tmp_path / "bad", question="<script>alert(1)</script> & so?")
    page, _ = write_report(open_run(run), tmp_path / "report")
    text = page.read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; so?" in text


def test_names_are_short_where_they_share_something() -> None:
    assert short_names(["print-4p", "print+loyal-4p"]) == ["print", "print+loyal"]
    assert short_names(["print-3p", "print-4p"]) == ["print-3p", "print-4p"]
    assert short_names(["print,dig=2-4p", "print,dig=3-4p"]) == ["dig=2", "dig=3"]
    assert short_names(["print-4p", "print,dig=3-4p"]) == ["print", "print,dig=3"]
    assert short_names(["print-4p"]) == ["print-4p"]
    assert short_names(["print-4p@box", "print-4p@roomy"]) == ["box", "roomy"]
    assert short_names(["print-4p@box", "v2-4p@box"]) == ["print", "v2"]


@pytest.mark.parametrize("variants", [["metro+companies"], ["metro", "metro+companies"]])
def test_metrics_that_a_variant_lacks_are_left_out(tmp_path: Path, variants: list[str]) -> None:
    """With companies nobody sees who leads, and every game of the base game is equally long."""
    run = open_run(write_run(tmp_path / "run", variants, games=40, part_games=40))
    page, answer = write_report(run, tmp_path / "report")
    text = page.read_text(encoding="utf-8")
    assert "nan" not in text.replace("nance", "").lower()
    assert "None changes" not in text
    assert "the lead in score changes hands" not in answer.course
    assert "building phase" not in text


def test_a_report_over_an_older_one_leaves_none_of_its_charts_and_tables(small_run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "report"
    for name in ("report.html", "charts/old.svg", "charts/old.png", "tables/old.csv", "charts/mine.png"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("old")
    (folder / "files.json").write_text('{"files": ["charts/old.svg", "tables/old.csv"]}')  # a PNG goes with its SVG
    write_report(open_run(small_run), folder)
    assert not (folder / "charts" / "old.svg").exists()
    assert not (folder / "charts" / "old.png").exists()
    assert not (folder / "tables" / "old.csv").exists()
    assert (folder / "charts" / "mine.png").read_text() == "old"


def test_no_chart_repeats_the_heading_of_its_section(page: str) -> None:
    for section in re.findall(r"<section.*?</section>", page, re.DOTALL):
        heading = re.search(r"<h2>(.*?)</h2>", section)
        assert heading is None or f"<h3>{heading[1]}</h3>" not in section


def test_the_verdict_stands_beside_its_metric(page: str) -> None:
    heads = re.findall(r'<thead><tr>\s*<th scope="col">metric</th>\s*<th scope="col">(\w+)</th>', page)
    assert heads.count("verdict") == 2


def test_rule_ids_lead_to_the_rules_beside_the_page(page: str, report: Path) -> None:
    rules = (report / "rules.html").read_text(encoding="utf-8")
    linked = set(re.findall(r'href="rules.html#(\w+)"', page))
    assert {"T4", "TT6", "W1"} <= linked
    assert all(f'id="{id_}"' in rules for id_ in linked)
    assert "<code>ride_minutes</code>" in rules


def test_rules_that_differ_are_named_with_their_ids(page: str) -> None:
    table = re.search(r"What differs in the rules</summary>.*?</table>", page, re.DOTALL)
    assert table is not None
    assert "<td>hands</td>" in re.sub(r' class="[^"]*"', "", table[0])
    assert 'href="rules.html#S7"' in table[0]


def test_what_never_happens_is_in_no_chart(page: str) -> None:
    assert "end reason: stations</text>" in page
    assert "end reason: deadlock</text>" not in page


def test_limits_name_the_origin_of_the_boards(page: str) -> None:
    assert "<li>The books do not print the pieces of the box; these boards are ours.</li>" in page


def test_what_never_came_up_is_a_sentence_and_no_row(page: str) -> None:
    gaps = page[page.index('<section id="gaps">') : page.index('<section id="reproduce">')]
    assert re.search(r'<p class="text">Never: .*no free end is left', gaps)
    assert "<td" in gaps
    assert gaps.count("0.0") < 30


def test_a_report_of_the_same_experiment_may_be_replaced_with_any_number_of_games(
    tmp_path: Path, report: Path, run_folder: Path
) -> None:
    experiment = open_run(run_folder).experiment
    assert may_replace(tmp_path, experiment)
    assert may_replace(report, experiment)
    assert may_replace(report, replace(experiment, games=10))
    assert not may_replace(report, replace(experiment, seed=8))


def test_a_run_that_was_stopped_by_a_sequential_test_says_so_and_shows_its_sequence(tmp_path: Path) -> None:
    stopped = Run(write_run(tmp_path / "run", ["print", "v2"], games=120, part_games=60))
    names = [variant.name for variant in open_run(stopped.folder).variants]
    known = [SequenceInterval("uniform", "", -0.5, -0.75, -0.25), SequenceInterval("planner", "", 0.1, None, None)]
    stopped.update_manifest(
        decision=Decision("margin", "points", *names, ["uniform"], [], ["planner"], known, 0.05, 120, 2)
    )
    data = gather(open_run(stopped.folder))
    (variants,) = (section for section in make_sections(data) if section.id == "variants")
    assert variants.text[-1].startswith(
        f"Played until it was decided: margin of {names[1]} and {names[0]}: different at"
    )
    table = next(
        table
        for table in variants.tables
        if table.caption.startswith("Confidence sequence of the version 2.0 rules against the 2006")
    )
    assert table.rows[0] == ["uniform", "margin", "different", "−0.5 (−0.8 to −0.2)"]
    assert table.rows[1] == ["planner", "margin", "not decided", "+0.1 (no interval)"]


def test_a_run_explained_by_why_has_a_section_on_changes(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", ["print"], games=40, part_games=40)
    assert "why" not in [section.id for section in make_sections(gather(open_run(folder)))]
    done = run("why", folder, "--games", 60, "--only", "last_round=round", "--only", "random_starts", "--quiet")
    assert done.exit_code == 0, done.output
    assert "a report of the run has a section on it now" in done.stderr
    (why,) = (section for section in make_sections(gather(open_run(folder))) if section.id == "why")
    assert why.title == "no change has a significant effect on the seat imbalance of print"
    assert why.text[0].startswith("Seat imbalance of print. As played: ")
    (table,) = why.tables
    assert {row[0] for row in table.rows} == {"as played", "last_round=round", "random_starts"}
    assert [chart.name for chart in why.charts] == ["why-1"]


def test_levels_have_a_chart_of_their_differences_and_say_where_they_hold(tmp_path: Path) -> None:
    rules = ["print", "print,end_lines=8", "print+loyal"]
    folder = write_run(tmp_path / "levels", rules, games=120, part_games=120, levels="beginner..club")
    data = gather(open_run(folder))
    by_id = {section.id: section for section in make_sections(data)}
    (chart,) = by_id["differences"].charts
    assert re.match(r"Of \d+ differences asked about, \d+ (is|are) significant", chart.title)
    for drawn in (chart.files()["svg"].decode(), chart.narrow().decode()):
        assert all(f"length, {level}, an end after 8 lines: " in drawn for level in ("beginner", "casual", "club"))
        assert "<title>How many turns does a game take?</title>" in drawn
    (players,) = by_id["players"].tables
    assert [row[:2] for row in players.rows] == [
        ["beginner", "planner:ahead=1,noise=4"],
        ["casual", "networker"],
        ["club", "planner"],
    ]
    headline = headline_chart(data)
    assert headline is not None
    assert headline.name == "seats-by-level"
    drawn = headline.files()["svg"].decode()
    assert all(f"{rules}, 4th, {level}: " in drawn for rules in data.names for level in ("beginner", "club"))
    answer = answer_of(data)
    assert "at every level of play" in answer.verdict
    assert "among club players" in answer.verdict


def test_many_variants_are_rows_of_the_charts(tmp_path: Path) -> None:
    rules = ["print", *(f"print,end_lines={number}" for number in (3, 4, 6, 7))]
    data = gather(open_run(write_run(tmp_path / "many", rules, games=40, part_games=40)))
    headline = headline_chart(data)
    assert headline is not None
    assert headline.name == "seats-by-variant"
    assert "1st player, an end after 7 lines: " in headline.files()["svg"].decode()
    (differences,) = (section for section in make_sections(data) if section.id == "differences")
    assert "length, an end after 7 lines: " in differences.charts[0].files()["svg"].decode()


def _killed_elsewhere(here: int) -> str:
    if os.getpid() != here:
        os.kill(os.getpid(), signal.SIGKILL)
    return "drawn here"


def test_a_chart_is_the_same_in_whichever_process_it_is_drawn() -> None:
    rows = [Row("turns", [Estimate(3.0, 2.5, 3.5, 0.25, 100), None])]
    chart = dot_chart("turns", "Three turns", "Turns.", rows, ["print", "other"], "turns")
    with chart_workers() as submit:
        assert submit(chart.files)() == chart.files()


def test_the_task_of_a_killed_worker_runs_in_this_process() -> None:
    with chart_workers() as submit:
        assert submit(partial(_killed_elsewhere, os.getpid()))() == "drawn here"
        assert submit(partial(_killed_elsewhere, os.getpid()))() == "drawn here"


def test_the_terms_of_the_page_are_explained_beside_it(report: Path) -> None:
    glossary = (report / "glossary.html").read_text(encoding="utf-8")
    assert "<strong>tolerance</strong>" in glossary
    assert {link for link in re.findall(r'href="([^"]*)"', glossary) if not link.startswith("data:")} == {"report.html"}
