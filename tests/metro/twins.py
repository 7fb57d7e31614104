"""A kit that plays one game twice, in the fast core and in the reference engine, and compares them all the way."""

from random import Random

from mmsim.core.variant import Variant
from mmsim.errors import UsageError
from mmsim.metro.bots.playable_variant import prepare
from mmsim.metro.bots.position import Position
from mmsim.metro.rules.board import STOPS
from mmsim.metro.rules.position import Game, Move
from mmsim.metro.rules.reference import carry_out, legal_moves, trace
from mmsim.metro.rules.reference_scoring import Result, result
from mmsim.metro.rules.rulesets import KNOBS, MODIFIERS, PLAYERS, Ruleset, parse
from mmsim.metro.rules.tiles import CODES

SPECS = (
    *("metro", "metro+free", "metro+hand2", "metro+hand3", "metro+free+hand3"),
    *("metro+companies", "metro+stations", "metro+central", "metro+numbers"),
    *("metro+companies+stations", "metro+companies+central", "metro+stations+numbers", "metro+central+numbers"),
)


def random_rules(rng: Random) -> Ruleset:
    """Anything the book offers, with up to four knobs turned; what does not go together is drawn again."""
    while True:
        modifiers = [name for name in MODIFIERS if rng.random() < 0.3]
        knobs = {}
        for name in rng.sample(list(KNOBS), rng.randrange(5)):
            knob = KNOBS[name]
            numbers = (knob.low, knob.high, rng.randint(knob.low, knob.high))
            knobs[name] = rng.choice(knob.choices or ((True, False) if knob.is_switch else numbers))
        try:
            return parse("+".join(["metro", *modifiers])).with_overrides(knobs).resolve(rng.choice(PLAYERS))
        except UsageError:
            continue


class Twins:
    """One game in both engines; the core's deal is given to the reference engine, so chance is compared as well."""

    def __init__(self, rules: Ruleset, master: int, number: int, seats: str = "fixed", bots: str = "uniform") -> None:
        self.core = Position(
            prepare(rules, Variant(rules.name, rules.players, bots=bots, seed=master, seats=seats)), number
        )
        self.game = Game(rules, self.core.deal)

    def compare(self, look: bool) -> list[Move]:
        core, game = self.core, self.game
        assert (core.seat, core.turn, core.over) == (game.seat, game.turn, game.over)
        moves = legal_moves(game)
        assert core.legal_moves() == moves
        if look:
            self.compare_view()
        return moves

    def compare_view(self) -> None:
        """What the player in turn sees is what is there."""
        game, view = self.game, self.core.view(self.core.seat)
        assert view.hand == tuple(game.hands[game.seat])
        assert view.drawn == game.drawn
        assert view.hand_sizes == tuple(len(hand) for hand in game.hands)
        assert view.supply == len(game.supply)
        assert view.board == game.board
        assert view.owner == game.owner
        assert view.arrivals == game.arrivals
        assert view.points == tuple(game.points)
        if game.rules.companies:
            assert view.open_shares == tuple(game.open_shares)
            assert view.shares[game.seat] == tuple(game.shares[game.seat])
            for seen, there in ((view.shares, game.shares), (view.piles, game.piles)):
                for row, real in zip(seen, there, strict=True):
                    assert len(row) == len(real)
                    assert all(one in (None, other) for one, other in zip(row, real, strict=True))
        if game.rules.numbers:
            assert view.numbers == game.deal.numbers[game.seat]
        self.compare_lines()

    def compare_lines(self) -> None:
        """The stretches of the core are the lines as they are traced."""
        s, b = self.core._s, self.core.prepared.setting.board[0]
        for stop in range(1, STOPS + 1):
            if stop > 32 and stop not in self.game.owner:
                continue
            passed, to = trace(self.game, stop)
            first = int(b.departure[stop - 1])
            central = sum(cell in ((3, 3), (3, 4), (4, 3), (4, 4)) for cell in passed)
            tiles = len(passed) - (0 if self.game.rules.central_points else central)
            assert int(s.length[first]) == tiles
            assert (int(s.stretch_end[first]) >= 256) == (to is not None)

    def play(self, rng: Random, compare_every: int = 16) -> Result:
        """Play any moves to the end; everything is the same all the way."""
        liking = rng.choice(("any", "any", "draw", "exchange", "wagon"))
        while not self.game.over:
            moves = self.compare(look=rng.randrange(compare_every) == 0)
            liked = [move for move in moves if move.kind == liking]
            move = rng.choice(liked if liked and rng.random() < 0.5 else moves)
            assert self.core.apply(move) == carry_out(self.game, move)
        self.compare(look=True)
        outcome = result(self.game)
        assert self.core.result() == outcome
        assert all(code in CODES for code in self.game.board.values())
        return outcome
