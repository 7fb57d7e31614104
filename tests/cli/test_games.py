"""Every command for every game: the game is named, or the ruleset, the bot or the record implies it."""

import json
from pathlib import Path

import pytest

from mmsim.games import GAMES, find_shell
from mmsim.metromania.rules import board_file
from tests.cli.runner import complaint, output, run

USAGE = 2
METRO_GOLDEN = Path(__file__).parent.parent / "golden" / "metro" / "metro-hand2-4p.json"


# --- rules and bots ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_rules_list_names_everything_a_ruleset_of_the_game_is_made_of(game: str) -> None:
    shell, text = find_shell(game), output("rules", "list", "--game", game)
    for name in (*shell.knobs, *(row[0] for listing in shell.rulesets() for row in listing.rows)):
        assert name in text
    assert f"Example: {shell.example_rules}\n" in text
    assert output("rules", "show", shell.example_rules)


@pytest.mark.parametrize("game", GAMES)
def test_what_is_printed_about_rulesets_can_be_read_by_programs(game: str) -> None:
    shell = find_shell(game)
    listed = json.loads(output("rules", "list", "--game", game, "--json"))
    assert [row["knob"] for row in listed["knobs"]] == list(shell.knobs)
    shown = json.loads(output("rules", "show", shell.example_rules, "--json"))
    assert list(shown["knobs"]) == list(shown["sources"]) == list(shell.knobs)
    different = json.loads(output("rules", "diff", shell.default_rules, shell.example_rules, "--json"))
    by_hand = {name for name, of in shown["sources"].items() if of == "set by hand"}
    assert by_hand
    assert {row["setting"] for row in different} >= by_hand
    assert json.loads(output("rules", "diff", shell.default_rules, shell.default_rules, "--json")) == []


def test_board_sets_are_listed_for_programs_too() -> None:
    assert [row["set"] for row in json.loads(output("boards", "list", "--json"))] == board_file.shipped_names()


def test_the_first_word_of_a_ruleset_implies_its_game() -> None:
    assert "metro+free+hand2-3p" in output("rules", "show", "metro+hand2+free", "--players", 3)
    text = output("rules", "diff", "metro", "metro+free")
    assert [name for name in find_shell("metro").knobs if name in text] == ["orientation"]
    assert "wagons: Yellow 4, 7, 11, 16" in output("rules", "show", "metro")


def test_rulesets_of_two_games_have_no_difference_to_show() -> None:
    says = "'metro' is a ruleset of metro, 'print' one of metromania; name those of one game"
    assert complaint(USAGE, "rules", "diff", "metro", "print") == says


def test_a_ruleset_of_no_game_comes_with_the_nearest_of_any() -> None:
    assert complaint(USAGE, "rules", "show", "metr").startswith("unknown edition 'metr'; did you mean 'metro'?")


def test_a_game_that_is_not_in_the_house_is_named() -> None:
    says = "unknown game 'metra'; did you mean 'metro'? (known: metromania, metro)"
    assert complaint(USAGE, "bots", "list", "--game", "metra") == says


@pytest.mark.parametrize("game", GAMES)
def test_bots_list_has_every_bot_of_the_game(game: str) -> None:
    listed = json.loads(output("bots", "list", "--game", game, "--json"))
    assert [row["bot"] for row in listed] == list(find_shell(game).bots)


def test_a_bot_that_only_one_game_has_implies_its_game() -> None:
    assert json.loads(output("bots", "show", "spoiler:own=2", "--json"))["weights"] == {"open": 9, "own": 2}
    assert "weights that are 0 by default: " in output("bots", "show", "greedy")
    assert "Points an open line counts for" in output("bots", "show", "greedy", "--game", "metro")


# --- one game ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["metro", "metro+companies+stations", "metro+central+numbers"])
def test_a_game_of_metro_is_played_recorded_drawn_and_verified(tmp_path: Path, spec: str) -> None:
    file, picture = tmp_path / "game.json", tmp_path / "game.svg"
    words = ("play", "--rules", spec, "--players", 3, "--seed", 4, "--number", 2)
    result = run(*words, "--record", file, "--picture", picture)
    assert (result.exit_code, result.stderr) == (0, f"record -> {file}\npicture -> {picture}\n")
    assert result.stdout.startswith(f"{spec}-3p, seed 4, game 2\n  seat 1: ")
    assert "Score sheet" in result.stdout
    assert result.stdout.endswith("(tiles).\n")
    assert output(*words, "--quiet") == result.stdout.splitlines(keepends=True)[-1]
    assert b'id="station-32"' in picture.read_bytes()
    record = json.loads(file.read_text())
    moves = record["moves"]
    assert output("verify", file) == f"{file}:1: ok, {len(moves)} moves, {moves[-1]['turn']} turns, tiles\n"


def test_a_game_to_play_is_named_and_numbered() -> None:
    assert output("play", "--game", "metro", "--quiet") == output("play", "--rules", "metro", "--quiet")
    both = output("play", "--game", "metro", "--number", 3, "--quiet")
    assert (
        both
        == output("play", "--rules", "metro", "--number", 3, "--quiet")
        != output("play", "--rules", "metro", "--quiet")
    )
    assert "unknown game 'chess'" in complaint(USAGE, "play", "--game", "chess")
    for number in (-1, 2**63):
        assert "Invalid value for '--number'" in complaint(USAGE, "play", "--number", number)


def test_a_ruleset_file_belongs_to_the_game_of_its_base(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('base = "metro+free"\n[knobs]\nhand = 2\n')
    assert output("rules", "show", path) == output("rules", "show", "metro+free,hand=2")
    assert output("play", "--rules", path, "--quiet") == output("play", "--rules", "metro+free,hand=2", "--quiet")
    path.write_text('base = "metro"\n[knobs]\nhands = 2\n')
    says = f"ruleset file {path}: unknown knob 'hands'; did you mean 'hand'?"
    assert complaint(USAGE, "play", "--rules", path).startswith(says)


def test_bots_of_metro_that_think_play_and_rotate(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    words = ("play", "--rules", "metro", "--bots", "planner,greedy,spoiler,uniform", "--quiet", "--record", file)
    run(*words, "--number", 6, "--seats", "rotate")
    record = json.loads(file.read_text())
    assert [seat["bot"] for seat in record["seats"]] == ["uniform", "spoiler", "greedy", "planner"]
    assert record["seed"]["seats"] == "rotate"
    output("verify", file)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--layout 1a-4c-2b-6a-3a-5b", "metro has one board and no layouts; drop --layout"),
        ("--explain", "the bots of metro cannot explain their choices; drop --explain"),
        ("--board compact", "metro has one board, 'metro', and no 'compact'"),
        (
            "--bots gredy",
            "unknown bot 'gredy'; did you mean 'greedy'? (known: uniform, greedy, spoiler, planner, evaluator, search)",
        ),
        ("--players 7", "'metro' is for 2 to 6 players, not for 7"),
        ("--seats round", "unknown seating 'round' (known: fixed, rotate)"),
    ],
)
def test_what_metro_does_not_have_is_refused_in_a_sentence(words: str, says: str) -> None:
    assert complaint(USAGE, "play", "--rules", "metro", *words.split()) == says


@pytest.mark.parametrize(
    ("words", "level"),
    [
        ("run --rules metro --out run --bots expert", "expert"),  # a bot of Metromania
        ("run --rules print --out run --bots club", "club"),
        ("compare metro metro+free --bots expert", "expert"),
        ("sweep metro --vary hand=1,2 --bots master", "master"),
    ],
)
def test_a_level_that_is_no_bot_of_the_game_is_not_seated(words: str, level: str) -> None:
    assert complaint(USAGE, *words.split()) == f"'{level}' is a level of play, not a bot; write --levels {level}"


def test_metro_has_no_board_sets() -> None:
    says = "metro has one board; there are no board sets to list, show or check"
    assert complaint(USAGE, "boards", "list", "--game", "metro") == says


def test_records_of_several_games_are_verified_in_one_go() -> None:
    other = Path(__file__).parent.parent / "golden" / "metromania" / "print-4p-01.json"
    assert [line.split(": ")[1].split(",")[0] for line in output("verify", METRO_GOLDEN, other).splitlines()] == [
        "ok"
    ] * 2
    assert "'game' is \"chess\"" in complaint(1, "verify", "-", stdin='{"format": "mmsim-record/1", "game": "chess"}')


# --- many games --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("empty_charts")
def test_metro_is_run_checked_recorded_compared_and_reported(tmp_path: Path) -> None:
    folder, file, page = tmp_path / "run", tmp_path / "game.json", tmp_path / "page"
    run(
        "run",
        "--rules",
        "metro",
        "--rules",
        "metro+free",
        "--bots",
        "uniform",
        "--games",
        120,
        "--out",
        folder,
        "--quiet",
        "--workers",
        1,
    )
    assert "ok, 2 parts, 3 games replayed" in output("check", folder, "--sample", 3)
    run("record", folder, "--number", 5, "--variant", "metro+free-4p", "--out", file)
    output("verify", "--quiet", file)
    assert "tiles turned freely" in output("compare", folder, "--metric", "score")
    output("report", folder, "--out", page)
    html = (page / "report.html").read_text()
    assert "data:image/svg+xml;base64," in html  # games worth a look are drawn
    assert "mmsim play --rules metro" in html


def test_a_game_is_run_with_its_usual_ruleset_if_none_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run("run", "--game", "metro", "--bots", "uniform", "--games", 40, "--out", folder, "--quiet", "--workers", 1)
    answer = json.loads((folder / "manifest.json").read_text())["experiment"]
    assert (answer["game"], answer["variants"]) == ("metro", ["metro"])
    says = "unknown game 'metra'; did you mean 'metro'? (known: metromania, metro)"
    assert complaint(USAGE, "run", "--game", "metra", "--out", tmp_path / "other") == says


def test_rulesets_of_metro_are_compared_at_once() -> None:
    words = ("--bots", "uniform", "--games", 40, "--metric", "score", "--workers", 1)
    text = output("compare", "metro", "metro+hand2", *words)
    assert "What is different between Metro and hands of two tiles?" in text


def test_a_ladder_of_metro() -> None:
    words = ("--bots", "uniform,greedy", "--games", 16, "--workers", 1, "--json")
    answer = json.loads(output("ladder", "--game", "metro", *words))
    assert {row["bot"] for row in answer["ratings"]} == {"uniform", "greedy"}


@pytest.mark.parametrize("game", GAMES)
def test_bench_measures_the_engines_of_the_game(game: str) -> None:
    words = ("--games", 1000, "--repeats", 1, "--bots", "uniform,greedy", "--json")
    answer = json.loads(output("bench", "--game", game, *words))
    assert answer["variant"]["game"] == game
    assert [(row["engine"], row["bot"]) for row in answer["results"]] == [
        ("core", "uniform"),
        ("core", "greedy"),
        ("reference", "uniform"),
    ]
    assert answer["core_over_reference"]["uniform"]["median"] > 100


def test_bench_leaves_slow_bots_out_unless_they_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = find_shell("metro")
    monkeypatch.setattr(type(shell), "slow_bots", tuple(bot for bot in shell.bots if bot not in ("uniform", "greedy")))
    answer = json.loads(output("bench", "--game", "metro", "--games", 1000, "--repeats", 1, "--json"))
    assert [(row["engine"], row["bot"]) for row in answer["results"]] == [
        ("core", "uniform"),
        ("core", "greedy"),
        ("reference", "uniform"),
    ]
