"""Scenes from files: numbers, names and materials, outlines, obstacles of a map, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scene_rig import met

from acres_ros.world.errors import UnknownNameError, WorldError, WorldFileError
from acres_ros.world.scene import Scene
from acres_ros.world.terrain import Terrain

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
