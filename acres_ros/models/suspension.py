"""Vertical forces: a tyre spring in series with the suspension of a wheel that has no mass of its own.

One wheel has one unknown, the travel of the suspension. The tyre force equals the suspension force; dampers and stops
are linear pieces, so the backward Euler step is solved in closed form and is stable at any step.
"""

from acres_ros._compile import kernel


@kernel
def axle_suspension(p, index):
    """Return rate, damping, static load, jounce and droop of a wheel's suspension."""
    if index < 2:
        s = p.suspension.front
    else:
        s = p.suspension.rear
    return s.rate, s.damping, s.static_load, s.jounce_m, s.droop_m


@kernel
def _balance(drive, rate, low_stop, high_stop, stop_rate):
    """Return x of `rate x + stops(x) = drive`, with stops that add `stop_rate` beyond their ends."""
    x = drive / rate
    if x > high_stop:
        return (drive + stop_rate * high_stop) / (rate + stop_rate)
    if x < low_stop:
        return (drive + stop_rate * low_stop) / (rate + stop_rate)
    return x


@kernel
def step_suspension(h, p, index, wheel, compression):
    """Advance travel and tyre deflection of one wheel and set its load.

    Args:
        h: step, s.
        p: PARAMETERS record.
        index: wheel 0 to 3.
        wheel: WHEEL record, changed in place.
        compression: travel plus tyre deflection that the ground asks for, m; negative when the ground is out of reach.
    """
    rate, damping, static_load, jounce, droop = axle_suspension(p, index)
    tyre_rate = p.tyre.rate
    stop_rate = p.suspension.stop_rate
    per_step = damping / h
    inertia_free = per_step * wheel.travel - static_load
    travel = _balance(inertia_free, rate + per_step, -droop, jounce, stop_rate)
    load = 0.0
    deflection = 0.0
    if compression > travel:
        tyre_per_step = p.tyre.damping / h
        drive = inertia_free + tyre_rate * compression + tyre_per_step * (compression - wheel.deflection)
        pressed = _balance(
            drive,
            rate + per_step + tyre_rate + tyre_per_step,
            -droop,
            jounce,
            stop_rate,
        )
        pressed_deflection = compression - pressed
        force = tyre_rate * pressed_deflection + tyre_per_step * (pressed_deflection - wheel.deflection)
        if force > 0.0 and pressed_deflection > 0.0:
            travel, deflection, load = pressed, pressed_deflection, force
    wheel.travel_rate = (travel - wheel.travel) / h
    wheel.travel = travel
    wheel.deflection_rate = (deflection - wheel.deflection) / h
    wheel.deflection = deflection
    wheel.load = load
