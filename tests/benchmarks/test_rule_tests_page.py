"""Every rule of the game has a test, and the page that says which is current."""

from build_tools.rule_tests_page import PAGE, RULES, collect, marked_tests, page


def test_the_rules_are_those_of_the_page_in_its_order() -> None:
    assert len(RULES) == 52 + 19
    assert RULES[:3] == ("G1", "G2", "G3")
    assert RULES[44:54] == ("L1", "TT1", "TT2", "TT3", "TT4", "TT5", "TT6", "W1", "X1", "X2")
    assert RULES[-1] == "X19"


def test_every_rule_has_a_test() -> None:
    found = collect()
    assert [rule for rule in RULES if rule not in found] == []


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it anew: make docs"


def test_marks_are_found_over_functions_and_classes_and_nowhere_else() -> None:
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
