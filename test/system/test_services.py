"""The services below `/acres`: what the standard for simulators lacks (row C9; trials A08, D51)."""

from __future__ import annotations

import math

import pytest
from acres_interfaces.srv import GetFarm, ResetVehicle, SetDriveMode, SetHardwareShifts, SetRate
from ds_dbw_msgs.msg import BrakeCmd, Gear, ThrottleCmd
from system_rig import FAILED, OK, PAUSED, Shared, User

pytestmark = pytest.mark.system

ODOMETRY = "/ground_truth/odometry"
GARAGE = (-38.71, -140.513)


def place(user: User, **fields: object) -> ResetVehicle.Response:
    return user.call(ResetVehicle, "/acres/reset_vehicle", **fields)


def pose(user: User) -> tuple[float, float, float]:
    message = user.last(ODOMETRY).pose.pose
    q = message.orientation
    return message.position.x, message.position.y, 2.0 * math.atan2(q.z, q.w)


# -- reset_vehicle ----------------------------------------------------------------------------------------------------


def test_the_vehicle_goes_where_it_is_told_and_time_goes_on(user: User) -> None:
    user.start_driving(3.0, 3.0)
    ticks = len(user.ticks())
    answer = place(user, x=10.0, y=-130.0, yaw=0.5, gear=Gear.LOW, drive_mode="2wd")
    assert (answer.success, answer.message) == (True, "")
    user.forget()
    user.step(12)
    assert user.ticks()[0] == ((ticks + 1) * 25_000_000 + 1) // 3
    assert pose(user) == pytest.approx((10.0, -130.0, 0.5), abs=0.01)
    assert user.last("/vehicle/gear/report").gear.value == Gear.LOW
    assert not user.last("/vehicle/dbw_enabled").data
    assert abs(user.last(ODOMETRY).twist.twist.linear.x) < 0.05


def test_a_reset_of_the_simulation_returns_to_the_last_place(user: User) -> None:
    assert place(user, x=10.0, y=-130.0).success
    user.step(10)
    assert user.reset(3).result == OK
    user.forget()
    user.step(1)
    assert pose(user)[:2] == pytest.approx((10.0, -130.0), abs=0.01)
    assert place(user, place="spawn-icsc-garage").success


def test_a_place_by_name(user: User) -> None:
    assert place(user, x=10.0, y=-130.0).success
    assert place(user, x=99.0, y=99.0, place="spawn-icsc-garage").success
    user.step(1)
    assert pose(user) == pytest.approx((*GARAGE, math.pi / 2), abs=0.01)


def test_everything_at_once_and_the_time_from_zero(user: User) -> None:
    def run(**fields: object) -> list[bytes]:
        assert place(user, x=-38.0, y=-140.0, gear=Gear.LOW, speed=2.0, restart_time=True, **fields).success
        user.forget()
        user.step(24)
        assert user.ticks()[0] == 8_333_333
        return list(user.recorder.rows["/novatel/oem7/odom"])

    first = run(seed=5, global_fraction=0.8, surface_film=0.2, rain_mm_per_h=10.0, dust_per_m=0.01, occupants=3)
    farm = user.call(GetFarm, "/acres/get_farm")
    assert (farm.global_fraction, farm.surface_film, farm.rain_mm_per_h, farm.dust_per_m) == (0.8, 0.2, 10.0, 0.01)
    assert run(seed=6) != first
    assert run(seed=5) == first, "what is not named stays"
    answer = place(user, x=-38.0, y=-140.0, seed=6, surface_film=3.0)
    assert not answer.success and "surface_film = 3.0" in answer.message
    answer = place(user, x=-38.0, y=-140.0, seed=-2)
    assert not answer.success and "seed" in answer.message
    assert run() == first, "and nothing was taken of what was refused"


def test_gear_0_is_park(user: User) -> None:
    assert place(user, place="spawn-icsc-garage", gear=0).success
    user.step(12)
    assert user.last("/vehicle/gear/report").gear.value == Gear.PARK


def test_a_start_at_speed_and_one_from_a_height(user: User) -> None:
    assert place(user, place="spawn-icsc-garage", gear=Gear.DRIVE, speed=5.0).success
    user.step(12)
    assert user.last(ODOMETRY).twist.twist.linear.x == pytest.approx(5.0, abs=0.4)
    assert place(user, place="spawn-icsc-garage").success
    user.step(1)
    settled = user.last(ODOMETRY).pose.pose.position.z
    assert place(user, place="spawn-icsc-garage", drop=True).success
    user.step(1)
    assert user.last(ODOMETRY).pose.pose.position.z > settled + 0.1
    assert place(user, place="spawn-icsc-garage").success


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"place": "nowhere"}, "spawn-icsc-garage"),
        ({"x": math.nan}, "x"),
        ({"y": math.inf}, "y"),
        ({"yaw": -math.inf}, "yaw"),
        ({"speed": 100.0}, "speed"),
        ({"speed": math.nan}, "speed"),
        ({"x": 1e6}, "position"),
        ({"gear": 9}, "gear"),
        ({"gear": 6}, "gear"),
        ({"drive_mode": "sport"}, "drive_mode"),
    ],
)
def test_what_cannot_be_is_refused_in_words_and_changes_nothing(
    user: User, fields: dict[str, object], word: str
) -> None:
    user.start_driving(2.0, 2.0)
    before, ticks = pose(user), len(user.ticks())
    answer = place(user, **fields)
    assert not answer.success and word in answer.message
    user.step(1)
    assert len(user.ticks()) == ticks + 1
    assert pose(user) == pytest.approx(before, abs=0.05)
    assert user.last("/vehicle/dbw_enabled").data
    assert user.reset(3).result == OK
    user.forget()
    user.step(1)
    assert pose(user) == pytest.approx((*GARAGE, math.pi / 2), abs=0.01), "the refused start stayed for later resets"


# -- drive mode and rate ----------------------------------------------------------------------------------------------


def test_a_refusal_is_short_however_long_the_request(user: User) -> None:
    for kind, name in ((ResetVehicle, "/acres/reset_vehicle"), (SetDriveMode, "/acres/set_drive_mode")):
        answer = user.call(kind, name, drive_mode="x" * 100_000)
        assert not answer.success and "wanted one of" in answer.message and len(answer.message) < 300


def test_the_switch_of_the_drive_mode_turns(user: User) -> None:
    shown = {}
    for mode in ("awd", "2wd", "turf"):
        answer = user.call(SetDriveMode, "/acres/set_drive_mode", drive_mode=mode)
        assert (answer.success, answer.message) == (True, "")
        user.step(12)
        report = user.last("/vehicle/drive_mode/report")
        shown[mode] = (report.awd_mode.value, report.rear_diff.value)
    assert len(set(shown.values())) == 3, shown
    answer = user.call(SetDriveMode, "/acres/set_drive_mode", drive_mode="4x4")
    assert not answer.success and "turf" in answer.message


def test_the_answers_are_refusals_in_words_or_empty(user: User) -> None:
    answer = user.call(SetRate, "/acres/set_rate", rate=1.0)
    assert (answer.success, answer.message) == (True, "")
    answer = user.call(SetHardwareShifts, "/acres/set_hardware_shifts", brake_bias_bar=math.nan)
    assert not answer.success and "finite" in answer.message


# -- hardware shifts --------------------------------------------------------------------------------------------------


def shifted(user: User, **shifts: float) -> None:
    assert user.call(SetHardwareShifts, "/acres/set_hardware_shifts", **shifts).success


def heading_after(user: User) -> float:
    assert user.reset(3).result == OK
    user.forget()
    user.start_driving(3.0, 8.0)
    return pose(user)[2] - math.pi / 2


def test_the_steering_offset_moves_the_centre_to_the_right(user: User) -> None:
    """The centre becomes 12.5 deg minus the offset, so an angle of 12.5 deg now turns left by the offset."""
    assert abs(heading_after(user)) < 0.03
    shifted(user, steering_offset_deg=20.0)
    assert heading_after(user) > 0.1
    assert user.last("/vehicle/steering/report").steering_wheel_angle == pytest.approx(12.5, abs=0.5)


def test_the_speed_bias_slows_the_car_by_its_value(user: User) -> None:
    def mean_speed() -> float:
        assert user.reset(3).result == OK
        user.forget()
        user.start_driving(3.0, 14.0)
        speeds = [message.twist.twist.linear.x for message in user.messages(ODOMETRY)[-840:]]
        return sum(speeds) / len(speeds)

    plain = mean_speed()
    shifted(user, ulc_speed_bias_mps=1.0)
    # The true speed is the wheel speed over 0.9304.
    assert plain - mean_speed() == pytest.approx(1.0 / 0.9304, abs=0.25)


def test_the_throttle_bias_is_added_to_the_pedal(user: User) -> None:
    def pedal() -> float:
        assert user.reset(3).result == OK
        user.forget()
        user.enable()
        for _ in range(10):
            user.send("/vehicle/throttle/cmd", ThrottleCmd(cmd_type=ThrottleCmd.CMD_PERCENT, cmd=20.0, enable=True))
            user.step_result(6)
        user.settle()
        return user.last("/vehicle/throttle/info").accel_pedal_pc

    plain = pedal()
    shifted(user, throttle_bias_pct=7.0)
    assert pedal() - plain == pytest.approx(7.0, abs=0.1)


def test_the_brake_bias_is_added_to_the_line_pressure(user: User) -> None:
    def torque() -> float:
        assert user.reset(3).result == OK
        user.forget()
        user.enable()
        for _ in range(20):
            user.send("/vehicle/brake/cmd", BrakeCmd(cmd_type=BrakeCmd.CMD_PRESSURE, cmd=10.0, enable=True))
            user.step_result(6)
        user.settle()
        return user.last("/vehicle/brake/info").brake_torque_actual

    plain = torque()
    shifted(user, brake_bias_bar=5.0)
    assert torque() / plain == pytest.approx(1.5, abs=0.02)


def test_nothing_of_this_is_possible_while_a_step_request_runs(shared: Shared, user: User) -> None:
    handle = user.goal(10**9)
    answer = place(user, place="spawn-icsc-garage")
    assert not answer.success and "step request is running" in answer.message
    result = handle.get_result_async()
    user.wait(handle.cancel_goal_async())
    user.wait(result)
    assert user.state() == PAUSED
    assert user.step_result(0).result == FAILED
