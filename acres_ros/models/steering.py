"""Road wheel angles from the steering wheel angle."""

from acres_ros._compile import kernel
from acres_ros.models.maths import DEGREE, atan, cos, sin


@kernel
def step_steering(command, p, vehicle):
    """Set the bicycle angle and the angle of each front wheel.

    The hardware shift of the steering moves the centre: spec, Drive-by-Wire and ULC, section Hardware Shifts.
    """
    center_deg = p.steering.center_deg - command.shift.steering_offset_deg
    bicycle = (vehicle.dbw.steering.angle_deg - center_deg) * DEGREE / p.steering.ratio
    vehicle.road_wheel = bicycle
    tangent = sin(bicycle) / cos(bicycle)
    spread = p.steering.ackermann * p.geometry.half_track_m / p.geometry.wheelbase_m * tangent
    vehicle.wheel[0].steer = atan(tangent / (1.0 - spread))
    vehicle.wheel[1].steer = atan(tangent / (1.0 + spread))
