"""`farm_report` and the farm's part of the diagnostics, from samples written by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from acres_interfaces.msg import FarmReport, FarmWheel
from rclpy.context import Context as RosContext
from rclpy.node import Node
from vehicle_rig import greeting, published, samples

from acres_ros.core.collision_watch import CollisionState
from acres_ros.core.greeting import WorldFacts
from acres_ros.core.spells import Spell, SpellsState
from acres_ros.nodes.vehicle import Vehicle
from acres_ros.world import SurfaceClass
from acres_ros.world.georeference import Origin

BARN, OAK = 0, 1
WORLD = WorldFacts("hand-made", None, ("barn", "eiche süd"))
CORNERS = ("front_left", "front_right", "rear_left", "rear_right")


def report(rows, **changes: object) -> FarmReport:
    return published(rows, world=WORLD, **changes).last("farm_report")


def test_each_wheel_shows_its_own_numbers() -> None:
    rows = samples(12)
    wheel = rows.vehicle.wheel
    for index in range(4):
        wheel.surface[:, index] = (5, 3, -1, 1)[index]
        wheel.sinkage[:, index] = 0.01 * (index + 1)
        wheel.rut[:, index] = 0.001 * (index + 1)
        wheel.moisture[:, index] = 0.1 * (index + 1)
        wheel.cone_index_kpa[:, index] = 100.0 * (index + 1)
        wheel.water_drag[:, index] = 7.0 * (index + 1)
    message = report(rows)
    for index, corner in enumerate(CORNERS):
        shown = getattr(message, corner)
        n = index + 1
        assert shown.surface == (5, 3, -1, 1)[index]
        assert (shown.sinkage_m, shown.rut_depth_m) == pytest.approx((0.01 * n, 0.001 * n))
        assert (shown.moisture, shown.cone_index_kpa, shown.water_drag_n) == pytest.approx(
            (0.1 * n, 100.0 * n, 7.0 * n)
        )
    # Ten times a second: due at step 12.
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (0, 100_000_000)


def test_crop_and_collision_are_those_of_the_step() -> None:
    rows = samples(36)
    rows.vehicle.crushed_total = rows.step * 0.5
    rows.vehicle.crop_force = 680.0
    rows.vehicle.collision = [-1] * 12 + [OAK] * 12 + [BARN] * 12
    rows.vehicle.off_map = [0] * 24 + [1] * 12
    shown = [
        (m.crushed_m2, m.crop_force_n, m.collision, m.obstacle, m.obstacle_name, m.off_map)
        for m in published(rows, world=WORLD).messages("farm_report")
    ]
    assert shown == [
        (6.0, 680.0, False, -1, "", False),
        (12.0, 680.0, True, OAK, "eiche süd", False),
        (18.0, 680.0, True, BARN, "barn", True),
    ]


def test_an_obstacle_without_a_name_has_its_number() -> None:
    rows = samples(12)
    rows.vehicle.collision = 41
    assert published(rows).last("farm_report").obstacle_name == "obstacle 41"


def test_the_surfaces_of_the_message_are_those_of_the_model() -> None:
    for surface in SurfaceClass:
        assert getattr(FarmWheel, f"SURFACE_{surface.name}") == surface
    assert FarmWheel.SURFACE_NONE == -1


@pytest.fixture
def vehicle(ros: RosContext):
    node = Node("acres_vehicle", context=ros)
    yield Vehicle(node, since=None)
    node.destroy_node()


def farm_status(vehicle: Vehicle):
    view = vehicle.last
    assert view is not None
    parts = vehicle.diagnostics.message(view, 0.0).status
    status = next(part for part in parts if part.name.endswith(": farm"))
    return status, {pair.key: pair.value for pair in status.values}


def test_diagnostics_tell_of_a_collision_while_it_lasts_and_until_the_next_reset(vehicle: Vehicle) -> None:
    vehicle.start(greeting(world=WORLD))
    rows = samples(24)
    vehicle.publish(rows[:6])
    status, values = farm_status(vehicle)
    assert (status.level, status.message) == (b"\x00", "touches nothing")
    assert (values["world"], values["obstacle"], values["collisions"]) == ("hand-made", "", "0")
    rows.vehicle.collision[6:12] = BARN
    rows.vehicle.collision[14:15] = OAK  # of one step, between two messages
    vehicle.publish(rows[6:12])
    status, values = farm_status(vehicle)
    assert (status.level, status.message, values["obstacle"]) == (b"\x01", "touches barn", "barn")
    vehicle.publish(rows[12:24])
    status, values = farm_status(vehicle)
    assert (status.level, status.message) == (b"\x01", "touched eiche süd, 2 since the last reset")
    assert (values["obstacle"], values["collisions"], values["last_obstacle"]) == ("", "2", "eiche süd")
    vehicle.publish(samples(6, epoch=1))
    assert farm_status(vehicle)[0].level == b"\x00"


def test_diagnostics_know_of_a_collision_that_came_before_they_joined(vehicle: Vehicle) -> None:
    before = CollisionState(0, SpellsState(-1, (Spell(BARN, 7, "there"),)), 3, "barn")
    vehicle.start(replace(greeting(world=WORLD), collisions=before))
    vehicle.publish(samples(6))
    assert farm_status(vehicle)[0].message == "touched barn, 3 since the last reset"
    vehicle.recall(samples(3))
    assert vehicle.last is not None and vehicle.last.step == 3, "diagnostics go on after a state was taken up"
    vehicle.publish(samples(6, epoch=1))
    assert farm_status(vehicle)[0].message == "touches nothing"


def test_diagnostics_touch_nothing_that_was_deleted_and_nothing_whose_number_another_has(vehicle: Vehicle) -> None:
    """The last sample still has the number, until time goes on."""
    with_others = replace(WORLD, obstacles=(*WORLD.obstacles, "polaris", "agent_1", "agent_2"))
    vehicle.start(greeting(world=with_others))
    rows = samples(12)
    rows.vehicle.collision = with_others.obstacles.index("agent_2")
    vehicle.publish(rows)
    assert farm_status(vehicle)[0].message == "touches agent_2"
    deleted = CollisionState(0, SpellsState(), 1, "agent_2")
    for left in (("polaris", "agent_1"), (), ("polaris", "agent_1", "green")):
        stands = replace(greeting(world=replace(WORLD, obstacles=(*WORLD.obstacles, *left))), step=12)
        vehicle.start(replace(stands, collisions=deleted))
        vehicle.recall(rows)
        status, values = farm_status(vehicle)
        assert status.message == "touched agent_2, 1 since the last reset"
        assert (values["obstacle"], values["last_obstacle"]) == ("", "agent_2")


def test_diagnostics_warn_while_the_vehicle_is_off_the_map(vehicle: Vehicle) -> None:
    vehicle.start(greeting(world=WORLD))
    rows = samples(12)
    rows.vehicle.off_map[:6] = 1
    vehicle.publish(rows[:6])
    status, values = farm_status(vehicle)
    assert (status.level, status.message) == (b"\x01", "off the map, touches nothing")
    assert values["off_map"] == "true"
    vehicle.publish(rows[6:])
    status, values = farm_status(vehicle)
    assert (status.level, status.message, values["off_map"]) == (b"\x00", "touches nothing", "false")


def test_another_world_in_the_middle_changes_the_place_on_the_earth_and_the_names(vehicle: Vehicle) -> None:
    def places() -> tuple[float, str]:
        view, outputs = vehicle.last, vehicle._outputs
        assert view is not None and outputs is not None
        return outputs.context.config.origin.latitude_deg, outputs.context.world.obstacle(0)

    vehicle.start(greeting(world=WORLD))
    vehicle.publish(samples(6))
    assert places() == (vehicle.config.origin.latitude_deg, "barn")
    elsewhere = WorldFacts("elsewhere", Origin(52.0, 13.0, 40.0, 33), ("gate",))
    vehicle.start(greeting(0, 1, world=elsewhere))
    vehicle.publish(samples(6, epoch=1))
    assert places() == (52.0, "gate")
    vehicle.start(greeting(0, 2, world=WORLD))
    vehicle.publish(samples(6, epoch=2))
    assert places() == (vehicle.config.origin.latitude_deg, "barn")
