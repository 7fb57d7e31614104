"""Running the command line inside the test."""

from typer.testing import CliRunner, Result

from mmsim.cli.commands import app


def run(*words: object, stdin: str | None = None) -> Result:
    return CliRunner(env={"COLUMNS": "120"}).invoke(app, [str(word) for word in words], input=stdin)


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
