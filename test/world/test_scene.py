"""Scenes: rays on triangles, cylinders and ellipsoids against closed forms and against every shape, files, refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros.models.scene_ray import cast_scene_ray
from acres_ros.world.errors import UnknownNameError, WorldError, WorldFileError
from acres_ros.world.scene import Scene, SceneHit, ShapeKind
from acres_ros.world.scene_file import Material, SceneFile
from acres_ros.world.terrain import Terrain

MATERIALS = (Material("building", 0.55, 0.0), Material("trunk", 0.32, 0.0), Material("foliage", 0.5, 0.45))
WALL = [(0, 10, -5, 0, 10, 5, 0, 10, 5, 4), (0, 10, -5, 0, 10, 5, 4, 10, -5, 4)]  # x = 10
TRUNK = (1, 0, 20, -1, 0.5, 6)  # at (0, 20), radius 0.5, from z = -1 to 5
CROWN = (2, -20, 0, 8, 3, 4, 5)


def build(triangles=(), cylinders=(), ellipsoids=()) -> Scene:
    tables = [np.array(rows, float).reshape(-1, width) for rows, width in ((triangles, 10), (cylinders, 6))]
    return Scene.build(SceneFile(MATERIALS, *tables, np.array(ellipsoids, float).reshape(-1, 7), ()))


@pytest.fixture(scope="module")
def yard() -> Scene:
    return build(WALL, [TRUNK], [CROWN])


def met(hit: SceneHit | None) -> SceneHit:
    assert hit is not None
    return hit


def test_a_wall_is_met_where_its_plane_is(yard: Scene):
    hit = met(yard.ray_cast((0.0, 1.0, 2.0), (4.0, 1.0, -0.5)))
    assert hit.t == pytest.approx(2.5) and hit.point == pytest.approx((10.0, 3.5, 0.75))
    assert (hit.normal, hit.material, hit.kind, hit.chord) == ((-1.0, 0.0, 0.0), 0, ShapeKind.TRIANGLE, 0.0)
    assert met(yard.ray_cast((13.0, 1.0, 2.0), (-1.0, 0.0, 0.0))).normal == (1.0, 0.0, 0.0)  # from behind
    assert yard.ray_cast((0.0, 1.0, 4.001), (1.0, 0.0, 0.0)) is None  # above it
    assert yard.ray_cast((0.0, 1.0, 2.0), (1.0, 0.0, 0.0), 9.999) is None
    assert yard.ray_cast((0.0, 1.0, 2.0), (1.0, 0.0, 0.0), 10.0, 10.0) is not None
    assert yard.ray_cast((0.0, 1.0, 2.0), (1.0, 0.0, 0.0), 20.0, 10.001) is None
    assert {met(yard.ray_cast((0.0, 0.0, z), (1.0, 0.0, 0.0))).shape for z in (0.5, 3.5)} == {0, 1}


def test_no_ray_passes_between_two_triangles(yard: Scene):
    share = np.linspace(0.0, 1.0, 1001)
    seam = np.c_[np.full(1001, 10.0), -5.0 + 10.0 * share, 4.0 * share]
    origin = np.array((0.3, 0.7, 1.9))
    assert np.isfinite(yard.ray_casts(origin, seam - origin).t).all()


def test_a_trunk_is_met_on_its_side_and_on_its_ends(yard: Scene):
    side = met(yard.ray_cast((0.3, 10.0, 1.0), (0.0, 1.0, 0.0)))
    assert side.t == pytest.approx(9.6)  # sqrt(0.5^2 - 0.3^2) = 0.4 before the axis
    assert side.normal == pytest.approx((0.6, -0.8, 0.0)) and side.chord == pytest.approx(0.8)
    assert (side.material, side.kind, side.shape) == (1, ShapeKind.CYLINDER, 0)
    top = met(yard.ray_cast((0.1, 20.2, 9.0), (0.0, 0.0, -2.0)))
    assert top.t == 2.0 and top.normal == (0.0, 0.0, 1.0) and top.chord == 3.0  # 6 m at 2 m a unit of t
    bottom = met(yard.ray_cast((0.0, 19.6, -2.0), (0.0, 0.1, 1.0)))
    assert bottom.t == 1.0 and bottom.normal == (0.0, 0.0, -1.0)
    assert yard.ray_cast((0.4, 20.4, 9.0), (0.0, 0.0, -1.0)) is None  # beside it, 0.57 m from the axis
    assert yard.ray_cast((0.0, 10.0, 5.1), (0.0, 1.0, 0.0)) is None


def test_a_crown_is_met_where_the_quadratic_says(yard: Scene):
    # Half axes 3, 4, 5 round (-20, 0, 8): along x through y = 2, z = 8 + 3: 1 - 1/4 - 9/25 = 0.39.
    half = 3.0 * math.sqrt(0.39)
    hit = met(yard.ray_cast((-30.0, 2.0, 11.0), (1.0, 0.0, 0.0)))
    assert hit.t == pytest.approx(10.0 - half) and hit.chord == pytest.approx(2.0 * half)
    normal = np.array((-half / 9.0, 2.0 / 16.0, 3.0 / 25.0))
    assert hit.normal == pytest.approx(normal / np.linalg.norm(normal))
    assert (hit.kind, hit.material) == (ShapeKind.ELLIPSOID, 2)


def test_a_ray_from_inside_meets_the_inside(yard: Scene):
    hit = met(yard.ray_cast((-20.0, 0.0, 8.0), (0.0, 2.0, 0.0)))
    assert (hit.t, hit.normal, hit.chord) == (2.0, (0.0, 1.0, 0.0), 2.0)
    hit = met(yard.ray_cast((-30.0, 0.0, 8.0), (1.0, 0.0, 0.0), min_t=8.0))  # enters at 7, leaves at 13
    assert (hit.t, hit.chord) == (pytest.approx(13.0), pytest.approx(5.0))
    assert met(yard.ray_cast((0.0, 20.0, 0.0), (0.0, 0.0, -1.0))).t == 1.0


def test_the_nearest_of_all_kinds_is_met_and_anything_blocks():
    row = build([(0, 10, -9, -9, 10, 9, -9, 10, 0, 9)], [(1, 6, 0, -5, 1, 10)], [(2, 3, 0, 0, 1, 1, 1)])
    assert [met(row.ray_cast((0, 0, 0), (1, 0, 0), min_t=t)).kind for t in (0, 5, 8)] == [2, 1, 0]
    assert met(row.ray_cast((20, 0, 0), (-1, 0, 0))).t == 10.0
    assert row.occluded((0, 0, 0), (1, 0, 0), 2.0) and not row.occluded((0, 0, 0), (1, 0, 0), 1.999)
    assert not row.occluded((0, 0, 0), (-1, 0, 0)) and row.occluded((0, 0, 0), (0.5, 0, 0), 4.0)


def test_of_two_in_one_place_the_first_in_the_file_is_met():
    walls = [(material, *row[1:]) for material in (0, *[1] * 40) for row in WALL]
    often = build(walls, [TRUNK] * 50)
    hits = often.ray_casts((0.0, 0.2, 2.0), [(1, y, z) for y in (-0.3, 0.0, 0.3) for z in (-0.1, 0.0, 0.1)])
    assert set(hits.shapes.tolist()) == {0, 1} and set(hits.materials.tolist()) == {0}
    assert met(often.ray_cast((0, 0, 0), (0, 1, 0))).shape == 0


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


def test_an_empty_scene_and_a_flat_triangle_are_met_by_nothing():
    assert build().ray_cast((0, 0, 0), (1, 0, 0)) is None
    assert not build().occluded((0, 0, 0), (1, 0, 0))
    assert build().ray_casts((0, 0, 0), [(1, 0, 0), (0, 1, 0)]).kinds.tolist() == [-1, -1]
    line = build([(0, 5, -1, 0, 5, 1, 0, 5, 2, 0), (0, 5, 0.1, 0, 5, 0.1, 0, 5, 0.1, 0)])
    assert line.triangle_count == 2
    assert line.ray_cast((0, 0.1, 0), (1, 0, 0)) is None


@pytest.mark.parametrize("index", range(8))
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_ray_meets_nothing(yard: Scene, index: int, value: float):
    numbers = [0.0, 1.0, 2.0, 1.0, 0.0, 0.0, 0.0, 100.0]
    numbers[index] = value
    t, item, *_ = cast_scene_ray(yard.shapes, *numbers)
    fine = (index, value) in ((7, math.inf), (6, -math.inf))  # no limit
    # From no least distance on, the trunk and the crown lie behind or beside the ray, and the wall before it.
    assert (t, item >= 0) == ((10.0, True) if fine else (math.inf, False))
    assert cast_scene_ray(yard.shapes, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 100.0)[0] == math.inf


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (((0, 0, math.nan), (1, 0, 0)), "finite numbers"),
        (((0, 0, 0), (0, 0, 0)), "length above 0"),
        (((0, 0, 0), (1, 0, 0), -1.0), "max_t is -1.0: wanted 0 or more"),
        (((0, 0, 0), (1, 0, 0), 1.0, math.nan), "min_t is nan: wanted 0 or more"),
    ],
)
def test_a_ray_that_cannot_be_is_refused(yard: Scene, arguments, word):
    with pytest.raises(WorldError, match=word):
        yard.ray_cast(*arguments)


@settings(max_examples=300, deadline=None)
@given(st.tuples(*[st.floats(-30, 30)] * 3), st.tuples(*[st.integers(-2, 2)] * 3))
def test_a_hit_lies_on_its_shape(yard: Scene, origin, direction):
    if not any(direction):
        return
    hit = yard.ray_cast(origin, direction)
    if hit is None:
        return
    x, y, z = hit.point
    if hit.kind is ShapeKind.TRIANGLE:
        assert x == pytest.approx(10.0) and -5.0 - 1e-9 <= y <= 5.0 + 1e-9 and -1e-9 <= z <= 4.0 + 1e-9
    elif hit.kind is ShapeKind.CYLINDER:
        off = math.hypot(x, y - 20.0)
        on_side = off == pytest.approx(0.5, abs=1e-6) and -1.0 - 1e-6 <= z <= 5.0 + 1e-6
        assert on_side or (off <= 0.5 and min(abs(z + 1.0), abs(z - 5.0)) < 1e-9)
    else:
        assert (x + 20) ** 2 / 9 + y**2 / 16 + (z - 8) ** 2 / 25 == pytest.approx(1.0, abs=1e-6)


CONTENT: dict[str, object] = {
    "schema": "acres-core-scene-1",
    "materials": [
        {"name": "building", "reflectivity": 0.55, "transmission_per_m": 0.0},
        {"name": "foliage", "reflectivity": 0.5, "transmission_per_m": 0.45},
    ],
    "triangles": [[0, 10, -5, 0, 10, 5, 0, 10, 5, 4]],
    "cylinders": [[0, 0, 20, 0, 0.5, 6], [0, 3, 20, 0, 0.5, 6]],
    "ellipsoids": [[1, -20, 0, 8, 3, 4, 5]],
    "outlines": [
        {"id": "barn", "polygon": [[10, -5], [20, -5], [20, 5], [10, 5]], "z_min": 0, "z_max": 4},
        {"id": "tree-1", "circle": [0, 20, 0.5], "z_min": 0, "z_max": 6},
    ],
}


def write(folder: Path, content: object, name: str = "scene.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content))
    return path


def test_a_file_is_read_with_its_numbers_names_and_materials(tmp_path: Path):
    scene = Scene.load(write(tmp_path, CONTENT))
    assert (scene.triangle_count, scene.cylinder_count, scene.ellipsoid_count, scene.obstacle_count) == (1, 2, 1, 2)
    assert scene.node_count >= 1
    assert scene.find_material("foliage") == 1 and scene.material(1).transmission_per_m == 0.45
    assert met(scene.ray_cast((3.0, 0.0, 1.0), (0.0, 1.0, 0.0))).shape == 1
    assert scene.obstacle_name(1) == "tree-1"
    with pytest.raises(UnknownNameError, match="building, foliage"):
        scene.find_material("leaf")
    for wrong in (-1, 2):
        with pytest.raises(WorldError, match="0 to 1"):
            scene.material(wrong)
        with pytest.raises(WorldError, match="0 to 1"):
            scene.obstacle_name(wrong)


def test_boxes_and_distances_are_those_of_the_outlines(tmp_path: Path):
    scene = Scene.load(write(tmp_path, CONTENT))
    assert scene.overlaps((8.2, 0.0, 0.0), 0.0, 1.9, 0.8, 0.3, 2.0) == 0
    assert scene.overlaps((8.0, 0.0, 0.0), 0.0, 1.9, 0.8, 0.3, 2.0) == -1
    assert scene.overlaps((8.2, 0.0), math.pi / 2, 1.9, 0.8, 0.3, 2.0) == -1
    assert scene.overlaps((0.0, 18.0), math.pi / 2, 1.9, 0.8, 0.3, 2.0) == 1
    # The heights of the box are above the height of its centre.
    assert scene.overlaps((8.2, 0.0, 3.6), 0.0, 1.9, 0.8, 0.3, 2.0) == 0
    assert scene.overlaps((8.2, 0.0, 3.8), 0.0, 1.9, 0.8, 0.3, 2.0) == -1
    assert scene.nearest_obstacle(0.0, 0.0, 30.0) == 10.0
    assert scene.nearest_obstacle(15.0, 0.0, 30.0) == 0.0
    assert scene.nearest_obstacle(0.0, 0.0, 9.0) == math.inf
    for box in (((0.0, math.nan), 0.0, 1, 1, 0, 1), ((0.0,), 0.0, 1, 1, 0, 1), ((0, 0), 0.0, 1, 1, 2, 1)):
        with pytest.raises(WorldError, match="box"):
            scene.overlaps(*box)
    with pytest.raises(WorldError, match="max_m"):
        scene.nearest_obstacle(0.0, 0.0, -1.0)


def test_the_obstacles_of_a_map_stand_on_the_ground_and_replace_the_outlines(tmp_path: Path):
    columns, _ = np.meshgrid(np.arange(51), np.arange(51))
    slope = Terrain(0.1 * columns * 2.0, -50.0, -50.0, 2.0)  # z = 0.1 (x + 50)
    obstacles = [
        {"id": "shed", "kind": "building", "polygon": [[30, 0], [40, 0], [40, 10], [30, 10]], "height_m": 3},
        {"id": "oak", "kind": "tree", "circle": [-40, 0, 0.5], "height_m": 12.5},
    ]
    path = write(tmp_path, {"schema": "acres-obstacles-1", "obstacles": obstacles}, "obstacles.json")
    before = Scene.load(write(tmp_path, CONTENT))
    scene = before.with_obstacles(path, slope)
    assert [(o.name, o.z_min, o.z_max) for o in scene.outlines] == [
        ("shed", pytest.approx(8.0), pytest.approx(12.0)),  # ground 8 m to 9 m
        ("oak", pytest.approx(0.95), pytest.approx(13.55)),
    ]
    assert scene.overlaps((29.0, 5.0, 7.9), 0.0, 1.9, 0.8, 0.3, 2.0) == 0
    assert scene.overlaps((8.2, 0.0), 0.0, 1.9, 0.8, 0.3, 2.0) == -1 and before.obstacle_name(0) == "barn"
    assert scene.triangle_count == 1
    empty = write(tmp_path, {"schema": "acres-obstacles-1", "obstacles": []}, "none.json")
    assert before.with_obstacles(empty, slope).obstacle_count == 0


def changed(*way: str | int, to: object) -> dict[str, object]:
    """Return the content with one value changed; `...` takes it away."""
    content = json.loads(json.dumps(CONTENT))
    place = content
    for step in way[:-1]:
        place = place[step]
    if to is ...:
        del place[way[-1]]
    else:
        place[way[-1]] = to
    return content


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (changed("schema", to="acres-core-scene-2"), "schema = 'acres-core-scene-2': wanted the text"),
        (changed("schema", to=...), "schema = (missing): wanted the text 'acres-core-scene-1'"),
        (changed("triangles", to=...), "triangles = (missing): wanted a list"),
        (changed("outlines", to=...), "outlines = (missing): wanted a list of outlines"),
        (
            changed("materials", 0, "reflectivity", to=1.5),
            "materials[0].reflectivity = 1.5: wanted a number from 0",
        ),
        (changed("materials", 1, "name", to="building"), "materials[1].name = 'building': wanted each name once"),
        (changed("materials", 1, "transmission_per_m", to=...), "materials[1].transmission_per_m = (missing)"),
        (changed("triangles", 0, 0, to=2), "triangles[0].material = 2.0: wanted the number of a material, 0 to 1"),
        (changed("triangles", 0, 0, to=0.5), "triangles[0].material = 0.5: wanted the number of a material"),
        (changed("triangles", 0, 4, to="5"), "triangles[0].x2 = '5': wanted a finite number"),
        (changed("triangles", 0, to=[0, 1, 2]), "triangles[0] = [0, 1, 2]: wanted 10 numbers: material, x1"),
        (changed("triangles", 0, 9, to=1e8), "triangles[0].z3 = 100000000.0: wanted a number within"),
        (changed("cylinders", 1, 4, to=0), "cylinders[1].radius = 0.0: wanted a length above 0"),
        (changed("cylinders", 1, 5, to=-1), "cylinders[1].height = -1.0: wanted a length above 0"),
        (changed("ellipsoids", 0, 6, to=0), "ellipsoids[0].rz = 0.0: wanted a length above 0"),
        (changed("outlines", 1, "circle", to=[0, 20]), "outlines[1].circle = [0, 20]: wanted 3 numbers: x, y, radius"),
        (
            changed("outlines", 1, "circle", to=[0, 20, 0]),
            "outlines[1].circle[2] = 0: wanted a finite number above 1e-06",
        ),
        (changed("outlines", 1, "circle", to=[1e7, 0, 1e-12]), "outlines[1].circle[2] = 1e-12: wanted"),
        (changed("outlines", 1, "circle", to=[1e300, 0, 1]), "outlines[1].circle[0] = 1e+300: wanted"),
        (changed("outlines", 1, "circle", to=[0, 0, 1e308]), "outlines[1].circle[2] = 1e+308: wanted"),
        (changed("outlines", 1, "id", to="\ud800"), "outlines[1].id = '\\ud800': wanted a text of whole characters"),
        (changed("outlines", 1, "polygon", to=[]), "outlines[1] = {"),
        (changed("outlines", 1, "circle", to=...), "outlines[1] = {"),
        (
            changed("outlines", 0, "polygon", to=[[0, 0], [1, 1], [0, 0]]),
            "outlines[0].polygon = [[0, 0], [1, 1], [0, 0]]",
        ),
        (changed("outlines", 0, "z_max", to=-1), "outlines[0].z_max = -1: wanted a number from 0 to"),
        (changed("outlines", 0, "id", to=7), "outlines[0].id = 7: wanted a text"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path: Path, content, said):
    path = write(tmp_path, content)
    with pytest.raises(WorldFileError) as caught:
        Scene.load(path)
    assert str(caught.value).startswith(f"{path}: {said}")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"height_m": 0}, "obstacles[0].height_m = 0: wanted a finite number above 0"),
        ({"kind": None}, "obstacles[0].kind = None: wanted a text"),
        ({"id": ""}, "obstacles[0].id = '': wanted a text"),
        ({"circle": None}, "obstacles[0].circle = None: wanted 3 numbers: x, y, radius"),
    ],
)
def test_what_is_wrong_in_a_map_is_named(tmp_path: Path, change, said):
    oak = {"id": "oak", "kind": "tree", "circle": [-40, 0, 0.5], "height_m": 12.5, **change}
    path = write(tmp_path, {"schema": "acres-obstacles-1", "obstacles": [oak]}, "obstacles.json")
    with pytest.raises(WorldFileError) as caught:
        Scene.load(write(tmp_path, CONTENT)).with_obstacles(path, Terrain.flat(0.0, 10.0, 1.0))
    assert str(caught.value).startswith(f"{path}: {said}")
