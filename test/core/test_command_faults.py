"""Faults of the commands: late, lost, damaged, and in another order."""

from __future__ import annotations

import numpy as np
import pytest
from fault_rig import drive
from gateway_rig import brake, steering, throttle

from acres_ros.core.environment import Environment
from acres_ros.core.messages import Disable, DriverInput, Enable, GearCmd, TurnSignalCmd, UlcCmd
from acres_ros.core.parameters import load_parameters
from acres_ros.core.start import Start
from acres_ros.world import World


@pytest.fixture
def vehicle() -> Environment:
    return Environment(World.flat(), load_parameters(), Start(gear="L"))


def angles_commanded(samples: np.ndarray) -> list[float]:
    return samples["gateway"]["steering"]["command_value"].tolist()


def test_a_delayed_command_acts_its_steps_later_and_the_order_stays(vehicle: Environment) -> None:
    vehicle.set_fault("command_delay", values=[5])
    values = []
    for count in range(12):
        vehicle.post(steering(float(count + 1)))
        values += angles_commanded(vehicle.step())
    assert values == [0.0] * 5 + [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]


def test_what_is_on_its_way_arrives_in_order_when_the_delay_ends(vehicle: Environment) -> None:
    vehicle.set_fault("command_delay", values=[100], duration_s=0.1)
    vehicle.step(3)
    vehicle.post(steering(1.0))
    vehicle.post(Enable())
    assert not vehicle.step(9)["gateway"]["dbw_enabled"].any()
    vehicle.post(steering(2.0))
    samples = vehicle.step(2)
    assert samples["gateway"]["dbw_enabled"].tolist() == [1, 1] and angles_commanded(samples) == [2.0, 2.0]


def test_a_shorter_delay_lets_nothing_overtake(vehicle: Environment) -> None:
    vehicle.set_fault("command_delay", values=[10])
    vehicle.post(steering(1.0))
    vehicle.set_fault("command_delay", values=[2])
    vehicle.post(steering(2.0))
    assert angles_commanded(vehicle.step(12)) == [0.0] * 10 + [2.0] * 2


def test_a_late_command_runs_into_its_watchdog(vehicle: Environment) -> None:
    vehicle.post(Enable())
    drive(vehicle, 20, steering(20.0))
    vehicle.set_fault("command_delay", values=[30])
    control = drive(vehicle, 60, steering(20.0))["vehicle"]["dbw"]["steering"]["in_control"].tolist()
    assert control == [1] * 12 + [0] * 18 + [1] * 30


@pytest.mark.parametrize("period", [1, 2, 12])
def test_a_command_is_late_by_its_delay_whatever_came_before(vehicle: Environment, period: int) -> None:
    vehicle.set_fault("command_delay", values=[3])
    vehicle.step(2)  # of nothing is anything on its way
    values = []
    for count in range(4):
        vehicle.post(steering(float(count + 1)))
        for _ in range(period):
            values += angles_commanded(vehicle.step())
    values += angles_commanded(vehicle.step(12))
    wanted = [0.0] * 3 + [float(count + 1) for count in range(4) for _ in range(period)]
    assert values[: len(wanted)] == wanted


def test_all_commands_are_lost_at_a_share_of_one_and_the_person_is_heard(vehicle: Environment) -> None:
    vehicle.set_fault("command_loss", values=[1.0])
    for message in (Enable(), GearCmd(cmd=4), TurnSignalCmd(cmd=1)):
        vehicle.post(message)
    vehicle.post(DriverInput(brake_bar=20.0))
    samples = drive(vehicle, 20, steering(), brake(), UlcCmd(cmd=1.0, cmd_type=1, enable=True))
    assert not samples["gateway"]["dbw_enabled"].any() and not samples["gateway"]["steering"]["command_type"].any()
    assert (samples["vehicle"]["dbw"]["brake"]["input_bar"] == 20.0).all()
    vehicle.set_fault("command_loss", on=False)
    vehicle.post(DriverInput())
    vehicle.post(Enable())
    assert vehicle.step()["gateway"]["dbw_enabled"].all()


def test_a_lost_disable_leaves_the_system_enabled(vehicle: Environment) -> None:
    vehicle.post(Enable())
    vehicle.step()
    vehicle.set_fault("command_loss", values=[1.0])
    vehicle.post(Disable())
    assert vehicle.step(5)["gateway"]["dbw_enabled"].all()


def test_a_share_of_the_commands_is_lost(vehicle: Environment) -> None:
    vehicle.set_fault("command_loss", values=[0.3])
    values = []
    for count in range(2000):
        vehicle.post(steering(0.1 * (count + 1)))
        values += angles_commanded(vehicle.step())
    arrived = len(set(values)) - (values[0] == 0.0)
    assert 0.66 < arrived / 2000 < 0.74, "four standard deviations"


def test_a_share_of_the_frames_arrives_damaged_each_kind_and_command_by_its_own(vehicle: Environment) -> None:
    vehicle.set_fault("command_bad_crc", values=[0.3, 0.0, 1.0, 0.0, 0.0])
    vehicle.set_fault("command_bad_counter", values=[0.2, 0.0, 0.0, 0.0])
    gateway = drive(vehicle, 2000, steering(), brake(), throttle())["gateway"]
    crc, counter = gateway["steering"]["bad_crc"], gateway["steering"]["bad_counter"]
    shares = [crc.mean(), counter.mean(), (crc & counter).mean()]
    assert shares == pytest.approx([0.3, 0.2, 0.06], abs=0.04), "four standard deviations"
    assert gateway["throttle"]["bad_crc"].all() and not gateway["throttle"]["command_type"].any()
    assert not gateway["brake"]["bad_crc"].any() and not gateway["throttle"]["bad_counter"].any()


def test_reordered_commands_change_places_with_the_next_one(vehicle: Environment) -> None:
    vehicle.set_fault("command_reorder", values=[1.0])
    values = []
    for count in range(6):
        vehicle.post(steering(float(count + 1)))
        values += angles_commanded(vehicle.step())
    assert values == [0.0, 1.0, 1.0, 3.0, 3.0, 5.0], "the second is there, and the first comes behind it"
    vehicle.post(steering(7.0))
    vehicle.set_fault("command_reorder", on=False)
    assert angles_commanded(vehicle.step()) == [7.0], "what waits for a next one arrives at the end"
