"""Collision obstacles: what a box touches, the way out, and how near an obstacle is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros.models import obstacles as model
from acres_ros.models.obstacles import Obstacles, no_obstacles
from acres_ros.world.errors import WorldError
from acres_ros.world.outlines import Outline, obstacle_arrays


def touch(obstacles: Obstacles, x: float, y: float, yaw: float = 0.0, z: tuple[float, float] = (0.0, 2.0)):
    """Return number and way out of a box 4 m long and 2 m wide."""
    return model.find_overlap(obstacles, x, y, yaw, 2.0, 1.0, *z)


def polygon(*corners: tuple[float, float], z=(0.0, 5.0), name: str = "building") -> Outline:
    return Outline(name, z[0], z[1], polygon=np.array(corners, float))


def circle(x: float, y: float, radius: float, z=(0.0, 5.0)) -> Outline:
    return Outline("trunk", z[0], z[1], circle=(x, y, radius))


HOUSE = polygon((10, -5), (20, -5), (20, 5), (10, 5))
# A U that opens to the west: a yard between two wings.
YARD = polygon((0, 0), (30, 0), (30, 30), (0, 30), (0, 25), (25, 25), (25, 5), (0, 5))


def test_an_empty_world_has_the_types_of_any_other():
    full = obstacle_arrays([HOUSE, circle(0, 0, 1)])
    for empty_array, array in zip(no_obstacles(), full, strict=True):
        assert (empty_array.dtype, empty_array.ndim, type(empty_array)) == (array.dtype, array.ndim, type(array))
        assert empty_array.flags.c_contiguous and array.flags.c_contiguous
    assert touch(no_obstacles(), 0.0, 0.0) == (-1, 0.0, 0.0)
    assert model.find_nearest(no_obstacles(), 0.0, 0.0, math.inf) == (-1, math.inf)
    assert obstacle_arrays([]).starts.tolist() == [0]


def test_a_box_touches_a_wall_and_goes_back_the_way_it_came():
    world = obstacle_arrays([HOUSE])
    assert touch(world, 7.999, 0.0)[0] == -1  # its front is 1 mm before the wall
    assert touch(world, 8.0, 0.0) == (0, -1.0, 0.0)  # faces that only touch count
    number, east, north = touch(world, 8.05, 3.0)
    assert (number, east, north) == (0, -1.0, 0.0)
    assert touch(world, 15.0, 5.97)[1:] == (0.0, 1.0)  # its right side against the north wall
    assert touch(world, 21.95, 0.0, yaw=math.pi)[1:] == pytest.approx((1.0, 0.0))


@pytest.mark.parametrize("degrees", [10, 30, 45, 60, 80])
def test_a_corner_of_the_box_leaves_a_wall_square_to_it(degrees: int):
    yaw = math.radians(degrees)
    reach = 2.0 * math.cos(yaw) + 1.0 * math.sin(yaw)  # of the box to the east
    world = obstacle_arrays([HOUSE])
    assert touch(world, 10.0 - reach - 1e-6, 0.0, yaw)[0] == -1
    assert touch(world, 10.0 - reach + 0.05, 0.0, yaw) == (0, pytest.approx(-1.0), pytest.approx(0.0, abs=1e-12))


def test_beside_a_corner_of_the_house_the_wall_that_is_nearly_left_is_left():
    # At 30 degrees the front right corner lies at (10.05, 4.95): 5 cm in the west wall, and the north wall is touched.
    yaw = math.radians(30.0)
    ahead, up = 2.0 * math.cos(yaw) + math.sin(yaw), 2.0 * math.sin(yaw) - math.cos(yaw)
    number, east, north = touch(obstacle_arrays([HOUSE]), 10.05 - ahead, 4.95 - up, yaw)
    assert (number, east, north) == (0, pytest.approx(-1.0), pytest.approx(0.0, abs=1e-12))


def test_a_box_that_stands_in_a_wall_with_its_rear_goes_on():
    world = obstacle_arrays([polygon((-50, -50), (0.5, -50), (0.5, 50), (-50, 50))])
    assert touch(world, 0.0, 0.0) == (0, 1.0, 0.0)  # 2.5 m ahead; behind it the wall is thick


def test_a_corner_of_the_wall_in_the_front_of_the_box_stops_it_lengthwise():
    wedge = obstacle_arrays([polygon((5, 0), (15, -10), (15, 10))])
    assert touch(wedge, 3.1, 0.2) == (0, -1.0, 0.0)
    yaw = math.radians(90.0)
    arrow = obstacle_arrays([polygon((0, 5), (10, 15), (-10, 15))])
    assert touch(arrow, 0.2, 3.1, yaw) == (0, pytest.approx(0.0, abs=1e-12), pytest.approx(-1.0))


def test_the_yard_of_a_concave_outline_is_free():
    world = obstacle_arrays([YARD])
    assert touch(world, 12.0, 15.0)[0] == -1
    assert touch(world, -5.0, 15.0)[0] == -1
    assert touch(world, 23.05, 15.0) == (0, -1.0, 0.0)  # the wall at the end of the yard
    assert touch(world, 12.0, 5.95) == (0, 0.0, 1.0)  # the southern wing is to its right
    assert touch(world, 12.0, 24.05) == (0, 0.0, -1.0)
    assert model.find_nearest(world, 12.0, 15.0, 30.0) == (0, 10.0)
    assert model.find_nearest(world, 27.0, 15.0, 30.0) == (0, 0.0)


def test_a_box_inside_leaves_by_the_nearest_wall_and_one_around_touches():
    world = obstacle_arrays([polygon((0, 0), (100, 0), (100, 40), (0, 40))])
    assert touch(world, 50.0, 33.0) == (0, 0.0, 1.0)
    assert touch(obstacle_arrays([polygon((-0.1, -0.1), (0.1, -0.1), (0, 0.1))]), 0.0, 0.0)[0] == 0


def test_a_trunk_is_left_along_the_line_from_its_centre():
    world = obstacle_arrays([circle(10.0, 3.0, 0.5)])
    assert touch(world, 7.499, 3.0)[0] == -1
    assert touch(world, 7.51, 3.4) == (0, -1.0, 0.0)  # the front, 4 m long, 2 m wide
    number, east, north = touch(world, 7.7, 1.7)  # the front left corner (9.7, 2.7)
    assert number == 0
    assert (east, north) == pytest.approx((-math.sqrt(0.5), -math.sqrt(0.5)))
    assert touch(world, 8.5, 3.2)[1:] == (-1.0, 0.0)  # the centre of the trunk lies in the box, nearest to its front
    assert touch(world, 10.5, 2.1)[1:] == (0.0, -1.0)  # or to its left
    assert touch(world, 7.6, 1.6)[0] == -1  # the corner (9.6, 2.6) is 0.57 m from the centre


def test_bottom_and_top_count():
    world = obstacle_arrays(
        [polygon((-1, -1), (1, -1), (1, 1), (-1, 1), z=(3.0, 6.0)), circle(0, 0, 1.0, z=(-1.0, 0.5))]
    )
    assert touch(world, 0.0, 0.0, z=(1.0, 2.9))[0] == -1
    assert touch(world, 0.0, 0.0, z=(1.0, 3.0))[0] == 0
    assert touch(world, 0.0, 0.0, z=(0.5, 2.0))[0] == 1


def test_the_lowest_number_is_said_and_the_next_ones_can_be_asked_for():
    far, near = circle(0.9, 0.0, 0.5), circle(-0.2, 0.0, 0.5)
    world = obstacle_arrays([circle(50, 50, 1), far, circle(-90, 0, 1), near])
    assert touch(world, 0.0, 0.0)[0] == 1
    assert model.overlap_after(world, 1, 0.0, 0.0, 1.0, 0.0, 2.0, 1.0, 0.0, 2.0)[0] == 3
    assert model.overlap_after(world, 3, 0.0, 0.0, 1.0, 0.0, 2.0, 1.0, 0.0, 2.0)[0] == -1


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, 1e300])
def test_a_place_that_is_no_place_touches_nothing(wrong: float):
    world = obstacle_arrays([HOUSE, circle(0, 0, 1)])
    assert touch(world, wrong, 0.0)[0] == -1
    assert touch(world, 0.0, wrong)[0] == -1
    assert touch(world, 0.0, 0.0, z=(math.nan, math.nan))[0] == -1
    assert model.find_nearest(world, wrong, 0.0, 30.0) == (-1, math.inf)
    assert model.find_nearest(world, 0.0, 0.0, math.nan) == (-1, math.inf)


def test_the_nearest_obstacle_is_the_nearest_edge_or_circle():
    world = obstacle_arrays([HOUSE, circle(0.0, 20.0, 2.0), circle(0.0, -20.0, 2.0)])
    assert model.find_nearest(world, 0.0, 0.0, 30.0) == (0, 10.0)
    assert model.find_nearest(world, 0.0, 0.0, 9.99) == (-1, math.inf)
    assert model.find_nearest(world, 0.0, 0.0, 10.0) == (0, 10.0)
    assert model.find_nearest(world, 7.0, 9.0, 30.0) == (0, 5.0)  # the corner (10, 5)
    assert model.find_nearest(world, 0.0, 17.0, 30.0) == (1, 1.0)
    assert model.find_nearest(world, -40.0, 0.0, math.inf) == (
        1,
        math.hypot(40.0, 20.0) - 2.0,
    )  # of two, the lower number


def convex_reference(box: np.ndarray, shape: np.ndarray) -> float:
    """Return the gap (positive) or depth (negative) of two convex polygons along the best separating axis."""
    gap = -math.inf
    for polygon_, other in ((box, shape), (shape, box)):
        edges = np.roll(polygon_, -1, axis=0) - polygon_
        normals = np.c_[edges[:, 1], -edges[:, 0]] / np.linalg.norm(edges, axis=1)[:, None]
        for normal, start in zip(normals, polygon_, strict=True):
            gap = max(gap, float(np.min((other - start) @ normal)))
    return gap


def box_corners(x: float, y: float, yaw: float) -> np.ndarray:
    corners = np.array([(2, 1), (-2, 1), (-2, -1), (2, -1)], float)
    turn = np.array([[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]])
    return corners @ turn.T + (x, y)


@settings(max_examples=300, deadline=None)
@given(
    st.floats(-9, 9), st.floats(-9, 9), st.floats(-4, 4), st.integers(3, 7), st.floats(0.3, 6), st.floats(0, 6)
)  # fmt: skip
def test_convex_polygons_touch_where_no_axis_separates_them(x, y, yaw, count, radius, turn):
    angle = turn + np.arange(count) * (2.0 * math.pi / count)
    shape = radius * np.c_[np.cos(angle), np.sin(angle)]
    gap = convex_reference(box_corners(x, y, yaw), shape)
    world = obstacle_arrays([Outline("prism", 0.0, 5.0, polygon=shape[::-1])])
    number, east, north = touch(world, x, y, yaw)
    if abs(gap) < 1e-9:
        return  # rounding decides
    assert number == (0 if gap < 0.0 else -1)
    if number == 0:
        assert math.hypot(east, north) == pytest.approx(1.0)
        # The way out is one: the box is free when it has gone that way far enough, and its way is not the longest one.
        way = (6.0 + 2.0 * radius) * np.array([east, north])
        assert convex_reference(box_corners(x + way[0], y + way[1], yaw), shape) > 0.0
        if gap > -0.1:  # the depth of one step: then it is the shortest way, or the front of the box against a corner
            step = 0.2 * np.array([east, north])
            assert convex_reference(box_corners(x + step[0], y + step[1], yaw), shape) > gap


@settings(max_examples=200, deadline=None)
@given(st.floats(-20, 45), st.floats(-20, 45), st.floats(-4, 4))
def test_a_concave_polygon_is_the_same_as_its_convex_parts(x, y, yaw):
    wings = [
        np.array([(0, 0), (30, 0), (30, 5), (0, 5)], float),
        np.array([(25, 0), (30, 0), (30, 30), (25, 30)], float),
        np.array([(0, 25), (30, 25), (30, 30), (0, 30)], float),
    ]
    gap = min(convex_reference(box_corners(x, y, yaw), wing) for wing in wings)
    if abs(gap) > 1e-9:
        assert (touch(obstacle_arrays([YARD]), x, y, yaw)[0] == 0) == (gap < 0.0)


def test_the_grid_finds_what_a_look_at_each_obstacle_finds():
    random = np.random.default_rng(5)
    outlines = [circle(*random.uniform(-60, 60, 2), random.uniform(0.2, 4.0)) for _ in range(300)]
    for _ in range(100):
        centre, angle = random.uniform(-60, 60, 2), np.sort(random.uniform(0, 6.28, 5))
        outlines.append(polygon(*(centre + random.uniform(1, 20) * np.c_[np.cos(angle), np.sin(angle)])))
    world = obstacle_arrays(outlines)
    alone = [obstacle_arrays([outline]) for outline in outlines]
    touched = 0
    for x, y, yaw in random.uniform((-70, -70, -3), (70, 70, 3), (200, 3)):
        each = [touch(one, x, y, yaw)[0] == 0 for one in alone]
        assert touch(world, x, y, yaw)[0] == (each.index(True) if any(each) else -1)
        touched += any(each)
        distances = [model.find_nearest(one, x, y, math.inf)[1] for one in alone]
        lowest = int(np.argmin(distances))
        assert model.find_nearest(world, x, y, 500.0) == (lowest, distances[lowest])
    assert 20 < touched < 195


@pytest.mark.parametrize(
    "wrong",
    [
        {"circle": (0.0, 0.0, math.nan)},
        {"circle": (0.0, 0.0, 0.0)},
        {"circle": (0.0, 0.0, 1.0), "z_max": -1.0},
        {"polygon": np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)])},
        {},
        {"polygon": np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]), "circle": (0.0, 0.0, 1.0)},
    ],
)
def test_an_outline_that_cannot_be_is_refused(wrong):
    with pytest.raises(WorldError, match="obstacle wrong"):
        Outline(**{"name": "wrong", "z_min": 0.0, "z_max": 1.0, **wrong})


def test_many_outlines_across_the_map_get_a_coarser_grid_and_the_same_answers():
    wide = [circle(10.0 * k, 0.0, 1.0e4) for k in range(64)]
    obstacles = obstacle_arrays([circle(3.0e4, 0.0, 1.0), *wide])
    assert obstacles.items.size < 1 << 23
    assert touch(obstacles, 3.0e4, 0.0)[0] == 0
    assert touch(obstacles, 0.0, 0.0)[0] == 1
    assert touch(obstacles, 2.0e4, 0.0)[0] == -1
