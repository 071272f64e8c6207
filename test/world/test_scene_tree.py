"""The tree of a scene: rays against every shape, boxes that hold what is below them, the same tree each time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scene_rig import build, met

from acres_ros.world.scene import Scene, SceneHit, ShapeKind


def shapes(seed: int, count: int, spread: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    place = random.uniform(-spread, spread, (3 * count, 3)) * (1.0, 1.0, 0.2)
    corners = place[:count, None] + random.uniform(-4, 4, (count, 3, 3))
    cylinders = np.c_[place[count : 2 * count], random.uniform(0.1, 2, count), random.uniform(0.5, 9, count)]
    ellipsoids = np.c_[place[2 * count :], random.uniform(0.5, 4, (count, 3))]
    return corners, cylinders, ellipsoids


def scene_of(corners: np.ndarray, cylinders: np.ndarray, ellipsoids: np.ndarray) -> Scene:
    tables = [corners.reshape(-1, 9), cylinders, ellipsoids]
    return build(*(np.c_[np.full(len(table), kind), table] for kind, table in enumerate(tables)))


def roots(a: float, b: float, c: float) -> tuple[float, ...]:
    """Return the real roots of a t^2 + 2 b t + c."""
    square = b * b - a * c
    return () if square < 0.0 else ((-b - math.sqrt(square)) / a, (-b + math.sqrt(square)) / a)


def reference(parts, origin: np.ndarray, direction: np.ndarray) -> list[tuple[float, int, int]]:
    """Return every crossing of a ray with every shape (t, kind, number), by solving equations shape by shape."""
    corners, cylinders, ellipsoids = parts
    found = []
    for number, (a, b, c) in enumerate(corners):
        u, v, t = np.linalg.solve(np.stack([b - a, c - a, -direction], axis=1), origin - a)
        if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
            found.append((t, 0, number))
    for number, (x, y, z, radius, height) in enumerate(cylinders):
        o, d = origin - (x, y, z), direction
        for t in roots(d[:2] @ d[:2], o[:2] @ d[:2], o[:2] @ o[:2] - radius**2):
            if 0.0 <= o[2] + t * d[2] <= height:
                found.append((t, 1, number))
        for level in (0.0, height):
            t = (level - o[2]) / d[2]
            if np.hypot(*(o + t * d)[:2]) <= radius:
                found.append((t, 1, number))
    for number, shape in enumerate(ellipsoids):
        o, d = (origin - shape[:3]) / shape[3:], direction / shape[3:]
        found += [(t, 2, number) for t in roots(d @ d, o @ d, o @ o - 1.0)]
    return sorted(found)


def test_rays_are_those_of_every_shape():
    parts = shapes(4, 90, 40.0)
    scene = scene_of(*parts)
    random = np.random.default_rng(6)
    origins = random.uniform((-60, -60, -12), (60, 60, 20), (300, 3))
    aims = np.concatenate([parts[0].mean(axis=1), parts[1][:, :3] + (0, 0, 0.4), parts[2][:, :3]])
    directions = (random.permutation(np.tile(aims, (2, 1)))[:300] - origins) * random.uniform(0.02, 1.0, (300, 1))
    least, most = random.uniform(0, 3, 300), random.uniform(1, 60, 300)
    hits = scene.ray_casts(origins, directions, most, least)
    kinds = set()
    for index in range(300):
        crossings = reference(parts, origins[index], directions[index])
        inside = [crossing for crossing in crossings if least[index] <= crossing[0] <= most[index]]
        blocked = [crossing for crossing in crossings if 0.0 <= crossing[0] <= most[index]]
        assert scene.occluded(origins[index], directions[index], most[index]) == bool(blocked)
        one = scene.ray_cast(origins[index], directions[index], most[index], least[index])
        if not inside:
            assert one is None
            assert (hits.t[index], hits.kinds[index], hits.shapes[index]) == (math.inf, -1, -1)
            continue
        t, kind, number = inside[0]
        assert hits.t[index] == pytest.approx(t, rel=1e-9, abs=1e-9)
        assert (hits.kinds[index], hits.shapes[index], hits.materials[index]) == (kind, number, kind)
        assert one == SceneHit(
            hits.t[index],
            tuple(origins[index] + hits.t[index] * directions[index]),
            tuple(hits.normals[index]),
            kind,
            ShapeKind(kind),
            number,
            hits.chords[index],
        )
        ends = [at for at, k, n in crossings if (k, n) == (kind, number)]
        chord = 0.0 if kind == 0 else max(ends) - max(min(ends), least[index])
        assert hits.chords[index] == pytest.approx(chord, abs=1e-6)
        assert np.linalg.norm(hits.normals[index]) == pytest.approx(1.0)
        kinds.add(kind)
    assert kinds == {0, 1, 2} and 60 < np.isfinite(hits.t).sum() < 290


def test_the_tree_is_the_same_each_time_and_shows_in_no_answer():
    parts = shapes(9, 400, 100.0)
    first, again = scene_of(*parts), scene_of(*parts)
    for one, other in zip(first.shapes, again.shapes, strict=True):
        assert one.tobytes() == other.tobytes()
    assert sorted(first.shapes.numbers.tolist()) == list(range(1200))
    order = np.random.default_rng(1).permutation(400)
    mixed = scene_of(*(part[order] for part in parts))
    random = np.random.default_rng(3)
    rays = random.uniform((-90, -90, -10), (90, 90, 10), (2000, 3)), random.normal(size=(2000, 3))
    one, other = first.ray_casts(*rays), mixed.ray_casts(*rays)
    assert one.t.tobytes() == other.t.tobytes() and np.isfinite(one.t).any()
    assert np.array_equal(one.shapes, np.where(other.shapes >= 0, order[other.shapes], -1))


def test_every_box_of_the_tree_holds_what_is_below_it():
    corners, cylinders, ellipsoids = parts = shapes(2, 150, 60.0)
    scene = scene_of(*parts)
    reach = np.c_[cylinders[:, 3], cylinders[:, 3], np.zeros(150)]
    low = np.concatenate([corners.min(1), cylinders[:, :3] - reach, ellipsoids[:, :3] - ellipsoids[:, 3:]])
    top = cylinders[:, :3] + reach + np.c_[np.zeros((150, 2)), cylinders[:, 4]]
    high = np.concatenate([corners.max(1), top, ellipsoids[:, :3] + ellipsoids[:, 3:]])

    def below(link: int) -> list[int]:
        if link >= 0:
            return [number for child in range(4) for number in held(link, child)]
        first, count = (-1 - link) >> 4, (-1 - link) & 15
        return scene.shapes.numbers[first : first + count].tolist()

    def held(node: int, child: int) -> list[int]:
        numbers = below(int(scene.shapes.links[node, child]))
        box = scene.shapes.boxes[node, :, child]
        if numbers:
            assert np.all(box[:3] < low[numbers].min(0)) and np.all(box[3:] > high[numbers].max(0))
            assert np.all(box[3:] - box[:3] < high[numbers].max(0) - low[numbers].min(0) + 1e-3)
        return numbers

    assert sorted(below(0)) == list(range(450))
    assert scene.node_count == len(scene.shapes.boxes) < 450


@pytest.mark.parametrize("spacing", ["the same place", "ever farther"])
def test_a_scene_that_no_tree_can_split_well_is_still_searched(spacing: str):
    count = 300
    x = np.full(count, 7.0) if spacing == "the same place" else 1.08 ** np.arange(count) * 1e-4 + 1.0
    cylinders = [(1, place, 0.0, 0.0, place * 1e-3, 1.0) for place in x]
    scene = build((), cylinders)
    assert met(scene.ray_cast((0.0, 0.0, 0.5), (1.0, 0.0, 0.0))).t == pytest.approx(min(x) * 0.999)
    assert met(scene.ray_cast((1e7, 0.0, 0.5), (-1.0, 0.0, 0.0))).t == pytest.approx(1e7 - max(x) * 1.001)
