"""Frames on a stream socket between two processes of one machine.

A frame is a header of 16 bytes (mark, kind, length, number) and its content. A stream neither loses nor reorders bytes,
so a frame is whole or still on its way; what is not a frame comes from a program that does not belong here.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import select
import socket
import struct
import time
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from acres_ros.errors import AcresError

PROTOCOL_VERSION = 4

HEADER = struct.Struct("<4sIII")
"""Mark, kind, length of the content in bytes, number of a barrier or 1 and 0 for yes and no."""

SCAN_HEAD = struct.Struct("<4q")
"""The numbers of a `core.sample.Sweep`, which its points follow."""

TIME = struct.Struct("<q")
"""The content of a `TIME`: a step count."""

MARK = b"acrl"
LONGEST_CONTENT = 64 * 1024 * 1024
LONGEST_GREETING = 4096
"""The most that is read of a joiner before it has shown that it is one of ours, bytes."""

_FIRST_BUFFER = 64 * 1024


class Kind(IntEnum):
    """What a frame carries.

    `JOIN` (vehicle to physics) and `HELLO` or `REFUSED` (physics to vehicle) open a link. `SAMPLES`, `BARRIER` and
    another `HELLO`, when what is simulated has changed, go from physics to vehicle; `DONE` answers a barrier. `SCAN`
    goes from physics to vehicle when that has said with `READERS` that somebody reads the scans. `RECALL` follows a
    `HELLO` when a snapshot was restored: samples that were published before. `TIME` carries a step count, whose time is
    to be published again.
    """

    JOIN = 1
    HELLO = 2
    REFUSED = 3
    SAMPLES = 4
    BARRIER = 5
    DONE = 6
    SCAN = 7
    READERS = 8
    RECALL = 9
    TIME = 10


class Frame(NamedTuple):
    """One whole frame.

    Attributes:
        kind: what it carries.
        number: of a barrier, or 1 and 0 for yes and no.
        content: its own copy; that of a `SCAN` lies in the buffer of the socket, until the next frame is received.
    """

    kind: Kind
    number: int
    content: bytearray | memoryview


class LinkError(AcresError):
    """The base of the errors of the link between acres_physics and acres_vehicle."""


class LinkLostError(LinkError):
    """Report that the other node is gone, or never was there."""

    def __init__(self, peer: str, reason: str) -> None:
        super().__init__(f"the link to {peer} is lost: {reason}. Start {peer} again; it joins by itself.")
        self.peer = peer
        self.reason = reason


class LinkTimeoutError(LinkError):
    """Report that the other node is alive and has not taken what was sent. Nothing is lost: it goes out first."""

    def __init__(self, peer: str, waited_s: float, waiting: int) -> None:
        super().__init__(
            f"{peer} took nothing for {waited_s:g} s while {waiting} bytes wait for it. "
            "It is stopped or far too slow; continue it, or lower the rate."
        )
        self.peer = peer
        self.waiting = waiting


class BarrierTimeoutError(LinkError):
    """Report that the other node did not say in time that it has handled everything. The link stays usable."""

    def __init__(self, peer: str, waited_s: float) -> None:
        super().__init__(
            f"{peer} did not finish what was sent to it within {waited_s:g} s. "
            "It is stopped or far too slow; look at its log, or ask for fewer steps at a time."
        )
        self.peer = peer


class NotAFrameError(LinkError):
    """Report bytes that are no frame of this link."""

    def __init__(self, peer: str, found: bytes) -> None:
        super().__init__(
            f"{peer} sent {found!r}, which is no frame of this link; only acres_ros nodes of one version may use it."
        )
        self.peer = peer


def layout_hash(dtype: np.dtype[Any]) -> str:
    """Return 16 hex digits that change with the name, the type or the place of any field.

    Args:
        dtype: structured type of one sample.
    """
    return hashlib.sha256(_layout(dtype).encode()).hexdigest()[:16]


def _layout(dtype: np.dtype[Any]) -> str:
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return f"{shape}{_layout(base)}"
    if dtype.fields is None:
        return dtype.str
    fields = (f"{name}@{dtype.fields[name][1]}:{_layout(dtype.fields[name][0])}" for name in dtype.names or ())
    return f"{dtype.itemsize}{{{','.join(fields)}}}"


class FrameSocket:
    """Send and receive frames on one connected socket; waiting is done in `poll`, never in a loop.

    Args:
        connection: connected stream socket; it is made non-blocking.
        peer: name of the other end, for errors.
    """

    def __init__(self, connection: socket.socket, peer: str) -> None:
        connection.setblocking(False)
        self.socket = connection
        self.peer = peer
        self.longest = LONGEST_CONTENT
        self._waiting = bytearray()
        self._held: list[memoryview] = []
        self._buffer = bytearray(_FIRST_BUFFER)
        self._start = 0
        self._end = 0
        self._poll = select.poll()
        self._poll.register(connection, select.POLLIN)

    def close(self) -> None:
        """Close the socket; the other end sees it at once, and so does a thread of this process that waits here."""
        with contextlib.suppress(OSError):  # the other end may have ended it already
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    # -- sending ------------------------------------------------------------------------------------------------------

    def send(
        self, kind: Kind, *contents: Any, number: int = 0, timeout_s: float | None = None, more: bool = False
    ) -> None:
        """Send one frame after all that was sent before; wait while the other end is slow.

        Args:
            kind: what the frame carries.
            contents: bytes-like objects, one behind the other.
            number: of a barrier, or 1 and 0.
            timeout_s: longest wait, s; None waits as long as the other end lives.
            more: another frame follows at once and takes this one along: the other end then wakes once for both.

        Raises:
            LinkLostError: the other end is gone.
            LinkTimeoutError: it took nothing for the time; the frame is kept and goes out before the next.
        """
        views = [memoryview(content).cast("B") for content in contents if len(content)]
        left = [*self._held, memoryview(HEADER.pack(MARK, kind, sum(map(len, views)), number)), *views]
        self._held = left if more else []
        if more:
            return
        since = time.monotonic()
        deadline = None if timeout_s is None else since + timeout_s
        if not self._waiting:
            left = self._send_parts(left, deadline)
        if left:
            self._waiting += b"".join(left)
            self.flush(timeout_s, since=since)

    def _send_parts(self, parts: list[memoryview], deadline: float | None) -> list[memoryview]:
        """Send parts without joining them; return what could not be sent until the deadline."""
        while True:
            sent = self._try(self.socket.sendmsg, parts)
            while parts and sent >= len(parts[0]):
                sent -= len(parts.pop(0))
            if not parts:
                return parts
            parts[0] = parts[0][sent:]
            if not self._wait(select.POLLOUT, deadline):
                return parts

    def send_json(self, kind: Kind, content: dict[str, Any], *, timeout_s: float | None = None) -> None:
        """Send a frame of JSON; errors as `send`."""
        self.send(kind, json.dumps(content, allow_nan=False).encode(), timeout_s=timeout_s)

    def flush(self, timeout_s: float | None = None, *, since: float | None = None) -> None:
        """Send what is kept; errors as `send`. `since`: when the wait has begun, monotonic, s; None: now."""
        begin = time.monotonic() if since is None else since
        deadline = None if timeout_s is None else begin + timeout_s
        while self._waiting:
            sent = self._try(self.socket.send, self._waiting)
            del self._waiting[:sent]
            if self._waiting and not self._wait(select.POLLOUT, deadline):
                raise LinkTimeoutError(self.peer, timeout_s or 0.0, len(self._waiting))

    def _try(self, operation: Any, content: Any) -> int:
        try:
            return int(operation(content))
        except BlockingIOError:
            return 0
        except OSError as error:
            raise LinkLostError(self.peer, error.strerror or str(error)) from error

    # -- receiving ----------------------------------------------------------------------------------------------------

    def receive(self, timeout_s: float | None = None) -> Frame | None:
        """Return the next frame, or None when none is whole in time.

        Args:
            timeout_s: longest wait, s; 0 takes only what has arrived; None waits as long as the other end lives.

        Raises:
            LinkLostError: the other end is gone and all that it sent has been received.
            NotAFrameError: the bytes are no frame.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            frame = self._next_frame()
            if frame is not None:
                return frame
            if not self._read() and not self._wait(select.POLLIN, deadline):
                return None

    def _next_frame(self) -> Frame | None:
        """Cut the first whole frame out of the buffer, and make room for the rest of a partial one."""
        held = self._end - self._start
        if held < HEADER.size:
            self._make_room(HEADER.size)
            return None
        mark, kind, length, number = HEADER.unpack_from(self._buffer, self._start)
        if mark != MARK or length > self.longest or kind not in _KINDS:
            raise NotAFrameError(self.peer, bytes(self._buffer[self._start : self._start + HEADER.size]))
        if held < HEADER.size + length:
            self._make_room(HEADER.size + length)
            return None
        first = self._start + HEADER.size
        content: bytearray | memoryview
        if kind == Kind.SCAN:
            content = memoryview(self._buffer)[first : first + length]
        else:
            content = self._buffer[first : first + length]
        self._start = first + length
        return Frame(Kind(kind), number, content)

    def _make_room(self, size: int) -> None:
        """Let a frame of `size` bytes fit behind the start; a buffer that once was large enough is used again."""
        if self._start == self._end:
            self._start = self._end = 0
        if self._start + size <= len(self._buffer):
            return
        held = self._buffer[self._start : self._end]
        if size > len(self._buffer):
            self._buffer = bytearray(size)
        self._buffer[: len(held)] = held
        self._start, self._end = 0, len(held)

    def _read(self) -> bool:
        """Take what has arrived; say whether there was anything."""
        try:
            with memoryview(self._buffer) as view:
                count = self.socket.recv_into(view[self._end :])
        except BlockingIOError:
            return False
        except OSError as error:
            raise LinkLostError(self.peer, error.strerror or str(error)) from error
        if count == 0:
            raise LinkLostError(self.peer, "it closed the link or ended")
        self._end += count
        return True

    def _wait(self, event: int, deadline: float | None) -> bool:
        """Sleep until the socket is ready or the other end is gone; say whether that came before the deadline."""
        try:
            self._poll.modify(self.socket, event)
        except ValueError:
            raise LinkLostError(self.peer, "it was closed at this end") from None
        left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000.0
        return bool(self._poll.poll(left))


_KINDS = frozenset(int(kind) for kind in Kind)
