"""Read `config/topics.yaml`: names, frames, places and rates that differ from car to car.

The file's shape is the shape of the classes here: a key for each attribute, all needed, none unknown.
"""

from __future__ import annotations

import math
import re
import sys
import types
import typing
from collections import Counter
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from acres_ros.core.schedule import Schedule
from acres_ros.errors import AcresError, shown
from acres_ros.locations import shared_folder
from acres_ros.nodes.commands import COMMAND_TOPICS
from acres_ros.nodes.topics import TOPICS, full_name
from acres_ros.world.georeference import RANGES, Origin

FILE = "topics.yaml"
TOPIC_NAME = re.compile(r"(/[A-Za-z_][A-Za-z0-9_]*)+")
LONGEST_TOPIC = 180
"""Characters of a topic name; ROS has 247, and the name of an agent goes in front."""
HIGHEST_PRESSURE_KPA = 1000.0
POINT_TYPES = ("XYZI", "XYZIRT")
FARTHEST_MOUNT_M, MOST_MOUNT_DEG = 10.0, 180.0

Vector = tuple[float, float, float]
Four = tuple[float, float, float, float]


class _Loader(yaml.SafeLoader):
    """Takes each key of a mapping once; YAML forbids more, and PyYAML takes the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of a node."""
        keys = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        for key, count in keys.items():
            if count > 1:
                raise yaml.constructor.ConstructorError(None, None, f"{shown(key)} comes twice", node.start_mark)
        return super().construct_mapping(node, deep)


class TopicsFileError(AcresError):
    """A configuration file that cannot be used."""

    def __init__(self, path: Path, key: str, given: str, wanted: str) -> None:
        super().__init__(f"{path}: {key or 'the file'} {given}; wanted {wanted}")


@dataclass(frozen=True)
class Frames:
    """Frame names."""

    map: str
    odom: str
    base_footprint: str
    base_link: str
    imu: str
    gnss: str
    lidar: str
    wheels: tuple[str, str, str, str]

    @property
    def hubs(self) -> tuple[str, ...]:
        """Return the frames that the suspension moves, one for each wheel."""
        return tuple(f"{wheel}_hub" for wheel in self.wheels)

    @property
    def knuckles(self) -> tuple[str, ...]:
        """Return the frames that the steering turns, left and right."""
        return tuple(f"{wheel}_knuckle" for wheel in self.wheels[:2])

    def with_prefix(self, prefix: str) -> Frames:
        """Return the frames of another agent: all but the shared map get `<prefix>/` in front."""
        if not prefix:
            return self
        named = {f.name: getattr(self, f.name) for f in fields(self)}
        named = {k: tuple(f"{prefix}/{w}" for w in v) if k == "wheels" else f"{prefix}/{v}" for k, v in named.items()}
        return Frames(**{**named, "map": self.map})


@dataclass(frozen=True)
class Mount:
    """A place on the body: m from `base_footprint`, x forward, y left, z up; roll, pitch, yaw in degrees."""

    xyz_m: Vector
    rpy_deg: Vector


@dataclass(frozen=True)
class Place:
    """A point of the body with the axes of the body: m from `base_footprint`, x forward, y left, z up."""

    xyz_m: Vector


@dataclass(frozen=True)
class Mounts:
    """Places on the body."""

    base_link: Place
    imu: Mount
    gnss: Mount
    vehicle_imu: Mount
    vehicle_gnss: Mount


@dataclass(frozen=True)
class InsOdometry:
    """Odometry of the INS; `utm` gives positions in UTM metres and height above the ellipsoid."""

    topic: str
    rate_hz: float
    utm: bool


@dataclass(frozen=True)
class Stream:
    """A topic with a rate."""

    topic: str
    rate_hz: float


@dataclass(frozen=True)
class Named:
    """A topic whose rate is fixed."""

    topic: str


@dataclass(frozen=True)
class OptionalStream:
    """A topic with a rate that may be left out."""

    topic: str
    rate_hz: float
    publish: bool


@dataclass(frozen=True)
class Ins:
    """Topics of the INS; its errors, and so its variances, are in the sensor file."""

    odometry: InsOdometry
    imu: Stream
    imu_raw: OptionalStream
    fix: Stream

    @property
    def rates_hz(self) -> dict[str, float]:
        """Return the rates by the keys of the topics."""
        streams = {"odometry": self.odometry, "imu": self.imu, "imu_raw": self.imu_raw, "fix": self.fix}
        return {f"ins/{name}": stream.rate_hz for name, stream in streams.items()}


@dataclass(frozen=True)
class LidarTopic:
    """Topic and layout of the point cloud, in the words of the driver `rslidar_sdk`."""

    topic: str
    point_type: str
    dense_points: bool
    send_by_rows: bool
    ts_first_point: bool


@dataclass(frozen=True)
class Constants:
    """Signals without a model."""

    tire_pressure_kpa: Four
    wheel_counts_per_turn: int
    fuel_tank_litre: float
    fuel_start_pct: float


@dataclass(frozen=True)
class TopicsConfig:
    """The whole file."""

    frames: Frames
    mounts: Mounts
    origin: Origin
    ins: Ins
    lidar: LidarTopic
    ground_truth: Named
    robot_description: Named
    joint_states: Named
    constant: Constants


def load_topics_config(path: str | Path | None = None) -> TopicsConfig:
    """Return the checked configuration.

    Args:
        path: a file; None or empty is the one that comes with the package.

    Raises:
        TopicsFileError: no such file, not YAML, an unknown, missing or wrong key.
        RateRefusedError: a rate outside 1 to 120 Hz.
    """
    path = Path(path) if path else default_path()
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except OSError as error:
        raise TopicsFileError(path, "", f"cannot be read ({error.strerror})", "a YAML file") from None
    except yaml.YAMLError as error:
        raise TopicsFileError(path, "", f"is not YAML ({error})".replace("\n", " "), "a YAML file") from None
    except UnicodeDecodeError as error:
        raise TopicsFileError(path, "", f"is not UTF-8 ({error.reason}, byte {error.start})", "a text file") from None
    except RecursionError:
        raise TopicsFileError(path, "", "is nested too deep", "the keys of the file of the package") from None
    except (ValueError, LookupError, AttributeError, TypeError) as error:
        # What PyYAML lets through when a scalar is not of its tag: a 13th month, an integer without digits.
        raise TopicsFileError(path, "", f"has a value that cannot be read ({error})", "a YAML file") from None
    config = _read(path, "", TopicsConfig, content)
    for rate_hz in config.ins.rates_hz.values():
        Schedule(rate_hz)
    _check_names(path, config)
    _check_values(path, config)
    return config


def check_rates(config: TopicsConfig, ins_hz: int, path: str | Path | None = None) -> None:
    """Refuse rates of the INS's topics that its samples do not give.

    Args:
        config: the configuration.
        ins_hz: samples of the INS in a second, of the sensor file.
        path: file of the configuration; None or empty is the one that comes with the package.

    Raises:
        TopicsFileError: a rate of which that of the samples is no whole multiple.
    """
    for key, rate_hz in config.ins.rates_hz.items():
        if Fraction(ins_hz) % Fraction(rate_hz) != 0:
            wanted = f"a whole part of ins.hz of the sensor file, {ins_hz}, such as {ins_hz} or {ins_hz / 2:g}"
            source = Path(path) if path else default_path()
            raise TopicsFileError(source, f"{key.replace('/', '.')}.rate_hz", f"= {rate_hz:g}", wanted)


def default_path() -> Path:
    """Return the configuration that comes with the package."""
    tree = Path(__file__).resolve().parents[2] / "config" / FILE
    return tree if tree.is_file() else shared_folder("config") / FILE


def _read(path: Path, key: str, kind: Any, given: Any) -> Any:
    """Return `given` as the type `kind`, or say what is wrong with it."""
    if is_dataclass(kind):
        return _read_mapping(path, key, typing.cast(type, kind), given)
    if typing.get_origin(kind) is tuple:
        elements = typing.get_args(kind)
        if not isinstance(given, list) or len(given) != len(elements):
            raise TopicsFileError(path, key, f"= {shown(given)}", f"a list of {len(elements)}")
        return tuple(_read(path, f"{key}[{i}]", element, given[i]) for i, element in enumerate(elements))
    if kind is float and _finite(given):
        return float(given)
    if kind is not float and type(given) is kind and given != "":
        return given
    wanted = {float: "a finite number", int: "a whole number", bool: "true or false", str: "a text"}[kind]
    raise TopicsFileError(path, key, f"= {shown(given)}", wanted)


def _finite(given: Any) -> bool:
    try:
        return isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given)
    except OverflowError:  # a whole number beyond the doubles
        return False


def _read_mapping(path: Path, key: str, kind: type, given: Any) -> Any:
    kinds = typing.get_type_hints(kind, vars(sys.modules[kind.__module__]))
    if not isinstance(given, dict):
        raise TopicsFileError(path, key, f"= {shown(given)}", f"keys {', '.join(kinds)}")
    below = f"{key}." if key else ""
    for name in given:
        if name not in kinds:
            name = name if isinstance(name, str) and len(name) <= 80 else shown(name)
            raise TopicsFileError(path, f"{below}{name}", "is not known", f"one of {', '.join(kinds)}")
    for name in kinds:
        if name not in given:
            raise TopicsFileError(
                path, f"{below}{name}", "is missing", "every key of the file that comes with the package"
            )
    return kind(**{name: _read(path, f"{below}{name}", kinds[name], given[name]) for name in kinds})


def _check_names(path: Path, config: TopicsConfig) -> None:
    frames = config.frames
    names = [frames.map, frames.odom, frames.base_footprint, frames.base_link, frames.imu, frames.gnss, frames.lidar]
    names += [*frames.wheels, *frames.hubs, *frames.knuckles]
    for name in names:
        if names.count(name) > 1:
            raise TopicsFileError(path, "frames", f"has {shown(name)} twice", "a name of its own for every frame")
        # The names go into the URDF as they are.
        if name.startswith("/") or not name.isprintable() or set(name) & set(" <>&\"'"):
            wanted = "frame names without a leading slash, spaces, quotes and any of < > &"
            raise TopicsFileError(path, "frames", f"has {shown(name)}", wanted)
    _check_topics(path, config)


def _check_topics(path: Path, config: TopicsConfig) -> None:
    """Refuse names that ROS does not allow, and names that something else of the stand-in has."""
    topics = {
        "ins.odometry.topic": ("ins/odometry", config.ins.odometry.topic),
        "ins.imu.topic": ("ins/imu", config.ins.imu.topic),
        "ins.imu_raw.topic": ("ins/imu_raw", config.ins.imu_raw.topic),
        "ins.fix.topic": ("ins/fix", config.ins.fix.topic),
        "lidar.topic": ("lidar/points", config.lidar.topic),
        "ground_truth.topic": ("ground_truth/odometry", config.ground_truth.topic),
        "robot_description.topic": ("robot_description", config.robot_description.topic),
        "joint_states.topic": ("joint_states", config.joint_states.topic),
    }
    here = {row for row, _ in topics.values()}
    taken = {full_name(topic, ""): "a topic of the vehicle" for topic in TOPICS if topic.key not in here}
    taken |= {f"/{topic.name}": "a command of the vehicle" for topic in COMMAND_TOPICS}
    taken |= dict.fromkeys(("/rosout", "/parameter_events"), "a topic of every node")
    for key, (_, name) in topics.items():
        if not TOPIC_NAME.fullmatch(name) or len(name) > LONGEST_TOPIC:
            wanted = (
                "a full name with a leading slash and none at the end; letters, digits and _ between slashes, "
                f"no digit first; at most {LONGEST_TOPIC} characters"
            )
            raise TopicsFileError(path, key, f"= {shown(name)}", wanted)
        if name in taken:
            raise TopicsFileError(path, key, f"= {name!r}, which is {taken[name]}", "a name of its own")
        taken[name] = key


def _check_values(path: Path, config: TopicsConfig) -> None:
    limits = types.MappingProxyType(
        {
            **{f"origin.{name}": (getattr(config.origin, name), *span) for name, span in RANGES.items()},
            "constant.wheel_counts_per_turn": (config.constant.wheel_counts_per_turn, 1, 32767),
            "constant.fuel_start_pct": (config.constant.fuel_start_pct, 0.0, 100.0),
            "constant.fuel_tank_litre": (config.constant.fuel_tank_litre, 1.0, 1000.0),
        }
    )
    for key, (value, lowest, highest) in limits.items():
        if not lowest <= value <= highest:
            raise TopicsFileError(path, key, f"= {shown(value)}", f"{lowest:g} to {highest:g}")
    if config.lidar.point_type not in POINT_TYPES:
        raise TopicsFileError(path, "lidar.point_type", f"= {shown(config.lidar.point_type)}", " or ".join(POINT_TYPES))
    for name, places in vars(config.mounts).items():
        for key, most in (("xyz_m", FARTHEST_MOUNT_M), ("rpy_deg", MOST_MOUNT_DEG)):
            given = getattr(places, key, ())
            if not all(abs(value) <= most for value in given):
                where, wanted = f"mounts.{name}.{key}", f"numbers from {-most:g} to {most:g}"
                raise TopicsFileError(path, where, f"= {list(given)}", wanted)
    pressures = config.constant.tire_pressure_kpa
    if not 0.0 <= min(pressures) <= max(pressures) <= HIGHEST_PRESSURE_KPA:
        given, wanted = f"= {list(pressures)}", f"0 to {HIGHEST_PRESSURE_KPA:g} each"
        raise TopicsFileError(path, "constant.tire_pressure_kpa", given, wanted)
