"""State of one Polaris: everything that one step reads and writes, and what it shows.

Frames: world x east, y north, z up; body x forward, y left, z up (REP-103). Wheels: front left, front right, rear left,
rear right.
"""

from acres_ros._record import Field, Record, part
from acres_ros.models.dbw.state import DBW

BODY = Record(
    "BODY",
    (
        Field("x", "m", 0.0, "centre of mass, world"),
        Field("y", "m", 0.0, "centre of mass, world"),
        Field("z", "m", 0.0, "centre of mass, world"),
        Field("qw", "-", 1.0, "orientation quaternion, body to world"),
        Field("qx", "-", 0.0, "orientation quaternion, body to world"),
        Field("qy", "-", 0.0, "orientation quaternion, body to world"),
        Field("qz", "-", 0.0, "orientation quaternion, body to world"),
        Field("vx", "m/s", 0.0, "velocity of the centre of mass, world"),
        Field("vy", "m/s", 0.0, "velocity of the centre of mass, world"),
        Field("vz", "m/s", 0.0, "velocity of the centre of mass, world"),
        Field("wx", "rad/s", 0.0, "angular velocity, world"),
        Field("wy", "rad/s", 0.0, "angular velocity, world"),
        Field("wz", "rad/s", 0.0, "angular velocity, world"),
        Field(
            "ax",
            "m/s^2",
            0.0,
            "acceleration of the last step, body frame, without gravity's reaction",
        ),
        Field(
            "ay",
            "m/s^2",
            0.0,
            "acceleration of the last step, body frame, without gravity's reaction",
        ),
        Field(
            "az",
            "m/s^2",
            0.0,
            "acceleration of the last step, body frame, without gravity's reaction",
        ),
    ),
)

WHEEL = Record(
    "WHEEL",
    (
        Field("spin", "rad/s", 0.0, "spin rate, positive forward"),
        Field("spin_before", "rad/s", 0.0, "spin rate at the start of the step"),
        Field("rotation", "rad", 0.0, "angle turned, wrapped to [-pi, pi)"),
        Field("turns", "-", 0, "whole turns since reset; the angle turned is rotation + 2 pi turns", int),
        Field(
            "travel",
            "m",
            0.0,
            "suspension compression from the static position, positive up",
        ),
        Field("travel_rate", "m/s", 0.0, "rate of the compression"),
        Field("load", "N", 0.0, "normal load of the contact, 0 in the air"),
        Field("deflection", "m", 0.0, "tyre deflection"),
        Field("shear_x", "m", 0.0, "shear displacement along the wheel"),
        Field("shear_y", "m", 0.0, "shear displacement across the wheel"),
        Field("force_x", "N", 0.0, "tyre force along the wheel"),
        Field("force_y", "N", 0.0, "tyre force across the wheel, positive left"),
        Field("deflection_rate", "m/s", 0.0, "rate of the tyre deflection"),
        Field("rolling", "N m", 0.0, "motion resistance torque of tyre and soil"),
        Field(
            "resistance",
            "N m",
            0.0,
            "motion resistance and brake torque available, T_res",
        ),
        Field("shaft_torque", "N m", 0.0, "torque that the driveline gives to the wheel"),
        Field("slip", "-", 0.0, "(spin r - v) / max(|spin r|, |v|, 0.2)"),
        Field("steer", "rad", 0.0, "road wheel angle, positive left"),
        Field("surface", "-", 0, "surface class below the wheel, -1 in the air", int),
        Field("contact_x", "m", 0.0, "point of the ground that the wheel stands on, world"),
        Field("contact_y", "m", 0.0, "point of the ground that the wheel stands on, world"),
        Field("contact_z", "m", 0.0, "point of the ground that the wheel stands on, world"),
        Field("normal_x", "-", 0.0, "ground normal, world"),
        Field("normal_y", "-", 0.0, "ground normal, world"),
        Field("normal_z", "-", 1.0, "ground normal, world"),
        Field("heading_x", "-", 1.0, "rolling direction in the ground plane, world"),
        Field("heading_y", "-", 0.0, "rolling direction in the ground plane, world"),
        Field("heading_z", "-", 0.0, "rolling direction in the ground plane, world"),
        Field(
            "speed_x",
            "m/s",
            0.0,
            "speed of the contact point of the body along the wheel, v_l",
        ),
        Field(
            "speed_y",
            "m/s",
            0.0,
            "speed of the contact point of the body across the wheel, positive left, v_t",
        ),
        Field("grip", "N", 0.0, "largest shear force of the contact, c A + F_z tan(phi)"),
        Field("shear_modulus", "m", 0.01, "shear modulus K of the surface"),
        Field("relaxation", "m", 0.24, "relaxation length l of the contact"),
        Field("sinkage", "m", 0.0, "depth of the wheel in the soil below the undisturbed ground"),
        Field("rut", "m", 0.0, "depth of the rut that the wheel meets ahead of its contact"),
        Field("moisture", "-", 0.0, "volumetric water content of the soil below the wheel, 0 on hard ground"),
        Field("cone_index_kpa", "kPa", 0.0, "cone index of the soil below the wheel, 0 on hard ground"),
        Field("undisturbed_kpa", "kPa", 0.0, "cone index where no wheel has been, of the soil below or last below"),
        Field("soil_unit", "-", -1, "soil unit below the wheel, -1 on hard ground", int),
        Field("water_drag", "N", 0.0, "force of the water film against the motion of the contact"),
        Field("sinkage_rate", "m/s", 0.0, "change of the sinkage in the last step"),
        Field("side_resistance", "N", 0.0, "largest force of the soil beside the wheel against sliding sideways"),
    ),
)

POWERTRAIN = Record(
    "POWERTRAIN",
    (
        Field("engine_speed", "rad/s", 0.0, "crankshaft speed"),
        Field(
            "engine_speed_before",
            "rad/s",
            0.0,
            "crankshaft speed at the start of the step",
        ),
        Field("air", "-", 0.0, "air charge after the intake lag"),
        Field("engine_torque", "N m", 0.0, "brake torque"),
        Field("indicated_torque", "N m", 0.0, "indicated torque"),
        Field("clutch_torque", "N m", 0.0, "torque through the drive clutch"),
        Field(
            "clutch_locked",
            "-",
            0,
            "1 while the drive clutch carries less than its capacity",
            int,
        ),
        Field("cvt_ratio", "-", 0.0, "belt ratio, engine over secondary"),
        Field(
            "gear_ratio",
            "-",
            0.0,
            "belt secondary over axle, negative in reverse, 0 in neutral and park",
        ),
        Field("axle_torque", "N m", 0.0, "torque of the gearbox on the driven axles"),
        Field("front_engaged", "-", 0, "1 while the front axle is driven", int),
        Field("front_rest", "s", 0.0, "time for which the front axle still stays as it is"),
        Field("fuel_power", "W", 0.0, "chemical power of the fuel"),
    ),
)

LOSSES = (
    Field("engine_loss", "J", 0.0, "heat of the engine"),
    Field("cvt_loss", "J", 0.0, "heat of the belt and the clutch"),
    Field("driveline_loss", "J", 0.0, "heat of gearbox, differentials and locks"),
    Field("slip_loss", "J", 0.0, "work of the tyre shear; a sheared contact gives a little of it back"),
    Field("rolling_loss", "J", 0.0, "motion resistance of tyre and soil"),
    Field("brake_loss", "J", 0.0, "heat of the brakes"),
    Field("soil_loss", "J", 0.0, "work that presses the wheels into the soil"),
    Field("crop_loss", "J", 0.0, "work that crushes crop"),
    Field("water_loss", "J", 0.0, "work on the water film"),
    Field("collision_loss", "J", 0.0, "motion that an obstacle took"),
    Field("aero_loss", "J", 0.0, "air drag"),
    Field("suspension_loss", "J", 0.0, "heat of dampers, tyre damping and angular damping"),
    Field("body_loss", "J", 0.0, "heat of the body on the ground after a roll-over"),
    Field("scheme_loss", "J", 0.0, "work of the discrete scheme: what the finite step takes, negative what it makes"),
)

FLOW = Record(
    "FLOW",
    (
        Field("fuel", "J", 0.0, "chemical energy in"),
        Field("starter", "J", 0.0, "work that holds the engine at its lowest speed"),
        *LOSSES,
        Field("kinetic", "J", 0.0, "change of the kinetic energy"),
        Field("potential", "J", 0.0, "change of the potential energy"),
        Field("residual", "J", 0.0, "fuel + starter - losses - changes: the error of the step's ledger"),
        Field("throughput", "J", 0.0, "sum of the magnitudes of the amounts"),
    ),
)

ENERGY = Record(
    "ENERGY",
    (
        Field("fuel", "J", 0.0, "chemical energy in"),
        Field("starter", "J", 0.0, "work that held the engine at its lowest speed"),
        *LOSSES,
        Field("kinetic", "J", 0.0, "kinetic energy of chassis, wheels and engine"),
        Field("potential", "J", 0.0, "height (half a step back) and springs"),
        Field("corners", "J", 0.0, "what the corners of the body store on the ground, a part of potential"),
        Field("initial", "J", 0.0, "kinetic and potential energy at reset"),
        Field("residual", "J", 0.0, "initial + fuel + starter - losses - kinetic - potential: the error of the ledger"),
    ),
)

VEHICLE = Record(
    "VEHICLE",
    (
        Field(
            "step",
            "-",
            0,
            "physics steps since the last reset; the time is step * h",
            int,
        ),
        Field("road_wheel", "rad", 0.0, "bicycle angle of the front axle, positive left"),
        Field("drive_mode", "-", 2, "0 turf, 1 2wd, 2 awd", int),
        Field("crop_work", "J", 0.0, "work that the crop crushed by the body still takes"),
        Field("crop_force", "N", 0.0, "force of the crop against the motion of the body"),
        Field("crushed", "m^2", 0.0, "crop crushed in the last step"),
        Field("crushed_total", "m^2", 0.0, "crop crushed since the last reset"),
        Field("collision", "-", -1, "obstacle that the body touches, -1 none", int),
        Field("off_map", "-", 0, "1 while base_footprint is nearer to the edge of the map than its margin", int),
        part("body", BODY, "rigid body"),
        part("wheel", WHEEL, "the four wheels", 4),
        part("powertrain", POWERTRAIN, "engine, clutch, CVT, axles"),
        part("energy", ENERGY, "energy ledger since reset"),
        part("flow", FLOW, "energy ledger of the last step"),
        part("dbw", DBW, "drive-by-wire"),
    ),
)
