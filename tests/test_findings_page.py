"""Findings and their figures: every ready experiment is answered, and what is cited is what was played."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.findings import (
    DOCS,
    NAMES,
    NOT_PLAYED,
    PAGE,
    Finding,
    how_played,
    largest_changes,
    play_command,
    put,
    read_finding,
    section,
    sentences,
    stub,
    where,
    write_pages,
)
from mmsim.batch.experiment import find_experiment
from mmsim.report.answer import Answer
from tests.runs import write_run

ROOT = DOCS.parent
FIGURES = DOCS / "findings"
MOST_WORDS = 2500
HEADLINE = "last-round-boxes-4p"  # the experiment whose numbers the README cites
FAIR = 25  # per cent, with four players
NUMBER_RANGE = re.compile(r"\d+ to \d+")
LINK = re.compile(r"\]\(([^)#:]+)[^)]*\)")

FINDING = Finding(
    experiment="municipality-4p",
    answer=Answer(
        question="Are open hands fairer?",
        setting="the 2006 rules, 4 players, on box",
        verdict="No. With open hands, the seats are as even as with hidden hands at every level of play.",
        shared="The last seat is behind (17 to 19\u00a0% of wins); 25\u00a0% would be fair.",
        changes="With open hands, games are longer (by 0.5\u00a0turns). Winners are further ahead. Scores are lower.",
        sure="Known to ±0.5\u00a0points among casual players and ±1.9\u00a0points among masters (95\u00a0%). 9 games.",
    ),
    seed=7,
    games=123_840,
    games_per_level={"casual": 16_000, "master": 1_280},
    boards=("box",),
    extended_from=0,
    planned_seconds=300,
    worker_seconds=600,
    digest="95" * 32,
    wins={"print": {"casual": [28.1, 32.2, 22.2, 17.5], "master": [32.3, 26.2, 24.2, 17.3]}},
)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def visible_text(page: Path) -> str:
    return re.sub("<!--.*?-->", "", text_of(page))


@pytest.mark.parametrize("name", NAMES)
def test_the_section_of_an_experiment_is_what_its_figures_say(name: str) -> None:
    (shown,) = re.findall(f"<!-- figures of {name} -->\n(.*?)\n<!-- end of figures -->", text_of(PAGE), re.DOTALL)
    assert shown == section(name)
    assert shown.startswith(f"### {find_experiment(name).question}\n")


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_an_experiment_agrees_with_what_is_kept_of_its_run(name: str) -> None:
    page, finding, experiment = text_of(FIGURES / f"{name}.md"), read_finding(name), find_experiment(name)
    assert f"{play_command(name)}\n" in page
    if finding is None:
        assert page == stub(name)
        return
    assert page.startswith(finding.answer.memo)
    assert how_played(finding) in page
    assert "PARTIAL" not in page
    assert NOT_PLAYED not in page
    assert (finding.experiment, finding.answer.question) == (name, experiment.question)
    assert (finding.seed, finding.boards) == (experiment.seed, tuple(experiment.boards))
    assert max(finding.games_per_level.values()) == experiment.games
    assert list(finding.games_per_level) == [level.name for level in experiment.played_levels]


@pytest.mark.parametrize(
    "name", [name for name in NAMES if read_finding(name) and "win_share" in find_experiment(name).metrics]
)
def test_the_win_shares_that_are_kept_are_those_of_the_table(name: str) -> None:
    finding = read_finding(name)
    assert finding is not None
    figures = text_of(FIGURES / f"{name}.md").partition("All differences")[0]
    rows = re.findall(r"\| win share: \S+ \| (.*) \|", figures)
    shown = [float(cell.split(" %")[0]) for row in rows for cell in row.split(" | ")]
    kept = [share for shares in finding.wins.values() for seat in zip(*shares.values(), strict=True) for share in seat]
    assert kept == pytest.approx(shown, abs=0.55)  # the table rounds masters' shares to whole per cent


def test_no_file_is_left_of_an_experiment_that_is_gone() -> None:
    assert {path.stem for path in FIGURES.iterdir()} == {*NAMES}
    shown = {(FIGURES / link).resolve() for name in NAMES for link in LINK.findall(text_of(FIGURES / f"{name}.md"))}
    assert {*(DOCS / "images" / "findings").glob("*")} == shown


def test_the_page_for_designers_is_one_page_and_its_links_work() -> None:
    assert len(visible_text(PAGE).split()) < MOST_WORDS
    assert [link for link in LINK.findall(text_of(PAGE)) if not (DOCS / link).exists()] == []


def test_the_readme_cites_numbers_of_the_run_it_names() -> None:
    (paragraph,) = re.findall(r"^\*\*A finding\.\*\*.*?(?=\n\n)", text_of(ROOT / "README.md"), re.DOTALL | re.MULTILINE)
    assert "docs/findings.md" in paragraph
    finding = read_finding(HEADLINE)
    if finding is None:
        pytest.skip(f"{HEADLINE} has not been played anew")
    text = " ".join(paragraph.split())
    ranges, shares = seat_ranges(finding), [share for levels in finding.wins.values() for share in levels.values()]
    assert {*NUMBER_RANGE.findall(text)} <= ranges
    single = {int(number) for number in re.findall(r"\b\d\d\b", NUMBER_RANGE.sub("", text))}
    assert single <= {FAIR, *(round(seat) for share in shares for seat in share)}


def seat_ranges(finding: Finding) -> set[str]:
    """From the lowest to the highest share of every seat over the levels, for each ruleset, in whole per cent."""
    seats = [seat for shares in finding.wins.values() for seat in zip(*shares.values(), strict=True)]
    return {f"{round(min(seat))} to {round(max(seat))}" for seat in seats}


def test_ranges_of_seats_go_over_the_levels() -> None:
    assert seat_ranges(FINDING) == {"28 to 32", "26 to 32", "22 to 24", "17 to 18"}


def test_the_small_print_says_where_an_answer_holds_and_how_sure_it_is() -> None:
    assert where(FINDING) == "Casual to master, on box; ±0.5 to ±1.9 points; 123,840 games."


def test_a_run_that_went_on_after_a_first_result_says_so() -> None:
    assert "(extended from" not in how_played(FINDING)
    assert "master 1,280 (extended from 9,000 after a first result);" in how_played(
        replace(FINDING, extended_from=9000)
    )


def test_a_section_has_the_verdict_and_at_most_three_more_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.findings.read_finding", lambda name: FINDING)
    text = section("municipality-4p")
    assert text.splitlines()[2] == (
        "**No.** With open hands, the seats are as even as with hidden hands at every level of play. "
        "The last seat is behind (17 to 19 % of wins); 25 % would be fair. "
        "With open hands, games are longer (by 0.5 turns). Winners are further ahead."
    )


def test_of_a_long_verdict_the_first_difference_of_every_variant_is_shown() -> None:
    verdict = " With a, games are longer (by 3.66 turns); scores are higher; 2 more. With b, scores are lower."
    assert largest_changes(verdict) == (
        " With a, games are longer (by 3.66 turns). With b, scores are lower. More differences are among the figures."
    )


def test_an_experiment_that_was_not_played_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.findings.read_finding", lambda name: None)
    assert NOT_PLAYED in section("municipality-4p")
    assert NOT_PLAYED in stub("municipality-4p")


def test_sentences_end_before_a_capital_and_not_within_a_number() -> None:
    assert sentences("With the version 2.0 rules, games are longer (by 0.5 turns). Scores are lower.") == [
        "With the version 2.0 rules, games are longer (by 0.5 turns).",
        "Scores are lower.",
    ]
    assert sentences("") == []


def test_a_run_becomes_a_page_with_its_answer_and_figures(tmp_path: Path) -> None:
    folder = write_run(
        tmp_path / "municipality-4p", games=200, part_games=100, levels="casual..club", metrics=["win_share", "turns"]
    )
    (folder / "run.log").write_text(
        "t MainProcess INFO 0 of 2 parts are done\nt worker-1 INFO part 0: variant 0, games 0 to 99 in 1.20 s\n"
        "t worker-1 INFO part 1: variant 0, games 100 to 199 in 60.30 s\n"
    )
    write_pages("municipality-4p", folder, tmp_path / "docs")
    kept = json.loads((tmp_path / "docs" / "findings" / "municipality-4p.json").read_bytes())
    assert kept["games"] == 200 * 3 * 2
    assert kept["games_per_level"] == {"casual": 200, "club": 200}
    assert kept["worker_seconds"] == 62
    assert sum(kept["wins"]["print+loyal"]["club"]) == pytest.approx(100, abs=0.3)
    page = text_of(tmp_path / "docs" / "findings" / "municipality-4p.md")
    assert page.startswith("# Are Loyal and No Corruption fairer than hidden hands?\n")
    assert "| open hands (Loyal) | `print+loyal` |" in page
    assert "| open hands (Loyal) | win share: 1st |" in page
    assert "Seed 7. Games of every variant: casual 200, club 200; 1,200 in all." in page
    assert (tmp_path / "docs" / "images" / "findings" / "municipality-4p.svg").exists()


def test_figures_are_put_where_they_belong() -> None:
    page = "a\n<!-- figures of x -->\nold\n<!-- end of figures -->\nb\n<!-- figures of y -->\n<!-- end of figures -->\n"
    assert put(page, "y", "new") == page.replace("y -->\n", "y -->\nnew\n")
    assert "old" not in put(page, "x", "new")


def test_the_sample_report_is_there_and_small() -> None:
    sample = Path(__file__).parent.parent / "reports" / "sample"
    committed = [path for path in sample.rglob("*") if path.is_file() and path.suffix != ".png"]
    assert sample / "report.html" in committed
    assert sum(path.stat().st_size for path in committed) < 3_500_000  # three replay pages are a quarter of it


def test_the_sample_report_lists_only_files_that_are_committed() -> None:
    sample = Path(__file__).parent.parent / "reports" / "sample"
    listed = json.loads((sample / "files.json").read_text())["files"]
    assert "charts/seats.svg" in listed
    assert [name for name in listed if name.endswith(".png") or not (sample / name).is_file()] == []
