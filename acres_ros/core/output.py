"""Where the samples of a simulation go."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from acres_ros.core.sample import Sweep


class Output(Protocol):
    """Where samples go: the vehicle node in this process or in another."""

    @property
    def connected(self) -> bool:
        """Tell whether somebody takes the samples."""

    def send(self, samples: np.ndarray, *, more: bool = False) -> None:
        """Hand over samples, in order; raises `LinkLostError` when nobody takes them any more.

        With `more` they may stay until `ask` or `barrier`, which follows at once.
        """

    def send_scan(self, sweep: Sweep) -> None:
        """Hand over a scan, behind all that was sent; errors as `send`."""

    def ask(self) -> None:
        """Ask for the answer of the next `barrier`, so that it is there before it is wanted; errors as `send`."""

    def barrier(self, timeout_s: float) -> None:
        """Wait until all that was sent has been published."""

    def greet(self, *, goes_on: bool = False) -> None:
        """Say anew what is simulated, behind all that was sent; who joins later is told anyway.

        Where it `goes_on` the samples that follow are the next ones, and what the sensors' faults hold fast stays so.
        """

    def recall(self, samples: np.ndarray) -> None:
        """Hand over samples that were published before a greeting, for what of them is still on its way."""
