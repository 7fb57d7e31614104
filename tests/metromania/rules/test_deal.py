"""Rules S1-S5: the markers, and which deals there are."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest
from scipy.stats import chisquare

from mmsim.core.rng import Purpose, Stream
from mmsim.metromania.rules.deal import MARKER_SETS, Hands, Marker, deal, markers, valid_deals
from mmsim.metromania.rules.rulesets import Ruleset, ruleset

# S1, as pairs of kinds of every letter.
STANDARD = {"A": "RC", "B": "CE", "C": "ER", "D": "RC", "E": "CE", "F": "ER"}
AS_PRINTED = {**STANDARD, "D": "RE", "F": "RC"}

# S5
NO_CORRUPTION_4 = ["A R, B C, C E", "D R, A C, E E", "F R, E C, B E", "C R, D C, F E"]
NO_CORRUPTION_4_AS_PRINTED = ["A R, B C, C E", "D R, A C, E E", "F R, E C, B E", "C R, F C, D E"]
NO_CORRUPTION_3 = ["A R, D R, B C, C E", "C R, A C, E C, F E", "F R, D C, B E, E E"]

Bag = frozenset[tuple[str, str]]


def bag(pairs: dict[str, str]) -> list[tuple[str, str]]:
    """All twelve markers of a set as (letter, kind)."""
    return [(letter, kind) for letter, kinds in pairs.items() for kind in kinds]


def as_bags(hands: Hands) -> tuple[Bag, ...]:
    """Hands without the order of the markers in them."""
    assert all(len(set(hand)) == len(hand) for hand in hands)
    return tuple(frozenset((marker.letter, marker.kind) for marker in hand) for hand in hands)


def written(hands: Hands) -> list[set[str]]:
    return [{str(marker) for marker in hand} for hand in hands]


def spelled(table: list[str]) -> list[set[str]]:
    return [set(row.split(", ")) for row in table]


def letters(hand: Bag) -> set[str]:
    return {letter for letter, _ in hand}


def kinds(hand: Bag) -> list[int]:
    """How many markers of each kind, the most frequent first."""
    return sorted(Counter(kind for _, kind in hand).values(), reverse=True)


def deals_by_hand(companies: int) -> Iterator[tuple[Bag, ...]]:
    """S2 read company by company: every hand the first may have, then every one that is left, and so on."""
    size, mix = {4: (3, [1, 1, 1]), 3: (4, [2, 1, 1])}[companies]

    def share(left: frozenset[tuple[str, str]], hands: tuple[Bag, ...]) -> Iterator[tuple[Bag, ...]]:
        if not left:
            yield hands
            return
        for hand in map(frozenset, combinations(sorted(left), size)):
            if len(letters(hand)) == size and kinds(hand) == mix:
                yield from share(left - hand, (*hands, hand))

    yield from share(frozenset(bag(STANDARD)), ())


def drawn(rules: Ruleset, count: int, seed: int = 2006) -> Counter[tuple[Bag, ...]]:
    return Counter(as_bags(deal(rules, Stream(seed, Purpose.DEAL, game))) for game in range(count))


# --- S1: the markers --------------------------------------------------------------------------------------


@pytest.mark.rule("S1")
@pytest.mark.parametrize(("name", "pairs"), [("standard", STANDARD), ("as_printed", AS_PRINTED)])
def test_there_are_two_markers_of_every_letter_and_four_of_every_kind(name: str, pairs: dict[str, str]) -> None:
    left, right = MARKER_SETS[name]
    assert sorted((m.letter, m.kind) for m in left + right) == sorted(bag(pairs))
    assert [m.letter for m in left] == [m.letter for m in right] == list("ABCDEF")
    assert Counter(m.kind for m in left + right) == {"R": 4, "C": 4, "E": 4}


@pytest.mark.rule("S1")
def test_a_marker_is_spelled_letter_and_kind() -> None:
    assert str(Marker("A", "R")) == "A R"
    assert markers("A R, F E") == (Marker("A", "R"), Marker("F", "E"))
    assert markers("B C")[0].kind == "C"


@pytest.mark.rule("S1")
def test_only_d_and_f_differ_in_the_printed_set() -> None:
    printed, standard = set(sum(MARKER_SETS["as_printed"], ())), set(sum(MARKER_SETS["standard"], ()))
    assert {str(marker) for marker in printed - standard} == {"D E", "F C"}
    assert {str(marker) for marker in standard - printed} == {"D C", "F E"}


# --- S2: random deals -------------------------------------------------------------------------------------


@pytest.mark.rule("S2")
@pytest.mark.parametrize(("players", "count"), [(4, 2784), (3, 1248)])
def test_random_deals_are_exactly_those_the_rule_allows(players: int, count: int) -> None:
    expected = list(deals_by_hand(players))
    assert len(expected) == len(set(expected)) == count
    found = [as_bags(hands) for hands in valid_deals(ruleset("print", players))]
    assert len(found) == count
    assert set(found) == set(expected)


@pytest.mark.rule("S2")
@pytest.mark.parametrize(("players", "size", "mix"), [(4, 3, [1, 1, 1]), (3, 4, [2, 1, 1])])
def test_every_random_deal_shares_out_all_markers_in_proper_hands(players: int, size: int, mix: list[int]) -> None:
    for hands in valid_deals(ruleset("v2", players)):
        assert sorted(marker for hand in hands for marker in hand) == sorted(map(Marker._make, bag(STANDARD)))
        for hand in as_bags(hands):
            assert len(letters(hand)) == size
            assert kinds(hand) == mix


@pytest.mark.rule("S2")
@pytest.mark.parametrize("players", [3, 4])
def test_deals_come_in_the_same_order_every_time(players: int) -> None:
    rules = ruleset("print", players)
    assert valid_deals(rules) == valid_deals(ruleset("en1", players))
    hands = [deal(rules, Stream(1, Purpose.DEAL, game)) for game in range(50)]
    assert hands == [deal(rules, Stream(1, Purpose.DEAL, game)) for game in range(50)]
    assert len(set(hands)) > 40
    assert set(hands) <= set(valid_deals(rules))


@pytest.mark.rule("S1", "S2")
@pytest.mark.parametrize("players", [3, 4])
def test_random_deals_use_the_standard_set_whatever_the_marker_set(players: int) -> None:
    printed = ruleset("v2,marker_set=as_printed", players)
    assert valid_deals(printed) == valid_deals(ruleset("v2,marker_set=standard", players))
    assert set().union(*as_bags(valid_deals(printed)[0])) == set(bag(STANDARD))


@pytest.mark.rule("S2")
@pytest.mark.parametrize("players", [3, 4])
def test_every_marker_goes_to_every_company_equally_often(players: int) -> None:
    found = drawn(ruleset("print", players), 1200)
    for marker in bag(STANDARD):
        owners = Counter(seat for hands in found.elements() for seat in range(players) if marker in hands[seat])
        assert sum(owners.values()) == 1200
        assert chisquare([owners[seat] for seat in range(players)]).pvalue > 0.0005


@pytest.mark.slow
@pytest.mark.rule("S2")
@pytest.mark.parametrize("players", [3, 4])
def test_all_random_deals_are_equally_likely(players: int) -> None:
    expected = list(deals_by_hand(players))
    found = drawn(ruleset("print", players), 60 * len(expected))
    assert set(found) == set(expected)
    assert chisquare([found[hands] for hands in expected]).pvalue > 0.001


# --- S3, S4: two players ----------------------------------------------------------------------------------


@pytest.mark.rule("S3")
@pytest.mark.parametrize("spec", ["en1", "nl+regular", "v2", "v2,marker_set=as_printed"])
def test_two_regular_players_have_a_column_each_the_left_one_first(spec: str) -> None:
    (hands,) = valid_deals(ruleset(spec, 2))
    assert written(hands) == spelled(["A R, B C, C E, D R, E C, F E", "A C, B E, C R, D C, E E, F R"])
    assert deal(ruleset(spec, 2), Stream(3, Purpose.DEAL)) == hands


@pytest.mark.rule("S4")
@pytest.mark.parametrize(
    ("spec", "first", "second"),
    [
        ("en1+advanced", (0, 2), (1, 3)),
        ("print", (0, 1), (2, 3)),
        ("nl+advanced", (0, 1), (2, 3)),
        ("print,marker_set=standard", (0, 1), (2, 3)),
    ],
)
def test_first_companies_share_abc_and_second_ones_def_in_four_ways(
    spec: str, first: tuple[int, int], second: tuple[int, int]
) -> None:
    found = {as_bags(hands) for hands in valid_deals(ruleset(spec, 2))}
    assert len(valid_deals(ruleset(spec, 2))) == len(found) == 4
    expected = set()
    for abc in triples("ABC"):
        for def_ in triples("DEF"):
            hands: dict[int, Bag] = {first[0]: abc, second[0]: def_}
            hands[first[1]] = frozenset(m for m in bag(STANDARD) if m[0] in "ABC") - abc
            hands[second[1]] = frozenset(m for m in bag(STANDARD) if m[0] in "DEF") - def_
            expected.add(tuple(hands[seat] for seat in range(4)))
    assert found == expected


def triples(of_letters: str) -> list[Bag]:
    """The hands with one marker of each of three letters and of each kind."""
    pool = [marker for marker in bag(STANDARD) if marker[0] in of_letters]
    return [
        frozenset(hand)
        for hand in combinations(pool, 3)
        if len(letters(frozenset(hand))) == 3 and kinds(frozenset(hand)) == [1, 1, 1]
    ]


@pytest.mark.rule("S4")
def test_the_two_triples_of_three_letters_are_complementary() -> None:
    abc = [{"".join(marker) for marker in hand} for hand in triples("ABC")]
    assert len(abc) == 2
    assert {"AR", "BC", "CE"} in abc
    assert {"AC", "BE", "CR"} in abc


@pytest.mark.rule("S4")
def test_which_triple_a_player_gets_is_random() -> None:
    found = drawn(ruleset("print", 2), 400)
    assert len(found) == 4
    assert chisquare(list(found.values())).pvalue > 0.001


# --- S5: No Corruption ------------------------------------------------------------------------------------


@pytest.mark.rule("S5")
@pytest.mark.parametrize(
    ("spec", "players", "table"),
    [
        ("v2+no-corruption", 4, NO_CORRUPTION_4),
        ("en1+no-corruption", 4, NO_CORRUPTION_4_AS_PRINTED),
        ("print+straight", 4, NO_CORRUPTION_4_AS_PRINTED),
        ("nl+no-corruption", 4, NO_CORRUPTION_4_AS_PRINTED),
        ("en1+no-corruption,marker_set=standard", 4, NO_CORRUPTION_4),
        ("v2+no-corruption,marker_set=as_printed", 4, NO_CORRUPTION_4_AS_PRINTED),
        ("v2+no-corruption", 3, NO_CORRUPTION_3),
        ("v2+no-corruption,marker_set=as_printed", 3, NO_CORRUPTION_3),
    ],
)
def test_no_corruption_hands_out_the_table_of_the_book(spec: str, players: int, table: list[str]) -> None:
    rules = ruleset(spec, players)
    (hands,) = valid_deals(rules)
    assert written(hands) == spelled(table)
    assert {deal(rules, Stream(seed, Purpose.DEAL)) for seed in range(20)} == {hands}


@pytest.mark.rule("S1", "S5")
@pytest.mark.parametrize(
    ("spec", "players", "pairs"),
    [
        ("v2+no-corruption", 4, STANDARD),
        ("v2+no-corruption", 3, STANDARD),
        ("print+no-corruption", 4, AS_PRINTED),
    ],
)
def test_no_corruption_shares_out_its_whole_marker_set(spec: str, players: int, pairs: dict[str, str]) -> None:
    (hands,) = valid_deals(ruleset(spec, players))
    assert sorted((m.letter, m.kind) for hand in hands for m in hand) == sorted(bag(pairs))
    for hand in as_bags(hands):
        assert len(letters(hand)) == 12 // players
        assert kinds(hand) == ([1, 1, 1] if players == 4 else [2, 1, 1])
