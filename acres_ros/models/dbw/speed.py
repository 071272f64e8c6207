"""Wheel speed as the reports show it, and its derivative. Source: spec, Drive-by-Wire and ULC, ULC and Reports."""

from acres_ros._compile import kernel
from acres_ros.models.maths import lag

ACCELERATION_LAG_S = 0.1


@kernel
def wheel_speeds(p, wheel):
    """Return the magnitude of the wheel speed of all four and of the two rear wheels, m/s.

    Args:
        p: `PARAMETERS` record.
        wheel: the four wheel records: front left, front right, rear left, rear right.
    """
    scale = p.dbw.speed_scale * p.tyre.radius_m
    front = wheel[0].spin + wheel[1].spin
    rear = wheel[2].spin + wheel[3].spin
    return scale * abs(0.25 * (front + rear)), scale * abs(0.5 * rear)


@kernel
def measure(h, direction, four, rear, dbw):
    """Write the signed wheel speeds and the measured acceleration.

    Args:
        h: step, s.
        direction: -1.0 in reverse, else 1.0.
        four: magnitude of the speed of four wheels, m/s.
        rear: magnitude of the speed of the rear wheels, m/s.
        dbw: `DBW` record.
    """
    speed = direction * four
    change = (speed - dbw.wheel_speed) / h
    dbw.wheel_acceleration = lag(dbw.wheel_acceleration, change, ACCELERATION_LAG_S, h)
    dbw.wheel_speed = speed
    dbw.wheel_speed_rear = direction * rear
