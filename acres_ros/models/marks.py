"""Marks of one vehicle on its farm: ruts in the soil and crushed crop.

Ruts are the plastic depth of cells of 25 cm, in pages of 8 m by 8 m that a hash table finds by their number. Crushed
crop is a bit of a patch's mask for each sample of 1/3 m. No result depends on the lengths of the tables.
"""

from acres_ros._compile import kernel, outlined
from acres_ros.models.farm import RUT_CELL_M

FARTHEST_M = 1.0e6  # beyond it lies no farm; what is not a number is beyond it too

_PAGE_SHIFT = 5  # 32 cells a page
_CELL_BITS = 31
_CELLS_PER_M = 1.0 / RUT_CELL_M


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
    if farm.account[0].pages == 0 or not (abs(x) <= FARTHEST_M and abs(y) <= FARTHEST_M):
        return 0.0
    cell_x, cell_y = floor(x * _CELLS_PER_M), floor(y * _CELLS_PER_M)
    slot = find_slot(farm, cell_x >> _PAGE_SHIFT, cell_y >> _PAGE_SHIFT)
    if slot < 0 or farm.slots[slot] == 0:
        return 0.0
    return float(farm.pages[farm.slots[slot] - 1].ruts[_cell_in_page(cell_x, cell_y)])
