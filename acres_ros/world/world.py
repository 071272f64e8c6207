"""The world: terrain, surfaces and named places, as the arrays that the kernels read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from acres_ros.models.ground import GRID, LAND, NO_FIELD, PATCH, SOIL, Ground
from acres_ros.models.obstacles import no_obstacles
from acres_ros.world.errors import UnknownNameError, WorldError
from acres_ros.world.surfaces import SurfaceClass, surface_class, surface_table

FLAT_HALF_WIDTH_M = 5000.0


@dataclass(frozen=True)
class Place:
    """A named pose of base_footprint: east, north (m) and yaw (rad)."""

    name: str
    x: float
    y: float
    yaw: float


@dataclass(frozen=True)
class World:
    """A static world, shared and read only.

    Attributes:
        name: what the world is called.
        ground: arrays for the kernels.
        places: named poses; the first is where a vehicle starts by default.
        bounds: west, south, east and north edge, m.
    """

    name: str
    ground: Ground
    places: tuple[Place, ...] = field(default_factory=tuple)
    bounds: tuple[float, float, float, float] = (-np.inf, -np.inf, np.inf, np.inf)

    def place(self, name: str) -> Place:
        """Return a named place; raise `UnknownNameError`."""
        for place in self.places:
            if place.name == name:
                return place
        raise UnknownNameError("place", name, (place.name for place in self.places))

    def inside(self, x: float, y: float) -> bool:
        """Return whether a point lies on the map."""
        west, south, east, north = self.bounds
        return bool(west <= x <= east and south <= y <= north)

    @classmethod
    def flat(cls, *, surface: str = "gravel", z: float = 0.0) -> World:
        """Return a level plane of one surface.

        Args:
            surface: name of a surface class.
            z: height of the plane, m.
        """
        half = FLAT_HALF_WIDTH_M
        return cls.height_field(
            np.full((2, 2), float(z)),
            x0=-half,
            y0=-half,
            cell=2.0 * half,
            surface=surface,
            name="flat",
        )

    @classmethod
    def yard(cls) -> World:
        """Return the built-in yard: a gravel lot round the garage, field 48 north of it, grass elsewhere; level."""
        from acres_ros.world.yard import yard

        return yard()

    @classmethod
    def height_field(
        cls,
        heights: np.ndarray,
        *,
        x0: float,
        y0: float,
        cell: float,
        surface: str = "grass",
        classes: np.ndarray | None = None,
        class_x0: float | None = None,
        class_y0: float | None = None,
        class_cell: float | None = None,
        places: tuple[Place, ...] = (),
        name: str = "height field",
    ) -> World:
        """Return a world of corner heights.

        Args:
            heights: heights (rows, columns) of the corners, m; row 0 is south, column 0 is west; 2 x 2 at least.
            x0: east of the south-west corner, m.
            y0: north of the south-west corner, m.
            cell: spacing of the corners, m.
            surface: the surface everywhere, when `classes` is not given.
            classes: surface class numbers (rows, columns), row 0 is south.
            class_x0: east of the south-west edge of the raster, m; default x0.
            class_y0: north of the south-west edge of the raster, m; default y0.
            class_cell: size of a raster cell, m; default `cell`.
            places: named poses; the default is `origin` in the middle of the map.
            name: what the world is called.
        """
        corners = np.ascontiguousarray(heights, np.float64)
        if corners.ndim != 2 or min(corners.shape) < 2:
            raise WorldError(
                "the shape of the heights",
                corners.shape,
                "two rows and two columns at least",
            )
        if not np.isfinite(corners).all():
            raise WorldError("a height", "not finite", "finite numbers only")
        if not (np.isfinite([x0, y0]).all() and np.isfinite(cell) and cell > 0.0):
            raise WorldError(
                "the grid (x0, y0, cell)",
                (x0, y0, cell),
                "finite numbers and a cell above 0",
            )
        raster = np.full((1, 1), surface_class(surface), np.uint8) if classes is None else _class_raster(classes)
        grid = GRID.new(1).view(np.ndarray)
        grid["x0"], grid["y0"], grid["cell"] = x0, y0, cell
        grid["class_x0"] = x0 if class_x0 is None else class_x0
        grid["class_y0"] = y0 if class_y0 is None else class_y0
        grid["class_cell"] = cell if class_cell is None else class_cell
        rows, columns = corners.shape
        bounds = (x0, y0, x0 + (columns - 1) * cell, y0 + (rows - 1) * cell)
        middle = Place("origin", 0.5 * (bounds[0] + bounds[2]), 0.5 * (bounds[1] + bounds[3]), 0.0)
        ground = Ground(
            grid,
            corners,
            raster,
            surface_table(),
            land=np.array([[(NO_FIELD, 0)]], LAND),
            soils=SOIL.new(1).view(np.ndarray),
            bins=np.zeros(2, np.int32),
            patches=np.zeros(0, PATCH),
            zones=np.zeros((1, 1), np.uint8),
            obstacles=no_obstacles(),
        )
        return cls(name, ground, places or (middle,), bounds)


def _class_raster(classes: np.ndarray) -> np.ndarray:
    raster = np.ascontiguousarray(classes, np.uint8)
    if raster.ndim != 2 or raster.size == 0:
        raise WorldError("the shape of the surface classes", raster.shape, "rows and columns")
    if raster.max() >= len(SurfaceClass):
        raise WorldError("a surface class", int(raster.max()), f"a number below {len(SurfaceClass)}")
    return raster


WORLDS: dict[str, Callable[[], World]] = {"flat": World.flat, "yard": World.yard}


def load_world(name: str) -> World:
    """Return a built-in world by its name; raise `UnknownNameError`."""
    try:
        make = WORLDS[name]
    except KeyError:
        raise UnknownNameError("world", name, WORLDS) from None
    return make()
