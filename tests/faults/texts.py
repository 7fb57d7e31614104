"""Boards, experiments, rulesets, records and specs that are changed at random: a sentence, or they are still right."""

import random
import resource
import shutil
import string
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from tests.batch.helpers import ROOT
from tests.cli.runner import run
from tests.faults.counts import Counts

_ODD = (
    *("", "-1", "0", "1e308", "nan", "9" * 5000, "true", "[]", "{}", "null", '"6"', "[" * 3000, "{a=" * 1000),
    *("\x1b[31m", "\x00", "\u202e", "[/bold]", "$x^$", "<script>", "../../x", "/dev/null", "é" * 300, "\n", '"', "="),
)
_PATIENCE_S = 60.0
_MEMORY = 4 << 20  # kilobytes
_SPECS = ("print+loyal", "metro+free", "v2+hidden,last_round=round", "en1,stations=6", "roomy", "planner:block=2.0")


def main(seconds: float, seed: int) -> Counts:
    """Change texts until the seconds are over."""
    counts, chance = Counts("texts"), random.Random(seed)
    with TemporaryDirectory() as folder, patch("mmsim.cli.run._play_and_print", lambda *asked: None):
        kinds = _kinds(Path(folder))
        while counts.has_time(seconds):
            for kind, (originals, words) in kinds.items():
                text = _changed(chance.choice(originals), chance)
                counts.count(kind)
                _try(kind, words(text), text, counts)
                shutil.rmtree(Path(folder) / "run", ignore_errors=True)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    counts.expect(used < _MEMORY, f"it took {used >> 10:,} MB of memory")
    return counts


Words = Callable[[str], tuple[object, ...]]  # the command to which a text is given


def _kinds(folder: Path) -> dict[str, tuple[list[str], Words]]:
    """Texts of every kind, and how a command is given one."""

    def file(name: str, *words: object, after: tuple[object, ...] = ()) -> Words:
        def given(text: str) -> tuple[object, ...]:
            (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
            return (*words, folder / name, *after)

        return given

    def texts(pattern: str) -> list[str]:
        return [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob(pattern))]

    rules = 'edition = "print"\nmodifiers = ["loyal"]\n\n[knobs]\nlast_round = "round"\n'
    return {
        "boards": (texts("boards/*.toml"), file("board.toml", "boards", "check")),
        "experiments": (texts("experiments/*.toml"), file("e.toml", "run", after=("--out", folder / "run"))),
        "rulesets": ([rules], file("rules.toml", "rules", "show")),
        "records": (texts("tests/golden/*/*.json"), file("record.json", "verify")),
        "specs": (list(_SPECS), lambda text: ("rules", "show", "--", text)),
        "names of boards": (list(_SPECS), lambda text: ("boards", "show", "--", text)),
        "names of bots": (list(_SPECS), lambda text: ("bots", "show", "--", text)),
    }


def _changed(text: str, chance: random.Random) -> str:
    """A text with one to four changes: characters, lines, numbers or strings."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text) + 1)
        end = min(len(text), at + chance.choice([1, 1, 2, 10, 200]))
        how = chance.randrange(6)
        if how == 0:
            text = text[:at] + chance.choice(string.printable) + text[at + 1 :]
        elif how == 1:
            text = text[:at] + text[end:]
        elif how == 2:
            text = text[:at] + text[at:end] + text[at:]
        elif how == 3:
            text = text[:at] + chance.choice(_ODD) + text[end:]
        elif how == 4:
            text = text[:at] + "\udcff" + text[at:]  # a byte that is no UTF-8
        else:
            text = _other_value(text, chance)
    return text


def _other_value(text: str, chance: random.Random) -> str:
    """Give a word of a text, mostly a key or a value, another value."""
    words = text.split(" ")
    words[chance.randrange(len(words))] = chance.choice(_ODD)
    return " ".join(words)


def _try(kind: str, words: tuple[object, ...], text: str, counts: Counts) -> None:
    began = time.monotonic()
    result = run(*words)
    counts.count("refused" if result.exit_code else "accepted")
    about = f"{kind}, {text[:300]!r}"
    counts.expect(result.exit_code in (0, 1, 2), f"{about}: exit code {result.exit_code}")
    for bad in ("internal error", "Traceback", "\x1b"):
        counts.expect(bad not in result.output, f"{about}: {result.output[:500]!r}")
    counts.expect(time.monotonic() - began < _PATIENCE_S, f"{about}: it took {time.monotonic() - began:.0f} s")
