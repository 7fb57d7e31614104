"""Messages between two processes over a socket; a deadline holds for every byte, whatever the other side does."""

import select
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from socket import socket

_LENGTH = struct.Struct("!I")  # precedes every message
_CHUNK_BYTES = 1 << 16
_LONGEST_WAIT_S = 3600.0  # of one call of poll, whose timeout must fit into an int


class MessageSocket:
    """One end of a connection that carries whole messages and never blocks beyond a deadline."""

    def __init__(self, connected: socket) -> None:
        connected.setblocking(False)
        self._socket = connected
        self._received = bytearray()
        self._beside: dict[int, Callable[[], bool]] = {}

    def read_beside(self, descriptor: int, read: Callable[[], bool]) -> None:
        """While waiting, call `read` whenever a descriptor is readable, until it returns False."""
        self._beside[descriptor] = read

    def send(self, message: bytes, deadline: float = inf) -> None:
        """TimeoutError if the other side has not read it by then, OSError if it is gone."""
        rest = memoryview(_LENGTH.pack(len(message)) + message)
        while rest:
            self._wait(select.POLLOUT, deadline)
            with suppress(BlockingIOError):
                rest = rest[self._socket.send(rest) :]

    def receive(self, deadline: float = inf, max_bytes: int = (1 << 32) - 1) -> bytes:
        """The next message; TimeoutError, EOFError if the other side is gone, ValueError if it is too long."""
        (length,) = _LENGTH.unpack(self._receive_exactly(_LENGTH.size, deadline))
        if length > max_bytes:
            raise ValueError(f"a message of {length:,} bytes")
        return self._receive_exactly(length, deadline)

    def _receive_exactly(self, count: int, deadline: float) -> bytes:
        while len(self._received) < count:
            self._wait(select.POLLIN, deadline)
            with suppress(BlockingIOError):
                chunk = self._socket.recv(_CHUNK_BYTES)
                if not chunk:
                    raise EOFError
                self._received += chunk
        content = bytes(self._received[:count])
        del self._received[:count]
        return content

    def _wait(self, event: int, deadline: float) -> None:
        """Wait until the socket can be read or written; meanwhile read what is beside it."""
        while (seconds := deadline - time.monotonic()) > 0:
            poll = select.poll()
            poll.register(self._socket, event)
            for descriptor in self._beside:
                poll.register(descriptor, select.POLLIN)
            ready = dict(poll.poll(1000 * min(seconds, _LONGEST_WAIT_S)))
            for descriptor in self._beside.keys() & ready.keys():
                if not self._beside[descriptor]():
                    del self._beside[descriptor]
            if self._socket.fileno() in ready:
                return
        raise TimeoutError

    def close(self) -> None:
        self._socket.close()
