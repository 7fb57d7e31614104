"""What `make installs` looks for and compares."""

import sys
import zipfile
from pathlib import Path

import pytest

from build_tools.installs import OLDEST, differing_files, find_pythons


def test_this_python_is_found_by_its_name_and_an_old_one_is_not_used(tmp_path: Path) -> None:
    (found,) = find_pythons([sys.executable])
    assert found.version == sys.version_info[:3]
    old = tmp_path / "python3.10"
    old.write_text(f"#!/bin/sh\necho {OLDEST[0]} {OLDEST[1] - 1} 9 cpython\n")
    old.chmod(0o700)
    assert find_pythons([str(old)]) == []


def test_of_several_releases_the_newest_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for release in (4, 11, 9):
        folder = tmp_path / "versions" / f"3.12.{release}" / "bin"
        folder.mkdir(parents=True)
        (folder / "python3.12").write_text(f"#!/bin/sh\necho 3 12 {release} cpython\n")
        (folder / "python3.12").chmod(0o700)
    broken = tmp_path / "python3.13"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o700)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}:{tmp_path / 'shims'}")
    assert [python.version for python in find_pythons()] == [(3, 12, 11)]


def test_a_python_is_named_by_its_path_or_looked_for_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Path(sys.executable)
    monkeypatch.setenv("PATH", str(here.parent))
    assert [python.path for python in find_pythons([here.name])] == [here]  # strangers have another PATH


def test_a_python_that_is_named_and_does_not_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="is not a Python that runs"):
        find_pythons([str(tmp_path / "nowhere")])


def test_wheels_are_compared_by_their_files_but_not_by_compiled_code(tmp_path: Path) -> None:
    contents = {"mmsim/a.py": "a", "mmsim/compiled/shipped/metro-1/library.so": "x", "mmsim-1.dist-info/RECORD": "x"}
    others = {**dict.fromkeys(contents, "other"), "mmsim/b.py": "b"}
    for name, files in (("one", contents), ("two", others)):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for file, text in files.items():
                archive.writestr(file, text)
    assert differing_files(tmp_path / "one", tmp_path / "two") == ["mmsim/a.py", "mmsim/b.py"]
    assert differing_files(tmp_path / "one", tmp_path / "one") == []
