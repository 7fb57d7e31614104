"""Writes the golden games: `python -m tests.golden.metromania.regenerate`.

A change of these files is a change of the rules, of a bot or of the random streams; raise RULES_VERSION with it.
"""

from dataclasses import dataclass
from pathlib import Path

from mmsim.core import records
from mmsim.core.rng import Seed
from mmsim.metromania.bots import seat_bots
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.reference import play_out, set_up
from mmsim.metromania.rules.reference_scoring import result
from mmsim.metromania.rules.rulesets import parse
from mmsim.metromania.shell import record
from mmsim.system.files import write_atomically

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Golden:
    """One golden game."""

    spec: str
    players: int
    board: str
    seed: Seed

    @property
    def stem(self) -> str:
        """The ruleset without its knobs and the number of players."""
        return f"{self.spec.partition(',')[0].replace('+', '-')}-{self.players}p"

    def text(self) -> str:
        rules = parse(self.spec).resolve(self.players)
        game = set_up(board_file.load(self.board), rules, self.seed)
        bots = seat_bots("uniform", rules.companies)
        play_out(game, self.seed)
        return records.dumps(record.record_of(game, result(game), [bot.name for bot in bots], self.seed))


GAMES = (
    Golden("en1", 4, "box", Seed(1)),
    Golden("en1", 3, "compact", Seed(2)),
    Golden("en1+loyal", 4, "compact", Seed(3)),
    Golden("en1+no-corruption", 4, "open", Seed(4)),
    Golden("en1+regular", 2, "compact", Seed(5)),
    Golden("en1+advanced", 2, "box", Seed(6)),
    Golden("print", 4, "box", Seed(7)),
    Golden("print", 4, "grand", Seed(7, 12)),
    Golden("print", 3, "compact", Seed(8)),
    Golden("print+loyal", 3, "open", Seed(9)),
    Golden("print+no-corruption", 4, "compact", Seed(10)),
    Golden("print+advanced", 2, "compact", Seed(11)),
    Golden("nl", 4, "open", Seed(0)),  # the stations run out
    Golden("nl", 3, "roomy", Seed(13)),
    Golden("nl+loyal", 4, "compact", Seed(14)),
    Golden("nl+no-corruption", 4, "box", Seed(15)),
    Golden("nl+regular", 2, "open", Seed(1)),  # deadlock: four lines, and five would have to be stuck
    Golden("nl+advanced", 2, "compact", Seed(17)),
    Golden("v2", 4, "random:4", Seed(18)),
    Golden("v2", 3, "grand", Seed(2)),
    Golden("v2", 2, "compact", Seed(3)),  # both lines of a company end
    Golden("v2+hidden", 4, "compact", Seed(21)),
    Golden("v2+no-corruption", 3, "compact", Seed(22)),
    Golden("v2+no-corruption", 4, "open", Seed(23)),
    Golden("v2+regular", 2, "box", Seed(24)),
    Golden("print,end_lines=8", 3, "grand", Seed(6)),
    Golden("en1,stations=3,trigger_turn=finish,last_round=others", 4, "compact", Seed(26)),
    Golden("nl,tunnels_per_line=4,dig=1,markers_per_turn=2", 4, "compact", Seed(27)),
    Golden("print,end_lines=1,change_minutes=0,ride_minutes=2,half_kept=ceil", 4, "compact", Seed(28)),
    Golden("v2,shared_trip=all,shared_fault=all,end_lines=8,stations=60", 2, "compact", Seed(19)),
)


def contents() -> dict[str, str]:
    """The name of every file and what is in it; games of one stem are numbered."""
    files: dict[str, str] = {}
    for golden in GAMES:
        number = 1 + sum(name.startswith(f"{golden.stem}-") for name in files)
        files[f"{golden.stem}-{number:02}.json"] = golden.text()
    return files


def write(folder: Path, files: dict[str, str]) -> None:
    """Exactly these files into a folder."""
    for old in folder.glob("*.json"):
        if old.name not in files:
            old.unlink()
    for name, text in files.items():
        write_atomically(folder / name, text.encode())
    print(f"{len(files)} games -> {folder}")


if __name__ == "__main__":
    write(FOLDER, contents())
