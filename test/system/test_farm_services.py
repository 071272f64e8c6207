"""Soil water, parameters, occupants and the state of the crop by services, and what they refuse."""

from __future__ import annotations

import math

import pytest
from acres_interfaces.srv import GetFarm, ResetVehicle, SetConditions, SetParameters
from system_rig import OK, PAUSED, STOPPED, User

pytestmark = pytest.mark.system

REPORT = "/acres/farm_report"
FIX = "/novatel/oem7/fix"
GRAVITY = 9.80665


def conditions(user: User, **fields: object) -> SetConditions.Response:
    return user.call(SetConditions, "/acres/set_conditions", **fields)


def parameters(user: User, keys: list[str], values: list[float]) -> SetParameters.Response:
    return user.call(SetParameters, "/acres/set_parameters", keys=keys, values=values)


def place(user: User, **fields: object) -> ResetVehicle.Response:
    return user.call(ResetVehicle, "/acres/reset_vehicle", **{"place": "spawn-icsc-garage"} | fields)


def farm(user: User) -> GetFarm.Response:
    answer = user.call(GetFarm, "/acres/get_farm")
    assert (answer.success, answer.message) == (True, "")
    return answer


# -- soil water -------------------------------------------------------------------------------------------------------


def test_the_farm_as_it_is_at_the_start(user: User) -> None:
    answer = farm(user)
    assert (answer.world, answer.crushed_m2) == ("yard", 0.0)
    assert (len(answer.crushed_by_field), len(answer.crushed_by_zone)) == (60, 8)
    assert not any(answer.crushed_by_field) and not any(answer.crushed_by_zone)
    assert (answer.global_fraction, answer.surface_film) == (0.55, 0.0)
    assert list(answer.field_fractions) == [-1.0] * 60


def test_soil_water_is_set_in_parts_outlives_a_reset_of_the_state_and_ends_with_a_restart(user: User) -> None:
    answer = conditions(user, global_fraction=0.9, fields=[24, 59], fractions=[0.1, 1.0])
    assert (answer.success, answer.message) == (True, "")
    assert conditions(user, surface_film=0.5).success
    assert conditions(user, rain_mm_per_h=7.5, dust_per_m=0.25).success
    assert conditions(user, global_fraction=math.nan, surface_film=math.nan, fields=[59], fractions=[-1.0]).success
    assert place(user).success
    assert user.reset(3).result == OK
    user.step(3)
    answer = farm(user)
    assert (answer.global_fraction, answer.surface_film) == (0.9, 0.5)
    assert (answer.rain_mm_per_h, answer.dust_per_m) == (7.5, 0.25)
    assert {n: f for n, f in enumerate(answer.field_fractions) if f != -1.0} == {24: 0.1}
    assert user.set_state(STOPPED).result == OK
    answer = farm(user)
    assert (answer.global_fraction, answer.surface_film) == (0.55, 0.0)
    assert user.set_state(PAUSED).result == OK


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"global_fraction": 2.0}, "global_fraction = 2.0"),
        ({"global_fraction": -0.5}, "global_fraction = -0.5"),
        ({"global_fraction": math.inf}, "global_fraction = inf"),
        ({"surface_film": 1.5}, "surface_film = 1.5"),
        ({"surface_film": -math.inf}, "surface_film = -inf"),
        ({"rain_mm_per_h": 151.0}, "rain_mm_per_h = 151.0"),
        ({"dust_per_m": -0.5}, "dust_per_m = -0.5"),
        ({"fields": [61], "fractions": [0.5]}, "field = 61"),
        ({"fields": [24], "fractions": [2.0]}, "field 24 = 2.0"),
        ({"fields": [24], "fractions": [math.nan]}, "field 24 = nan"),
        ({"fields": [24, 25], "fractions": [0.5]}, "2, one for each of fields"),
        ({"fields": [24, 24], "fractions": [0.5, 0.6]}, "fields = 24"),
        ({"global_fraction": 0.9, "fields": [99], "fractions": [0.5]}, "field = 99"),
    ],
)
def test_soil_water_that_cannot_be_is_refused_in_words_and_nothing_of_it_is_taken(
    user: User, fields: dict[str, object], words: str
) -> None:
    answer = conditions(user, **fields)
    assert not answer.success and words in answer.message and "wanted" in answer.message
    answer = farm(user)
    assert (answer.global_fraction, answer.surface_film) == (0.55, 0.0)
    assert list(answer.field_fractions) == [-1.0] * 60


# -- parameters and occupants -----------------------------------------------------------------------------------------


def way_rolled(user: User) -> float:
    """Return how far the vehicle rolls when it is put down at 5 m/s in neutral, m."""
    assert place(user, speed=5.0, gear=3).success
    user.forget()
    user.step(360)
    first, last = (user.messages("/ground_truth/odometry")[index].pose.pose.position for index in (0, -1))
    return math.hypot(last.x - first.x, last.y - first.y)


def test_parameters_hold_from_the_next_reset_on_and_end_with_a_restart(user: User) -> None:
    plain = way_rolled(user)
    answer = parameters(user, ["tyre.radius_m", "aero.drag_area"], [0.305, 40.0])
    assert (answer.success, answer.message) == (True, "")
    dragged = way_rolled(user)
    assert dragged < plain - 0.5
    assert user.reset(3).result == OK
    assert parameters(user, [], []).success
    assert way_rolled(user) == pytest.approx(plain, abs=1e-6), "no keys are the parameters of the start"
    assert parameters(user, ["aero.drag_area"], [40.0]).success
    assert user.reset(0).result == OK
    assert way_rolled(user) == pytest.approx(plain, abs=1e-6)


@pytest.mark.parametrize(
    ("keys", "values", "words"),
    [
        (["mass.kerb"], [900.0], "nearest is mass.kerb_kg"),
        (["mass.kerb_kg"], [math.nan], "finite"),
        (["mass.kerb_kg"], [-1.0], "of 50 to 20000"),
        (["mass.occupants"], [2.5], "whole number"),
        (["engine.wot_torque_nm"], [80.0], "row of 10"),
        (["mass.kerb_kg", "mass.gravity"], [900.0], "2, one for each of keys"),
        (["mass.kerb_kg", "mass.kerb_kg"], [900.0, 901.0], "each once"),
        ([""], [1.0], "a key that the model knows"),
    ],
)
def test_parameters_that_cannot_be_are_refused_in_words(
    user: User, keys: list[str], values: list[float], words: str
) -> None:
    answer = parameters(user, keys, values)
    assert not answer.success and words in answer.message


def test_persons_come_on_board_at_a_reset_of_the_vehicle(user: User) -> None:
    def speed(**fields: object) -> float:
        """Return the speed 3 s after the ULC was asked for 4 m/s: more mass, less speed."""
        assert place(user, gear=5, **fields).success
        user.forget()
        user.start_driving(4.0, 3.0)
        return float(user.last("/ground_truth/odometry").twist.twist.linear.x)

    two, five, still_five, again_two = (speed(**f) for f in ({}, {"occupants": 5}, {}, {"occupants": 2}))
    assert five < two
    assert (still_five, again_two) == (five, two)


@pytest.mark.parametrize("occupants", [-2, 7, 2**31 - 1])
def test_persons_that_cannot_be_are_refused_and_the_vehicle_stays(user: User, occupants: int) -> None:
    user.step(5)
    answer = place(user, occupants=occupants)
    assert not answer.success and "mass.occupants" in answer.message
    user.step(1)
    assert len(user.ticks()) == 6


# -- report -----------------------------------------------------------------------------------------------------------


def test_the_report_comes_ten_times_a_second_and_shows_the_ground_of_each_wheel(user: User) -> None:
    user.step(120)
    reports = user.messages(REPORT)
    assert len(reports) == 10
    last = reports[-1]
    wheels = (last.front_left, last.front_right, last.rear_left, last.rear_right)
    assert [wheel.surface for wheel in wheels] == [2] * 4, "the garage stands on gravel"
    assert not any(wheel.sinkage_m or wheel.rut_depth_m or wheel.moisture for wheel in wheels)
    assert (last.crushed_m2, last.collision, last.obstacle, last.obstacle_name) == (0.0, False, -1, "")
