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
def shear_slope(h, shear, slip_slope, transport_slope, transport_speed, relaxation):
    """Return the derivative of `shear_step` at its result, from those of slip and transport speed; 0 at its limit."""
    if abs(shear) >= relaxation:
        return 0.0
    return h * (slip_slope - shear * transport_slope / relaxation) / (1.0 + h * transport_speed / relaxation)


@kernel
def tyre_shear(h, p, wheel, spin):
    """Return what a tyre does at the end of a step with a given spin rate.

    Args:
        h: step, s.
        p: PARAMETERS record.
        wheel: WHEEL record with the contact of this step.
        spin: spin rate at the end of the step, rad/s.

    Returns:
        force along and across the wheel (N, on the vehicle), shear displacement along and across (m), derivative of the
        force along over the spin rate (N s).
    """
    radius = p.tyre.radius_m * p.tyre.rolling_factor
    rim_speed = spin * radius
    transport = max(abs(rim_speed), abs(wheel.speed_x), p.tyre.minimum_speed)
    along = shear_step(h, wheel.shear_x, rim_speed - wheel.speed_x, transport, wheel.relaxation)
    across = shear_step(h, wheel.shear_y, -wheel.speed_y, transport, wheel.relaxation)
    side = across / p.tyre.lateral_factor
    transport_slope = 0.0
    if abs(rim_speed) == transport:
        transport_slope = 1.0 if rim_speed > 0.0 else -1.0
    along_slope = shear_slope(h, along, 1.0, transport_slope, transport, wheel.relaxation)
    magnitude = sqrt(along * along + side * side)
    if magnitude < 1.0e-12:
        stiffness = wheel.grip / wheel.shear_modulus
        slope = stiffness * along_slope
    else:
        rest = exp(-magnitude / wheel.shear_modulus)
        stiffness = wheel.grip * (1.0 - rest) / magnitude
        side_slope = shear_slope(h, across, 0.0, transport_slope, transport, wheel.relaxation) / p.tyre.lateral_factor
        growth = (along * along_slope + side * side_slope) / (magnitude * magnitude)
        slope = stiffness * along_slope + along * growth * (wheel.grip * rest / wheel.shear_modulus - stiffness)
    return stiffness * along, stiffness * side, along, across, slope * radius


@kernel
def side_force(h, p, wheel):
    """Return the force (N, positive left) of the soil beside a wheel that slides sideways.

    It acts like friction and takes half of what would stop the mass on this wheel in one step at most.
    """
    stop = 0.5 * wheel.speed_y * wheel.load / (p.mass.gravity * h)
    return -clamp(stop, -wheel.side_resistance, wheel.side_resistance)


@kernel
def shaft_torque(h, p, wheel, spin):
    """Return the shaft torque T(spin) (N m) with which a wheel ends the step at a spin rate, and dT/dspin (N m s)."""
    force, _, _, _, slope = tyre_shear(h, p, wheel, spin)
    return torque_against(h, p, wheel, spin, force, slope)


@kernel
def torque_against(h, p, wheel, spin, force, slope):
    """Return T(spin) (N m) and dT/dspin (N m s) for a known tyre force along the wheel (N) and its derivative."""
    radius = p.tyre.radius_m * p.tyre.rolling_factor
    direction = tanh(spin / p.tyre.spin_softness)
    torque = p.tyre.spin_inertia * (spin - wheel.spin) / h + force * radius + wheel.resistance * direction
    softening = wheel.resistance * (1.0 - direction * direction) / p.tyre.spin_softness
    return torque, p.tyre.spin_inertia / h + slope * radius + softening
