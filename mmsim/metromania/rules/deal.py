"""Rules S1-S5: the destination markers and how they are dealt to the companies."""

from collections.abc import Iterator
from functools import cache
from itertools import permutations, product
from typing import NamedTuple

from mmsim.core.rng import Stream
from mmsim.metromania.rules.rulesets import DealMode, Ruleset

LETTERS = "ABCDEF"
KINDS = "RCE"


class Marker(NamedTuple):
    """A destination marker; spelled `A R`."""

    letter: str
    kind: str

    def __str__(self) -> str:
        return f"{self.letter} {self.kind}"


Hand = tuple[Marker, ...]
Hands = tuple[Hand, ...]


def markers(text: str) -> Hand:
    """Parse `A R, B C, C E`."""
    return tuple(Marker(*item.split()) for item in text.split(","))


# S1: left and right column of the trip summary. The second set is the one the misprinted table needs.
MARKER_SETS: dict[str, tuple[Hand, Hand]] = {
    "standard": (
        markers("A R, B C, C E, D R, E C, F E"),
        markers("A C, B E, C R, D C, E E, F R"),
    ),
    "as_printed": (
        markers("A R, B C, C E, D R, E C, F R"),
        markers("A C, B E, C R, D E, E E, F C"),
    ),
}

# S5
NO_CORRUPTION: dict[tuple[int, str], Hands] = {
    (4, "standard"): (
        markers("A R, B C, C E"),
        markers("D R, A C, E E"),
        markers("F R, E C, B E"),
        markers("C R, D C, F E"),
    ),
    (4, "as_printed"): (
        markers("A R, B C, C E"),
        markers("D R, A C, E E"),
        markers("F R, E C, B E"),
        markers("C R, F C, D E"),
    ),
    (3, "standard"): (
        markers("A R, D R, B C, C E"),
        markers("C R, A C, E C, F E"),
        markers("F R, D C, B E, E E"),
    ),
}


@cache
def arranged(hand: Hand) -> Hand:
    """A hand in the order of legal moves: the first marker of each kind R, C, E, then the second ones."""
    by_kind = {kind: [marker for marker in hand if marker.kind == kind] for kind in KINDS}
    return tuple(by_kind[kind][i] for i in range(len(hand)) for kind in KINDS if i < len(by_kind[kind]))


def deal(rules: Ruleset, stream: Stream) -> Hands:
    """The hands of all companies, all valid deals equally likely."""
    deals = valid_deals(rules)
    return deals[stream.below(len(deals))]


def valid_deals(rules: Ruleset) -> tuple[Hands, ...]:
    """Every deal the rules allow, in a fixed order, every hand arranged."""
    return deals_of(rules.deal, rules.seat_player, rules.marker_set)


@cache
def deals_of(kind: DealMode, seat_player: tuple[int, ...], marker_set: str) -> tuple[Hands, ...]:
    """`valid_deals`, cached by what the deals depend on."""
    companies = len(seat_player)
    if kind is DealMode.RANDOM:
        deals = _random_deals(companies)
    elif kind is DealMode.COLUMNS:
        deals = (MARKER_SETS["standard"],)  # S3
    elif kind is DealMode.COMPANIES:
        deals = _company_deals(seat_player)
    else:
        # No book prints a misprinted table for three; the corrected one is the only one there is.
        deals = (NO_CORRUPTION.get((companies, marker_set), NO_CORRUPTION[companies, "standard"]),)
    return tuple(tuple(arranged(hand) for hand in hands) for hands in deals)


def _random_deals(players: int) -> tuple[Hands, ...]:
    """S2: all combinations of the ways to share out each kind."""
    left, right = MARKER_SETS["standard"]
    residential, commercial, entertainment = (
        [_packed(share) for share in _shares(tuple(sorted(m for m in left + right if m.kind == kind)), players)]
        for kind in KINDS
    )
    full = sum(len(left + right) // players << _BITS * seat for seat in range(players))
    deals = []
    for (share_r, letters_r, sizes_r), (share_c, letters_c, sizes_c) in product(residential, commercial):
        if not letters_r & letters_c:
            for share_e, letters_e, sizes_e in entertainment:
                if not (letters_r | letters_c) & letters_e and sizes_r + sizes_c + sizes_e == full:
                    deals.append(tuple(r + c + e for r, c, e in zip(share_r, share_c, share_e, strict=True)))
    return tuple(deals)


_BITS = len(LETTERS)  # per company, in a packed number of its letters or of its number of markers


def _packed(share: Hands) -> tuple[Hands, int, int]:
    """What every company gets of a kind, and its letters and numbers of markers, packed into integers."""
    letters = sum(1 << _BITS * seat + LETTERS.index(m.letter) for seat, hand in enumerate(share) for m in hand)
    return share, letters, sum(len(hand) << _BITS * seat for seat, hand in enumerate(share))


def _shares(of_one_kind: Hand, players: int) -> Iterator[Hands]:
    """Every way to share out the four markers of a kind: one each, and with three players one has two."""
    if players == len(of_one_kind):
        yield from ((tuple((m,) for m in order)) for order in permutations(of_one_kind))
        return
    for owners in product(range(players), repeat=len(of_one_kind)):
        if set(owners) == set(range(players)):
            yield tuple(
                tuple(m for m, owner in zip(of_one_kind, owners, strict=True) if owner == seat)
                for seat in range(players)
            )


def _company_deals(seat_player: tuple[int, ...]) -> tuple[Hands, ...]:
    """S4: A, B, C to the first companies, D, E, F to the second ones; a column's half is a triple of three kinds."""
    columns = MARKER_SETS["standard"]
    deals = []
    for column_of_player_0 in product((0, 1), repeat=2):  # for the first companies, for the second ones
        hands = []
        for seat, player in enumerate(seat_player):
            company = seat_player[:seat].count(player)
            column = columns[column_of_player_0[company] ^ player]
            hands.append(column[3 * company : 3 * company + 3])
        deals.append(tuple(hands))
    return tuple(deals)
