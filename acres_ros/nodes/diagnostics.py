"""`/diagnostics`: link, time, drive-by-wire, faults, what has been touched, and whether the LiDAR keeps up.

The one topic that follows the wall clock, once a second, because a stopped simulation has to show up too. It starts
after the first `/clock`, and its stamp is that of the last step.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from acres_ros.core.clock import STEPS_PER_SECOND
from acres_ros.core.collision_watch import CollisionWatch
from acres_ros.core.fault_table import names_of
from acres_ros.core.gnss import NAMES
from acres_ros.core.greeting import WorldFacts
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.messages import SystemState
from acres_ros.core.reasons import ReasonDisengage, ReasonNotReady, reason_text
from acres_ros.core.sample import Sweep
from acres_ros.core.sweeps import delay_steps, sweep_steps
from acres_ros.nodes.sample_view import SampleView
from acres_ros.nodes.topics import BY_KEY, full_name

PERIOD_S = 1.0
HARDWARE_ID = "acres_ros"


class ScanWatch:
    """What the scans tell of the LiDAR.

    Args:
        pattern: its rate and delay.
    """

    def __init__(self, pattern: LidarPattern) -> None:
        self._steps = sweep_steps(pattern) + delay_steps(pattern)
        self._seen: tuple[int, float] | None = None
        self.count = self.dropped = self.late = 0
        self._dropped_before = 0

    def note(self, sweep: Sweep, step: int) -> None:
        """Count a scan that was published behind the sample of a step; keep how many steps it was late."""
        self.count += 1
        self.dropped = sweep.dropped
        self.late = step - sweep.step - self._steps

    def status(self, wall: float) -> tuple[bool, str, dict[str, str]]:
        """Return whether the LiDAR keeps up, a text and values; counted between two calls, by wall time (s)."""
        rate = 0.0
        if self._seen is not None and wall > self._seen[1]:
            rate = (self.count - self._seen[0]) / (wall - self._seen[1])
        self._seen = self.count, wall
        values = {
            "scans": str(self.count),
            "scans_per_second": f"{rate:.2f}",
            "late_s": f"{self.late / STEPS_PER_SECOND:.4f}",
            "dropped": str(self.dropped),
        }
        good = self.late <= 0 and self.dropped <= self._dropped_before
        self._dropped_before = self.dropped
        text = f"{rate:.1f} scans a second" if rate else "no scans: nobody reads them, or time stands still"
        return good, text, values


class Diagnostics:
    """Publish the state of the vehicle node.

    Args:
        node: owner of the publisher and the timer.
        agent: name of the vehicle, empty for the first.
        last: returns the last published sample, or None.

    Attributes:
        link: what is wrong with the link to acres_physics; empty while it holds.
        world: the world that the samples are of.
        scans: what the scans tell of the LiDAR; it is shown every scan.
        collisions: what the samples tell of collisions; it is shown every sample.
    """

    def __init__(self, node: Node, agent: str, last: Callable[[], SampleView | None]) -> None:
        topic = BY_KEY["diagnostics"]
        self.link = ""
        self.world = WorldFacts()
        self.scans = ScanWatch(LidarPattern.helios())
        self.collisions = CollisionWatch(lambda number: self.world.obstacle(number))
        self._name = f"acres_vehicle {agent}".strip()
        self._last = last
        self._seen: tuple[int, int, float] | None = None
        self._publisher = node.create_publisher(topic.type, full_name(topic, agent), topic.qos)
        self._timer = node.create_timer(PERIOD_S, self._tick, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _tick(self) -> None:
        view = self._last()
        if view is not None:
            self._publisher.publish(self.message(view, time.monotonic()))

    def message(self, view: SampleView, wall: float) -> DiagnosticArray:
        """Return the message for the last sample.

        Args:
            view: the last sample.
            wall: wall time from a clock that never goes back, s; the rate is counted between two calls.
        """
        parts = [self._link_status(), self._time_status(view, wall), self._drive_status(view)]
        parts += [self._fault_status(view), self._ins_status(view), self._farm_status(view)]
        array = DiagnosticArray(status=[*parts, self._scan_status(wall)])
        array.header.stamp.sec, array.header.stamp.nanosec = view.stamp
        return array

    def _link_status(self) -> DiagnosticStatus:
        level = DiagnosticStatus.ERROR if self.link else DiagnosticStatus.OK
        return self._status("link", level, self.link or "joined to acres_physics", {})

    def _time_status(self, view: SampleView, wall: float) -> DiagnosticStatus:
        rate = 0.0
        if self._seen is not None and self._seen[0] == view.epoch and wall > self._seen[2]:
            rate = max(0.0, (view.step - self._seen[1]) / STEPS_PER_SECOND / (wall - self._seen[2]))
        self._seen = (view.epoch, view.step, wall)
        values = {
            "step": str(view.step),
            "time_s": f"{view.step / STEPS_PER_SECOND:.6f}",
            "epoch": str(view.epoch),
            "rate": f"{rate:.3f}",
        }
        text = f"{rate:.2f} times real time" if rate else "time stands still"
        return self._status("simulation", DiagnosticStatus.OK, text, values)

    def _drive_status(self, view: SampleView) -> DiagnosticStatus:
        gateway = view.gateway
        values = {
            "dbw_enabled": str(bool(gateway.dbw_enabled)).lower(),
            "state": SystemState(gateway.system_state).name,
            "reason_disengage": reason_text(ReasonDisengage, gateway.system_reason_disengage),
            "reason_not_ready": reason_text(ReasonNotReady, gateway.system_reason_not_ready),
        }
        text = "enabled" if gateway.dbw_enabled else "not enabled"
        return self._status("drive-by-wire", DiagnosticStatus.OK, text, values)

    def _fault_status(self, view: SampleView) -> DiagnosticStatus:
        names = names_of(view.faults.active)
        level = DiagnosticStatus.WARN if names else DiagnosticStatus.OK
        text = f"active: {', '.join(names)}" if names else "no fault is active"
        return self._status("faults", level, text, {name: "active" for name in names})

    def _ins_status(self, view: SampleView) -> DiagnosticStatus:
        state = NAMES[view.fix_state.fix]
        sigma = [f"{math.sqrt(variance):.3f}" for variance in view.position_variance]
        values = {"position": state, "sigma_m": " ".join(sigma)}
        level = DiagnosticStatus.OK if state == "fixed" else DiagnosticStatus.WARN
        return self._status("INS", level, f"position {state}, {' '.join(sigma)} m", values)

    def _farm_status(self, view: SampleView) -> DiagnosticStatus:
        watch = self.collisions
        # The sample may be older than a removal of what it touches, whose number means nothing then, or another one.
        number = view.vehicle.collision
        touched = self.world.obstacle(number) if watch.touches(number) else ""
        values = {
            "world": self.world.name,
            "off_map": str(bool(view.vehicle.off_map)).lower(),
            "obstacle": touched,
            "collisions": str(watch.count),
            "last_obstacle": watch.last,
            "crushed_m2": f"{view.vehicle.crushed_total:.2f}",
        }
        text = f"touches {touched}" if touched else "touches nothing"
        if watch.count and not touched:
            text = f"touched {watch.last}, {watch.count} since the last reset"
        if view.vehicle.off_map:
            text = f"off the map, {text}"
        warned = watch.count or view.vehicle.off_map
        return self._status("farm", DiagnosticStatus.WARN if warned else DiagnosticStatus.OK, text, values)

    def _scan_status(self, wall: float) -> DiagnosticStatus:
        good, text, values = self.scans.status(wall)
        return self._status("lidar", DiagnosticStatus.OK if good else DiagnosticStatus.WARN, text, values)

    def _status(self, part: str, level: bytes, text: str, values: dict[str, str]) -> DiagnosticStatus:
        pairs = [KeyValue(key=key, value=value) for key, value in values.items()]
        return DiagnosticStatus(
            level=level, name=f"{self._name}: {part}", message=text, hardware_id=HARDWARE_ID, values=pairs
        )
