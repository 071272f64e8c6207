"""Ruts: the plastic depth of cells of 25 cm, in pages of 8 m by 8 m that a hash table finds by their number.

No result depends on the length of the table or on the order of its pages, and a stamp is what a test of every cell of
the world would give. Spec: C++ API, FAcresFarmState.
"""

import numpy as np

from acres_ros._compile import kernel, outlined
from acres_ros.models.farm import RUT_CELL_M, RUT_CELLS
from acres_ros.models.ground import surface_class

FARTHEST_M = 1.0e6  # beyond it lies no farm; what is not a number is beyond it too
WIDEST_M = 3.0  # a tyre's contact that reaches farther than this from its centre leaves no rut

_PAGE_SHIFT = 5
_CELL_BITS = RUT_CELLS - 1
_CELLS_PER_M = 1.0 / RUT_CELL_M
if RUT_CELLS != 1 << _PAGE_SHIFT:
    raise ValueError(f"a page is {RUT_CELLS} cells wide, which is no shift of {_PAGE_SHIFT} bits")


@kernel
def floor(x):
    """Return the largest whole number that is not above x; |x| < 1e15."""
    whole = int(x)
    return whole - 1 if x < whole else whole


def page_hash(key_x, key_y):
    """Return where the search of a page begins, before it is cut to the length of the table; |key| < 2^20."""
    return (key_x * 73856093) ^ (key_y * 19349663)


_page_hash = kernel(page_hash)


@kernel
def near(x, y):
    """Return whether a point is where a farm can be, and so may become an address."""
    return abs(x) <= FARTHEST_M and abs(y) <= FARTHEST_M


@kernel
def _cell_in_page(cell_x, cell_y):
    return ((cell_y & _CELL_BITS) << _PAGE_SHIFT) | (cell_x & _CELL_BITS)


@outlined
def find_slot(farm, key_x, key_y):
    """Return the slot of a page, or the free slot where it would go; -1 where the table has neither."""
    slots, pages = farm.slots, farm.pages
    last = slots.size - 1
    slot = _page_hash(key_x, key_y) & last
    for _ in range(slots.size):
        number = slots[slot]
        if number == 0 or (pages[number - 1].key_x == key_x and pages[number - 1].key_y == key_y):
            return slot
        slot = (slot + 1) & last
    return -1


@kernel
def rut_at(farm, x, y):
    """Return the rut depth (m) of the 25 cm cell below a point; 0 where no wheel has been."""
    if farm.account[0].pages == 0 or not near(x, y):
        return 0.0
    cell_x, cell_y = floor(x * _CELLS_PER_M), floor(y * _CELLS_PER_M)
    slot = find_slot(farm, cell_x >> _PAGE_SHIFT, cell_y >> _PAGE_SHIFT)
    if slot < 0 or farm.slots[slot] == 0:
        return 0.0
    return np.float64(farm.pages[farm.slots[slot] - 1].ruts[_cell_in_page(cell_x, cell_y)])


@kernel
def _open_page(farm, key_x, key_y):
    """Return the page of a number, taken into use where it was not; -1 where there is no room for it."""
    account = farm.account[0]
    slot = find_slot(farm, key_x, key_y)
    if slot >= 0 and farm.slots[slot] > 0:
        return farm.slots[slot] - 1
    page = account.pages
    if slot < 0 or page >= farm.pages.size:
        account.lost += 1
        return -1
    farm.pages[page].key_x = key_x
    farm.pages[page].key_y = key_y
    farm.slots[slot] = page + 1
    account.pages = page + 1
    return page


@kernel
def _is_soil(ground, x, y):
    return ground.surfaces[surface_class(ground, x, y)].soil == 1


@kernel
def press_rut(ground, farm, stamp, depth):
    """Make the rut at least so deep in each soil cell whose centre a contact covers, and in that below its centre.

    Args:
        ground: Ground.
        farm: Farm, its ruts changed in place.
        stamp: centre, direction (a unit vector), half length and half width of the contact, m, and its reach, which is
            below 0 where it touches nothing.
        depth: plastic depth, m, above 0.
    """
    x, y, ahead_x, ahead_y, half_length, half_width, reach, _ = stamp
    if not 0.0 <= reach <= WIDEST_M:
        return
    reach_x = abs(ahead_x) * half_length + abs(ahead_y) * half_width
    reach_y = abs(ahead_y) * half_length + abs(ahead_x) * half_width
    middle_x, middle_y = floor(x * _CELLS_PER_M), floor(y * _CELLS_PER_M)
    first_x, last_x = floor((x - reach_x) * _CELLS_PER_M), floor((x + reach_x) * _CELLS_PER_M)
    first_y, last_y = floor((y - reach_y) * _CELLS_PER_M), floor((y + reach_y) * _CELLS_PER_M)
    page, page_x, page_y = -1, 0, 0
    for cell_y in range(first_y, last_y + 1):
        centre_y = (cell_y + 0.5) * RUT_CELL_M
        for cell_x in range(first_x, last_x + 1):
            centre_x = (cell_x + 0.5) * RUT_CELL_M
            east, north = centre_x - x, centre_y - y
            if not (cell_x == middle_x and cell_y == middle_y) and (
                abs(east * ahead_x + north * ahead_y) > half_length
                or abs(north * ahead_x - east * ahead_y) > half_width
            ):
                continue
            key_x, key_y = cell_x >> _PAGE_SHIFT, cell_y >> _PAGE_SHIFT
            if page < 0 or key_x != page_x or key_y != page_y:
                page, page_x, page_y = _open_page(farm, key_x, key_y), key_x, key_y
                if page < 0:
                    continue
            cell = _cell_in_page(cell_x, cell_y)
            ruts = farm.pages[page].ruts
            if depth > np.float64(ruts[cell]) and _is_soil(ground, centre_x, centre_y):
                ruts[cell] = depth
