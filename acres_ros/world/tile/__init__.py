"""The built-in farm: a tile of the US corn belt, generated from a seed, in the files of a surveyed tile."""

from acres_ros.world.tile.build import build_tile, tile_folder

__all__ = ["build_tile", "tile_folder"]
