"""Engine, belt and clutch against hand calculations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acres_ros._compile import entry
from acres_ros.models.cvt import clutch_capacity, step_cvt
from acres_ros.models.driveline import axle_gain, clutch_step
from acres_ros.models.engine import engine_torque, idle_air, step_air, wot_torque
from acres_ros.models.parameters import PARAMETERS
from acres_ros.models.state import VEHICLE

H = 1.0 / 120.0
P = PARAMETERS.new(1).view(np.ndarray)
RPM = 30.0 / math.pi


def value(key: str) -> float:
    group, name = key.split(".")
    return float(P[group][name][0])


@entry
def torque(parameters, air, speed):
    return engine_torque(parameters[0], air, speed)


@entry
def full_load(parameters, rpm):
    return wot_torque(parameters[0], rpm)


@entry
def idle(parameters):
    return idle_air(parameters[0])


@entry
def clutch(parameters, engine_speed, engine, capacity, input_speed):
    return clutch_step(H, parameters[0], engine_speed, engine, capacity, input_speed)


@entry
def capacity_at(parameters, speed):
    return clutch_capacity(parameters[0], speed)


@entry
def axle(parameters, ratio, clutch_torque, input_speed):
    return axle_gain(parameters[0], ratio, clutch_torque * input_speed) * clutch_torque


@entry
def powertrain_step(parameters, vehicles, pedal_pct, secondary):
    step_air(H, parameters[0], pedal_pct, vehicles[0].powertrain)
    step_cvt(H, parameters[0], pedal_pct, secondary, vehicles[0].powertrain)


def test_the_full_load_curve_goes_through_its_points():
    assert full_load(P, 2000.0) == 64.0
    assert full_load(P, 2500.0) == pytest.approx(67.0)
    assert full_load(P, 20000.0) == 0.0
    assert full_load(P, -50.0) == 20.0
    power = max(full_load(P, rpm) * rpm / RPM for rpm in range(1000, 8000, 50))
    assert 55e3 < power < 65e3  # 82 hp


def test_the_engine_idles_where_it_should():
    brake, indicated = torque(P, idle(P), 1200.0 / RPM)
    assert brake == pytest.approx(0.0, abs=1e-9)
    assert indicated == pytest.approx(value("engine.friction_nm") + 1200.0 * value("engine.friction_nm_per_rpm"))


def test_without_air_it_drags_and_takes_no_fuel():
    brake, indicated = torque(P, 0.0, 3000.0 / RPM)
    assert indicated == 0.0
    assert brake == pytest.approx(-(value("engine.friction_nm") + 3000.0 * value("engine.friction_nm_per_rpm")))


def test_the_pedal_moves_the_air_with_the_lag_of_the_intake():
    vehicles = VEHICLE.new(1).view(np.ndarray)
    powertrain = vehicles[0].powertrain
    powertrain.engine_speed, powertrain.cvt_ratio = 400.0, 3.1
    powertrain_step(P, vehicles, 100.0, 0.0)
    target = 1.0 + value("engine.full_pedal_air")
    assert powertrain.air == pytest.approx(target * (1.0 - math.exp(-H / value("engine.air_lag_s"))), rel=1e-12)


def test_inside_the_dead_band_the_overrun_takes_no_air():
    vehicles = VEHICLE.new(1).view(np.ndarray)
    powertrain = vehicles[0].powertrain
    powertrain.engine_speed, powertrain.air = 3000.0 / RPM, 0.5
    powertrain_step(P, vehicles, 13.0, 0.0)
    assert powertrain.air == pytest.approx(0.5 * math.exp(-H / value("engine.air_lag_s")), rel=1e-12)


def test_the_belt_holds_the_engine_speed_of_the_pedal():
    vehicles = VEHICLE.new(1).view(np.ndarray)
    powertrain = vehicles[0].powertrain
    for _ in range(2000):
        powertrain_step(P, vehicles, 50.0, 200.0)
    wanted = (value("cvt.low_rpm") + 0.25 * (value("cvt.high_rpm") - value("cvt.low_rpm"))) / RPM
    assert powertrain.cvt_ratio == pytest.approx(wanted / 200.0, rel=1e-6)  # 17 time constants
    for speed, ratio in ((0.0, 3.1), (5000.0, 0.75)):
        for _ in range(2000):
            powertrain_step(P, vehicles, 50.0, speed)
        assert powertrain.cvt_ratio == pytest.approx(ratio, rel=1e-6)


def test_the_clutch_grips_above_its_speed():
    engage = value("clutch.engage_rpm") / RPM
    assert capacity_at(P, engage) == 0.0
    assert capacity_at(P, 200.0) == pytest.approx(value("clutch.capacity") * (200.0**2 - engage**2))


@pytest.mark.parametrize("input_speed", [0.0, 150.0, 199.0, 200.0, 201.0, 210.0, 400.0, -50.0])
@pytest.mark.parametrize("engine", [-30.0, 0.0, 50.0])
def test_the_clutch_step_is_backward_euler(input_speed, engine):
    capacity = 80.0
    carried, speed = clutch(P, 200.0, engine, capacity, input_speed)
    inertia = value("engine.inertia")
    assert inertia * (speed - 200.0) / H == pytest.approx(engine - carried, rel=1e-9, abs=1e-6)
    slip = speed - input_speed
    assert carried == pytest.approx(
        capacity * min(1.0, max(-1.0, slip / value("clutch.slip_speed"))), rel=1e-9, abs=1e-6
    )


def test_losses_act_against_the_power_flow():
    efficiency = value("cvt.efficiency") * value("gearbox.efficiency")
    assert axle(P, 50.0, 10.0, 200.0) == pytest.approx(500.0 * efficiency)
    assert axle(P, 50.0, -10.0, 200.0) == pytest.approx(-500.0 / efficiency)
    assert axle(P, -50.0, 10.0, 200.0) == pytest.approx(-500.0 * efficiency)


@given(st.sampled_from([12.0, 45.0, -30.0]), st.floats(-300.0, 300.0), st.floats(-400.0, 400.0))
def test_belt_and_gears_never_make_energy(ratio, clutch_torque, input_speed):
    torque = axle(P, ratio, clutch_torque, input_speed)
    lost = clutch_torque * input_speed - torque * input_speed / ratio
    share = 1.0 - value("cvt.efficiency") * value("gearbox.efficiency")
    # Of what goes in, at the engine or at the wheels, this share is heat.
    given_in = max(clutch_torque * input_speed, -torque * input_speed / ratio)
    assert lost == pytest.approx(share * given_in, rel=1.0e-9, abs=1.0e-9)
    assert lost >= -1.0e-9
