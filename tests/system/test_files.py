"""Output goes where it was asked to go: files are replaced whole; devices, FIFOs and links stay what they are."""

import fcntl
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mmsim.errors import MmsimError, UsageError
from mmsim.system.files import open_for_appending, open_output, read_toml, write_atomically, write_output


def test_a_fifo_is_written_to_and_stays_a_fifo(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()))
    reader.start()
    write_output(fifo, b"rows")
    reader.join(10)
    assert read == [b"rows"]
    assert fifo.is_fifo()


def test_a_device_is_written_to_and_stays_a_device(tmp_path: Path) -> None:
    link = tmp_path / "null"
    link.symlink_to(os.devnull)  # if this replaced anything, it would be the link and not the device of this machine
    write_output(link, b"rows")
    assert link.is_symlink()
    assert link.is_char_device()


def test_a_link_stays_a_link_and_its_file_is_replaced_whole(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    file, link = tmp_path / "data" / "file", tmp_path / "link"
    file.write_bytes(b"old")
    link.symlink_to(file)
    with open_output(link) as out:
        out.write(b"new")
        assert file.read_bytes() == b"old"
    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    assert [path.name for path in file.parent.iterdir()] == ["file"]


def test_a_link_in_a_folder_of_ours_is_replaced_and_never_followed(tmp_path: Path) -> None:
    victim, link = tmp_path / "victim", tmp_path / "manifest.json"
    victim.write_bytes(b"precious")
    link.symlink_to(victim)
    write_atomically(link, b"{}")
    assert victim.read_bytes() == b"precious"
    assert not link.is_symlink()
    assert link.read_bytes() == b"{}"


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_in_the_place_of_a_temporary_file_is_not_followed(tmp_path: Path, link: Callable[..., None]) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    link(victim, tmp_path / f".manifest.json.{os.getpid()}.tmp")
    write_atomically(tmp_path / "manifest.json", b"{}")
    assert victim.read_bytes() == b"precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifest.json", "victim"]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path, victim: path.symlink_to(victim), "Too many levels of symbolic links"),
        (lambda path, victim: os.link(victim, path), "it is a hard link, so the file has another name too"),
        (lambda path, victim: os.mkfifo(path), "it is not a regular file"),
        (lambda path, victim: path.mkdir(), "Is a directory"),
    ],
)
def test_only_a_file_without_another_name_is_appended_to(
    tmp_path: Path, make: Callable[[Path, Path], object], says: str
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    make(tmp_path / "run.log", victim)
    with pytest.raises(OSError, match=says):
        open_for_appending(tmp_path / "run.log")
    assert victim.read_bytes() == b"precious"
    for word in (b"one ", b"two"):
        with open_for_appending(tmp_path / "other.log") as file:
            file.write(word)
    assert (tmp_path / "other.log").read_bytes() == b"one two"


def test_nothing_of_ours_replaces_what_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(MmsimError, match=r"cannot write .*fifo: it is not a regular file"):
        write_atomically(tmp_path / "fifo", b"{}")
    assert (tmp_path / "fifo").is_fifo()


def test_half_of_a_file_is_never_seen(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def write_half() -> None:
        with open_output(file) as out:
            out.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_half()
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = " + "[" * 3000 + "]" * 3000, "is not valid TOML: it is nested too deeply"),
        ("a = " + "9" * 5000, "is not valid TOML: Exceeds the limit"),
        ("a = ", "is not valid TOML: "),
    ],
)
def test_toml_that_is_too_much_is_a_sentence(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "x.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=f"the file .*x.toml {says}"):
        read_toml(file, "the file")


def test_a_fifo_or_a_device_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.toml")
    for path in (tmp_path / "x.toml", Path("/dev/zero")):
        with pytest.raises(UsageError, match="it is not a regular file"):
            read_toml(path, "the file")


def test_what_a_killed_writer_left_is_removed_by_the_next_and_what_another_writes_stays(tmp_path: Path) -> None:
    left, others, written = (tmp_path / name for name in (".x.csv.1.tmp", ".y.csv.1.tmp", ".x.csv.2.tmp"))
    for path in (left, others, written):
        path.write_text("half")
    with written.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_output(tmp_path / "x.csv", b"whole")
        assert sorted(path.name for path in tmp_path.iterdir()) == [".x.csv.2.tmp", ".y.csv.1.tmp", "x.csv"]
