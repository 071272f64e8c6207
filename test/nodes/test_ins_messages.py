"""The messages of the INS and of the vehicle's own sensors: status and covariance by fix, delay, order, rates."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from vehicle_rig import Recorder, context, exact, outputs, published, samples, sensors

from acres_ros.core.kinematics import quaternion
from acres_ros.core.navigation import Navigation
from acres_ros.models.navigation import run_navigation
from acres_ros.models.navigation_parameters import FIXED, FLOAT, NONE, SBAS, SINGLE
from acres_ros.models.navigation_state import NAVIGATION
from acres_ros.models.state import VEHICLE
from acres_ros.nodes.topics import TOPICS
from acres_ros.nodes.topics_config import TopicsFileError, check_rates
from acres_ros.world.georeference import Georeference

DELAY = 6  # steps: 0.05 s


def step_of(message: Any) -> int:
    return round((message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec) * 120)


def with_errors(count: int, state: str = "fixed", seed: int = 42) -> np.recarray:
    """Return samples of a vehicle at rest with the errors of the default sensors."""
    rows = samples(count)
    navigation = Navigation(sensors().navigation, seed)
    navigation.receiver.request(0, state, None, (0.0, 0.0, 0.0))
    errors = np.zeros(count, NAVIGATION.dtype)
    run_navigation(VEHICLE.new(1).view(np.ndarray), *navigation.arguments, errors)
    rows.navigation = errors
    return rows


@pytest.mark.parametrize("yaw_deg", [0, 90, 180, 270])
def test_with_errors_too_twist_is_in_the_child_frame_and_yaw_is_absolute(yaw_deg: int) -> None:
    yaw, rows = math.radians(yaw_deg), with_errors(120)
    body = rows.vehicle.body
    body.qx, body.qy, body.qz, body.qw = quaternion((0.0, 0.0, yaw_deg))
    body.vx, body.vy = 3.0 * math.cos(yaw), 3.0 * math.sin(yaw)
    recorder = published(rows)
    twist = recorder.last("ins/odometry").twist.twist.linear
    assert (twist.x, twist.y) == pytest.approx((3.0, 0.0), abs=0.06)
    for q in (recorder.last("ins/imu").orientation, recorder.last("ins/odometry").pose.pose.orientation):
        error = math.remainder(2.0 * math.atan2(q.z, q.w) - yaw, 2.0 * math.pi)
        assert 0.0 < abs(error) < math.radians(0.5)
        assert q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(
    ("state", "status", "service", "sigma"),
    [("none", -1, 0, 0.0), ("single", 0, 1, 1.5), ("sbas", 1, 1, 0.6), ("float", 2, 1, 0.2), ("fixed", 2, 1, 0.008)],
)
def test_status_and_covariance_follow_the_state(state: str, status: int, service: int, sigma: float) -> None:
    recorder = published(with_errors(1260, state))
    fix, odometry = recorder.last("ins/fix"), recorder.last("ins/odometry")
    assert (fix.status.status, fix.status.service, fix.position_covariance_type) == (status, service, 2)
    if state == "none":  # 10 s and a half since the loss: stated as the dead reckoning goes
        sigma = math.sqrt(0.008**2 + (0.008 * 10.4) ** 2 + 0.008**2 * 10.4**3 / 3.0)
    assert math.sqrt(fix.position_covariance[0]) == pytest.approx(sigma, rel=0.04)
    diagonal = np.array(odometry.pose.covariance)[::7]
    assert (diagonal > 0.0).all() and diagonal[0] > fix.position_covariance[0]
    assert np.isfinite([fix.latitude, fix.longitude, fix.altitude, *diagonal]).all()
    own = recorder.last("gps/fix")
    known = [math.isfinite(value) for value in (own.latitude, own.longitude, own.altitude)]
    assert (own.status.status, own.position_covariance_type) == (-1 if state == "none" else 0, 0)
    assert known == [state != "none"] * 3


def test_every_state_of_a_receiver_has_a_status() -> None:
    for state in (NONE, SINGLE, SBAS, FLOAT, FIXED):
        rows = samples(120)
        rows.navigation.ins.fix = state
        published(rows)


def test_a_fix_has_the_error_of_its_sample() -> None:
    rows = with_errors(120, "sbas")
    site = Georeference(context().config.origin)

    def place(fix: Any) -> np.ndarray:
        return np.array(site.from_geodetic(fix.latitude, fix.longitude, fix.altitude))

    fix = published(rows).last("ins/fix")
    error = place(fix) - place(published(samples(120)).last("ins/fix"))
    assert error == pytest.approx(rows.navigation.ins.position[step_of(fix) - 1], abs=1e-6)


def test_the_raw_unit_has_no_attitude_its_whole_bias_and_its_own_variances() -> None:
    rows = samples(24)
    rows.navigation.ins.raw.rate, rows.navigation.ins.rate = (1e-3, 2e-3, 3e-3), (1e-4, 2e-4, 3e-4)
    rows.navigation.ins.raw.shaking = 0.6
    recorder = published(rows)
    raw, corrected = recorder.last("ins/imu_raw"), recorder.last("ins/imu")
    assert raw.header.frame_id == "imu_link" and raw.orientation_covariance[0] == -1.0
    assert raw.angular_velocity.z == pytest.approx(3e-3, abs=1e-6)
    assert corrected.angular_velocity.z == pytest.approx(3e-4, abs=1e-12)
    assert raw.linear_acceleration_covariance[8] == pytest.approx(0.36, rel=0.01)
    assert raw.angular_velocity_covariance[0] > corrected.angular_velocity_covariance[0] > 0.0


def test_the_raw_unit_can_be_left_out() -> None:
    config = context().config
    silent = replace(config, ins=replace(config.ins, imu_raw=replace(config.ins.imu_raw, publish=False)))
    assert "ins/imu_raw" not in published(samples(24), config=silent).keys()
    assert "ins/imu_raw" in published(samples(24)).keys()


def test_a_message_comes_six_steps_after_its_sample_and_has_its_stamp() -> None:
    recorder, step = published(samples(24)), 0
    found = []
    for key, message in zip(recorder.keys(), recorder.log, strict=True):
        step += key == "clock"
        if key == "ins/odometry":
            found.append((step, round(int.from_bytes(message[1][8:12], "little") * 120e-9)))
    assert [stamp for _, stamp in found] == [2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18]
    assert {at - stamp for at, stamp in found} == {DELAY}
    assert step_of(next(recorder.messages("ground_truth/odometry"))) == 1


def test_the_order_within_a_step_stays_that_of_the_table() -> None:
    order = [topic.key for topic in TOPICS]
    steps: list[list[str]] = []
    for key in published(samples(240)).keys():
        if key == "clock":
            steps.append([])
        steps[-1].append(key)
    for keys in steps:
        places = [order.index(key) for key in keys]
        assert places == sorted(set(places))


def test_who_joins_late_gets_the_others_messages_but_for_those_on_their_way() -> None:
    rows = with_errors(240)
    whole, recorder = published(rows), Recorder()
    out = outputs(recorder)
    out.restart(120, 0)
    out.publish(rows[120:])
    late = [data for key, data in recorder.log if key == "ins/odometry"]
    assert late == [data for key, data in whole.log if key == "ins/odometry"][-len(late) :]
    assert step_of(next(recorder.messages("ins/odometry"))) == 122


def test_a_reset_forgets_what_is_on_its_way() -> None:
    recorder = Recorder()
    out = outputs(recorder)
    out.publish(samples(12))
    recorder.log.clear()
    rows = samples(12, first=13, epoch=1)
    rows.epoch_step = 12
    out.publish(rows)
    assert [step_of(message) for message in recorder.messages("ins/odometry")] == [14, 15, 16, 17, 18]


def test_a_listener_who_comes_back_gets_nothing_old() -> None:
    listening, recorder = True, Recorder()
    out = outputs(recorder, listeners=lambda topic: lambda: int(listening))
    out.publish(samples(12))
    listening = False
    out.publish(samples(24, first=13))
    listening = True
    recorder.log.clear()
    out.publish(samples(24, first=37))
    assert step_of(next(recorder.messages("ins/odometry"))) == 38


@pytest.mark.parametrize("rate_hz", [30.0, 60.0, 120.0, 99.0])
def test_a_rate_that_the_ins_does_not_give_is_refused(rate_hz: float) -> None:
    config = context().config
    check_rates(config, 100)
    odd = replace(config, ins=replace(config.ins, fix=replace(config.ins.fix, rate_hz=rate_hz)))
    with pytest.raises(
        TopicsFileError, match=rf"mine.yaml: ins.fix.rate_hz = {rate_hz:g}; wanted a whole part of ins.hz"
    ):
        check_rates(odd, 100, "mine.yaml")


def test_the_exact_sensors_are_those_of_before() -> None:
    odometry = published(samples(12), sensors=exact()).last("ins/odometry")
    assert step_of(odometry) == 12
    assert odometry.pose.pose.position.z == pytest.approx(-0.348, abs=1e-12)  # base_link below the centre of mass
