"""The same commands give the same bits: compiled or not, for any CPU, after any past, step by step or in one run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from other_compiler import lines_of

from acres_ros.models import polaris

SCENARIO = Path(__file__).with_name("vehicle_scenario.py")


@pytest.mark.slow
def test_neither_compiler_nor_cpu_changes_a_bit():
    compiled = lines_of(SCENARIO)
    assert len(set(compiled)) == 5
    assert lines_of(SCENARIO, NUMBA_DISABLE_JIT="1") == compiled
    assert lines_of(SCENARIO, NUMBA_CPU_NAME="generic") == compiled


def test_a_reset_forgets_everything(make_vehicle):
    fresh, used = make_vehicle(), make_vehicle()
    used.reset(speed=9.0, gear=4)
    used.driver(throttle_pct=60.0, steering_deg=300.0)
    used.run(3.0)
    used.reset()
    used.driver()
    assert used.vehicles.tobytes() == fresh.vehicles.tobytes()
    for vehicle in (fresh, used):
        vehicle.driver(throttle_pct=30.0)
        vehicle.run(2.0)
    assert used.vehicles.tobytes() == fresh.vehicles.tobytes()


def test_a_run_is_its_steps_with_the_message_in_the_first(make_vehicle):
    one, many = make_vehicle(), make_vehicle()
    for vehicle in (one, many):
        command = vehicle.command
        command.system_enable, command.gear = 1, 5
        command.ulc.enable, command.ulc.type, command.ulc.value, command.ulc.fresh = 1, 1, 2.0, 1
    many.run(0.25)
    for _ in range(30):
        polaris.step(one.vehicles, one.commands, one.parameters, one.world.ground, one.farm, 0)
        one.command.ulc.fresh = 0
    assert many.command.ulc.fresh == 0
    assert one.vehicles.tobytes() == many.vehicles.tobytes()


def test_vehicles_of_one_array_do_not_touch_each_other(make_vehicle):
    from acres_ros.models.dbw.command import COMMAND
    from acres_ros.models.state import VEHICLE

    alone = make_vehicle()
    vehicles, commands = VEHICLE.new(3), COMMAND.new(3)
    commands[:] = alone.commands[0]
    for index in range(3):
        polaris.reset(vehicles, alone.parameters, alone.world.ground, index, 0.0, 0.0, 0.0)
    commands.driver.throttle_pct = [10.0, 30.0, 50.0]
    alone.driver(throttle_pct=30.0)
    alone.run(1.0)
    before = vehicles[2].tobytes()
    for index in (0, 1):
        polaris.run(vehicles, commands, alone.parameters, alone.world.ground, alone.farm, index, 120)
    assert vehicles[2].tobytes() == before
    assert vehicles[1].tobytes() == alone.vehicles[0].tobytes()
    assert np.all(vehicles.step == [120, 120, 0])
