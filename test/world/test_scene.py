"""Scenes: rays on triangles, cylinders and ellipsoids against closed forms, and what is no ray."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scene_rig import CROWN, TRUNK, WALL, build, met

from acres_ros.models.scene_ray import cast_scene_ray
from acres_ros.world.errors import WorldError
from acres_ros.world.scene import Scene, ShapeKind


@pytest.fixture(scope="module")
def yard() -> Scene:
    return build(WALL, [TRUNK], [CROWN])


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
