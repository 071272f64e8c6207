"""Fixtures of the tests of the world."""

from __future__ import annotations

import pytest
from tile_files import TileFiles

from acres_ros.world.tile import build_tile


@pytest.fixture(scope="session", params=[1, 1789])
def tile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TileFiles:
    """Return the built-in tile of a seed, built once for all tests."""
    folder = tmp_path_factory.mktemp(f"tile-{request.param}")
    build_tile(folder, request.param)
    return TileFiles(folder)
