"""One step of the drive-by-wire, the first part of a physics step. Source: spec, Drive-by-Wire and ULC."""

from acres_ros._compile import kernel
from acres_ros.models.dbw.brake import is_brake_type, step_brake
from acres_ros.models.dbw.delay import delayed
from acres_ros.models.dbw.gear import gear_direction, step_gear
from acres_ros.models.dbw.speed import measure, wheel_speeds
from acres_ros.models.dbw.steering import is_steering_type, step_steering
from acres_ros.models.dbw.throttle import is_throttle_type, step_throttle
from acres_ros.models.dbw.ulc import is_ulc_type, step_ulc
from acres_ros.models.dbw.watchdog import hold, watch


@kernel
def step_dbw(h, command, p, vehicle):
    """Advance the drive-by-wire: gear, wheel speed, watchdog, steering, ULC, throttle, brake.

    Reads the wheel spins of the step before and writes `vehicle.dbw` only.

    Args:
        h: step, s.
        command: `COMMAND` record of this step.
        p: `PARAMETERS` record.
        vehicle: `VEHICLE` record.
    """
    dbw = vehicle.dbw
    q = p.dbw
    dbw.system_enable = command.system_enable

    four, rear = wheel_speeds(p, vehicle.wheel)
    step_gear(h, command, q.gear, four, dbw.gear)
    direction = gear_direction(dbw.gear.engaged)
    measure(h, direction, four, rear, dbw)

    ageing = dbw.age_step if dbw.age_step > 0.0 else h
    on = command.system_enable
    timeout = q.command_timeout_s
    steering = watch(ageing, on, is_steering_type(command.steering.type), command.steering, timeout, dbw.steering)
    throttle = watch(ageing, on, is_throttle_type(command.throttle.type), command.throttle, timeout, dbw.throttle)
    brake = watch(ageing, on, is_brake_type(command.brake.type), command.brake, timeout, dbw.brake)
    ulc = watch(ageing, on, is_ulc_type(command.ulc.type), command.ulc, timeout, dbw.ulc)
    preempted = throttle or brake
    dbw.ulc.preempted = 1 if ulc and preempted else 0
    ulc = ulc and not preempted
    drives = hold(ageing, ulc, q.ulc_actuator_timeout_s, dbw.ulc)

    step_steering(h, steering, command, p, direction, four, dbw.steering)
    step_ulc(h, ulc, drives, command, p, direction, dbw.wheel_speed, dbw.ulc)
    ulc_pct = delayed(h, q.ulc.delay_s, dbw.ulc.throttle_pct, dbw.ulc.throttle_delay)
    ulc_bar = delayed(h, q.ulc.delay_s, dbw.ulc.brake_bar, dbw.ulc.brake_delay)
    step_throttle(h, throttle, drives, ulc_pct, command, q.throttle, dbw.throttle)
    step_brake(h, brake, drives, ulc_bar, command, q.brake, dbw.brake)
