"""All commands of the command line, by their words."""

from typing import Any

from mmsim.cli.commands import COMMANDS, GROUPS, load_command


def commands() -> list[tuple[str, ...]]:
    """Every command, without the groups they are in."""
    return [tuple(words.split()) for panel in COMMANDS.values() for words in panel]


def groups() -> list[tuple[str, ...]]:
    """What commands are gathered in, the whole first."""
    return [(), *((group,) for group in GROUPS)]


def loaded(words: tuple[str, ...]) -> Any:
    """A command with its options."""
    return load_command(" ".join(words))
