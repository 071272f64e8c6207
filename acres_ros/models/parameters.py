"""Parameters of the Polaris, as tables; `config/polaris.json` holds the values under the same keys.

Where the numbers come from: the spec (mass, steering centre, the block `dbw`); geometry worked out from the example
outputs of the spec; published data of the vehicle class; and a calibration against the rows D3 to D8 of
`acres validate` (engine, clutch, belt lag, rolling radius, lateral factor).
"""

from acres_ros._record import Field, Record, part
from acres_ros.models.dbw.parameters import DBW_PARAMETERS

WOT_POINTS = 10

MASS = Record(
    "mass",
    (
        Field("kerb_kg", "kg", 1158.0, "vehicle without persons"),
        Field("occupant_kg", "kg", 80.0, "one person"),
        Field("occupants", "-", 2, "persons on board", int),
        Field("roll_inertia", "kg m^2", 450.0, "about the body x axis"),
        Field("pitch_inertia", "kg m^2", 1450.0, "about the body y axis"),
        Field("yaw_inertia", "kg m^2", 1800.0, "about the body z axis"),
        Field("angular_damping_per_s", "1/s", 0.08, "c_omega; spec, Time Stepping, Chassis of ACRES Core"),
        Field("gravity", "m/s^2", 9.80665, "g"),
    ),
)
GEOMETRY = Record(
    "geometry",
    (
        Field("wheelbase_m", "m", 2.87, "distance of the axles"),
        Field("mass_ahead_m", "m", 1.243, "centre of mass ahead of the rear axle"),
        Field("mass_height_m", "m", 0.66, "centre of mass above level ground at the static ride height"),
        Field("half_track_m", "m", 0.655, "wheel centre beside the centre line"),
        Field("body_front_m", "m", 2.10, "front of the body ahead of the centre of mass"),
        Field("body_rear_m", "m", 1.70, "rear of the body behind the centre of mass"),
        Field("body_half_width_m", "m", 0.80, "side of the body beside the centre line"),
        Field("body_below_m", "m", 0.33, "underside of the body below the centre of mass"),
        Field("body_above_m", "m", 1.29, "roof above the centre of mass"),
    ),
)
AXLE_SUSPENSION = (
    Field("rate", "N/m", 0.0, "spring rate at the wheel"),
    Field("damping", "N s/m", 0.0, "damper rate at the wheel"),
    Field("static_load", "N", 0.0, "spring force of one wheel at travel 0"),
    Field("jounce_m", "m", 0.0, "travel at which the upper bump stop begins"),
    Field("droop_m", "m", 0.0, "travel below static at which the lower stop begins, a positive number"),
)


def _axle_suspension(name: str, values: tuple[float, ...]) -> Record:
    fields = [Field(f.name, f.unit, v, f.description) for f, v in zip(AXLE_SUSPENSION, values, strict=True)]
    return Record(name, tuple(fields))


SUSPENSION = Record(
    "suspension",
    (
        part(
            "front",
            _axle_suspension("front", (23.0e3, 1.5e3, 2799.0, 0.16, 0.12)),
            "front wheels",
        ),
        part(
            "rear",
            _axle_suspension("rear", (31.0e3, 2.0e3, 3664.0, 0.14, 0.11)),
            "rear wheels",
        ),
        Field("stop_rate", "N/m", 150.0e3, "rate of the bump stops, added to the spring"),
    ),
)
TYRE = Record(
    "tyre",
    (
        Field("radius_m", "m", 0.343, "unloaded radius R_t"),
        Field("rolling_factor", "-", 0.97298, "rolling radius over the unloaded radius"),
        Field("front_width_m", "m", 0.23, "tread of a front tyre, b"),
        Field("rear_width_m", "m", 0.28, "tread of a rear tyre, b"),
        Field("rate", "N/m", 120.0e3, "vertical rate"),
        Field("damping", "N s/m", 600.0, "vertical damping"),
        Field("spin_inertia", "kg m^2", 1.35, "J of a wheel with its hub and half shaft"),
        Field("lateral_factor", "-", 1.3639, "k_y: lateral over longitudinal shear modulus"),
        Field("cohesion_load", "N", 1000.0, "load below which the cohesive force fades with the contact area"),
        Field("minimum_speed", "m/s", 0.2, "lowest transport speed in the step of the shear displacement"),
        Field("spin_softness", "rad/s", 0.1, "spin rate at which resistance and brakes reach 76 % of their torque"),
    ),
)
STEERING = Record(
    "steering",
    (
        Field("ratio", "-", 11.76, "steering wheel angle over bicycle angle"),
        Field("center_deg", "deg", 12.5, "steering wheel angle that is straight ahead"),
        Field("ackermann", "-", 1.0, "share of the geometric difference of left and right wheel"),
    ),
)
ENGINE = Record(
    "engine",
    (
        Field("inertia", "kg m^2", 0.14833, "J_e: crank and drive clutch"),
        Field("idle_rpm", "rpm", 1200.0, "governed idle speed"),
        Field("friction_nm", "N m", 16.592, "friction and pumping torque at 0 rpm, T_f0"),
        Field("friction_nm_per_rpm", "N m/rpm", 0.0022, "its slope, T_f1"),
        Field("pedal_dead_band_pct", "%", 13.917, "pedal below which the throttle plate stays closed"),
        Field("full_pedal_air", "-", 2.5, "k5: air added with the fifth power of the pedal"),
        Field("choke_rpm", "rpm", 7000.0, "speed at which an air charge of 1 chokes the intake"),
        Field("fuel_cut_rpm", "rpm", 600.0, "over idle: above it the overrun takes no air and fuel"),
        Field("fuel_cut_band_rpm", "rpm", 300.0, "width of the fade into the overrun cut"),
        Field("governor_per_rpm", "1/rpm", 1.0e-4, "idle governor: air for each rpm below idle"),
        Field("governor_limit", "-", 0.06, "largest air of the governor"),
        Field("air_lag_s", "s", 0.284, "tau_m: throttle by wire and intake"),
        Field("floor_rpm", "rpm", 380.0, "the engine does not stall below it"),
        Field("indicated_efficiency", "-", 0.38951, "indicated work over fuel energy, eta_i"),
        Field("wot_step_rpm", "rpm", 1000.0, "spacing of the full-load torque table, which starts at 0"),
        Field(
            "wot_torque_nm",
            "N m",
            (20.0, 49.5, 64.0, 70.0, 75.5, 80.0, 83.5, 83.3, 23.3, 0.0),  # type: ignore[arg-type]
            "brake torque at full load over engine speed",
            float,
            WOT_POINTS,
        ),
    ),
)
CLUTCH = Record(
    "clutch",
    (
        Field("engage_rpm", "rpm", 1310.2, "drive clutch begins to grip, n_on"),
        Field("capacity", "N m s^2", 0.0020797, "k_c: torque capacity over the squared speed excess"),
        Field("slip_speed", "rad/s", 3.0, "slip at which the clutch carries its whole capacity"),
    ),
)
CVT = Record(
    "cvt",
    (
        Field("low_ratio", "-", 3.10, "belt ratio at rest"),
        Field("high_ratio", "-", 0.75, "belt ratio at the overdrive stop"),
        Field("low_rpm", "rpm", 1954.6, "engine speed that the clutches hold at no pedal, n_lo"),
        Field("high_rpm", "rpm", 6800.0, "engine speed that they hold at full pedal, n_hi"),
        Field("lag_s", "s", 0.8605, "tau_cvt"),
        Field("efficiency", "-", 0.79, "power out over power in, both directions"),
    ),
)
GEARBOX = Record(
    "gearbox",
    (
        Field("low_ratio", "-", 23.9, "belt secondary over axle, L"),
        Field("high_ratio", "-", 11.8, "belt secondary over axle, H"),
        Field("reverse_ratio", "-", 21.7, "belt secondary over axle, R, a positive number"),
        Field("efficiency", "-", 0.92, "power out over power in, both directions"),
    ),
)
AWD = Record(
    "awd",
    (
        Field("engage_spin", "-", 0.03, "excess of rear over front spin that engages the front axle"),
        Field("engage_slip", "-", 0.08, "slip of a rear wheel that engages the front axle"),
        Field("release_slip", "-", 0.01, "mean slip of the rear wheels below which it releases"),
        Field("minimum_spin", "rad/s", 0.5, "rear spin below which the excess is not judged"),
        Field("rest_s", "s", 0.1, "time after a change in which the front axle stays as it is"),
    ),
)
BRAKES = Record(
    "brakes",
    (
        Field("front_nm_per_bar", "N m/bar", 15.0, "brake torque of one front wheel per pressure, G_f"),
        Field("rear_nm_per_bar", "N m/bar", 10.0, "brake torque of one rear wheel per pressure, G_r"),
    ),
)
AERO = Record(
    "aero",
    (
        Field("air_density", "kg/m^3", 1.2, "rho"),
        Field("drag_area", "m^2", 1.6, "C_d A"),
    ),
)
BUMPER = Record(
    "bumper",
    (
        Field("rate", "N/m", 60.0e3, "a corner of the body against the ground"),
        Field("damping", "N s/m", 4.0e3, "a corner of the body against the ground"),
        Field("friction", "-", 0.6, "a corner of the body against the ground"),
        Field("slide_speed", "m/s", 0.5, "sliding speed at which its friction is fully there"),
    ),
)
COLLISION = Record(
    "collision",
    (Field("stop", "-", 0, "1: an obstacle brings the vehicle to rest; 0: it is only told", int),),
)
CROP = Record(
    "crop",
    (Field("work_j_per_m2", "J/m^2", 435.92, "what standing mature crop takes to bend and break"),),
)
PARAMETERS = Record(
    "polaris",
    (
        part("mass", MASS, "mass properties"),
        part("geometry", GEOMETRY, "body and axles"),
        part("suspension", SUSPENSION, "springs, dampers, stops"),
        part("tyre", TYRE, "tyre"),
        part("steering", STEERING, "steering geometry"),
        part("engine", ENGINE, "engine"),
        part("clutch", CLUTCH, "drive clutch"),
        part("cvt", CVT, "belt transmission"),
        part("gearbox", GEARBOX, "gears behind the belt"),
        part("awd", AWD, "front axle on demand"),
        part("brakes", BRAKES, "brakes"),
        part("aero", AERO, "air drag"),
        part("bumper", BUMPER, "body against the ground after a roll-over"),
        part("collision", COLLISION, "body against obstacles"),
        part("crop", CROP, "crop against the body"),
        part("dbw", DBW_PARAMETERS, "drive-by-wire"),
    ),
)
