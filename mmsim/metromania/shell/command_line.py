"""Metromania at the command line: rulesets, board sets, bots, one game and its story."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

from mmsim.core.bots import Bot
from mmsim.core.rng import Seed
from mmsim.core.shell import (
    UNIFORM_COST,
    BoardCheck,
    BoardPicture,
    BoardSets,
    ExplainedRuleset,
    Fact,
    GameStory,
    Listing,
)
from mmsim.core.variant import Variant
from mmsim.drawing.drawn_shell import DrawnShell
from mmsim.errors import UsageError
from mmsim.metromania.bots import BOTS
from mmsim.metromania.bots.levels import LEVELS
from mmsim.metromania.bots.playable_variant import MetromaniaVariant, prepare
from mmsim.metromania.bots.reasons import Reason
from mmsim.metromania.rules import board_file, rulesets
from mmsim.metromania.rules.board import SPOTS, Layout, generate
from mmsim.metromania.rules.deal import valid_deals
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference import apply, play_out, set_up
from mmsim.metromania.rules.reference_scoring import result
from mmsim.metromania.shell import record, story
from mmsim.metromania.shell.cities import ATLAS, Cities
from mmsim.metromania.shell.draw import canvas
from mmsim.metromania.shell.draw_pieces import canvas_of_pieces, pieces_as_text
from mmsim.metromania.shell.draw_text import terminal

_REASONS = 3  # considered turns shown per decision


class MetromaniaShell(DrawnShell):
    name = "metromania"
    default_rules = rulesets.DEFAULT_EDITION
    default_board = board_file.DEFAULT
    slow_bots = ("search", "deepsearch")
    example_rules = "print+loyal,change_minutes=2"
    editions = tuple(rulesets.EDITIONS)
    modifiers = (*rulesets.MODIFIERS, *rulesets.ALIASES)
    knobs = rulesets.KNOBS
    titles = rulesets.TITLES
    bots = BOTS
    levels = LEVELS
    atlas = ATLAS
    default_levels = "casual..master"
    default_bot = "planner"
    games_per_s = 3700.0  # `mmsim bench --game metromania --bots planner`
    bots_ignoring: ClassVar = {"hands": ("uniform", "greedy", "runner", "blocker")}

    @property
    def boards(self) -> BoardSets:
        return Boards()

    def cost(self, bot: Bot) -> float:
        playout = 18.0 if bot.settings.get("rounds") else 26.0  # to a position that a net judges, or to the end
        search = max(1.0, playout * bot.settings.get("playouts", 0.0))
        costs = {"uniform": UNIFORM_COST, "expert": 5.5, "search": search, "deepsearch": search}
        return costs.get(bot.name, 1.0)

    def rulesets(self) -> list[Listing]:
        editions = [
            (
                *(name, edition.title, ", ".join(edition.two_player_modes)),
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

    def lay_out(self, board: str | None, layout: str) -> str:
        return board_file.with_layout(board, layout)

    def play(self, variant: Variant, game: int, explain: bool) -> GameStory:
        ruleset = rulesets.ruleset(variant.rules, variant.players)
        prepared = prepare(board_file.load(variant.board), ruleset, variant)
        seats, seed = prepared.seating.at(game), Seed(variant.seed, game, variant.rotate)
        table = set_up(prepared.board_set, ruleset, seed, prepared.board_set.layout_at(game))
        reasons: dict[int, list[Reason]] = {}
        if explain or any(bot != BOTS["uniform"] for bot in seats):
            reasons = _play_with_core(table, prepared, game, explain)
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

    def draw(self, kind: str, game: Game) -> bytes:
        return canvas(game.city, game).to_bytes(kind)


def _players(numbers: tuple[int, ...]) -> str:
    return f"{', '.join(str(n) for n in sorted(numbers))} players"


def _aliases(modifier: str) -> list[str]:
    return [alias for alias, named in rulesets.ALIASES.items() if named == modifier]


def _play_with_core(table: Game, prepared: MetromaniaVariant, game: int, explain: bool) -> dict[int, list[Reason]]:
    """Let bots of the fast core or in Python play, the reference engine following; returns their reasons by turn."""
    from mmsim.metromania.bots.position import Position  # imports all compiled code

    position = Position(prepared, game)
    reasons_by_turn: dict[int, list[Reason]] = {}
    while not position.over:
        turn, move = position.turn, position.bot_move()
        if explain and (reasons := position.explain()):
            reasons_by_turn.setdefault(turn, reasons[:_REASONS])
        position.apply(move)
        apply(table, move)
    return reasons_by_turn


class Boards:
    def listing(self) -> Listing:
        rows = []
        for name in board_file.shipped_names():
            board_set = board_file.load(name)
            spots = sum(board_set.count(kind) for kind in SPOTS)
            starts, ends = board_set.frame_count("S"), board_set.frame_count("E")
            numbers = (board_set.side, 6 * board_set.side**2, spots, starts, ends, board_set.distinct_cities)
            rows.append((name, *(f"{number:,}" for number in numbers), board_set.title))
        return Listing("", ("set", "side", "cells", "spots", "starts", "ends", "cities", "title"), rows)

    def show(self, board: str, layout: str | None, seed: int | None) -> BoardPicture:
        if layout is not None and seed is not None:
            raise UsageError("--layout and --seed exclude each other; give one of them")
        board_set = board_file.load(board)
        chosen = (board_set.layout or Layout.from_index(0)) if layout is None else Layout.from_code(layout)
        if seed is not None:
            chosen = next(generate(board_set, 1, seed))
        city = board_set.city(chosen)
        return BoardPicture(
            f"{board_set.name} {chosen.code}",
            lambda: terminal(city),
            lambda kind: canvas(city).to_bytes(kind),
            board_set.name,
            chosen.code,
        )

    def show_pieces(self, board: str) -> BoardPicture:
        board_set = board_file.load(board)
        return BoardPicture(
            f"the pieces of {board_set.name}",
            lambda: pieces_as_text(board_set),
            lambda kind: canvas_of_pieces(board_set).to_bytes(kind),
        )

    def layouts(self, board: str, count: int, seed: int, unique: bool) -> Iterator[str]:
        return (layout.code for layout in generate(board_file.load(board), count, seed, unique))

    def describe(self, board: str, layouts: Iterable[str]) -> list[dict[str, Any]]:
        board_set = board_file.load(board)
        about = {"set": board_set.name, "side": board_set.side}
        return [
            {**about, "layout": code, "canonical": board_set.canonical(Layout.from_code(code)).code} for code in layouts
        ]

    def all_layouts(self, board: str | None) -> Cities:
        return Cities(board)

    def copy(self, board: str, name: str) -> str:
        copied = replace(board_file.load(board), name=name, title=f"{name}, begun from {board}")
        return f"# Begun from the set '{board}': change a piece, then mmsim boards check {name}.toml\n" + (
            board_file.to_toml(copied)
        )

    def check(self, board: str) -> BoardCheck:
        board_set, problems = board_file.check(board)
        problem_lines = [
            f"{problem.line}: {'error' if problem.is_error else 'warning'}: {problem.text}" for problem in problems
        ]
        if board_set is None:
            return BoardCheck(problem_lines, None)
        warnings = f" with {len(problems)} warning{'s' * (len(problems) > 1)}" if problems else ""
        return BoardCheck(
            problem_lines, f"'{board_set.name}' is a good board set{warnings}: {board_set.distinct_cities:,} cities"
        )
