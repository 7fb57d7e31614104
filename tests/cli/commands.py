"""All commands of the command line, by their words."""

from mmsim.cli.commands import app


def commands() -> list[tuple[str, ...]]:
    """Every command, without the groups they are in."""
    found: list[tuple[str, ...]] = [(str(one.name),) for one in app.registered_commands]
    for group in app.registered_groups:
        assert group.typer_instance is not None
        inner = [one.name or one.callback.__name__ for one in group.typer_instance.registered_commands if one.callback]
        found += [(str(group.name), name) for name in inner]
    return found


def groups() -> list[tuple[str, ...]]:
    """What commands are gathered in, the whole first."""
    return [(), *((str(group.name),) for group in app.registered_groups)]
