"""Errors for users: one sentence, one exit code."""

from collections.abc import Iterable
from difflib import get_close_matches

_MAX_LISTED = 28  # known names in an error; of more, only the nearest are named


class MmsimError(Exception):
    """A failure that is not a bug; its text is one clear sentence for stderr."""

    exit_code = 1


class UsageError(MmsimError):
    """The user asked for something that does not exist or does not fit."""

    exit_code = 2


def unknown(what: str, name: str, known: Iterable[str]) -> UsageError:
    """The error for an unknown name: the nearest known one, and all of them unless they are too many to read."""
    names = list(known)
    folded = {known_name.casefold(): known_name for known_name in names}
    is_long = len(names) > _MAX_LISTED
    close = [folded[match] for match in get_close_matches(name.casefold(), folded, n=3 if is_long else 1, cutoff=0.6)]
    hint = f"; did you mean {' or '.join(repr(match) for match in close)}?" if close else ""
    listed = (
        f"{len(names)} are known, such as {', '.join(names[:_MAX_LISTED])}"
        if is_long
        else (f"known: {', '.join(names)}")
    )
    return UsageError(f"unknown {what} '{name}'{hint}" + ("" if is_long and close else f" ({listed})"))


def full_name(what: str, name: str, known: Iterable[str]) -> str:
    """The known name a user means: the name itself, or the only one that begins with it.

    `print` means `print-4p` (or `print@compact`), even where there is a `print+loyal-4p` too.
    """
    names = list(known)
    if name in names:
        return name
    matches = [known_name for known_name in names if known_name.startswith((f"{name}-", f"{name}@"))]
    matches = matches or [known_name for known_name in names if known_name.startswith(name)]
    if not matches:
        raise unknown(what, name, names)
    if len(matches) > 1:
        raise UsageError(f"several {what}s begin with '{name}': {', '.join(matches)}; name one of them")
    return matches[0]
