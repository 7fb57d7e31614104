"""What goes wrong in front of a user: one sentence, one exit code."""

from collections.abc import Iterable
from difflib import get_close_matches


class MmsimError(Exception):
    """Something failed that is not a bug; its text is one clear sentence for stderr."""

    exit_code = 1


class UsageError(MmsimError):
    """The user asked for something that does not exist or does not fit."""

    exit_code = 2


def unknown(what: str, name: str, known: Iterable[str]) -> UsageError:
    """The error for an unknown name: names it, the nearest known one, and all that are known."""
    names = list(known)
    folded = {known_name.casefold(): known_name for known_name in names}
    close = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    hint = f"; did you mean '{folded[close[0]]}'?" if close else ""
    return UsageError(f"unknown {what} '{name}'{hint} (known: {', '.join(names)})")


def full_name(what: str, name: str, known: Iterable[str]) -> str:
    """The known name that is meant: the name itself, or the only one that begins with it.

    `print` means `print-4p` (or `print@compact`), even where there is a `print+loyal-4p` too.
    """
    names = list(known)
    if name in names:
        return name
    found = [one for one in names if one.startswith((f"{name}-", f"{name}@"))]
    found = found or [one for one in names if one.startswith(name)]
    if not found:
        raise unknown(what, name, names)
    if len(found) > 1:
        raise UsageError(f"several {what}s begin with '{name}': {', '.join(found)}; name one of them")
    return found[0]
