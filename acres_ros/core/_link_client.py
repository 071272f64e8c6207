"""The end of the link in acres_vehicle."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from acres_ros.core._link_frames import (
    SCAN_HEAD,
    TIME,
    Frame,
    FrameSocket,
    Kind,
    LinkLostError,
    LinkTimeoutError,
    NotAFrameError,
)
from acres_ros.core._link_names import (
    PHYSICS,
    LinkRefusedError,
    agent_words,
    content_of,
    credentials,
    identity_of,
    link_address,
    mismatch,
    refusal_of_user,
)
from acres_ros.core.sample import Sweep
from acres_ros.errors import AcresError

ANSWER_TIMEOUT_S = 5.0
"""How long an answer to a barrier may wait for a physics node that lives and takes nothing, s."""

_RETRY_S = 0.02
_POINT = 4 * np.dtype(np.float32).itemsize


class SampleClient:
    """The end of acres_vehicle.

    Args:
        agent: name of the vehicle; empty for the first one.
        dtype: structured type of one sample.
        domain: ROS domain; None takes it from the environment.
        about: what acres_physics is told of this node when it joins, as JSON values.

    Raises:
        LinkNameError: the domain or the agent cannot be part of a name.
    """

    def __init__(
        self,
        agent: str,
        dtype: np.dtype[Any],
        *,
        domain: int | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        self._address, self._domain = link_address(domain, agent)
        self._agent = agent
        self._dtype = dtype
        self._identity = identity_of(dtype)
        self._about = dict(about or {})
        self._physics: FrameSocket | None = None
        self._asked: FrameSocket | None = None
        self._barrier: int | None = None
        self._readers = False

    def connect(self, timeout_s: float) -> dict[str, Any]:
        """Join, and return what acres_physics says to a vehicle node that joins; wait for it to start.

        A call that ends without an answer leaves the question with acres_physics; the next call takes the answer.

        Args:
            timeout_s: longest wait, s.

        Raises:
            LinkRefusedError: acres_physics has a vehicle node, or is of another version or another user.
            LinkLostError: nobody answered.
        """
        self._leave()
        deadline = time.monotonic() + timeout_s
        while True:
            hello = self._try_to_join(deadline)
            if hello is not None:
                return hello
            left = deadline - time.monotonic()
            if left <= 0.0:
                where = f"ROS domain {self._domain} and {agent_words(self._agent)}"
                raise LinkLostError(PHYSICS, f"none with {where} answered for {timeout_s:g} s")
            time.sleep(min(_RETRY_S, left))

    def receive(self, timeout_s: float | None = None) -> tuple[Kind, Any] | None:
        """Return what comes next.

        That is `(SAMPLES, array)`, oldest first, `(SCAN, Sweep)`, whose points hold until the next call,
        `(BARRIER, None)`, which wants a `done`, `(HELLO, dict)`, a new greeting for what follows,
        `(RECALL, array)`, samples that were published before, or `(TIME, int)`, a step count.

        Args:
            timeout_s: longest wait, s; 0 takes only what has arrived; None waits as long as acres_physics lives.

        Returns:
            None when nothing came in time.

        Raises:
            LinkLostError: acres_physics is gone and all that it sent has been received.
        """
        physics = self._joined()
        try:
            frame = physics.receive(timeout_s)
            if frame is None:
                return None
            samples = frame.kind in (Kind.SAMPLES, Kind.RECALL)
            if samples and len(frame.content) % self._dtype.itemsize == 0:
                return frame.kind, np.frombuffer(frame.content, self._dtype)
            if frame.kind is Kind.SCAN:
                return Kind.SCAN, _sweep(frame)
            if frame.kind is Kind.BARRIER:
                self._barrier = frame.number
                return Kind.BARRIER, None
            if frame.kind is Kind.HELLO:
                return Kind.HELLO, content_of(frame)
            if frame.kind is Kind.TIME and len(frame.content) == TIME.size:
                return Kind.TIME, TIME.unpack(frame.content)[0]
            raise NotAFrameError(PHYSICS, frame.kind.name.encode())
        except LinkLostError:
            self._leave()
            raise
        except NotAFrameError as error:
            self._leave()
            raise LinkLostError(PHYSICS, str(error)) from error

    def done(self) -> None:
        """Say that everything before the last barrier has been handled.

        Raises:
            LinkLostError: acres_physics is gone, or no barrier waits for an answer.
        """
        physics = self._joined()
        if self._barrier is None:
            raise LinkLostError(PHYSICS, "an answer was given to a barrier that it never sent")
        number, self._barrier = self._barrier, None
        try:
            physics.send(Kind.DONE, number=number, timeout_s=ANSWER_TIMEOUT_S)
        except LinkLostError:
            self._leave()
            raise

    def tell_readers(self, some: bool) -> None:
        """Say whether somebody reads the scans, where that is new.

        Raises:
            LinkLostError: acres_physics is gone.
        """
        if some == self._readers:
            return
        try:
            self._joined().send(Kind.READERS, number=int(some), timeout_s=ANSWER_TIMEOUT_S)
        except LinkLostError:
            self._leave()
            raise
        self._readers = some

    def close(self) -> None:
        """Leave; `connect` may be called again."""
        self._leave()
        self._take_back()

    def _leave(self) -> None:
        if self._physics is not None:
            self._physics.close()
            self._physics = None
        self._barrier = None
        self._readers = False

    def _take_back(self) -> None:
        if self._asked is not None:
            self._asked.close()
            self._asked = None

    def _joined(self) -> FrameSocket:
        if self._physics is None:
            raise LinkLostError(PHYSICS, "this node has not joined")
        return self._physics

    def _try_to_join(self, deadline: float) -> dict[str, Any] | None:
        """Return the greeting, or None when nobody has answered yet."""
        try:
            if self._asked is None:
                self._asked = self._ask()
            frame = self._asked.receive(max(0.0, deadline - time.monotonic()))
            if frame is None:
                return None
            refusal = (
                content_of(frame).get("reason", "no reason")
                if frame.kind is Kind.REFUSED
                else mismatch(frame, self._identity)
            )
            if refusal is not None:
                raise LinkRefusedError(str(refusal))
        except (OSError, LinkLostError, LinkTimeoutError):  # not there yet, or on its way out: try again
            self._take_back()
            return None
        except AcresError:
            self._take_back()
            raise
        self._physics, self._asked = self._asked, None
        return content_of(frame)

    def _ask(self) -> FrameSocket:
        """Return a connection on which the question to join has been put."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        physics = FrameSocket(connection, PHYSICS)
        try:
            connection.connect(self._address)
            refusal = refusal_of_user(credentials(connection))
            if refusal is not None:
                raise LinkRefusedError(refusal)
            physics.send_json(Kind.JOIN, {**self._identity, "about": self._about}, timeout_s=0.0)
        except (OSError, AcresError):
            physics.close()
            raise
        return physics


def _sweep(frame: Frame) -> Sweep:
    """Return the scan of a frame; its points lie in the frame."""
    if len(frame.content) < SCAN_HEAD.size or (len(frame.content) - SCAN_HEAD.size) % _POINT:
        raise NotAFrameError(PHYSICS, frame.kind.name.encode())
    points = np.frombuffer(frame.content, np.float32, offset=SCAN_HEAD.size).reshape(-1, 4)
    step, epoch, epoch_step, dropped = SCAN_HEAD.unpack_from(frame.content)
    return Sweep(step, epoch, epoch_step, dropped, points)
