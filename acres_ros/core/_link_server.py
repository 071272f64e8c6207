"""The end of the link in acres_physics."""

from __future__ import annotations

import contextlib
import errno
import socket
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from acres_ros.core._link_frames import (
    LONGEST_CONTENT,
    LONGEST_GREETING,
    SCAN_HEAD,
    TIME,
    BarrierTimeoutError,
    Frame,
    FrameSocket,
    Kind,
    LinkError,
    LinkLostError,
    LinkTimeoutError,
    NotAFrameError,
)
from acres_ros.core._link_names import (
    PHYSICS,
    VEHICLE,
    PhysicsRunningError,
    SampleLayoutError,
    about_of,
    credentials,
    identity_of,
    link_address,
    mismatch,
    refusal_of_user,
)
from acres_ros.core.sample import Sweep

SEND_TIMEOUT_S = 5.0
"""How long a sender waits for a vehicle node that lives and takes nothing, s."""

GREETING_TIMEOUT_S = 1.0
"""How long a program that connects may take to say that it is a vehicle node, s."""

MOST_JOINERS = 8
"""How many programs may be about to join; the oldest gives way."""


class SampleServer:
    """The end of acres_physics: takes one vehicle node at a time and sends it the samples, in order.

    Args:
        agent: name of the vehicle; empty for the first one.
        dtype: structured type of one sample.
        hello: gives what a vehicle node has to know when it joins, as JSON values (`core.greeting`).
        domain: ROS domain; None takes it from the environment.

    Attributes:
        about: what the vehicle node that joined last has said of itself, as JSON values.

    Raises:
        PhysicsRunningError: another server has the name.
        LinkNameError: the domain or the agent cannot be part of a name.
    """

    def __init__(
        self, agent: str, dtype: np.dtype[Any], hello: Callable[[], dict[str, Any]], *, domain: int | None = None
    ) -> None:
        address, number = link_address(domain, agent)
        self._dtype = dtype
        self._identity = identity_of(dtype)
        self.about: dict[str, Any] = {}
        self._hello = hello
        self._barrier = self._done = 0
        self._asked = False
        self._vehicle: FrameSocket | None = None
        self._process = 0
        self._readers = False
        self._log: list[str] = []
        self._joiners: list[tuple[float, FrameSocket]] = []
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.setblocking(False)
        try:
            self._listener.bind(address)
        except OSError as error:
            self._listener.close()
            if error.errno != errno.EADDRINUSE:
                raise
            raise PhysicsRunningError(number, agent, _process_at(address)) from None
        self._listener.listen(MOST_JOINERS)

    @property
    def connected(self) -> bool:
        """Tell whether a vehicle node takes the samples, as far as the last call has seen."""
        return self._vehicle is not None

    def poll(self) -> list[str]:
        """Notice the end of the vehicle node, and let another join; never waits.

        Returns:
            What happened, as lines for a log.
        """
        self._hear()
        log, self._log = self._log, []
        self._accept()
        deadline = time.monotonic() - GREETING_TIMEOUT_S
        waiting: list[tuple[float, FrameSocket]] = []
        for since, joiner in self._joiners:
            if self._greet(joiner, since < deadline, log):
                waiting.append((since, joiner))
        self._joiners = waiting
        return log

    def send(self, samples: np.ndarray, timeout_s: float | None = SEND_TIMEOUT_S, *, more: bool = False) -> None:
        """Send samples as one frame; wait while the vehicle node is slow.

        Args:
            samples: one-dimensional array of the sample type, oldest first.
            timeout_s: longest wait, s; None waits as long as the vehicle node lives.
            more: a question for a barrier follows at once, and takes them along.

        Raises:
            LinkLostError: no vehicle node takes the samples; they reach nobody.
            LinkTimeoutError: it lives and took nothing; these samples are kept and go out before all others.
            SampleLayoutError: the samples are of another type.
        """
        self._send_samples(Kind.SAMPLES, samples, timeout_s, more=more)

    def _send_samples(self, kind: Kind, samples: np.ndarray, timeout_s: float | None, *, more: bool = False) -> None:
        # Comparing two nested types costs more than sending; the caller's type is the same object each time.
        if samples.ndim != 1 or (samples.dtype is not self._dtype and samples.dtype != self._dtype):
            raise SampleLayoutError(samples.shape, samples.dtype.itemsize)
        self._dtype = samples.dtype
        self._asked = False
        content = samples.tobytes()
        self._talk(lambda vehicle: vehicle.send(kind, content, timeout_s=timeout_s, more=more))

    def send_scan(self, sweep: Sweep, timeout_s: float | None = SEND_TIMEOUT_S) -> None:
        """Send a scan as one frame; wait and errors as `send`."""
        self._asked = False
        head, points = SCAN_HEAD.pack(*sweep[:-1]), sweep.points
        self._talk(lambda vehicle: vehicle.send(Kind.SCAN, head, points, timeout_s=timeout_s))

    def scans_wanted(self) -> bool:
        """Tell whether somebody reads the scans, as far as the vehicle node has said by now; never waits."""
        self._hear()
        return self._vehicle is not None and self._readers

    def ask(self, timeout_s: float | None = SEND_TIMEOUT_S) -> None:
        """Ask the vehicle node to say when it has handled everything that was sent; `barrier` hears it, at any time.

        Args:
            timeout_s: longest wait while it is slow to take the question, s; None waits as long as it lives.

        Raises:
            LinkLostError: the vehicle node is gone.
            LinkTimeoutError: it lives and took nothing.
        """
        self._barrier = (self._barrier + 1) & 0xFFFFFFFF
        self._talk(lambda vehicle: vehicle.send(Kind.BARRIER, number=self._barrier, timeout_s=timeout_s))
        self._asked = True

    def barrier(self, timeout_s: float | None) -> None:
        """Wait until the vehicle node has handled everything that was sent.

        Args:
            timeout_s: longest wait, s; None waits as long as the vehicle node lives.

        Raises:
            LinkLostError: the vehicle node is gone.
            BarrierTimeoutError: it lives and has not answered.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        try:
            if not self._asked:
                self.ask(timeout_s)
        except LinkTimeoutError:
            raise BarrierTimeoutError(VEHICLE, timeout_s or 0.0) from None
        self._talk(lambda vehicle: self._await_done(vehicle, timeout_s, deadline))

    def greet(self, *, goes_on: bool = False) -> None:
        """Send the vehicle node, where there is one, the greeting again, behind all that was sent.

        A vehicle node that is lost meanwhile is noticed by the next `send` or `poll`.

        Args:
            goes_on: the samples that follow are the next ones.
        """
        if self._vehicle is None:
            return
        self._asked = False
        hello = {**self._greeting(), "goes_on": goes_on}
        with contextlib.suppress(LinkLostError, LinkTimeoutError):
            self._talk(lambda vehicle: vehicle.send_json(Kind.HELLO, hello, timeout_s=SEND_TIMEOUT_S))

    def recall(self, samples: np.ndarray) -> None:
        """Send the vehicle node, where there is one, samples that were published before; lost ones as for `greet`."""
        if self._vehicle is None:
            return
        with contextlib.suppress(LinkLostError, LinkTimeoutError):
            self._send_samples(Kind.RECALL, samples, SEND_TIMEOUT_S)

    def show_time(self, step: int) -> None:
        """Let the vehicle node, where there is one, publish the time of a step again; lost ones as for `greet`."""
        if self._vehicle is None:
            return
        with contextlib.suppress(LinkLostError, LinkTimeoutError):
            self._talk(lambda vehicle: vehicle.send(Kind.TIME, TIME.pack(step), timeout_s=SEND_TIMEOUT_S))

    def close(self) -> None:
        """End the link and free its name."""
        for _, joiner in self._joiners:
            joiner.close()
        self._joiners.clear()
        self._drop()
        self._listener.close()

    # -- the vehicle node ---------------------------------------------------------------------------------------------

    def _talk(self, act: Callable[[FrameSocket], None]) -> None:
        if self._vehicle is None:
            raise LinkLostError(VEHICLE, "none has joined")
        try:
            act(self._vehicle)
        except LinkLostError:
            self._drop()
            raise
        except NotAFrameError as error:
            self._drop()
            raise LinkLostError(VEHICLE, str(error)) from error

    def _await_done(self, vehicle: FrameSocket, timeout_s: float | None, deadline: float | None) -> None:
        while self._done != self._barrier:
            frame = vehicle.receive(None if deadline is None else max(0.0, deadline - time.monotonic()))
            if frame is None:
                self._asked = False
                raise BarrierTimeoutError(VEHICLE, timeout_s or 0.0)
            self._note(frame)

    def _note(self, frame: Frame) -> None:
        """Take what the vehicle node says; an answer to a barrier that was given up is no fault."""
        if frame.kind is Kind.READERS:
            self._readers = frame.number != 0
        elif frame.kind is Kind.DONE:
            self._done = frame.number
        else:
            raise NotAFrameError(VEHICLE, frame.kind.name.encode())

    def _hear(self) -> None:
        """Take what the vehicle node has said, and notice its end."""
        if self._vehicle is None:
            return
        process = self._process
        try:
            frame = self._vehicle.receive(0.0)
            while frame is not None:
                self._note(frame)
                frame = self._vehicle.receive(0.0)
        except LinkError as error:
            self._drop()
            self._log.append(f"{VEHICLE} (process {process}) left: {error}")

    def _drop(self) -> None:
        if self._vehicle is not None:
            self._vehicle.close()
            self._vehicle = None
        self._asked = False

    # -- joining ------------------------------------------------------------------------------------------------------

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # nobody waits, or the one who did is gone
                return
            joiner = FrameSocket(connection, "a program that connected")
            joiner.longest = LONGEST_GREETING
            if len(self._joiners) >= MOST_JOINERS:
                self._joiners.pop(0)[1].close()
            self._joiners.append((time.monotonic(), joiner))

    def _greet(self, joiner: FrameSocket, late: bool, log: list[str]) -> bool:
        """Answer one joiner; say whether it is still about to join."""
        who = credentials(joiner.socket)
        about: dict[str, Any] = {}
        try:
            refusal = refusal_of_user(who)
            if refusal is None:
                frame = joiner.receive(0.0)
                if frame is None and not late:
                    return True
                refusal = self._refusal(frame)
                if frame is not None and refusal is None:
                    about = about_of(frame)
            if refusal is None:
                joiner.longest = LONGEST_CONTENT
                joiner.peer = VEHICLE
                joiner.send_json(Kind.HELLO, self._greeting(), timeout_s=GREETING_TIMEOUT_S)
                self._vehicle, self._process, self._readers = joiner, who.process, False
                self.about = about
                log.append(f"{VEHICLE} (process {who.process}) joined")
                return False
            joiner.send_json(Kind.REFUSED, {"reason": refusal}, timeout_s=0.0)
            log.append(f"process {who.process} was refused: {refusal}")
        except LinkError as error:
            log.append(f"process {who.process} was turned away: {error}")
        joiner.close()
        return False

    def _greeting(self) -> dict[str, Any]:
        return {**self._hello(), **self._identity}

    def _refusal(self, frame: Frame | None) -> str | None:
        """Return why a joiner cannot be taken, or None."""
        if frame is None or frame.kind is not Kind.JOIN:
            return f"it did not say within {GREETING_TIMEOUT_S:g} s that it is {VEHICLE}."
        refusal = mismatch(frame, self._identity)
        if refusal is None and self._vehicle is not None:
            return f"process {self._process} is the {VEHICLE} of this {PHYSICS} already. End that one first."
        return refusal


def _process_at(address: str) -> int | None:
    """Return the process that has an address, or None when it cannot be told."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(address)
            return credentials(probe).process
        except OSError:
            return None
