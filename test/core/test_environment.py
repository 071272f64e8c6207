"""The whole way of a command to the ground, in one process: repeats, resets, the watchdog, garbage (A3, B3, B6, D8)."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from acres_ros.core import messages as m
from acres_ros.core.environment import Environment
from acres_ros.core.gateway import GatewayOptions
from acres_ros.core.parameters import load_parameters
from acres_ros.core.start import Start, StartError
from acres_ros.world import World, load_world

STRAIGHT_DEG = 12.5
LOW = 5
ANGLE, VELOCITY = 2, 1


@pytest.fixture(scope="module")
def world() -> World:
    return load_world("yard")


@pytest.fixture(scope="module")
def start(world: World) -> Start:
    garage = world.place("spawn-icsc-garage")
    return Start(x=garage.x, y=garage.y, yaw=garage.yaw)


@pytest.fixture
def environment(world: World, start: Start) -> Environment:
    return Environment(world, load_parameters(), start)


def steer(angle_deg: float) -> m.SteeringCmd:
    return m.SteeringCmd(cmd=angle_deg, cmd_type=ANGLE, enable=True)


def drive(speed: float) -> m.UlcCmd:
    return m.UlcCmd(cmd=speed, cmd_type=VELOCITY, enable=True)


def program(environment: Environment, seconds: float, chunk: int = 12) -> np.ndarray:
    """Run the lockstep program of the specification (B6) and return its samples."""
    samples = []
    environment.post(m.Enable())
    environment.post(m.GearCmd(cmd=LOW))
    for step in range(0, 120 + round(seconds * 120), 12):
        moving = step >= 120
        phase = max(0, step - 120) / 120
        environment.post(steer(STRAIGHT_DEG + (150.0 * math.sin(2.0 * math.pi * phase / 20.0) if moving else 0.0)))
        environment.post(drive(2.0 if moving else 0.0))
        samples += [environment.step(chunk) for _ in range(12 // chunk)]
    return np.concatenate(samples)


def states(samples: np.ndarray) -> list[bytes]:
    """Return the bytes of each sample without step, epoch and epoch_step."""
    return [row.tobytes()[32:] for row in samples]


def path_length(samples: np.ndarray) -> float:
    body = samples["vehicle"]["body"]
    return float(np.hypot(np.diff(body["x"]), np.diff(body["y"])).sum())


def finite(samples: np.ndarray) -> bool:
    def columns(array: np.ndarray) -> Iterator[np.ndarray]:
        for name in array.dtype.names or ():
            part = array[name]
            yield from columns(part) if part.dtype.names else (part,)

    return all(np.isfinite(column).all() for column in columns(samples))


# -- repeats ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(world: World, start: Start) -> np.ndarray:
    """Give the samples of the whole program, 7320 steps."""
    return program(Environment(world, load_parameters(), start), 60.0)


def test_the_program_drives_the_distance_of_the_specification(whole: np.ndarray) -> None:
    assert len(whole) == 7320
    assert finite(whole)
    assert path_length(whole) == pytest.approx(117.7, abs=4.0)


def test_a_second_environment_repeats_all_7320_steps(whole: np.ndarray, environment: Environment) -> None:
    again = program(environment, 60.0)
    assert again.tobytes() == whole.tobytes()


def test_steps_one_by_one_are_those_of_a_chunk(whole: np.ndarray, environment: Environment) -> None:
    assert program(environment, 5.0, chunk=1).tobytes() == whole[:720].tobytes()


def dirty(environment: Environment) -> None:
    program(environment, 3.0)
    environment.post(steer(-300.0))
    environment.post(m.DriverInput(brake_bar=5.0))
    environment.step(7)
    environment.post(m.DriverInput())
    environment.post(m.Enable())
    environment.post(steer(280.0))
    environment.post(m.UlcCmd(cmd=3.0, cmd_type=2, enable=True))
    environment.step(4)
    environment.post(steer(200.0))
    environment.post(drive(9.0), environment.time_s + 0.05)


@pytest.mark.parametrize("restart_time", [True, False])
def test_a_reset_repeats_a_new_environment(whole: np.ndarray, environment: Environment, restart_time: bool) -> None:
    dirty(environment)
    steps = environment.step_count
    environment.reset(restart_time=restart_time)
    again = program(environment, 5.0)
    assert states(again) == states(whole[:720])
    assert again["step"][0] == (1 if restart_time else steps + 1)
    assert set(again["epoch_step"]) == {0 if restart_time else steps}
    assert set(again["epoch"]) == {1}


def test_after_a_reset_nothing_acts_that_was_sent_before(environment: Environment) -> None:
    dirty(environment)
    environment.reset()
    samples = environment.step(120)
    assert not samples["vehicle"]["dbw"]["steering"]["in_control"].any()
    assert path_length(samples) < 1e-3


def test_a_restart_of_the_time_leaves_the_vehicle_as_it_is(world: World, start: Start) -> None:
    plain, restarted = (Environment(world, load_parameters(), start) for _ in range(2))
    for environment in (plain, restarted):
        program(environment, 2.0)
        environment.post(steer(60.0))
    restarted.restart_time()
    one, other = plain.step(30), restarted.step(30)
    for part in ("vehicle", "gateway"):  # the sensors begin anew
        assert one[part].tobytes() == other[part].tobytes()
    assert list(other["step"]) == list(range(1, 31))
    assert other["epoch"][0] == one["epoch"][0] + 1


def test_a_restart_of_everything_repeats_a_new_environment(whole: np.ndarray, environment: Environment) -> None:
    environment.post(m.HardwareShifts(5.0, -0.2, 3.0, 2.0))
    environment.reset(start=Start(x=10.0, y=-130.0, yaw=0.5, speed=2.0, settled=False, gear="H", drive_mode="turf"))
    dirty(environment)
    environment.post(m.HardwareShifts(7.0, 0.3, 1.0, 4.0))  # no step took them
    environment.restart()
    again = program(environment, 5.0)
    assert states(again) == states(whole[:720])
    assert again["step"][0] == 1
    assert set(again["epoch"]) == {2}


def test_a_reset_of_the_state_keeps_the_last_start_and_the_shifts(environment: Environment) -> None:
    environment.reset(start=Start(x=10.0, y=-130.0, yaw=0.5))
    environment.post(m.HardwareShifts(brake_bias_bar=4.0))
    dirty(environment)
    environment.reset(restart_time=True)
    last = environment.step(60)[-1]["vehicle"]
    assert (last["body"]["x"], last["body"]["y"]) == pytest.approx((10.0, -130.0), abs=1.5)
    assert last["dbw"]["brake"]["output_bar"] == pytest.approx(4.0, abs=0.01)


def test_turns_of_the_wheels_are_in_the_state(environment: Environment) -> None:
    samples = program(environment, 10.0)
    wheels = samples["vehicle"]["wheel"]
    total = wheels["rotation"][-1] + 2.0 * math.pi * wheels["turns"][-1]
    assert total == pytest.approx(wheels["spin"].sum(axis=0) / 120, abs=1e-6)
    assert (wheels["turns"][-1] >= 4).all()
    environment.restart_time()
    assert (environment.step(1)["vehicle"]["wheel"]["turns"][0] == wheels["turns"][-1]).all()


# -- starts -----------------------------------------------------------------------------------------------------------


def test_a_refused_start_changes_nothing(environment: Environment, start: Start) -> None:
    before = states(environment.step(3))
    with pytest.raises(StartError, match="position"):
        environment.reset(start=Start(x=1e6), restart_time=True)
    assert environment.start == start
    assert environment.step_count == 3
    environment.reset(restart_time=True)
    assert states(environment.step(3)) == before


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"x": math.nan}, "x"),
        ({"yaw": math.inf}, "yaw"),
        ({"speed": 25.1}, "speed"),
        ({"gear": "D"}, "gear"),
        ({"drive_mode": "4x4"}, "drive_mode"),
    ],
)
def test_a_start_that_the_vehicle_cannot_have(fields: dict[str, Any], key: str) -> None:
    with pytest.raises(StartError, match=f"start {key} = .* wanted "):
        Start(**fields)


def test_hardware_shifts_outlive_a_reset_even_before_a_step_took_them(environment: Environment) -> None:
    environment.post(m.HardwareShifts(brake_bias_bar=4.0))
    environment.reset()
    assert environment.step(60)["vehicle"]["dbw"]["brake"]["output_bar"][-1] == pytest.approx(4.0, abs=0.01)
    environment.reset()
    assert environment.step(60)["vehicle"]["dbw"]["brake"]["output_bar"][-1] == pytest.approx(4.0, abs=0.01)


# -- commands ---------------------------------------------------------------------------------------------------------


def test_a_silent_controller_is_released_in_the_13th_step(environment: Environment) -> None:
    environment.post(m.Enable())
    environment.step(10)
    environment.post(steer(50.0))
    control = environment.step(30)["vehicle"]["dbw"]["steering"]["in_control"].astype(bool)
    # The step that takes the message, and 12 more; row A3 counts from the message.
    assert control.tolist() == [True] * 13 + [False] * 17


@pytest.mark.parametrize(("watchdog", "steps"), [("double", 12), ("single", 11)])
def test_the_option_watchdog_sets_model_and_gateway(world: World, start: Start, watchdog: str, steps: int) -> None:
    environment = Environment(world, load_parameters(), start, GatewayOptions(watchdog=watchdog))
    environment.reset()
    environment.post(m.Enable())
    environment.post(steer(50.0))
    samples = environment.step(30)
    control = samples["vehicle"]["dbw"]["steering"]["in_control"].tolist()
    # Released at step 13 after the message; at step 12 with the single precision of the game (row A3).
    assert control == [1] * (1 + steps) + [0] * (29 - steps)
    assert environment.gateway.options.control_steps == steps


def test_the_wheel_goes_back_to_its_centre_when_nobody_steers(environment: Environment) -> None:
    environment.post(m.Enable())
    for _ in range(20):
        environment.post(steer(112.5))
        environment.step(12)
    held = environment.step(40)["vehicle"]["dbw"]["steering"]["angle_deg"]
    assert held[-1] == held[20] == pytest.approx(112.5, abs=0.5), "while enabled the wheel keeps its angle"
    environment.post(m.Disable())
    angle = environment.step(60)["vehicle"]["dbw"]["steering"]["angle_deg"]
    assert np.abs(np.diff(angle, prepend=held[-1])).max() == pytest.approx(500.0 / 120)
    assert angle[-1] == STRAIGHT_DEG


def test_messages_apply_at_their_time_and_in_their_order(environment: Environment) -> None:
    environment.post(m.Enable())
    environment.step(12)
    begin = environment.time_s
    environment.post(steer(100.0), begin + 3 / 120)
    environment.post(steer(-100.0), begin + 6 / 120)
    reference = environment.step(40)["vehicle"]["dbw"]["steering"]["reference_deg"]
    change = np.diff(reference, prepend=reference[0])
    assert not change[:3].any()
    assert (change[3:6] > 0.0).all()
    assert (change[12:18] < 0.0).all()


def test_later_posts_for_one_time_win(environment: Environment) -> None:
    environment.post(m.Enable())
    environment.step(1)
    environment.post(steer(100.0), environment.time_s)
    environment.post(steer(-60.0), environment.time_s)
    samples = environment.step(12)
    assert (np.diff(samples["vehicle"]["dbw"]["steering"]["reference_deg"]) <= 0.0).all()


# -- garbage ----------------------------------------------------------------------------------------------------------

NASTY = (math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, -0.0, 0.0)
KINDS = (m.SteeringCmd, m.BrakeCmd, m.ThrottleCmd, m.UlcCmd, m.GearCmd, m.DriverInput, m.TurnSignalCmd)
KINDS += (m.DriveModeCmd, m.MiscCmd, m.Enable, m.Disable)


def garbage(source: random.Random) -> m.Message:
    """Return a message whose every field is drawn from all that its type can hold."""
    kind = source.choice(KINDS)
    values: list[Any] = []
    for default in kind():
        if isinstance(default, bool):
            values.append(source.random() < 0.7)
        elif isinstance(default, int):
            values.append(source.choice((0, 1, 2, 3, 4, 5, 14, source.randrange(256))))
        else:
            bits = struct.unpack("<d", source.randbytes(8))[0]
            values.append(source.choice((*NASTY, bits, source.uniform(-500.0, 500.0))))
    return kind(*values)


@pytest.mark.parametrize("seed", range(4))
def test_garbage_in_every_field_leaves_every_number_finite(
    world: World, start: Start, environment: Environment, seed: int
) -> None:
    source = random.Random(seed)
    program(environment, 2.0)
    for _ in range(250):
        for _ in range(4):
            environment.post(garbage(source))
        assert finite(environment.step(source.choice((1, 3, 12))))
    body = environment.vehicle.body
    assert math.hypot(body.x - start.x, body.y - start.y) < 200.0
    environment.gateway.take_events()
    environment.reset(restart_time=True)
    fresh = Environment(world, load_parameters(), start)
    fresh_states, states_after = states(program(fresh, 2.0)), states(program(environment, 2.0))
    assert states_after == fresh_states, "garbage outlived the reset"


@pytest.mark.parametrize("yaw", [1e9, -1e17, 1e308, 7.0])
def test_a_heading_of_many_turns_is_the_heading_of_the_rest(yaw: float) -> None:
    turned = Start(yaw=yaw).yaw
    assert abs(turned) <= math.pi
    # An independent reduction: the rest of a division by the double nearest to a turn, in whole numbers.
    turn = Fraction(2.0 * math.pi)
    assert Fraction(turned) == Fraction(yaw) - round(Fraction(yaw) / turn) * turn
    sample = Environment(World.flat(), load_parameters(), Start(yaw=yaw)).step(60)
    assert np.isfinite(sample["vehicle"]["body"]["x"]).all()
