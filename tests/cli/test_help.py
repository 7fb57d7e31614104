"""The help of every command fits a terminal of 80 columns, and commands that print tables print JSON, too."""

import json
import subprocess
import sys
from functools import cache

import pytest

from mmsim.cli.commands import COMMANDS
from tests.cli.commands import commands, groups, loaded
from tests.cli.runner import output, run

WITHOUT_TABLES = {  # they print sentences, or write files
    *(
        "demo",
        "atlas run",
        "replay",
        "draw",
        "verify",
        "run",
        "resume",
        "check",
        "heat",
        "runs rm",
        "record",
        "export",
        "report",
        "sweep",
    ),
    *(
        "boards show",
        "boards check",
        "boards new",
        "experiments new",
        "cluster certificates",
        "bots train",
    ),
}


_LIST = """
import sys
from mmsim.cli.commands import COMMANDS, app

slow = {f"mmsim.cli.{command.module}" for panel in COMMANDS.values() for command in panel.values()} | {"polars"}
try:
    app()
except SystemExit:
    print(sorted(slow & {*sys.modules}))
"""


@cache
def help_of(words: tuple[str, ...]) -> str:
    result = run(*words, "--help", columns=80)
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize("words", [*groups(), *commands()], ids=" ".join)
def test_help_fits_eighty_columns_and_cuts_nothing_short(words: tuple[str, ...]) -> None:
    text = help_of(words)
    assert max(map(len, text.splitlines())) <= 80
    for sign in ("…", "<bool>", "<int", "<float", "<str>", "<path>", "<file>", "<list", "18446744073709551615"):
        assert sign not in text


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_a_command_that_prints_a_table_prints_json_too(words: tuple[str, ...]) -> None:
    assert ("--json " in help_of(words)) == (" ".join(words) not in WITHOUT_TABLES)


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_the_list_of_commands_says_the_same_as_their_own_help(words: tuple[str, ...]) -> None:
    summary = next(panel[" ".join(words)].summary for panel in COMMANDS.values() if " ".join(words) in panel)
    assert loaded(words).help.partition("\n\n")[0] == summary


def test_commands_are_listed_without_importing_any_of_them() -> None:
    for words in ("--help", "--version", "bots --help", "rules"):
        done = subprocess.run([sys.executable, "-c", _LIST, *words.split()], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "[]", words


def test_a_game_can_be_printed_as_its_record() -> None:
    assert json.loads(output("play", "--seed", 3, "--json"))["seed"]["master"] == 3
