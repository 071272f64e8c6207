"""A vehicle with faults that gets the same commands in each step."""

from __future__ import annotations

import numpy as np

from acres_ros.core.environment import Environment


def drive(vehicle: Environment, steps: int, *messages) -> np.ndarray:
    """Run steps with messages in each; return the samples."""
    samples = []
    for _ in range(steps):
        for message in messages:
            vehicle.post(message)
        samples.append(vehicle.step().copy())
    return np.concatenate(samples)
