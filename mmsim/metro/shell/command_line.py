"""Metro at the command line: rulesets, bots, one game and its story."""

from collections.abc import Mapping
from typing import Any, ClassVar

from mmsim.core.bots import Bot
from mmsim.core.seating import Seating
from mmsim.core.shell import UNIFORM_COST, BoardSets, ExplainedRuleset, Fact, GameStory, Listing, Replay
from mmsim.core.variant import Variant
from mmsim.drawing.shell import DrawnShell
from mmsim.errors import UsageError
from mmsim.metro.bots.playable_variant import prepare
from mmsim.metro.rules import rulesets
from mmsim.metro.rules.deal import wagons
from mmsim.metro.rules.play import Seed, check_board, play_out, set_up
from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference import apply
from mmsim.metro.rules.reference_scoring import result
from mmsim.metro.shell import record, replay, story


class MetroShell(DrawnShell):
    """The game's answers at the command line."""

    name = "metro"
    default_rules = rulesets.EDITION
    default_board = None
    slow_bots = ("search",)
    example_rules = "metro+free+hand2,turn_limit=200"
    editions = (rulesets.EDITION,)
    knobs = rulesets.KNOBS
    expensive_weights = ("sweeps", "playouts", "width", "prior", "turns", "haste")
    panels: ClassVar = {
        "strong": ("planner", "planner:others=0.5", "expert", "search:playouts=8"),
        "small": ("planner", "planner:others=0.5", "expert"),
    }
    strong_bots = ("planner", "expert", "search")
    bots_ignoring: ClassVar[dict[str, tuple[str, ...]]] = {}

    @property
    def bots(self) -> Mapping[str, Bot]:
        from mmsim.metro.bots import BOTS  # declared beside compiled code; the compiler is slow to import

        return BOTS

    def cost(self, bot: Bot) -> float:
        costs = {"uniform": UNIFORM_COST, "expert": 12.0, "search": 13.0 + 1.7 * bot.settings.get("playouts", 0.0)}
        return costs.get(bot.name, 1.0)

    @property
    def boards(self) -> BoardSets:
        raise UsageError(f"{self.name} has one board; there are no board sets to list, show or check")

    def check_board(self, board: str | None) -> None:
        check_board(board)

    def rulesets(self) -> list[Listing]:
        modifiers = [(name, text) for name, (text, _) in rulesets.MODIFIERS.items()]
        return [Listing("Modifiers", ("modifier", "meaning"), modifiers)]

    def explain(self, spec: str, players: int | None) -> ExplainedRuleset:
        ruleset, sources = rulesets.explain(rulesets.parse(spec), players)
        stations_of = [f"{colour} {', '.join(map(str, stations))}" for colour, stations in wagons(ruleset).items()]
        return ExplainedRuleset(
            ruleset.variant, ruleset.players, ruleset.knobs(), sources, [Fact("wagons", "; ".join(stations_of), "X7")]
        )

    def play(self, variant: Variant, game: int, layout: str | None, explain: bool) -> GameStory:
        from mmsim.metro.bots import seat_bots

        check_board(variant.board)
        if layout is not None:
            raise UsageError(f"{self.name} has one board and no layouts; drop --layout")
        if explain:
            raise UsageError(f"the bots of {self.name} do not say what they had in mind; drop --explain")
        ruleset = rulesets.ruleset(variant.rules, variant.players)
        listed = seat_bots(variant.bots, ruleset.players, variant.move_seconds)
        seed = Seed(variant.seed, game, variant.rotate)
        bots = Seating(listed, range(ruleset.players), variant.rotate).at(game)
        table = set_up(ruleset, seed)
        held = [story.holding(table, seat) for seat in range(ruleset.players)]
        if any(bot != self.bots["uniform"] for bot in bots):
            _play_with_core(table, variant, game)
        else:
            play_out(table, seed)  # the reference engine has nothing to compile
        outcome = result(table)
        return GameStory(
            opening=[
                f"{ruleset.variant}, seed {variant.seed}, game {game}",
                *(
                    f"  seat {seat + 1}: {story.player(table, seat)} ({bot.spec}) holds {hand}"
                    for seat, (bot, hand) in enumerate(zip(bots, held, strict=True))
                ),
            ],
            story=story.tell_game(table),
            sheets=[story.score_sheet(table, outcome), *(story.companies(outcome) if ruleset.companies else ())],
            verdict=story.verdict(table, outcome),
            record=record.record_of(table, table.deal, outcome, [bot.spec for bot in bots], seed),
            draw=lambda kind: self.draw(kind, table),
        )

    def read_record(self, record_json: Any) -> Game:
        return record.verify(record_json)

    def replay(self, record_json: Any) -> Replay:
        return replay.replay(record_json)

    def draw(self, kind: str, game: Game) -> bytes:
        from mmsim.metro.shell.draw import canvas  # a slow import that only pictures need

        return canvas(game).to_bytes(kind)

    @property
    def heat(self) -> Any:
        from mmsim.metro.shell import heat_maps

        return heat_maps


def _play_with_core(table: Game, variant: Variant, game: int) -> None:
    """Let bots of the fast core or in Python play, the reference engine following."""
    from mmsim.metro.bots.position import Position  # the compiler is slow to import

    position = Position(prepare(table.rules, variant), game)
    while not position.over:
        move = position.bot_move()
        position.apply(move)
        apply(table, move)
