"""What one wheel feels of the ground: grip, shear modulus, motion resistance, sinkage, water.

At the reference cone index of its class a surface has exactly the numbers of its row; from there the soil water, the
soil unit and earlier passes make it stronger or weaker (`soil.py`).
"""

from acres_ros._compile import entry, kernel, outlined
from acres_ros.models.ground import land_at, surface_class
from acres_ros.models.maths import lag, sqrt
from acres_ros.models.ruts import rut_at
from acres_ros.models.soil import (
    SHALLOW,
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
def undisturbed_cone_index(surface, soil, theta):
    """Return the cone index (kPa) where no wheel has been, at a water content."""
    if surface.farm_water == 0:
        return surface.cone_index_kpa
    return surface.cone_factor * soil_cone_index(soil, theta)


@kernel
def soil_footing(surface, undisturbed, rut, load, width, diameter, slip):
    """Return what soil does to a wheel.

    Args:
        surface: SURFACE record of a soil.
        undisturbed: cone index where no wheel has been, kPa.
        rut: depth of the rut ahead, m.
        load: normal load, N.
        width: tread width, m.
        diameter: tyre diameter, m.
        slip: slip of the wheel.

    Returns:
        cone index after the earlier passes (kPa), factor on cohesion and friction, shear modulus (m), motion resistance
        over load, sinkage that the wheel comes to (m), stiffness of the sinkage b (k_c / b + k_phi) (kN/m^(n+1)).
    """
    reference = surface.cone_index_kpa
    cone = undisturbed
    ratio = strength_ratio(cone, reference)
    stiffness = sinkage_stiffness(surface, ratio, width)
    first = first_sinkage(load, surface.relaxation, stiffness, surface.exponent, slip)
    sinkage = first
    if rut > 0.0:
        cone *= pass_strength(passes(first, rut))
        ratio = strength_ratio(cone, reference)
        sinkage = next_sinkage(first, rut)
    modulus = shear_modulus(surface.shear_modulus, ratio)
    resistance = soil_resistance(surface.resistance, cone, reference, load, width, diameter, slip)
    return cone, sqrt(ratio), modulus, resistance, sinkage, stiffness


@outlined
def _deep_resistance(surface, width, depth, stiffness, cohesion_kpa, wheel):
    """Return what a deep wheel meets beyond the resistance of its surface (N); set the resistance beside it."""
    weight, friction = surface.bulk_weight, surface.soil_friction_deg
    wheel.side_resistance = bulldozing(depth, surface.relaxation, weight, cohesion_kpa, friction)
    ahead = bulldozing(depth, width, weight, cohesion_kpa, friction)
    return compaction(depth, stiffness, surface.exponent) + ahead


@outlined
def _step_on_soil(h, index, class_number, surface, soil, unit, fraction, p, wheel):
    """Set sinkage, strength and shear of a wheel on soil; return its motion resistance (N) and the factor on its grip.

    The sinkage follows over the contact length: a standing wheel still sinks, at the lowest transport speed of the
    shear, and leaves the hole that it has dug by rolling out of it only.

    Args:
        h: step, s.
        index: wheel 0 to 3.
        class_number: surface class.
        surface: its SURFACE record.
        soil: SOIL record.
        unit: its number.
        fraction: soil water, 0 to 1.
        p: PARAMETERS record.
        wheel: WHEEL record with the rut ahead, changed in place.
    """
    width = tyre_width(p, index)
    theta = water_content(soil, fraction)
    if unit != wheel.soil_unit or theta != wheel.moisture or wheel.surface != class_number:
        wheel.undisturbed_kpa = undisturbed_cone_index(surface, soil, theta)
    wheel.soil_unit = unit
    wheel.moisture = theta
    cone, strength, modulus, resistance, target, stiffness = soil_footing(
        surface, wheel.undisturbed_kpa, wheel.rut, wheel.load, width, 2.0 * p.tyre.radius_m, wheel.slip
    )
    wheel.cone_index_kpa = cone
    wheel.shear_modulus = modulus
    speed = abs(wheel.speed_x)
    if target > wheel.sinkage:
        speed = max(speed, p.tyre.minimum_speed)
    # The tyre carries less the deeper it sinks, and would sink less then: without that share a fast wheel on soft soil
    # jumps between no load and twice its load, step by step.
    yielding = p.tyre.rate * target / max(surface.exponent * wheel.load, 1.0)
    change = lag(wheel.sinkage, target, surface.relaxation, speed * h) - wheel.sinkage
    share = change / (target - wheel.sinkage) if target != wheel.sinkage else 0.0
    wheel.sinkage += change / (1.0 + share * yielding)
    force = resistance * wheel.load
    depth = wheel.sinkage - wheel.rut
    if depth > SHALLOW:
        contact = contact_share(p, wheel.load)
        cohesion_kpa = strength * surface.soil_cohesion_kpa
        force += contact * _deep_resistance(surface, width, depth, stiffness, cohesion_kpa, wheel)
        wheel.side_resistance *= contact
    return force, strength


@kernel
def contact_share(p, load):
    """Return the contact area of a lightly loaded tyre over its whole area, 0 to 1."""
    return min(1.0, load / p.tyre.cohesion_load)


@kernel
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
    contact = contact_share(p, load)
    film = conditions.surface_film
    strength = 1.0
    wheel.relaxation = surface.relaxation
    wheel.side_resistance = 0.0
    sinkage = wheel.sinkage
    if surface.soil == 1:
        if abs(wheel.speed_x) > RUT_SPEED:
            ahead = 0.5 * surface.relaxation + RUT_AHEAD
            if wheel.speed_x < 0.0:
                ahead = -ahead
            ahead_x = wheel.contact_x + ahead * wheel.heading_x
            ahead_y = wheel.contact_y + ahead * wheel.heading_y
            wheel.rut = rut_at(farm, ahead_x, ahead_y)
        field, unit = land_at(ground, wheel.contact_x, wheel.contact_y)
        fraction = water_fraction(conditions, field, surface.least_fraction)
        rolling, strength = _step_on_soil(h, index, class_number, surface, ground.soils[unit], unit, fraction, p, wheel)
        film = film_on_soil(film, fraction)
    else:
        rolling = surface.resistance * load
        wheel.shear_modulus = surface.shear_modulus
        wheel.rut = 0.0
        wheel.soil_unit = -1
        wheel.moisture = 0.0
        wheel.cone_index_kpa = 0.0
        if sinkage != 0.0:
            wheel.sinkage = lag(sinkage, 0.0, surface.relaxation, abs(wheel.speed_x) * h)
    wheel.sinkage_rate = (wheel.sinkage - sinkage) / h
    friction = film_friction(surface, conditions.surface_film)
    wheel.grip = strength * (load * friction + surface.cohesion * contact)
    wheel.rolling = rolling * p.tyre.radius_m * p.tyre.rolling_factor
    wheel.water_drag = 0.0
    if film > 0.0:
        speed_squared = wheel.speed_x * wheel.speed_x + wheel.speed_y * wheel.speed_y
        wheel.water_drag = contact * water_drag(film, tyre_width(p, index), speed_squared)
    wheel.surface = class_number
    if load <= 0.0:
        wheel.surface = -1
        wheel.shear_x = 0.0
        wheel.shear_y = 0.0


@entry
def water_at(ground, conditions, x, y):
    """Return the volumetric water content of the soil at a point, also of that below hard ground, from Python.

    Args:
        ground: Ground.
        conditions: one CONDITIONS record.
        x: east, m.
        y: north, m.
    """
    field, unit = land_at(ground, x, y)
    least = ground.surfaces[surface_class(ground, x, y)].least_fraction
    return water_content(ground.soils[unit], water_fraction(conditions[0], field, least))


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
        theta = water_content(ground.soils[unit], fraction)
        cone = undisturbed_cone_index(surface, ground.soils[unit], theta)
        cone, strength, modulus, resistance, sinkage, _ = soil_footing(surface, cone, rut, load, width, diameter, 0.0)
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
