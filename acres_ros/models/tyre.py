"""Tyre on a surface: shear displacement, friction circle, resistance.

Spec: Time Stepping and Determinism, section Wheels and Driveline (backward Euler of the shear displacement). Force law:
Z. Janosi and B. Hanamoto (1961), The analytical determination of drawbar pull as a function of slip, with one magnitude
for both directions, so the force never leaves a circle.

On hard ground the same law is a slip-based tyre with relaxation: j' = slip speed - |v| j / l settles at j = s l within
the rolled length l, so the force is a function of slip and slip angle, of stiffness grip l / K along and
grip l / (K k_y) across, bounded by grip = load x friction for both together.
"""

from acres_ros._compile import kernel
from acres_ros.models.maths import clamp, exp, sqrt, tanh


@kernel
def tyre_width(p, index):
    """Return the tread width of a wheel's tyre, m."""
    return p.tyre.front_width_m if index < 2 else p.tyre.rear_width_m


@kernel
def shear_step(h, shear, slip_speed, transport_speed, relaxation):
    """Return the shear displacement after one backward Euler step, m."""
    return clamp(
        (shear + h * slip_speed) / (1.0 + h * transport_speed / relaxation),
        -relaxation,
        relaxation,
    )


@kernel
def tyre_shear(h, p, wheel, spin):
    """Return what a tyre does at the end of a step with a given spin rate.

    Args:
        h: step, s.
        p: PARAMETERS record.
        wheel: WHEEL record with the contact of this step.
        spin: spin rate at the end of the step, rad/s.

    Returns:
        force along and across the wheel (N, on the vehicle), shear displacement along and across (m).
    """
    rim_speed = spin * p.tyre.radius_m * p.tyre.rolling_factor
    transport = max(abs(rim_speed), abs(wheel.speed_x), p.tyre.minimum_speed)
    along = shear_step(h, wheel.shear_x, rim_speed - wheel.speed_x, transport, wheel.relaxation)
    across = shear_step(h, wheel.shear_y, -wheel.speed_y, transport, wheel.relaxation)
    side = across / p.tyre.lateral_factor
    magnitude = sqrt(along * along + side * side)
    if magnitude < 1.0e-12:
        stiffness = wheel.grip / wheel.shear_modulus
    else:
        stiffness = wheel.grip * (1.0 - exp(-magnitude / wheel.shear_modulus)) / magnitude
    return stiffness * along, stiffness * side, along, across


@kernel
def side_force(h, p, wheel):
    """Return the force (N, positive left) of the soil beside a wheel that slides sideways.

    It acts like friction and takes half of what would stop the mass on this wheel in one step at most.
    """
    stop = 0.5 * wheel.speed_y * wheel.load / (p.mass.gravity * h)
    return -clamp(stop, -wheel.side_resistance, wheel.side_resistance)


@kernel
def shaft_torque(h, p, wheel, spin):
    """Return the shaft torque (N m) that a wheel needs to reach a spin rate at the end of the step, T(spin)."""
    force, _, _, _ = tyre_shear(h, p, wheel, spin)
    return torque_against(h, p, wheel, spin, force)


@kernel
def torque_against(h, p, wheel, spin, force):
    """Return the shaft torque (N m) for a spin rate whose tyre force along the wheel (N) is known."""
    return (
        p.tyre.spin_inertia * (spin - wheel.spin) / h
        + force * p.tyre.radius_m * p.tyre.rolling_factor
        + wheel.resistance * tanh(spin / p.tyre.spin_softness)
    )
