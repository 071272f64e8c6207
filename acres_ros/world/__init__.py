"""The world: terrain, surfaces, places. Files and numbers in, arrays out."""

from acres_ros.world.errors import UnknownNameError, WorldError
from acres_ros.world.surfaces import SURFACES, Surface, SurfaceClass
from acres_ros.world.world import WORLDS, Place, World, load_world

__all__ = [
    "SURFACES",
    "WORLDS",
    "Place",
    "Surface",
    "SurfaceClass",
    "UnknownNameError",
    "World",
    "WorldError",
    "load_world",
]
