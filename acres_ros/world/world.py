"""The world: terrain, surfaces, farm and named places, as the arrays that the kernels read and as functions of a point.

Positions are metres east and north. A raster goes on beyond its edge with its border cell, as in the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os.path import isdir
from pathlib import Path
from typing import Any

import numpy as np

from acres_ros._digest import digest
from acres_ros.models.farm import FIELDS
from acres_ros.models.footing import water_at
from acres_ros.models.ground import GRID, LAND, NO_FIELD, PATCH, Ground
from acres_ros.models.obstacles import no_obstacles
from acres_ros.world.errors import UnknownNameError, WorldError
from acres_ros.world.fields import Field, field_polygon_at
from acres_ros.world.georeference import Origin
from acres_ros.world.places import Place, place_named
from acres_ros.world.scene import Scene
from acres_ros.world.site import Site
from acres_ros.world.soils import PLAIN_SOIL, SoilUnit, TextureGroup, soil_records
from acres_ros.world.surfaces import SurfaceClass, SurfaceState, surface_at, surface_class, surface_table
from acres_ros.world.terrain import Terrain
from acres_ros.world.zones import zone_raster

FLAT_HALF_WIDTH_M = 5000.0


@dataclass(frozen=True, eq=False)
class World:
    """A static world, shared and read only.

    Attributes:
        name: what the world is called.
        ground: arrays for the kernels.
        places: named poses; the first is where a vehicle starts by default.
        bounds: west, south, east and north edge, m.
        fields: fields by number.
        growth: growth of the crop of each field number (60,), 0 to 1; 0 where nothing is planted.
        soils: soil units, as `ground.land` numbers them.
        site: what the file of the site says; None for a world without one.
        scene: obstacles, for rays and for collisions; None for a world without any.
    """

    name: str
    ground: Ground
    places: tuple[Place, ...] = ()
    bounds: tuple[float, float, float, float] = (-np.inf, -np.inf, np.inf, np.inf)
    fields: Mapping[int, Field] = field(default_factory=dict)
    growth: np.ndarray = field(default_factory=lambda: np.zeros(FIELDS))
    soils: tuple[SoilUnit, ...] = (PLAIN_SOIL,)
    site: Site | None = None
    scene: Scene | None = None

    @cached_property
    def terrain(self) -> Terrain:
        """Return the heights as a surface to look up and to cast rays on."""
        grid = self.ground.grid[0]
        return Terrain(self.ground.heights, float(grid["x0"]), float(grid["y0"]), float(grid["cell"]))

    @cached_property
    def digest(self) -> str:
        """Return 16 hex digits that change with all that a vehicle or a ray can meet, and with the place on Earth."""
        return digest(self.bounds, self.ground, self.scene, self.origin)

    @property
    def origin(self) -> Origin | None:
        """Return the point of the Earth at (0, 0, 0); None where no file says it."""
        site = self.site
        if site is None or not {"latitude_deg", "longitude_deg"} <= site.members.keys():
            return None
        return Origin(site.latitude_deg, site.longitude_deg, site.altitude_m, site.utm_zone)

    def place(self, name: str) -> Place:
        """Return a place by its id, or else by its name; raise `UnknownNameError`."""
        return place_named(self.places, name)

    def inside(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Return whether a point lies on the map, and this far (m) from its edge."""
        west, south, east, north = self.bounds
        return bool(west + margin <= x <= east - margin and south + margin <= y <= north - margin)

    def surface_class_at(self, x: float, y: float) -> SurfaceClass:
        """Return the surface class at a point."""
        return SurfaceClass(int(self._at("class", self.ground.classes, x, y)))

    def surface_at(self, x: float, y: float, conditions: np.ndarray, rut: float = 0.0) -> SurfaceState:
        """Return what a rear wheel of the standing vehicle would feel at a point.

        Args:
            x: east, m.
            y: north, m.
            conditions: one record of `acres_ros.models.farm.CONDITIONS`.
            rut: depth of the rut that the wheel meets, m.
        """
        return surface_at(self.ground, np.ravel(conditions).view(np.ndarray), x, y, rut)

    def field_at(self, x: float, y: float) -> int:
        """Return the field number at a point by the raster; 255 outside every field."""
        return int(self._at("land", self.ground.land, x, y)["field"])

    def field_polygon_at(self, x: float, y: float) -> int:
        """Return the number of the first field whose polygon holds a point; 255 outside every field."""
        return field_polygon_at(self.fields, x, y)

    def soil_at(self, x: float, y: float) -> SoilUnit:
        """Return the soil unit at a point."""
        return self.soils[int(self._at("land", self.ground.land, x, y)["soil"])]

    def soil_texture_at(self, x: float, y: float) -> TextureGroup:
        """Return the texture group of the soil unit at a point."""
        return self.soil_at(x, y).group

    def land_cell_at(self, x: float, y: float) -> int:
        """Return the number of the land cell at a point: row by row from the south, each from the west."""
        rows, columns = self.ground.land.shape
        return self._cell("land_y0", "land_cell", y, rows) * columns + self._cell("land_x0", "land_cell", x, columns)

    def cell_theta(self, cell: int, conditions: np.ndarray) -> float:
        """Return the volumetric water content of a land cell in a scenario; its surface is that of its middle.

        Args:
            cell: number of the cell, from `land_cell_at`.
            conditions: one record of `acres_ros.models.farm.CONDITIONS`.

        Raises:
            WorldError: no such cell.
        """
        if not 0 <= cell < self.ground.land.size:
            raise WorldError("the land cell", cell, f"0 to {self.ground.land.size - 1}")
        grid = self.ground.grid[0]
        row, column = divmod(cell, self.ground.land.shape[1])
        x = grid["land_x0"] + (column + 0.5) * grid["land_cell"]
        y = grid["land_y0"] + (row + 0.5) * grid["land_cell"]
        return float(water_at(self.ground, np.ravel(conditions).view(np.ndarray), x, y))

    def field_growth(self, number: int) -> float:
        """Return the growth of the crop of a field, 0 to 1; 0 where nothing is planted. Raise `WorldError`."""
        if not 0 <= number < FIELDS:
            raise WorldError("the field", number, f"0 to {FIELDS - 1}")
        return float(self.growth[number])

    def patch_bin(self, bx: int, by: int) -> tuple[int, int]:
        """Return the first patch in a land cell and the one after the last; nothing outside the raster.

        Args:
            bx: column of the cell, from the west.
            by: row of the cell, from the south.
        """
        rows, columns = self.ground.land.shape
        if not (0 <= bx < columns and 0 <= by < rows):
            return 0, 0
        cell = by * columns + bx
        return int(self.ground.bins[cell]), int(self.ground.bins[cell + 1])

    def zone_at(self, x: float, y: float) -> int:
        """Return the zone at a point, 0 to 7."""
        return int(self._at("zone", self.ground.zones, x, y))

    def with_zones(self, zones: np.ndarray, *, x0: float, y0: float, cell: float) -> World:
        """Return this world with other zones for the accounts of crushed crop.

        Args:
            zones: zone numbers 0 to 7 (rows, columns), row 0 is south.
            x0: east of the south-west edge of the raster, m.
            y0: north of the south-west edge of the raster, m.
            cell: size of a raster cell, m.

        Raises:
            WorldError: numbers that are no zones, or no raster.
        """
        _check_frame("the raster of zones (x0, y0, cell)", x0, y0, cell)
        grid = self.ground.grid.copy()
        grid["zone_x0"], grid["zone_y0"], grid["zone_cell"] = x0, y0, cell
        return replace(self, ground=self.ground._replace(grid=grid, zones=zone_raster(zones)))

    def _at(self, raster: str, values: np.ndarray, x: float, y: float) -> Any:
        rows, columns = values.shape
        row = self._cell(f"{raster}_y0", f"{raster}_cell", y, rows)
        return values[row, self._cell(f"{raster}_x0", f"{raster}_cell", x, columns)]

    def _cell(self, first: str, size: str, coordinate: float, count: int) -> int:
        grid = self.ground.grid[0]
        place = (coordinate - grid[first]) / grid[size]
        return int(min(place, count - 1)) if place > 0.0 else 0

    @classmethod
    def load(cls, directory: str | Path, **options: Any) -> World:
        """Return the world of a folder with `ACRE/site.json`.

        Args:
            directory: the folder.
            options: as `acres_ros.world.content.load_content` takes them.
        """
        from acres_ros.world.content import load_content

        return load_content(directory, **options)

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
        # Arrays of its own: the kernels are compiled for arrays that can be written to.
        corners = np.array(heights, np.float64, order="C")
        if corners.ndim != 2 or min(corners.shape) < 2:
            raise WorldError("the shape of the heights", corners.shape, "two rows and two columns at least")
        if not np.isfinite(corners).all():
            raise WorldError("a height", "not finite", "finite numbers only")
        _check_frame("the grid (x0, y0, cell)", x0, y0, cell)
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
            soils=soil_records((PLAIN_SOIL,)),
            bins=np.zeros(2, np.int32),
            patches=np.zeros(0, PATCH),
            zones=np.zeros((1, 1), np.uint8),
            obstacles=no_obstacles(),
        )
        return cls(name, ground, places or (middle,), bounds)


def _check_frame(what: str, x0: float, y0: float, cell: float) -> None:
    if not (np.isfinite([x0, y0]).all() and np.isfinite(cell) and cell > 0.0):
        raise WorldError(what, (x0, y0, cell), "finite numbers and a cell above 0")


def _class_raster(classes: np.ndarray) -> np.ndarray:
    given = np.asarray(classes)
    if given.ndim != 2 or given.size == 0:
        raise WorldError("the shape of the surface classes", given.shape, "rows and columns")
    if given.min() < 0 or given.max() >= len(SurfaceClass):
        wrong = given.min() if given.min() < 0 else given.max()
        raise WorldError("a surface class", int(wrong), f"a number from 0, below {len(SurfaceClass)}")
    return np.array(given, np.uint8, order="C")


def _farm(**options: Any) -> World:
    from acres_ros.world.tile import tile_folder

    return replace(World.load(tile_folder(), **options), name="farm")


WORLDS: dict[str, Callable[..., World]] = {"flat": World.flat, "yard": World.yard, "farm": _farm}


def load_world(name: str, **options: Any) -> World:
    """Return a world by its name, or the world of a folder with `ACRE/site.json`.

    Args:
        name: `flat`, `yard`, `farm`, or the path of a folder; a path has a slash or is that of a folder that exists.
        options: for `flat` as `World.flat` takes them; for `farm` and a folder as `load_content` takes them.

    Raises:
        UnknownNameError: neither a name of a world nor a folder.
        WorldFileError: a file of the folder that is not right.
    """
    if name in WORLDS:
        return WORLDS[name](**options)
    if "/" in name or isdir(name):  # `Path.is_dir` raises for a name that is too long
        return World.load(name, **options)
    raise UnknownNameError("world", name, [*WORLDS, "or the path of a folder with ACRE/site.json"])
