"""Parameters of the Polaris, as tables; `config/polaris.json` holds the values under the same keys."""

from acres_ros._record import Field, Record, part
from acres_ros.models.dbw.parameters import DBW_PARAMETERS

GEOMETRY = Record(
    "geometry",
    (
        Field("wheelbase_m", "m", 2.87, "distance of the axles"),
    ),
)
STEERING = Record(
    "steering",
    (
        Field("ratio", "-", 11.76, "steering wheel angle over bicycle angle"),
        Field("center_deg", "deg", 12.5, "steering wheel angle that is straight ahead"),
    ),
)
TYRE = Record("tyre", (Field("radius_m", "m", 0.343, "unloaded radius R_t"),))
BRAKES = Record(
    "brakes",
    (
        Field("front_nm_per_bar", "N m/bar", 15.0, "brake torque of one front wheel per pressure, G_f"),
        Field("rear_nm_per_bar", "N m/bar", 10.0, "brake torque of one rear wheel per pressure, G_r"),
    ),
)
PARAMETERS = Record(
    "polaris",
    (
        part("geometry", GEOMETRY, "body and axles"),
        part("steering", STEERING, "steering geometry"),
        part("tyre", TYRE, "tyre"),
        part("brakes", BRAKES, "brakes"),
        part("dbw", DBW_PARAMETERS, "drive-by-wire"),
    ),
)
