"""The world: terrain, surfaces, soils, fields, crops, obstacles, places. Files and numbers in, arrays out."""

from acres_ros.world.content import Own, load_content
from acres_ros.world.crops import CROP_HEIGHTS_M, CROP_NUMBERS
from acres_ros.world.errors import UnknownNameError, WorldError, WorldFileError
from acres_ros.world.fields import CROPS, Field
from acres_ros.world.georeference import Georeference, Origin
from acres_ros.world.places import Place
from acres_ros.world.scene import Scene, SceneHit
from acres_ros.world.site import Site, load_site
from acres_ros.world.soils import SoilUnit, TextureGroup
from acres_ros.world.surfaces import Surface, SurfaceClass, default_surfaces, load_surfaces
from acres_ros.world.terrain import Terrain
from acres_ros.world.world import WORLDS, World, load_world

__all__ = [
    "CROPS",
    "CROP_HEIGHTS_M",
    "CROP_NUMBERS",
    "WORLDS",
    "Field",
    "Georeference",
    "Origin",
    "Own",
    "Place",
    "Scene",
    "SceneHit",
    "Site",
    "SoilUnit",
    "Surface",
    "SurfaceClass",
    "Terrain",
    "TextureGroup",
    "UnknownNameError",
    "World",
    "WorldError",
    "WorldFileError",
    "default_surfaces",
    "load_content",
    "load_site",
    "load_surfaces",
    "load_world",
]
