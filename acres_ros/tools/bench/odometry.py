"""Row L1: a LiDAR odometry that knows nothing of the simulator, fed with the scans of a drive, against the truth.

The registration is small_gicp's (Koide, 2024, JOSS 9(100)): a scan against a map of voxels. Around it stands the usual
pipeline: the motion of the last sweep is the first guess of the next one, and each point is moved to the end of its
sweep by its own time, as in KISS-ICP (Vizzo et al., 2023, RA-L 8(2), section III-A). So wrong times, a wrong order of
the columns or a sweep that is not rolling show as drift.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from acres_ros.core import messages as m
from acres_ros.core.cloud_layout import CloudLayout
from acres_ros.core.environment import Environment
from acres_ros.core.lidar import Lidar
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.parameters import load_parameters
from acres_ros.core.start import Start
from acres_ros.models import rotation
from acres_ros.tools.bench.figures import Bar, Figure
from acres_ros.world import World

NOT_INSTALLED = "small_gicp is not installed: pip install -r requirements/bench.txt"
ROUTE = ((-100.0, -212.0), (-52.0, -212.0), (-52.0, -150.0))
"""East on the farm road, then left into the drive of the garage's yard, m."""
CORNER_M = 10.0
SPEED, SECONDS = 4.0, 20.0
AHEAD_M = 5.0
SWEEP = 12
"""Steps of a sweep."""
DRIFT_BAR = 1.5
GAIN_BAR = 1.5
NEAREST_M, FARTHEST_M = 3.0, 80.0
POINT_M, VOXEL_M = 0.4, 1.0
SECOND = 10
"""Sweeps in a second."""


class Sweep(NamedTuple):
    """One sweep as a consumer gets it, and the truth.

    Attributes:
        points: x, y, z in the frame of the sensor (n, 3), m.
        times: when each was fired (n,), s from the start of the sweep.
        truth: pose of the sensor in the world at the end of the sweep, 4 x 4.
    """

    points: np.ndarray
    times: np.ndarray
    truth: np.ndarray


def find_registration() -> ModuleType | None:
    """Return the package, None if it is not installed."""
    try:
        return importlib.import_module("small_gicp")
    except ImportError:
        return None


def odometry_figures(world: World, say: Callable[[str], None] = lambda text: None) -> Iterator[Figure]:
    """Yield the figures of row L1.

    Args:
        world: the farm.
        say: shows what is being done.
    """
    package = find_registration()
    if package is None:
        yield Figure("L1", "LiDAR odometry, drift at the end", math.nan, "%", None, NOT_INSTALLED)
        return
    sweeps = drive(world)
    truth = [np.linalg.inv(sweeps[0].truth) @ sweep.truth for sweep in sweeps]
    length = sum(float(np.linalg.norm(b[:3, 3] - a[:3, 3])) for a, b in zip(truth, truth[1:], strict=False))
    rough = {}
    for deskew in (True, False):
        say(f"L1: odometry {'with' if deskew else 'without'} the times of the points")
        found = odometry(package, sweeps, deskew=deskew)
        drift = 100.0 * float(np.linalg.norm(found[-1][:3, 3] - truth[-1][:3, 3])) / length
        rough[deskew] = 1e3 * _over_a_second(found, truth)
        name = f"LiDAR odometry {'with' if deskew else 'without'} the times of the points, drift at the end"
        beside = f"{len(sweeps)} sweeps, {length:.0f} m; {rough[deskew]:.0f} mm rms over a second"
        yield Figure("L1", name, drift, "%", Bar(DRIFT_BAR) if deskew else None, beside)
    yield Figure("L1", "error over a second without the times, over that with them", rough[False] / rough[True], "x",
                 Bar(GAIN_BAR, least=True))  # fmt: skip


def drive(world: World) -> list[Sweep]:
    """Drive the route with the noise of the sensor on, and return its sweeps, the first from rest."""
    start = Start(x=ROUTE[0][0], y=ROUTE[0][1], yaw=0.0, gear="H")
    environment = Environment(world, load_parameters(), start)
    lidar, pattern, path = Lidar.of(world), LidarPattern.helios(), _path()
    layout = CloudLayout(pattern, point_type="XYZIRT", dense_points=False, send_by_rows=False, ts_first_point=True)
    data = bytearray(layout.size)
    cells = layout.cells(data)
    environment.post(m.Enable())
    pose = _footprint(environment.step(1)[-1], environment.parameters)
    sweeps = []
    for _ in range(round(SECONDS * SECOND)):
        track = [pose]
        for _ in range(SWEEP):
            environment.post(m.SteeringCmd(cmd=_steering(path, pose), cmd_rate=400.0, cmd_type=2, enable=True))
            environment.post(m.UlcCmd(cmd=SPEED, cmd_type=1, enable=True))
            pose = _footprint(environment.step(1)[-1], environment.parameters)
            track.append(pose)
        begin = environment.step_count - SWEEP
        scan = lidar.scan(pattern, np.array(track), noise=True, step=begin)
        layout.write(cells, scan.points, begin)
        points, times = _received(data, layout.stamp_ns(begin))
        sweeps.append(Sweep(points, times, _matrix(pose) @ _matrix(pattern.mount.pose)))
    return sweeps


def _received(data: bytearray, stamp_ns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the points (m) and times (s after the stamp) that a consumer reads from the bytes of a message."""
    layout = {"names": ["xyz", "timestamp"], "formats": ["(3,)<f4", "<f8"], "offsets": [0, 18], "itemsize": 26}
    cells: np.ndarray = np.frombuffer(bytes(data), np.dtype(layout))  # type: ignore[call-overload]
    points = cells["xyz"].astype(np.float64)
    ranges = np.linalg.norm(points, axis=1)  # NaN without a return, which is neither near nor far
    used = (ranges > NEAREST_M) & (ranges < FARTHEST_M)
    return points[used], cells["timestamp"][used] - 1e-9 * stamp_ns


def odometry(package: Any, sweeps: list[Sweep], *, deskew: bool) -> list[np.ndarray]:
    """Return the pose of the sensor at the end of each sweep, 4 x 4, from that at the end of the first one.

    Args:
        package: small_gicp.
        sweeps: points and times; the truth is not looked at.
        deskew: move each point to the end of its sweep by its time.
    """
    voxels = package.GaussianVoxelMap(VOXEL_M)
    poses: list[np.ndarray] = []
    pose, motion = np.eye(4), np.eye(4)
    for sweep in sweeps:
        points = at_the_end(sweep, motion) if deskew else sweep.points
        cloud, _ = package.preprocess_points(points, POINT_M)
        if poses:
            result = package.align(voxels, cloud, init_T_target_source=pose @ motion, max_correspondence_distance=2.0)
            motion = np.linalg.inv(pose) @ result.T_target_source
            pose = result.T_target_source
        voxels.insert(cloud, pose)
        poses.append(pose)
    return poses


def at_the_end(sweep: Sweep, motion: np.ndarray) -> np.ndarray:
    """Return the points as the sensor would see them at the end of the sweep, for a steady motion during it.

    Args:
        sweep: points and times.
        motion: pose at the end of the sweep in that at its start, 4 x 4.
    """
    share = (sweep.times * SECOND - 1.0)[:, None]
    turn = motion[:3, :3]
    angle = math.acos(min(1.0, max(-1.0, 0.5 * (np.trace(turn) - 1.0))))
    skew = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    axis = skew / (2.0 * math.sin(angle)) if angle > 1e-9 else np.array([0.0, 0.0, 1.0])
    # Rodrigues' formula, and the path to the second order: a sweep turns by a tenth of a radian at most.
    cosine, sine = np.cos(share * angle), np.sin(share * angle)
    along = (sweep.points @ axis)[:, None] * axis
    turned = sweep.points * cosine + np.cross(axis, sweep.points) * sine + along * (1.0 - cosine)
    line = motion[:3, 3] - 0.5 * angle * np.cross(axis, motion[:3, 3])
    return turned + share * line + 0.5 * share**2 * angle * np.cross(axis, line)


def _path() -> np.ndarray:
    """Return points of the route, 0.2 m apart, with its corner rounded."""
    a, b, c = (np.array(point) for point in ROUTE)
    into, out = (b - a) / np.linalg.norm(b - a), (c - b) / np.linalg.norm(c - b)
    first, last = b - CORNER_M * into, b + CORNER_M * out
    arc = np.linspace(0.0, 0.5 * math.pi, round(0.5 * math.pi * CORNER_M / 0.2))[:, None]
    bend = first + CORNER_M * (np.sin(arc) * into + (1.0 - np.cos(arc)) * out)
    return np.concatenate([_line(a, first), bend, _line(last, c)])


def _line(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.linspace(a, b, round(float(np.linalg.norm(b - a)) / 0.2), endpoint=False)


def _steering(path: np.ndarray, pose: np.ndarray) -> float:
    """Return the steering wheel angle in deg towards a point ahead on the path (pure pursuit)."""
    nearest = int(np.argmin(((path - pose[:2]) ** 2).sum(axis=1)))
    to = path[min(nearest + round(AHEAD_M / 0.2), len(path) - 1)] - pose[:2]
    axes = _matrix(pose)
    ahead, left = to @ axes[:2, 0], to @ axes[:2, 1]
    curvature = 2.0 * left / (ahead * ahead + left * left)
    return 12.5 + 11.76 * math.degrees(math.atan(2.87 * curvature))


def _footprint(sample: Any, parameters: np.ndarray) -> np.ndarray:
    """Return the pose of `base_footprint` in a sample: x, y, z, qx, qy, qz, qw."""
    body, geometry = sample["vehicle"]["body"], parameters[0]["geometry"]
    x, y, z, qx, qy, qz, qw = (float(body[name]) for name in ("x", "y", "z", "qx", "qy", "qz", "qw"))
    ahead, height = float(geometry["mass_ahead_m"]), float(geometry["mass_height_m"])
    arm = rotation.rotate(qx, qy, qz, qw, ahead, 0.0, height)
    return np.array([x - arm[0], y - arm[1], z - arm[2], qx, qy, qz, qw])


def _matrix(pose: np.ndarray) -> np.ndarray:
    result = np.eye(4)
    result[:3, :3] = np.reshape(rotation.matrix(*map(float, pose[3:])), (3, 3))
    result[:3, 3] = pose[:3]
    return result


def _over_a_second(found: list[np.ndarray], truth: list[np.ndarray]) -> float:
    """Return how far the motions over each second are off, rms, m."""
    off = []
    for k in range(len(truth) - SECOND):
        ours = np.linalg.inv(found[k]) @ found[k + SECOND]
        off.append(ours[:3, 3] - (np.linalg.inv(truth[k]) @ truth[k + SECOND])[:3, 3])
    return float(np.sqrt((np.array(off) ** 2).sum(axis=1).mean()))
