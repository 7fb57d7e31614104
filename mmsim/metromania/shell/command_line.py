"""Metromania at the command line: rulesets, board sets, bots, one game and its story."""

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from mmsim.core.bots import Bot
from mmsim.core.seating import Seating
from mmsim.core.shell import (
    UNIFORM_COST,
    BoardCheck,
    BoardPicture,
    BoardSets,
    ExplainedRuleset,
    Fact,
    GameStory,
    Listing,
    Replay,
)
from mmsim.core.variant import Variant
from mmsim.drawing.shell import DrawnShell
from mmsim.errors import UsageError, unknown
from mmsim.metromania.bots import BOTS, seat_bots
from mmsim.metromania.bots.playable_variant import prepare
from mmsim.metromania.bots.reasons import Reason
from mmsim.metromania.rules import boardfile, rulesets
from mmsim.metromania.rules.board import SPOTS, City, Layout, generate
from mmsim.metromania.rules.deal import valid_deals
from mmsim.metromania.rules.play import Seed, play_out, set_up
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference import apply
from mmsim.metromania.rules.reference_scoring import result
from mmsim.metromania.shell import record, replay, story

_REASONS = 3  # considered turns shown per decision


class MetromaniaShell(DrawnShell):
    """The game's answers at the command line."""

    name = "metromania"
    default_rules = "print"
    default_board = boardfile.DEFAULT
    slow_bots = ("search",)
    example_rules = "print+loyal,change_minutes=2"
    editions = tuple(rulesets.EDITIONS)
    knobs = rulesets.KNOBS
    bots = BOTS
    expensive_weights = ("ahead", "trials", "noise", "playouts", "turns", "margin", "candidates", "prior")
    panels: ClassVar = {
        "strong": ("planner", "planner:noise=1", "networker", "expert", "search:turns=4,playouts=4"),
        "small": ("planner", "networker", "expert"),
    }
    strong_bots = ("networker", "planner", "expert", "search")
    bots_ignoring: ClassVar = {"hands": ("uniform", "greedy", "runner", "blocker")}

    @property
    def boards(self) -> BoardSets:
        return Boards()

    def cost(self, bot: Bot) -> float:
        costs = {"uniform": UNIFORM_COST, "expert": 4.0, "search": max(1.0, 20.0 * bot.settings.get("playouts", 0.0))}
        return costs.get(bot.name, 1.0)

    def rulesets(self) -> list[Listing]:
        editions = [
            (
                *(name, edition.title, ", ".join(edition.two_players)),
                *map(_players, (edition.hidden_players, edition.no_corruption_players)),
            )
            for name, edition in rulesets.EDITIONS.items()
        ]
        modifiers = [(" or ".join([name, *_aliases(name)]), text) for name, text in rulesets.MODIFIERS.items()]
        return [
            Listing("Editions", ("edition", "book", "two players", "hidden", "no-corruption"), editions),
            Listing("Modifiers", ("modifier", "meaning"), modifiers),
        ]

    def explain(self, spec: str, players: int | None) -> ExplainedRuleset:
        ruleset, sources = rulesets.explain(rulesets.parse(spec), players)
        companies = ", ".join(f"player {player + 1}" for player in ruleset.seat_player)
        facts = (
            Fact("companies in playing order", companies, "S2 S4 T1"),
            Fact("deal", f"{ruleset.deal} ({len(valid_deals(ruleset)):,} possible)", "S2 S3 S4 S5"),
        )
        return ExplainedRuleset(ruleset.variant, ruleset.players, ruleset.knobs(), sources, facts)

    def play(self, variant: Variant, game: int, layout: str | None, explain: bool) -> GameStory:
        ruleset = rulesets.ruleset(variant.rules, variant.players)
        listed = seat_bots(variant.bots, ruleset.companies, variant.move_seconds)
        seating = Seating(listed, ruleset.seat_player, variant.rotate)
        seats = seating.at(game)
        chosen = None if layout is None else Layout.from_code(layout)
        seed = Seed(variant.seed, game, variant.rotate)
        table = set_up(boardfile.load(variant.board), ruleset, seed, chosen)
        reasons: dict[int, list[Reason]] = {}
        if explain or any(bot != BOTS["uniform"] for bot in seats):
            reasons = _play_with_core(table, variant, game, chosen, explain)
        else:
            play_out(table, seed)  # the reference engine has nothing to compile
        outcome = result(table)
        city = f"{table.city.board_set.name} {table.city.layout.code}"
        return GameStory(
            opening=[
                f"{ruleset.variant} on {city}, seed {variant.seed}, game {game}",
                *(
                    f"  seat {seat + 1}: {story.company(table, seat)} ({bot.spec}) holds {', '.join(map(str, hand))}"
                    for seat, (bot, hand) in enumerate(zip(seats, table.dealt, strict=True))
                ),
            ],
            story=story.tell_game(table, reasons),
            sheets=[story.score_sheet(table, outcome)],
            verdict=story.verdict(table, outcome),
            record=record.record_of(table, outcome, [bot.spec for bot in seats], seed),
            draw=lambda kind: self.draw(kind, table),
        )

    def read_record(self, record_json: Any) -> Game:
        return record.verify(record_json)

    def replay(self, record_json: Any) -> Replay:
        return replay.replay(record_json)

    def draw(self, kind: str, game: Game) -> bytes:
        return _drawn(kind, game.city, game)

    @property
    def heat(self) -> Any:
        from mmsim.metromania.shell import heat_maps

        return heat_maps


def _players(numbers: tuple[int, ...]) -> str:
    return f"{', '.join(str(n) for n in sorted(numbers))} players"


def _aliases(modifier: str) -> list[str]:
    return [alias for alias, named in rulesets.ALIASES.items() if named == modifier]


def _play_with_core(
    table: Game, variant: Variant, game: int, layout: Layout | None, explain: bool
) -> dict[int, list[Reason]]:
    """Let bots of the fast core or in Python play, the reference engine following; returns their reasons by turn."""
    from mmsim.metromania.bots.position import Position  # the compiler is slow to import

    position = Position(prepare(table.city.board_set, table.rules, variant), game, layout)
    reasons_by_turn: dict[int, list[Reason]] = {}
    while not position.over:
        turn, move = position.turn, position.bot_move()
        if explain and (reasons := position.explain()):
            reasons_by_turn.setdefault(turn, reasons[:_REASONS])
        position.apply(move)
        apply(table, move)
    return reasons_by_turn


def _drawn(kind: str, city: City, game: Game | None = None) -> bytes:
    from mmsim.metromania.shell.draw import canvas  # a slow import that only pictures need

    return canvas(city, game).to_bytes(kind)


class Boards:
    """Board sets and their cities."""

    def listing(self) -> Listing:
        rows = []
        for name in boardfile.shipped_names():
            board_set = boardfile.load(name)
            spots = sum(board_set.count(kind) for kind in SPOTS)
            starts, ends = board_set.frame_count("S"), board_set.frame_count("E")
            numbers = (board_set.side, 6 * board_set.side**2, spots, starts, ends, board_set.classes)
            rows.append((name, *(f"{number:,}" for number in numbers), board_set.title))
        return Listing("", ("set", "side", "cells", "spots", "starts", "ends", "cities", "title"), rows)

    def show(self, board: str, layout: str | None, seed: int | None) -> BoardPicture:
        if layout is not None and seed is not None:
            raise UsageError("--layout and --seed exclude each other; give one of them")
        board_set = boardfile.load(board)
        chosen = Layout.from_index(0) if layout is None else Layout.from_code(layout)
        if seed is not None:
            chosen = next(generate(board_set, 1, seed))
        city = board_set.city(chosen)

        def drawing() -> Any:
            from mmsim.metromania.shell.draw_text import terminal

            return terminal(city)

        return BoardPicture(f"{board_set.name} {chosen.code}", drawing, lambda kind: _drawn(kind, city))

    def layouts(self, board: str, count: int, seed: int, unique: bool) -> Iterator[str]:
        return (layout.code for layout in generate(boardfile.load(board), count, seed, unique))

    def describe(self, board: str, layouts: Iterable[str]) -> list[dict[str, Any]]:
        board_set = boardfile.load(board)
        about = {"set": board_set.name, "side": board_set.side}
        return [
            {**about, "layout": code, "canonical": board_set.canonical(Layout.from_code(code)).code} for code in layouts
        ]

    def copy(self, board: str, name: str) -> str:
        if board not in boardfile.shipped_names():
            raise unknown("board set", board, boardfile.shipped_names())
        _, text = boardfile.find(board).read_text(encoding="utf-8").split("\n", 1)  # the first line describes this set
        text = text.replace(f'name = "{board}"', f'name = "{name}"', 1)
        text = text.replace(f'title = "{boardfile.load(board).title}"', f'title = "{name}, begun from {board}"', 1)
        return f"# Begun from the set '{board}': change a piece, then mmsim boards check {name}.toml\n{text}"

    def check(self, board: str) -> BoardCheck:
        board_set, problems = boardfile.read(boardfile.find(board))
        problem_lines = [
            f"{problem.line}: {'error' if problem.is_error else 'warning'}: {problem.text}" for problem in problems
        ]
        if board_set is None:
            return BoardCheck(problem_lines, None)
        warnings = f" with {len(problems)} warning{'s' * (len(problems) > 1)}" if problems else ""
        return BoardCheck(
            problem_lines, f"'{board_set.name}' is a good board set{warnings}: {board_set.classes:,} cities"
        )
