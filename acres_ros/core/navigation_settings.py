"""The blocks `ins`, `vehicle_imu` and `vehicle_gnss` of `config/sensors_polaris.json`: errors, rates, delays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from acres_ros.core.lidar_pattern import default_path
from acres_ros.core.schedule import HIGHEST_RATE_HZ, LOWEST_RATE_HZ, Schedule, steps_until_over
from acres_ros.models.maths import PI
from acres_ros.models.navigation_parameters import FIXED, FLOAT, NAVIGATION_PARAMETERS, NONE, SBAS, SINGLE
from acres_ros.world.json_file import Entry, read_json

FIXES = {"none": NONE, "single": SINGLE, "sbas": SBAS, "float": FLOAT, "fixed": FIXED}
"""States of a GNSS position by name."""

LONGEST_DELAY_S = 2.0
LEAST_STEP = 1.0e-9
"""Of a raw unit, in deg/s and mg: values are whole numbers of steps, which 64 bits hold."""
BLOCKS = ("ins", "vehicle_imu", "vehicle_gnss")

_DEG = PI / 180.0
_MG = 9.80665e-3
_LONGEST_TAU_S = 1.0e6


class _Key(NamedTuple):
    """One number of the file, and where it goes.

    Attributes:
        name: member of the block.
        field: field of the record.
        factor: from the unit of the file to that of the record.
        high: largest value, in the unit of the file.
        least: smallest value but 0, in the unit of the file.
    """

    name: str
    field: str
    factor: float
    high: float
    least: float = 0.0


_MODE = (
    _Key("horizontal_m", "horizontal", 1.0, 1000.0),
    _Key("up_m", "up", 1.0, 1000.0),
    _Key("horizontal_white_m", "horizontal_white", 1.0, 1000.0),
    _Key("up_white_m", "up_white", 1.0, 1000.0),
)
_VELOCITY = (
    _Key("horizontal_m_s", "speed_horizontal", 1.0, 10.0),
    _Key("up_m_s", "speed_up", 1.0, 10.0),
    _Key("white_m_s", "speed_white", 1.0, 10.0),
)
_ATTITUDE = (
    _Key("tilt_deg", "tilt", _DEG, 5.0),
    _Key("tilt_white_deg", "tilt_white", _DEG, 5.0),
    _Key("heading_deg", "heading", _DEG, 5.0),
    _Key("heading_white_deg", "heading_white", _DEG, 5.0),
    _Key("mounting_yaw_deg", "mounting", _DEG, 5.0),
)
_GYRO = (
    _Key("bias_deg_s", "bias", _DEG, 10.0),
    _Key("instability_deg_h", "instability", _DEG / 3600.0, 3600.0),
    _Key("white_rad_s", "white", 1.0, 1.0),
    _Key("scale", "scale", 1.0, 0.1),
    _Key("range_deg_s", "range", _DEG, 1.0e5),
    _Key("step_deg_s", "step", _DEG, 10.0, LEAST_STEP),
)
_ACCELEROMETER = (
    _Key("bias_mg", "bias", _MG, 1000.0),
    _Key("instability_mg", "instability", _MG, 1000.0),
    _Key("white_m_s2", "white", 1.0, 100.0),
    _Key("scale", "scale", 1.0, 0.1),
    _Key("range_g", "range", 1000.0 * _MG, 1000.0),
    _Key("step_mg", "step", _MG, 1000.0, LEAST_STEP),
)
_VIBRATION = (
    _Key("idle_m_s2", "idle", 1.0, 100.0),
    _Key("moving_m_s2", "moving", 1.0, 100.0),
    _Key("per_speed_1_s", "per_speed", 1.0, 100.0),
    _Key("paved_share", "paved", 1.0, 1.0),
)


@dataclass(frozen=True)
class Sampling:
    """When a sensor takes samples, and how long each is on its way.

    Attributes:
        hz: samples in a second.
        delay_steps: steps from a sample to its message.
        errors: whether it has any; else it tells the truth.
    """

    hz: int
    delay_steps: int
    errors: bool


@dataclass(frozen=True, eq=False)
class NavigationSettings:
    """The sensors of position and motion.

    Attributes:
        parameters: one NAVIGATION_PARAMETERS record, a plain array; 0 where a sensor has no errors.
        ins, vehicle_imu, vehicle_gnss: their samples.
        start: state of the position at a reset.
        single_steps: steps without corrections after the satellites are back.
        float_steps: steps from then on until RTK is resolved.
    """

    parameters: np.ndarray
    ins: Sampling
    vehicle_imu: Sampling
    vehicle_gnss: Sampling
    start: int
    single_steps: int
    float_steps: int

    @classmethod
    def read(cls, file: Entry) -> NavigationSettings:
        """Return the settings of a sensor file.

        Raises:
            WorldFileError: it names the key, the value and what is wanted.
        """
        parameters = NAVIGATION_PARAMETERS.new(1).view(np.ndarray)
        ins, imu, gnss = (file.member(name) for name in BLOCKS)
        ins.only(
            "errors", "hz", "delay_s", "start", "position", "velocity", "attitude", "lever_arm_m", "outage",
            "bias_left", "gyro", "accelerometer", "vibration",
        )  # fmt: skip
        imu.only("errors", "hz", "delay_s", "gyro", "accelerometer", "vibration")
        gnss.only("errors", "hz", "delay_s", "position")
        _fill_ins(ins, parameters["ins"])
        _fill_unit(imu, parameters["vehicle_imu"]["unit"])
        _fill_mode(gnss.member("position"), parameters["vehicle_gnss"]["mode"])
        samplings = [_sampling(entry, parameters[name]) for name, entry in zip(BLOCKS, (ins, imu, gnss), strict=True)]
        outage = ins.member("outage")
        single, resolving = (
            steps_until_over(outage.member(name).number(0.0, 3600.0)) for name in ("single_s", "float_s")
        )
        start = FIXES[ins.member("start").text(among=FIXES)]
        return cls(parameters, samplings[0], samplings[1], samplings[2], start, single, resolving)


@cache
def default_settings() -> NavigationSettings:
    """Return the settings of the file that comes with the package."""
    return NavigationSettings.read(read_json(default_path()))


def _fill_ins(entry: Entry, row: np.ndarray) -> None:
    position = entry.member("position")
    names = [name for name, fix in FIXES.items() if fix != NONE]
    position.only(*names)
    for name in names:
        _fill_mode(position.member(name), row["mode"][:, FIXES[name]])
    velocity, attitude = entry.member("velocity"), entry.member("attitude")
    _fill(velocity, _VELOCITY, row, tau_s="speed_tau")
    _fill(attitude, _ATTITUDE, row, tilt_tau_s="tilt_tau", heading_tau_s="heading_tau")
    row["lever_arm"] = entry.member("lever_arm_m").number(0.0, 1.0)
    outage = entry.member("outage").only("velocity_walk_m_s_per_root_s", "single_s", "float_s")
    row["walk"] = outage.member("velocity_walk_m_s_per_root_s").number(0.0, 10.0)
    row["bias_left"] = entry.member("bias_left").number(0.0, 1.0)
    _fill_unit(entry, row["unit"])


def _fill_unit(entry: Entry, row: np.ndarray) -> None:
    _fill(entry.member("gyro"), _GYRO, row["gyro"], tau_s="tau")
    _fill(entry.member("accelerometer"), _ACCELEROMETER, row["accelerometer"], tau_s="tau")
    _fill(entry.member("vibration"), _VIBRATION, row["vibration"])


def _fill_mode(entry: Entry, row: np.ndarray) -> None:
    _fill(entry, _MODE, row, tau_s="tau")


def _fill(entry: Entry, keys: Sequence[_Key], row: np.ndarray, **taus: str) -> None:
    """Write the numbers of a block into its record; `taus` are correlation times by their names in the file."""
    entry.only(*(key.name for key in keys), *taus)
    for key in keys:
        value = entry.member(key.name).number(0.0, key.high)
        if 0.0 < value < key.least:
            raise entry.member(key.name).refuse(f"0, or a number from {key.least:g} to {key.high:g}")
        row[key.field] = key.factor * value
    for name, field in taus.items():
        row[field] = entry.member(name).number(above=0.0, high=_LONGEST_TAU_S)


def _sampling(entry: Entry, row: np.ndarray) -> Sampling:
    errors = entry.member("errors")
    if not isinstance(errors.value, bool):
        raise errors.refuse("true or false")
    if not errors.value:
        _silence(row)
    hz = entry.member("hz").integer(LOWEST_RATE_HZ, HIGHEST_RATE_HZ)
    row["grid"]["step"], row["grid"]["period"], row["grid"]["tolerance"] = Schedule(hz).ticks
    delay = entry.member("delay_s").number(0.0, LONGEST_DELAY_S)
    return Sampling(hz, steps_until_over(delay), errors.value)


def _silence(row: np.ndarray) -> None:
    """Set everything to 0 but the correlation times."""
    for name in row.dtype.names or ():
        if row.dtype[name].base.names:
            _silence(row[name])
        elif not name.endswith("tau"):
            row[name] = 0
