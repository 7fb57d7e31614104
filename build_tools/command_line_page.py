"""`docs/reference/command-line.md`: every command with its arguments and options."""

import re
from collections.abc import Iterator
from typing import Any

import typer

from build_tools.markdown import code, table
from mmsim.cli.commands import COMMANDS, load_command

_HEAD = """\
# Command line

Every command, argument and option; `mmsim COMMAND --help` prints the same. Written by `make docs` from the commands
themselves; do not edit.

- Exit codes: 0, it worked; 1, a failure; 2, a wrong question; 130, stopped by Ctrl-C. An error is one sentence on
  stderr; `--debug`, anywhere on the line, adds the traceback.
- Tables go to stdout and can be piped; `--json` prints them for programs. Progress goes to stderr.
- Whole numbers may be written `5000`, `10k` or `2M`. `-` is stdin or stdout where a file is expected.
- `mmsim --version` prints the version, `mmsim --install-completion` makes the shell complete names.
"""
_OPTION = re.compile(r"(?<![\w-])--[a-z-]+")


def page() -> str:
    return _HEAD + "".join(
        f"\n## {panel}\n" + "".join(_command(words) for words in commands) for panel, commands in COMMANDS.items()
    )


def _command(words: str) -> str:
    command = load_command(words)
    context = typer.Context(command)
    usage = " ".join(["mmsim", words, *command.collect_usage_pieces(context)])
    rows = [*_rows(command, context)]
    text = _OPTION.sub(r"`\g<0>`", (command.help or "").strip())
    options = f"\n{table(('option', 'meaning', 'default'), rows)}" if rows else ""
    return f"\n### mmsim {words}\n\n{text}\n\n```text\n{usage}\n```\n{options}"


def _rows(command: Any, context: typer.Context) -> Iterator[tuple[str, str, str]]:
    """An argument or option, what it means, and the default or range that help shows in brackets."""
    for parameter in command.get_params(context):
        name, text = parameter.get_help_record(context)
        if name != "--help":
            meaning, _, extra = text.partition("  [")
            default = re.sub(r"^default: ", "", extra.removesuffix("]"))
            yield code(name), _OPTION.sub(r"`\g<0>`", meaning), default
