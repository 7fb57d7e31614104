"""Running the command line inside the test."""

from functools import cache

from typer import testing

from mmsim.cli.commands import app

testing._get_command = cache(testing._get_command)  # to make all commands takes longer than to run most of them


def run(*words: object, stdin: str | None = None, columns: int = 120, **env: str) -> testing.Result:
    runner = testing.CliRunner(env={"COLUMNS": str(columns), **env})
    return runner.invoke(app, [str(word) for word in words], input=stdin)


def output(*words: object, stdin: str | None = None) -> str:
    """What a command that goes well prints."""
    result = run(*words, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def complaint(code: int, *words: object, stdin: str | None = None) -> str:
    """The one sentence of a command that fails, without its `mmsim: error:`."""
    result = run(*words, stdin=stdin)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    start = "mmsim: error: "
    assert lines[0].startswith(start)
    return lines[0].removeprefix(start)
