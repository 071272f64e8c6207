"""What one wheel feels of the ground: grip, shear modulus, motion resistance, sinkage, water.

At the reference cone index of its class a surface has exactly the numbers of its row; from there the soil water, the
soil unit and earlier passes make it stronger or weaker (`soil.py`).
"""

from acres_ros._compile import entry, kernel, outlined
from acres_ros.models.ground import land_at, surface_class
from acres_ros.models.marks import rut_at
from acres_ros.models.maths import lag, sqrt
from acres_ros.models.soil import (
    bulldozing,
    compaction,
    film_on_soil,
    first_sinkage,
    next_sinkage,
    pass_strength,
    passes,
    shear_modulus,
    sinkage_stiffness,
    soil_cone_index,
    soil_resistance,
    strength_ratio,
    water_content,
    water_drag,
    water_fraction,
)
from acres_ros.models.tyre import tyre_width

RUT_AHEAD = 0.18  # m beyond the end of the contact, so that a wheel does not meet the rut that it is making
RUT_SPEED = 0.05  # m/s; below it a wheel keeps the rut that it found last


@kernel
def film_friction(surface, film):
    """Return tan(phi) of a surface below a water film."""
    return surface.friction * (1.0 - surface.film_loss * film)


@kernel
def soil_footing(surface, soil, fraction, rut, load, width, diameter, slip):
    """Return what soil is below a wheel.

    Args:
        surface: SURFACE record of a soil.
        soil: SOIL record.
        fraction: soil water, 0 to 1.
        rut: depth of the rut ahead, m.
        load: normal load, N.
        width: tread width, m.
        diameter: tyre diameter, m.
        slip: slip of the wheel.

    Returns:
        water content, cone index (kPa), factor on cohesion and friction, shear modulus (m), motion resistance over
        load, sinkage that the wheel comes to (m), stiffness of the sinkage k_c/b + k_phi (kN/m^(n+2)).
    """
    theta = water_content(soil, fraction)
    cone = surface.cone_index_kpa
    if surface.farm_water == 1:
        cone = surface.cone_factor * soil_cone_index(soil, theta)
    stiffness = sinkage_stiffness(surface, strength_ratio(cone, surface.cone_index_kpa), width)
    first = first_sinkage(load, width, surface.relaxation, stiffness, surface.exponent, slip)
    if rut > 0.0:
        cone *= pass_strength(passes(first, rut))
    ratio = strength_ratio(cone, surface.cone_index_kpa)
    modulus = shear_modulus(surface.shear_modulus, ratio)
    resistance = soil_resistance(surface.resistance, cone, surface.cone_index_kpa, load, width, diameter, slip)
    return theta, cone, sqrt(ratio), modulus, resistance, next_sinkage(first, rut), stiffness


@outlined
def step_footing(h, index, ground, farm, p, wheel):
    """Set grip, shear, motion resistance, sinkage and water of one wheel from the ground below it.

    Args:
        h: step, s.
        index: wheel 0 to 3.
        ground: Ground.
        farm: Farm.
        p: PARAMETERS record.
        wheel: WHEEL record with load, directions and speeds of this step, changed in place.
    """
    conditions = farm.conditions[0]
    class_number = surface_class(ground, wheel.contact_x, wheel.contact_y)
    surface = ground.surfaces[class_number]
    load = wheel.load
    contact = min(1.0, load / p.tyre.cohesion_load)
    width = tyre_width(p, index)
    film = conditions.surface_film
    strength = 1.0
    modulus = surface.shear_modulus
    resistance = surface.resistance
    target = 0.0
    extra = 0.0
    wheel.side_resistance = 0.0
    travelled = max(abs(wheel.speed_x), p.tyre.minimum_speed) * h
    before = wheel.sinkage
    if surface.soil == 1:
        if abs(wheel.speed_x) > RUT_SPEED:
            ahead = 0.5 * surface.relaxation + RUT_AHEAD
            if wheel.speed_x < 0.0:
                ahead = -ahead
            wheel.rut = rut_at(
                farm, wheel.contact_x + ahead * wheel.heading_x, wheel.contact_y + ahead * wheel.heading_y
            )
        field, unit = land_at(ground, wheel.contact_x, wheel.contact_y)
        fraction = water_fraction(conditions, field, surface.least_fraction)
        theta, cone, strength, modulus, resistance, target, stiffness = soil_footing(
            surface, ground.soils[unit], fraction, wheel.rut, load, width, 2.0 * p.tyre.radius_m, wheel.slip
        )
        wheel.moisture = theta
        wheel.cone_index_kpa = cone
        wheel.sinkage = lag(before, target, surface.relaxation, travelled)
        film = film_on_soil(film, fraction)
        depth = wheel.sinkage - wheel.rut
        cohesion = strength * surface.soil_cohesion_kpa
        extra = compaction(depth, width, stiffness, surface.exponent)
        extra += bulldozing(depth, width, surface.bulk_weight, cohesion, surface.soil_friction_deg)
        extra *= contact
        wheel.side_resistance = contact * bulldozing(
            depth, surface.relaxation, surface.bulk_weight, cohesion, surface.soil_friction_deg
        )
    else:
        wheel.rut = 0.0
        wheel.moisture = 0.0
        wheel.cone_index_kpa = 0.0
        wheel.sinkage = lag(before, 0.0, surface.relaxation, travelled)
    wheel.sinkage_rate = (wheel.sinkage - before) / h
    friction = strength * film_friction(surface, conditions.surface_film)
    wheel.shear_modulus = modulus
    wheel.relaxation = surface.relaxation
    wheel.grip = load * friction + strength * surface.cohesion * contact
    wheel.rolling = (resistance * load + extra) * p.tyre.radius_m * p.tyre.rolling_factor
    speed_squared = wheel.speed_x * wheel.speed_x + wheel.speed_y * wheel.speed_y
    wheel.water_drag = contact * water_drag(film, width, speed_squared)
    wheel.surface = class_number
    if load <= 0.0:
        wheel.surface = -1
        wheel.shear_x = 0.0
        wheel.shear_y = 0.0


@entry
def footing_entry(ground, conditions, x, y, rut, load, width, diameter):
    """Return what a wheel without slip feels at a point, from Python.

    Args:
        ground: Ground.
        conditions: one CONDITIONS record.
        x: east, m.
        y: north, m.
        rut: depth of the rut ahead, m.
        load: normal load, N.
        width: tread width, m.
        diameter: tyre diameter, m.

    Returns:
        surface class, field, soil unit, soil water (0 to 1), water content, cone index (kPa), motion resistance over
        load, tan(phi), cohesive force (N), shear modulus (m), relaxation length (m), sinkage (m).
    """
    number = surface_class(ground, x, y)
    surface = ground.surfaces[number]
    field, unit = land_at(ground, x, y)
    fraction, theta, cone, strength, sinkage = 0.0, 0.0, 0.0, 1.0, 0.0
    modulus, resistance = surface.shear_modulus, surface.resistance
    if surface.soil == 1:
        fraction = water_fraction(conditions[0], field, surface.least_fraction)
        theta, cone, strength, modulus, resistance, sinkage, _ = soil_footing(
            surface, ground.soils[unit], fraction, rut, load, width, diameter, 0.0
        )
    friction = strength * film_friction(surface, conditions[0].surface_film)
    return (
        number,
        field,
        unit,
        fraction,
        theta,
        cone,
        resistance,
        friction,
        strength * surface.cohesion,
        modulus,
        surface.relaxation,
        sinkage,
    )
