"""The client of `acres check fence`: enable the drive-by-wire, command every actuator once, read the answers.

`python -m acres_ros.cli.check_fence_client` ends with 0 when the vehicle has been enabled, has obeyed and a service has
answered; with 1 and what was missing when that has not happened in time.
"""

from __future__ import annotations

import sys
import time

import rclpy
import rclpy.task
from ds_dbw_msgs.msg import (
    BrakeCmd,
    Gear,
    GearCmd,
    GearReport,
    SteeringCmd,
    SteeringReport,
    ThrottleCmd,
    TurnSignal,
    TurnSignalCmd,
    UlcCmd,
    VehicleVelocity,
)
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from simulation_interfaces.srv import GetSimulatorFeatures
from std_msgs.msg import Bool, Empty

WAIT_S = 140.0
COMMAND_PERIOD_S = 0.02
TURNED_DEG = 20.0
FEATURES_SERVICE = "/get_simulator_features"


class FenceClient(Node):
    """Send commands at 50 Hz and keep what is still missing from the answers."""

    def __init__(self) -> None:
        """Make the endpoints."""
        super().__init__("acres_fence_client")
        self.missing = {
            "/clock",
            "/vehicle/dbw_enabled",
            "gear LOW",
            "a turned steering wheel",
            "motion",
            "a service reply",
        }
        self._commands = {
            kind: self.create_publisher(kind, f"/vehicle/{topic}/cmd", 1)
            for kind, topic in (
                (SteeringCmd, "steering"),
                (GearCmd, "gear"),
                (UlcCmd, "ulc"),
                (BrakeCmd, "brake"),
                (ThrottleCmd, "throttle"),
                (TurnSignalCmd, "turn_signal"),
            )
        }
        self._enable = self.create_publisher(Empty, "/vehicle/enable", 1)
        self._subscribe(Clock, "/clock", "/clock", lambda message: True)
        self._subscribe(Bool, "/vehicle/dbw_enabled", "/vehicle/dbw_enabled", lambda message: message.data)
        self._subscribe(GearReport, "/vehicle/gear/report", "gear LOW", lambda m: m.gear.value == Gear.LOW)
        self._subscribe(
            SteeringReport,
            "/vehicle/steering/report",
            "a turned steering wheel",
            lambda message: abs(message.steering_wheel_angle) > TURNED_DEG,
        )
        self._subscribe(
            VehicleVelocity,
            "/vehicle/vehicle_velocity",
            "motion",
            lambda message: abs(message.vehicle_velocity_propulsion) > 0.2,
        )
        self._features = self.create_client(GetSimulatorFeatures, FEATURES_SERVICE)
        self._reply: rclpy.task.Future | None = None
        self.create_timer(COMMAND_PERIOD_S, self._send)

    def _subscribe(self, kind: type, topic: str, name: str, arrived) -> None:
        """Strike `name` off the list when a message of the topic satisfies `arrived`."""
        self.create_subscription(kind, topic, lambda m: self.missing.discard(name) if arrived(m) else None, 1)

    def _send(self) -> None:
        """Send one of each command, and the request once its service is there."""
        if "/vehicle/dbw_enabled" in self.missing:
            self._enable.publish(Empty())
        commands = [
            SteeringCmd(cmd_type=SteeringCmd.CMD_ANGLE, cmd=2.0 * TURNED_DEG, enable=True),
            TurnSignalCmd(cmd=TurnSignal(value=TurnSignal.LEFT)),
            # Pedals that are not enabled leave them to ULC, which is what drives.
            BrakeCmd(cmd_type=BrakeCmd.CMD_PERCENT),
            ThrottleCmd(cmd_type=ThrottleCmd.CMD_PERCENT),
            UlcCmd(cmd_type=UlcCmd.CMD_VELOCITY, cmd=1.0, enable=True, limit_accel=1.0, limit_decel=1.0),
        ]
        if "gear LOW" in self.missing:
            commands.append(GearCmd(cmd=Gear(value=Gear.LOW)))
        for command in commands:
            self._commands[type(command)].publish(command)
        if self._reply is None and self._features.service_is_ready():
            self._reply = self._features.call_async(GetSimulatorFeatures.Request())
        if self._reply is not None and self._reply.done():
            self.missing.discard("a service reply")


def main() -> int:
    """Drive until everything has been answered or the time is over; return the exit status."""
    rclpy.init()
    node = FenceClient()
    end = time.monotonic() + WAIT_S
    while node.missing and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.1)
    print(f"not seen in {WAIT_S:g} s: {', '.join(sorted(node.missing))}" if node.missing else "drove", flush=True)
    rclpy.shutdown()
    return 1 if node.missing else 0


if __name__ == "__main__":
    sys.exit(main())
