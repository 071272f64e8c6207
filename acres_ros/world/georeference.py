"""Where the world lies on the Earth: its metres as UTM coordinates and as WGS 84 latitude and longitude, and back.

World x, y, z are metres east and north on the UTM grid and up, from one point of the Earth. The grid is 0.9996 of the
ground at the middle of a zone and turned by the convergence of the meridians; within a tile both are the projection's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from acres_ros.world.errors import WorldError

RANGES = {
    "latitude_deg": (0.0, 84.0),
    "longitude_deg": (-180.0, 180.0),
    "altitude_m": (-500.0, 9000.0),
    "utm_zone": (1, 60),
}
"""What an origin can be: the northern half of UTM, and heights that there is ground at."""


@dataclass(frozen=True)
class Origin:
    """The point of the Earth at world (0, 0, 0); the world's axes are east, north (UTM grid) and up.

    Attributes:
        latitude_deg: WGS 84 latitude.
        longitude_deg: WGS 84 longitude.
        altitude_m: height above the WGS 84 ellipsoid.
        utm_zone: zone of the grid, northern half.
    """

    latitude_deg: float
    longitude_deg: float
    altitude_m: float
    utm_zone: int


class Georeference:
    """Places of a world on the Earth. Coordinates are numbers, or arrays of one shape.

    Args:
        origin: the point of the Earth at world (0, 0, 0).

    Raises:
        WorldError: a number of the origin that is out of its range.
    """

    def __init__(self, origin: Origin) -> None:
        from pyproj import Proj  # here, because it takes 0.2 s and the physics needs none of it

        for name, (low, high) in RANGES.items():
            value = getattr(origin, name)
            if not low <= value <= high:
                raise WorldError(f"the origin's {name}", value, f"{low:g} to {high:g}")
        if abs(math.remainder(origin.longitude_deg - (6 * origin.utm_zone - 183), 360.0)) > 90.0:
            raise WorldError("the origin's utm_zone", origin.utm_zone, f"a zone near {origin.longitude_deg:g} deg")
        self.origin = origin
        self._utm = Proj(proj="utm", zone=origin.utm_zone, ellps="WGS84")
        self.easting, self.northing = self._utm(origin.longitude_deg, origin.latitude_deg)

    def utm(self, x: float, y: float, z: float = 0.0) -> tuple[float, float, float]:
        """Return easting, northing and height above the ellipsoid of a place of the world, all m."""
        return self.easting + x, self.northing + y, self.origin.altitude_m + z

    def geodetic(self, x: float, y: float, z: float = 0.0) -> tuple[float, float, float]:
        """Return latitude (deg), longitude (deg) and height above the ellipsoid (m) of a place of the world (m)."""
        longitude, latitude = self._utm(self.easting + x, self.northing + y, inverse=True)
        return latitude, longitude, self.origin.altitude_m + z

    def from_utm(self, easting: float, northing: float, height: float) -> tuple[float, float, float]:
        """Return world x, y, z of UTM coordinates and a height above the ellipsoid, all m."""
        return easting - self.easting, northing - self.northing, height - self.origin.altitude_m

    def from_geodetic(self, latitude: float, longitude: float, height: float) -> tuple[float, float, float]:
        """Return world x, y, z (m) of a latitude (deg), a longitude (deg) and a height above the ellipsoid (m).

        Raises:
            WorldError: a point that the zone has no coordinates for.
        """
        easting, northing = self._utm(longitude, latitude)
        if not np.isfinite([easting, northing]).all():
            raise WorldError(
                "the point (latitude, longitude)", (latitude, longitude), f"one near zone {self.origin.utm_zone}"
            )
        return self.from_utm(easting, northing, height)
