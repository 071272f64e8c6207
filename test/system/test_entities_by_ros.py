"""Entities and named poses, as a client of the standard sees them (`simulation_interfaces` 1.5.1; trials D47, D51)."""

from __future__ import annotations

import math
from typing import Any

import pytest
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from simulation_interfaces.msg import (
    Bounds,
    EntityCategory,
    EntityFilters,
    EntityInfo,
    EntityState,
    TagsFilter,
)
from simulation_interfaces.srv import (
    GetEntities,
    GetEntitiesStates,
    GetEntityBounds,
    GetEntityInfo,
    GetEntityState,
    GetNamedPoseBounds,
    GetNamedPoses,
    LoadWorld,
    SetEntityInfo,
    SetEntityState,
)
from std_msgs.msg import Header
from system_rig import OK, PAUSED, PLAYING, User, ns, stamp_ns

pytestmark = pytest.mark.system

UNSUPPORTED, NOT_FOUND, INCORRECT_STATE, FAILED, INVALID_POSE = 0, 2, 3, 4, 101
ROBOT, STATIC = EntityCategory.CATEGORY_ROBOT, EntityCategory.CATEGORY_STATIC_OBJECT
ODOMETRY = "/ground_truth/odometry"
GARAGE = (-38.71, -140.513)


def entities(user: User, **filters: Any) -> Any:
    return user.call(GetEntities, "/get_entities", filters=EntityFilters(**filters))


def state(user: User, entity: str = "polaris") -> EntityState:
    answer = user.call(GetEntityState, "/get_entity_state", entity=entity)
    assert answer.result.result == OK, answer.result.error_message
    return answer.state


def put(user: User, given: EntityState, entity: str = "polaris") -> Any:
    return user.call(SetEntityState, "/set_entity_state", entity=entity, state=given).result


def turned(q: Quaternion, v: Vector3) -> list[float]:
    """Return a vector turned by a quaternion, as q v q*."""

    def times(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, ...]:
        ax, ay, az, aw = a
        bx, by, bz, bw = b
        return (
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        )

    return list(times(times((q.x, q.y, q.z, q.w), (v.x, v.y, v.z, 0.0)), (-q.x, -q.y, -q.z, q.w))[:3])


def xyz(v: Any) -> list[float]:
    return [v.x, v.y, v.z]


# -- the vehicle ------------------------------------------------------------------------------------------------------


def test_the_state_is_that_of_the_odometry_with_its_twist_in_the_world(user: User) -> None:
    user.start_driving(3.0, 2.0)
    for _ in range(20):
        user.steer(200.0)
        user.drive(3.0)
        user.step_result(6)
    user.settle()
    told, shown = state(user), user.last(ODOMETRY)
    assert told.header.frame_id == ""
    assert ns(told.header.stamp) == ns(shown.header.stamp)
    assert told.pose == shown.pose.pose
    q = shown.pose.pose.orientation
    assert xyz(told.twist.linear) == pytest.approx(turned(q, shown.twist.twist.linear), abs=1e-12)
    assert xyz(told.twist.angular) == pytest.approx(turned(q, shown.twist.twist.angular), abs=1e-12)
    assert math.hypot(*xyz(told.twist.linear)) > 0.5 and abs(told.twist.angular.z) > 0.02


def test_pose_and_twist_are_set_at_once_and_the_time_goes_on(user: User) -> None:
    user.start_driving(3.0, 2.0)
    k = len(user.ticks())
    turn = Quaternion(z=math.sin(0.4), w=math.cos(0.4))
    wanted = EntityState(pose=Pose(position=Point(x=10.0, y=-100.0, z=state(user).pose.position.z), orientation=turn))
    wanted.twist.linear = Vector3(x=4.0 * math.cos(0.8), y=4.0 * math.sin(0.8))
    assert put(user, wanted).result == OK
    told = state(user)
    assert xyz(told.pose.position) == pytest.approx(xyz(wanted.pose.position), abs=1e-12)
    assert xyz(told.twist.linear) == pytest.approx(xyz(wanted.twist.linear), abs=1e-12)
    user.forget()
    user.step(1)
    assert user.ticks() == [stamp_ns(k + 1)]
    shown = user.last(ODOMETRY)
    moved = [10.0 + 4.0 * math.cos(0.8) / 120, -100.0 + 4.0 * math.sin(0.8) / 120]
    assert xyz(shown.pose.pose.position)[:2] == pytest.approx(moved, abs=1e-3)
    assert shown.twist.twist.linear.x == pytest.approx(4.0, abs=0.1)
    user.step(12)
    assert user.last("/vehicle/dbw_enabled").data and user.last("/vehicle/gear/report").gear.value == 5


def test_a_refused_state_changes_not_a_bit_of_what_follows(user: User) -> None:
    def run(*refused: tuple[EntityState, int]) -> list[bytes]:
        assert user.reset().result == OK
        user.forget()
        user.start_driving(2.0, 1.0)
        for given, code in refused:
            answer = put(user, given)
            assert (answer.result, bool(answer.error_message)) == (code, True)
        user.step(12)
        return list(user.recorder.rows[ODOMETRY])

    here = state(user)

    def bad(**changes: Any) -> EntityState:
        pose = Pose(position=here.pose.position, orientation=here.pose.orientation)
        given = EntityState(pose=pose)
        for key, value in changes.items():
            part = given.pose if key in ("position", "orientation") else given.twist
            setattr(part, key, value)
        return given

    refused = [
        (bad(position=Point(x=math.nan)), INVALID_POSE),
        (bad(position=Point(x=1e5)), INVALID_POSE),
        (bad(position=Point(x=here.pose.position.x, y=here.pose.position.y, z=-50.0)), INVALID_POSE),
        (bad(orientation=Quaternion(w=0.0)), INVALID_POSE),
        (bad(orientation=Quaternion(w=0.998)), INVALID_POSE),
        (bad(orientation=Quaternion(x=math.inf)), INVALID_POSE),
        (bad(linear=Vector3(x=100.0)), FAILED),
        (bad(angular=Vector3(z=math.nan)), FAILED),
        (EntityState(header=Header(frame_id="base_link"), pose=here.pose), UNSUPPORTED),
    ]
    assert run(*refused) == run()


def test_it_is_refused_while_a_step_request_runs_and_not_while_playing(user: User) -> None:
    handle = user.goal(10**9)
    answer = put(user, state(user))
    assert answer.result == INCORRECT_STATE and "step request is running" in answer.error_message
    info = user.call(SetEntityInfo, "/set_entity_info", entity="polaris", info=EntityInfo())
    assert info.result.result == INCORRECT_STATE
    result = handle.get_result_async()
    user.wait(handle.cancel_goal_async())
    user.wait(result)
    assert user.set_state(PLAYING).result == OK
    given = state(user)
    given.pose.position.x += 20.0
    assert put(user, given).result == OK
    assert user.set_state(PAUSED).result == OK
    assert state(user).pose.position.x == pytest.approx(given.pose.position.x, abs=0.1)


def test_the_name_of_nobody(user: User) -> None:
    for kind, name, key in (
        (GetEntityState, "/get_entity_state", "entity"),
        (SetEntityState, "/set_entity_state", "entity"),
        (GetEntityInfo, "/get_entity_info", "entity"),
        (SetEntityInfo, "/set_entity_info", "entity"),
        (GetEntityBounds, "/get_entity_bounds", "entity"),
        (GetNamedPoseBounds, "/get_named_pose_bounds", "name"),
    ):
        result = user.call(kind, name, **{key: "nobody"}).result
        assert result.result == NOT_FOUND and "nobody" in result.error_message


def test_info_and_bounds_of_the_vehicle(user: User) -> None:
    info = user.call(GetEntityInfo, "/get_entity_info", entity="polaris").info
    assert (info.category.category, list(info.tags)) == (ROBOT, ["vehicle", "polaris"])
    bounds = user.call(GetEntityBounds, "/get_entity_bounds", entity="polaris").bounds
    assert bounds.type == Bounds.TYPE_BOX
    assert xyz(bounds.points[0]) == pytest.approx([3.343, 0.80, 1.95])
    assert xyz(bounds.points[1]) == pytest.approx([-0.457, -0.80, 0.0])
    mine = EntityInfo(category=EntityCategory(category=ROBOT), description="mine", tags=["mine"])
    assert user.call(SetEntityInfo, "/set_entity_info", entity="polaris", info=mine).result.result == OK
    assert list(entities(user, tags=TagsFilter(tags=["mine"])).entities) == ["polaris"]
    wrong = EntityInfo(category=EntityCategory(category=3))
    assert user.call(SetEntityInfo, "/set_entity_info", entity="polaris", info=wrong).result.result == FAILED
    assert user.call(GetEntityInfo, "/get_entity_info", entity="polaris").info == mine
    assert user.reset().result == OK
    assert user.call(GetEntityInfo, "/get_entity_info", entity="polaris").info == info


@pytest.mark.parametrize(
    ("filters", "code", "words"),
    [
        ({"filter": "["}, FAILED, "not closed"),
        ({"filter": "\\d"}, FAILED, "[[:digit:]]"),
        ({"tags": TagsFilter(tags=["a"], filter_mode=9)}, FAILED, "filter_mode = 9"),
        ({"categories": [EntityCategory(category=3)]}, FAILED, "category = 3"),
        ({"bounds": Bounds(type=2, points=[Vector3()] * 4)}, UNSUPPORTED, "type 2"),
        ({"bounds": Bounds(type=77)}, UNSUPPORTED, "type 77"),
        ({"bounds": Bounds(type=3, points=[Vector3()])}, FAILED, "two"),
        ({"bounds": Bounds(type=3, points=[Vector3(), Vector3(x=-1.0)])}, FAILED, "radius"),
        ({"bounds": Bounds(type=3, points=[Vector3(x=math.nan), Vector3()])}, FAILED, "numbers within"),
        ({"bounds": Bounds(type=1, points=[Vector3(), Vector3(x=1.0)])}, FAILED, "upper right"),
    ],
)
def test_filters_that_say_nothing_are_refused_in_words(
    user: User, filters: dict[str, Any], code: int, words: str
) -> None:
    for answer in (
        entities(user, **filters),
        user.call(GetEntitiesStates, "/get_entities_states", filters=EntityFilters(**filters)),
    ):
        assert answer.result.result == code and words in answer.result.error_message
        assert list(answer.entities) == []


# -- obstacles and places ---------------------------------------------------------------------------------------------


def test_the_farm_tells_of_its_obstacles_and_places_and_none_of_them_moves(user: User) -> None:
    assert user.call(LoadWorld, "/load_world", uri="farm").result.result == OK
    try:
        names = list(entities(user).entities)
        assert names[0] == "polaris" and len(names) > 7000
        static = [EntityCategory(category=STATIC)]
        bins = entities(user, filter="^[[:alpha:]]+-0", categories=static, tags=TagsFilter(tags=["bin"])).entities
        assert bins and all(name.startswith("bin-0") for name in bins)
        here = state(user).pose.position
        near = Bounds(type=Bounds.TYPE_SPHERE, points=[Vector3(x=here.x, y=here.y, z=here.z), Vector3(x=60.0)])
        answer = user.call(GetEntitiesStates, "/get_entities_states", filters=EntityFilters(bounds=near))
        assert list(answer.entities)[0] == "polaris" and 1 < len(answer.entities) < 500
        assert len(answer.states) == len(answer.entities)
        assert all(math.dist((s.pose.position.x, s.pose.position.y), (here.x, here.y)) < 150.0 for s in answer.states)

        tree = state(user, "tree-0007")
        assert put(user, tree, "tree-0007").result == OK, "it stays where it is"
        tree.pose.position.x += 1.0
        answer = put(user, tree, "tree-0007")
        assert answer.result == FAILED and "never moves" in answer.error_message
        tree.pose.position.x = math.nan
        assert put(user, tree, "tree-0007").result == INVALID_POSE
        rolling = state(user, "tree-0007")
        rolling.twist.linear.x = 1.0
        assert put(user, rolling, "tree-0007").result == FAILED

        poses = user.call(GetNamedPoses, "/get_named_poses").poses
        assert len(poses) == 7 and poses[0].name == "spawn-icsc-garage"
        first = user.call(GetNamedPoses, "/get_named_poses", tags=TagsFilter(tags=["default"])).poses
        assert [pose.name for pose in first] == ["spawn-icsc-garage"]
        assert (first[0].pose.position.x, first[0].pose.position.y) == GARAGE
        bounds = user.call(GetNamedPoseBounds, "/get_named_pose_bounds", name="field-24").bounds
        assert bounds.type == Bounds.TYPE_SPHERE and 0.0 < bounds.points[1].x <= 50.0
        lot = next(pose for pose in poses if pose.name == "lot")
        assert put(user, EntityState(pose=lot.pose)).result == OK
        assert state(user).pose.position == lot.pose.position
    finally:
        assert user.call(LoadWorld, "/load_world", uri="yard").result.result == OK
        user.set_state(PAUSED)
