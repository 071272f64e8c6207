"""Build the tile: all its files from a seed, and the folder that keeps it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from acres_ros._cache import cache_base, remove_unused
from acres_ros.world.errors import WorldError
from acres_ros.world.surfaces import SurfaceClass
from acres_ros.world.tile import frame, rasters, scene, writers
from acres_ros.world.tile.buildings import GARAGE_WAY
from acres_ros.world.tile.layout import PLACES, Layout, lay_out
from acres_ros.world.tile.shapes import bounds, window
from acres_ros.world.tile.soils import soil_raster, soil_units
from acres_ros.world.tile.trees import plant_trees
from acres_ros.world.tile.water import HALF_WIDTH_M, distance_from

NAME = "ACRE"
SEASON = "2026"
DEFAULT_SEED = 1
MOST_SEED = 2**32 - 1


ROW_SPACING_M = {"corn": 0.762, "soybean": 0.762, "potato": 0.914}

Progress = Callable[[str], None]


def build_tile(directory: str | Path, seed: int = DEFAULT_SEED, progress: Progress | None = None) -> None:
    """Write a tile: `ACRE/` with its rasters, fields, soils, crops and places, and `acre_scene.json`.

    The same seed gives the same bytes of every file.

    Args:
        directory: folder to write into; it is made where it is missing.
        seed: 0 to 4294967295.
        progress: called with a line of text before each part.

    Raises:
        WorldError: a seed out of range.
    """
    if not 0 <= seed <= MOST_SEED:
        raise WorldError("the seed of a tile", seed, f"a whole number from 0 to {MOST_SEED}")
    say = progress or (lambda line: None)
    root = Path(directory)
    acre, scouting = root / "ACRE", root / "ACRE" / "Scouting"
    scouting.mkdir(parents=True, exist_ok=True)
    say("relief, waterways, roads and fields")
    layout = lay_out(seed)
    writers.write_heights(acre / "heights.f32", layout.heights)
    say("surfaces, fields, soils and ground classes")
    zones = rasters.zone_raster(layout.roads, layout.fields, layout.farms, layout.waterways, layout.woods)
    writers.write_raster(acre / "surface.u8", layout.surface)
    writers.write_raster(acre / "fields.u8", rasters.field_raster(layout.fields))
    writers.write_raster(acre / "soils.u8", soil_raster(seed, layout.plain))
    writers.write_raster(scouting / "ground_classes.u8", zones)
    say("buildings, bins and trees")
    trees = plant_trees(seed, _free(layout), frame.cell_axis(), layout.woods, layout.farms, layout.waterways)
    writers.write_document(root / "acre_scene.json", scene.scene_document(layout.heights, layout.farms, trees))
    writers.write_document(scouting / "obstacles.json", scene.obstacle_document(layout.farms, trees))
    say("lists of fields, crops, soils and places")
    for name, document in documents(layout, seed).items():
        writers.write_document(acre / name, document)


def documents(layout: Layout, seed: int) -> dict[str, dict[str, Any]]:
    """Return the JSON documents of the folder `ACRE`, by the names of their files."""
    fields = [
        {
            "number": field.number,
            "name": field.name,
            "crop": field.crop,
            "polygon": [list(point) for point in field.polygon],
            "row_heading_deg": field.heading_deg,
        }
        for field in layout.fields
    ]
    crops: list[dict[str, Any]] = []
    for field in layout.fields:
        crops.append({"number": field.number, "crop": field.crop})
        if field.planted:
            crops[-1] |= {"growth": 1.0, "row_spacing_m": ROW_SPACING_M[field.crop]}
    places = [{"id": i, "name": name, "x": x, "y": y, "yaw_deg": yaw} for i, name, x, y, yaw in PLACES]
    return {
        "site.json": site(layout, seed),
        "fields.json": {"schema": "acres-fields-1", "fields": fields},
        f"crops_{SEASON}.json": {"schema": "acres-crops-1", "season": SEASON, "fields": crops},
        "soils.json": {"schema": "acres-soils-1", "units": soil_units()},
        "places.json": {"schema": "acres-places-1", "places": places},
    }


def site(layout: Layout, seed: int) -> dict[str, Any]:
    """Return the members of `site.json`."""
    return {
        "schema": "acres-site-1",
        "name": NAME if seed == DEFAULT_SEED else f"{NAME} {seed}",
        "description": "Synthetic farm of the size, the soils and the place of the Purdue Agronomy Center (ACRE)",
        "source": "acres_ros.world.tile: generated, not surveyed",
        "seed": seed,
        "season": SEASON,
        "grid_step_m": frame.STEP_M,
        "surface_width": frame.CELLS,
        "surface_height": frame.CELLS,
        "x0_m": -frame.HALF_M,
        "y0_m": -frame.HALF_M,
        "width_m": 2.0 * frame.HALF_M,
        "height_m": 2.0 * frame.HALF_M,
        "lowest_m": round(float(layout.heights.min()), 3),
        "highest_m": round(float(layout.heights.max()), 3),
        "land_cell_m": frame.LAND_CELL_M,
        "land_width": frame.LAND_CELLS,
        "land_height": frame.LAND_CELLS,
        "off_map_margin_m": 10.0,
        # x = y = z = 0 of the tile; the height is that above the WGS 84 ellipsoid, 33.3 m below the one above sea.
        "latitude_deg": 40.4784,
        "longitude_deg": -86.9943,
        "altitude_m": 184.7,
        "elevation_m": 218.0,
        "utm_zone": 16,
        "datum": "WGS 84; elevation_m above NAVD 88",
    }


def _free(layout: Layout) -> np.ndarray:
    """Return the surface cells (rows, columns) on which a tree may stand: grass, not mown, away from walls and bins."""
    axis = frame.cell_axis()
    free = (layout.surface == SurfaceClass.GRASS) & (rasters.road_raster(layout.roads, axis, axis).edge > 1.4)
    for field in layout.fields:
        rasters.paint(free, False, field.polygon, axis, axis)
    for water in layout.waterways:
        free &= distance_from(water, axis, axis) > HALF_WIDTH_M
    free[window(axis, axis, GARAGE_WAY)] = False
    for farm in layout.farms:
        boxes = [bounds(building.outline) for building in farm.buildings]
        boxes += [(b.x - b.radius, b.y - b.radius, b.x + b.radius, b.y + b.radius) for b in farm.bins]
        for box in boxes:
            free[window(axis, axis, box, 3.0)] = False
    return free


def generator_hash() -> str:
    """Return 12 hex digits that change with any source of the generator and with numpy's version."""
    digest = hashlib.sha256(np.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def worlds_folder() -> Path:
    """Return the folder of the tiles in the user's cache."""
    return cache_base() / "worlds"


def built_tiles() -> list[Path]:
    """Return the folders of the tiles that this generator has built into the user's cache."""
    return sorted(path for path in worlds_folder().glob(f"farm-*-{generator_hash()}") if path.is_dir())


def tile_path(seed: int = DEFAULT_SEED) -> Path:
    """Return where a tile lies in the user's cache, built or not."""
    return worlds_folder() / f"farm-{seed}-{generator_hash()}"


def remove_unused_tiles() -> list[Path]:
    """Remove the tiles of other generators that nothing has used for a month, and halves of tiles as old; return them.

    A half is what a build leaves that was killed.
    """
    own = set(built_tiles())
    folders = [
        path for path in worlds_folder().glob("farm-*") if re.fullmatch(r"farm-\d+-[0-9a-f]{12}(\..+)?", path.name)
    ]
    return remove_unused(path for path in folders if path not in own)


def tile_folder(seed: int = DEFAULT_SEED, progress: Progress | None = None) -> Path:
    """Return the folder of a tile in the user's cache, with the time of its last use; build it on the first one.

    It is built beside its place and renamed into it, so nobody sees half a tile, and of two processes at once both
    succeed.

    Args:
        seed: see `build_tile`.
        progress: see `build_tile`.

    Raises:
        WorldError: a seed out of range, or a cache folder that cannot be written.
    """
    folder = tile_path(seed)
    if folder.is_dir():
        with contextlib.suppress(OSError):  # a cache that only others may write to serves as well
            os.utime(folder)
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise WorldError("the folder of the worlds", str(folder.parent), f"a folder to write in ({error})") from None
    try:
        build_tile(temporary, seed, progress)
        temporary.chmod(0o755)
        temporary.rename(folder)
    except OSError as error:
        if not folder.is_dir():
            raise WorldError("the folder of the tile", str(folder), f"a folder to write in ({error})") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder
