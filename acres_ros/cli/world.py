"""`acres world`: build the farm, draw a map of a world or the marks of a drive, list the worlds."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from acres_ros.cli._usage import as_usage, check_picture, drawing
from acres_ros.errors import AcresError, UsageError

HELP = "build the farm from a seed, draw a map of a world or the marks of a drive, list the worlds"


class OutputError(UsageError):
    """A folder that already holds something else."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder} is not empty: give --output a folder that is new or empty, or empty this one")


class FolderError(AcresError):
    """A folder that cannot be written."""

    def __init__(self, folder: Path, error: OSError) -> None:
        super().__init__(f"{folder} cannot be written ({error.strerror}): give --output a folder that can be")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the parts of the verb."""
    parts = parser.add_subparsers(dest="part", required=True, metavar="PART")
    build = parts.add_parser("build", help="write the files of the farm: relief, fields, soils, crops, obstacles")
    build.add_argument(
        "--seed", type=int, default=1, help="the same seed gives the same bytes, another one another farm"
    )
    build.add_argument("--output", type=Path, metavar="DIR", help="folder to write (default: the user's cache)")
    show = parts.add_parser("show", help="draw a map of a world, and tell its figures")
    show.add_argument(
        "--world", default="farm", metavar="NAME|DIR", help="farm, yard, flat, or a folder with ACRE/site.json"
    )
    show.add_argument(
        "--layers",
        metavar="LAYER,...",
        help="crops, surface, fields, soils or zones; and any of relief, contours, trees, buildings, labels, places "
        "(default: crops and all of these)",
    )
    show.add_argument("--picture", type=Path, default=Path("output/world.png"), metavar="FILE", help="file to draw")
    ruts = parts.add_parser("ruts", help="drive through field 24, and draw the ruts and the crushed crop")
    ruts.add_argument("--picture", type=Path, default=Path("output/ruts.png"), metavar="FILE", help="file to draw")
    parts.add_parser("list", help="list the worlds that have a name, and the farms that are built")


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen part."""
    return {"build": _build, "show": _show, "ruts": _ruts, "list": _list}[arguments.part](arguments)


def _say(line: str) -> None:
    print(f"[acres] {line}", flush=True)


def _build(arguments: argparse.Namespace) -> int:
    from acres_ros.world.tile import build_tile, tile_folder

    start = time.perf_counter()
    if arguments.output is None:
        with as_usage():
            folder = tile_folder(arguments.seed, _say)
    else:
        folder = arguments.output
        try:
            if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
                raise OutputError(folder)
            with as_usage():
                build_tile(folder, arguments.seed, _say)
        except OSError as error:
            raise FolderError(folder, error) from None
    _say(f"farm of seed {arguments.seed} after {time.perf_counter() - start:.1f} s: {folder}")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from acres_ros.tools.world_picture import DEFAULT_LAYERS, Shapes, check_layers, draw_world, load_shapes
    from acres_ros.world import WORLDS, load_world
    from acres_ros.world.tile import tile_folder

    layers = arguments.layers.split(",") if arguments.layers else DEFAULT_LAYERS
    check_layers(layers)
    name, picture = arguments.world, arguments.picture
    check_picture(picture)
    folder = tile_folder(progress=_say) if name == "farm" else None if name in WORLDS else Path(name)
    # The map needs the shapes of the scene, not the tree that rays are cast in.
    with as_usage():
        world = load_world(name, scene_file=None) if folder else load_world(name)
    scene = folder / "acre_scene.json" if folder else None
    shapes = load_shapes(scene) if scene and scene.exists() else Shapes()
    with drawing(picture):
        draw_world(world, shapes, picture, layers)
    west, south, east, north = world.bounds
    _say(f"{world.name}: x {west:g} to {east:g} m, y {south:g} to {north:g} m")
    _say(f"{len(world.fields)} fields, {len(world.ground.patches)} crop patches, {len(world.soils)} soil units")
    _say(f"{len(shapes.buildings)} buildings, {len(shapes.bins)} bins, {len(shapes.crowns)} trees")
    for place in world.places:
        _say(f"place {place.id}: x {place.x:g}, y {place.y:g} m{f' ({place.name})' if place.name else ''}")
    _say(f"picture: {picture}")
    return 0


def _ruts(arguments: argparse.Namespace) -> int:
    from acres_ros.tools.rut_picture import draw_ruts, drive_loop
    from acres_ros.world import World
    from acres_ros.world.tile import tile_folder

    picture = arguments.picture
    check_picture(picture)
    world = World.load(tile_folder(progress=_say), scene_file=None)
    trace = drive_loop(world, world.place("field-24"))
    with drawing(picture):
        draw_ruts(world, trace, picture)
    farm = trace.farm
    _say(f"{trace.path[-1]:.1f} m in {trace.time[-1]:.0f} s: {farm.crushed_m2:.2f} m2 of crop crushed")
    _say(f"ruts of {1000.0 * float(farm.ruts().depth.max()):.1f} mm at the deepest")
    _say(f"picture: {picture}")
    return 0


def _list(arguments: argparse.Namespace) -> int:
    from acres_ros.core.world_catalog import BUILT_IN
    from acres_ros.world.tile.build import built_tiles

    for entry in BUILT_IN:
        print(f"{entry.name:8}{entry.description}")
    for folder in built_tiles():
        print(f"{folder}")
    return 0
