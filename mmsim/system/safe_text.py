"""Untrusted text (from files, names, command lines) made safe to print."""

import codecs
import re
import unicodedata

_PLAIN = {"±": "+-", "→": "->", "–": "-", "—": "-", "…": "...", "×": "x", "≥": ">=", "≤": "<=", "·": "-", "−": "-"}
_LONG_WORD = re.compile(r"\S{300,}")
_WORD_SHOWN, _LONGEST_SENTENCE, _START_SHOWN, _END_SHOWN = 120, 1000, 250, 290  # characters
PLAIN_TEXT_HANDLER = "mmsim_plain"  # error handler of streams that cannot encode a character


def printable(text: str, keep: str = "") -> str:
    """A text with its control characters escaped (`\\x1b`), so that none reaches a terminal.

    They could move the cursor, colour a line or reverse the direction of writing.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character in keep or not _is_control(character) else _escaped(character) for character in text
    )


def on_one_line(text: str) -> str:
    """A user's text on one line, without characters that a picture or a terminal cannot show."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def excerpt(sentence: str) -> str:
    """A sentence without the bulk of what it quotes: long words are cut, and the middle if it is still too long."""
    sentence = _LONG_WORD.sub(lambda word: f"{word[0][:_WORD_SHOWN]}...", sentence)
    if len(sentence) <= _LONGEST_SENTENCE:
        return sentence
    return f"{sentence[:_START_SHOWN]} ... {sentence[-_END_SHOWN:]}"


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _plain_replacement(error: UnicodeError) -> tuple[str, int]:
    """What replaces a character the stream cannot encode: `+-` for `±`, else an escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_PLAIN.get(character) or _escaped(character) for character in missing), error.end


codecs.register_error(PLAIN_TEXT_HANDLER, _plain_replacement)
