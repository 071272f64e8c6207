"""Drive a closed path of one kilometre through the drive-by-wire, as on the real vehicle.

The follower knows the topics of the car and nothing of the simulator: it enables the drive-by-wire, selects a gear,
and sends a steering wheel angle and a ULC speed at 50 Hz while it reads the odometry of the INS. With `--lockstep` it
asks for six steps after each pair of commands instead of waiting for the clock.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from pathlib import Path

import rclpy
from ds_dbw_msgs.msg import Gear, GearCmd, GearReport, SteeringCmd, UlcCmd, VehicleVelocity
from nav_msgs.msg import Odometry
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from simulation_interfaces.srv import StepSimulation
from std_msgs.msg import Bool, Empty

sys.path.insert(0, str(Path(__file__).parent))
from closed_path import ClosedPath

STEERING_RATIO = 11.76
WHEELBASE_M = 2.87
STRAIGHT_DEG = 12.5
YAW_GAIN = 0.87
ARC_ACCELERATION = 0.7
STEPS_IN_LOCKSTEP = 6
SHORTEST_LAP_M = 400.0
LEAD_M = 70.0
WIDTH, RADIUS = 0.34, 0.025
"""As shares of the lap. From the garage of the farm the path so goes out of the yard and is free of obstacles."""
USUAL_S, SILENCE_S = 0.5, 10.0
"""Wall time until it is said that odometry, or the service to step, is waited for; and until the drive is given up."""
STUCK_S = 30.0


class PathFollower(Node):
    """Follow a closed path with a steering wheel angle and a ULC speed.

    The steering law is pure pursuit (Coulter, 1992, CMU-RI-TR-92-01) of a point ahead of the vehicle; the speed slows
    for the arcs.

    Args:
        lap_m: length of the path, m.
        speed: speed on the straights, m/s.
    """

    def __init__(self, *, lap_m: float, speed: float) -> None:
        super().__init__("path_follower")
        self._speed, self._lap = speed, lap_m
        self._arc_speed = min(speed, math.sqrt(ARC_ACCELERATION * RADIUS * lap_m))
        self._enable = self.create_publisher(Empty, "/vehicle/enable", 1)
        self._gear = self.create_publisher(GearCmd, "/vehicle/gear/cmd", 1)
        self._steering = self.create_publisher(SteeringCmd, "/vehicle/steering/cmd", 1)
        self._ulc = self.create_publisher(UlcCmd, "/vehicle/ulc/cmd", 1)
        self._odometry = self.create_subscription(Odometry, "/novatel/oem7/odom", self._on_odometry, 1)
        self.create_subscription(Bool, "/vehicle/dbw_enabled", self._on_enabled, 1)
        self.create_subscription(GearReport, "/vehicle/gear/report", self._on_gear, 1)
        self.create_subscription(VehicleVelocity, "/vehicle/vehicle_velocity", self._on_velocity, 1)
        self._path: ClosedPath | None = None
        self._s = -LEAD_M
        self._pose = (0.0, 0.0, 0.0)
        self._told = self._enabled = False
        self._gear_now = Gear.NONE
        self._wheel_speed = 0.0
        self.stamp = 0.0
        self.heard = time.monotonic()
        self._moved: tuple[float, float] | None = None
        self.begin: float | None = None
        self.track: list[dict[str, float]] = []

    # -- what the car says --------------------------------------------------------------------------------------------

    def _on_odometry(self, message: Odometry) -> None:
        position, q = message.pose.pose.position, message.pose.pose.orientation
        yaw = math.atan2(2.0 * (q.w * q.z + q.x * q.y), 1.0 - 2.0 * (q.y * q.y + q.z * q.z))
        self._pose = (position.x, position.y, yaw)
        self.stamp = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
        self.heard = time.monotonic()
        if self._path is None:
            lap = self._lap
            self._path = ClosedPath(*self._pose, lead=LEAD_M, length=lap, width=WIDTH * lap, radius=RADIUS * lap)
        if self.begin is not None:
            self._s, across = self._path.project(position.x, position.y, self._s)
            self.track.append(
                {
                    "time": self.stamp - self.begin,
                    "s": self._s,
                    "across": across,
                    "x": position.x,
                    "y": position.y,
                    "speed": message.twist.twist.linear.x,
                    "wheel_speed": self._wheel_speed,
                    "command": self._target_speed(),
                }
            )

    def _on_enabled(self, message: Bool) -> None:
        self._enabled = message.data

    def _on_gear(self, message: GearReport) -> None:
        self._gear_now = message.gear.value

    def _on_velocity(self, message: VehicleVelocity) -> None:
        self._wheel_speed = message.vehicle_velocity_brake

    # -- what the follower does ---------------------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Tell whether the lap is complete."""
        return self._s >= self._lap

    def check(self) -> None:
        """End the program where waiting any longer is of no use, and say why."""
        silence = time.monotonic() - self.heard
        if self._path is None and not self._told and silence > USUAL_S:
            self._told = True
            print(f"  waiting for odometry, {SILENCE_S:g} s at most", flush=True)
        if silence > SILENCE_S:
            begin = f"no odometry came for {SILENCE_S:g} s of wall time: "
            domain = os.environ.get("ROS_DOMAIN_ID", "0")
            if self._odometry.get_publisher_count() == 0:
                raise SystemExit(
                    f"{begin}nothing is up in ROS domain {domain}: ./acres up, or the domain that it is up in as "
                    "ACRES_DOMAIN_ID"
                )
            raise SystemExit(
                f"{begin}what is up in ROS domain {domain} is PAUSED or STOPPED: --lockstep steps it, or set it "
                "PLAYING by /set_simulation_state (state 1)"
            )
        if self._path is None:
            return
        if self._moved is None or self._s > self._moved[1] + 1.0:
            self._moved = (self.stamp, self._s)
        elif self.stamp - self._moved[0] > STUCK_S:
            raise SystemExit(
                f"no way was made for {STUCK_S:g} s of simulation, at {self._s:.0f} m of the path: the drive-by-wire "
                f"is {'' if self._enabled else 'not '}enabled and the gear is {self._gear_now} ({Gear.LOW} is wanted); "
                "/diagnostics tells of faults, of who drives, and of what is touched"
            )

    def control(self) -> None:
        """Send the commands of one control period."""
        if self._path is None:
            return
        ready = self._enabled and self._gear_now == Gear.LOW
        if not self._enabled:
            self._enable.publish(Empty())
        elif not ready:
            self._gear.publish(GearCmd(cmd=Gear(value=Gear.LOW)))
        elif self.begin is None:
            self.begin = self.stamp
        self._steering.publish(
            SteeringCmd(
                cmd_type=SteeringCmd.CMD_ANGLE, cmd=self._target_angle() if ready else STRAIGHT_DEG, enable=True
            )
        )
        self._ulc.publish(
            UlcCmd(
                cmd_type=UlcCmd.CMD_VELOCITY,
                cmd=self._target_speed() if ready and not self.finished else 0.0,
                enable=True,
                limit_accel=1.0,
                limit_decel=1.0,
            )
        )

    def _target_angle(self) -> float:
        assert self._path is not None
        x, y, yaw = self._pose
        ahead = 3.0 + 0.8 * abs(self._wheel_speed)
        px, py, _ = self._path.pose(self._s + ahead)
        side = -(px - x) * math.sin(yaw) + (py - y) * math.cos(yaw)
        curvature = 2.0 * side / ((px - x) ** 2 + (py - y) ** 2)
        road_wheel = math.atan(curvature * WHEELBASE_M / YAW_GAIN)
        return STRAIGHT_DEG + math.degrees(STEERING_RATIO * road_wheel)

    def _target_speed(self) -> float:
        assert self._path is not None
        brake_m = (self._speed**2 - self._arc_speed**2) / (2.0 * 0.8)
        arc_near = any(self._path.curvature(self._s + d) for d in (0.0, 0.5 * brake_m, brake_m))
        return self._arc_speed if arc_near else self._speed


class Stepper:
    """Ask for steps and wait for the answer, in wall time."""

    def __init__(self, node: PathFollower, executor: SingleThreadedExecutor) -> None:
        self._node = node
        self._executor = executor
        self._client = node.create_client(StepSimulation, "/step_simulation")
        if self._client.wait_for_service(USUAL_S):
            return
        print(f"  waiting for /step_simulation, {SILENCE_S:g} s at most", flush=True)
        if not self._client.wait_for_service(SILENCE_S):
            raise SystemExit(
                f"no /step_simulation within {SILENCE_S:g} s: nothing is up in ROS domain "
                f"{os.environ.get('ROS_DOMAIN_ID', '0')}: ./acres up --paused, or the domain that it is up in as "
                "ACRES_DOMAIN_ID"
            )

    def step(self, steps: int) -> None:
        """Advance the simulation and wait for the odometry of the last step, so that nothing depends on a race.

        The first steps run until any odometry comes: what was published before the middleware had connected the two
        programs is not repeated.
        """
        last = self._node.stamp
        due = last + steps / 120.0 - 1e-6
        future = self._client.call_async(StepSimulation.Request(steps=steps))
        begin = time.monotonic()
        while not future.done() or self._node.stamp < due:
            self._executor.spin_once(0.05)
            if future.done() and future.result().result.result != 1:
                text = future.result().result.error_message
                raise SystemExit(f"the step request failed: {text}; or follow the clock, without --lockstep")
            waited = time.monotonic() - begin
            if not last and future.done() and waited > 0.2:
                return
            if waited > SILENCE_S:
                raise SystemExit(f"no answer to a step request, or no odometry after it, within {SILENCE_S:g} s")


def drive(follower: PathFollower, executor: SingleThreadedExecutor, *, lockstep: bool) -> None:
    """Run the follower until the lap is complete, by its timer or in lockstep."""
    stepper = Stepper(follower, executor) if lockstep else None
    if not lockstep:
        follower.create_timer(0.02, follower.control)
    shown = time.monotonic()
    follower.heard = time.monotonic()
    while not follower.finished:
        follower.check()
        if stepper is None:
            executor.spin_once(0.5)
        else:
            follower.control()
            stepper.step(STEPS_IN_LOCKSTEP)
        if time.monotonic() - shown > 5.0 and follower.track:
            shown = time.monotonic()
            row = follower.track[-1]
            print(f"  {row['s']:6.0f} m  {row['speed']:5.2f} m/s  {row['across']:+.3f} m across", flush=True)


def main() -> int:
    """Drive the kilometre and write the track."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lockstep", action="store_true", help="ask for steps instead of following the clock")
    parser.add_argument("--lap", type=float, default=1000.0, help="length of the path, m, 400 or more (default 1000)")
    parser.add_argument("--speed", type=float, default=6.0, help="speed on the straights, m/s (default 6)")
    parser.add_argument("--track", type=Path, help="write the track as JSON into this file")
    arguments = parser.parse_args()
    if not SHORTEST_LAP_M <= arguments.lap < math.inf:
        parser.error(f"--lap {arguments.lap:g}: the arcs need a path of {SHORTEST_LAP_M:g} m or more")
    rclpy.init()
    follower = PathFollower(lap_m=arguments.lap, speed=arguments.speed)
    executor = SingleThreadedExecutor()
    executor.add_node(follower)
    begin = time.monotonic()
    try:
        drive(follower, executor, lockstep=arguments.lockstep)
    except (KeyboardInterrupt, ExternalShutdownException):
        return 130
    wall = time.monotonic() - begin
    across = [abs(row["across"]) for row in follower.track]
    last = follower.track[-1]
    print(
        f"distance {last['s']:.1f} m in {last['time']:.1f} s of simulation and {wall:.1f} s of wall time; "
        f"cross-track error mean {sum(across) / len(across):.3f} m, largest {max(across):.3f} m"
    )
    if arguments.track:
        arguments.track.write_text(json.dumps({"wall_s": wall, "rows": follower.track}))
    rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
