"""A sweep as a job: it does not see what changes after it was made, and runs beside the making of the next one."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from lidar_rig import hills, on, woods

from acres_ros.core import lidar_job
from acres_ros.core.lidar import Box, Lidar, LidarError, LidarPattern, Scan, ScanJob
from acres_ros.models.ground import PATCH
from acres_ros.world import World
from acres_ros.world.terrain import Terrain

AT_REST = (0, 0, 0, 0, 0, 0, 1)


def outputs(scan: Scan) -> tuple[bytes, bytes, bytes, int]:
    return scan.ranges.tobytes(), scan.points.tobytes(), scan.materials.tobytes(), scan.returns


@pytest.fixture(scope="module")
def helios() -> LidarPattern:
    return LidarPattern.helios()


@pytest.fixture(scope="module")
def farm() -> Lidar:
    """Return hills with a wood, and a field of 40 m by 40 m round the origin."""
    terrain = hills()
    x, y = np.meshgrid(np.arange(-20, 20), np.arange(-20, 20))
    rows = np.zeros(x.size, PATCH)
    rows["x"], rows["y"], rows["height"], rows["growth"], rows["crop"] = x.ravel(), y.ravel(), 1.2, 1.0, 1
    return Lidar(terrain, woods(terrain), World.flat().ground._replace(patches=rows))


def test_a_job_does_not_see_what_changes_later(farm: Lidar, helios: LidarPattern):
    poses = np.array([AT_REST, (1.0, 0.2, 0.1, 0, 0, 0.1, 1)], float)
    crushed = np.zeros(1600, np.uint16)
    crushed[::5] = 0b101
    options = {"crushed": crushed, "boxes": [Box((9.0, 4.0, 1.0), (4.0, 2.0, 2.0))], "noise": True, "step": 12}
    wanted = outputs(farm.scan(helios, poses, **options))
    job = farm.prepare(helios, poses, **options)
    poses[:], crushed[:] = 7.0, 0x1FF
    options["boxes"].clear()
    assert outputs(job.run()) == wanted
    assert outputs(job.run(2)) == wanted  # and again


def test_making_a_job_changes_no_mask_of_the_caller(farm: Lidar, helios: LidarPattern):
    crushed = np.zeros(1600, np.uint16)
    farm.scan(helios, AT_REST, crushed=crushed)
    assert not crushed.any()


def test_jobs_run_while_the_next_ones_are_made(farm: Lidar, helios: LidarPattern):
    planar = LidarPattern.planar(720, 80.0)

    def job(number: int) -> ScanJob:
        pattern = helios if number % 3 else planar
        return farm.prepare(pattern, on(hills(), 0.3 * number, -number, 0.2 * number), noise=True, step=number)

    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(job(number).run, 1 + number % 2) for number in range(12)]
        together = [outputs(run.result()) for run in runs]
    assert together == [outputs(job(number).run()) for number in range(12)]


def test_a_world_of_level_ground_alone_can_be_scanned(helios: LidarPattern):
    for lidar in (Lidar(Terrain.flat()), Lidar.of(World.flat())):
        scan = lidar.prepare(helios, AT_REST).run()
        assert scan.returns > 20_000 and math.isinf(scan.ranges[0])


def test_the_thread_that_asks_and_its_helpers_scan_at_once(
    farm: Lidar, helios: LidarPattern, monkeypatch: pytest.MonkeyPatch
):
    job, scan_columns = farm.prepare(helios, AT_REST), lidar_job.scan_columns
    wanted, gate, seen = outputs(job.run()), threading.Barrier(3, timeout=60.0), set()

    def columns(*arguments: object) -> int:
        if threading.get_ident() not in seen:
            seen.add(threading.get_ident())
            gate.wait()  # until each of the three is at its first columns
        return scan_columns(*arguments)

    monkeypatch.setattr(lidar_job, "scan_columns", columns)
    assert outputs(job.run(3)) == wanted
    assert len(seen) == 3 and threading.get_ident() in seen


def test_a_scan_does_not_wait_for_helpers_that_are_busy(farm: Lidar, helios: LidarPattern):
    job, free = farm.prepare(helios, AT_REST), threading.Event()
    busy = [lidar_job._pool(2).submit(free.wait, 60.0) for _ in range(2)]
    try:
        assert outputs(job.run(3)) == outputs(job.run())
        assert not any(one.done() for one in busy)
    finally:
        free.set()


@pytest.mark.parametrize("threads", [0, 257, True, 1.0])
def test_a_number_of_threads_that_cannot_be_is_refused(helios: LidarPattern, threads: object):
    job = Lidar(Terrain.flat()).prepare(helios, AT_REST)
    with pytest.raises(LidarError, match="from 1 to 256"):
        job.run(threads)
