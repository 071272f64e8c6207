"""Front axle on demand: it joins the rear axle when the rear wheels spin faster than the front wheels.

It leaves when the rear wheels stop slipping, or when the front wheels would be dragged: its roller clutches pull one
way only. In a turn the locked rear wheels slip in opposite senses, so the release looks at their mean. After a change
it stays as it is for `awd.rest_s`: wheels that are gripped or let go swing on their tyres, and that is no slip.
"""

from acres_ros._compile import kernel

TURF, TWO_WHEEL_DRIVE, AWD = 0, 1, 2


@kernel
def step_front_axle(h, p, vehicle):
    """Set whether the front axle turns with the rear axle in this step."""
    powertrain = vehicle.powertrain
    powertrain.front_rest = max(0.0, powertrain.front_rest - h)
    if vehicle.drive_mode != AWD or powertrain.gear_ratio == 0.0:
        powertrain.front_engaged = 0
        return
    wheels = vehicle.wheel
    rear = 0.5 * (wheels[2].spin + wheels[3].spin)
    front = 0.5 * (wheels[0].spin + wheels[1].spin)
    direction = 1.0 if rear >= 0.0 else -1.0
    slip = max(direction * wheels[2].slip, direction * wheels[3].slip)
    excess = direction * rear - (1.0 + p.awd.engage_spin) * max(0.0, direction * front)
    if abs(rear) < p.awd.minimum_spin:
        excess = 0.0
    if powertrain.front_rest > 0.0:
        return
    if powertrain.front_engaged == 1:
        mean_slip = 0.5 * direction * (wheels[2].slip + wheels[3].slip)
        front_torque = direction * (wheels[0].shaft_torque + wheels[1].shaft_torque)
        if mean_slip < p.awd.release_slip or front_torque < 0.0:
            powertrain.front_engaged = 0
            powertrain.front_rest = p.awd.rest_s
    elif excess > 0.0 or slip > p.awd.engage_slip:
        powertrain.front_engaged = 1
        powertrain.front_rest = p.awd.rest_s
