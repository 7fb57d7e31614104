"""A command whose library is not installed says so, with the command that installs it."""

import shlex
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from mmsim.system.extras import missing_extra
from tests.cli.runner import complaint
from tests.runs import write_run

USAGE = 2
EXTRAS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
PLAY = ("run", "--rules", "metro", "--bots", "uniform", "--games", 4, "--quiet", "--out", "played")


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "small", ["metro"], games=4)


@pytest.mark.parametrize(
    ("library", "extra", "purpose", "words"),
    [
        ("xlsxwriter", "export", "workbooks need", ("export", "RUN", "--out", "tables.xlsx")),
        ("duckdb", "export", "databases need", ("export", "RUN", "--out", "tables.duckdb")),
        ("cryptography", "cluster", "certificates need", ("cluster", "certificates", "tls")),
        ("distributed", "cluster", "--cluster needs", (*PLAY, "--cluster", "tcp://127.0.0.1:8786")),
    ],
)
def test_a_missing_library_is_one_sentence_with_what_to_type(
    library: str,
    extra: str,
    purpose: str,
    words: tuple[object, ...],
    small_run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, library, None)
    text = complaint(USAGE, *(small_run if word == "RUN" else word for word in words))
    start, _, command = text.partition(": ")
    assert start == f"{purpose} the extra mmsim[{extra}]"
    assert shlex.split(command) == ["pip", "install", *EXTRAS[extra]]


def test_in_a_checkout_that_is_not_installed_pip_reads_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_installed(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr("mmsim.system.extras.requires", not_installed)
    assert str(missing_extra("workbooks need", "export")).endswith(": pip install '.[export]'")
