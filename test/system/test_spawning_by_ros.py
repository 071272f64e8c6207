"""Simple obstacles spawned and deleted, as a client of the standard sees them (`simulation_interfaces` 1.5.1)."""

from __future__ import annotations

from typing import Any

import pytest
from acres_interfaces.msg import FarmReport
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion, Vector3
from rclpy.serialization import deserialize_message
from simulation_interfaces.msg import Bounds, EntityFilters, EntityState, Resource
from simulation_interfaces.msg import SpawnEntity as SpawnWanted
from simulation_interfaces.srv import (
    DeleteEntity,
    GetEntities,
    GetEntityBounds,
    GetEntityInfo,
    GetEntityState,
    GetNamedPoseBounds,
    GetNamedPoses,
    GetSpawnables,
    LoadWorld,
    SetEntityState,
    SpawnEntities,
    SpawnEntity,
)
from std_msgs.msg import Header
from system_rig import OK, PAUSED, STOPPED, User

from acres_ros.core.spawned import VEHICLE_NUMBERS
from acres_ros.nodes.parameter_table import MOST_AGENTS

pytestmark = pytest.mark.system

UNSUPPORTED, NOT_FOUND, INCORRECT_STATE, FAILED = 0, 2, 3, 4
TAKEN, NO_NAME, FORMAT, NO_RESOURCE, NAMESPACE, PARSE = range(101, 107)
POSE, SOME_FAILED = 109, 150
KINDS = ("box", "cylinder", "person", "car", "round_bale", "cone", "polaris")


def test_every_vehicle_has_its_number_before_those_of_what_is_spawned() -> None:
    assert MOST_AGENTS <= VEHICLE_NUMBERS


def ahead(user: User, metres: float, **header: Any) -> PoseStamped:
    """Return a pose some metres before the vehicle at its start, which looks north, on its ground."""
    here = user.call(GetEntityState, "/get_entity_state", entity="polaris").state.pose.position
    point = Point(x=here.x, y=here.y + metres, z=here.z)
    return PoseStamped(header=Header(**header), pose=Pose(position=point, orientation=Quaternion(w=1.0)))


def spawn(user: User, name: str = "it", **fields: Any) -> Any:
    fields = {"uri": "acres://box", "initial_pose": ahead(user, 20.0)} | fields
    return user.call(SpawnEntity, "/spawn_entity", name=name, **fields)


def delete(user: User, name: str = "it") -> Any:
    return user.call(DeleteEntity, "/delete_entity", entity=name).result


def spawned(user: User) -> list[str]:
    found = user.call(GetEntities, "/get_entities", filters=EntityFilters()).entities
    assert found[0] == "polaris"
    return list(found[1:])


def test_spawnables_have_an_address_and_bounds_and_each_can_be_spawned(user: User) -> None:
    answer = user.call(GetSpawnables, "/get_spawnables")
    assert answer.result.result == OK
    uris = [spawnable.uri for spawnable in answer.spawnables]
    assert uris == ["acres://" + kind for kind in KINDS]
    uris.remove("acres://polaris")  # test_spawned_vehicles.py
    for number, spawnable in enumerate(answer.spawnables[:-1]):
        name = f"thing-{number}"
        result = spawn(user, name, uri=spawnable.uri, initial_pose=ahead(user, 20.0 + 8.0 * number))
        assert (result.result.result, result.entity_name) == (OK, name), result.result.error_message
        bounds = user.call(GetEntityBounds, "/get_entity_bounds", entity=name).bounds
        assert bounds == spawnable.spawn_bounds and bounds.type == Bounds.TYPE_BOX
        info = user.call(GetEntityInfo, "/get_entity_info", entity=name).info
        assert list(info.tags) == ["spawned", "obstacle", spawnable.uri.removeprefix("acres://")]
    assert len(spawned(user)) == len(uris)
    other = user.call(GetSpawnables, "/get_spawnables", sources=["http://somewhere"])
    assert other.result.result == NOT_FOUND and other.result.error_message


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"name": ""}, NO_NAME),
        ({"name": "polaris"}, TAKEN),
        ({"uri": ""}, NO_RESOURCE),
        ({"uri": "model://box"}, FORMAT),
        ({"uri": "acres://tank"}, NOT_FOUND),
        ({"resource_string": "<sdf/>"}, PARSE),
        ({"entity_namespace": "a b"}, NAMESPACE),
        ({"initial_pose": PoseStamped(pose=Pose(orientation=Quaternion(w=0.0)))}, POSE),
        ({"initial_pose": PoseStamped(header=Header(frame_id="base_link"))}, UNSUPPORTED),
    ],
)
def test_what_cannot_be_spawned_has_its_code(user: User, fields: dict[str, Any], code: int) -> None:
    answer = spawn(user, **{"name": "it", **fields})
    assert (answer.result.result, bool(answer.result.error_message), answer.entity_name) == (code, True, "")
    assert spawned(user) == []


def test_several_are_spawned_in_order_and_those_that_fail_are_told(user: User) -> None:
    wanted = [
        SpawnWanted(name=name, entity_resource=Resource(uri="acres://cone"), initial_pose=ahead(user, 20.0 + number))
        for number, name in enumerate(("a", "a", "b"))
    ]
    answer = user.call(SpawnEntities, "/spawn_entities", spawn_requests=wanted)
    assert answer.result.result == SOME_FAILED and "1 of 3" in answer.result.error_message
    assert [(one.result.result, one.entity_name) for one in answer.results] == [(OK, "a"), (TAKEN, ""), (OK, "b")]
    wanted[1].allow_renaming = True
    answer = user.call(SpawnEntities, "/spawn_entities", spawn_requests=wanted[1:2])
    assert answer.result.result == OK and [one.entity_name for one in answer.results] == ["a-1"]
    assert spawned(user) == ["a", "b", "a-1"]
    assert delete(user, "a").result == OK and delete(user, "a").result == NOT_FOUND
    assert delete(user, "polaris").result == FAILED
    assert spawned(user) == ["b", "a-1"]


def test_it_is_put_elsewhere_at_rest_only(user: User) -> None:
    assert spawn(user).result.result == OK
    state = EntityState(pose=ahead(user, 30.0, frame_id="map").pose)
    assert user.call(SetEntityState, "/set_entity_state", entity="it", state=state).result.result == OK
    assert user.call(GetEntityState, "/get_entity_state", entity="it").state.pose == state.pose
    state.twist.linear = Vector3(x=1.0)
    assert user.call(SetEntityState, "/set_entity_state", entity="it", state=state).result.result == FAILED


def test_while_a_step_request_runs_nothing_is_spawned_or_deleted(user: User) -> None:
    assert spawn(user).result.result == OK
    pose = ahead(user, 30.0)
    handle = user.goal(10**9)
    assert spawn(user, "other", initial_pose=pose).result.result == INCORRECT_STATE
    many = user.call(SpawnEntities, "/spawn_entities", spawn_requests=[SpawnWanted(name="x"), SpawnWanted(name="y")])
    assert many.result.result == SOME_FAILED
    assert [one.result.result for one in many.results] == [INCORRECT_STATE] * 2
    assert delete(user).result == INCORRECT_STATE
    result = handle.get_result_async()
    user.wait(handle.cancel_goal_async())
    user.wait(result)
    assert spawned(user) == ["it"]


def test_resets_remove_it_or_put_it_back(user: User) -> None:
    home, away = ahead(user, 20.0).pose, ahead(user, 30.0).pose

    def put() -> None:
        if "it" not in spawned(user):
            assert spawn(user, initial_pose=PoseStamped(pose=home)).result.result == OK
        state = EntityState(pose=away)
        assert user.call(SetEntityState, "/set_entity_state", entity="it", state=state).result.result == OK

    for scope, left in (
        (1, away),
        (2, home),
        (3, home),
        (4, None),
        (5, None),
        (6, None),
        (7, None),
        (0, None),
        (255, None),
    ):
        put()
        assert user.reset(scope).result == OK
        assert spawned(user) == ([] if left is None else ["it"]), scope
        if left is not None:
            assert user.call(GetEntityState, "/get_entity_state", entity="it").state.pose == left
    put()
    assert user.set_state(STOPPED).result == OK and spawned(user) == []
    assert user.set_state(PAUSED).result == OK
    put()
    assert user.call(LoadWorld, "/load_world", uri="yard").result.result == OK and spawned(user) == []
    assert user.set_state(PAUSED).result == OK


def test_it_is_touched_and_named_in_the_farm_report(user: User) -> None:
    user.start_driving(2.0, 4.0)
    odometry = user.last("/ground_truth/odometry").pose.pose.position
    assert spawn(user, "gate", initial_pose=ahead(user, 6.0), resource_string='{"size": [8, 1, 2]}').result.result == OK
    user.forget()
    for _ in range(40):
        user.steer()
        user.drive(2.0)
        user.step_result(6)
    user.settle()
    reports = [deserialize_message(row, FarmReport) for row in user.recorder.rows["/acres/farm_report"]]
    touched = [report for report in reports if report.collision]
    assert touched and {report.obstacle_name for report in touched} == {"gate"}, odometry
    assert len(user.ticks()) == 240, "the greeting about the new name breaks no stream"


def test_it_is_no_part_of_the_free_sphere_about_a_named_pose(user: User) -> None:
    name = user.call(GetNamedPoses, "/get_named_poses").poses[0].name

    def radius() -> float:
        answer = user.call(GetNamedPoseBounds, "/get_named_pose_bounds", name=name)
        return float(answer.bounds.points[1].x)

    before = radius()
    assert spawn(user, initial_pose=ahead(user, 5.0)).result.result == OK
    assert before > 4.6 and radius() == pytest.approx(4.5, abs=0.1), "a box of 1 m, 5 m ahead of the start"
    assert delete(user).result == OK
    assert radius() == before
