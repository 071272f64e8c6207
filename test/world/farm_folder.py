"""A tile of 20 m by 20 m, written by hand: 10 x 10 cells of 2 m, 5 x 5 land cells of 4 m, from -10 to 10 m.

Field 3 is the corn square from (-10, -10) to (-2, -2), field 7 the soybean triangle (0, 0), (8, 0), (0, 8).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

SQUARE = [[-10, -10], [-2, -10], [-2, -2], [-10, -2]]
TRIANGLE = [[0, 0], [8, 0], [0, 8]]

SITE = {
    "name": "hand",
    "grid_step_m": 2.0,
    "surface_width": 10,
    "latitude_deg": 40.5,
    "longitude_deg": -87.2,
    "altitude_m": 200.0,
    "utm_zone": 16,
}
FIELDS = {
    "schema": "acres-fields-1",
    "fields": [
        {"number": 3, "name": "south west", "crop": "potato", "polygon": SQUARE, "row_heading_deg": 90},
        {"number": 7, "crop": "soybean", "polygon": TRIANGLE},
    ],
}
CROPS = {
    "schema": "acres-crops-1",
    "season": "2026",
    "fields": [
        {"number": 3, "crop": "corn", "growth": 0.5, "row_spacing_m": 0.762},
        {"number": 7, "crop": "soybean"},
    ],
}
SOILS = {
    "schema": "acres-soils-1",
    "units": [
        {
            "symbol": "Cm",
            "name": "Chalmers",
            "texture": "silty clay loam",
            "sand_pct": 9,
            "silt_pct": 60,
            "clay_pct": 31,
            "organic_pct": 4.5,
            "bulk_density": 1.3,
            "theta_s": 0.5,
            "theta_fc": 0.37,
            "theta_wp": 0.19,
            "drainage": "poor",
            "source": "by hand",
        },
        {
            "symbol": "Rd",
            "name": "Raub",
            "texture": "silt loam",
            "sand_pct": 11,
            "silt_pct": 65,
            "clay_pct": 24,
            "bulk_density": 1.37,
            "theta_s": 0.47,
            "theta_fc": 0.33,
            "theta_wp": 0.15,
        },
    ],
}
PLACES = {
    "schema": "acres-places-1",
    "places": [
        {"id": "gate", "name": "The gate", "x": 1.5, "y": -2.5, "yaw_deg": 90},
        {"id": "barn", "x": -9, "y": 9, "yaw_deg": -45},
    ],
}


def rasters() -> dict[str, np.ndarray]:
    """Return the rasters by their files below `ACRE`."""
    heights = np.arange(121, dtype="<f4").reshape(11, 11) / 100
    classes = np.full((10, 10), 3, np.uint8)
    classes[3, 5] = 2  # x from 0 to 2, y from -4 to -2: the gate
    fields = np.full((5, 5), 255, np.uint8)
    fields[:2, :2] = 3
    fields[3, 3] = 7
    soils = np.zeros((5, 5), np.uint8)
    soils[4, 0] = 1
    return {"heights.f32": heights, "surface.u8": classes, "fields.u8": fields, "soils.u8": soils}


def tables() -> dict[str, dict[str, Any]]:
    """Return copies of the tables by their files below `ACRE`."""
    content = {
        "site.json": SITE,
        "fields.json": FIELDS,
        "crops_2026.json": CROPS,
        "soils.json": SOILS,
        "places.json": PLACES,
    }
    return json.loads(json.dumps(content))


def write_json(path: Path, content: object) -> Path:
    """Write one table, or a text as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def write_farm(folder: Path) -> Path:
    """Write the tile into a folder and return the folder."""
    for name, content in tables().items():
        write_json(folder / "ACRE" / name, content)
    for name, raster in rasters().items():
        (folder / "ACRE" / name).write_bytes(raster.tobytes())
    return folder
