"""The bot with a net: a pure, legal choice; `test_seat_numbers` tests that it does not depend on seat numbers."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mmsim.core.neural_net import Net
from mmsim.core.variant import Variant
from mmsim.errors import UsageError
from mmsim.metromania.bots import entry_points, find_bot
from mmsim.metromania.bots.expert import EXPERT
from mmsim.metromania.bots.position import Position
from mmsim.metromania.bots.thinking.input_layout import INPUT_NAMES
from mmsim.metromania.game import Metromania

METROMANIA = Metromania()
VARIANTS = [
    Variant("print", 4, bots="expert", seed=5),
    Variant("v2", 3, bots="expert,planner,expert", seed=5),
    Variant("print+advanced", 2, bots="expert", seed=5),
    Variant("nl+regular", 2, bots="expert,networker", seed=5),
    Variant("en1", 4, board="compact", bots="expert,planner,runner,expert", seed=5, seats="rotate"),
]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: f"{v.rules}-{v.players}p")
def test_its_games_are_legal_and_the_same_step_by_step(variant: Variant) -> None:
    prepared = METROMANIA.prepare(variant)
    tables = METROMANIA.play_games(prepared, 0, 4)
    for game in range(4):
        record = METROMANIA.record(prepared, game)
        METROMANIA.verify(record)
        companies = prepared.rules.companies
        scores = tables["seats"]["score"][companies * game : companies * (game + 1)].tolist()
        assert scores == record["result"]["scores"]


def with_game(memory: Any, position: Position) -> Any:
    """A copy of a bot's memory with another game in it."""
    positions, streams = memory.positions.copy(), memory.streams.copy()
    positions[0] = position._memory.positions[0]
    streams[0] = position._memory.streams[0]
    return memory._replace(positions=positions, streams=streams)


def test_its_choice_does_not_depend_on_earlier_thoughts() -> None:
    spec = "expert:partner=0,allies=0,trips=0,rivals=0,close=0,leader=0"  # only what has a weight is worked out
    prepared = METROMANIA.prepare(Variant("print", 4, bots=spec, seed=4))
    position, other = Position(prepared, 0), Position(METROMANIA.prepare(Variant("v2", 4, bots="expert", seed=6)), 1)
    for _ in range(60):
        if position._s.choices > 1:
            fresh, used = (
                entry_points.choose(with_game(memory, position), prepared.setting, 0)
                for memory in (entry_points.new_memory(), other._memory)
            )
            assert fresh == used
        position.apply(position.bot_move())
        other.apply(other.bot_move())


def test_weights_of_a_file_are_seated_and_change_the_play(tmp_path: Path) -> None:
    nets = EXPERT.nets
    net = nets.choice
    silly = replace(nets, choice=Net(INPUT_NAMES, 0.0, -net.bias, -net.out, -net.direct, net.into))
    file = tmp_path / "silly.json"
    silly.write(file)
    bot = find_bot(f"expert:weights={file}")
    assert bot.spec == f"expert:weights={file}"
    assert bot.description["net"] != EXPERT.description["net"]
    default = METROMANIA.play_games(METROMANIA.prepare(Variant("print", 4, bots="expert", seed=1)), 0, 5)
    silly_games = METROMANIA.play_games(METROMANIA.prepare(Variant("print", 4, bots=bot.spec, seed=1)), 0, 5)
    assert default["games"].tobytes() != silly_games["games"].tobytes()
    net_file = json.loads(file.read_text())
    del net_file["choice"]["inputs"]["own_points"]
    file.write_text(json.dumps(net_file))
    with pytest.raises(UsageError, match="own_points is missing"):
        find_bot(f"expert:weights={file}")


def test_the_weights_that_come_with_it_say_where_they_come_from() -> None:
    about = EXPERT.nets.about
    assert str(about["command"]).startswith("mmsim bots train --game metromania ")
    assert {"seed", "positions", "decisions", "held_out_decisions", "held_out_games"} <= set(about)


def test_it_explains_the_values_its_net_gives_the_turns_it_compares() -> None:
    position = Position(METROMANIA.prepare(Variant("print", 4, bots="expert", seed=2)), 0)
    chosen = position.bot_move()
    reasons = position.explain()
    assert reasons[0].move == chosen
    assert 2 <= len(reasons) <= 8
