"""Every rule has a test."""

from build_tools.rule_tests_page import RULES, collect, marked_tests


def test_the_rules_of_both_games_are_listed_once_in_the_order_of_their_pages() -> None:
    assert len(set(RULES)) == len(RULES)
    first_of_metro = RULES.index("X1")
    assert RULES[:3] == ("G1", "G2", "G3")
    ours = ("TT1", "TT2", "TT3", "TT4", "TT5", "TT6", "W1", "H1", "H2", "H3", "H4")
    assert RULES[first_of_metro - len(ours) : first_of_metro] == ours
    assert RULES[first_of_metro:] == tuple(f"X{number}" for number in range(1, len(RULES) - first_of_metro + 1))


def test_every_rule_has_a_test() -> None:
    tests = collect()
    assert [rule for rule in RULES if rule not in tests] == []


def test_only_marks_of_functions_and_classes_count() -> None:
    module = '''
@pytest.mark.rule("D1", "D2")
@pytest.mark.parametrize("side", [3, 4])
def test_one(side): ...

@pytest.mark.slow
def test_two():
    """@pytest.mark.rule("D3")"""

@pytest.mark.rule("W1")
class TestWinners:
    def test_three(self): ...
    def helper(self): ...
'''
    assert list(marked_tests(module)) == [("test_one", ["D1", "D2"]), ("TestWinners::test_three", ["W1"])]
