"""Output goes where it was asked to go: files are replaced whole; devices, FIFOs and links stay what they are."""

import os
import threading
from pathlib import Path

import pytest

from mmsim.core.errors import MmsimError
from mmsim.core.files import output, write_atomically, write_output


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
    with output(link) as out:
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


def test_nothing_of_ours_replaces_what_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(MmsimError, match=r"cannot write .*fifo: it is no regular file"):
        write_atomically(tmp_path / "fifo", b"{}")
    assert (tmp_path / "fifo").is_fifo()


def test_half_of_a_file_is_never_seen(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def write_half() -> None:
        with output(file) as out:
            out.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_half()
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]
