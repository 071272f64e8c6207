"""What an environment lets change: soil water, parameters, occupants, the world."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from acres_ros.core import messages as m
from acres_ros.core.collision_watch import CollisionState
from acres_ros.core.conditions import ConditionsError
from acres_ros.core.environment import Environment
from acres_ros.core.gateway import GatewayOptions
from acres_ros.core.greeting import Greeting, WorldFacts
from acres_ros.core.parameters import ParameterError, load_parameters
from acres_ros.core.sensors import Sensors
from acres_ros.core.spells import Spell, SpellsState
from acres_ros.core.start import Start, StartError
from acres_ros.core.streams import SeedRefusedError
from acres_ros.core.weather import Weather
from acres_ros.models.farm import CONDITIONS
from acres_ros.world import World
from acres_ros.world.georeference import Origin

ANGLE = 2
GRAVITY = 9.80665


@pytest.fixture
def environment(yard: World) -> Environment:
    garage = yard.places[0]
    return Environment(yard, load_parameters(), Start(x=garage.x, y=garage.y, yaw=garage.yaw))


def weight(environment: Environment) -> float:
    """Return the load of the four wheels at rest, in kg."""
    return float(environment.step(240)["vehicle"]["wheel"]["load"][-1].sum()) / GRAVITY


# -- reset to anything ------------------------------------------------------------------------------------------------


def errors(environment: Environment, steps: int = 240) -> bytes:
    return environment.step(steps)["navigation"].tobytes()


def test_a_reset_with_a_seed_is_a_start_with_that_seed(yard: World, environment: Environment) -> None:
    start = environment.start
    environment.step(77)
    environment.reset(restart_time=True, seed=7)
    fresh = Environment(yard, load_parameters(), start, seed=7)
    assert environment.step(240)["vehicle"].tobytes() == fresh.step(240)["vehicle"].tobytes()
    environment.reset(restart_time=True)
    fresh.reset(restart_time=True)
    assert errors(environment) == errors(fresh), "later resets keep it"
    assert environment.seed == 7


def test_a_restart_brings_the_first_seed_back(environment: Environment) -> None:
    environment.restart()
    first = errors(environment)
    environment.reset(restart_time=True, seed=2**64 - 1)
    assert errors(environment) != first
    environment.restart()
    assert errors(environment) == first


def test_a_snapshot_keeps_the_seed_of_a_reset(environment: Environment, yard: World) -> None:
    environment.reset(seed=2**64 - 1)
    environment.step(30)
    kept = environment.snapshot()
    other = Environment(yard, load_parameters(), environment.start)
    other.restore(kept)
    assert errors(other) == errors(environment)
    for one in (other, environment):
        one.reset()
    assert errors(other) == errors(environment), "the next reset draws with it too"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"seed": -1}, SeedRefusedError),
        ({"seed": 2**64}, SeedRefusedError),
        ({"conditions": {"surface_film": 2.0}}, ConditionsError),
        ({"start": Start(x=1e6)}, StartError),
        ({"occupants": 9}, ParameterError),
    ],
)
def test_a_reset_of_which_a_part_cannot_be_changes_nothing(environment: Environment, changes, error) -> None:
    environment.step(20)
    before = environment.snapshot().environment
    good = {"seed": 9, "start": Start(x=5.0), "occupants": 1, "conditions": {"surface_film": 0.5}}
    with pytest.raises(error):
        environment.reset(**{**good, **changes})
    assert repr(environment.snapshot().environment) == repr(before)
    assert environment.seed == 42 and environment.conditions[0]["surface_film"] == 0.0


# -- soil water -------------------------------------------------------------------------------------------------------


def test_soil_water_outlives_a_reset_and_a_restart_of_the_time_but_not_a_restart(environment: Environment) -> None:
    environment.set_conditions(global_fraction=0.9, field_fractions={24: 0.1}, surface_film=1.0)
    environment.set_conditions(rain_mm_per_h=20.0, dust_per_m=0.1)
    wanted = environment.conditions.tobytes()
    environment.step(3)
    environment.reset(restart_time=True)
    environment.restart_time()
    assert environment.conditions.tobytes() == wanted
    row = environment.conditions[0]
    assert (row["global_fraction"], row["field_fraction"][24], row["surface_film"]) == (0.9, 0.1, 1.0)
    assert environment.weather == Weather(20.0, 0.1)
    environment.restart()
    assert environment.weather == Weather()
    assert environment.conditions.tobytes() == CONDITIONS.new(1).tobytes()


def test_a_refused_soil_water_changes_nothing(environment: Environment) -> None:
    with pytest.raises(ConditionsError):
        environment.set_conditions(global_fraction=0.9, field_fractions={24: 0.5, 61: 0.5})
    assert environment.conditions.tobytes() == CONDITIONS.new(1).tobytes()


# -- parameters -------------------------------------------------------------------------------------------------------


def test_parameters_take_effect_with_the_next_reset_and_stay(environment: Environment) -> None:
    before = weight(environment)
    environment.set_parameters({"mass.kerb_kg": 1500.0})
    revision = environment.revision
    assert weight(environment) == pytest.approx(before, rel=1e-6)
    assert environment.revision == revision, "nothing has changed yet"
    environment.reset()
    kerb = float(load_parameters()[0].mass.kerb_kg)
    assert weight(environment) - before == pytest.approx(1500.0 - kerb, rel=0.01)
    assert environment.revision > revision
    revision = environment.revision
    environment.reset(restart_time=True)
    assert weight(environment) - before == pytest.approx(1500.0 - kerb, rel=0.01)
    assert environment.revision == revision


def test_each_call_is_a_set_of_its_own_and_none_is_the_first(environment: Environment) -> None:
    environment.set_parameters({"mass.kerb_kg": 1500.0})
    environment.set_parameters({"dbw.ulc.kp": 0.9})
    environment.reset()
    first = load_parameters()
    assert environment.parameters[0].mass.kerb_kg == first[0].mass.kerb_kg
    assert environment.parameters[0].dbw.ulc.kp == 0.9
    environment.set_parameters({})
    environment.reset()
    assert environment.parameters.tobytes() == first.tobytes()


def test_a_restart_brings_the_first_parameters_back(environment: Environment) -> None:
    samples = environment.step(60)
    environment.set_parameters({"mass.kerb_kg": 1500.0})
    environment.reset()
    environment.restart()
    again = environment.step(60)
    assert [row.tobytes()[32:] for row in again] == [row.tobytes()[32:] for row in samples]


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"mass.kerb": 1500.0}, "mass.kerb = 1500.0.*nearest is mass.kerb_kg"),
        ({"mass.kerb_kg": math.nan}, "mass.kerb_kg = nan.*finite"),
        ({"mass.kerb_kg": -3.0}, "mass.kerb_kg = -3.0.*of 50 to 20000"),
        ({"mass.occupants": 2.5}, "mass.occupants = 2.5.*whole number"),
        ({"mass.occupants": 7}, "mass.occupants = 7.*of 0 to 6"),
        ({"dbw.ulc.kp": 0.5, "engine": 3.0}, "engine = 3.0"),
        ({"engine.wot_torque_nm": 80.0}, "engine.wot_torque_nm = 80.0.*row of 10"),
    ],
)
def test_parameters_that_cannot_be_are_refused_and_change_nothing(
    environment: Environment, overrides: dict[str, object], words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        environment.set_parameters(overrides)
    environment.reset()
    assert environment.parameters.tobytes() == load_parameters().tobytes()


def test_the_gateway_follows_the_parameters(yard: World) -> None:
    """The time-out of a subsystem is in the gateway as well as in the model (row A3)."""
    environment = Environment(yard, load_parameters(), options=GatewayOptions(nan_policy="zero"))
    environment.set_parameters({"dbw.command_timeout_s": 0.2, "steering.center_deg": 3.0})
    environment.reset()
    environment.post(m.Enable())
    environment.post(m.SteeringCmd(cmd=50.0, cmd_type=ANGLE, enable=True))
    control = environment.step(40)["vehicle"]["dbw"]["steering"]["in_control"].tolist()
    # Released in the first step in which the age is above 0.2 s: 25 steps after the message.
    assert control == [1] * 25 + [0] * 15
    options = environment.gateway.options
    assert (options.command_timeout_s, options.wheel_center_deg, options.nan_policy) == (0.2, 3.0, "zero")


# -- occupants --------------------------------------------------------------------------------------------------------


def test_occupants_come_on_board_at_a_reset_and_stay(environment: Environment) -> None:
    two = weight(environment)
    environment.reset(occupants=5)
    environment.reset()
    each = float(environment.parameters[0].mass.occupant_kg)
    assert weight(environment) - two == pytest.approx(3 * each, rel=0.02)
    environment.reset(occupants=2)
    assert weight(environment) == pytest.approx(two, rel=1e-6)


def test_occupants_and_parameters_go_together(environment: Environment) -> None:
    environment.set_parameters({"mass.kerb_kg": 1500.0})
    environment.reset(occupants=4)
    assert (environment.parameters[0].mass.kerb_kg, environment.parameters[0].mass.occupants) == (1500.0, 4)
    environment.restart()
    assert environment.parameters.tobytes() == load_parameters().tobytes()


@pytest.mark.parametrize("occupants", [-2, 7, 2**31])
def test_a_number_of_persons_that_cannot_be_changes_nothing(environment: Environment, occupants: int) -> None:
    start, epoch = environment.start, environment.epoch
    with pytest.raises(ParameterError, match="mass.occupants"):
        environment.reset(start=Start(x=1.0, y=-150.0), occupants=occupants)
    assert (environment.start, environment.epoch) == (start, epoch)


def test_a_start_outside_leaves_the_occupants(environment: Environment) -> None:
    with pytest.raises(StartError):
        environment.reset(start=Start(x=1e6), occupants=5)
    environment.reset()
    assert environment.parameters[0].mass.occupants == 2


# -- worlds -----------------------------------------------------------------------------------------------------------


def test_another_world_is_as_if_the_program_had_been_started_in_it(environment: Environment) -> None:
    flat = World.flat(surface="grass", z=3.0)
    start = Start(x=20.0, y=-7.0, yaw=0.5, gear="L")
    wanted = Environment(flat, load_parameters(), start).step(30)
    environment.set_conditions(global_fraction=0.1)
    environment.set_parameters({"mass.kerb_kg": 1500.0})
    environment.post(m.HardwareShifts(brake_bias_bar=4.0))
    environment.step(50)
    epoch, revision = environment.epoch, environment.revision
    environment.load_world(flat, start)
    assert environment.world is flat and environment.step_count == 0
    assert environment.epoch > epoch and environment.revision > revision
    again = environment.step(30)
    assert [row.tobytes()[32:] for row in again] == [row.tobytes()[32:] for row in wanted]
    environment.reset(start=Start(x=1.0, y=2.0))
    environment.restart()
    assert environment.start == start, "a restart stays in the new world"


def test_a_world_without_the_start_is_refused_and_the_old_one_stays(environment: Environment, yard: World) -> None:
    before = environment.step(5)[-1]["vehicle"].tobytes()
    with pytest.raises(StartError, match="inside the world"):
        environment.load_world(World.flat(), Start(x=1e9))
    assert environment.world is yard and environment.step_count == 5
    assert environment.vehicle.tobytes() == before


def test_an_obstacle_has_the_name_that_the_world_gives_or_its_number() -> None:
    assert WorldFacts("x", None, ("barn",)).obstacle(0) == "barn"
    assert WorldFacts("x", None, ("barn",)).obstacle(-1) == ""
    assert WorldFacts("x").obstacle(7) == "obstacle 7"


def test_the_greeting_arrives_as_it_was_sent(environment: Environment) -> None:
    environment.set_parameters({"mass.kerb_kg": 1500.1, "dbw.ulc.kp": 1.0 / 3.0})
    environment.reset()
    environment.step(7)
    sensors = Sensors.from_file()
    sent = Greeting.of(environment, sensors)
    assert (sent.step, sent.epoch, sent.world.name) == (7, environment.epoch, "yard")
    received = Greeting.from_json(sent.to_json())
    assert received.parameters.tobytes() == sent.parameters.tobytes()
    assert (received.step, received.epoch, received.world) == (sent.step, sent.epoch, sent.world)
    assert received.sensors.tree == sensors.tree and received.sensors.lidar.times_s[-1] == sensors.lidar.times_s[-1]
    touched = CollisionState(2, SpellsState(1, (Spell(1, 3, "at (1.00, 2.00) m"),)), 4, "süd")
    assert Greeting.from_json(replace(sent, collisions=touched).to_json()).collisions == touched
    facts = WorldFacts("farm", Origin(40.4784, -86.99, 180.0, 16), ("barn", "süd"))
    told = Greeting(3, 2, 1, np.asarray(sent.parameters), facts, sensors)
    assert Greeting.from_json(told.to_json()).world == facts


# -- marks ------------------------------------------------------------------------------------------------------------


def in_the_field(farm: World, *, marks: bool) -> Environment:
    place = farm.place("field-24")
    return Environment(
        farm, load_parameters(), Start(x=place.x, y=place.y, yaw=place.yaw, speed=3.0, gear="N"), marks=marks
    )


def test_the_total_of_the_samples_is_that_of_the_farm_and_a_reset_and_a_world_clear_it(farm: World) -> None:
    environment = in_the_field(farm, marks=True)
    vehicle = environment.step(120)["vehicle"]
    total = vehicle["crushed_total"]
    assert total[-1] == pytest.approx(environment.farm.crushed_m2) and total[-1] > 3.0
    assert total == pytest.approx(np.cumsum(vehicle["crushed"]))
    assert environment.farm.ruts().depth.size > 10
    environment.reset()
    assert environment.farm.crushed_m2 == 0.0 and environment.farm.ruts().depth.size == 0
    assert environment.step(1)["vehicle"]["crushed_total"][0] == pytest.approx(total[0])
    environment.load_world(farm, environment.start)
    assert environment.farm.crushed_m2 == 0.0 and environment.farm.ruts().depth.size == 0
    assert environment.step(120)["vehicle"]["crushed_total"][-1] == pytest.approx(total[-1])


def test_without_marks_nothing_is_left_in_this_world_or_in_the_next(farm: World) -> None:
    environment = in_the_field(farm, marks=False)
    for _ in range(2):
        vehicle = environment.step(60)["vehicle"]
        assert environment.farm.crushed_m2 == 0.0 and environment.farm.ruts().depth.size == 0
        assert not vehicle["crushed_total"].any() and not vehicle["crop_force"].any()
        environment.load_world(farm, environment.start)


def test_wet_soil_takes_the_wheels_deeper_from_the_next_step_on(farm: World) -> None:
    environment = in_the_field(farm, marks=True)
    environment.set_conditions(global_fraction=0.1)
    dry = environment.step(24)["vehicle"]["wheel"][-1]
    environment.set_conditions(field_fractions={24: 0.95})
    wet = environment.step(1)["vehicle"]["wheel"][-1]
    assert (wet["moisture"] > dry["moisture"]).all() and (wet["cone_index_kpa"] < dry["cone_index_kpa"]).all()
    wetter = environment.step(60)["vehicle"]["wheel"][-1]
    assert wetter["sinkage"].mean() > 1.2 * dry["sinkage"].mean() > 0.0
