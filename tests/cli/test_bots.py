"""The bots at the command line: listed, shown, trained, rated, and asked why."""

import json
from pathlib import Path

import pytest

from mmsim.metromania.bots import BOTS
from tests.batch.helpers import wait_until
from tests.cli.runner import complaint, output


def test_every_bot_is_listed_with_its_idea() -> None:
    answer = {bot["bot"]: bot["idea"] for bot in json.loads(output("bots", "list", "--json"))}
    assert {name: BOTS[name].idea for name in BOTS}.items() <= answer.items()
    assert BOTS["planner"].idea[:30] in output("bots", "list")


@pytest.mark.parametrize("game", ["metromania", "metro"])
def test_every_level_is_listed_with_its_bot_strength_speed_and_how_it_was_measured(game: str) -> None:
    levels = json.loads(output("bots", "levels", "--game", game, "--json"))
    assert [level["name"] for level in levels] == ["beginner", "casual", "club", "expert", "master", "grandmaster"]
    speeds = [level["games_per_s"] for level in levels]
    assert speeds == sorted(speeds, reverse=True)
    assert all(level["wins"] and f"..{level['name']} " in level["measured_by"] for level in levels[1:])
    text = output("bots", "levels", "--game", game)
    assert "wins against the level below" in text
    assert "no games of people" in text


def test_a_bot_is_shown_with_all_its_weights_and_what_was_set() -> None:
    answer = json.loads(output("bots", "show", "planner:block=2.5", "--json"))
    assert answer["weights"]["block"] == 2.5
    text = output("bots", "show", "planner:block=2.5")
    assert "cells taken that other companies need next" in text
    assert "2.5" in text


def test_a_ladder_rates_bots_draws_them_and_says_whose_ratings_differ(tmp_path: Path) -> None:
    chart, words = tmp_path / "ladder.svg", ["--bots", "uniform,greedy", "--games", "80", "--workers", "1"]
    text = output("ladder", *words, "--chart", chart)
    assert "Share of wins, one (row) against 3 (column)" in text
    assert "the ratings of every two of these bots differ" in text
    assert "<svg" in chart.read_text()
    answer = json.loads(output("ladder", *words, "--json"))
    assert {duel["bot"] for duel in answer["duels"]} == {"uniform", "greedy"}
    assert answer["games"] == 80
    assert answer["ratings_fit"]["lineups"] == 2
    assert text.index("Share of wins") < text.index("Ratings")


def test_a_ladder_of_levels_is_that_of_their_bots_with_the_names_of_the_levels() -> None:
    words = ["--games", "80", "--workers", "1", "--json"]
    by_level = json.loads(output("ladder", "--levels", "casual..club", *words))
    by_bot = json.loads(output("ladder", "--bots", "networker,planner", *words))
    names = {"networker": "casual", "planner": "club"}
    renamed = [{**duel, "bot": names[duel["bot"]], "others": names[duel["others"]]} for duel in by_bot["duels"]]
    assert by_level["duels"] == renamed
    assert {rating["bot"] for rating in by_level["ratings"]} == {*names.values()}


def test_a_training_writes_weights_that_can_be_seated(tmp_path: Path) -> None:
    out, log = tmp_path / "mine.json", tmp_path / "log.json"
    words = ["--rules", "v2", "--players", "2", "--board", "compact", "--games", "600", "--value-epochs", "1"]
    words += ["--decision-games", "40", "--epochs", "1", "--final-games", "8", "--workers", "1"]
    text = output("bots", "train", *words, "--out", out, "--log", log)
    assert "one against planner wins" in text
    assert f"--bots expert:weights={out}" in text
    curve = [(point["net"], point["epoch"]) for point in json.loads(log.read_text())["curve"]]
    assert curve == [(net, epoch) for net in ("value", "board value", "choice") for epoch in (0, 1)]
    answer = json.loads(output("bots", "show", f"expert:weights={out}", "--json"))
    assert answer["net"]["positions"] > 2048


def test_play_explains_every_turn_of_a_bot_that_weighs() -> None:
    answer = output("play", "--bots", "planner,uniform,runner,search:playouts=4", "--seed", "3", "--explain")
    assert "near_spot +" in answer
    assert "shorter +" in answer
    assert "playouts" in answer


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("bots", "train", "--board", "nowhere", "--out", "x.json"), "nowhere"),
        (("bots", "train", "--out", "a,b.json"), "its name has a comma, a colon or an equals sign"),
        (("bots", "train", "--out", "-"), "weights cannot be seated from -: it is not a regular file"),
        (("bots", "show", "expert:weights=gone.json"), "cannot read weights gone.json: No such file or directory"),
        (("ladder", "--bots", "planner"), "a ladder needs at least two bots"),
        (("ladder", "--bots", "planner,greedy", "--levels", "all"), "a ladder is of bots or of levels of play; drop"),
        (("ladder", "--levels", "club"), "a ladder needs at least two bots"),
        (("ladder", "--bots", "planner,planner"), "a ladder names every bot once"),
        (("ladder", "--bots", "planner,greedi"), "unknown bot 'greedi'; did you mean 'greedy'?"),
        (("ladder", "--chart", "x.jpg"), "cannot draw to 'x.jpg': the name of a picture ends in .svg or .png"),
        (("bots", "show", "planer"), "unknown bot 'planer'; did you mean 'planner'?"),
        (("play", "--bots", "./nobody.py:Bot"), "there is no file"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(words: tuple[str, ...], says: str) -> None:
    assert says in complaint(2, *words)


def test_a_run_or_a_ladder_whose_games_all_failed_fails_with_the_reason(tmp_path: Path) -> None:
    bot = tmp_path / "cheat.py"
    bot.write_text("class Cheat:\n def choose(self, view, moves):\n  return 'everything'")
    words = ("--bots", f"{bot}:Cheat,uniform,uniform,uniform", "--board", "compact", "--workers", "1", "--games", "3")
    text = complaint(1, "run", "--rules", "print", *words, "--out", tmp_path / "run", "--quiet")
    assert "every game of " in text
    assert "the first, game 0: bot Cheat in seat 1: chose 'everything', which is not one of its" in text
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["finished"]["bot_errors"] == 3
    words = ("--bots", f"{bot}:Cheat,uniform", "--board", "compact", "--workers", "1", "--games", "8", "--quiet")
    assert "every game of the ladder was stopped by a bot's error" in complaint(1, "ladder", *words)


def test_a_bot_plays_in_a_process_of_its_own_and_the_run_remembers_it(tmp_path: Path) -> None:
    bot = tmp_path / "slow.py"
    bot.write_text(
        "import time\n"
        "class Slow:\n"
        " def choose(self, view, moves):\n"
        "  if view.turn > 3:\n"
        "   time.sleep(9)\n"
        "  return moves[0]"
    )
    bots = ("--bots", f"{bot}:Slow,uniform,uniform,uniform", "--move-seconds", "2")
    assert "bot Slow in seat 1 failed in turn 5: took too long for a move" in complaint(1, "play", *bots)
    words = ("--games", "1", "--out", tmp_path / "run", "--workers", "1", "--quiet")
    text = complaint(1, "run", "--rules", "print", *bots, *words)
    assert "took too long for a move, and was ended" in text
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["experiment"]["move_seconds"] == 2


def test_what_an_isolated_bot_has_started_ends_with_the_run(tmp_path: Path) -> None:
    (tmp_path / "theirs.py").write_text(
        "import subprocess\n\n\nclass Bot:\n    def choose(self, view, moves):\n"
        f"        with open({str(tmp_path / 'started')!r}, 'a') as file:\n"
        "            print(subprocess.Popen(['sleep', '600']).pid, file=file)\n        return moves[0]\n"
    )
    words = ("--rules", "metro", "--players", 2, "--games", 1, "--isolate", "--workers", 1, "--out", tmp_path / "run")
    output("run", *words, "--bots", f"{tmp_path / 'theirs.py'}:Bot,uniform")
    started = (tmp_path / "started").read_text().split()
    assert started
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in started))
