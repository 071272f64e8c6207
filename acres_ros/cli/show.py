"""`acres show`: draw what the sensors of the vehicle see, and how wrong they are."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from acres_ros.cli._usage import as_usage, check_picture, drawing, seed

HELP = "draw what the sensors see: a scan of the LiDAR, the errors of the INS"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the parts of the verb."""
    parts = parser.add_subparsers(dest="part", required=True, metavar="PART")
    scan = parts.add_parser("scan", help="draw a scan of the Helios at a place of a world, from above and as an image")
    scan.add_argument(
        "--world", default="farm", metavar="NAME|DIR", help="farm, yard, flat, or a folder with ACRE/site.json"
    )
    scan.add_argument("--place", metavar="ID", help="a place of the world (default: its first)")
    scan.add_argument("--seed", type=seed, default=42, help="seed of the noise")
    scan.add_argument("--rain", type=float, default=0.0, metavar="MM_PER_H", help="rain rate, 0 to 150 mm/h")
    scan.add_argument("--dust", type=float, default=0.0, metavar="PER_M", help="extinction of dust, 0 to 1 1/m")
    scan.add_argument("--no-crops", action="store_true", help="leave the crops out")
    scan.add_argument("--picture", type=Path, default=Path("output/scan.png"), metavar="FILE", help="file to draw")
    ins = parts.add_parser("ins", help="draw the errors of the INS on a drive that loses the satellites for a while")
    ins.add_argument("--seed", type=seed, default=42, help="seed of the errors")
    ins.add_argument("--picture", type=Path, default=Path("output/ins.png"), metavar="FILE", help="file to draw")


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen part."""
    check_picture(arguments.picture)
    return {"scan": _scan, "ins": _ins}[arguments.part](arguments)


def _ins(arguments: argparse.Namespace) -> int:
    """Drive, draw, and tell how far the position was off."""
    from acres_ros.tools.ins_picture import LOST_S, draw_ins, drive_without_satellites

    drive = drive_without_satellites(arguments.seed)
    with drawing(arguments.picture):
        draw_ins(drive, arguments.picture)
    print(f"[acres] {drive.worst_m:.2f} m off at most in {LOST_S:g} s without satellites", flush=True)
    print(f"[acres] picture: {arguments.picture}", flush=True)
    return 0


def _scan(arguments: argparse.Namespace) -> int:
    """Scan, draw, and tell the figures."""
    from acres_ros.core.lidar import Lidar
    from acres_ros.core.lidar_pattern import LidarPattern
    from acres_ros.core.weather import Weather
    from acres_ros.tools.scan_picture import draw_scan
    from acres_ros.world import load_world

    with as_usage():
        weather = Weather(arguments.rain, arguments.dust)
        world, pattern = load_world(arguments.world), LidarPattern.helios()
        place = world.place(arguments.place) if arguments.place else world.places[0]
    half = 0.5 * place.yaw
    pose = (place.x, place.y, world.terrain.height_at(place.x, place.y), 0.0, 0.0, math.sin(half), math.cos(half))
    lidar = Lidar.of(world)
    options = {"noise": True, "seed": arguments.seed, "crops": not arguments.no_crops, "weather": weather}
    scan = lidar.scan(pattern, pose, **options)
    title = f"{world.name}, {place.id}: {scan.returns} returns of {pattern.beam_count} beams"
    with drawing(arguments.picture):
        draw_scan(scan, pattern, lidar.materials(pattern), title, arguments.picture)
    print(f"[acres] {title}\n[acres] picture: {arguments.picture}", flush=True)
    return 0
