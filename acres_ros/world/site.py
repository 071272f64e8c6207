"""The site of a tile: its grid, its place on the Earth, and what else its file says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from acres_ros.world.json_file import read_json

SITE_FILE = "site.json"
MOST_CELLS = 16384
"""Cells along one side of a grid; 2 GiB of heights in double precision."""


@dataclass(frozen=True)
class Site:
    """The numbers of `site.json`.

    Attributes:
        name: what the site is called; default the name of its folder.
        grid_step_m: spacing of the corner heights, and size of a surface cell.
        surface_width: cells of the grid from west to east; one corner more.
        surface_height: cells of the grid from south to north; default surface_width.
        x0_m: east of the south-west corner; default: x = 0 is the middle of the grid.
        y0_m: north of the south-west corner; default: y = 0 is the middle of the grid.
        latitude_deg: WGS 84 latitude of x = y = 0.
        longitude_deg: WGS 84 longitude of x = y = 0.
        altitude_m: height of z = 0 above the ellipsoid.
        utm_zone: UTM zone, northern hemisphere.
        land_cell_m: size of a cell of the land rasters (fields, soils, zones).
        off_map_margin_m: how far from the edge of the grid a vehicle counts as off the map.
        members: every member of the file, the ones above and its own.
    """

    name: str
    grid_step_m: float
    surface_width: int
    surface_height: int
    x0_m: float
    y0_m: float
    latitude_deg: float
    longitude_deg: float
    altitude_m: float
    utm_zone: int
    land_cell_m: float
    off_map_margin_m: float
    members: Mapping[str, object]

    @property
    def width_m(self) -> float:
        """Return the length of the grid from west to east, m."""
        return self.surface_width * self.grid_step_m

    @property
    def height_m(self) -> float:
        """Return the length of the grid from south to north, m."""
        return self.surface_height * self.grid_step_m


def load_site(path: str | Path) -> Site:
    """Return the site of a tile.

    Args:
        path: `site.json`, or the folder that holds it.

    Raises:
        WorldFileError: a file that is not JSON, a required member that is missing, a member of the wrong kind or range.
    """
    file = Path(path)
    if file.suffix != ".json":
        file = file / SITE_FILE
    site = read_json(file)
    step = site.member("grid_step_m").number(above=0.0, high=1e4)
    width = site.member("surface_width").integer(1, MOST_CELLS)
    height = site.member("surface_height", width).integer(1, MOST_CELLS)
    return Site(
        name=site.member("name", file.absolute().parent.name).text(),
        grid_step_m=step,
        surface_width=width,
        surface_height=height,
        x0_m=site.member("x0_m", -0.5 * width * step).number(-1e7, 1e7),
        y0_m=site.member("y0_m", -0.5 * height * step).number(-1e7, 1e7),
        latitude_deg=site.member("latitude_deg", 40.47).number(0.0, 84.0),
        longitude_deg=site.member("longitude_deg", -86.99).number(-180.0, 180.0),
        altitude_m=site.member("altitude_m", 181.0).number(-500.0, 9000.0),
        utm_zone=site.member("utm_zone", 16).integer(1, 60),
        land_cell_m=site.member("land_cell_m", 4.0).number(above=0.0, high=1e4),
        off_map_margin_m=site.member("off_map_margin_m", 10.0).number(0.0, 1e4),
        members=dict(site.members()),
    )
