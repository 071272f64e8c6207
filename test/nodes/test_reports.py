"""Fields of the drive-by-wire reports, with values worked out by hand from the spec and the field rules."""

from __future__ import annotations

import math

import numpy as np
import pytest
from rclpy.serialization import deserialize_message
from vehicle_rig import context, published, samples
from vehicle_rig import message as read

from acres_ros.nodes.cdr import layout, wire
from acres_ros.nodes.reports import report_sources
from acres_ros.nodes.topics import APART, BY_KEY, TOPICS

ONLY_FRAME = {"imu/data_raw": "base_footprint"}
TRUE_OR_FALSE = ("ready", "enabled", "override_active", "override_other", "override_latched", "timeout")


def test_only_the_imu_has_a_frame_id() -> None:
    recorder = published(samples(120))
    for topic in TOPICS:
        if full := [t for t in (topic.key,) if t in {source.key for source in report_sources(context())}]:
            assert recorder.last(full[0]).header.frame_id == ONLY_FRAME.get(topic.key, "")


def test_sample_report_of_the_spec_standing_with_the_stop_hold() -> None:
    # spec, Drive-by-Wire and ULC, section Reports: the line of JSON
    rows = samples(1)
    dbw, gateway = rows.vehicle.dbw, rows.gateway
    dbw.steering.angle_deg = dbw.steering.reference_deg = 12.5
    dbw.steering.type, dbw.steering.in_control = 2, 1
    gateway.steering.command_type, gateway.steering.command_value = 2, 12.5
    dbw.throttle.type, dbw.throttle.in_control = 14, 1
    dbw.brake.type, dbw.brake.in_control = 1, 1
    dbw.brake.command_bar = dbw.brake.line_bar = dbw.brake.output_bar = 16.0
    gateway.throttle.source = gateway.brake.source = 1
    dbw.gear.engaged = dbw.gear.command = dbw.gear.driver = 5
    dbw.ulc.type, dbw.ulc.in_control, dbw.ulc.stop_hold = 1, 1, 1
    dbw.wheel_speed = dbw.wheel_speed_rear = 0.0005
    dbw.wheel_acceleration = -0.0003
    gateway.system.enabled = 1

    steering = read("steering/report", rows)
    assert (steering.steering_wheel_angle, steering.cmd, steering.cmd_type) == (12.5, 12.5, 2)
    assert (steering.enabled, steering.override_active, steering.timeout) == (True, False, False)
    throttle = read("throttle/report", rows)
    assert (throttle.percent_input, throttle.percent_cmd, throttle.percent_output, throttle.cmd_type) == (0, 0, 0, 14)
    assert (throttle.enabled, throttle.cmd_src.value) == (True, 1)
    brake = read("brake/report", rows)
    assert (brake.pressure_input, brake.pressure_cmd, brake.pressure_output, brake.cmd_type) == (0, 16, 16, 1)
    assert (brake.enabled, brake.limiting_value, brake.limiting_rate, brake.cmd_src.value) == (True, False, False, 1)
    assert math.isnan(brake.percent_cmd)
    gear = read("gear/report", rows)
    assert (gear.gear.value, gear.cmd.value, gear.driver.value) == (5, 5, 5)
    ulc = read("ulc/report", rows)
    assert (ulc.cmd_type, ulc.vel_ref, ulc.accel_ref, ulc.enabled, ulc.timeout) == (1, 0.0, 0.0, True, False)
    assert (ulc.vel_meas, ulc.accel_meas) == (np.float32(0.0005), np.float32(-0.0003))
    velocity = read("vehicle_velocity", rows)
    assert velocity.vehicle_velocity_brake == velocity.vehicle_velocity_propulsion == np.float32(0.0005)
    assert velocity.dir_src == 1
    system = read("system/report", rows)
    assert (system.enabled, system.override) == (True, False)


def test_all_fields_as_in_the_report_of_the_spec_on_request() -> None:
    rows = samples(1)
    rows.vehicle.dbw.brake.type = 1
    rows.vehicle.dbw.brake.command_bar = rows.vehicle.dbw.brake.output_bar = 16.0
    brake = read("brake/report", rows, nan_by_type=False)
    assert (brake.pressure_cmd, brake.percent_cmd, brake.percent_output) == (16.0, 20.0, 20.0)
    assert math.isnan(brake.torque_output)
    throttle = read("throttle/report", rows, nan_by_type=False)
    assert (throttle.cmd_type, throttle.percent_input, throttle.percent_output) == (0, 0.0, 0.0)


@pytest.mark.parametrize(("kind", "value"), [(2, 100.0), (3, 0.05), (4, 0.3), (14, 36.0)])
def test_every_steering_type_comes_back_as_an_angle_of_the_reference(kind: int, value: float) -> None:
    rows = samples(1)
    steering = rows.vehicle.dbw.steering
    steering.type, steering.in_control, steering.reference_deg, steering.angle_deg = kind, 1, 41.25, 40.0
    rows.gateway.steering.command_type, rows.gateway.steering.command_value = kind, value
    message = read("steering/report", rows)
    assert (message.cmd_type, message.cmd, message.steering_wheel_angle) == (2, 41.25, 40.0)
    assert (message.limiting_value, message.limiting_rate) == (False, False)


@pytest.mark.parametrize(("kind", "value"), [(2, -280.1), (3, 0.201), (4, -8.51), (14, 100.1)])
def test_steering_says_when_value_or_rate_is_limited(kind: int, value: float) -> None:
    rows = samples(1)
    steering = rows.vehicle.dbw.steering
    steering.type, steering.in_control, steering.reference_rate_deg = kind, 1, 100.0
    rows.gateway.steering.command_type, rows.gateway.steering.command_value = kind, value
    message = read("steering/report", rows)
    assert (message.limiting_value, message.limiting_rate, message.limit_value) == (True, True, 280.0)


def test_steering_without_control_has_no_command() -> None:
    rows = samples(1)
    rows.vehicle.dbw.steering.angle_deg = rows.vehicle.dbw.steering.reference_deg = -30.0
    rows.vehicle.dbw.steering.timeout = 1
    message = read("steering/report", rows)
    assert (message.cmd_type, message.enabled, message.timeout, message.steering_wheel_angle) == (0, False, True, -30.0)
    assert all(map(math.isnan, (message.cmd, message.steering_column_torque, message.actuator_temp)))
    assert message.cmd_src.value == 0
    message = read("steering/report", rows, nan_by_type=False)  # the spec's report always has the reference
    assert (message.cmd_type, message.cmd) == (0, -30.0)


@pytest.mark.parametrize("name", ["steering", "throttle", "brake"])
@pytest.mark.parametrize("flag", TRUE_OR_FALSE)
def test_each_flag_reaches_its_field_alone(name: str, flag: str) -> None:
    rows = samples(1)
    rows.gateway[name].ready = 0
    record, column = {
        "enabled": (rows.vehicle.dbw[name], "in_control"),
        "timeout": (rows.vehicle.dbw[name], "timeout"),
    }.get(flag, (rows.gateway[name], flag))
    record[column] = 1
    message = read(f"{name}/report", rows)
    assert [other for other in TRUE_OR_FALSE if getattr(message, other)] == [flag]


def test_brake_in_percent_has_numbers_in_percent_alone() -> None:
    rows = samples(1)
    brake = rows.vehicle.dbw.brake
    brake.type, brake.in_control, brake.input_bar, brake.command_bar, brake.output_bar = 14, 1, 8.0, 20.0, 18.0
    rows.gateway.brake.command_type, rows.gateway.brake.command_value = 14, 25.0
    message = read("brake/report", rows)
    assert (message.cmd_type, message.percent_input, message.percent_cmd, message.percent_output) == (
        14,
        10.0,
        25.0,
        22.5,
    )
    assert all(math.isnan(getattr(message, f"pressure_{part}")) for part in ("input", "cmd", "output"))
    assert all(math.isnan(getattr(message, f"torque_{part}")) for part in ("input", "cmd", "output"))
    assert math.isnan(message.accel_cmd) and math.isnan(message.accel_output)
    assert (message.limiting_value, message.limiting_rate) == (False, False)
    assert math.isinf(message.brake_available_duration)
    rows.gateway.brake.command_value = 130.0
    message = read("brake/report", rows)
    assert (message.limiting_value, message.limiting_rate) == (True, True)


def test_brake_of_the_driver_is_not_a_limited_command() -> None:
    rows = samples(1)
    brake = rows.vehicle.dbw.brake
    brake.type, brake.input_bar, brake.command_bar = 1, 30.0, 30.0
    rows.gateway.brake.command_type, rows.gateway.brake.command_value = 1, 10.0
    message = read("brake/report", rows)
    assert (message.limiting_value, message.limiting_rate, message.pressure_input) == (False, False, 30.0)


def test_pedals_without_a_type_are_all_nan() -> None:
    rows = samples(1)
    rows.vehicle.dbw.throttle.input_pct = 12.0
    throttle, brake = read("throttle/report", rows), read("brake/report", rows)
    assert throttle.cmd_type == brake.cmd_type == 0
    assert all(math.isnan(getattr(throttle, f"percent_{part}")) for part in ("input", "cmd", "output"))
    assert all(math.isnan(getattr(brake, f"percent_{part}")) for part in ("input", "cmd", "output"))


def test_raw_pedal_limits_are_those_of_the_sensor_range() -> None:
    rows = samples(1)
    throttle = rows.vehicle.dbw.throttle
    throttle.type, throttle.in_control, throttle.command_pct, throttle.output_pct = 13, 1, 50.0, 50.0
    rows.gateway.throttle.command_type, rows.gateway.throttle.command_value = 13, 47.5  # (47.5 - 15) / 65 = 50 %
    message = read("throttle/report", rows)
    assert (message.cmd_type, message.percent_cmd) == (13, 50.0)
    assert (message.limiting_value, message.limiting_rate) == (False, False)
    rows.gateway.throttle.command_value = 14.0
    message = read("throttle/report", rows)
    assert (message.limiting_value, message.limiting_rate) == (True, True)


def test_gear_change_waits_and_is_rejected() -> None:
    rows = samples(1)
    gear = rows.vehicle.dbw.gear
    gear.engaged, gear.command, gear.driver = 5, 2, 1
    rows.gateway.gear.reject = 6
    message = read("gear/report", rows)
    assert (message.gear.value, message.cmd.value, message.driver.value, message.reject.value) == (5, 2, 1, 6)
    assert message.ready and math.isnan(message.actuator_temp)


def test_system_report_names_its_reasons() -> None:
    rows = samples(1)
    system = rows.gateway.system
    system.sync_mode, system.state = 2, 1
    system.reason_disengage, system.reason_not_ready = 0x24, 0x37
    message = read("system/report", rows)
    assert (message.system_sync_mode.value, message.state.value) == (2, 1)
    assert (message.reason_disengage, message.reason_disengage_str) == (0x24, "SteerCmdTimeout")
    assert (message.reason_not_ready, message.reason_not_ready_str) == (0x37, "MissingCmdAll")
    assert message.validate_cmd_crc_rc and not message.lockout
    system.reason_disengage, system.reason_not_ready = 0, 0x99
    message = read("system/report", rows)
    assert (message.reason_disengage_str, message.reason_not_ready_str) == ("", "Unknown")


@pytest.mark.parametrize(
    ("switch", "engaged", "mode", "rear", "front"),
    [(0, 0, 1, 1, 1), (1, 0, 1, 2, 1), (2, 0, 2, 2, 1), (2, 1, 2, 2, 2)],
)
def test_drive_mode_report(switch: int, engaged: int, mode: int, rear: int, front: int) -> None:
    rows = samples(1)
    rows.vehicle.drive_mode = switch
    rows.vehicle.powertrain.front_engaged = engaged
    message = read("drive_mode/report", rows)
    assert (message.awd_mode.value, message.rear_diff.value, message.front_diff.value) == (mode, rear, front)
    assert message.drive_mode.value == 0 and not message.support_awd_mode_cmd


def test_turn_signal_report() -> None:
    rows = samples(1)
    rows.gateway.turn_signal.command = rows.gateway.turn_signal.output = 2
    message = read("turn_signal/report", rows)
    assert (message.input.value, message.cmd.value, message.output.value, message.feedback.value) == (0, 2, 2, 2)


def test_nothing_has_a_fault_and_the_gear_is_ready() -> None:
    rows = samples(1)
    assert not any(read(f"{name}/report", rows).fault for name in ("steering", "brake", "throttle", "gear", "system"))
    assert read("gear/report", rows).ready


def test_the_ulc_report_shows_the_preemption_of_the_model() -> None:
    rows = samples(1)
    assert not read("ulc/report", rows).preempted
    rows.vehicle.dbw.ulc.preempted = 1
    assert read("ulc/report", rows).preempted


def test_misc_report_has_two_persons_and_no_temperatures() -> None:
    message = read("misc/report", samples(1))
    assert message.buckle_driver and message.buckle_passenger and message.passenger_detect
    assert not message.door_driver
    assert math.isnan(message.engine_coolant_temp) and math.isnan(message.outside_air_temp)
    alone = context()
    alone.parameters.mass.occupants = 1
    message = read("misc/report", samples(1), parameters=alone.parameters)
    assert message.buckle_driver and not message.buckle_passenger


def test_wheel_signals() -> None:
    rows = samples(1)
    rows.vehicle.wheel.spin = [[1.0, -2.0, 3.25, 4.5]]
    message = read("wheel_speeds", rows)
    assert (message.front_left, message.front_right, message.rear_left, message.rear_right) == (1.0, -2.0, 3.25, 4.5)
    rows.vehicle.wheel.rotation = [[0.0, math.pi / 2, -math.pi / 2, 3.0]]  # 96 counts a turn
    message = read("wheel_positions", rows)
    assert (message.front_left, message.front_right, message.rear_left, message.rear_right) == (0, 24, -24, 45)


def test_wheel_positions_count_turns_and_wrap_at_16_bits() -> None:
    rows = samples(6)
    turned = 4199 * 0.49
    for index, sign in enumerate((1.0, -1.0, 1.0, -1.0)):
        turns = round(sign * turned)
        rows.vehicle.wheel.turns[:, index] = turns
        rows.vehicle.wheel.rotation[:, index] = (sign * turned - turns) * math.tau
    message = published(rows).last("wheel_positions")
    counts = 96 * turned  # 197 520.96
    assert message.front_left == (math.floor(counts) + 32768) % 65536 - 32768
    assert message.front_right == (math.floor(-counts) + 32768) % 65536 - 32768


def test_information_of_steering_throttle_brake_engine_and_fuel() -> None:
    rows = samples(1)
    vehicle, dbw = rows.vehicle, rows.vehicle.dbw
    dbw.steering.type, dbw.steering.reference_rate_deg = 2, -100.0
    dbw.throttle.output_pct = 42.5
    vehicle.powertrain.engine_speed = 125.66370614359172  # 1200 rpm
    vehicle.powertrain.engine_torque, vehicle.powertrain.cvt_ratio = 33.25, 2.5
    dbw.brake.input_bar, dbw.brake.command_bar, dbw.brake.output_bar = 1.0, 16.0, 8.0
    vehicle.energy.fuel = 43.5 * 32.2e6 * 0.25
    parameters = context().parameters
    parameters.brakes.front_nm_per_bar, parameters.brakes.rear_nm_per_bar = 15.0, 10.0
    steering = read("steering/info", rows)
    assert (steering.angle_cmd_rate, steering.angle_rate) == (-100.0, 0.0)
    assert math.isnan(steering.actuator_current) and math.isnan(steering.override_torque_filtered)
    throttle = read("throttle/info", rows)
    assert throttle.accel_pedal_pc == 42.5
    assert throttle.engine_rpm == pytest.approx(1200.0, rel=1e-6)
    assert math.isnan(throttle.engine_throttle_valve_pc) and throttle.accel_pedal_qf.value == 0
    brake = read("brake/info", rows, parameters=parameters)  # 2 (15 + 10) = 50 N m for each bar
    assert (brake.brake_torque_pedal, brake.brake_torque_request, brake.brake_torque_actual) == (50.0, 800.0, 400.0)
    propulsion = read("propulsion/info", rows)
    assert (propulsion.engine_torque_actual, propulsion.transmission_ratio) == (33.25, 2.5)
    assert math.isnan(propulsion.propulsion_torque_actual) and math.isnan(propulsion.engine_torque_request)
    assert read("fuel_level", rows).fuel_level == 75.0
    assert read("tire_pressures", rows).front_left == 83.0
    assert math.isnan(read("tire_pressures", rows).spare)


def test_steering_rate_is_the_change_over_the_last_step_and_unknown_in_the_first() -> None:
    rows = samples(6)
    rows.vehicle.dbw.steering.angle_deg = [0.0, 0.0, 0.0, 0.0, 1.0, 1.25]
    assert published(rows).last("steering/info").angle_rate == 30.0  # 0.25 deg in 1/120 s
    assert math.isnan(published(samples(1, first=6)).last("steering/info").angle_rate)


def test_values_at_the_resolution_of_the_can_frames() -> None:
    rows = samples(1)
    dbw = rows.vehicle.dbw
    dbw.steering.angle_deg, dbw.steering.reference_deg, dbw.steering.type = 12.3456, -0.05001, 2
    dbw.wheel_speed = 2.0
    message = read("steering/report", rows, can_resolution=True)
    assert (message.steering_wheel_angle, message.cmd) == (np.float32(12.3), np.float32(-0.1))
    velocity = read("vehicle_velocity", rows, can_resolution=True)  # 7.2 km/h is a whole number of 0.01 km/h
    assert velocity.vehicle_velocity_brake == pytest.approx(2.0, abs=1e-6)
    throttle = read("throttle/report", rows, can_resolution=True)
    assert math.isnan(throttle.percent_cmd)
    assert read("steering/report", rows).steering_wheel_angle == np.float32(12.3456)


def test_every_message_of_every_topic_is_what_the_middleware_would_send() -> None:
    rows = samples(120)
    rng = np.random.default_rng(11)
    for name in ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"):
        rows.vehicle.body[name] = rng.normal(size=120)
    rows.vehicle.dbw.steering.angle_deg = rng.normal(size=120)
    recorder = published(rows)
    for key, data in recorder.log:
        message = deserialize_message(data, BY_KEY[key].type)
        assert wire(message, layout(message)) == data, key
    assert set(recorder.keys()) == {topic.key for topic in TOPICS} - APART
