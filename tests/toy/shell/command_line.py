"""What the toy answers at the shell."""

from typing import Any, ClassVar

from rich.table import Table

from mmsim.core.bots import Bot
from mmsim.core.game import Variant
from mmsim.core.seating import seat_bots
from mmsim.core.shell import BoardSets, Explained, GameStory, Listing
from mmsim.errors import UsageError
from tests.toy import record, rules
from tests.toy.bots import BOTS, play, seated


class ToyShell:
    """The shell object."""

    name = "toy"
    usual_rules = "dice"
    usual_board = None
    slow = ()
    example = "dice,hold=2"
    editions = rules.EDITIONS
    knobs = rules.KNOBS
    bots = BOTS
    costly = ()
    panels: ClassVar = {"all": ("bold", "uniform")}
    strong = ("bold",)
    unseen: ClassVar = {}

    def cost(self, bot: Bot) -> float:
        return 1.0

    @property
    def boards(self) -> BoardSets:
        raise UsageError("toy has no boards")

    def rulesets(self) -> list[Listing]:
        return [Listing("Editions", ("edition",), [(name,) for name in self.editions])]

    def explain(self, spec: str, players: int | None) -> Explained:
        found = rules.ruleset(spec, players)
        values = {name: getattr(found, name) for name in self.knobs}
        return Explained(f"{found.name}-{found.players}p", values, dict.fromkeys(values, spec))

    def play(self, variant: Variant, game: int, layout: str | None, explain: bool) -> GameStory:
        if layout is not None or explain:
            raise UsageError("toy has no layouts, and its bots have no reasons")
        found = rules.ruleset(variant.rules, variant.players)
        seed = rules.Seed(variant.seed, game, variant.rotate)
        listed = seat_bots(variant.bots, BOTS, found.players, "players")
        position, bots = play(found, listed, seed), [bot.spec for bot in seated(found, listed, seed)]
        outcome = position.result()
        sheet = Table("player", "bot", "points", title="Score sheet")
        for player, points in enumerate(outcome["scores"]):
            sheet.add_row(str(player), bots[player], str(points))
        return GameStory(
            opening=[f"{found.name}, seed {variant.seed}, game {game}"],
            story=[f"turn {turn}: player {seat} {move}s" for turn, seat, move in position.history],
            sheets=[sheet],
            verdict=f"Won by {' and '.join(map(str, outcome['winners']))}.",
            record=record.record_of(position, bots, seed),
            draw=lambda kind: _svg(position),
        )

    def verify(self, written: Any) -> None:
        record.verify(written)

    def picture(self, written: dict[str, Any]) -> bytes:
        return _svg(record.verify(written))


def _svg(position: rules.Position) -> bytes:
    """A bar a player."""
    bars = "".join(
        f'<rect y="{20 * n}" width="{8 * score}" height="15"/>' for n, score in enumerate(position.result()["scores"])
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 {20 * position.rules.players}">{bars}</svg>'.encode()
    )
