"""What is said when a command fails: one sentence on stderr, and the exit code."""

import errno
import re
from collections.abc import Sequence

import typer

from mmsim.cli.console import say_error
from mmsim.errors import MmsimError

_LIBRARY_WORDS = {
    "Input should be a valid integer, unable to parse string as an integer": "it must be a whole number",
    "Input should be a valid number, unable to parse string as a number": "it must be a number",
    "Input should be": "it must be",
}
_DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def print_error(error: BaseException, words: Sequence[str]) -> int:
    """Say what is wrong in one sentence; returns the exit code. `words` are those of the command line."""
    text, code = _describe(error, words)
    say_error(text)
    return code


def _describe(error: BaseException, words: Sequence[str]) -> tuple[str, int]:
    library = type(error).__module__.partition(".")[0]  # Polars is not imported here: it takes a moment
    if isinstance(error, MmsimError):
        return str(error), error.exit_code
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "mmsim"
        return f"{_describe_usage(error, words)} (see: {command} --help)", error.exit_code
    if isinstance(error, typer.Abort):
        return "aborted", 1
    if library == "pyo3_runtime":
        return "a table cannot be read: Polars gives up on its file", 1
    if library == "polars":
        return f"a table cannot be read: {next(iter(str(error).splitlines()), type(error).__name__)}", 1
    if isinstance(error, MemoryError):
        return f"there is not enough memory{f' ({error})' if str(error) else ''}", 1
    if isinstance(error, OSError):
        return _describe_os_error(error), 1
    if isinstance(error, RecursionError):  # in any reader of input
        return "the input is nested too deeply", 2
    return f"internal error, {type(error).__name__}: {error} (run with --debug for the traceback)", 1


def _describe_os_error(error: OSError) -> str:
    """What the system refused, and for which file; files that are written are named by whoever writes them."""
    reason = error.strerror or str(error) or type(error).__name__
    if error.filename:
        return f"cannot use {error.filename}: {reason}"
    return f"cannot write to standard output: {reason}" if error.errno in _DISK_ERRORS else f"cannot go on: {reason}"


def _describe_usage(error: typer.TyperException, words: Sequence[str]) -> str:
    """What is wrong with an option in our words instead of the library's, and what was typed for it."""
    message = error.format_message()
    option = re.search(r"Invalid value for '(--[a-z-]+)'", message)
    for theirs, ours in _LIBRARY_WORDS.items():
        message = message.replace(theirs, ours)
    if option and option[1] in words[:-1]:
        message += f", given '{words[words.index(option[1]) + 1]}'"
    return message
