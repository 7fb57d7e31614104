"""Single bits flipped in any file of a run: every command that reads numbers refuses, or gives the same numbers."""

import random
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cli.served import CommandLine
from tests.faults.counts import Counts
from tests.runs import write_run

_NO_DATA = ("run.log", "lock")


def main(seconds: float, seed: int) -> Counts:
    """Flip bits until the time is up."""
    counts, chance, shell = Counts("flips"), random.Random(seed), CommandLine()
    with TemporaryDirectory() as place:
        run, spare, csv = Path(place) / "run", Path(place) / "spare", Path(place) / "table.csv"
        write_run(run, ["print", "print+loyal"], games=240, part_games=120)
        heat_map, page = Path(place) / "heat.svg", Path(place) / "page.html"
        chances = "chances", run, "--games", 2, "--playouts", 2, "--json", "--workers", 1
        heat = "heat", run, "--games", 2, "--out", heat_map, "--workers", 1
        for words in (chances, heat, ("why", run, "--games", 8, "--only", "hands=open", "--workers", 1)):
            counts.expect(shell.ask(*words).code == 0, f"{words[0]} failed")
        shutil.copytree(run, spare)
        readers: list[tuple[object, ...]] = [
            ("export", run, "--table", table, "--out", csv) for table in ("games", "seats", "trips", "lines")
        ]
        readers += [
            ("compare", run, "--json"),
            chances,
            heat,
            ("replay", run, "--variant", "print-4p", "--number", 0, "--out", page),
            ("report", run, "--out", Path(place) / "report"),
        ]
        outputs = csv, heat_map, page, Path(place) / "report" / "report.html"

        def read(words: tuple[object, ...]) -> tuple[int | None, str]:
            for output in outputs:
                output.unlink(missing_ok=True)
            answer = shell.ask(*words)
            counts.expect(answer.problem is None, f"{answer.problem}")
            return answer.code, answer.out + "".join(output.read_text() for output in outputs if output.exists())

        whole = {words: read(words) for words in readers}
        files = [path for path in sorted(run.rglob("*")) if path.is_file() and path.name not in _NO_DATA]
        while counts.has_time(seconds):
            path, words = chance.choice(files), chance.choice(readers)
            data = bytearray(path.read_bytes())
            at, bit = chance.randrange(len(data)), chance.randrange(8)
            data[at] ^= 1 << bit
            path.write_bytes(data)
            where = f"bit {bit} of byte {at} of {path.relative_to(run)}"
            code, text = read(words)
            counts.count("bits flipped")
            counts.count("refused by a reader" if code else "read past")
            counts.expect(code or (code, text) == whole[words], f"{where}: {words[0]} gave other numbers")
            checked = shell.ask("check", run, "--sample", 0)
            counts.expect(
                checked.code == 1 and checked.problem is None, f"{where}: check said {checked.out}{checked.err}"
            )
            shutil.copy2(spare / path.relative_to(run), path)
    shell.close()
    return counts


if __name__ == "__main__":
    counted = main(float(sys.argv[1]), int(sys.argv[2]))
    print(counted, *counted.failures, sep="\n  ")
