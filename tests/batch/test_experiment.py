"""Experiments: what may be asked, and what it means."""

from pathlib import Path
from typing import Any

import pytest

from mmsim.batch import experiment as experiments
from mmsim.batch.experiment import Experiment, from_mapping, prepare_variants, variants_of
from mmsim.errors import UsageError
from mmsim.games import find_game, find_shell
from tests.batch.helpers import small

METROMANIA = find_game("metromania")
SHIPPED = sorted((Path(__file__).parent.parent.parent / "experiments").glob("*.toml"))


def test_every_board_is_played_under_every_ruleset_with_names_that_tell_them_apart() -> None:
    playable = prepare_variants(small(boards=["roomy", "grand"]), METROMANIA)
    assert [(ready.variant.rules, ready.variant.board, ready.name) for ready in playable] == [
        ("print", "roomy", "print-4p@roomy"),
        ("print+loyal", "roomy", "print+loyal-4p@roomy"),
        ("print", "grand", "print-4p@grand"),
        ("print+loyal", "grand", "print+loyal-4p@grand"),
    ]


def test_paired_variants_share_a_seed_and_independent_ones_do_not() -> None:
    assert {ready.variant.seed for ready in prepare_variants(small(), METROMANIA)} == {7}
    apart = [ready.variant.seed for ready in prepare_variants(small(design="independent"), METROMANIA)]
    assert len(set(apart)) == 2
    assert apart == [ready.variant.seed for ready in prepare_variants(small(design="independent"), METROMANIA)]


def test_bots_are_one_text_whether_listed_or_not() -> None:
    assert small(bots=["a:x=1", "b"]).bots == "a:x=1,b"
    assert small(bots="a:x=1,b").bots == "a:x=1,b"


def test_rotated_games_come_in_groups_of_players() -> None:
    playable = prepare_variants(small(seats="rotate", games=600), METROMANIA)
    assert [ready.games_per_deal for ready in playable] == [4, 4]
    assert [ready.games_per_deal for ready in prepare_variants(small(), METROMANIA)] == [1, 1]
    with pytest.raises(UsageError, match="in groups of 4: games may be 600 or 604, not 601"):
        prepare_variants(small(seats="rotate", games=601), METROMANIA)
    with pytest.raises(UsageError, match="in groups of 4: part_games may be 4, not 3"):
        prepare_variants(small(seats="rotate", games=600, part_games=3), METROMANIA)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"gams": 3}, "unknown key 'gams'; did you mean 'games'"),
        ({"games": 0}, "games = 0 is too small"),
        ({"games": "many"}, 'games = "many" is not a whole number'),
        ({"games": True}, "games = true is not a whole number"),
        ({"variants": []}, "at least one ruleset"),
        ({"variants": [1]}, r"variants\[0\] = 1 is not a text"),
        ({"variants": 1}, r'variants = 1 is not a list like \["a", "b"\]'),
        ({"design": "pared"}, "unknown design 'pared'; did you mean 'paired'"),
        ({"seats": "rotat"}, "unknown seating 'rotat'; did you mean 'rotate'"),
        ({"game": "metro-mania"}, "unknown game 'metro-mania'; did you mean 'metromania'"),
        ({"name": 3}, "name = 3 is not a text"),
    ],
)
def test_what_an_experiment_cannot_be_is_said(changes: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        small(**changes)


def test_the_same_variant_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="the variant 'print-4p' is listed twice"):
        prepare_variants(small(variants=["print", "print"]), METROMANIA)


def test_a_file_is_named_in_what_is_wrong_with_it_and_finds_files_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('variants = ["house.toml", "print"]\n')
    (tmp_path / "house.toml").write_text('base = "print"\n[knobs]\ndig = 2\n')
    rules = (str(tmp_path / "house.toml"), "print")
    assert experiments.read_experiment(file) == Experiment("mine", rules)
    file.write_text("variants = 3\n")
    with pytest.raises(UsageError, match=f"experiment file {file}: variants = 3 is not a list"):
        experiments.read_experiment(file)
    file.write_text("variants = [\n")
    with pytest.raises(UsageError, match=f"experiment file {file} is not valid TOML"):
        experiments.read_experiment(file)
    with pytest.raises(UsageError, match="cannot read experiment file"):
        experiments.find_experiment(str(tmp_path / "none.toml"))
    with pytest.raises(UsageError, match="unknown experiment 'municipality-4'; did you mean 'municipality-4p'"):
        experiments.find_experiment("municipality-4")


def test_an_experiment_survives_its_manifest() -> None:
    asked = small(boards=["roomy", "open"], players=3, bots="uniform", seats="rotate", games=600)
    assert from_mapping(asked.to_json()) == asked


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_a_shipped_experiment_says_what_it_asks_and_can_be_prepared(file: Path) -> None:
    asked = experiments.find_experiment(file.stem)
    assert asked.name == file.stem
    assert asked.question.endswith("?")
    playable = prepare_variants(asked, find_game(asked.game))
    assert len(playable) == max(1, len(asked.boards)) * len(asked.variants) * len(asked.played_levels)


def test_every_level_plays_every_variant_on_the_same_deals() -> None:
    asked = small(levels=["club", "search:turns=4,playouts=4"], games=600)
    variants = variants_of(asked)
    assert [(variant.rules, variant.bots, variant.level, variant.level_suffix) for variant in variants] == [
        (rules, bots, name, f"~{name}")
        for name, bots in (("club", "planner"), ("search:turns=4,playouts=4", "search:turns=4,playouts=4"))
        for rules in ("print", "print+loyal")
    ]
    assert {variant.seed for variant in variants} == {7}
    assert from_mapping(asked.to_json()) == asked


def names_of(**changes: Any) -> list[str]:
    return [level.name for level in small(**changes).levels]


def test_levels_are_named_by_a_range_a_list_or_all() -> None:
    ladder = [level.name for level in find_shell("metromania").levels]
    assert ladder == ["beginner", "casual", "club", "expert", "master", "grandmaster"]
    assert names_of(levels="all") == ladder
    assert names_of(levels="club..master") == ladder[2:5]
    assert names_of(levels="expert..") == ladder[3:]
    assert names_of(levels=["master", "beginner..casual"]) == ["beginner", "casual", "master"]
    assert names_of(levels="expert,club") == ["club", "expert"]
    assert names_of(levels=["runner", "planner:noise=1"]) == ["runner", "planner:noise=1"]


def test_where_nobody_is_named_the_usual_levels_play() -> None:
    for game, rules in (("metromania", "print"), ("metro", "metro")):
        asked = from_mapping({"name": "plain", "variants": [rules]})
        assert asked.bots == ""
        assert asked.levels == experiments.named_levels(game, ["casual..master"])


def test_slow_levels_play_fewer_games() -> None:
    assert experiments.thinning(small(levels="casual..master")) == [1, 1, 2, 12]
    assert experiments.thinning(small(bots="search")) == [1]
    assert experiments.thinning(small(levels=["search:playouts=64", "search:playouts=4"])) == [4, 1]


def test_a_time_is_shared_out_by_declared_costs() -> None:
    short, long = (small(levels="casual..master", time=time) for time in ("10m", "1h"))
    assert short.games % experiments.GAMES_GROUP == 0
    assert long.games == pytest.approx(6 * short.games, rel=0.01)
    assert experiments.planned_seconds(short) == pytest.approx(600, rel=0.01)
    games = experiments.games_per_level(short)
    assert games["master"] == -(-games["casual"] // 12)
    assert small(levels="club", time="90s").games == pytest.approx(90 * 3700 / 2, abs=60)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"levels": ["club"], "bots": "greedy"}, "bots of one table or levels of play, not both"),
        ({"levels": ["club", "expert", "club"]}, "club is named twice"),
        ({"levels": "master..club"}, "goes from strong to weak; write club..master"),
        ({"levels": "experts"}, "unknown level 'experts'; did you mean 'expert'"),
        ({"time": "soon"}, "'soon' is not a time like 90s, 20m or 2h"),
    ],
)
def test_players_are_named_once(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        small(**changes)


_PLANNER_GAMES_PER_S = 3000  # about, on one core


@pytest.mark.parametrize(
    ("game", "levels"),
    [
        ("metromania", ["planner"]),
        ("metromania", ["expert"]),
        ("metromania", ["search:turns=4,playouts=4"]),
        ("metromania", ["search"]),
        ("metromania", ["casual..grandmaster"]),
        ("metromania", ["uniform", "search"]),
        ("metro", ["expert"]),
        ("metro", ["master"]),
        ("metro", ["casual..grandmaster"]),
    ],
)
def test_a_part_of_the_slowest_level_is_about_a_second_of_work(game: str, levels: list[str]) -> None:
    rules = "print" if game == "metromania" else "metro"
    experiment = from_mapping({"name": "x", "game": game, "variants": [rules], "levels": levels})
    part_games = experiments.default_part_games(experiment, 1)
    for level, every in zip(experiment.played_levels, experiments.thinning(experiment), strict=True):
        games = max(1, part_games // every)
        seconds = games * experiments.cost_of(game, level.bots) / _PLANNER_GAMES_PER_S
        assert games == 1 or seconds < 1.5


@pytest.mark.parametrize("levels", [["./bot.py:Bot"], ["uniform", "./bot.py:Bot"], ["planner", "./bot.py:Bot,planner"]])
def test_a_part_of_bots_in_python_is_a_few_games(levels: list[str]) -> None:
    experiment = from_mapping({"name": "x", "game": "metromania", "variants": ["print"], "levels": levels})
    every = experiments.thinning(experiment)[-1]
    assert experiments.default_part_games(experiment, 1) / every <= 10
    assert experiments.default_part_games(experiment, 60) == 60  # games of one deal stay together


def test_an_experiment_says_what_would_answer_its_question() -> None:
    assert small(answer="layouts").wanted.about == "layouts"
    assert small(answer={"metric": "turns", "direction": "lower", "tolerance": 1.0}).wanted.metric == "turns"
    assert small().wanted.about == "differences"
    assert small(variants=["print"]).wanted.about == "seats"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("seat", "unknown answer 'seat'; did you mean 'seats'"),
        ({"metric": "turns", "direction": "less"}, "unknown direction 'less'"),
        ({"about": "seats", "group": "1st"}, "has no group"),
        ({"metric": "turns", "tolerance": -1}, "above 0"),
        ({"metrik": "turns"}, "metrik"),
        ({}, "names a metric"),
    ],
)
def test_an_answer_that_cannot_be_given_is_refused(answer: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        small(answer=answer)
