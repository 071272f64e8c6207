"""Samples written by hand, and a recorder in the place of the publishers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message

from acres_ros.core.greeting import Greeting, WorldFacts
from acres_ros.core.kinematics import BEFORE, MOTION, derive
from acres_ros.core.measurement import measure
from acres_ros.core.parameters import with_overrides
from acres_ros.core.sample import SAMPLE, SAMPLE_RECORD
from acres_ros.core.sensors import Sensors
from acres_ros.models.parameters import PARAMETERS
from acres_ros.nodes.mounting import mounting
from acres_ros.nodes.reports import report_sources
from acres_ros.nodes.sample_view import SampleView
from acres_ros.nodes.source import Context
from acres_ros.nodes.topics import BY_KEY, Topic
from acres_ros.nodes.topics_config import TopicsConfig, load_topics_config
from acres_ros.nodes.vehicle_outputs import Publish, VehicleOutputs


def context(**changes: Any) -> Context:
    """Return a context of the default vehicle and configuration; `parameters` is a fresh record."""
    return replace(Context(PARAMETERS.new(1), _config(), sensors()), **changes)


def greeting(step: int = 0, epoch: int = 0, world: WorldFacts | None = None, **overrides: float) -> Greeting:
    """Return what a vehicle node is told when it joins: the default vehicle in a world of this name."""
    parameters = with_overrides(PARAMETERS.new(1), {key.replace("__", "."): value for key, value in overrides.items()})
    return Greeting(step, epoch, 0, parameters, world or WorldFacts("hand-made"), sensors())


@cache
def sensors() -> Sensors:
    """Return the sensors of the package."""
    return Sensors.from_file()


@cache
def exact() -> Sensors:
    """Return sensors that tell the truth at once."""
    tree = deepcopy(dict(sensors().tree))
    for name in ("ins", "vehicle_imu", "vehicle_gnss"):
        tree[name] |= {"errors": False, "delay_s": 0.0}
    return Sensors.from_tree(tree)


@cache
def _config() -> TopicsConfig:
    return load_topics_config()


def samples(count: int, first: int = 1, epoch: int = 0) -> np.recarray:
    """Return samples of consecutive steps that hold the defaults."""
    rows = SAMPLE_RECORD.new(count)
    rows.step = np.arange(first, first + count)
    rows.epoch = epoch
    rows.vehicle.step = np.arange(first, first + count)
    rows.gateway.dbw_enabled_due = rows.step % 6 == 0
    return rows


class Recorder:
    """Keep what was published, in order."""

    def __init__(self) -> None:
        self.log: list[tuple[str, bytes]] = []

    def open(self, topic: Topic) -> Publish:
        """Return the function that records a message of a topic."""
        return lambda data: self.log.append((topic.key, bytes(data)))

    def keys(self) -> list[str]:
        """Return the keys of the topics in the order of the messages."""
        return [key for key, _ in self.log]

    def messages(self, key: str) -> Iterator[Any]:
        """Yield the messages of a topic."""
        return (deserialize_message(data, BY_KEY[key].type) for name, data in self.log if name == key)

    def last(self, key: str) -> Any:
        """Return the last message of a topic."""
        return list(self.messages(key))[-1]


def outputs(
    recorder: Recorder,
    *,
    publish_clock: bool = True,
    can_resolution: bool = False,
    listeners: Callable[[Topic], Callable[[], int]] | None = None,
    **changes: Any,
) -> VehicleOutputs:
    """Return outputs that write to the recorder."""
    return VehicleOutputs(
        context(**changes),
        recorder.open,
        publish_clock=publish_clock,
        can_resolution=can_resolution,
        listeners=listeners,
    )


def published(rows: np.recarray, **changes: Any) -> Recorder:
    """Publish samples and return the recorder."""
    recorder = Recorder()
    outputs(recorder, **changes).publish(rows)
    return recorder


def still(rows: np.recarray, parameters: np.ndarray | None = None) -> SampleView:
    """Return the view of the first sample, as if the step before had been the same."""
    ctx = context()
    sample, motion = bytearray(rows[:1].tobytes()), bytearray(MOTION.dtype.itemsize)
    mountings = mounting(ctx.config.mounts, ctx.parameters if parameters is None else parameters).view(np.ndarray)
    arrays = (
        np.frombuffer(sample, SAMPLE),
        mountings,
        BEFORE.new(1).view(np.ndarray),
        np.frombuffer(motion, MOTION.dtype),
    )
    derive(*arrays)
    derive(*arrays)
    measure(arrays[0], mountings, ctx.sensors.navigation.parameters, arrays[3])
    return SampleView(sample, motion)


def message(key: str, rows: np.recarray, *, can_resolution: bool = False, **changes: Any) -> Any:
    """Return the message of a drive-by-wire topic for the first sample."""
    source = next(source for source in report_sources(context(**changes)) if source.key == key)
    return deserialize_message(source.encoded(can_resolution=can_resolution)(still(rows)), BY_KEY[key].type)
