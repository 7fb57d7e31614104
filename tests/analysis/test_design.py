"""Searches for the smallest change that meets a goal, in a game whose fair rulesets are known."""

import json
import random
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmsim import games
from mmsim.analysis.design import Design, Search
from mmsim.analysis.design_candidates import Candidate, columns
from mmsim.analysis.design_games import Block, KeptGames
from mmsim.analysis.design_proof import Proof
from mmsim.analysis.evidence import Column, Finding
from mmsim.analysis.goals import Goal, goal_of
from mmsim.analysis.stats import Array
from mmsim.batch import experiment, pool
from mmsim.batch.confidence import ALPHA
from mmsim.batch.session import Status
from mmsim.core.levels import Level
from mmsim.core.variant import Variant
from mmsim.errors import MmsimError
from mmsim.games import find_game
from mmsim.report import design_memo
from tests.tilted.game import PLAYERS, scores, serve

FAIR, UNFAIR = range(3), range(2)  # of komi: with a head start of 2 to 4, only 2 and 2 make a fair game
WINNER = "tilted,head_start=2,komi=2"


@pytest.fixture(autouse=True)
def tilted_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(games._PACKAGES, "tilted", "tests.tilted")
    monkeypatch.setattr(experiment, "GAMES", (*games.GAMES, "tilted"))
    monkeypatch.setattr(pool, "serve", serve)


def goal(seed: int = 1, komi: Sequence[int] = FAIR, **settings: Any) -> Goal:
    knobs = {"head_start": "2:4", "komi": [*komi], "dice": "1:9", "faces": "4:12:2"}
    values = {"name": "fair", "game": "tilted", "base": "tilted", "goals": "seat_imbalance <= 2 pp", "knobs": knobs}
    return goal_of({**values, "rulesets": 80, "seed": seed, **settings})


def play(kept: Sequence[Column], blocks: Sequence[Block]) -> list[Array]:
    """Blocks of games, played many at a time."""
    return [_values(kept, block) for block in blocks]


def _values(kept: Sequence[Column], block: Block, is_strong: bool = False) -> Array:
    rules = find_game("tilted").prepare(block.variant).rules
    points = scores(rules, block.variant.seed, block.first, block.games)
    points[:, 0] += 2 * is_strong
    wins = points == points.max(axis=1, keepdims=True)
    ranked = np.sort(points, axis=1)
    values = {f"win_share {seat}": wins[:, i] / wins.sum(axis=1) for i, seat in enumerate(("1st", "2nd", "3rd"))}
    values |= {"score ": points.mean(axis=1), "margin ": ranked[:, -1] - ranked[:, -2]}
    return np.stack([values[f"{column.metric} {column.group}"] for column in kept]).astype(float)[:, :, None]


def search(wanted: Goal) -> Design:
    return Search(wanted, partial(play, columns(wanted))).run()


def test_the_games_many_at_a_time_are_those_of_the_rules() -> None:
    core = find_game("tilted")
    prepared = core.prepare(Variant("tilted,komi=1"))
    shares = core.play_games(prepared, 0, 4000)["seats"]["win_share"].reshape(-1, PLAYERS).mean(axis=0)
    points = scores(prepared.rules, 1, 0, 40_000)
    wins = points == points.max(axis=1, keepdims=True)
    assert shares == pytest.approx((wins / wins.sum(axis=1, keepdims=True)).mean(axis=0), abs=0.03)


def recovered(seeds: Sequence[int]) -> int:
    """In how many searches the planted ruleset is the answer."""
    found = [search(goal(seed)) for seed in seeds]
    assert max(len(design.candidates) for design in found) <= 80 < found[0].grid == 3 * 3 * 9 * 5
    return sum(design.winner is not None and design.winner.rules == WINNER for design in found)


def denied(seeds: Sequence[int]) -> int:
    """In how many searches without a solution the memo says that there is none."""
    found = [search(goal(seed, UNFAIR)) for seed in seeds]
    answers = [design_memo.answer(design)[0] for design in found if design.winner is None]
    return sum(answer.startswith(("No ruleset", "No change")) for answer in answers)


def test_a_planted_fair_ruleset_is_recovered() -> None:
    assert recovered(range(2)) == 2


def test_where_no_ruleset_meets_the_goal_the_answer_says_so() -> None:
    assert denied(range(2)) == 2


@pytest.mark.slow(minutes=2)
def test_a_planted_fair_ruleset_is_recovered_in_95_of_100_searches() -> None:
    assert recovered(range(100, 200)) >= 95


@pytest.mark.slow(minutes=1)
def test_where_no_ruleset_meets_the_goal_95_of_100_searches_say_so() -> None:
    assert denied(range(100, 200)) >= 95


def test_every_ruleset_one_knob_away_is_tested_on_seeds_that_the_search_did_not_use() -> None:
    wanted = goal(knobs={"komi": "0:4", "dice": "2:4"})
    design = search(wanted)
    assert design.winner is not None
    assert design.winner.rules == "tilted,komi=3"
    (proof,) = design.proof_cells
    assert proof.seed != wanted.seed
    near = {one.rules: one.findings[proof] for one in design.neighbours}
    assert {"tilted", "tilted,komi=2", "tilted,komi=4", "tilted,komi=3,dice=2", "tilted,komi=3,dice=4"} <= {*near}
    smaller = [one.rules for one in design.neighbours if one.cost < design.winner.cost]
    assert {near[rules] for rules in smaller} == {Finding.FAILED}
    assert design_memo.answer(design)[2].startswith("Less does not do: all 5 rulesets that change less")
    assert "## Would less do?" in design_memo.memo(design)


def test_what_is_far_from_the_goal_is_excluded_early_by_a_stricter_test() -> None:
    design = search(goal(knobs={"komi": "0:4", "dice": "2:4"}))
    (proof,) = design.proof_cells
    winner, (limit,) = design.winner, design.constraints
    assert winner is not None
    far = next(one for one in design.neighbours if one.rules == "tilted,komi=2")
    assert far.findings[proof] is Finding.FAILED
    assert far.evidence[proof].games < winner.evidence[proof].games / 2
    assert far.alphas[proof] < winner.alphas[proof] / 5  # the price of looking early
    assert far.evidence[proof].shown(limit.measure, limit.group, far.alphas[proof]).low > limit.bound


def test_what_is_clearly_within_the_goal_is_confirmed_early_by_a_stricter_test() -> None:
    design = search(goal(goals="seat_imbalance <= 10 pp", knobs={"komi": "3:4"}))
    (race,), (proof,), winner, (limit,) = design.cells, design.proof_cells, design.winner, design.constraints
    assert winner is not None
    assert winner.evidence[proof].games < 4 * winner.evidence[race].games  # what a proof plays at least, without looks
    assert winner.alphas[proof] < ALPHA / 2 / 50
    assert design_memo.answer(design)[-1].endswith(": the one ruleset that changes less is shown to miss the goal.")
    assert winner.evidence[proof].shown(limit.measure, limit.group, winner.alphas[proof]).high < limit.bound


@pytest.mark.parametrize("guards", [{}, {"score": 5}])
def test_the_start_plays_along_only_where_something_is_compared_with_it(guards: dict[str, float]) -> None:
    wanted, of_start = goal(knobs={"komi": "0:4"}, guards=guards, games=900), 0

    def counted(blocks: Sequence[Block]) -> list[Array]:
        nonlocal of_start
        of_start += sum(b.games for b in blocks if b.variant.rules == "tilted" and b.variant.seed != wanted.seed)
        return play(columns(wanted), blocks)

    design = Search(wanted, counted).run()
    (proof,) = design.proof_cells
    assert design.winner is not None
    assert design.effects is not None
    assert (of_start >= design.winner.evidence[proof].games) == bool(guards)
    assert (design.effects is design.winner.evidence[proof]) == bool(guards)
    assert "10,020 games and 5,040 with no change)" in design_memo.answer(design)[1]
    if guards:
        assert of_start <= design.winner.evidence[proof].games + wanted.games  # of larger changes; no game of it again
        assert design.start.evidence[proof].games > wanted.games


def test_where_a_proof_confirms_nothing_the_next_smallest_change_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    confirm, tried = Proof.confirm, list[str]()

    def fail_once(proof: Proof, finalist: Candidate) -> None:
        tried.append(finalist.rules)
        if len(tried) > 1:
            confirm(proof, finalist)
        else:
            proof.finalists.append(finalist)

    monkeypatch.setattr(Proof, "confirm", fail_once)
    design = search(goal(knobs={"komi": "0:4", "head_start": "0:3"}, costs={"head_start": 3}))
    assert len(tried) == len({*tried}) == 2
    assert tried[0] == "tilted,komi=3"
    assert design.winner is not None
    assert design.winner.rules == "tilted,komi=3"  # the smaller change, which the proof had left open, after all


def test_a_ruleset_at_the_limit_is_raced_no_longer_than_others_though_it_is_left_open() -> None:
    wanted = goal(goals="seat_imbalance <= 6.8 pp", knobs={"komi": "0:2", "dice": "3:4"})
    design = search(wanted)
    (race,) = design.cells
    at_the_limit = next(one for one in design.candidates if one.rules == "tilted,komi=2")
    assert at_the_limit.findings[race] is Finding.OPEN
    assert wanted.games <= at_the_limit.evidence[race].games < wanted.proof_games / 2


def test_a_base_that_meets_the_goal_needs_no_change() -> None:
    design = search(goal(goals="seat_imbalance <= 30 pp", knobs={"komi": "0:4"}))
    assert design.winner is design.start
    met = "Nothing needs to change: with tilted the goal is met (unevenness of the seats: at most "
    assert design_memo.answer(design)[0].startswith(met)


def test_guards_keep_a_search_from_paying_with_something_else() -> None:
    """A larger komi raises everybody's score; with that forbidden, the head start itself must go."""
    knobs = {"komi": "0:4", "head_start": "0:3"}
    free, guarded = goal(knobs=knobs, costs={"head_start": 3}), goal(knobs=knobs, guards={"score": 1.2})
    assert (found := search(free).winner) is not None
    assert found.rules == "tilted,komi=3"
    assert (found := search(guarded).winner) is not None
    assert found.rules == "tilted,head_start=0"


def test_one_change_beats_two_and_a_near_value_a_far_one() -> None:
    grid, book = goal().grid()
    assert book == ("3", "0", "3", "6")
    costs = {rules: grid.cost(setting, book) for rules, setting in zip(grid.specs(), grid.settings(), strict=True)}

    def cost(*values: str) -> float:
        return costs[",".join(["tilted", *(f"{v.knob}={x}" for v, x in zip(grid.varied, values, strict=True))])]

    assert cost(*book) == 0
    assert (
        cost("3", "0", "3", "8") == 1 < cost("3", "0", "3", "10") < cost("3", "0", "9", "6") < cost("2", "1", "3", "6")
    )


# --- kept games ------------------------------------------------------------------------------------------------------


class StoppedError(Exception):
    pass


def kept_search(folder: Path, workers: int, stop_after: int | None = None) -> str:
    """The memo and the data of a search on real games; with `stop_after`, it is stopped after so many updates."""
    wanted, updates = goal(knobs={"komi": "1:4"}, games=900, proof_games=1200), 0

    def watch(status: Status) -> None:
        nonlocal updates
        updates += 1
        if updates == stop_after:
            raise StoppedError

    with KeptGames("tilted", columns(wanted), folder, workers, watch) as played:
        design = Search(wanted, played).run()
    return design_memo.memo(design) + json.dumps(design_memo.as_json(design))


def test_a_search_stopped_at_random_and_resumed_gives_the_same_bytes_with_any_number_of_workers(tmp_path: Path) -> None:
    whole = kept_search(tmp_path / "whole", workers=1)
    chance = random.Random(5)
    for number in range(3):
        with pytest.raises(StoppedError):
            kept_search(tmp_path / "stopped", 2, chance.randint(2, 40))
        for path in sorted((tmp_path / "stopped").glob("*.npz"))[:1]:
            content = path.read_bytes()  # torn, or with a byte changed, as files of a broken disk
            path.write_bytes(content[: 100 * number] + b"?" * (number == 2) + content[201:] * (number == 2))
    assert kept_search(tmp_path / "stopped", workers=2) == whole
    files = {path.name: path.read_bytes() for path in (tmp_path / "whole").iterdir()}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "stopped").iterdir()}


def test_games_that_are_kept_are_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = kept_search(tmp_path, workers=1)
    monkeypatch.setattr(KeptGames, "_play", lambda games, chunk: pytest.fail("games are played again"))
    assert kept_search(tmp_path, workers=1) == first


def test_a_search_too_large_to_be_played_whole_says_that_it_needs_optuna(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MmsimError, match=r"405 rulesets.*needs the extra mmsim\[design\]: pip install"):
        search(goal(rulesets=30))
    assert search(goal(knobs={"komi": "2:4"})).winner is not None


def test_a_finalist_that_the_proof_excludes_is_not_said_to_need_more_games() -> None:
    design = search(goal(goals="seat_imbalance <= 2 pp", knobs={"komi": "0:4"}, proof_games=60))
    assert design.winner is None
    (proof,) = design.proof_cells
    assert "should settle it" in design_memo.answer(design)[1]
    for one in design.finalists:
        one.findings[proof] = Finding.FAILED
    assert design_memo.answer(design)[1].endswith("which misses it.")


def test_the_answer_says_at_which_other_levels_and_on_how_many_other_boards_it_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    levels = [Level(name, name, "uniform") for name in ("weak", "uniform", "strong")]
    monkeypatch.setattr("mmsim.analysis.design_proof.named_levels", lambda game, words: levels)
    wanted = goal(goals="seat_imbalance <= 10 pp", knobs={"komi": "0:4"}, games=600)
    wanted = replace(wanted, elsewhere=("flat", "steep", "even"), elsewhere_levels=("all",))
    design = search_with_strong_players(wanted, lambda variant: "strong" in variant.bots or variant.board == "steep")
    assert design.winner is not None
    assert design.winner.rules == "tilted,komi=2"
    answer = design_memo.answer(design)
    assert "At other levels it is met at weak; missed at strong." in answer
    on_boards, figures = answer[-1].split(" (")
    assert on_boards == "On 3 other boards at uniform it is met on 2; missed on 1"
    assert re.fullmatch(r"unevenness of the seats \d\.\d.pp to \d\d.pp\)\.", figures)


# --- several levels --------------------------------------------------------------------------------------------------


@pytest.fixture
def two_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = Level("uniform", "uniform", "uniform"), Level("strong", "strong", "heuristic")
    monkeypatch.setattr(Goal, "required_levels", lambda goal: levels)
    monkeypatch.setattr("mmsim.analysis.design_candidates.cost_of", lambda game, bots: 1.0)


def search_with_strong_players(wanted: Goal, at: Callable[[Variant], bool]) -> Design:
    """A search in which the first player is better by two points at some levels or on some boards."""
    kept = columns(wanted)

    def play_well(blocks: Sequence[Block]) -> list[Array]:
        plain = [replace(block, variant=replace(block.variant, bots="uniform", board=None)) for block in blocks]
        return [_values(kept, one, at(block.variant)) for one, block in zip(plain, blocks, strict=True)]

    return Search(wanted, play_well).run()


def search_at_two_levels(bound: str) -> Design:
    """At the second level the first player is better, so that no komi is fair at both."""
    wanted = goal(goals=f"seat_imbalance <= {bound}", knobs={"komi": "0:5"})
    return search_with_strong_players(wanted, lambda variant: variant.bots == "strong")


@pytest.mark.usefixtures("two_levels")
def test_a_goal_for_two_levels_is_met_by_what_suits_both_and_not_by_what_is_best_at_the_first() -> None:
    design = search_at_two_levels("10 pp")
    assert design.winner is not None
    assert design.winner.rules == "tilted,komi=4"
    first, shown, *_ = design_memo.answer(design)
    assert first.endswith(" at uniform and strong: komi 4 (komi=4).")
    assert shown.startswith("Unevenness of the seats: ")
    assert shown.count("instead of") == 2


@pytest.mark.usefixtures("two_levels")
def test_where_levels_need_different_rules_all_are_shown_to_miss_the_goal() -> None:
    design = search_at_two_levels("5 pp")
    assert design.winner is None
    assert design.left == 0
    answer = design_memo.answer(design)
    assert answer[0].startswith("No change of tilted within these knobs meets the goal")
    assert answer[0].endswith(
        " at uniform and strong together: all 6 are shown to miss it."
    )  # some by the search, some by the proof
    assert answer[1] == "At uniform alone it is met by komi 3 (komi=3)."
    assert answer[2] == "Nearest: komi 4 (komi=4), which misses it."
    assert answer[3].endswith(", on seeds that the search did not use; not tested at strong.")
    assert "## Does any other do?" in design_memo.memo(design)


@pytest.mark.usefixtures("two_levels")
def test_the_answer_has_the_figures_of_the_search_where_no_proof_was_needed() -> None:
    design = search_at_two_levels("3 pp")
    assert design.winner is None
    assert not any(one.evidence.keys() & {*design.proof_cells} for one in design.candidates)
    assert "on seeds that the search did not use" not in design_memo.answer(design)[-1]
