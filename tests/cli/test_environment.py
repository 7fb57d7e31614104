"""Pipes that end, terminals without letters, folders that are gone, little memory: as other tools behave, or said."""

import json
import os
import resource
import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from mmsim.batch.export import export
from mmsim.batch.run import Run
from mmsim.report.chart_style import new_figure, settings
from tests.batch.helpers import ROOT
from tests.cli.runner import complaint, output, run
from tests.runs import change_manifest, write_run

COMMAND = [sys.executable, "-m", "mmsim"]


def mmsim(*words: object, **options: Any) -> "subprocess.CompletedProcess[str]":
    env = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
    return subprocess.run([*COMMAND, *map(str, words)], env=env, text=True, capture_output=True, **options)


@pytest.mark.parametrize("words", [("boards", "generate", "roomy", "--count", "20000"), ("rules", "list")])
def test_a_pipe_that_ends_ends_the_command_as_it_ends_others(words: tuple[str, ...]) -> None:
    reads, writes = os.pipe()
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([*COMMAND, *words], env=env, stdout=writes, stderr=subprocess.PIPE, text=True)
    os.close(writes)
    os.close(reads)
    assert process.communicate()[1] == ""
    assert process.returncode == -signal.SIGPIPE


_ONE_AFTER_THE_OTHER = """
import sys
from mmsim.cli.app import main
for words in (["rules", "explain", "T1"], ["play", "--rules", "\\xb1"]):
    sys.argv[1:] = words
    try:
        main()
    except SystemExit as end:
        print(end.code)
"""


def test_a_terminal_without_letters_is_given_plain_ones() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    shown = subprocess.run([sys.executable, "-c", _ONE_AFTER_THE_OTHER], env=env, text=True, capture_output=True)
    assert shown.stdout.splitlines()[-2:] == ["0", "2"]
    assert "T1" in shown.stdout
    assert shown.stdout.isascii()
    assert shown.stderr.startswith("mmsim: error: unknown edition '+-'")


def test_a_folder_that_has_been_deleted_is_named_as_the_cause(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    shell = f'rmdir "{gone}"; exec "{sys.executable}" -m mmsim rules list'
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    answer = subprocess.run(["sh", "-c", shell], cwd=gone, env=env, text=True, capture_output=True)
    assert answer.returncode == 1
    assert answer.stderr == "mmsim: error: the folder you are in has been deleted; go to another one (cd)\n"


def test_too_little_address_space_is_named_as_the_cause() -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    refused = mmsim("rules", "list", preexec_fn=limit)
    assert refused.returncode == 1
    assert refused.stderr.startswith("mmsim: error: only 1,024 MB of address space are allowed here (ulimit -v)")


def test_control_characters_of_input_are_written_out_in_messages() -> None:
    assert complaint(2, "play", "--rules", "pri\x1b[31mnt").startswith(r"unknown edition 'pri\x1b[31mnt'")
    assert r"two\nlines" in complaint(2, "play", "--bots", "two\nlines")


@pytest.fixture
def strange(tmp_path: Path, toy_game: None) -> Path:
    """A run whose folder and texts are made of what other programs read as patterns, markup and commands."""
    folder = tmp_path / "r[1]*?"
    question = "[/bold] \x1b]0;title\x07 :boom:"
    write_run(folder, ["dice"], games=60, part_games=60, players=3, game="toy", bots="uniform", question=question)
    return folder


def test_a_folder_with_brackets_and_stars_is_read_like_any(strange: Path, tmp_path: Path) -> None:
    with_stars = Run(strange)
    assert with_stars.games.collect().height == 60
    assert export(with_stars, "games", tmp_path / "games.csv") == 60


def test_brackets_are_no_markup_and_escapes_do_not_reach_the_terminal(strange: Path) -> None:
    assert r"question   [/bold] \x1b]0;title\x07 :boom:" in output("runs", "show", strange)
    assert "r[1]*?" in output("runs", "list", strange.parent)
    assert "\x1b" not in output("runs", "show", strange, "--json")
    manifest = json.loads((strange / "manifest.json").read_text())
    manifest["experiment"]["bots"] = "[/red]\x1b[2J"
    change_manifest(strange, experiment=manifest["experiment"])
    assert r"[/red]\x1b[2J" in output("runs", "list", strange.parent)


def test_export_to_a_dash_is_export_to_stdout(strange: Path) -> None:
    answer = run("export", strange, "--table", "games", "--out", "-")
    assert answer.exit_code == 0
    assert pl.read_csv(answer.stdout.encode()).height == 60
    assert answer.stderr == "60 rows -> -\n"


def test_a_dollar_in_a_name_is_a_dollar_in_a_chart() -> None:
    picture = BytesIO()
    with settings():
        figure, axes = new_figure(2.0)
        axes.set_title(r"$\frac{1}$ and $x$")
        figure.savefig(picture, format="svg")  # math that is wrong would be refused here
    assert b"and $x$" in picture.getvalue()
