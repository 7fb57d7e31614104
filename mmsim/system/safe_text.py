"""Text from elsewhere (files, names, command lines) made safe for where it is shown."""

import codecs
import unicodedata

_PLAIN = {"±": "+-", "→": "->", "–": "-", "—": "-", "…": "...", "×": "x", "≥": ">=", "≤": "<=", "·": "-", "−": "-"}
ASCII_ERRORS = "mmsim_plain"  # name of the way in which a stream that lacks a letter writes it


def printable(text: str, keep: str = "") -> str:
    """A text whose control characters are written out (`\\x1b`), so that none of them reaches a terminal.

    Those are the ones that move a cursor or colour a line, and those that turn the direction of writing.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter in keep or not _is_control(letter) else _written_out(letter) for letter in text)


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _written_out(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def _without_the_letter(error: UnicodeError) -> tuple[str, int]:
    """What is written where a terminal has not the letter: `+-` for `±`, else its number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_PLAIN.get(letter) or _written_out(letter) for letter in missing), error.end


codecs.register_error(ASCII_ERRORS, _without_the_letter)
