"""Metro at the shell: rulesets, bots, one game and its story."""

from collections.abc import Mapping
from typing import Any, ClassVar

from mmsim.core.bots import Bot
from mmsim.core.game import Variant
from mmsim.core.seating import Seating
from mmsim.core.shell import QUICK, BoardSets, Explained, Fact, GameStory, Listing, Replay
from mmsim.drawing.shell import DrawnShell
from mmsim.errors import UsageError
from mmsim.metro.rules import rulesets
from mmsim.metro.rules.play import Seed, check_board, play_uniform
from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference import apply
from mmsim.metro.rules.reference_scoring import result
from mmsim.metro.shell import record, replay, story


class MetroShell(DrawnShell):
    """What the game answers at the shell."""

    name = "metro"
    usual_rules = rulesets.EDITION
    usual_board = None
    slow = ("search",)
    example = "metro+free+hand2,turn_limit=200"
    editions = (rulesets.EDITION,)
    knobs = rulesets.KNOBS
    costly = ("sweeps", "playouts", "width", "prior", "turns", "haste")
    panels: ClassVar = {
        "strong": ("planner", "planner:others=0.5", "expert", "search:playouts=8"),
        "small": ("planner", "planner:others=0.5", "expert"),
    }
    strong = ("planner", "expert", "search")
    unseen: ClassVar[dict[str, tuple[str, ...]]] = {}

    @property
    def bots(self) -> Mapping[str, Bot]:
        from mmsim.metro.bots import BOTS  # declared beside compiled code; the compiler is slow to import

        return BOTS

    def cost(self, bot: Bot) -> float:
        costs = {"uniform": QUICK, "expert": 12.0, "search": 13.0 + 1.7 * bot.settings.get("playouts", 0.0)}
        return costs.get(bot.name, 1.0)

    @property
    def boards(self) -> BoardSets:
        raise UsageError(f"{self.name} has one board; there are no board sets to list, show or check")

    def rulesets(self) -> list[Listing]:
        modifiers = [(name, text) for name, (text, _) in rulesets.MODIFIERS.items()]
        return [Listing("Modifiers", ("modifier", "meaning"), modifiers)]

    def explain(self, spec: str, players: int | None) -> Explained:
        ruleset, sources = rulesets.explain(rulesets.parse(spec), players)
        wagons = [f"{colour} {', '.join(map(str, stations))}" for colour, stations in record.wagons(ruleset).items()]
        return Explained(ruleset.variant, ruleset.knobs(), sources, [Fact("wagons", "; ".join(wagons), "X7")])

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
        dealt = Game(ruleset, seed.dealt(ruleset))
        thinks = any(bot != self.bots["uniform"] for bot in bots)
        # the reference engine has nothing to compile
        table = _play_with_core(ruleset, variant, seed) if thinks else play_uniform(ruleset, seed)
        outcome = result(table)
        return GameStory(
            opening=[
                f"{ruleset.variant}, seed {variant.seed}, game {game}",
                *(
                    f"  seat {seat + 1}: {story.player(table, seat)} ({bot.spec}) holds {story.holding(dealt, seat)}"
                    for seat, bot in enumerate(bots)
                ),
            ],
            story=story.tell(table),
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
        from mmsim.metro.shell.draw import canvas  # only pictures pay for what it imports

        return canvas(game).saved(kind)

    @property
    def heat(self) -> Any:
        from mmsim.metro.shell import heat_maps

        return heat_maps


def _play_with_core(ruleset: rulesets.Ruleset, variant: Variant, seed: Seed) -> Game:
    """Let bots of the fast core or in Python play; the readable engine follows."""
    from mmsim.metro.bots.position import Position  # the compiler is slow to import
    from mmsim.metro.bots.prepared_variant import prepare

    table = Game(ruleset, seed.dealt(ruleset))
    position = Position(prepare(ruleset, variant), seed.game)
    while not position.over:
        move = position.bot_move()
        position.apply(move)
        apply(table, move)
    return table
