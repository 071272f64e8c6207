"""The way of the samples from acres_physics to acres_vehicle.

Between two processes it is an abstract Unix stream socket, named by ROS domain and agent: no file to clean up, no
datagram, nothing that leaves the machine. The system frees the name with the process, however it ends, and shows the
death of the other end at once. In one process it is a direct call with the same methods.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acres_ros.core._link_client import SampleClient
from acres_ros.core._link_frames import (
    BarrierTimeoutError,
    Kind,
    LinkError,
    LinkLostError,
    LinkTimeoutError,
    NotAFrameError,
    layout_hash,
)
from acres_ros.core._link_names import (
    VEHICLE,
    LinkNameError,
    LinkRefusedError,
    PhysicsRunningError,
    SampleLayoutError,
    claim_domain,
    link_address,
)
from acres_ros.core._link_server import SampleServer
from acres_ros.core.sample import Sweep

__all__ = [
    "BarrierTimeoutError",
    "Kind",
    "LinkError",
    "LinkLostError",
    "LinkNameError",
    "LinkRefusedError",
    "LinkTimeoutError",
    "LocalLink",
    "NotAFrameError",
    "PhysicsRunningError",
    "SampleClient",
    "SampleLayoutError",
    "SampleServer",
    "claim_domain",
    "layout_hash",
    "link_address",
]


class LocalLink:
    """The link inside one process: a sample is handled while it is sent, so a barrier has nothing to wait for.

    Args:
        handler: takes the samples, one-dimensional, oldest first; they are its own copy, as on the other link.
        scan_handler: takes the scans.
        scans_wanted: tells whether somebody reads the scans.
        greet: called when what is simulated has changed, with whether the samples go on.
        recall: takes samples that were published before.
        show_time: publishes the time of a step again.
    """

    def __init__(
        self,
        handler: Callable[[np.ndarray], None],
        scan_handler: Callable[[Sweep], None],
        scans_wanted: Callable[[], bool],
        greet: Callable[[bool], None],
        recall: Callable[[np.ndarray], None],
        show_time: Callable[[int], None],
    ) -> None:
        self._handler: Callable[[np.ndarray], None] | None = handler
        self._scan_handler = scan_handler
        self.scans_wanted = scans_wanted
        self._greet = greet
        self._recall = recall
        self._show_time = show_time

    @property
    def connected(self) -> bool:
        """Tell whether samples are taken."""
        return self._handler is not None

    def poll(self) -> list[str]:
        """Return no events: nobody joins or leaves."""
        return []

    def send(self, samples: np.ndarray, *, more: bool = False) -> None:
        """Hand a copy of the samples over; `more` makes no difference here.

        Raises:
            LinkLostError: the link is closed.
        """
        if self._handler is None:
            raise LinkLostError(VEHICLE, "the link is closed")
        self._handler(_copied(samples))

    def recall(self, samples: np.ndarray) -> None:
        """Hand over a copy of samples that were published before."""
        if self._handler is not None:
            self._recall(_copied(samples))

    def show_time(self, step: int) -> None:
        """Let the time of a step be published again."""
        if self._handler is not None:
            self._show_time(step)

    def send_scan(self, sweep: Sweep) -> None:
        """Hand a scan over; errors as `send`."""
        if self._handler is None:
            raise LinkLostError(VEHICLE, "the link is closed")
        self._scan_handler(sweep)

    def ask(self) -> None:
        """Do nothing: what was sent is handled."""

    def barrier(self, timeout_s: float | None) -> None:
        """Return at once.

        Raises:
            LinkLostError: the link is closed.
        """
        if self._handler is None:
            raise LinkLostError(VEHICLE, "the link is closed")

    def greet(self, *, goes_on: bool = False) -> None:
        """Say that what is simulated has changed, and whether the samples go on."""
        if self._handler is not None:
            self._greet(goes_on)

    def close(self) -> None:
        """End the link."""
        self._handler = None


def _copied(samples: np.ndarray) -> np.ndarray:
    """Return a copy, by way of bytes: numpy copies a nested record field by field, thirty times slower."""
    return np.frombuffer(bytearray(samples.tobytes()), samples.dtype)
