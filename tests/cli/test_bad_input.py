"""Bad input: one sentence that names the place and the nearest right thing, the right exit code, no traceback."""

import json
from pathlib import Path

import pytest

from mmsim.metromania.shell import command_line
from tests.cli.runner import complaint, run

USAGE, FAILURE = 2, 1
GOLDEN = Path(__file__).parent.parent / "golden" / "metromania"


# --- names and numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("play --rules pint", "unknown edition 'pint'; did you mean 'print'? (known: en1, print, nl, v2, metro)"),
        ("play --rules print+loyl", "unknown modifier 'loyl'; did you mean 'loyal'? (known: loyal, hidden, "),
        ("play --rules print,chang_minutes=2", "unknown knob 'chang_minutes'; did you mean 'change_minutes'? (known: "),
        ("play --bots unifrm", "unknown bot 'unifrm'; did you mean 'uniform'? (known: "),
        ("compare print loyal", "'loyal' is a modifier, not an edition; add it to one, such as print+loyal"),
        ("play --board rommy", "unknown board set 'rommy'; did you mean 'roomy'? (known: box, compact, "),
        (
            "rules explain T100",
            "unknown rule 'T100'; did you mean 'T1' of metromania? (known: metromania: G1-G10, S1-S7, T1-T4, ",
        ),
        ("rules explain X1 --game metromania", "unknown rule 'X1'; did you mean '"),
        ("rules explain T1 --game metor", "unknown game 'metor'; did you mean 'metro'?"),
        ("boards show rommy", "unknown board set 'rommy'; did you mean 'roomy'? (known: box, compact, "),
        ("boards generate gand", "unknown board set 'gand'; did you mean 'grand'? (known: box, compact, "),
        ("rules show prnt", "unknown edition 'prnt'; did you mean 'print'? (known: "),
        ("rules diff print en2", "unknown edition 'en2'; did you mean 'en1'? (known: "),
        ("bords", "No such command 'bords'. Did you mean 'boards'"),
        ("boards lst", "No such command 'lst'. Did you mean 'list'? (see: mmsim boards --help)"),
    ],
)
def test_an_unknown_name_comes_with_the_nearest_known_one(words: str, says: str) -> None:
    assert complaint(USAGE, *words.split()).startswith(says)


def test_a_name_near_nothing_comes_with_all_that_are_known() -> None:
    text = complaint(USAGE, "play", "--rules", "zzz")
    assert text.startswith("unknown edition 'zzz'")
    assert text.endswith("(known: en1, print, nl, v2, metro)")


def test_an_unknown_option_comes_with_the_nearest() -> None:
    text = complaint(USAGE, "play", "--sed", "4")
    assert text.startswith("No such option: --sed")
    assert "--seed" in text
    assert text.endswith("(see: mmsim play --help)")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--rules print,change_minutes=99", "knob change_minutes=99 is out of range; it takes 0 to 20"),
        ("--rules print,change_minutes=abc", "knob change_minutes=abc is not a whole number; it takes 0 to 20"),
        ("--rules print,dig=0", "knob dig=0 is out of range; it takes 1 to 9"),
        ("--rules print,dig=three", "knob dig=three is not a whole number; it takes 1 to 9"),
        ("--rules print,trigger_turn=never", "knob trigger_turn=never is out of range; it takes stop | finish"),
        ("--rules print,end_overflow=2", "knob end_overflow=2 is out of range; it takes true | false"),
        ("--rules print,dig", "ruleset 'print,dig': 'dig' is not of the form knob=value"),
        ("--rules print,dig=1,dig=2", "ruleset 'print,dig=1,dig=2' sets the knob dig twice; keep one of them"),
        ("--rules print+loyal+hidden", "'loyal' and 'hidden' exclude each other; take one of them"),
        ("--rules v2+advanced", "'v2' does not offer 'advanced' for two players; it offers 'regular'"),
        ("--rules print+regular", "'print' does not offer 'regular' for two players; it offers 'advanced'"),
        ("--rules nl+advanced --players 4", "'advanced' is only for two players; drop it for 4 players"),
        (
            "--rules print+no-corruption --players 3",
            "'print' does not offer 'no-corruption' for 3 players; it offers it for 4; v2 has it for 3",
        ),
        ("--players 5", "'print' is for 2, 3 or 4 players, not for 5"),
        ("--bots uniform,uniform", "--bots names 2 bots for 4 companies; name one for all or 4 of them"),
        ("--players 2 --bots uniform,uniform", "--bots names 2 bots for 4 companies; name one for all or 4 of them"),
    ],
)
def test_a_ruleset_or_table_that_does_not_exist_is_refused_with_what_does(words: str, says: str) -> None:
    assert complaint(USAGE, "play", *words.split()) == says


@pytest.mark.parametrize("number", ["0", "1", "-3"])
def test_too_few_players_are_refused_with_how_many_may_play(number: str) -> None:
    assert "2, 3 or 4 players" in complaint(USAGE, "rules", "show", "v2", "--players", number)


@pytest.mark.parametrize(
    "words",
    ["play --seed -1", "play --seed 18446744073709551616", "play --number -1", "boards generate open --count 0"],
)
def test_a_number_out_of_range_names_its_option(words: str) -> None:
    option = words.split()[-2]
    assert complaint(USAGE, *words.split()).startswith(f"Invalid value for '{option}': ")


def test_a_word_for_a_number_is_named() -> None:
    number = "it must be a whole number, such as 5000, 10k or 2M"
    says = f"Invalid value for '--players': {number}, given 'four' (see: mmsim play --help)"
    assert complaint(USAGE, "play", "--players", "four") == says
    says = f"Invalid value for '--seed': {number}, given 'abc' (see: mmsim run --help)"
    assert complaint(USAGE, "run", "--seed", "abc") == says


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("1a-4c-2b-6a-3a", "it has 5 parts but needs six"),
        ("1a-4c-2b-6a-3a-5d", "part 6 is '5d', not a piece 1-6 with a turn a, b or c"),
        ("1a-7c-2b-6a-3a-5b", "part 2 is '7c', not a piece 1-6 with a turn a, b or c"),
        ("1a-1c-2b-6a-3a-5b", "piece 1 is used twice and piece 4 never"),
    ],
)
@pytest.mark.parametrize("words", [("play",), ("boards", "show", "roomy")])
def test_an_impossible_layout_code_says_which_part_is_wrong(words: tuple[str, ...], code: str, why: str) -> None:
    says = f"'{code}' is not a layout code: {why} (a code looks like 1a-4c-2b-6a-3a-5b)"
    assert complaint(USAGE, *words, "--layout", code) == says


def test_layout_and_seed_exclude_each_other() -> None:
    words = ("boards", "show", "roomy", "--layout", "1a-4c-2b-6a-3a-5b", "--seed", "3")
    assert complaint(USAGE, *words) == "--layout and --seed exclude each other; give one of them"


def test_more_unique_cities_than_there_are_cannot_be_had() -> None:
    text = complaint(USAGE, "boards", "generate", "roomy", "--unique", "--count", "87481")
    assert text == "--unique asks for 87481 different cities, but 'roomy' makes only 87480"


def test_a_missing_argument_is_named() -> None:
    assert complaint(USAGE, "boards", "show") == "Missing argument 'SET'. (see: mmsim boards show --help)"
    assert complaint(USAGE, "verify").startswith("Missing argument 'FILE...'.")


# --- board files -------------------------------------------------------------------------------------------

SPOILED = {
    "malformed TOML": ('frame = "S.ESE"', "frame = S.ESE", 8, "not valid TOML: Invalid value (at line 8, column 9)"),
    "row too short": (" .R.E.\n", " .R.E\n", 15, "piece 1, row 2 ('.R.E') has 4 cells but needs 5; add 1"),
    "row too long": (" .R.E.\n", " .R.E..\n", 15, "piece 1, row 2 ('.R.E..') has 6 cells but needs 5; remove 1"),
    "small letter": (" .R.E.\n", " .r.E.\n", 15, "piece 1, row 2 has an unknown cell 'r'; did you mean 'R'? (known: "),
    "unknown letter": (" .R.E.\n", " .R.X.\n", 15, "piece 1, row 2 has an unknown cell 'X'"),
    "missing frame": ('frame = "S.ESE"\n', "", 1, "the frame is missing; add a line like frame = "),
    "short frame": ("S.ESE", "S.ES", 8, "the frame has 4 cells but needs 5; add 1"),
    "frame of three": ('"S.ESE"', '["S.ESE", "S.ESE", "S.ESE"]', 8, "the frame must be one string for all sides or a "),
    "unknown arrow": ("S.ESE", "S.EXE", 8, "the frame has 'X'; use S (start), E (end) or . (nothing)"),
    "no start": ("S.ESE", "E.E.E", 8, "no line could ever start: put at least one S on the frame"),
    "side too small": ("side = 5", "side = 2", 7, "side is 2; it must be a whole number 3 to 12"),
    "unknown key": ("title =", "titel =", 6, "unknown key 'titel'; did you mean 'title'? (known: name, title, side, "),
    "six pieces and one": (
        "[[piece]]",
        "[[piece]]\nname = 'More'\ncells = '''\n.\n...\n.....\n.......\n.........\n'''\n[[piece]]",
        69,
        "there are 7 pieces, not six; remove 1",
    ),
}


@pytest.mark.parametrize("what", SPOILED)
def test_a_spoiled_board_file_is_refused_with_its_line(tmp_path: Path, board_text: str, what: str) -> None:
    old, new, line, says = SPOILED[what]
    assert old in board_text
    file = tmp_path / "mine.toml"
    file.write_text(board_text.replace(old, new, 1))
    result = run("boards", "check", file)
    assert (result.exit_code, result.stdout) == (FAILURE, "")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith(f"{file}:{line}: error: {says}")
    for words in (("play", "--board"), ("boards", "show"), ("boards", "generate")):
        assert complaint(USAGE, *words, file).startswith(f"{file}:{line}: {says}")


def test_boards_check_names_every_error(tmp_path: Path, board_text: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(board_text.replace(" .R.E.\n", " .R.E\n", 1).replace("side = 5", "syde = 5\nside = 5"))
    assert run("boards", "check", file).stderr.splitlines() == [
        f"{file}:7: error: unknown key 'syde'; did you mean 'side'? (known: name, title, side, frame, piece)",
        f"{file}:16: error: piece 1, row 2 ('.R.E') has 4 cells but needs 5; add 1",
    ]
    assert complaint(USAGE, "play", "--board", file).endswith(f"(1 more: mmsim boards check {file})")


def test_a_board_file_that_is_nested_too_deep_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "deep.toml"
    file.write_text(f"name = {'[' * 3000}")
    result = run("boards", "check", file)
    assert result.exit_code == FAILURE
    assert result.stderr == f"{file}:1: error: not valid TOML: it is nested too deeply\n"
    assert complaint(USAGE, "play", "--board", file) == f"{file}:1: not valid TOML: it is nested too deeply"


def test_the_error_for_an_empty_board_file_says_what_it_lacks(tmp_path: Path) -> None:
    file = tmp_path / "empty.toml"
    file.write_text("")
    result = run("boards", "check", file)
    assert result.exit_code == FAILURE
    lines = result.stderr.splitlines()
    assert all(line.startswith(f"{file}:1: error: ") for line in lines)
    assert any("pieces" in line for line in lines)


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path: Path) -> None:
    missing, odd = tmp_path / "missing.toml", tmp_path / "odd.toml"
    odd.write_bytes(b"\xff\xfe\x00")
    for words in (("boards", "check"), ("play", "--board"), ("boards", "show")):
        assert complaint(USAGE, *words, missing) == f"cannot read board file {missing}: No such file or directory"
        assert complaint(USAGE, *words, odd) == f"cannot read board file {odd}: it is not UTF-8 text"
    assert complaint(USAGE, "play", "--rules", missing).startswith(f"cannot read ruleset file {missing}: No such file")
    assert complaint(USAGE, "verify", missing).startswith(f"cannot read record file {missing}: No such file")
    assert complaint(USAGE, "verify", odd) == f"cannot read record file {odd}: it is not UTF-8 text"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('base = "pint"\n', "unknown edition 'pint'; did you mean 'print'?"),
        ('base = "print"\nknob = 3\n', "unknown key 'knob'; did you mean 'knobs'?"),
        ('base = "print"\n[knobs]\ndig = 10\n', "knob dig=10 is out of range; it takes 1 to 9"),
        ("[knobs]\ndig = 1\n", 'needs a line base = "SPEC", the ruleset it starts from'),
        ("base = print\n", "is not valid TOML: Invalid value (at line 1, column 8)"),
    ],
)
def test_a_spoiled_ruleset_file_is_named(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "house.toml"
    file.write_text(text)
    sentence = complaint(USAGE, "rules", "show", file)
    assert sentence.startswith(f"ruleset file {file}")
    assert says in sentence


# --- records -----------------------------------------------------------------------------------------------


@pytest.fixture
def record_file(tmp_path: Path) -> Path:
    """A good record, to spoil."""
    file = tmp_path / "game.json"
    file.write_bytes((GOLDEN / "print-4p-01.json").read_bytes())
    return file


def test_a_record_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "game.json"
    result = run("play", "--quiet", "--record", path)
    assert result.exit_code == FAILURE
    assert result.stderr.startswith(f"mmsim: error: cannot write {path}: ")
    assert len(result.stderr.splitlines()) == 1
    assert complaint(USAGE, "play", "--record", tmp_path).startswith("Invalid value for '--record': ")


def test_a_record_goes_into_a_folder_that_is_made_for_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "deep" / "game.json"
    assert run("play", "--quiet", "--record", path).exit_code == 0
    assert run("verify", path).exit_code == 0


def test_a_text_that_is_no_record_is_said_to_be_none(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("hello\nworld\n")
    assert complaint(FAILURE, "verify", file) == f"{file}:1: it is not a game record, which is JSON and begins with {{"


def test_rulesets_of_two_games_are_not_compared(tmp_path: Path) -> None:
    says = "'print' is a ruleset of metromania, 'metro' one of metro; name those of one game"
    assert complaint(USAGE, "compare", "print", "metro", "--games", 10) == says
    file = tmp_path / "both.toml"
    file.write_text('variants = ["print", "metro"]\n')
    assert complaint(USAGE, "run", file) == f"experiment file {file}: {says}"


def test_a_bad_ruleset_inside_an_experiment_names_the_file_of_the_experiment(tmp_path: Path) -> None:
    file, house = tmp_path / "mine.toml", tmp_path / "house.toml"
    file.write_text('variants = ["print", "print+loyl"]\n')
    assert complaint(USAGE, "run", file).startswith(f"experiment file {file}: unknown modifier 'loyl'; did you mean")
    house.write_text('base = "print"\n[knobs]\ndig = 10\n')
    file.write_text('variants = ["print", "house.toml"]\n')
    assert complaint(USAGE, "run", file).startswith(f"experiment file {file}: ruleset file {house}: knob dig=10 is out")


def test_an_exception_of_a_bot_in_python_shows_its_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "mybot.py"
    file.write_text("class MyBot:\n    def choose(self, view, moves):\n        return moves[10_000]\n")
    for more in ([], ["--isolate"]):
        sentence = complaint(FAILURE, "play", "--quiet", "--bots", f"{file}:MyBot", *more)
        assert sentence.endswith("failed in turn 1: IndexError: list index out of range (mybot.py, line 3)")
    run_folder = tmp_path / "run"
    sentence = complaint(
        FAILURE, "run", "--rules", "print", "--bots", f"{file}:MyBot", "--games", 2, "--out", run_folder, "--quiet"
    )
    assert sentence.endswith("IndexError: list index out of range (mybot.py, line 3)")


@pytest.mark.parametrize(
    "words", ["play --rules pint --debug", "--debug play --rules pint", "boards --debug show pint"]
)
def test_debug_adds_the_traceback_wherever_it_stands(words: str) -> None:
    result = run(*words.split())
    assert result.exit_code == USAGE
    assert "Traceback (most recent call last)" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("mmsim: error: unknown ")


def test_a_picture_of_an_unknown_kind_is_refused_before_the_game_is_played(tmp_path: Path) -> None:
    for words in (("play", "--picture"), ("boards", "show", "roomy", "--out")):
        result = run(*words, tmp_path / "game.gif")
        assert (result.exit_code, result.stdout) == (USAGE, "")
        assert ".svg or .png" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_truncated_record_is_said_to_be_cut_off(record_file: Path) -> None:
    record_file.write_text(record_file.read_text()[:3000])
    assert complaint(FAILURE, "verify", record_file).startswith(f"{record_file}:1: the record is cut off at column ")


def test_a_changed_move_is_named_with_the_nearest_legal_one(record_file: Path) -> None:
    record = json.loads(record_file.read_text())
    number = next(i for i, move in enumerate(record["moves"]) if move["move"] == "dig")
    record["moves"][number]["to"] = [40, 40]
    record_file.write_text(json.dumps(record))
    text = complaint(FAILURE, "verify", record_file)
    assert text.startswith(f"{record_file}:1: move {number + 1} (turn 1, seat 1): dig line 0 in cell ")
    assert "is not legal; the nearest legal move is dig line 0 in cell " in text


def test_one_bad_record_of_many_is_named_by_its_line_and_the_others_pass(record_file: Path) -> None:
    good = record_file.read_text()
    record_file.write_text(good + good.replace('"penalty": 6', '"penalty": 7') + good)
    result = run("verify", record_file)
    assert result.exit_code == FAILURE
    assert [line.split(", ")[0] for line in result.stdout.splitlines()] == [
        f"{record_file}:1: ok",
        f"{record_file}:3: ok",
    ]
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith(f"mmsim: error: {record_file}:2: ")


def test_a_bad_file_does_not_hide_the_next_one(record_file: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    result = run("verify", bad, record_file)
    assert result.exit_code == FAILURE
    assert result.stdout.startswith(f"{record_file}:1: ok, ")


# --- --debug -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", ["--debug play --rules pint", "play --debug --rules pint", "play --rules pint --debug"]
)
def test_debug_anywhere_on_the_line_shows_the_traceback(words: str) -> None:
    result = run(*words.split())
    assert result.exit_code == USAGE
    assert result.stderr.startswith("Traceback (most recent call last):")
    assert result.stderr.splitlines()[-1].startswith("mmsim: error: unknown edition 'pint'; did you mean 'print'?")


def test_a_bug_is_one_sentence_too_and_debug_shows_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the depot is on fire")

    monkeypatch.setattr(command_line, "play_out", broken)
    text = complaint(FAILURE, "play", "--bots", "uniform")
    assert text == "internal error, RuntimeError: the depot is on fire (run with --debug for the traceback)"
    assert "in broken" in run("play", "--bots", "uniform", "--debug").stderr
