"""Roughness of the built-in tile by surface class (ISO 8608)."""

from __future__ import annotations

import numpy as np
import pytest

from acres_ros.world.surfaces import SurfaceClass
from acres_ros.world.tile.frame import CELLS
from acres_ros.world.tile.relief import roughen

FLAT = np.zeros((CELLS + 1, CELLS + 1))
NOWHERE = np.zeros(FLAT.shape, bool)


@pytest.mark.parametrize(
    ("surface", "spectrum"),
    [("asphalt", 64e-6), ("gravel", 256e-6), ("grass", 1024e-6), ("field", 4096e-6)],
)
def test_the_rms_is_that_of_the_class_between_3_and_6_m(surface: str, spectrum: float) -> None:
    classes = np.full((CELLS, CELLS), SurfaceClass[surface.upper()], np.uint8)
    heights = roughen(FLAT, NOWHERE, classes, 1)
    n = np.linspace(1.0 / (4.0 * 1.524), 1.0 / (2.0 * 1.524), 100001)
    density = spectrum * (n / 0.1) ** -2.0
    rms = np.sqrt(np.sum(0.5 * (density[1:] + density[:-1]) * np.diff(n)))
    assert heights.std() == pytest.approx(rms, rel=0.01, abs=0.3e-3)  # heights are whole millimetres
    assert abs(heights.mean()) < 0.1 * rms


def test_lots_stay_level_and_roads_smooth_beside_a_field() -> None:
    classes = np.full((CELLS, CELLS), SurfaceClass.FIELD, np.uint8)
    classes[:, 500:] = SurfaceClass.CONCRETE
    level = NOWHERE.copy()
    level[:100] = True
    heights = roughen(FLAT + 2.0, level, classes, 1)
    assert np.all(heights[:100] == 2.0)
    assert heights[100:, 500:].std() < 0.002 < heights[100:, :500].std()
