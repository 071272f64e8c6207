"""Publish what the vehicle publishes, step by step, from the samples alone.

The bytes that leave are a function of the samples: the same in one process or two, in every run. Within a step the
order is that of `acres_ros.nodes.topics.TOPICS`: `/clock` first, so that whoever gets a message has its time. Nothing
is sent before the first `/clock`. A scan comes behind the messages of the step at which it leaves. Only `/diagnostics`
follows the wall clock (`acres_ros.nodes.diagnostics`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from acres_ros.core import kinematics, measurement
from acres_ros.core.clock import STEPS_PER_SECOND
from acres_ros.core.fault_table import SILENCE_BITS
from acres_ros.core.kinematics import BEFORE, MOTION, derive
from acres_ros.core.sample import SAMPLE, Sweep
from acres_ros.core.schedule import Schedule
from acres_ros.errors import AcresError
from acres_ros.nodes.farm_report import farm_report
from acres_ros.nodes.frames import clock_source, static_source, tf_source
from acres_ros.nodes.mounting import mounting
from acres_ros.nodes.navigation import navigation_sources
from acres_ros.nodes.outlets import (
    DelayedOutlet,
    EnabledOutlet,
    EventOutlet,
    Outlet,
    Publish,
    ReportOutlet,
    Send,
    SensorOutlet,
)
from acres_ros.nodes.point_cloud import PointCloud
from acres_ros.nodes.reports import report_sources
from acres_ros.nodes.robot_description import description_source
from acres_ros.nodes.sample_view import HEAD, SampleView
from acres_ros.nodes.sensor_faults import BITS, MARKS, MARKS_AT, SensorTopic
from acres_ros.nodes.source import Context, Source
from acres_ros.nodes.topics import APART, BY_KEY, EVERY_STEP, LATCHED, TOPICS, Topic
from acres_ros.nodes.topics_config import TopicsConfig
from acres_ros.nodes.wheel_joints import joint_states_source

LIDAR = BITS["lidar/points"]


class SampleOrderError(AcresError):
    """Samples that are not the next ones."""

    def __init__(self, last: int, given: int, epoch: int) -> None:
        super().__init__(
            f"after the sample of step {last} came that of step {given}, both of epoch {epoch}; wanted step {last + 1}:"
            " call restart when samples were left out on purpose"
        )


class Frozen(NamedTuple):
    """What frozen sensors repeat: their messages by the key of the topic, and the points of the cloud."""

    messages: Mapping[str, bytes]
    cloud: np.ndarray | None


NOT_FROZEN = Frozen({}, None)


class VehicleOutputs:
    """All outputs of one vehicle.

    Args:
        context: parameters of the vehicle, names, frames, places, profile.
        open_publisher: returns the function that publishes bytes on a topic.
        publish_clock: publish `/clock`; off where another program or another vehicle owns the time.
        can_resolution: round report values to the resolution of the CAN frames.
        listeners: returns what counts the subscriptions of a topic; without any its messages are not made. Latched
            topics and those that follow events are always sent.

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
        listeners: Callable[[Topic], Callable[[], int]] | None = None,
    ) -> None:
        self.context = context
        self.step = -1
        self.epoch = -1
        self._epoch_step = 0
        self._sample = bytearray(SAMPLE.itemsize)
        self._skipped = b""
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
        self._selections: dict[int, _Selection] = {}
        self._started = self._recalled = False
        self._sensors: list[SensorTopic] = []
        self._drop = self._freeze = 0
        self._frozen_cloud: np.ndarray | None = None
        sources = {source.key: source for source in _sources(context)}
        self._outlets = [
            self._outlet(topic, context, sources, open_publisher, can_resolution)
            for topic in TOPICS
            if topic.key not in APART and is_published(topic, context.config, publish_clock)
        ]
        self._running = list(self._schedules.values())
        self._optional = [outlet for outlet in self._outlets if outlet.optional and listeners is not None]
        self._counts = [] if listeners is None else [listeners(outlet.topic) for outlet in self._optional]
        self._heard = [True] * len(self._optional)
        self._published = False

        cloud = BY_KEY["lidar/points"]
        self._cloud = PointCloud(context)
        self._publish_cloud = open_publisher(cloud)
        self._count_of_cloud = (lambda: 1) if listeners is None else listeners(cloud)

    @property
    def last(self) -> SampleView | None:
        """Return the last sample that was published or recalled since the start or restart; None for none."""
        self._catch_up()
        return SampleView(self._sample, self._motion) if self._started or self._recalled else None

    def publish(self, samples: np.ndarray) -> None:
        """Publish samples, oldest first.

        A new epoch restarts the outputs at its first sample.

        Args:
            samples: `SAMPLE` records, one-dimensional.

        Raises:
            SampleOrderError: a step is missing or comes twice.
        """
        self._published = True
        self._listen()
        size = SAMPLE.itemsize
        content = samples.tobytes()
        for start in range(0, len(content), size):
            step, epoch, epoch_step, _ = HEAD.unpack_from(content, start)
            if epoch != self.epoch:
                self.restart(step - 1, epoch, epoch_step)
            elif step != self.step + 1:
                raise SampleOrderError(self.step, step, epoch)
            sends, measuring = self._due(step)
            self._drop, freeze = MARKS.unpack_from(content, start + MARKS_AT)
            freezing = freeze != self._freeze
            if sends or freezing:
                self._catch_up()
                self._sample[:] = content[start : start + size]
                view = SampleView(self._sample, self._motion)
                derive(*self._arrays)
                if measuring or freezing:
                    self._measure(*self._measure_arrays)
                if freezing:
                    self._follow(freeze, view)
                for send in sends:
                    send(view)
            else:
                self._skipped = content[start : start + size]
            self._started = True
            self.step = step

    def publish_scan(self, sweep: Sweep) -> None:
        """Publish a scan, if somebody listens: behind the sample of the step at which it leaves.

        A frozen LiDAR repeats the first cloud of the freeze; it is kept whether somebody listens or not.
        """
        if self._freeze & LIDAR:
            if self._frozen_cloud is None:
                self._frozen_cloud = sweep.points.copy()
            sweep = sweep._replace(points=self._frozen_cloud)
        if self._count_of_cloud() and not self._drop & LIDAR:
            self._publish_cloud(self._cloud.encode(sweep))

    def restart(self, k: int, epoch: int, epoch_step: int = 0) -> None:
        """Forget what came before: the next sample is that of step k + 1.

        Args:
            k: count of the steps that are over; the schedules stand as if their samples had been published.
            epoch: epoch of the next sample.
            epoch_step: step count at which the epoch began, where the grids of all streams begin.
        """
        self._stand(k, epoch, epoch_step)
        self.freeze(NOT_FROZEN)

    def _stand(self, k: int, epoch: int, epoch_step: int) -> None:
        """Do what `restart` does, but leave what is frozen."""
        self.step, self.epoch, self._epoch_step = k, epoch, epoch_step
        for _, schedule in self._schedules.values():
            schedule.restart(k - epoch_step)
        for outlet in self._outlets:
            outlet.forget()
        self._drop = self._freeze = 0
        self._befores["known"] = 0
        self._skipped = b""
        self._started = self._recalled = False

    @property
    def frozen(self) -> Frozen:
        """Return what the frozen sensors repeat."""
        messages = {sensor.key: sensor.kept for sensor in self._sensors if sensor.kept is not None}
        return Frozen(messages, self._frozen_cloud)

    def freeze(self, frozen: Frozen) -> None:
        """Let sensors repeat what they, or those of the outputs before these, repeated."""
        for sensor in self._sensors:
            sensor.kept = frozen.messages.get(sensor.key)
        self._frozen_cloud = frozen.cloud

    def recall(self, samples: np.ndarray) -> None:
        """Stand as after the publication of samples and publish nothing; the latched topics come with the next one.

        What is on its way, and what a change is told from, follow from the samples of a second or of the longest delay.
        They are of one epoch, oldest first; without any nothing changes. What is frozen already stays as it is. Outputs
        that were made just now have no listeners yet: whoever is there when they publish gets what is on its way.
        """
        if self._published:
            self._listen()
        size = SAMPLE.itemsize
        content = samples.tobytes()
        for start in range(0, len(content), size):
            step, epoch, epoch_step, _ = HEAD.unpack_from(content, start)
            if start == 0:
                self._stand(step - 1, epoch, epoch_step)
            self._sample[:] = content[start : start + size]
            view = SampleView(self._sample, self._motion)
            derive(*self._arrays)
            self._measure(*self._measure_arrays)
            self._drop, freeze = MARKS.unpack_from(content, start + MARKS_AT)
            if freeze != self._freeze:
                self._follow(freeze, view)
            due = sum(bit for bit, schedule in self._running if schedule.due(step - epoch_step))
            for outlet in self._outlets:
                if outlet.heard:
                    outlet.recall(view, outlet.bit == 0 or bool(outlet.bit & due))
            self.step = step
            self._recalled = True

    def _follow(self, freeze: int, view: SampleView) -> None:
        """Let sensors freeze or thaw; their messages are made for it whether somebody listens or not."""
        self._freeze = freeze
        for sensor in self._sensors:
            sensor.follow(freeze, view)
        if not freeze & LIDAR:
            self._frozen_cloud = None

    def _catch_up(self) -> None:
        """Derive the motion of the last sample, where nothing was sent of it: the next one needs it."""
        if self._skipped:
            self._sample[:] = self._skipped
            self._skipped = b""
            derive(*self._arrays)

    def _listen(self) -> None:
        """Note who listens. A message without a reader reaches nobody: DDS keeps none for a later one."""
        heard = [count() > 0 for count in self._counts]
        if heard == self._heard:
            return
        self._heard = heard
        for outlet, some in zip(self._optional, heard, strict=True):
            outlet.heard = some
        self._selections.clear()
        bits = {outlet.bit for outlet in self._outlets if outlet.heard}
        running = [row for row in self._schedules.values() if row[0] in bits]
        for row in running:
            if row not in self._running and self.epoch >= 0:
                row[1].restart(self.step - self._epoch_step)
        self._running = running

    def _due(self, step: int) -> _Selection:
        """Return what sends in a step."""
        due = 0 if self._started else 1
        k = step - self._epoch_step
        for bit, schedule in self._running:
            if schedule.due(k):
                due |= bit
        selection = self._selections.get(due)
        if selection is None:
            selection = self._selections[due] = self._select(due)
        return selection

    def _select(self, due: int) -> _Selection:
        """Return what sends in a step, given the bits of the schedules that are due."""
        sends, measuring = [], False
        for outlet in self._outlets:
            now = outlet.bit & due or outlet.bit == 0
            send = outlet.send if now else outlet.send_change
            if outlet.heard and send is not None:
                sends.append(send)
                measuring |= bool(now and outlet.measured)
        return _Selection(tuple(sends), measuring)

    def _outlet(
        self,
        topic: Topic,
        context: Context,
        sources: dict[str, Source],
        open_publisher: Callable[[Topic], Publish],
        can_resolution: bool,
    ) -> Outlet:
        publish = open_publisher(topic)
        if topic.key == "dbw_enabled":
            return EnabledOutlet(topic, publish)
        encode = sources[topic.key].encoded(can_resolution=can_resolution)
        bit = self._bit(_rate(topic, context))
        sensor = _sensor(topic, context)
        if topic.key in BITS:
            told = SensorTopic(topic.key, encode)
            self._sensors.append(told)
            delay = 0 if sensor is None else sensor.delay_steps
            outlet: Outlet = SensorOutlet(topic, bit, told, publish)
            if delay:
                outlet = DelayedOutlet(topic, bit, told, publish, delay)
        elif topic.event_steps and context.profile == "vehicle":
            outlet = EventOutlet(topic, bit, encode, publish, SILENCE_BITS.get(topic.key, 0))
        elif topic.key in SILENCE_BITS:
            outlet = ReportOutlet(topic, bit, encode, publish, SILENCE_BITS[topic.key])
        else:
            outlet = Outlet(topic, bit, encode, publish)
        outlet.measured = sensor is not None
        return outlet

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


class _Selection(NamedTuple):
    """What sends in a step, and whether any of it tells what a sensor measures."""

    sends: tuple[Send, ...]
    measuring: bool


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


def _sensor(topic: Topic, context: Context) -> Any:
    """Return the settings of the sensor that a topic tells of, or None."""
    sensors = context.sensors.navigation
    if topic.key in context.config.ins.rates_hz:
        return sensors.ins
    return {"imu/data_raw": sensors.vehicle_imu, "gps/fix": sensors.vehicle_gnss}.get(topic.key)


def _rate(topic: Topic, context: Context) -> float:
    """Return the rate of a topic in Hz: from configuration and sensors where they have one, else from the profile."""
    sensors = context.sensors.navigation
    own = {"imu/data_raw": sensors.vehicle_imu.hz, "gps/fix": sensors.vehicle_gnss.hz}
    configured = context.config.ins.rates_hz | own
    rate = configured.get(topic.key, topic.rate_hz(context.profile))
    return EVERY_STEP if rate == STEPS_PER_SECOND else rate
