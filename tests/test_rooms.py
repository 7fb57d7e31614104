"""The rooms of the package: which may import from which, and what none of them may know."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mmsim.batch.experiment import from_mapping
from mmsim.batch.run import Run
from mmsim.games import GAMES, TITLES, find_game, find_shell, find_statistics
from mmsim.system.files import data_folder

MMSIM = Path(__file__).parent.parent / "mmsim"
ROOMS = (
    "errors",
    "system",
    "core",
    "tables",
    "compiled",
    "drawing",
    *GAMES,
    "batch",
    "contests",
    "analysis",
    "report",
    "cli",
)  # from low to high
FLOORS = ("rules", "engine", "bots", "shell")  # of every game, from low to high; `game` and `metrics` are above them
SHARED = [room for room in ROOMS if room not in GAMES and (MMSIM / room).is_dir()]
NAME = re.compile(rf"\b({'|'.join((*GAMES, *TITLES))})\b")


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All syntax nodes of a source."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything a source imports from this package, also inside functions."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name.split(".")[0] == "mmsim")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are written in full"
            if node.module and node.module.split(".")[0] == "mmsim":
                yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def sources(folder: Path) -> list[Path]:
    paths = sorted(folder.rglob("*.py"))
    assert paths
    return paths


@pytest.mark.parametrize("room", [room for room in SHARED if (MMSIM / room).is_dir()])
def test_no_shared_room_names_a_game(room: str) -> None:
    files = [path for path in (MMSIM / room).rglob("*") if path.is_file() and path.suffix != ".pyc"]
    named = [
        f"{path.relative_to(MMSIM)}:{number}: {line.strip()}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if NAME.search(line)
    ]
    assert named == []


@pytest.mark.parametrize("room", [room for room in ROOMS if (MMSIM / room).is_dir()])
def test_a_room_imports_only_from_lower_rooms(room: str) -> None:
    lower = set(ROOMS[: ROOMS.index(room) + 1]) | {"__version__"}
    if room in GAMES:
        lower -= set(GAMES) - {room}  # the games know nothing of each other
    elif ROOMS.index(room) > ROOMS.index(GAMES[-1]):
        lower = lower - set(GAMES) | {"games"}  # a game is reached by its name
    wrong = [
        f"{path.relative_to(MMSIM)}:{line}: {name}"
        for path in sources(MMSIM / room)
        for line, name in imports(path)
        if name.split(".")[1] not in lower
    ]
    assert wrong == []


@pytest.mark.parametrize("game", GAMES)
def test_the_floors_of_a_game_import_only_from_lower_floors(game: str) -> None:
    wrong = []
    for path in sources(MMSIM / game):
        floor = path.relative_to(MMSIM / game).parts[0]
        allowed = (
            FLOORS[: FLOORS.index(floor) + 1]
            if floor in FLOORS
            else (*FLOORS, "game", "interventions", "metrics", "openings")
        )
        wrong += [
            f"{path.relative_to(MMSIM)}:{line}: {name}"
            for line, name in imports(path)
            if name.split(".")[1] == game and name.split(".")[2] not in allowed
        ]
    assert wrong == []


@pytest.mark.parametrize("game", GAMES)
def test_a_game_has_the_four_floors_and_nothing_beside_them(game: str) -> None:
    inside = {path.stem for path in (MMSIM / game).iterdir() if path.name != "__pycache__"}
    assert inside <= {*FLOORS, "__init__", "game", "interventions", "metrics", "openings"}
    assert {*FLOORS, "game", "metrics"} < inside


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_are_plain_python(game: str) -> None:
    """The lowest floor needs no compiler."""
    wrong = [
        f"{path.relative_to(MMSIM)}:{line}: {name}"
        for path in sources(MMSIM / game / "rules")
        for line, name in imports(path)
        if name.split(".")[1] == "compiled"
    ]
    assert wrong == []


def test_only_the_compiled_room_names_the_compiler() -> None:
    for path in sources(MMSIM):
        if path.relative_to(MMSIM).parts[0] != "compiled":
            for node in nodes(path):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                assert not {name.split(".")[0] for name in names} & {"numba", "llvmlite"}, path


def test_no_shared_room_names_a_column_or_a_board_of_one_game() -> None:
    """Units like `points`, and keys like `turn` that the records of all games have, may share a name with a column."""
    columns = {game: {name for schema in find_game(game).tables.values() for name in schema} for game in GAMES}
    private = set.union(*columns.values()) - set.intersection(*columns.values())
    private -= {measure.unit for game in GAMES for measure in find_statistics(game).metrics}
    private -= set.intersection(*(set(_golden(game)["moves"][0]) for game in GAMES))
    private |= {path.stem for path in data_folder("boards").glob("*.toml")}
    assert {"coverage", "wagons", "compact"} < private
    named = [
        f"{path.relative_to(MMSIM)}:{node.lineno}: {node.value}"
        for room in SHARED
        for path in sources(MMSIM / room)
        for node in nodes(path)
        if isinstance(node, ast.Constant) and node.value in private
    ]
    assert named == []


def _key_reads(path: Path) -> Iterator[tuple[int, str]]:
    """Line and key of every `x["key"]`, `x.get("key")` and `"key" in x` of a source."""
    for node in nodes(path):
        keys: list[ast.expr] = []
        if isinstance(node, ast.Subscript):
            keys = [node.slice]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
            keys = node.args[:1]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            keys = [node.left]
        yield from (
            (key.lineno, key.value) for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)
        )


def _described(game: str, folder: Path) -> list[dict[str, Any]]:
    """The variants of a game as the manifest of a run describes them, one for every edition."""
    editions = list(find_shell(game).editions)
    values = {"name": game, "game": game, "variants": editions, "bots": "uniform", "games": 1}
    manifest = Run.create(folder / game, from_mapping(values)).folder / "manifest.json"
    variants: list[dict[str, Any]] = json.loads(manifest.read_text(encoding="utf-8"))["variants"]
    return variants


def test_no_shared_room_reads_a_key_that_only_one_game_has(tmp_path: Path) -> None:
    """Keys of rulesets, boards, and the description of a variant around them.

    What a shared room needs of a variant is a key that every game has, or an answer of its shell.
    """
    variants = {game: _described(game, tmp_path) for game in GAMES}
    private = set()
    for place in (None, "ruleset", "board"):
        by_game = [
            {key for variant in variants[game] for key in (variant if place is None else variant.get(place, {}))}
            for game in GAMES
        ]
        private |= set.union(*by_game) - set.intersection(*by_game)
    private |= {key for path in data_folder("boards").glob("*.toml") for key in tomllib.loads(path.read_text())}
    private -= {"name", "title", "set"}  # `set` is that of every game with board sets
    assert {"companies", "hands", "orientation", "wagons", "side"} < private
    read = [
        f"{path.relative_to(MMSIM)}:{line}: {key}"
        for room in SHARED
        for path in sources(MMSIM / room)
        for line, key in _key_reads(path)
        if key in private
    ]
    assert read == []


def _golden(game: str) -> dict[str, Any]:
    """A record of a game."""
    record: dict[str, Any] = json.loads(next((Path(__file__).parent / "golden" / game).glob("*.json")).read_text())
    return record


def test_the_command_line_starts_without_games_and_slow_libraries() -> None:
    slow = ("numba", "polars", "matplotlib", "scipy", *(f"mmsim.{game}" for game in GAMES))
    program = f"import sys, mmsim.cli.commands; print([name for name in {slow!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def _is_command(node: ast.FunctionDef) -> bool:
    """True for a command, whose arguments are its options, with a line or more each."""
    return "option(" in ast.unparse(node.args)


def test_a_function_is_short_and_takes_few_arguments_or_says_why_not() -> None:
    unexplained = []
    for path in sources(MMSIM):
        for node in nodes(path):
            if not isinstance(node, ast.FunctionDef) or _is_command(node):
                continue
            names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            lines, reason = (node.end_lineno or 0) - node.lineno + 1, (ast.get_docstring(node) or "").lower()
            if len(names) - (names[:1] in (["self"], ["cls"])) > 8 and "arguments" not in reason:
                unexplained.append(f"{path.relative_to(MMSIM)}:{node.lineno} {node.name} takes {len(names)} arguments")
            if lines > 60 and "in one piece" not in reason:
                unexplained.append(f"{path.relative_to(MMSIM)}:{node.lineno} {node.name} has {lines} lines")
    assert unexplained == []
