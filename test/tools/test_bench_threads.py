"""The figures of all threads, rows G2 and G3: what is divided by what, who runs beside whom, and with which result."""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from acres_ros.core.lidar import Lidar
from acres_ros.tools.bench import Bar, lidar, physics_threads
from acres_ros.tools.bench.all_threads import all_thread_figures, thread_count
from acres_ros.tools.bench.embree import EmbreePeer
from acres_ros.tools.bench.physics import Drive
from acres_ros.tools.bench.physics_threads import drive_at_once, physics_thread_figures
from acres_ros.tools.bench.times import Times
from acres_ros.world import World, load_world
from acres_ros.world.scene import Scene
from acres_ros.world.scene_file import SceneFile


def test_all_threads_are_the_cpus_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    for cpus, threads in ((3, 3), (1000, 256)):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cpus=cpus: set(range(cpus)))
        assert thread_count() == threads


def test_the_share_is_what_all_do_over_as_many_times_one() -> None:
    rate, share = all_thread_figures(
        "G2", "steps", "steps/s", one=100.0, together=340.0, threads=4, beside="in corn", bar=Bar(0.9, least=True)
    )
    assert (rate.value, rate.unit, rate.bar, rate.beside) == (340.0, "steps/s", None, "4 threads; in corn")
    assert (share.value, share.unit, share.met) == (0.85, "x", False)
    assert "one thread in turns 100 steps/s" in share.beside and "4 threads 3.40 times that" in share.beside


def test_the_shortest_times_of_all_but_the_first_run_count(monkeypatch: pytest.MonkeyPatch) -> None:
    wall, cpu = iter((0.0, 1.0, 10.0, 17.0, 20.0, 25.0, 30.0, 36.0)), iter((0.0, 0.1, 1.0, 1.2, 2.0, 2.5, 3.0, 3.1))
    monkeypatch.setattr(time, "perf_counter", lambda: next(wall))
    monkeypatch.setattr(time, "thread_time", lambda: next(cpu))
    times, done = Times(), []
    for place, repeat in (("lot", 0), ("lot", 1), ("lot", 2), ("field", 1)):
        times.take(place, lambda: done.append(1), repeat)
    assert times.wall == {"lot": 5.0, "field": 6.0} and times.wall_s == 11.0
    assert times.cpu == pytest.approx({"lot": 0.2, "field": 0.1}) and times.cpu_s == pytest.approx(0.3)
    assert len(done) == 4


# -- G2 ---------------------------------------------------------------------------------------------------------------


def test_vehicles_side_by_side_have_the_bits_of_one_alone() -> None:
    world = load_world("yard")
    alone, *beside = (Drive(world, world.places[0]) for _ in range(4))
    assert drive_at_once([alone], 50) > 0.0
    drive_at_once(beside, 50)
    assert alone.speed > 1.0
    assert [drive.vehicles.tobytes() for drive in beside] == [alone.vehicles.tobytes()] * 3


def test_each_vehicle_has_a_thread_waits_for_all_and_the_time_is_that_of_the_last() -> None:
    events: list[str] = []

    class Slow:
        def __init__(self, under_way_s: float, seconds: float) -> None:
            self.under_way_s, self.seconds, self.threads = under_way_s, seconds, set()

        def reset(self) -> None:
            self.threads.add(threading.get_ident())

        def run(self, commands: int) -> None:
            self.threads.add(threading.get_ident())
            if commands == 7:
                events.append("measured")
                time.sleep(self.seconds)
            else:
                time.sleep(self.under_way_s)
                events.append("under way")

    drives = [Slow(0.2, 0.01), Slow(0.0, 0.15)]
    assert drive_at_once(drives, 7) >= 0.15  # type: ignore[arg-type]
    assert events == ["under way", "under way", "measured", "measured"]
    assert [len(drive.threads) for drive in drives] == [1, 1]
    assert drives[0].threads != drives[1].threads


def test_the_figures_of_the_steps_are_of_the_best_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    walls = {1: iter((0.5, 0.4, 0.6)), 3: iter((0.9, 0.7, 0.5))}
    monkeypatch.setattr(physics_threads, "thread_count", lambda: 3)
    monkeypatch.setattr(physics_threads, "load_world", lambda name: name)
    monkeypatch.setattr(physics_threads, "Drive", lambda world, start: SimpleNamespace())
    monkeypatch.setattr(physics_threads, "drive_at_once", lambda drives, commands: next(walls[len(drives)]))
    rate, share = physics_thread_figures(repeats=3, commands=100)
    assert (rate.row, rate.value) == ("G2", pytest.approx(3 * 1200 / 0.5))
    assert (share.value, share.met, str(share.bar)) == (pytest.approx(0.4 / 0.5), False, "> 0.9")


# -- G3 ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def yard() -> World:
    tables = (np.zeros((0, width)) for width in (10, 6, 7))
    return replace(load_world("yard"), scene=Scene.build(SceneFile((), *tables, ())))


class Rays:
    """A scene of Embree that answers with the whole part of what it is given, once for each ray."""

    def run(self, origins: np.ndarray, directions: np.ndarray, distances: np.ndarray, query: str) -> np.ndarray:
        assert len(distances) == len(origins) == len(directions) and (distances == 5.0).all() and query == "INTERSECT"
        distances[:] = 0.0
        return (origins[:, 0] + directions[:, 0]).astype(np.int32)


def test_rays_of_embree_that_threads_share_have_the_answers_of_one(
    monkeypatch: pytest.MonkeyPatch, yard: World
) -> None:
    monkeypatch.setitem(sys.modules, "embreex.rtcore_scene", SimpleNamespace(EmbreeScene=Rays))
    monkeypatch.setitem(sys.modules, "embreex.mesh_construction", SimpleNamespace(TriangleMesh=lambda *mesh: mesh))
    assert yard.scene is not None
    peer = EmbreePeer(yard.terrain, yard.scene)
    origins = np.arange(303.0, dtype=np.float32).reshape(101, 3)
    directions = np.full((101, 3), 1000.0, np.float32)
    one = peer.cast(origins, directions, 5.0)
    assert one.tolist() == [1000 + 3 * ray for ray in range(101)]
    for threads in (2, 3, 256):
        assert np.array_equal(peer.cast(origins, directions, 5.0, threads=threads), one)


class Fixed(Times):
    """Times that were told before, after which the act is done all the same."""

    CPU_MS, WALL_MS = (2.0, 9.0, 3.0, 6.0, 9.0), (4.0, 2.5, 3.0, 8.0, 5.0)
    made = 0

    def __init__(self) -> None:
        super().__init__()
        self.own = (1e-3 * Fixed.CPU_MS[Fixed.made], 1e-3 * Fixed.WALL_MS[Fixed.made])
        Fixed.made += 1

    def take(self, place: str, act: object, repeat: int) -> None:
        act()  # type: ignore[operator]
        self.cpu[place], self.wall[place] = self.own


@pytest.mark.parametrize("installed", [True, False])
def test_one_thread_and_all_are_each_beside_embree(
    monkeypatch: pytest.MonkeyPatch, yard: World, installed: bool
) -> None:
    asked: dict[str, list[int]] = {"ours": [], "theirs": []}
    peer = SimpleNamespace(cast=lambda *rays, threads=1: asked["theirs"].append(threads))
    monkeypatch.setattr(Fixed, "made", 0)
    monkeypatch.setattr(lidar, "Times", Fixed)
    monkeypatch.setattr(lidar, "thread_count", lambda: 2)
    monkeypatch.setattr(lidar, "find_embree", lambda: installed or None)
    monkeypatch.setattr(lidar, "EmbreePeer", lambda terrain, scene: peer)
    monkeypatch.setattr(Lidar, "scan", lambda *_, threads=1, **options: asked["ours"].append(threads))
    one, noisy, beside, every, share, beside_all = lidar.lidar_figures(yard, repeats=1)
    rounds = 2 * len(yard.places)
    assert asked == {"ours": [1, 2, 1] * rounds, "theirs": [1, 2] * rounds if installed else []}
    rays = 57_600
    assert one.value == pytest.approx(rays / 2e-3) and one.met
    assert noisy.value == pytest.approx(rays / 3e-3)
    assert every.value == pytest.approx(rays / 2.5e-3) and every.bar is None
    assert share.value == pytest.approx(0.8) and share.bar is None
    if installed:
        assert beside.value == pytest.approx(3.0) and beside.met
        assert beside_all.value == pytest.approx(2.0) and beside_all.bar is None
        assert f"{rays / 5e-3:,.0f} rays/s of 2 threads in turns, 1.60 times its one" in beside_all.beside
    else:
        assert [figure.beside for figure in (beside, beside_all)] == [lidar.NOT_INSTALLED] * 2
