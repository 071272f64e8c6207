"""Read the folder of a tile: `ACRE/` with its rasters and tables, the obstacle scene, the map of a scouting flight."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import Enum
from math import ceil
from pathlib import Path

import numpy as np

from acres_ros.models.ground import LAND
from acres_ros.world.array_file import read_array
from acres_ros.world.crops import CROP_HEIGHTS_M, field_growth, load_plan, plant, sort_patches
from acres_ros.world.errors import WorldError, WorldFileError
from acres_ros.world.fields import load_field_raster, load_fields
from acres_ros.world.places import Place, load_places
from acres_ros.world.scene import Scene
from acres_ros.world.scene_file import read_obstacles, read_scene
from acres_ros.world.site import Site, load_site
from acres_ros.world.soils import load_soil_raster, load_soils, soil_records
from acres_ros.world.surfaces import SurfaceClass, surface_table
from acres_ros.world.terrain import Terrain
from acres_ros.world.world import World
from acres_ros.world.zones import load_zones

ACRE = "ACRE"
MOST_LAND_CELLS = 1 << 28


class Own(Enum):
    """Which file is meant when none is given."""

    FILE = "the file of the folder, if it has one"


SCENE = "acre_scene.json"
OBSTACLES = f"{ACRE}/Scouting/obstacles.json"
GROUND_CLASSES = f"{ACRE}/Scouting/ground_classes.u8"


def load_content(
    directory: str | Path,
    *,
    season: str = "2026",
    growth: float = 1.0,
    generated_crops: bool = True,
    farm_water: bool = True,
    crop_heights: tuple[float, float, float] = CROP_HEIGHTS_M,
    scene_file: str | Path | Own | None = Own.FILE,
    obstacles_file: str | Path | Own | None = Own.FILE,
    ground_classes_file: str | Path | Own | None = Own.FILE,
) -> World:
    """Return the world of a folder.

    Args:
        directory: the folder that holds `ACRE/site.json`.
        season: crop plan `ACRE/crops_<season>.json`; `legacy` takes the crops of `ACRE/fields.json`.
        growth: growth of each planted field, 0 to 1; the plan's own growth of a field multiplies it.
        generated_crops: whether fields without surveyed patches are planted on the grid of whole metres.
        farm_water: whether the wheels feel the soil water of the farm; else every soil is at the reference state of its
            surface.
        crop_heights: heights of mature corn, soybean and potato, m.
        scene_file: obstacle scene; by default `acre_scene.json` of the folder, if it is there; None: no scene.
        obstacles_file: obstacles in place of the outlines of the scene; by default `ACRE/Scouting/obstacles.json`, if
            there is a scene and this file; None: the outlines of the scene.
        ground_classes_file: zones of the crop accounts; by default `ACRE/Scouting/ground_classes.u8`, if it is there;
            None: none.

    Raises:
        WorldFileError: a file that is missing or not right.
        UnknownNameError: a season without a crop plan.
        WorldError: an option that cannot be, or an obstacles_file without a scene.
    """
    acre = Path(directory) / ACRE
    site = load_site(acre)
    places = load_places(acre / "places.json")
    world = World.height_field(
        Terrain.load(acre).heights,
        x0=site.x0_m,
        y0=site.y0_m,
        cell=site.grid_step_m,
        classes=_classes(acre, site),
        places=places,
        name=site.name,
    )
    _check_places(acre / "places.json", places, world)
    rows, columns = _land_shape(acre, site)
    fields = load_fields(acre / "fields.json")
    units = load_soils(acre / "soils.json")
    land = np.zeros((rows, columns), LAND)
    land["field"] = load_field_raster(acre / "fields.u8", rows, columns, fields)
    land["soil"] = load_soil_raster(acre / "soils.u8", rows, columns, len(units))
    plan = load_plan(acre, season, fields, world.bounds)
    grown = field_growth(plan, growth)
    patches = plant(plan, fields, world.bounds, grown, generated=generated_crops, heights=crop_heights)
    patches, bins = sort_patches(patches, site.x0_m, site.y0_m, site.land_cell_m, rows, columns)
    grid = world.ground.grid.copy()
    grid["margin"] = site.off_map_margin_m
    grid["land_x0"], grid["land_y0"], grid["land_cell"] = site.x0_m, site.y0_m, site.land_cell_m
    ground = world.ground._replace(
        grid=grid,
        land=land,
        soils=soil_records(units),
        surfaces=surface_table(farm_water=farm_water),
        bins=bins,
        patches=patches,
    )
    world = replace(world, ground=ground, fields=fields, growth=grown, soils=units, site=site)
    if scene_file is None and isinstance(obstacles_file, str | Path):
        raise WorldError("obstacles_file", str(obstacles_file), "None, because there is no scene")
    world = _with_scene(world, _file(directory, scene_file, SCENE), _file(directory, obstacles_file, OBSTACLES))
    zones = _file(directory, ground_classes_file, GROUND_CLASSES)
    if zones is None:
        return world
    return world.with_zones(load_zones(zones, rows, columns), x0=site.x0_m, y0=site.y0_m, cell=site.land_cell_m)


def _with_scene(world: World, scene_file: Path | None, obstacles_file: Path | None) -> World:
    if scene_file is None:
        return world
    content = read_scene(scene_file)
    if obstacles_file is not None:
        content = replace(content, outlines=read_obstacles(obstacles_file, world.terrain))
    scene = Scene.build(content)
    return replace(world, scene=scene, ground=world.ground._replace(obstacles=scene.obstacles))


def _file(directory: str | Path, given: str | Path | Own | None, own: str) -> Path | None:
    """Return the file that an option means; None is none."""
    if isinstance(given, Own):
        path = Path(directory) / own
        return path if path.exists() else None
    return None if given is None else Path(given)


def _classes(acre: Path, site: Site) -> np.ndarray:
    classes = read_array(acre / "surface.u8", "u1", site.surface_height, site.surface_width)
    if classes.max() >= len(SurfaceClass):
        row, column = np.argwhere(classes >= len(SurfaceClass))[0]
        wanted = f"a surface class, below {len(SurfaceClass)}"
        raise WorldFileError(acre / "surface.u8", f"[{row}, {column}]", int(classes[row, column]), wanted)
    return classes


def _land_shape(acre: Path, site: Site) -> tuple[int, int]:
    """Return rows and columns of the land rasters: as many cells as cover the map."""
    # The sizes are products of decimals: 381.0000000000001 cells are 381.
    high, wide = site.height_m / site.land_cell_m, site.width_m / site.land_cell_m
    rows, columns = (ceil(min(count, MOST_LAND_CELLS + 1.0) - 1e-9) for count in (high, wide))
    if rows * columns > MOST_LAND_CELLS:
        wanted = f"at most {MOST_LAND_CELLS} land cells; this makes {high * wide:.0f}"
        raise WorldFileError(acre / "site.json", "land_cell_m", site.land_cell_m, wanted)
    return rows, columns


def _check_places(file: Path, places: Iterable[Place], world: World) -> None:
    for index, place in enumerate(places):
        if not world.inside(place.x, place.y):
            wanted = "a place on the map: from ({:g}, {:g}) to ({:g}, {:g}) m".format(*world.bounds)
            raise WorldFileError(file, f"places[{index}]", [place.x, place.y], wanted)
