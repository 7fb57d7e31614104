"""Messages over a socket: whole, whatever their size, and never later than a deadline."""

import threading
import time
from socket import socketpair

import pytest

from mmsim.system.messages import MessageSocket


def test_messages_arrive_whole_and_in_order() -> None:
    ours, theirs = map(MessageSocket, socketpair())
    sent = [b"", b"one", 3_000_000 * b"x", b"last"]
    sender = threading.Thread(target=lambda: [ours.send(message) for message in sent])
    sender.start()
    assert [theirs.receive() for _ in sent] == sent
    sender.join()
    ours.close()
    with pytest.raises(EOFError):
        theirs.receive()


def test_a_side_that_does_not_read_or_write_runs_into_the_deadline() -> None:
    ours, theirs = socketpair()
    messages, began = MessageSocket(ours), time.monotonic()
    for late in (
        lambda: messages.send(3_000_000 * b"x", began + 0.2),
        lambda: messages.receive(began + 0.4),
    ):
        with pytest.raises(TimeoutError):
            late()
    assert 0.4 <= time.monotonic() - began < 5
    theirs.close()


def test_what_comes_after_the_deadline_does_not_count() -> None:
    ours, theirs = map(MessageSocket, socketpair())
    theirs.send(b"late")
    with pytest.raises(TimeoutError):
        ours.receive(time.monotonic() - 1)


def test_a_message_that_is_too_long_is_not_read() -> None:
    ours, theirs = map(MessageSocket, socketpair())
    theirs.send(b"12345")
    with pytest.raises(ValueError, match="a message of 5 bytes"):
        ours.receive(max_bytes=4)
