"""Bring the drive-by-wire to its initial state: nothing of the time before stays in any buffer."""

from acres_ros._compile import kernel
from acres_ros.models.dbw.codes import PEDAL_NONE
from acres_ros.models.dbw.delay import fill
from acres_ros.models.dbw.gear import gear_direction
from acres_ros.models.dbw.speed import wheel_speeds

NEVER_S = 1.0e9  # age of a message that never came


@kernel
def _reset_watch(state):
    state.age = NEVER_S
    state.in_control = 0
    state.timeout = 0
    state.type = 0


@kernel
def reset_dbw(p, gear, vehicle):
    """Reset the drive-by-wire: no message, pedals released, wheel straight, a gear engaged.

    Call it after the wheel spins have their initial values: the wheel speed follows from them, so that a start at speed
    shows no acceleration. `age_step`, an option and no state, stays.

    Args:
        p: `PARAMETERS` record.
        gear: gear to engage: 1 P, 2 R, 3 N, 4 H, 5 L.
        vehicle: `VEHICLE` record.
    """
    dbw = vehicle.dbw
    dbw.system_enable = 0
    four, rear = wheel_speeds(p, vehicle.wheel)
    direction = gear_direction(gear)
    dbw.wheel_speed = direction * four
    dbw.wheel_speed_rear = direction * rear
    dbw.wheel_acceleration = 0.0

    dbw.gear.engaged = gear
    dbw.gear.selected = gear
    dbw.gear.command = 0
    dbw.gear.driver = gear
    dbw.gear.shift_left = 0.0
    dbw.gear.refused = 0

    steering = dbw.steering
    _reset_watch(steering)
    steering.angle_deg = p.steering.center_deg
    steering.reference_deg = p.steering.center_deg
    steering.reference_rate_deg = 0.0
    fill(steering.delay, p.steering.center_deg)

    throttle = dbw.throttle
    _reset_watch(throttle)
    throttle.input_pct = 0.0
    throttle.command_pct = 0.0
    throttle.output_pct = 0.0
    fill(throttle.delay, 0.0)

    brake = dbw.brake
    _reset_watch(brake)
    brake.input_bar = 0.0
    brake.command_bar = 0.0
    brake.line_bar = 0.0
    brake.line_rate_bar = 0.0
    brake.output_bar = 0.0
    fill(brake.delay, 0.0)

    ulc = dbw.ulc
    _reset_watch(ulc)
    ulc.preempted = 0
    ulc.hold = 0.0
    ulc.speed_reference = dbw.wheel_speed
    ulc.acceleration_reference = 0.0
    ulc.error = 0.0
    ulc.demand = 0.0
    ulc.integral = 0.0
    ulc.pedal = PEDAL_NONE
    ulc.stop_hold = 0
    ulc.throttle_pct = 0.0
    ulc.brake_bar = 0.0
    ulc.coast_deceleration = 0
    fill(ulc.throttle_delay, 0.0)
    fill(ulc.brake_delay, 0.0)
