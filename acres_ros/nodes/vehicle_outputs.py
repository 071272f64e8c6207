"""Publish what the vehicle publishes, step by step, from the samples alone.

The bytes that leave are a function of the samples: the same in one process or two, in every run. Within a step the
order is that of `acres_ros.nodes.topics.TOPICS`: `/clock` first, so that whoever gets a message has its time. Nothing
is sent before the first `/clock`. A scan comes behind the messages of the step at which it leaves. Only `/diagnostics`
follows the wall clock (`acres_ros.nodes.diagnostics`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from std_msgs.msg import Bool

from acres_ros.core import kinematics, measurement
from acres_ros.core.clock import STEPS_PER_SECOND
from acres_ros.core.kinematics import BEFORE, MOTION, derive
from acres_ros.core.sample import SAMPLE, Sweep
from acres_ros.core.schedule import Schedule
from acres_ros.errors import AcresError
from acres_ros.nodes.farm_report import farm_report
from acres_ros.nodes.frames import clock_source, static_source, tf_source
from acres_ros.nodes.mounting import mounting
from acres_ros.nodes.navigation import navigation_sources
from acres_ros.nodes.point_cloud import PointCloud
from acres_ros.nodes.reports import report_sources
from acres_ros.nodes.robot_description import description_source
from acres_ros.nodes.sample_view import SampleView
from acres_ros.nodes.source import Context, Source
from acres_ros.nodes.topics import APART, BY_KEY, EVERY_STEP, LATCHED, TOPICS, Topic
from acres_ros.nodes.topics_config import TopicsConfig
from acres_ros.nodes.wheel_joints import joint_states_source

Publish = Callable[[Any], None]
"""Takes the bytes of a message, of type `bytes` or `bytearray`; it keeps no reference to them."""
Send = Callable[[SampleView], None]

_STAMP_END = 12  # 4 bytes of encapsulation, 8 bytes of the header's stamp


class SampleOrderError(AcresError):
    """Samples that are not the next ones."""

    def __init__(self, last: int, given: int, epoch: int) -> None:
        super().__init__(
            f"after the sample of step {last} came that of step {given}, both of epoch {epoch}; wanted step {last + 1}:"
            " call restart when samples were left out on purpose"
        )


class VehicleOutputs:
    """All outputs of one vehicle.

    Args:
        context: parameters of the vehicle, names, frames, places, profile.
        open_publisher: returns the function that publishes bytes on a topic.
        publish_clock: publish `/clock`; off where another program or another vehicle owns the time.
        can_resolution: round report values to the resolution of the CAN frames.
        listeners: returns how many subscriptions a topic has; without any its messages are not made. Latched topics and
            those that follow events are always sent.

    Attributes:
        context: as given.
        step, epoch: of the last sample that was published; -1 before the first.
    """

    def __init__(
        self,
        context: Context,
        open_publisher: Callable[[Topic], Publish],
        *,
        publish_clock: bool = True,
        can_resolution: bool = False,
        listeners: Callable[[Topic], int] | None = None,
    ) -> None:
        self.context = context
        self.step = -1
        self.epoch = -1
        self._epoch_step = 0
        self._sample = bytearray(SAMPLE.itemsize)
        self._mountings = mounting(context.config.mounts, context.parameters).view(np.ndarray)
        self._befores = BEFORE.new(1).view(np.ndarray)
        self._motion = bytearray(MOTION.dtype.itemsize)
        self._arrays = (
            np.frombuffer(self._sample, SAMPLE),
            self._mountings,
            self._befores,
            np.frombuffer(self._motion, MOTION.dtype),
        )
        parameters = context.sensors.navigation.parameters
        self._measure_arrays = self._arrays[0], self._mountings, parameters, self._arrays[3]
        kinematics.warm()
        self._measure = measurement.compiled(*self._measure_arrays)
        self._schedules: dict[float, tuple[int, Schedule]] = {}
        self._selections: dict[int, tuple[Send, ...]] = {}
        self._started = False
        self._listeners = listeners
        self._silent: tuple[bool, ...] = ()
        sources = {source.key: source for source in _sources(context)}
        self._entries = [
            self._entry(topic, context, sources, open_publisher, can_resolution)
            for topic in TOPICS
            if topic.key not in APART and is_published(topic, context.config, publish_clock)
        ]

        self._cloud = PointCloud(context)
        self._publish_cloud = open_publisher(BY_KEY["lidar/points"])

    @property
    def last(self) -> SampleView | None:
        """Return the last sample that was published since the start or restart."""
        return SampleView(self._sample, self._motion) if self._started else None

    def publish(self, samples: np.ndarray) -> None:
        """Publish samples, oldest first.

        A new epoch restarts the outputs at its first sample.

        Args:
            samples: `SAMPLE` records, one-dimensional.

        Raises:
            SampleOrderError: a step is missing or comes twice.
        """
        self._listen()
        size = SAMPLE.itemsize
        content = memoryview(samples.tobytes())
        for start in range(0, len(content), size):
            self._sample[:] = content[start : start + size]
            view = SampleView(self._sample, self._motion)
            if view.epoch != self.epoch:
                self.restart(view.step - 1, view.epoch, view.epoch_step)
            elif view.step != self.step + 1:
                raise SampleOrderError(self.step, view.step, view.epoch)
            self._publish(view)

    def publish_scan(self, sweep: Sweep) -> None:
        """Publish a scan, if somebody listens: behind the sample of the step at which it leaves."""
        if self._listeners is None or self._listeners(BY_KEY["lidar/points"]):
            self._publish_cloud(self._cloud.encode(sweep))

    def restart(self, k: int, epoch: int, epoch_step: int = 0) -> None:
        """Forget what came before: the next sample is that of step k + 1.

        Args:
            k: count of the steps that are over; the schedules stand as if their samples had been published.
            epoch: epoch of the next sample.
            epoch_step: step count at which the epoch began, where the grids of all streams begin.
        """
        self.step, self.epoch, self._epoch_step = k, epoch, epoch_step
        for _, schedule in self._schedules.values():
            schedule.restart(k - epoch_step)
        for entry in self._entries:
            entry.forget()
        self._befores["known"] = 0
        self._started = False

    def _publish(self, view: SampleView) -> None:
        derive(*self._arrays)
        self._measure(*self._measure_arrays)
        due = 0 if self._started else 1
        step = view.step - self._epoch_step
        for bit, schedule in self._schedules.values():
            if schedule.due(step):
                due |= bit
        selection = self._selections.get(due)
        if selection is None:
            selection = self._selections[due] = tuple(self._select(due))
        for send in selection:
            send(view)
        self._started = True
        self.step = view.step

    def _listen(self) -> None:
        """Note who listens. A message without a reader reaches nobody: DDS keeps none for a later one."""
        if self._listeners is None:
            return
        silent = tuple(entry.optional and not self._listeners(entry.topic) for entry in self._entries)
        if silent != self._silent:
            self._silent = silent
            self._selections.clear()

    def _select(self, due: int) -> Iterator[Send]:
        """Yield what sends in a step, given the bits of the schedules that are due."""
        for index, entry in enumerate(self._entries):
            if self._silent and self._silent[index]:
                continue
            send = entry.send if entry.bit & due or entry.bit == 0 else entry.send_change
            if send is not None:
                yield send

    def _entry(
        self,
        topic: Topic,
        context: Context,
        sources: dict[str, Source],
        open_publisher: Callable[[Topic], Publish],
        can_resolution: bool,
    ) -> _Entry:
        publish = open_publisher(topic)
        if topic.key == "dbw_enabled":
            return _Enabled(topic, publish)
        encode = sources[topic.key].encoded(can_resolution=can_resolution)
        bit = self._bit(_rate(topic, context))
        delay = _delay_steps(topic, context)
        if delay:
            return _Delayed(topic, bit, encode, publish, delay)
        if topic.event_steps and context.profile == "vehicle":
            return _Event(topic, bit, encode, publish)
        return _Entry(topic, bit, encode, publish)

    def _bit(self, rate_hz: float) -> int:
        """Return the bit of the topics of a rate: 0 for every step, 1 for once at the start."""
        if rate_hz == LATCHED:
            return 1
        if rate_hz == EVERY_STEP:
            return 0
        if rate_hz not in self._schedules:
            schedule = Schedule(rate_hz)
            schedule.restart(0)
            self._schedules[rate_hz] = (2 << len(self._schedules), schedule)
        return self._schedules[rate_hz][0]


class _Entry:
    """A topic that is sent when it is due."""

    send_change: Send | None = None

    def __init__(self, topic: Topic, bit: int, encode: Callable[[SampleView], bytes], publish: Publish) -> None:
        self.topic = topic
        self.bit = bit
        self.optional = not topic.latched
        self.send: Send = lambda view: publish(encode(view))

    def forget(self) -> None:
        """Forget what was sent."""


class _Event(_Entry):
    """A topic that is sent when it is due, and soon after its content changes."""

    def __init__(self, topic: Topic, bit: int, encode: Callable[[SampleView], bytes], publish: Publish) -> None:
        super().__init__(topic, bit, encode, publish)
        self.optional = False
        self._encode = encode
        self._publish = publish
        self._shortest = topic.event_steps
        self.send = self._send
        self.send_change = self._send_change
        self.forget()

    def forget(self) -> None:
        """Forget what was sent."""
        self._content = b""
        self._step = -self._shortest

    def _send(self, view: SampleView) -> None:
        data = self._encode(view)
        self._content = data[_STAMP_END:]
        self._step = view.step
        self._publish(data)

    def _send_change(self, view: SampleView) -> None:
        if self._content and view.step - self._step >= self._shortest:
            data = self._encode(view)
            if data[_STAMP_END:] != self._content:
                self._content = data[_STAMP_END:]
                self._step = view.step
                self._publish(data)


class _Delayed(_Entry):
    """A topic whose messages are on their way for some steps; the stamp is that of the sample."""

    def __init__(
        self, topic: Topic, bit: int, encode: Callable[[SampleView], bytes], publish: Publish, delay: int
    ) -> None:
        super().__init__(topic, bit, encode, publish)
        self._encode = encode
        self._publish = publish
        self._delay = delay
        self._waiting: deque[tuple[int, bytes]] = deque()
        self.send = self._take
        self.send_change = self._deliver

    def forget(self) -> None:
        """Forget what is on its way."""
        self._waiting.clear()

    def _take(self, view: SampleView) -> None:
        self._waiting.append((view.step + self._delay, self._encode(view)))
        self._deliver(view)

    def _deliver(self, view: SampleView) -> None:
        """Send what arrives in this step; what should have arrived while nobody listened is lost."""
        waiting = self._waiting
        while waiting and waiting[0][0] <= view.step:
            step, data = waiting.popleft()
            if step == view.step:
                self._publish(data)


class _Enabled(_Entry):
    """`dbw_enabled`: the gateway says when it is due: at 20 Hz, on change and on disable, not before the reports."""

    def __init__(self, topic: Topic, publish: Publish) -> None:
        source = Source("dbw_enabled", Bool(), ("data",), lambda view: view.enabled[:1])
        super().__init__(topic, 0, source.encoded(), publish)
        self.optional = False
        self._send_now = self.send
        self.send = self._send_due

    def _send_due(self, view: SampleView) -> None:
        if view.enabled.dbw_enabled_due:
            self._send_now(view)


def _sources(context: Context) -> Iterator[Source]:
    yield clock_source()
    yield tf_source(context)
    yield static_source(context)
    yield description_source(context)
    yield joint_states_source(context)
    yield from navigation_sources(context)
    yield from report_sources(context)
    yield farm_report(context)


def is_published(topic: Topic, config: TopicsConfig, publish_clock: bool) -> bool:
    """Tell whether the outputs publish a topic: `/diagnostics` is the node's, and two more can be left out."""
    if topic.key == "clock":
        return publish_clock
    if topic.key == "ins/imu_raw":
        return config.ins.imu_raw.publish
    return topic.key != "diagnostics"


def _delay_steps(topic: Topic, context: Context) -> int:
    """Return how many steps a message of a topic is on its way."""
    sensors = context.sensors.navigation
    if topic.key in context.config.ins.rates_hz:
        return sensors.ins.delay_steps
    own = {"imu/data_raw": sensors.vehicle_imu, "gps/fix": sensors.vehicle_gnss}
    return own[topic.key].delay_steps if topic.key in own else 0


def _rate(topic: Topic, context: Context) -> float:
    """Return the rate of a topic in Hz: from configuration and sensors where they have one, else from the profile."""
    sensors = context.sensors.navigation
    own = {"imu/data_raw": sensors.vehicle_imu.hz, "gps/fix": sensors.vehicle_gnss.hz}
    configured = context.config.ins.rates_hz | own
    rate = configured.get(topic.key, topic.rate_hz(context.profile))
    return EVERY_STEP if rate == STEPS_PER_SECOND else rate
