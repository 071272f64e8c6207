"""Steering actuator: target, reference, servo. Source: spec, Drive-by-Wire and ULC, section Steering Actuator."""

from acres_ros._compile import kernel
from acres_ros.models.dbw.codes import STEERING_ANGLE, STEERING_CURVATURE, STEERING_PERCENT, STEERING_YAW_RATE
from acres_ros.models.dbw.delay import delayed
from acres_ros.models.dbw.reference import limit, step_reference
from acres_ros.models.maths import PI, atan, clamp, lag, move

DEG_PER_RAD = 180.0 / PI
LOWEST_YAW_RATE_SPEED = 0.5  # m/s: a yaw rate below it is steered as at it


@kernel
def is_steering_type(code):
    """Return whether the model accepts a command type."""
    return code == STEERING_ANGLE or code == STEERING_CURVATURE or code == STEERING_YAW_RATE or code == STEERING_PERCENT


@kernel
def angle_of_curvature(p, curvature):
    """Return the steering wheel angle in deg of a path curvature in 1/m, without the steering centre.

    Args:
        p: `PARAMETERS` record.
        curvature: positive left, 1/m.
    """
    servo = p.dbw.steering
    ratio = servo.kinematic_ratio if servo.kinematic_ratio > 0.0 else p.steering.ratio
    wheelbase = servo.kinematic_wheelbase_m if servo.kinematic_wheelbase_m > 0.0 else p.geometry.wheelbase_m
    return DEG_PER_RAD * ratio * atan(curvature * wheelbase)


@kernel
def steering_target(p, command, direction, speed):
    """Return the steering wheel angle in deg that a command asks for, within the lock.

    Args:
        p: `PARAMETERS` record.
        command: `STEERING_COMMAND` record.
        direction: -1.0 in reverse, else 1.0.
        speed: magnitude of the wheel speed, m/s.
    """
    servo = p.dbw.steering
    value = command.value
    span = servo.command_range_deg
    if command.type == STEERING_ANGLE:
        target = clamp(value, -span, span)
    elif command.type == STEERING_PERCENT:
        target = clamp(value, -100.0, 100.0) * span / 100.0
    elif command.type == STEERING_CURVATURE:
        target = angle_of_curvature(p, clamp(value, -servo.max_curvature_per_m, servo.max_curvature_per_m))
    else:
        yaw_rate = clamp(value, -servo.max_yaw_rate_rad_s, servo.max_yaw_rate_rad_s)
        target = angle_of_curvature(p, yaw_rate / (direction * max(LOWEST_YAW_RATE_SPEED, speed)))
    return clamp(target, -servo.lock_deg, servo.lock_deg)


@kernel
def step_steering(h, in_control, command, p, direction, speed, state):
    """Turn the steering wheel: the servo while the drive-by-wire has control, else the driver.

    Without control the reference stays at the wheel with the rate 0, so control starts there.

    Args:
        h: step, s.
        in_control: whether the drive-by-wire has control in this step.
        command: `COMMAND` record.
        p: `PARAMETERS` record.
        direction: -1.0 in reverse, else 1.0.
        speed: magnitude of the wheel speed, m/s.
        state: `STEERING_STATE` record.
    """
    servo = p.dbw.steering
    if in_control:
        state.reference_deg, state.reference_rate_deg = step_reference(
            h,
            state.reference_deg,
            state.reference_rate_deg,
            steering_target(p, command.steering, direction, speed),
            limit(command.steering.rate_deg, servo.default_rate_deg_s),
            limit(command.steering.acceleration_deg, servo.default_accel_deg_s2),
        )
        goal = delayed(h, servo.delay_s, state.reference_deg, state.delay)
        slew = min(servo.slew_deg_s, command.fault.steering_rate_deg)
        angle = move(state.angle_deg, lag(state.angle_deg, goal, servo.tau_s, h), slew * h)
        state.angle_deg = clamp(angle, -servo.lock_deg, servo.lock_deg)
        state.type = command.steering.type
        state.in_control = 1
    else:
        if command.driver.steering_active != 0:
            state.angle_deg = clamp(command.driver.steering_wheel_angle_deg, -servo.lock_deg, servo.lock_deg)
        state.reference_deg = state.angle_deg
        state.reference_rate_deg = 0.0
        delayed(h, servo.delay_s, state.reference_deg, state.delay)
        state.type = 0
        state.in_control = 0
