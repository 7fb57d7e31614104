"""Metro at the command line: rulesets, bots, one game and its story."""

from mmsim.core.bots import Bot
from mmsim.core.rng import Seed
from mmsim.core.shell import UNIFORM_COST, ExplainedRuleset, Fact, GameStory, Listing
from mmsim.core.variant import Variant
from mmsim.drawing.drawn_shell import DrawnShell
from mmsim.errors import UsageError
from mmsim.metro.bots import BOTS
from mmsim.metro.bots.levels import LEVELS
from mmsim.metro.bots.playable_variant import MetroVariant, prepare
from mmsim.metro.rules import rulesets
from mmsim.metro.rules.board import check_board, wagons
from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference import apply, play_out, set_up
from mmsim.metro.rules.reference_scoring import result
from mmsim.metro.shell import record, story
from mmsim.metro.shell.draw import canvas


class MetroShell(DrawnShell):
    name = "metro"
    default_rules = rulesets.EDITION
    slow_bots = ("search",)
    example_rules = "metro+free+hand2,turn_limit=200"
    editions = (rulesets.EDITION,)
    modifiers = tuple(rulesets.MODIFIERS)
    knobs = rulesets.KNOBS
    titles = rulesets.TITLES
    bots = BOTS
    levels = LEVELS
    default_levels = "casual..master"
    default_bot = "planner"
    games_per_s = 3000.0  # `mmsim bench --game metro --bots planner`

    def cost(self, bot: Bot) -> float:
        costs = {"uniform": UNIFORM_COST, "evaluator": 10.0, "search": 10.0 + 1.4 * bot.settings.get("playouts", 0.0)}
        return costs.get(bot.name, 1.0)

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

    def play(self, variant: Variant, game: int, explain: bool) -> GameStory:
        if explain:
            raise UsageError(f"the bots of {self.name} cannot explain their choices; drop --explain")
        ruleset = rulesets.ruleset(variant.rules, variant.players)
        prepared, seed = prepare(ruleset, variant), Seed(variant.seed, game, variant.rotate)
        bots, table = prepared.seating.at(game), set_up(ruleset, seed)
        held = [story.holding(table, seat) for seat in range(ruleset.players)]
        if any(bot != BOTS["uniform"] for bot in bots):
            _play_with_core(table, prepared, game)
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
            record=record.record_of(table, outcome, [bot.spec for bot in bots], seed),
            draw=lambda kind: self.draw(kind, table),
        )

    def draw(self, kind: str, game: Game) -> bytes:
        return canvas(game).to_bytes(kind)


def _play_with_core(table: Game, prepared: MetroVariant, game: int) -> None:
    """Let bots of the fast core or in Python play, the reference engine following."""
    from mmsim.metro.bots.position import Position  # imports all compiled code

    position = Position(prepared, game)
    while not position.over:
        apply(table, position.apply(position.bot_move()).move)
