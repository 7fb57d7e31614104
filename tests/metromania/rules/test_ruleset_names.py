"""How a ruleset is named: specs, files, and the sentence that answers a wrong one."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmsim.errors import UsageError
from mmsim.metromania.rules.rulesets import KNOBS, Spec, parse, ruleset


def refusal(text: str, players: int | None = None) -> str:
    """The sentence with which a ruleset is refused."""
    with pytest.raises(UsageError) as caught:
        ruleset(text, players)
    return str(caught.value)


# --- parsing ----------------------------------------------------------------------------------------------


def test_a_spec_is_an_edition_with_modifiers_and_knobs() -> None:
    spec = parse("en1+loyal,dig=4,start_overflow=yes,half_kept=ceil")
    assert spec.edition == "en1"
    assert spec.modifiers == ("loyal",)
    assert dict(spec.overrides) == {"dig": 4, "start_overflow": True, "half_kept": "ceil"}


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("print+straight", "print+no-corruption"),
        ("v2+unfair", "v2+hidden"),
        ("en1+straight+loyal", "en1+loyal+no-corruption"),
        ("nl+advanced+loyal", "nl+loyal+advanced"),
        ("nl+loyal+loyal", "nl+loyal"),
        ("print,end_lines=6,dig=04", "print,dig=4,end_lines=6"),
        ("print, dig = 4 , end_overflow=OFF", "print,dig=4,end_overflow=false"),
        (" print ", "print"),
    ],
)
def test_other_spellings_have_one_canonical_name(alias: str, name: str) -> None:
    assert parse(alias).name == name
    assert parse(alias) == parse(name)


@st.composite
def specs(draw: st.DrawFn) -> str:
    edition = draw(st.sampled_from(["en1", "print", "nl", "v2"]))
    hands = draw(st.sampled_from(["", "+loyal", "+hidden", "+unfair"]))
    mode = draw(st.sampled_from(["", "+regular", "+advanced"]))
    parts = draw(st.permutations([hands, mode]))
    numbers = {"dig": (1, 9), "stations": (1, 60), "penalty": (0, 50), "change_minutes": (0, 20)}
    words = {"hands": ["hidden", "open"], "start_overflow": ["true", "off", "No", "1"], "half_kept": ["ceil"]}
    settings = [
        *(f",{knob}={draw(st.integers(*span))}" for knob, span in numbers.items() if draw(st.booleans())),
        *(f",{knob}={draw(st.sampled_from(w))}" for knob, w in words.items() if draw(st.booleans())),
    ]
    return edition + "".join(parts) + "".join(draw(st.permutations(settings)))


@settings(derandomize=True, deadline=None)
@given(text=specs())
def test_the_name_of_a_spec_reads_back_as_the_same_spec(text: str) -> None:
    spec = parse(text)
    assert parse(spec.name) == spec
    assert parse(spec.name).name == spec.name


@pytest.mark.parametrize(
    ("text", "players"),
    [("en1", 4), ("v2+loyal", 4), ("print+straight", 4), ("en1+regular", 2), ("nl+loyal+advanced", 2)],
)
def test_a_spec_has_a_usual_number_of_players(text: str, players: int) -> None:
    assert parse(text).default_players == players
    assert ruleset(text).players == players


def test_knobs_may_be_added_to_a_spec_and_replace_what_was_set() -> None:
    spec = parse("print,penalty=2").with_overrides({"dig": "5", "penalty": 4})
    assert spec.name == "print,dig=5,penalty=4"
    assert spec.resolve().penalty == 4
    assert parse("print,penalty=2").resolve().penalty == 2


@pytest.mark.parametrize("word", ["true", "yes", "on", "1", "True", "YES"])
def test_a_switch_is_turned_on_with_any_word_for_yes(word: str) -> None:
    assert ruleset(f"en1,start_overflow={word}").start_overflow is True


@pytest.mark.parametrize("word", ["false", "no", "off", "0", "False"])
def test_a_switch_is_turned_off_with_any_word_for_no(word: str) -> None:
    assert ruleset(f"print,start_overflow={word}").start_overflow is False


# --- refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "players", "sentence"),
    [
        ("v2+advanced", None, "'v2' does not offer 'advanced' for two players; it offers 'regular'"),
        ("print+regular", None, "'print' does not offer 'regular' for two players; it offers 'advanced'"),
        ("en1+no-corruption", 2, "'en1' does not offer 'no-corruption' for 2 players; it offers it for 4"),
        ("v2+no-corruption", 2, "'v2' does not offer 'no-corruption' for 2 players; it offers it for 3 or 4"),
        (
            "en1+no-corruption",
            3,
            "'en1' does not offer 'no-corruption' for 3 players; it offers it for 4; v2 has it for 3",
        ),
        (
            "print+straight",
            3,
            "'print' does not offer 'no-corruption' for 3 players; it offers it for 4; v2 has it for 3",
        ),
        (
            "nl+no-corruption",
            3,
            "'nl' does not offer 'no-corruption' for 3 players; it offers it for 4; v2 has it for 3",
        ),
        (
            "v2+hidden",
            2,
            "'v2' does not offer 'hidden' for 2 players; it offers it for 3 or 4; en1, print, nl have it for 2",
        ),
        (
            "v2+unfair+regular",
            None,
            "'v2' does not offer 'hidden' for 2 players; it offers it for 3 or 4; en1, print, nl have it for 2",
        ),
        ("v2", 5, "'v2' is for 2, 3 or 4 players, not for 5"),
        ("print", 1, "'print' is for 2, 3 or 4 players, not for 1"),
        ("en1", 0, "'en1' is for 2, 3 or 4 players, not for 0"),
        ("en1+advanced", 4, "'advanced' is only for two players; drop it for 4 players"),
        ("nl+regular", 3, "'regular' is only for two players; drop it for 3 players"),
        ("en1+loyal+hidden", None, "'loyal' and 'hidden' exclude each other; take one of them"),
        ("v2+unfair+loyal", None, "'loyal' and 'hidden' exclude each other; take one of them"),
        ("en1+regular+advanced", None, "'regular' and 'advanced' exclude each other; take one of them"),
        ("v2+straight+unfair", None, "'no-corruption' and 'hidden' exclude each other; take one of them"),
    ],
)
def test_what_a_book_does_not_offer_is_refused_with_what_it_does(text: str, players: int | None, sentence: str) -> None:
    assert refusal(text, players) == sentence


@pytest.mark.parametrize(
    ("text", "start", "known"),
    [
        ("prnt", "unknown edition 'prnt'; did you mean 'print'? ", "(known: en1, print, nl, v2)"),
        ("V2", "unknown edition 'V2'; did you mean 'v2'? ", "(known: en1, print, nl, v2)"),
        ("", "unknown edition '' ", "(known: en1, print, nl, v2)"),
        (
            "en1+loyl",
            "unknown modifier 'loyl'; did you mean 'loyal'? ",
            "(known: loyal, hidden, no-corruption, regular, advanced, straight, unfair)",
        ),
        ("en1+stright", "unknown modifier 'stright'; did you mean 'straight'? ", "unfair)"),
        ("en1,digs=3", "unknown knob 'digs'; did you mean 'dig'? ", "first_sides)"),
        ("en1,endlines=3", "unknown knob 'endlines'; did you mean 'end_lines'? ", "first_sides)"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(text: str, start: str, known: str) -> None:
    sentence = refusal(text)
    assert sentence.startswith(start)
    assert sentence.endswith(known)


@pytest.mark.parametrize(
    ("setting", "values"),
    [
        ("dig=0", "1 to 9"),
        ("dig=10", "1 to 9"),
        ("dig=-1", "1 to 9"),
        ("stations=61", "1 to 60"),
        ("end_lines=9", "1 to 8"),
        ("half_kept=up", "floor | ceil"),
        ("shared_trip=most", "none | most_tunnels | all"),
        ("start_overflow=maybe", "true | false"),
        ("start_overflow=2", "true | false"),
    ],
)
def test_a_value_a_knob_does_not_take_is_refused_with_those_it_does(setting: str, values: str) -> None:
    assert refusal(f"print,{setting}") == f"knob {setting} is out of range; it takes {values}"


@pytest.mark.parametrize("setting", ["dig=three", "dig=2.5", "dig=true", "dig="])
def test_what_is_no_whole_number_is_said_to_be_none(setting: str) -> None:
    assert refusal(f"print,{setting}") == f"knob {setting} is not a whole number; it takes 1 to 9"


@pytest.mark.parametrize("name", [name for name, knob in KNOBS.items() if knob.low != knob.high and not knob.examples])
def test_a_number_is_taken_up_to_both_ends_of_its_range_and_no_further(name: str) -> None:
    low, high = (int(end) for end in KNOBS[name].values.split(" to "))
    for value in (low, high):
        assert getattr(ruleset(f"print,{name}={value}"), name) == value
    for value in (low - 1, high + 1):
        assert f"{name}={value} is out of range" in refusal(f"print,{name}={value}")


def test_a_knob_set_twice_is_refused() -> None:
    text = "print,dig=3,penalty=1,dig=4"
    assert refusal(text) == f"ruleset '{text}' sets the knob dig twice; keep one of them"


@pytest.mark.parametrize("setting", ["dig", "", "dig:4"])
def test_a_setting_without_an_equals_sign_is_refused(setting: str) -> None:
    text = f"print,{setting}"
    assert refusal(text) == f"ruleset '{text}': '{setting}' is not of the form knob=value"


# --- files ------------------------------------------------------------------------------------------------


def written(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_names_a_base_and_knobs(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'base = "en1+loyal,dig=2"\n[knobs]\npenalty = 4\nstart_overflow = true\nhalf_kept = "ceil"\ndig = 5\n',
    )
    assert parse(path) == parse("en1+loyal,dig=5,penalty=4,half_kept=ceil,start_overflow=true")
    assert isinstance(parse(path), Spec)


def test_a_file_may_have_no_knobs(tmp_path: Path) -> None:
    assert parse(written(tmp_path, 'base = "nl+advanced"\n')) == parse("nl+advanced")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("base = print\n", ["ruleset file {path} is not valid TOML", "line 1"]),
        ('base = "print"\n[knob]\ndig = 3\n', ["ruleset file {path}: unknown key 'knob'", "mean 'knobs'?"]),
        ("[knobs]\ndig = 3\n", ['ruleset file {path} needs a line base = "SPEC", the ruleset it starts from']),
        ("base = 3\n", ['ruleset file {path} needs a line base = "SPEC", the ruleset it starts from']),
        ('base = "other.toml"\n', ['ruleset file {path} needs a line base = "SPEC", the ruleset it starts from']),
        ('base = "print"\nknobs = 3\n', ["ruleset file {path}: write the knobs under a heading [knobs]"]),
        ('base = "prnt"\n', ["ruleset file {path}: unknown edition 'prnt'; did you mean 'print'?"]),
        ('base = "print"\n[knobs]\ndigg = 3\n', ["ruleset file {path}: unknown knob 'digg'", "mean 'dig'?"]),
        ('base = "print"\n[knobs]\ndig = 99\n', ["{path}: knob dig=99 is out of range; it takes 1 to 9"]),
        ('base = "print"\n[knobs]\ndig = true\n', ["{path}: knob dig=True is out of range; it takes 1 to 9"]),
        ('base = "print"\n[knobs]\ndig = [3]\n', ["{path}: knob dig=[3] is not a whole number; it takes 1 to 9"]),
        ('base = "print"\n[knobs]\nhands = 1\n', ["{path}: knob hands=1 is out of range", "hidden | open"]),
        ('base = "print"\n[knobs]\ndig = 3\ndig = 4\n', ["ruleset file {path} is not valid TOML"]),
    ],
)
def test_a_wrong_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, words: list[str]) -> None:
    path = written(tmp_path, text)
    sentence = refusal(path)
    for word in words:
        assert word.format(path=path) in sentence


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.toml"
    assert refusal(str(path)) == f"cannot read ruleset file {path}: No such file or directory"


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(b'base = "print" # Citt\xe0\n')
    assert refusal(str(path)).startswith(f"cannot read ruleset file {path}: ")
