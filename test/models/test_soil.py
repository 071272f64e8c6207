"""The soil kernels against Collins, Brixius, Bekker and Rankine, written out a second time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros._compile import entry
from acres_ros.models import soil
from acres_ros.models.farm import CONDITIONS
from acres_ros.models.ground import SOIL
from acres_ros.world import SurfaceClass
from acres_ros.world.surfaces import surface_table

PSI = 6.894757
NORTH_GOWER = (0.73, 41.6, 2471.0)  # n, k_c, k_phi
WIDTH, DIAMETER, REAR_LOAD = 0.28, 0.686, 3664.0


@entry
def collins(clay, moisture):
    return soil.cone_index(clay, moisture)


@entry
def water(conditions, field, least):
    return soil.water_fraction(conditions[0], field, least)


@entry
def unit_cone(soils, fraction):
    theta = soil.water_content(soils[0], fraction)
    return theta, soil.soil_cone_index(soils[0], theta)


@entry
def brixius(cone, load, width, diameter, slip):
    inverse = soil.mobility(cone, load, width, diameter)
    return inverse, soil.brixius_resistance(inverse, slip)


@entry
def resistance(reference, cone, reference_cone, load, slip):
    return soil.soil_resistance(reference, cone, reference_cone, load, WIDTH, DIAMETER, slip)


@entry
def sinkage(surfaces, ratio, load, width, length, slip):
    stiffness = soil.sinkage_stiffness(surfaces[0], ratio, width)
    return soil.first_sinkage(load, length, stiffness, surfaces[0].exponent, slip), stiffness


@entry
def follow(first, rut):
    return soil.next_sinkage(first, rut), soil.passes(first, rut), soil.pass_strength(soil.passes(first, rut))


@entry
def push(depth, stiffness, exponent, width, weight, cohesion, friction):
    return soil.compaction(depth, stiffness, exponent), soil.bulldozing(depth, width, weight, cohesion, friction)


@entry
def film(amount, fraction, width, speed_squared):
    return soil.water_drag(soil.film_on_soil(amount, fraction), width, speed_squared)


@entry
def strength(cone, reference, modulus):
    ratio = soil.strength_ratio(cone, reference)
    return ratio, soil.shear_modulus(modulus, ratio)


def surface_of(n, k_c, k_phi):
    table = surface_table()[SurfaceClass.FIELD : SurfaceClass.FIELD + 1].view(np.ndarray).copy()
    table["exponent"], table["k_c"], table["k_phi"] = n, k_c, k_phi
    return table


@pytest.mark.parametrize(
    ("moisture", "low_clay", "high_clay"),
    [(18, 463, 572), (20, 317, 405), (22, 225, 296), (24, 165, 222), (26, 124, 171), (28, 95, 134), (30, 74, 107),
     (34, 47, 71)],
)  # fmt: skip
def test_the_cone_index_is_that_of_collins(moisture, low_clay, high_clay):
    for clay, psi in ((22.0, low_clay), (31.0, high_clay)):
        assert collins(clay, float(moisture)) == pytest.approx(min(psi * PSI, 2000.0), abs=0.6 * PSI)


@given(st.floats(0.0, 100.0), st.floats(0.0, 1000.0))
@settings(deadline=None)
def test_the_cone_index_stays_between_its_bounds(clay, moisture):
    assert 30.0 <= collins(clay, moisture) <= 2000.0
    assert collins(clay, moisture + 1.0) <= collins(clay, moisture)


def test_soil_water_is_the_fields_own_or_the_global_one():
    conditions = CONDITIONS.new(1).view(np.ndarray)
    conditions["global_fraction"] = 0.4
    conditions["field_fraction"][0, 7] = 0.9
    conditions["field_fraction"][0, 8] = 0.0
    assert water(conditions, 7, 0.0) == 0.9
    assert water(conditions, 8, 0.0) == 0.0
    assert [water(conditions, field, 0.0) for field in (0, 59, 60, 255)] == [0.4] * 4
    assert water(conditions, 8, 0.9) == 0.9  # a place that never dries
    conditions["global_fraction"] = 3.0
    assert water(conditions, 255, 0.0) == 1.0


def test_a_unit_goes_from_wilting_point_to_saturation():
    soils = SOIL.new(1).view(np.ndarray)
    assert unit_cone(soils, 0.0)[0] == 0.15
    assert unit_cone(soils, 1.0)[0] == pytest.approx(0.47)
    theta, cone = unit_cone(soils, 0.55)
    # 24 % clay, 1.37 g/cm3: M = 100 theta / 1.37
    exponent = 4.605 + (2.123 + 0.008 * 24 - 0.693 * math.log(100 * theta / 1.37)) / (0.149 + 0.002 * 24)
    assert cone == pytest.approx(math.exp(exponent) * PSI, rel=1e-12)


@pytest.mark.parametrize(("cone", "number", "rho"), [(900.0, 38.0, 0.066), (420.0, 18.0, 0.096), (250.0, 10.6, 0.134)])
def test_the_motion_resistance_is_that_of_brixius(cone, number, rho):
    inverse, at_rest = brixius(cone, REAR_LOAD, WIDTH, DIAMETER, 0.0)
    assert 1.0 / inverse == pytest.approx(number, rel=0.015)
    assert at_rest == pytest.approx(rho, abs=0.001)
    _, slipping = brixius(cone, REAR_LOAD, WIDTH, DIAMETER, -0.2)
    assert slipping - at_rest == pytest.approx(0.1 / math.sqrt(1.0 / inverse), rel=1e-12)


def test_the_mobility_number_has_no_dimension():
    # Twice the lengths at the same pressures carry four times the load.
    inverse, _ = brixius(420.0, REAR_LOAD, WIDTH, DIAMETER, 0.0)
    assert brixius(420.0, 4.0 * REAR_LOAD, 2.0 * WIDTH, 2.0 * DIAMETER, 0.0)[0] == pytest.approx(inverse, rel=1e-12)
    assert brixius(840.0, 2.0 * REAR_LOAD, WIDTH, DIAMETER, 0.0)[0] == pytest.approx(inverse, rel=1e-12)


@given(st.floats(30.0, 4000.0), st.floats(0.0, 60e3), st.floats(-2.0, 2.0))
@settings(deadline=None)
def test_at_the_reference_the_resistance_is_that_of_the_table(cone, load, slip):
    assert resistance(0.116, cone, cone, load, slip) == 0.116
    softer = resistance(0.116, 0.8 * cone, cone, load, slip)
    assert 0.116 <= softer <= 0.6
    assert 0.02 <= resistance(0.116, 1.5 * cone, cone, load, slip) <= 0.116


def test_pressure_and_sinkage_follow_bekker():
    surface = surface_of(*NORTH_GOWER)
    front, stiffness = sinkage(surface, 1.0, 51.5e3 * 0.23 * 0.24, 0.23, 0.24, 0.0)
    assert stiffness == pytest.approx(0.23 * (41.6 / 0.23 + 2471.0))
    rear, _ = sinkage(surface, 1.0, 52.0e3 * 0.28 * 0.25, 0.28, 0.25, 0.0)
    assert front == pytest.approx(4.4e-3, abs=0.15e-3)
    assert rear == pytest.approx(4.7e-3, abs=0.15e-3)
    # p = (k_c/b + k_phi) z^n, back to the pressure in kPa
    assert (41.6 / 0.28 + 2471.0) * rear**0.73 == pytest.approx(52.0, rel=1e-9)


def test_slip_digs_in():
    surface = surface_of(*NORTH_GOWER)
    rest, _ = sinkage(surface, 1.0, REAR_LOAD, WIDTH, 0.26, 0.0)
    for slip in (0.2, -0.2, 0.5, 1.0):
        dug, _ = sinkage(surface, 1.0, REAR_LOAD, WIDTH, 0.26, slip)
        assert dug / rest == pytest.approx((1.0 + abs(slip)) / (1.0 - 0.5 * abs(slip)), rel=1e-12)


def test_two_passes_leave_the_rut_of_the_spec():
    first = 4.7e-3
    second, count, harder = follow(first, 0.7 * first)
    assert count == pytest.approx(1.0)
    assert harder == pytest.approx(1.0 + 0.3 * math.log(2.0))
    assert second == pytest.approx(5.9e-3, abs=0.05e-3)
    assert 0.7 * second == pytest.approx(4.1e-3, abs=0.1e-3)  # spec: 4 mm


def test_passes_go_with_the_cube_root():
    first, rut = 0.01, 0.0
    for number in range(1, 20):
        deep, count, _ = follow(first, rut)
        assert deep == pytest.approx(first * number ** (1.0 / 3.0), rel=1e-9)
        assert count == pytest.approx(number - 1.0, abs=1e-9)
        rut = 0.7 * deep


@given(st.floats(0.0, 0.2), st.floats(0.0, 0.2))
@settings(deadline=None)
def test_a_wheel_never_makes_a_rut_shallower(first, rut):
    deep, count, harder = follow(first, rut)
    assert max(first, rut) * (1.0 - 1e-12) - 1e-15 <= deep <= 0.2
    assert 0.0 <= count <= 20.0
    assert 1.0 <= harder <= 1.0 + 0.3 * math.log(21.0)


def test_compaction_and_bulldozing_begin_at_15_mm():
    stiffness, n = 0.28 * 776.6, 0.66
    low = push(0.015, stiffness, n, WIDTH, 14.0, 3.0, 27.0)
    assert low == (0.0, 0.0)
    just = push(0.015 + 1e-9, stiffness, n, WIDTH, 14.0, 3.0, 27.0)
    assert max(just) < 1e-3
    compaction, bulldozing = push(0.05, stiffness, n, WIDTH, 14.0, 3.0, 27.0)
    # Work of the pressure over the depth by quadrature, N: 1 m of way.
    z = np.linspace(0.015, 0.05, 20001)
    assert compaction == pytest.approx(np.trapezoid(stiffness * z**n, z) * 1e3, rel=1e-6)
    # Rankine's passive pressure sigma = gamma z N + 2 c sqrt(N) over the face between 15 and 50 mm.
    flow = math.tan(math.radians(45.0 + 13.5)) ** 2
    pressure = 14.0 * z * flow + 2.0 * 3.0 * math.sqrt(flow)
    assert bulldozing == pytest.approx(np.trapezoid(pressure, z) * WIDTH * 1e3, rel=1e-6)


def test_the_film_pushes_back_with_the_square_of_the_speed():
    # 1000 kg/m3, 0.7, 5 mm x 0.28 m, 10 m/s
    assert film(1.0, 1.0, 0.28, 100.0) == pytest.approx(0.5 * 1000 * 0.7 * 0.28 * 0.005 * 100.0)
    assert film(0.5, 1.0, 0.28, 400.0) == pytest.approx(2.0 * film(1.0, 1.0, 0.28, 100.0))
    assert film(1.0, 0.9, 0.28, 100.0) == 0.0  # soil takes it up
    assert film(1.0, 0.95, 0.28, 100.0) == pytest.approx(0.5 * film(1.0, 1.0, 0.28, 100.0))


@given(st.floats(0.0, 1e4), st.floats(50.0, 2000.0))
@settings(deadline=None)
def test_strength_is_bounded_and_wet_soil_needs_more_shear(cone, reference):
    ratio, modulus = strength(cone, reference, 0.022)
    assert ratio == min(max(cone / reference, 0.3), 1.3)
    assert modulus == pytest.approx(0.022 * ratio**-0.3, rel=1e-12)


@given(
    st.floats(0.0, 1.0), st.floats(0.0, 1e6), st.floats(0.01, 1.0), st.floats(0.05, 1.0), st.floats(-10.0, 10.0),
    st.floats(0.1, 2.0), st.floats(0.0, 1e4), st.floats(1.0, 1e6),
)  # fmt: skip
@settings(deadline=None)
def test_sinkage_is_bounded_and_rises_with_the_load(ratio, load, width, length, slip, n, k_c, k_phi):
    surface = surface_of(n, k_c, k_phi)
    depth, _ = sinkage(surface, max(ratio, 0.3), load, width, length, slip)
    heavier, _ = sinkage(surface, max(ratio, 0.3), 1.1 * load, width, length, slip)
    assert 0.0 <= depth <= heavier <= 0.2
