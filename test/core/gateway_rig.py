"""A gateway with a vehicle record and an inbox, stepped by hand; the tests read messages and reports from it."""

from __future__ import annotations

from acres_ros.core.gateway import DbwGateway, GatewayOptions
from acres_ros.core.gateway_records import views_of
from acres_ros.core.gateway_state import GATEWAY
from acres_ros.core.inbox import Inbox
from acres_ros.core.messages import BrakeCmd, DriverInput, Enable, SteeringCmd, ThrottleCmd, UlcCmd
from acres_ros.models.dbw.command import COMMAND
from acres_ros.models.state import VEHICLE

ANGLE, PERCENT, VELOCITY = 2, 14, 1
NAN, INF = float("nan"), float("inf")
HANDS = DriverInput(hands_on_wheel=True)
FOOT_ON_BRAKE = DriverInput(brake_bar=5.0)
FOOT_ON_THROTTLE = DriverInput(throttle_pct=5.0)
HANDS_OFF = DriverInput()


def steering(cmd: float = 10.0, **fields) -> SteeringCmd:
    return SteeringCmd(cmd, **{"cmd_type": ANGLE, "enable": True, **fields})


def brake(cmd: float = 10.0, **fields) -> BrakeCmd:
    return BrakeCmd(cmd, **{"cmd_type": PERCENT, "enable": True, **fields})


def throttle(cmd: float = 10.0, **fields) -> ThrottleCmd:
    return ThrottleCmd(cmd, **{"cmd_type": PERCENT, "enable": True, **fields})


def ulc(cmd: float = 1.0, **fields) -> UlcCmd:
    return UlcCmd(cmd, **{"cmd_type": VELOCITY, "enable": True, **fields})


class Rig:
    """One gateway; `step(message, ...)` posts the messages and takes them in one step."""

    def __init__(self, **options) -> None:
        self.gateway = DbwGateway(GatewayOptions(**options))
        self.vehicle = VEHICLE.new(1)
        self.dbw = views_of(self.vehicle, VEHICLE)
        self.inbox = Inbox()
        self._report = views_of(self.gateway.report, GATEWAY)
        self._command = views_of(self.gateway.command, COMMAND)

    def step(self, *messages) -> None:
        before = self.inbox
        for message in messages:
            self.inbox = self.inbox.post(message)
        self.gateway.step(self.inbox if self.inbox is not before else None, self.vehicle)

    def run(self, steps: int, *messages) -> None:
        """Step, posting the messages anew in each step."""
        for _ in range(steps):
            self.step(*messages)

    def run_to_tick(self, *messages) -> None:
        """Step up to and including the next 50 ms tick."""
        self.step(*messages)
        while self.gateway.steps % 6:
            self.step(*messages)

    def report(self, key: str) -> float:
        return self._report[key][0]

    def command(self, key: str) -> float:
        return self._command[key][0]

    def set_vehicle(self, **values: float) -> None:
        """Set numbers of the drive-by-wire state; `steering__timeout` is `dbw.steering.timeout`."""
        for key, value in values.items():
            self.dbw[f"dbw.{key.replace('__', '.')}"][0] = value

    def events(self) -> list[tuple[str, str]]:
        """Return code and text of what was said since the last call, without the sync mode."""
        return [(code, text) for _, code, text in self.gateway.take_events() if code != "ACRES_DBW_SYNC_MODE"]

    def codes(self) -> list[str]:
        return [code.removeprefix("ACRES_DBW_") for code, _ in self.events()]


def enabled_rig(**options) -> Rig:
    rig = Rig(**options)
    rig.step(Enable(), steering(), ulc())
    assert rig.report("dbw_enabled") == 1
    rig.codes()
    return rig
