"""The beams and the optics of a LiDAR: the block `lidar` of `config/sensors_polaris.json`, and level patterns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from acres_ros.core.kinematics import quaternion
from acres_ros.errors import AcresError, shown
from acres_ros.locations import shared_folder
from acres_ros.models.lidar_beams import Beams, fill_beams
from acres_ros.models.lidar_box import BOX, Boxes, fill_body
from acres_ros.models.lidar_signal import OPTICS
from acres_ros.models.lidar_weather import AIR
from acres_ros.world.json_file import Entry, read_json
from acres_ros.world.scene_file import Material
from acres_ros.world.surfaces import SurfaceClass

FILE = "sensors_polaris.json"
MOST_COLUMNS, MOST_RINGS = 36000, 256
FARTHEST_M = 1000.0
FARTHEST_MOUNT_M = 10.0
BOX_CORNERS = ("x_min", "y_min", "z_min", "x_max", "y_max", "z_max")


class LidarError(AcresError):
    """A LiDAR or a scan that cannot be."""

    def __init__(self, what: str, given: object, wanted: str) -> None:
        super().__init__(f"{what} is {shown(given)}; wanted {wanted}")


@dataclass(frozen=True)
class LidarMount:
    """Where the sensor is: m and degrees from `base_footprint`; x forward, y left, z up; rotations as in a URDF."""

    xyz_m: tuple[float, float, float]
    rpy_deg: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @cached_property
    def pose(self) -> np.ndarray:
        """Return x, y, z, qx, qy, qz, qw."""
        return np.array([*self.xyz_m, *quaternion(self.rpy_deg)])


@dataclass(frozen=True, eq=False)
class LidarPattern:
    """The beams of a LiDAR, its place on the vehicle and its optics. Beam number: column * rings + ring.

    Attributes:
        name: what it is called.
        hz: sweeps in a second, 1 to 120.
        columns: azimuths of a sweep; the first looks ahead, and the head turns clockwise seen from above.
        vertical_deg: elevation of each ring, in the order of firing.
        firing_us: when each ring is fired, from the start of its column on.
        axis_offset_m: how far from the axis the beams start; distances count from there.
        mount: where it is.
        rolling: whether each column is fired from where the vehicle is at that moment, else all from the first pose.
        optics: one `OPTICS` record.
        body: boxes of the vehicle's own body in `base_footprint` (n, 6): x, y, z of the low and the high corner, m.
        materials: what beams meet, where the scene does not say it.
        ground: material of the terrain, by the number of the surface class.
        air: one `AIR` record: what rain and dust do.
        delay_s: from the end of a sweep to its message, 0 to 1.
    """

    name: str
    hz: float
    columns: int
    vertical_deg: tuple[float, ...]
    firing_us: tuple[float, ...]
    axis_offset_m: float
    mount: LidarMount
    rolling: bool
    optics: np.ndarray
    body: np.ndarray
    materials: tuple[Material, ...]
    ground: tuple[str, ...]
    air: np.ndarray
    delay_s: float

    @classmethod
    def helios(cls, path: str | Path | None = None) -> LidarPattern:
        """Return the pattern of a sensor file: the RoboSense Helios of the vehicle.

        Args:
            path: the file; None is that of the package.

        Raises:
            WorldFileError: a file that is missing or not right; it names the key, the value and what is wanted.
        """
        return cls.read(read_json(default_path() if path is None else path).member("lidar"))

    @classmethod
    def read(cls, entry: Entry) -> LidarPattern:
        """Return the pattern of a block `lidar`; errors as `helios`."""
        return _read(entry)

    @classmethod
    def planar(cls, beams: int = 360, max_range_m: float = 30.0, path: str | Path | None = None) -> LidarPattern:
        """Return a level pattern at the place of the Helios, with its optics.

        Args:
            beams: number of beams in a turn; the first looks ahead, the others follow clockwise.
            max_range_m: range, m.
            path: sensor file of the Helios; None is that of the package.

        Raises:
            LidarError: no number of beams or no range that can be.
            WorldFileError: as `helios`.
        """
        if isinstance(beams, bool) or not isinstance(beams, int) or not 1 <= beams <= MOST_COLUMNS:
            raise LidarError("the number of beams", beams, f"a whole number from 1 to {MOST_COLUMNS}")
        helios = cls.helios(path)
        nearest = float(helios.optics["nearest_m"][0])
        if not nearest < max_range_m <= FARTHEST_M:
            raise LidarError("the range", max_range_m, f"a number above {nearest:g} m, {FARTHEST_M:g} m at most")
        optics = helios.optics.copy()
        optics["farthest_m"] = max_range_m
        return replace(
            helios, name="planar", columns=beams, vertical_deg=(0.0,), firing_us=(0.0,), axis_offset_m=0.0,
            optics=optics,
        )  # fmt: skip

    @property
    def rings(self) -> int:
        """Return the number of beams of a column."""
        return len(self.vertical_deg)

    @property
    def beam_count(self) -> int:
        """Return the number of beams of a sweep."""
        return self.columns * self.rings

    @property
    def column_s(self) -> float:
        """Return the time from one column to the next, s."""
        return 1.0 / (self.hz * self.columns)

    @property
    def farthest_m(self) -> float:
        """Return the range, m."""
        return float(self.optics["farthest_m"][0])

    @cached_property
    def times_s(self) -> np.ndarray:
        """Return when each beam is fired (beams,), s from the start of the sweep."""
        starts = np.arange(self.columns)[:, None] * self.column_s
        return (starts + 1e-6 * np.array(self.firing_us)).ravel()

    @cached_property
    def beams(self) -> Beams:
        """Return the beams as the kernels take them."""
        columns, rings = np.empty((self.columns, 2)), np.empty((self.rings, 3))
        turn = -2.0 * np.pi  # clockwise
        azimuths = turn * np.arange(self.columns) / self.columns
        leads = turn * self.hz * 1e-6 * np.array(self.firing_us)
        elevations = np.array(self.vertical_deg) * (np.pi / 180.0)
        fill_beams(azimuths, elevations, leads, columns, rings)
        return Beams(columns, rings, self.axis_offset_m)

    @cached_property
    def body_hits(self) -> np.ndarray:
        """Return where each beam meets the own body (beams, 2): distance (m), cosine of the incidence."""
        boxes = np.zeros((len(self.body), BOX))
        low, high = self.body[:, :3], self.body[:, 3:]
        boxes[:, :3], boxes[:, 3:6], boxes[:, 6:] = 0.5 * (low + high), 0.5 * (high - low), np.eye(3).ravel()
        hits = np.empty((self.beam_count, 2))
        fill_body(Boxes(boxes, len(boxes), 0), *self.beams, self.mount.pose, hits)
        return hits


def default_path() -> Path:
    """Return the sensor file that comes with the package."""
    return shared_folder("config") / FILE


def _read(entry: Entry) -> LidarPattern:
    entry.only(
        "hz", "mount", "rolling", "columns", "vertical_deg", "firing_us", "axis_offset_m", "range", "signal", "noise",
        "self_returns", "materials", "ground", "weather", "delay_s",
    )  # fmt: skip
    hz, columns = entry.member("hz").number(1.0, 120.0), entry.member("columns").integer(1, MOST_COLUMNS)
    angles = entry.member("vertical_deg").elements("a list of angles", most=MOST_RINGS)
    if not angles:
        raise entry.member("vertical_deg").refuse("one angle at least")
    firing = entry.member("firing_us").elements("a list of times", most=MOST_RINGS)
    if len(firing) != len(angles):
        raise entry.member("firing_us").refuse(f"{len(angles)} times, one for each of vertical_deg")
    most_us = 1e6 / (hz * columns)
    materials = tuple(_material(part) for part in entry.member("materials").elements("a list of materials", most=128))
    names = [material.name for material in materials]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise entry.member("materials").elements()[index].member("name").refuse("each name once")
    for name in ("vehicle", "crop", "rain", "dust"):
        if name not in names:
            raise entry.member("materials").refuse(f"a material with the name {name} among them")
    self_returns = entry.member("self_returns").only("share", "boxes")
    return LidarPattern(
        "helios",
        hz,
        columns,
        tuple(angle.number(-90.0, 90.0) for angle in angles),
        tuple(time.number(0.0, most_us) for time in firing),
        entry.member("axis_offset_m").number(0.0, 1.0),
        _mount(entry.member("mount")),
        _flag(entry.member("rolling")),
        _optics(entry, self_returns.member("share").number(0.0, 1.0)),
        _boxes(self_returns.member("boxes")),
        materials,
        _ground(entry.member("ground"), names),
        _air(entry.member("weather")),
        entry.member("delay_s").number(0.0, 1.0),
    )


def _mount(entry: Entry) -> LidarMount:
    entry.only("x_m", "y_m", "z_m", "yaw_deg", "pitch_deg", "roll_deg")
    x, y, z = (entry.member(name).number(-FARTHEST_MOUNT_M, FARTHEST_MOUNT_M) for name in ("x_m", "y_m", "z_m"))
    roll, pitch, yaw = (entry.member(name).number(-180.0, 180.0) for name in ("roll_deg", "pitch_deg", "yaw_deg"))
    return LidarMount((x, y, z), (roll, pitch, yaw))


def _flag(entry: Entry) -> bool:
    if not isinstance(entry.value, bool):
        raise entry.refuse("true or false")
    return entry.value


def _optics(entry: Entry, body_share: float) -> np.ndarray:
    range_ = entry.member("range").only("nearest_m", "farthest_m", "limit_m", "limit_reflectivity")
    signal = entry.member("signal").only("full_intensity", "leaf_cosine")
    noise = entry.member("noise").only("sigma_m", "sigma_to_m", "step_m", "signal_sigma", "drop_out")
    optics = OPTICS.new(1).view(np.ndarray)
    nearest = range_.member("nearest_m").number(0.0, 10.0)
    optics["nearest_m"] = nearest
    optics["farthest_m"] = range_.member("farthest_m").number(above=nearest, high=FARTHEST_M)
    optics["limit_m"] = range_.member("limit_m").number(above=0.0, high=1e5)
    optics["limit_reflectivity"] = range_.member("limit_reflectivity").number(above=0.0, high=1.0)
    optics["full_intensity"] = signal.member("full_intensity").number(above=0.0, high=1e6)
    optics["leaf_cosine"] = signal.member("leaf_cosine").number(above=0.0, high=1.0)
    optics["sigma_m"] = _three(noise.member("sigma_m"), 1.0)
    optics["sigma_to_m"] = sorted_ = _three(noise.member("sigma_to_m"), FARTHEST_M)
    if list(sorted_) != sorted(sorted_):
        raise noise.member("sigma_to_m").refuse("distances that rise")
    optics["step_m"] = noise.member("step_m").number(0.0, 1.0)
    optics["signal_sigma"] = noise.member("signal_sigma").number(0.0, 1.0)
    optics["drop_out"] = noise.member("drop_out").number(0.0, 1.0)
    optics["body_share"] = body_share
    return optics


def _air(entry: Entry) -> np.ndarray:
    entry.only("rain", "pulse_m", "nearest_m", "beam_m", "divergence_rad", "error_m")
    rain = entry.member("rain")
    rain.only("extinction_per_m", "exponent", "drops_per_m3_mm", "slope_per_mm", "slope_exponent")
    air = AIR.new(1).view(np.ndarray)
    air["rain_extinction_per_m"] = rain.member("extinction_per_m").number(0.0, 0.1)
    air["rain_exponent"] = rain.member("exponent").number(0.0, 1.0)
    air["drops_per_m3_mm"] = rain.member("drops_per_m3_mm").number(0.0, 1e6)
    air["slope_per_mm"] = rain.member("slope_per_mm").number(0.1, 100.0)
    air["slope_exponent"] = rain.member("slope_exponent").number(-1.0, 1.0)
    air["pulse_m"] = entry.member("pulse_m").number(above=0.0, high=10.0)
    air["nearest_m"] = entry.member("nearest_m").number(0.1, 10.0)
    air["beam_m"] = entry.member("beam_m").number(above=0.0, high=1.0)
    air["divergence_rad"] = entry.member("divergence_rad").number(0.0, 0.1)
    air["error_m"] = entry.member("error_m").number(0.0, 1.0)
    return air


def _three(entry: Entry, high: float) -> Sequence[float]:
    parts = entry.elements("a list of 3 numbers", most=3)
    if len(parts) != 3:
        raise entry.refuse("3 numbers")
    return [part.number(0.0, high) for part in parts]


def _boxes(entry: Entry) -> np.ndarray:
    rows = entry.rows(BOX_CORNERS)
    for index, row in enumerate(rows):
        if not (np.abs(row) <= FARTHEST_MOUNT_M).all() or not (row[:3] < row[3:]).all():
            raise entry.elements()[index].refuse(f"low corner below high corner, within {FARTHEST_MOUNT_M:g} m")
    return rows


def _material(entry: Entry) -> Material:
    entry.only("name", "reflectivity", "transmission_per_m")
    return Material(
        entry.member("name").text(),
        entry.member("reflectivity").number(0.0, 1.0),
        entry.member("transmission_per_m").number(0.0, 1.0),
    )


def _ground(entry: Entry, names: Sequence[str]) -> tuple[str, ...]:
    classes = [surface.name.lower() for surface in SurfaceClass]
    entry.only(*classes)
    return tuple(entry.member(name).text(among=names) for name in classes)
