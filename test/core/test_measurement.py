"""What the INS tells of a place that moves, against rigid-body formulas in numpy, and its stated covariances."""

from __future__ import annotations

import math

import numpy as np
import pytest
from navigation_rig import run, settings

from acres_ros.core.kinematics import BEFORE, MOTION, MOUNTING, derive, quaternion
from acres_ros.core.measurement import measure
from acres_ros.core.navigation import Navigation
from acres_ros.core.sample import SAMPLE_RECORD

ANTENNA, LINK, UNIT = np.array([-0.893, 0.1, 1.32]), np.array([-1.243, 0.0, -0.348]), np.array([-0.893, 0.0, 0.14])
SLOPE = (3.0, -2.0, 5.0)  # of the unit in the body, deg


def matrix(q: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of x, y, z, w."""
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def numbers(record: np.ndarray, names: str) -> np.ndarray:
    return np.array([float(record[name]) for name in names.split()])


class Rig:
    """A body with an attitude, a velocity and a rate; `measured` is what the sensors tell with some errors."""

    def __init__(
        self, parameters: np.ndarray, speed: float = 4.0, tilt_deg: float = 6.0, yaw_deg: float = 130.0
    ) -> None:
        self.parameters = parameters
        self.samples = SAMPLE_RECORD.new(1).view(np.ndarray)
        self.mountings = MOUNTING.new(1).view(np.ndarray)
        self.motions = MOTION.new(1).view(np.ndarray)
        mounts = self.mountings[0]
        for name, place in (("gnss", ANTENNA), ("link", LINK), ("imu", UNIT), ("vehicle_imu", UNIT)):
            mounts[name]["x"], mounts[name]["y"], mounts[name]["z"] = place
        for name in ("imu", "vehicle_imu"):
            for key, value in zip(("qx", "qy", "qz", "qw"), quaternion(SLOPE), strict=True):
                mounts[name][key] = value
        body = self.samples["vehicle"]["body"]
        q = quaternion((tilt_deg, -0.5 * tilt_deg, yaw_deg))
        self.rotation = matrix(np.array(q))
        self.rate = np.array([0.05, -0.1, 0.6])  # body
        self.velocity = self.rotation @ [speed, 0.0, 0.0]
        for key, value in zip(("qx", "qy", "qz", "qw"), q, strict=True):
            body[key] = value
        for names, values in (("vx vy vz", self.velocity), ("wx wy wz", self.rotation @ self.rate)):
            for key, value in zip(names.split(), values, strict=True):
                body[key] = value
        body["x"], body["y"], body["z"] = 100.0, -50.0, 3.0
        self.place = np.array([100.0, -50.0, 3.0])

    def measured(self) -> np.ndarray:
        derive(self.samples, self.mountings, BEFORE.new(1).view(np.ndarray), self.motions)
        measure(self.samples, self.mountings, self.parameters, self.motions)
        return self.motions[0]["measured"]

    @property
    def link(self) -> tuple[np.ndarray, np.ndarray]:
        """Return position and body velocity of base_link, exact."""
        velocity = self.rotation.T @ self.velocity + np.cross(self.rate, LINK)
        return self.place + self.rotation @ LINK, velocity


def test_the_antennas_solution_is_carried_to_base_link_with_the_estimated_attitude_and_lever_arm() -> None:
    rig = Rig(settings().parameters)
    errors = rig.samples["navigation"]["ins"]
    position, velocity = np.array([0.3, -0.2, 0.1]), np.array([0.05, 0.03, -0.02])
    attitude, lever, rate = (
        np.array([0.01, -0.02, 0.03]),
        np.array([0.02, -0.01, 0.03]),
        np.array([1.0, 2.0, -3.0]) / 1e3,
    )
    errors["position"], errors["velocity"], errors["attitude"] = position, velocity, attitude
    errors["lever_arm"], errors["rate"] = lever, rate
    out = rig.measured()
    heading = matrix(np.array([0.0, 0.0, math.sin(0.015), math.cos(0.015)]))
    length = math.hypot(0.005, 0.01)
    tilt = matrix(np.array([*(np.sin(length) * np.array([0.005, -0.01]) / length), 0.0, math.cos(length)]))
    estimate = heading @ rig.rotation @ tilt
    assert matrix(numbers(out["pose"], "qx qy qz qw")) == pytest.approx(estimate, abs=2e-5)  # small angles
    estimate = matrix(numbers(out["pose"], "qx qy qz qw"))
    arm = ANTENNA - LINK + lever
    antenna = rig.place + rig.rotation @ ANTENNA
    assert numbers(out["pose"], "x y z") == pytest.approx(antenna + position - estimate @ arm, abs=1e-12)
    turning = rig.rate + matrix(np.array(quaternion(SLOPE))) @ rate
    moving = rig.velocity + rig.rotation @ np.cross(rig.rate, ANTENNA) + velocity
    assert numbers(out["twist"], "vx vy vz") == pytest.approx(estimate.T @ moving - np.cross(turning, arm), abs=1e-12)
    assert numbers(out["twist"], "wx wy wz") == pytest.approx(turning, abs=1e-12)
    assert numbers(out["fix"], "x y z") == pytest.approx(antenna + position, abs=1e-12)


def test_without_errors_a_turning_vehicle_has_the_exact_twist_of_base_link() -> None:
    rig = Rig(settings(ins__errors=False, vehicle_imu__errors=False, vehicle_gnss__errors=False).parameters)
    out = rig.measured()
    place, velocity = rig.link
    assert numbers(out["pose"], "x y z") == pytest.approx(place, abs=1e-12)
    assert numbers(out["twist"], "vx vy vz") == pytest.approx(velocity, abs=1e-12)
    slope = matrix(np.array(quaternion(SLOPE)))
    for name in ("imu", "raw", "vehicle_imu"):
        assert numbers(out[name], "wx wy wz") == pytest.approx(slope.T @ rig.rate, abs=1e-12)
    stated = np.concatenate([out["pose_covariance"][::7], out["twist_covariance"][::7]])
    assert (stated >= 1.0e-12).all() and (stated < 1.0e-10).all()


@pytest.mark.parametrize("state", ["fixed", "float", "single", "none"])
def test_normalised_errors_of_base_link_are_one_for_a_fast_turn_on_a_slope(state: str) -> None:
    sensors, seeds = settings(), 400
    rig = Rig(sensors.parameters)
    place, speed = rig.link
    found = []
    for seed in range(seeds):
        navigation = Navigation(sensors, seed)
        navigation.receiver.request(0, "fixed", None, (0.0, 0.0, 0.0))
        run(navigation, 6, "ins.fix")
        navigation.receiver.request(6, state, None, (0.0, 0.0, 0.0))
        run(navigation, 360, "ins.fix")
        rig.samples["navigation"] = navigation.errors
        out = rig.measured()
        turn = matrix(numbers(out["pose"], "qx qy qz qw")) @ rig.rotation.T
        # roll and pitch are about the axes of the body, which the slope tilts out of the level by 0.1 rad
        level = matrix(np.array(quaternion((0.0, 0.0, -130.0))))
        angles = level @ (0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]))
        pose = np.concatenate([numbers(out["pose"], "x y z") - place, angles])
        twist = numbers(out["twist"], "vx vy vz wx wy wz") - np.concatenate([speed, rig.rate])
        covariance = np.concatenate([out["pose_covariance"][::7], out["twist_covariance"][::7]])
        found.append(np.concatenate([pose, twist]) ** 2 / covariance)
    means = np.mean(found, axis=0)
    assert means == pytest.approx(np.ones(12), abs=4.5 * math.sqrt(2.0 / seeds))
    assert means.mean() == pytest.approx(1.0, abs=0.15)


def test_stated_variances_of_a_fixed_position_at_rest_are_those_of_the_table() -> None:
    navigation = Navigation(settings(), 42)
    run(navigation, 2, "ins.fix")
    rig = Rig(settings().parameters, speed=0.0, tilt_deg=0.0)
    rig.samples["navigation"] = navigation.errors
    out = rig.measured()
    assert out["fix_covariance"][::4] == pytest.approx([6.8e-5, 6.8e-5, 2.34e-4], rel=1e-12)
    # lever arm 5 mm, and 1.7 m of it by 0.07 deg (and 0.1 deg) of attitude
    assert out["pose_covariance"][0] == pytest.approx(6.8e-5 + 2.5e-5, rel=0.02)
    assert out["attitude_covariance"][::4] == pytest.approx([7.13e-8, 7.13e-8, 4.57e-6], rel=0.01)
    assert out["rate_covariance"][::4] == pytest.approx([9.73e-8] * 3, rel=0.01)
    assert out["force_covariance"][::4] == pytest.approx([1.6e-5] * 3, rel=0.01)
    assert out["raw_force_covariance"][0] == pytest.approx(0.15**2, rel=0.01)


def test_a_raw_unit_scales_saturates_and_counts_in_steps() -> None:
    parameters = settings(
        ins__gyro__range_deg_s=30.0, ins__gyro__step_deg_s=0.5, ins__accelerometer__range_g=0.9,
        ins__accelerometer__step_mg=10.0,
    ).parameters  # fmt: skip
    rig = Rig(parameters, tilt_deg=0.0)
    raw = rig.samples["navigation"]["ins"]["raw"]
    raw["rate_scale"], raw["rate"] = (0.1, 0.0, 0.0), (0.0, 0.02, 0.0)
    rig.samples["navigation"]["ins"]["raw"] = raw
    out = rig.measured()["raw"]
    exact = rig.motions[0]["imu"]
    step, limit = math.radians(0.5), math.radians(30.0)
    assert out["wx"] == pytest.approx(step * round(1.1 * float(exact["wx"]) / step), abs=1e-12)
    assert out["wy"] == pytest.approx(step * round((float(exact["wy"]) + 0.02) / step), abs=1e-12)
    assert (float(exact["wz"]) > limit, out["wz"]) == (True, pytest.approx(limit, abs=1e-12))
    assert out["fz"] == pytest.approx(0.9 * 9.80665, abs=1e-9)
    shown = float(out["fx"]) / (0.01 * 9.80665)
    assert shown == pytest.approx(round(shown), abs=1e-9)
    assert float(out["fx"]) == pytest.approx(float(exact["fx"]), abs=0.006 * 9.80665)
