"""One Polaris: its step in the order of the spec, and its reset.

Spec: Time Stepping and Determinism, section Control Step of ACRES Core.
"""

import numpy as np

from acres_ros._compile import entry, kernel, outlined
from acres_ros.models.body import rotation_matrix, step_body, vehicle_mass
from acres_ros.models.collision import step_collision
from acres_ros.models.contact import step_contact, wheel_position
from acres_ros.models.crop import step_crop
from acres_ros.models.cvt import cvt_target, step_cvt
from acres_ros.models.dbw.reset import reset_dbw
from acres_ros.models.dbw.step import step_dbw
from acres_ros.models.driveline import gear_ratio, solve_driveline
from acres_ros.models.energy.ledger import book_step, close_step, start_ledger
from acres_ros.models.engine import RPM, idle_air, step_air
from acres_ros.models.farm import SAMPLE_M2
from acres_ros.models.forces import sum_forces
from acres_ros.models.ground import ground_height, inside
from acres_ros.models.marks import step_marks
from acres_ros.models.maths import cos, sin, sqrt
from acres_ros.models.rotation import rotate
from acres_ros.models.state import VEHICLE
from acres_ros.models.steering import step_steering
from acres_ros.models.suspension import axle_suspension
from acres_ros.models.timestep import STEP_S

DROP_HEIGHT = 0.2


@kernel
def step_powertrain(h, p, vehicle):
    """Advance air charge and belt ratio with the pedal and the wheel speeds at the start of the step."""
    pedal_pct = vehicle.dbw.throttle.output_pct
    rear = 0.5 * (vehicle.wheel[2].spin + vehicle.wheel[3].spin)
    step_air(h, p, pedal_pct, vehicle.powertrain)
    secondary = abs(rear * gear_ratio(p, vehicle.dbw.gear.engaged))
    step_cvt(h, p, pedal_pct, secondary, vehicle.powertrain)


@outlined
def step_contacts(h, r, ground, farm, p, vehicle):
    """Set load, grip and speeds of the four contacts from the body at the start of the step."""
    for index in range(4):
        step_contact(h, index, r, vehicle.dbw.brake.output_bar, ground, farm, p, vehicle)


@kernel
def step_farm(r, ground, farm, p, vehicle):
    """Stamp tyres and body on the farm, and set the force of the crop that the body has reached."""
    growth = 0.0
    vehicle.crushed = 0.0
    if farm.account[0].marks == 1:
        count, growth = step_marks(r, ground, farm, p, vehicle)
        vehicle.crushed = SAMPLE_M2 * count
    step_crop(growth, r, p, vehicle)


@kernel
def look_at_map(ground, p, vehicle):
    """Flag whether base_footprint is nearer to the edge of the map than its margin."""
    body, ahead, height = vehicle.body, p.geometry.mass_ahead_m, p.geometry.mass_height_m
    back_x, back_y, _ = rotate(body.qx, body.qy, body.qz, body.qw, -ahead, 0.0, -height)
    on_map = inside(ground, body.x + back_x, body.y + back_y, ground.grid[0].margin)
    vehicle.off_map = 0 if on_map else 1


@outlined
def step_vehicle(h, command, ground, farm, p, vehicle):
    """Advance one vehicle by one physics step."""
    body = vehicle.body
    vehicle.drive_mode = command.drive_mode
    step_dbw(h, command, p, vehicle)
    step_steering(command, p, vehicle)
    step_powertrain(h, p, vehicle)
    r = rotation_matrix(body)
    step_contacts(h, r, ground, farm, p, vehicle)
    solve_driveline(h, p, vehicle)
    step_farm(r, ground, farm, p, vehicle)
    force, moment = sum_forces(r, ground, p, vehicle)
    book_step(h, r, force, moment, ground, p, vehicle)
    step_body(h, force, moment, p, body)
    step_collision(h, ground.obstacles, p, vehicle)
    look_at_map(ground, p, vehicle)
    close_step(h, p, vehicle)
    vehicle.crushed_total += vehicle.crushed
    vehicle.step += 1


@entry
def step_entry(vehicles, commands, parameters, ground, farm, index):
    """Advance one vehicle by one physics step; `step` for plain arrays and from compiled code."""
    step_vehicle(STEP_S, commands[index], ground, farm, parameters[0], vehicles[index])


@entry
def run_entry(vehicles, commands, parameters, ground, farm, index, steps):
    """Advance one vehicle by some physics steps; `run` for plain arrays and from compiled code."""
    command = commands[index]
    for _ in range(steps):
        step_vehicle(STEP_S, command, ground, farm, parameters[0], vehicles[index])
        command.steering.fresh = 0
        command.throttle.fresh = 0
        command.brake.fresh = 0
        command.ulc.fresh = 0


def plain(array):
    """Return an array as a plain `numpy.ndarray`: a `recarray` costs numba 2 us a call and another compilation."""
    return array if type(array) is np.ndarray else array.view(np.ndarray)


def step(vehicles, commands, parameters, ground, farm, index):
    """Advance one vehicle by one physics step of 1/120 s.

    Args:
        vehicles: VEHICLE records, changed in place.
        commands: COMMAND records, one for each vehicle.
        parameters: one PARAMETERS record.
        ground: Ground, from `World.ground`.
        farm: Farm of the environment, from `FarmState.farm`; its marks are changed in place.
        index: which vehicle.
    """
    step_entry(plain(vehicles), plain(commands), plain(parameters), ground, farm, index)


def run(vehicles, commands, parameters, ground, farm, index, steps):
    """Advance one vehicle by some physics steps; messages marked fresh arrive at the first of them.

    The command is changed in place: its fresh flags are 0 afterwards.

    Args:
        vehicles: VEHICLE records, changed in place.
        commands: COMMAND records, one for each vehicle.
        parameters: one PARAMETERS record.
        ground: Ground, from `World.ground`.
        farm: Farm of the environment, from `FarmState.farm`; its marks are changed in place.
        index: which vehicle.
        steps: how many steps.
    """
    run_entry(plain(vehicles), plain(commands), plain(parameters), ground, farm, index, steps)


@kernel
def _axle_stance(p, index, load):
    """Return height of the wheel's mount over the ground, travel and tyre deflection of a wheel under a load."""
    rate, _, static_load, _, _ = axle_suspension(p, index)
    deflection = load / p.tyre.rate
    travel = (load - static_load) / rate
    return p.tyre.radius_m - deflection - travel, travel, deflection


@kernel
def _stand(p, ground, vehicle, x, y, yaw, settled):
    """Put the body on the ground below base_footprint (x, y) at the static ride height, or above it."""
    body = vehicle.body
    wheelbase = p.geometry.wheelbase_m
    weight = vehicle_mass(p) * p.mass.gravity
    front_load = 0.5 * weight * p.geometry.mass_ahead_m / wheelbase
    rear_load = 0.5 * weight - front_load
    front_mount, front_travel, front_deflection = _axle_stance(p, 0, front_load)
    rear_mount, rear_travel, rear_deflection = _axle_stance(p, 2, rear_load)

    forward_x, forward_y = cos(yaw), sin(yaw)
    half = p.geometry.half_track_m
    left_x, left_y = -forward_y * half, forward_x * half
    axle_x, axle_y = x + forward_x * wheelbase, y + forward_y * wheelbase
    front_left = ground_height(ground, axle_x + left_x, axle_y + left_y)
    front_right = ground_height(ground, axle_x - left_x, axle_y - left_y)
    rear_left = ground_height(ground, x + left_x, y + left_y)
    rear_right = ground_height(ground, x - left_x, y - left_y)
    _, _, front_z = wheel_position(p, 0)
    _, _, rear_z = wheel_position(p, 2)
    front_height = 0.5 * (front_left + front_right) + front_mount - front_z
    rear_height = 0.5 * (rear_left + rear_right) + rear_mount - rear_z
    rise = (front_height - rear_height) / wheelbase
    bank = 0.25 * (front_left - front_right + rear_left - rear_right) / half

    # Orientation: yaw, then the small pitch and roll of the plane through the four contacts.
    pitch = -rise / (1.0 + sqrt(1.0 + rise * rise))
    roll = bank / (1.0 + sqrt(1.0 + bank * bank))
    yaw_w, yaw_z = cos(0.5 * yaw), sin(0.5 * yaw)
    w, qx, qy, qz = 1.0, roll, pitch, -roll * pitch
    norm = sqrt(w * w + qx * qx + qy * qy + qz * qz)
    body.qw = (yaw_w * w - yaw_z * qz) / norm
    body.qx = (yaw_w * qx - yaw_z * qy) / norm
    body.qy = (yaw_w * qy + yaw_z * qx) / norm
    body.qz = (yaw_w * qz + yaw_z * w) / norm
    ahead = p.geometry.mass_ahead_m
    body.x = x + forward_x * ahead
    body.y = y + forward_y * ahead
    body.z = rear_height + rise * ahead
    if settled:
        for index in range(4):
            wheel = vehicle.wheel[index]
            wheel.travel = front_travel if index < 2 else rear_travel
            wheel.deflection = front_deflection if index < 2 else rear_deflection
            wheel.load = front_load if index < 2 else rear_load
    else:
        body.z += DROP_HEIGHT
        for index in range(4):
            _, _, _, _, droop = axle_suspension(p, index)
            vehicle.wheel[index].travel = -droop


@entry
def _place(vehicles, parameters, ground, index, x, y, yaw, speed, settled, gear):
    vehicle = vehicles[index]
    p = parameters[0]
    body = vehicle.body
    powertrain = vehicle.powertrain
    _stand(p, ground, vehicle, x, y, yaw, settled)
    r = rotation_matrix(body)
    body.vx, body.vy, body.vz = speed * r[0], speed * r[3], speed * r[6]
    spin = speed / (p.tyre.radius_m * p.tyre.rolling_factor)
    for wheel_index in range(4):
        vehicle.wheel[wheel_index].spin = spin
    ratio = gear_ratio(p, gear)
    powertrain.air = idle_air(p)
    powertrain.cvt_ratio = cvt_target(p, 0.0, abs(spin * ratio))
    powertrain.gear_ratio = ratio
    powertrain.engine_speed = max(p.engine.idle_rpm / RPM, spin * ratio * powertrain.cvt_ratio)
    powertrain.engine_speed_before = powertrain.engine_speed
    look_at_map(ground, p, vehicle)
    reset_dbw(p, gear, vehicle)
    start_ledger(STEP_S, p, vehicle)


def reset(
    vehicles,
    parameters,
    ground,
    index,
    x,
    y,
    yaw,
    speed=0.0,
    settled=True,
    gear=5,
    drive_mode=2,
):
    """Put one vehicle at a pose and clear everything that it remembers.

    Args:
        vehicles: VEHICLE records, changed in place.
        parameters: one PARAMETERS record.
        ground: Ground.
        index: which vehicle.
        x: east of base_footprint (ground below the rear axle), m.
        y: north of base_footprint, m.
        yaw: heading, rad, 0 is east.
        speed: forward speed, m/s.
        settled: at the static ride height, else 0.2 m above it with the wheels hanging.
        gear: engaged gear and lever: 1 P, 2 R, 3 N, 4 H, 5 L.
        drive_mode: 0 turf, 1 2wd, 2 awd.
    """
    vehicles, parameters = plain(vehicles), plain(parameters)
    vehicle = vehicles[index : index + 1]
    age_step = float(vehicle["dbw"]["age_step"][0])
    VEHICLE.set_defaults(vehicle)
    vehicle["dbw"]["age_step"] = age_step  # an option of the drive-by-wire, no state
    vehicle["drive_mode"] = drive_mode
    _place(
        vehicles,
        parameters,
        ground,
        index,
        float(x),
        float(y),
        float(yaw),
        float(speed),
        bool(settled),
        int(gear),
    )
