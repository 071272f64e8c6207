"""The height field of a tile: heights, normals and rays, exact on the triangles that the wheels roll on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from acres_ros.models.terrain_ray import (
    HeightField,
    cast_terrain_ray,
    cast_terrain_rays,
    height_field,
    look_up_height,
    look_up_heights,
)
from acres_ros.world.array_file import read_array
from acres_ros.world.errors import WorldError, WorldFileError
from acres_ros.world.rays import RayHit, hit_point, one_ray, ray_arrays, ray_limit, ray_limits
from acres_ros.world.site import SITE_FILE, load_site

HEIGHTS_FILE = "heights.f32"
HIGHEST_M = 1e5


@dataclass(frozen=True, eq=False)
class Terrain:
    """A surface of corner heights on a square grid; each cell is two triangles, cut from south-west to north-east.

    Beyond the edge of the grid the border height goes on level; rays find nothing there.

    Attributes:
        heights: corner heights (rows, columns), m, read only; row 0 is south, column 0 is west.
        x0: east of the south-west corner, m.
        y0: north of the south-west corner, m.
        cell: spacing of the corners, m.
    """

    heights: np.ndarray
    x0: float
    y0: float
    cell: float

    def __post_init__(self) -> None:
        corners = np.ascontiguousarray(self.heights, np.float64)
        if corners.ndim != 2 or min(corners.shape) < 2:
            raise WorldError("the shape of the heights", corners.shape, "two rows and two columns at least")
        if not np.abs(corners).max() <= HIGHEST_M:
            raise WorldError("a height", "not finite, or too large", f"numbers within {HIGHEST_M:g} m of 0")
        if not (np.isfinite([self.x0, self.y0, self.cell]).all() and self.cell > 0.0):
            raise WorldError("the grid (x0, y0, cell)", (self.x0, self.y0, self.cell), "finite numbers, a cell above 0")
        object.__setattr__(self, "heights", corners)

    @classmethod
    def load(cls, acre_directory: str | Path) -> Terrain:
        """Return the terrain of a tile.

        Args:
            acre_directory: folder with `site.json` and `heights.f32`.

        Raises:
            WorldFileError: a file that is missing or not right.
        """
        folder = Path(acre_directory)
        site = load_site(folder / SITE_FILE)
        file = folder / HEIGHTS_FILE
        heights = read_array(file, "<f4", site.surface_height + 1, site.surface_width + 1).astype(np.float64)
        wrong = np.argwhere(~(np.abs(heights) <= HIGHEST_M))
        if len(wrong):
            row, column = (int(index) for index in wrong[0])
            wanted = f"a number within {HIGHEST_M:g} m of 0"
            raise WorldFileError(file, f"row {row}, column {column}", float(heights[row, column]), wanted)
        return cls(heights, site.x0_m, site.y0_m, site.grid_step_m)

    @classmethod
    def flat(cls, z: float = 0.0, half_size: float = 762.0, step: float = 1.524) -> Terrain:
        """Return a level plane round the origin.

        Args:
            z: its height, m.
            half_size: from the origin to each edge, m.
            step: spacing of the corners, m; less where cells of this size do not fill the plane.
        """
        if not (0.0 < half_size <= 1e7 and 0.0 < step <= 1e7):
            raise WorldError("half_size, step", (half_size, step), "lengths above 0, 1e7 m at most")
        count = max(1, int(np.ceil(2.0 * half_size / step - 1e-9)))
        if count > 16384:
            raise WorldError("half_size, step", (half_size, step), "16384 cells on a side at most")
        return cls(np.full((count + 1, count + 1), float(z)), -half_size, -half_size, 2.0 * half_size / count)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Return west, south, east and north edge, m."""
        rows, columns = self.heights.shape
        return self.x0, self.y0, self.x0 + (columns - 1) * self.cell, self.y0 + (rows - 1) * self.cell

    @cached_property
    def field(self) -> HeightField:
        """Return the arrays that the kernels read, with the pyramid for rays; made when first asked for."""
        return height_field(self.heights, self.x0, self.y0, self.cell)

    def height_at(self, x: Any, y: Any) -> Any:
        """Return the height (m) at a point, or at each of many; NaN at a place that is none."""
        if np.ndim(x) == 0 and np.ndim(y) == 0:
            return look_up_height(self.field, float(x), float(y))[0]
        return self._look_up(x, y)[0]

    def normal_at(self, x: Any, y: Any) -> Any:
        """Return the unit normal, up, of the triangle at a point: a tuple; at each of many: an array (n, 3)."""
        if np.ndim(x) == 0 and np.ndim(y) == 0:
            return look_up_height(self.field, float(x), float(y))[1:]
        return self._look_up(x, y)[1]

    def _look_up(self, x: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        east, north = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
        heights, normals = np.empty(east.size), np.empty((east.size, 3))
        look_up_heights(self.field, east.flatten(), north.flatten(), heights, normals)
        return heights.reshape(east.shape), normals.reshape(*east.shape, 3)

    def ray_cast(self, origin: Sequence[float], direction: Sequence[float], max_t: float = np.inf) -> RayHit | None:
        """Return the first hit of a ray on the surface, from above or from below; None if there is none.

        Args:
            origin: x, y, z, m.
            direction: x, y, z; any length above 0.
            max_t: farthest hit, in units of the direction: m if its length is 1.

        Raises:
            WorldError: a number that is not finite, a direction of 0, a negative max_t.
        """
        start, along = one_ray(origin, direction)
        t, nx, ny, nz = cast_terrain_ray(self.field, *start, *along, ray_limit("max_t", max_t))
        return RayHit(t, hit_point(start, along, t), (nx, ny, nz)) if t < np.inf else None

    def ray_casts(self, origins: Any, directions: Any, max_t: Any = np.inf) -> tuple[np.ndarray, np.ndarray]:
        """Return for many rays t of the first hit (n,), infinity for none, and the normals there (n, 3).

        Args:
            origins: (n, 3) or one for all, m.
            directions: (n, 3) or one for all; any length above 0.
            max_t: farthest hit of all or of each, in units of the direction.
        """
        starts, along = ray_arrays(origins, directions)
        most = ray_limits("max_t", max_t, len(starts))
        distances, normals = np.empty(len(starts)), np.empty((len(starts), 3))
        cast_terrain_rays(self.field, starts, along, most, distances, normals)
        return distances, normals

    def inside(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Return whether a point lies on the grid, `margin` m or more from its edge."""
        west, south, east, north = self.bounds
        return bool(west + margin <= x <= east - margin and south + margin <= y <= north - margin)

    def to_grid(self, x: float, y: float) -> tuple[float, float]:
        """Return column and row of a point, with their fractions; whole numbers are corners."""
        return (x - self.x0) / self.cell, (y - self.y0) / self.cell

    def from_grid(self, column: float, row: float) -> tuple[float, float]:
        """Return the point (m) of a column and a row, which may have fractions."""
        return self.x0 + column * self.cell, self.y0 + row * self.cell
