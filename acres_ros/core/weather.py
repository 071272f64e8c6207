"""Rain and dust, as the sensors meet them."""

from __future__ import annotations

from dataclasses import dataclass, fields

from acres_ros.errors import AcresError, shown

MOST = {"rain_mm_per_h": 150.0, "dust_per_m": 1.0}
"""The most there may be of each. 150 mm/h is a cloudburst; dust of 1/m leaves a view of 4 m."""


class WeatherError(AcresError):
    """Weather that cannot be."""

    def __init__(self, key: str, given: object) -> None:
        super().__init__(f"{key} = {shown(given)} is refused: wanted {wanted_of(key)}")


@dataclass(frozen=True)
class Weather:
    """What is in the air.

    Attributes:
        rain_mm_per_h: rain rate, mm/h: 2 is light, 10 heavy, 50 violent.
        dust_per_m: extinction of dust, 1/m: one sees as far as 3.9 over it (Koschmieder).

    Raises:
        WeatherError: a number that is not finite, or out of its range.
    """

    rain_mm_per_h: float = 0.0
    dust_per_m: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= MOST[field.name]:
                raise WeatherError(field.name, value)

    @property
    def is_clear(self) -> bool:
        """Return whether there is neither rain nor dust."""
        return self.rain_mm_per_h == 0.0 and self.dust_per_m == 0.0


def wanted_of(key: str) -> str:
    """Return what a number of the weather may be."""
    unit = "mm/h" if key == "rain_mm_per_h" else "1/m"
    return f"0 to {MOST[key]:g} {unit}"
