"""The command line when all goes well: help everywhere, and every command does what it says."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mmsim import __version__
from mmsim.core.rulebook import Rule
from mmsim.metromania.rules.board import Layout
from mmsim.metromania.rules.rulesets import ALIASES, EDITIONS, KNOBS, MODIFIERS
from tests.cli.commands import commands, groups, loaded
from tests.cli.runner import complaint, output, run

CODE = "1a-4c-2b-6a-3a-5b"
SETS = ["roomy", "compact", "grand", "open"]
GOLDEN = Path(__file__).parent.parent / "golden" / "metromania"


# --- help and version --------------------------------------------------------------------------------------


def test_the_commands_are_those_the_readme_knows() -> None:
    known = {" ".join(words) for words in commands()}
    assert known >= {
        "boards list",
        "boards show",
        "boards generate",
        "boards check",
        "rules list",
        "rules show",
        "rules diff",
        "rules explain",
        "play",
        "verify",
    }


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_and_option_has_help(words: tuple[str, ...]) -> None:
    command, text = loaded(words), output(*words, "--help")
    assert command.help
    for parameter in command.params:
        assert parameter.help, f"{' '.join(words)}: {parameter.name}"
        if parameter.param_type_name == "option":
            assert parameter.opts[0] in text


@pytest.mark.parametrize("path", groups())
def test_a_group_without_a_command_shows_its_help(path: tuple[str, ...]) -> None:
    assert "Usage: " + " ".join(("mmsim", *path)) in output(*path)


def test_version() -> None:
    assert output("--version") == f"mmsim {__version__}\n"


def test_python_m_mmsim_is_the_same_command() -> None:
    done = subprocess.run([sys.executable, "-m", "mmsim", "--version"], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"mmsim {__version__}\n", "")


# --- boards ------------------------------------------------------------------------------------------------


def test_boards_list_has_a_row_for_every_shipped_set() -> None:
    text = output("boards", "list")
    rows = [line for line in text.splitlines() if any(f"│{name} " in line or f" {name} " in line for name in SETS)]
    assert len(rows) == len(SETS)
    roomy = next(row for row in rows if "roomy" in row)
    assert re.findall(r"[\d,]+", roomy)[:6] == ["6", "216", "36", "12", "12", "87,480"]


@pytest.mark.parametrize("board", SETS)
def test_boards_show_draws_every_shipped_set(board: str) -> None:
    text = output("boards", "show", board)
    assert len(text.splitlines()) > 6
    assert Layout.from_index(0).code in text


def test_boards_show_draws_the_layout_asked_for() -> None:
    assert CODE in output("boards", "show", "roomy", "--layout", CODE)
    one, again, other = (output("boards", "show", "roomy", "--seed", seed) for seed in (3, 3, 4))
    assert one == again != other
    (drawn,) = output("boards", "generate", "roomy", "--seed", 3).split()
    assert drawn in one


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_boards_show_writes_a_picture(tmp_path: Path, ending: str, start: bytes) -> None:
    picture = tmp_path / f"city.{ending}"
    result = run("boards", "show", "compact", "--layout", CODE, "--out", picture)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"compact {CODE} -> {picture}\n"
    assert picture.read_bytes().startswith(start)


def test_boards_generate_gives_codes_and_the_same_ones_for_the_same_seed() -> None:
    codes = output("boards", "generate", "roomy", "--count", 20, "--seed", 9).split()
    assert len(codes) == 20
    assert all(Layout.from_code(code).code == code for code in codes)
    assert output("boards", "generate", "roomy", "--count", 20, "--seed", 9).split() == codes
    assert output("boards", "generate", "roomy", "--count", 20, "--seed", 10).split() != codes


def test_boards_generate_unique_gives_different_cities() -> None:
    codes = output("boards", "generate", "open", "--count", 200, "--unique").split()
    assert len(set(codes)) == 200
    assert all(code == min(Layout.from_code(code).turned_city(by) for by in range(6)).code for code in codes)


def test_boards_generate_json() -> None:
    rows = json.loads(output("boards", "generate", "compact", "--count", 3, "--json"))
    assert [list(row) for row in rows] == [["set", "side", "layout", "canonical"]] * 3
    assert all((row["set"], row["side"]) == ("compact", 5) for row in rows)


@pytest.mark.parametrize("board", SETS)
def test_boards_check_takes_the_names_of_shipped_sets(board: str) -> None:
    assert output("boards", "check", board) == f"{board}: '{board}' is a good board set: 87,480 cities\n"


def test_boards_check_passes_a_good_file_and_a_warned_one(tmp_path: Path, board_text: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(board_text)
    assert output("boards", "check", file) == f"{file}: 'compact' is a good board set: 87,480 cities\n"
    file.write_text(board_text.replace(" .C...C.\n", " .C.....\n", 1))
    result = run("boards", "check", file)
    assert result.exit_code == 0
    assert result.stderr == (
        f"{file}:10: warning: the kinds of spots differ in number: 12 residential, 11 commercial, 12 entertainment\n"
    )
    assert "good board set with 1 warning" in result.stdout


def test_a_board_file_of_ones_own_is_played_on(tmp_path: Path, board_text: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(board_text.replace('name = "compact"', 'name = "mine"'))
    assert "on mine " in output("play", "--board", file)
    assert len(output("boards", "generate", file, "--count", 2).split()) == 2


# --- rules -------------------------------------------------------------------------------------------------


def test_rules_list_names_everything_a_ruleset_is_made_of() -> None:
    text = output("rules", "list")
    for name in (*EDITIONS, *MODIFIERS, *ALIASES, *KNOBS):
        assert name in text
    assert "…" not in text


@pytest.mark.parametrize("edition", EDITIONS)
def test_rules_show_says_where_every_value_comes_from(edition: str) -> None:
    text = output("rules", "show", f"{edition},change_minutes=2")
    for name in KNOBS:
        assert name in text
    assert re.search(r"change_minutes +│ 2 +│ set by hand", text)
    assert f"edition {edition}" in text
    assert "default" in text


def test_rules_show_follows_the_number_of_players() -> None:
    assert re.search(r"end_lines +│ 4 +│ edition v2, 3 players", output("rules", "show", "v2", "--players", 3))
    assert re.search(r"end_lines +│ 3 +│", output("rules", "show", "v2+regular"))


def test_rules_diff_shows_only_what_differs() -> None:
    text = output("rules", "diff", "en1", "print")
    assert [name for name in KNOBS if f"│ {name} " in text] == [
        "start_turn",
        "trigger_turn",
        "last_round",
        "start_overflow",
    ]
    assert re.search(r"trigger_turn +│ stop +│ finish +│ P3 P4", text)
    assert "companies in playing order" in output("rules", "diff", "en1+advanced", "nl+advanced")
    assert output("rules", "diff", "nl", "nl") == "nl-4p and nl-4p are the same rules.\n"


def test_what_rules_diff_names_can_be_explained() -> None:
    text = output("rules", "diff", "en1", "print")
    assert text.splitlines()[-1] == "What these rules say: mmsim rules explain B1 P3 P4 P5 B2 --game metromania"
    explained = output(*text.splitlines()[-1].partition("mmsim ")[2].split())
    assert re.findall(r"^([A-Z]+[0-9]+)  metromania, [0-9]+\. ", explained, re.M) == ["B1", "P3", "P4", "P5", "B2"]


def test_rules_explain_prints_rules_of_both_games_with_their_knobs() -> None:
    text = output("rules", "explain", "tt6", "X14")
    assert text.startswith("TT6  metromania, 9. Scoring\n  Two players, regular: ")
    assert "  knob shared_trip: none | most_tunnels | all\n" in text
    assert text.endswith(
        "X14  metro, 3. Variants and modules\n  `hand = 1 | 2 | 3`: tiles in a hand.\n  knob hand: 1 to 3\n"
    )


def test_rules_explain_as_json() -> None:
    (rule,) = json.loads(output("rules", "explain", "D3", "--json"))
    assert rule == {
        "game": "metromania",
        "id": "D3",
        "section": "5. Digging from the terminus `u = vk` to `w`, in cell `c`",
        "text": "`w` is not already a vertex of this line.",
        "knobs": {},
    }


def test_a_rule_of_two_games_asks_for_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = Rule("Q1", "1. Only", "Words.")
    monkeypatch.setattr("mmsim.cli.rules.rulebook", lambda game: {"Q1": rule})
    message = complaint(2, "rules", "explain", "Q1")
    assert message == "the rule Q1 is one of metromania and one of metro; say which with --game"
    assert output("rules", "explain", "Q1", "--game", "metro") == "Q1  metro, 1. Only\n  Words.\n"


def test_a_ruleset_file_is_a_ruleset(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text('base = "print+loyal"\n[knobs]\nchange_minutes = 2\nend_overflow = false\n')
    assert "print+loyal,change_minutes=2,end_overflow=false-4p" in output("rules", "show", file)
    assert "same rules" in output("rules", "diff", file, "print+loyal,change_minutes=2,end_overflow=off")


# --- play and verify ---------------------------------------------------------------------------------------


def test_play_prints_the_story_the_score_sheet_and_the_winner() -> None:
    text = output("play", "--seed", 7)
    assert text.startswith("print-4p on box ")
    assert re.search(r"^  1  \w+ +starts solid on side ", text, re.M)
    assert "Score sheet" in text
    assert re.search(r"(wins|share the win) with -?\d+ points? after \d+ turns", text.splitlines()[-1])


def test_the_same_seed_plays_the_same_game() -> None:
    words = ("play", "--rules", "v2", "--players", 3, "--board", "compact")
    assert output(*words, "--seed", 5) == output(*words, "--seed", 5)
    assert output(*words, "--seed", 5) != output(*words, "--seed", 6)
    assert output(*words, "--seed", 5) != output(*words, "--seed", 5, "--number", 1)
    assert output(*words, "--seed", 2**64 - 1, "--number", 2**63 - 1)


def test_play_with_every_option_writes_a_record_that_verifies(tmp_path: Path) -> None:
    record_file, picture = tmp_path / "new" / "game.json", tmp_path / "game.svg"
    words = ("play", "--rules", "nl+loyal,dig=2", "--players", 3, "--board", "compact", "--layout", CODE)
    more = (
        "--bots",
        "uniform,uniform,uniform",
        "--seed",
        4,
        "--number",
        2,
        "--record",
        record_file,
        "--picture",
        picture,
    )
    result = run(*words, *more, "--quiet")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == f"record -> {record_file}\npicture -> {picture}\n"
    assert picture.read_bytes().startswith(b"<svg")
    record = json.loads(record_file.read_text())
    assert record["board"]["layout"] == CODE
    assert record["seed"] == {"master": 4, "variant": "nl+loyal,dig=2-3p", "game": 2}
    moves, turns = len(record["moves"]), record["moves"][-1]["turn"]
    reason = record["result"]["end_reason"]
    assert output("verify", record_file) == f"{record_file}:1: ok, {moves} moves, {turns} turns, {reason}\n"


def test_quiet_play_prints_only_the_last_line_of_the_story() -> None:
    loud, quiet = output("play", "--seed", 3), output("play", "--seed", 3, "--quiet")
    assert quiet == loud.splitlines(keepends=True)[-1]


def test_two_players_are_the_default_of_a_two_player_mode() -> None:
    assert output("play", "--rules", "nl+advanced", "--seed", 1).startswith("nl+advanced-2p on box ")


def test_verify_reads_many_files_and_stdin() -> None:
    files = sorted(GOLDEN.glob("v2-*.json"))
    assert len(output("verify", *files).splitlines()) == len(files)
    assert output("verify", "--quiet", *files) == ""
    lines = "".join(file.read_text() for file in files)
    assert [line.split(":")[:2] for line in output("verify", "-", stdin=lines).splitlines()] == [
        ["-", str(number)] for number in range(1, len(files) + 1)
    ]


@pytest.mark.parametrize(
    ("typed", "number"), [("2k", 2000), ("2K", 2000), ("1e3", 1000), ("1,500", 1500), ("1.5k", 1500)]
)
def test_a_number_may_be_written_short(typed: str, number: int) -> None:
    assert len(output("boards", "generate", "--count", typed).split()) == number
