"""Marks of one vehicle on its farm: the ruts of its wheels, and the crop that its tyres and its body have crushed.

Crushed crop is a bit of a patch's mask for each sample of 1/3 m. A stamp is what a test of every sample of the farm
would give: the list of patches near the vehicle only leaves out what cannot be reached. Spec: C++ API, FAcresFarmState.
"""

import numpy as np

from acres_ros._compile import entry, kernel, outlined
from acres_ros.models.farm import ALL_SAMPLES, FIELDS, NEAR_PATCHES, SAMPLE_M, STAMPS, ZONES
from acres_ros.models.ground import land_cell, zone_at
from acres_ros.models.maths import cos, sin, sqrt
from acres_ros.models.ruts import FARTHEST_M, near, press_rut
from acres_ros.models.soil import PLASTIC_SHARE
from acres_ros.models.tyre import tyre_width

_PATCH_REACH_M = 0.4715  # the farthest sample of a patch from its centre, sqrt(2)/3, rounded up
_LIST_MARGIN_M = 0.3  # how far the vehicle moves before the list is made again
_ROUNDING_M = 1.0e-6
_LARGEST_M = 50.0  # no vehicle is larger


@kernel
def _level(x, y):
    """Return the unit vector along a horizontal one; 0 where it is too short to have a direction."""
    length = sqrt(x * x + y * y)
    if not length > 1.0e-3:
        return 0.0, 0.0
    return x / length, y / length


@kernel
def _rectangle(x, y, ahead_x, ahead_y, length, width, clearance):
    """Return a stamp: centre, direction, half length, half width, reach to a patch's centre, clearance; all m.

    Its reach is below 0 where it touches nothing: it has no direction, or is no place.
    """
    half_length, half_width = 0.5 * length, 0.5 * width
    reach = sqrt(half_length * half_length + half_width * half_width) + _PATCH_REACH_M
    if not (near(x, y) and reach < _LARGEST_M and (ahead_x != 0.0 or ahead_y != 0.0)):
        return 0.0, 0.0, 0.0, 0.0, -1.0, -1.0, -1.0, 0.0
    return x, y, ahead_x, ahead_y, half_length, half_width, reach, clearance


@kernel
def body_rectangle(r, p, body):
    """Return the stamp of the body: it crushes what is taller than the ground clearance."""
    ahead_x, ahead_y = _level(r[0], r[3])
    middle = 0.5 * (p.geometry.body_front_m - p.geometry.body_rear_m)
    return _rectangle(
        body.x + middle * ahead_x,
        body.y + middle * ahead_y,
        ahead_x,
        ahead_y,
        p.geometry.body_front_m + p.geometry.body_rear_m,
        2.0 * p.geometry.body_half_width_m,
        p.geometry.mass_height_m - p.geometry.body_below_m,
    )


@kernel
def wheel_rectangle(p, index, vehicle):
    """Return the stamp of the contact of a wheel; it touches nothing while the wheel is in the air."""
    wheel = vehicle.wheel[index]
    ahead_x, ahead_y = _level(wheel.heading_x, wheel.heading_y)
    if wheel.surface < 0:
        ahead_x, ahead_y = 0.0, 0.0
    return _rectangle(wheel.contact_x, wheel.contact_y, ahead_x, ahead_y, wheel.relaxation, tyre_width(p, index), 0.0)


@outlined
def _samples_inside(mask, east, north, ahead_x, ahead_y, half_length, half_width):
    """Return the samples, of those that a mask has not, of a patch at an offset whose centre lies in a rectangle."""
    inside = 0
    for row in range(3):
        sample_north = north + (row - 1) * SAMPLE_M
        for column in range(3):
            bit = 1 << (3 * row + column)
            sample_east = east + (column - 1) * SAMPLE_M
            if (
                not mask & bit
                and abs(sample_east * ahead_x + sample_north * ahead_y) <= half_length
                and abs(sample_north * ahead_x - sample_east * ahead_y) <= half_width
            ):
                inside |= bit
    return inside


@kernel
def _crushed_by(stamp, mask, x, y, height):
    """Return the samples that a stamp crushes in a patch, of those that a mask has not."""
    east, north = x - stamp[0], y - stamp[1]
    if (
        not height > stamp[7]
        or abs(east * stamp[2] + north * stamp[3]) > stamp[4] + _PATCH_REACH_M
        or abs(north * stamp[2] - east * stamp[3]) > stamp[5] + _PATCH_REACH_M
    ):
        return 0
    return _samples_inside(mask, east, north, stamp[2], stamp[3], stamp[4], stamp[5])


@kernel
def _bits(mask):
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@kernel
def _account(ground, account, patch, count):
    """Book newly crushed samples of a patch on its field and on the zone of its centre."""
    account.crushed += count
    if patch.field < FIELDS:
        account.crushed_by_field[patch.field] += count
    account.crushed_by_zone[zone_at(ground, np.float64(patch.x), np.float64(patch.y)) % ZONES] += count


@kernel
def _covered(stamp, index, search):
    """Return whether the list has every patch that a stamp can reach."""
    if stamp[6] < 0.0:
        return True
    east, north, room = stamp[0] - search.x[index], stamp[1] - search.y[index], search.radius[index] - stamp[6]
    return room >= 0.0 and east * east + north * north <= room * room


@kernel
def _within(stamp, body):
    """Return whether a stamp lies within that of the body, so that it adds nothing where that crushes."""
    if stamp[6] < 0.0 or body[6] < 0.0:
        return stamp[6] < 0.0
    east, north = stamp[0] - body[0], stamp[1] - body[1]
    along = abs(stamp[2] * body[2] + stamp[3] * body[3])
    across = abs(stamp[3] * body[2] - stamp[2] * body[3])
    length = abs(east * body[2] + north * body[3]) + along * stamp[4] + across * stamp[5]
    width = abs(north * body[2] - east * body[3]) + across * stamp[4] + along * stamp[5]
    return length < body[4] - _ROUNDING_M and width < body[5] - _ROUNDING_M


@kernel
def _reached(search, stamps, patch):
    """Return whether a patch is in the circle of a stamp that can crush it."""
    x, y, height = np.float64(patch.x), np.float64(patch.y), np.float64(patch.height)
    for index in range(STAMPS):
        east, north, radius = x - search.x[index], y - search.y[index], search.radius[index]
        if east * east + north * north <= radius * radius and height > stamps[index][7]:
            return True
    return False


@outlined
def list_patches(ground, farm, stamps):
    """List the patches near the stamps that are not wholly crushed.

    Args:
        ground: Ground.
        farm: Farm, its search changed in place.
        stamps: four wheels and the body.

    Returns:
        Whether there is a list, which there is not where they are too many; then first row, number of rows, and first
        and last column of the land cells that have them all. A list counts as one row.
    """
    search = farm.account[0].search
    low_x, high_x, low_y, high_y = FARTHEST_M, -FARTHEST_M, FARTHEST_M, -FARTHEST_M
    for index in range(STAMPS):
        x, y, reach = stamps[index][0], stamps[index][1], stamps[index][6]
        radius = reach + _LIST_MARGIN_M if reach > 0.0 else 0.0
        search.x[index], search.y[index], search.radius[index] = x, y, radius
        if radius > 0.0:
            low_x, high_x = min(low_x, x - radius), max(high_x, x + radius)
            low_y, high_y = min(low_y, y - radius), max(high_y, y + radius)
    search.count = 0
    columns = ground.land.shape[1]
    south, west = land_cell(ground, low_x, low_y)
    north, east = land_cell(ground, high_x, high_y)
    for row in range(south, north + 1):
        for place in range(ground.bins[row * columns + west], ground.bins[row * columns + east + 1]):
            if farm.masks[place] != ALL_SAMPLES and _reached(search, stamps, ground.patches[place]):
                if search.count == NEAR_PATCHES:
                    for index in range(STAMPS):
                        search.radius[index] = 0.0
                    return False, south, north - south + 1, west, east
                search.patches[search.count] = place
                search.count += 1
    return True, 0, 1, 0, 0


@kernel
def _crush(ground, farm, stamps):
    """Crush what the stamps cover; return how many samples were new, and the growth of those below the body."""
    if ground.patches.size == 0 or farm.masks.size != ground.patches.size:
        return 0, 0.0
    account = farm.account[0]
    search = account.search
    listed, first_row, rows, west, east = True, 0, 1, 0, 0
    for index in range(STAMPS):
        listed = listed and _covered(stamps[index], index, search)
    if not listed:
        listed, first_row, rows, west, east = list_patches(ground, farm, stamps)

    front_left, front_right, rear_left, rear_right, body = stamps
    beside = not (
        _within(front_left, body)
        and _within(front_right, body)
        and _within(rear_left, body)
        and _within(rear_right, body)
    )
    columns = ground.land.shape[1]
    total, growth = 0, 0.0
    for row in range(first_row, first_row + rows):
        first = 0 if listed else ground.bins[row * columns + west]
        end = search.count if listed else ground.bins[row * columns + east + 1]
        for place in range(first, end):
            index = search.patches[place] if listed else place
            mask = int(farm.masks[index])
            if mask == ALL_SAMPLES:
                continue
            patch = ground.patches[index]
            patch_x, patch_y, height = np.float64(patch.x), np.float64(patch.y), np.float64(patch.height)
            inside = _crushed_by(body, mask, patch_x, patch_y, height)
            below_body = inside
            if beside or not height > body[7]:
                inside |= _crushed_by(front_left, mask | inside, patch_x, patch_y, height)
                inside |= _crushed_by(front_right, mask | inside, patch_x, patch_y, height)
                inside |= _crushed_by(rear_left, mask | inside, patch_x, patch_y, height)
                inside |= _crushed_by(rear_right, mask | inside, patch_x, patch_y, height)
            if inside == 0:
                continue
            growth += _bits(below_body) * np.float64(patch.growth)
            if mask == 0:
                farm.touched[account.touched] = index
                account.touched += 1
            farm.masks[index] = mask | inside
            count = _bits(inside)
            total += count
            _account(ground, account, patch, count)
    return total, growth


@outlined
def step_marks(r, ground, farm, p, vehicle):
    """Press the ruts of the four wheels, and crush the crop below the tyres and, taller than the clearance, the body.

    Args:
        r: rotation matrix, body to world.
        ground: Ground.
        farm: Farm, its marks changed in place.
        p: PARAMETERS record.
        vehicle: VEHICLE record.

    Returns:
        How many samples were new, and the sum of the growth of those below the body.
    """
    stamps = (
        wheel_rectangle(p, 0, vehicle),
        wheel_rectangle(p, 1, vehicle),
        wheel_rectangle(p, 2, vehicle),
        wheel_rectangle(p, 3, vehicle),
        body_rectangle(r, p, vehicle.body),
    )
    for index in range(4):
        wheel = vehicle.wheel[index]
        if wheel.sinkage > 0.0 and wheel.surface >= 0 and ground.surfaces[wheel.surface].soil == 1:
            press_rut(ground, farm, stamps[index], PLASTIC_SHARE * wheel.sinkage)
    return _crush(ground, farm, stamps)


@entry
def stamp_entry(ground, farm, x, y, yaw, length, width, sinkage, clearance):
    """Apply one stamp that no vehicle makes, from Python.

    Args:
        ground: Ground.
        farm: Farm with room for a step, its marks changed in place.
        x: east of its middle, m.
        y: north of its middle, m.
        yaw: its heading, rad.
        length: along the heading, m.
        width: across it, m.
        sinkage: of a wheel, m; 0 leaves no rut.
        clearance: height above which it crushes crop, m.
    """
    stamp = _rectangle(x, y, cos(yaw), sin(yaw), length, width, clearance)
    nothing = _rectangle(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if sinkage > 0.0:
        press_rut(ground, farm, stamp, PLASTIC_SHARE * sinkage)
    # A list holds what is tall enough for the stamps that it was made for: this one has a list of its own.
    search = farm.account[0].search
    for index in range(STAMPS):
        search.radius[index] = 0.0
    _crush(ground, farm, (stamp, nothing, nothing, nothing, nothing))
    for index in range(STAMPS):
        search.radius[index] = 0.0
