"""The conditions of an environment, soil water and weather: what it may be, and how it changes in parts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from acres_ros.core.weather import MOST, wanted_of
from acres_ros.errors import AcresError, shown
from acres_ros.models.farm import FIELDS

GLOBAL = -1.0
"""The fraction of a field that has none of its own."""


class ConditionsError(AcresError):
    """Conditions that cannot be."""

    def __init__(self, key: str, given: object, wanted: str) -> None:
        super().__init__(f"{key} = {shown(given)} is refused: wanted {wanted}")


def changed(
    conditions: np.ndarray,
    *,
    global_fraction: float | None = None,
    field_fractions: Mapping[int, float] | None = None,
    surface_film: float | None = None,
    rain_mm_per_h: float | None = None,
    dust_per_m: float | None = None,
) -> np.ndarray:
    """Return a copy of one CONDITIONS record with other values.

    Args:
        conditions: the record; it stays as it is.
        global_fraction: water in the soil of the fields without a number of their own, 0 dry to 1 saturated; None
            leaves it.
        field_fractions: the same by field number; -1 takes the number away again. Other fields stay as they are.
        surface_film: water on the surface, 0 none to 1, a film of 5 mm; None leaves it.
        rain_mm_per_h: rain in the air, 0 to 150; it does not wet the soil. None leaves it.
        dust_per_m: extinction of dust in the air, 0 to 1; None leaves it.

    Raises:
        ConditionsError: a number out of its range, or no such field.
    """
    result = conditions.copy()
    row = result[0]
    for key, value in (("global_fraction", global_fraction), ("surface_film", surface_film)):
        if value is not None:
            if not 0.0 <= value <= 1.0:
                raise ConditionsError(key, value, "0 to 1")
            row[key] = value
    for key, value in (("rain_mm_per_h", rain_mm_per_h), ("dust_per_m", dust_per_m)):
        if value is not None:
            if not 0.0 <= value <= MOST[key]:
                raise ConditionsError(key, value, wanted_of(key))
            row[key] = value
    for field, fraction in (field_fractions or {}).items():
        if not 0 <= field < FIELDS:
            raise ConditionsError("field", field, f"a number of a field, 0 to {FIELDS - 1}")
        if not (0.0 <= fraction <= 1.0 or fraction == GLOBAL):
            raise ConditionsError(f"fraction of field {field}", fraction, "0 to 1, or -1 for the global one")
        row["field_fraction"][field] = fraction
    return result
