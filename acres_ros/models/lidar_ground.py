"""Where the beams of a fan end on the terrain: its cells are walked by many beams abreast.

The skyline of the index tells where a beam can first meet the terrain, most often a cell or two before it does. From
there all beams of the fan look at one cell each, again and again, in loops that the compiler makes vectors of. When few
are left, each goes on alone. The numbers are those of `terrain_ray`, to the last bit.
"""

import numpy as np

from acres_ros._compile import kernel, outlined
from acres_ros.models.lidar_fan import NO_SECTOR, TERRAIN
from acres_ros.models.maths import INFINITY
from acres_ros.models.terrain_ray import cross_cell, terrain_ray, walk_terrain

FEW = 8
"""Beams go on alone when fewer than this part of a fan have not ended."""
ABREAST = 8
"""Cells that the beams of a fan look at abreast, at most."""
NEAR_CELLS = 4
"""Cells that a beam looks at one by one when it goes on alone."""
_U1 = np.uint64(1)


@kernel
def least(bin_, bins, rise, slope, per_slope, per_level, block):
    """Return where a beam can first meet what a skyline is of, m; infinity if nowhere.

    Args:
        bin_, bins: first bin in whose slope a beam of its run is, and how many there are; as numbers with a point.
        rise: how high above the sensor (in blocks) what is in the bins up to there can be at most, at their end.
        slope, per_slope: rise over level distance, not below that of the lowest beam of the run; one over it.
        per_level: one over the level part of its direction.
        block: size of a bin, m.
    """
    # Nothing in this bin is above its slope at its far end: how far until the beam is as low?
    lower = min(max(bin_, rise * per_slope), bin_ + 1.0)
    reached = (lower if slope < 0.0 else bin_) * block * per_level
    return reached if bin_ < bins else INFINITY


@kernel
def _floor(x):
    """Return the largest whole number that is not above x, |x| < 2^31, as a number with a point."""
    whole = float(np.int32(x))
    return whole - 1.0 if x < whole else whole


@kernel
def _begin(block, bins, fan, count):
    """Fill where the walks begin; return how many beams there are to walk, or to look at from below.

    Args:
        block, bins, fan, count: as `meet_ground`.
    """
    number = 0
    for place in range(count):
        low = least(
            fan.bin[place], bins, fan.rise[place], fan.slope[place], fan.per_slope[place], fan.per_level[place], block
        )
        end, above = fan.end[place], fan.above[place] > 0.0
        low = low if above & (low <= end) else INFINITY
        fan.low[place] = low
        number += 1 if (low < INFINITY) | ((not above) & (end >= 0.0)) else 0
    return number


@kernel
def _enter_cells(field, fan, count):
    """Fill the cells in which the walks begin; a walk that begins beyond the edge has ended."""
    rows, columns = field.heights.shape
    last_row, last_column = rows - 2.0, columns - 2.0
    for place in range(count):
        low, du, dv = fan.low[place], fan.dx[place] / field.cell, fan.dy[place] / field.cell
        walks = low < INFINITY
        column = _floor(fan.u[place] + du * low if walks else 0.0)
        row = _floor(fan.v[place] + dv * low if walks else 0.0)
        gone = (column < 0.0) | (column > last_column) | (row < 0.0) | (row > last_row)
        fan.low[place], fan.column[place], fan.row[place] = (INFINITY if gone else low), column, row
        fan.du[place], fan.dv[place], fan.per_du[place], fan.per_dv[place] = du, dv, 1.0 / du, 1.0 / dv
        fan.east[place], fan.north[place] = 0.0, 0.0


@kernel
def _look_at_cells(field, fan, count):
    """Let each beam that still walks look at its cell and go to the next; return how many still walk.

    A beam that ends there gets `end`, `met`, and `east` and `north` for cells of 1 m.
    """
    heights = field.heights
    rows, columns = heights.shape
    last_row, last_column = rows - 2.0, columns - 2.0
    for place in range(count):
        walks = fan.low[place] < INFINITY
        column = np.uint64(np.int64(fan.column[place] if walks else 0.0))
        row = np.uint64(np.int64(fan.row[place] if walks else 0.0))
        fan.south_west[place], fan.south_east[place] = heights[row, column], heights[row, column + _U1]
        fan.north_west[place], fan.north_east[place] = heights[row + _U1, column], heights[row + _U1, column + _U1]
    number = 0
    for place in range(count):
        walks = fan.low[place] < INFINITY
        low, most = (fan.low[place] if walks else 0.0), fan.end[place]
        column, row, du, dv, dz = fan.column[place], fan.row[place], fan.du[place], fan.dv[place], fan.dz[place]
        u, v = fan.u[place], fan.v[place]
        end_u = ((column + 1.0 if du > 0.0 else column) - u) * fan.per_du[place]
        end_v = ((row + 1.0 if dv > 0.0 else row) - v) * fan.per_dv[place]
        end_u, end_v = (end_u if du != 0.0 else INFINITY), (end_v if dv != 0.0 else INFINITY)
        end = max(min(min(end_u, end_v), most), low)
        # Both triangles of the cell, as `cross_cell`: which the beam is in first, and which last.
        south_west, south_east = fan.south_west[place], fan.south_east[place]
        north_west, north_east = fan.north_west[place], fan.north_east[place]
        u, v, z = u - column, v - row, fan.z[place] - south_west
        ahead, turn = u - v, du - dv
        lower_first, lower_last = ahead + turn * low >= 0.0, ahead + turn * end >= 0.0
        same = lower_first == lower_last
        middle = end if same else min(max(-ahead / turn, low), end)
        lower_east, lower_north = south_east - south_west, north_east - south_east
        upper_east, upper_north = north_east - north_west, north_west - south_west
        lower_start = z - lower_east * u - lower_north * v
        lower_change = dz - lower_east * du - lower_north * dv
        upper_start = z - upper_east * u - upper_north * v
        upper_change = dz - upper_east * du - upper_north * dv
        first_start = lower_start if lower_first else upper_start
        first_change = lower_change if lower_first else upper_change
        last_start = upper_start if lower_first else lower_start
        last_change = upper_change if lower_first else lower_change
        in_first = not first_start + first_change * middle > 0.0
        in_last = (not same) & (not last_start + last_change * end > 0.0)
        start, change = (first_start if in_first else last_start), (first_change if in_first else last_change)
        least_t, most_t = (low if in_first else middle), (middle if in_first else end)
        t = min(max(-start / change, least_t), most_t) if change < 0.0 else least_t
        found = walks & (in_first | in_last)
        lower = lower_first == in_first
        fan.end[place] = t if found else most
        fan.east[place] = (lower_east if lower else upper_east) if found else fan.east[place]
        fan.north[place] = (lower_north if lower else upper_north) if found else fan.north[place]
        fan.met[place] = TERRAIN if found else fan.met[place]
        # On to the next cell.
        over_u = end_u < end_v
        next_u, next_v = (column + 1.0 if du > 0.0 else column - 1.0), (row + 1.0 if dv > 0.0 else row - 1.0)
        column, row = (next_u if over_u else column), (row if over_u else next_v)
        gone = (column < 0.0) | (column > last_column) | (row < 0.0) | (row > last_row)
        walks = walks & (not (found | gone | (end >= most)))
        fan.column[place], fan.row[place], fan.low[place] = column, row, (end if walks else INFINITY)
        number += 1 if walks else 0
    return number


@outlined
def _walk_on(field, column, row, u, v, z, du, dv, dz, per_du, per_dv, low, most):
    """Return the first hit of a beam that is above the terrain up to `low`, where it comes into a cell; `terrain_ray`.

    It is near, so the walk goes cell by cell, and in the steps of `walk_terrain` only if it is not.

    Args:
        field: HeightField.
        column, row: the cell.
        u, v, z: origin, in cells and m.
        du, dv, dz: direction, in the same units.
        per_du, per_dv: one over du and dv.
        low: as it says.
        most: farthest hit.
    """
    heights = field.heights
    rows, columns = heights.shape
    ahead_u, ahead_v = (1 if du > 0.0 else 0), (1 if dv > 0.0 else 0)
    for _ in range(NEAR_CELLS):
        end_u = (column + ahead_u - u) * per_du if du != 0.0 else INFINITY
        end_v = (row + ahead_v - v) * per_dv if dv != 0.0 else INFINITY
        end = max(min(min(end_u, end_v), most), low)
        south = max(heights[row, column], heights[row, column + 1])
        north = max(heights[row + 1, column], heights[row + 1, column + 1])
        if min(z + dz * low, z + dz * end) <= max(south, north):
            t, east, north = cross_cell(heights, column, row, u, v, z, du, dv, dz, 1.0, low, end)
            if t < INFINITY:
                return t, east / field.cell, north / field.cell
        if end >= most:
            return INFINITY, 0.0, 0.0
        low = end
        if end_u < end_v:
            column += 2 * ahead_u - 1
        else:
            row += 2 * ahead_v - 1
        if column < 0 or column > columns - 2 or row < 0 or row > rows - 2:
            return INFINITY, 0.0, 0.0
    return walk_terrain(field, u, v, z, du, dv, dz, 1.0, low, most, 1)


@kernel
def meet_ground(field, block, bins, fan, count):
    """Find where the beams of a fan end on the terrain, if before where they end as yet.

    Args:
        field: HeightField.
        block: size of a bin of the skyline, m.
        bins: number of bins; from above, beams of that bin are not looked at.
        fan: FAN record with directions, `bin`, `rise` and `end`.
        count: number of beams.
    """
    if _begin(block, float(bins), fan, count) == 0:
        return
    _enter_cells(field, fan, count)
    for _ in range(ABREAST):
        number = _look_at_cells(field, fan, count)
        if number * FEW <= count:
            break
    for place in range(count):
        fan.east[place], fan.north[place] = fan.east[place] / field.cell, fan.north[place] / field.cell
    for place in range(count):
        low, most = fan.low[place], fan.end[place]
        if low < INFINITY:
            t, east, north = _walk_on(
                field, int(fan.column[place]), int(fan.row[place]), fan.u[place], fan.v[place], fan.z[place],
                fan.du[place], fan.dv[place], fan.dz[place], fan.per_du[place], fan.per_dv[place], low, most,
            )  # fmt: skip
        elif fan.above[place] == 0.0 and fan.sector[place] != NO_SECTOR and most >= 0.0:
            t, east, north = terrain_ray(
                field, fan.x[place], fan.y[place], fan.z[place], fan.dx[place], fan.dy[place], fan.dz[place], most
            )
        else:
            continue
        if t < INFINITY:
            fan.end[place], fan.east[place], fan.north[place], fan.met[place] = t, east, north, TERRAIN
