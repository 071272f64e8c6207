"""The parameter file of the vehicle: strict, complete, and as the spec has it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acres_ros.core.parameter_ranges import RANGES
from acres_ros.core.parameters import ParameterError, default_path, load_parameters, to_tree
from acres_ros.errors import AcresError
from acres_ros.models.parameters import PARAMETERS

SPEC = {  # spec, Drive-by-Wire and ULC, section Parameters
    "dbw.command_timeout_s": 0.1,
    "dbw.ulc_actuator_timeout_s": 0.087,
    "dbw.speed_scale": 0.9304,
    "dbw.steering.default_rate_deg_s": 100.0,
    "dbw.steering.default_accel_deg_s2": 500.0,
    "dbw.steering.delay_s": 0.0205,
    "dbw.steering.tau_s": 0.1323,
    "dbw.steering.slew_deg_s": 500.0,
    "dbw.steering.lock_deg": 487.0,
    "dbw.steering.command_range_deg": 280.0,
    "dbw.steering.max_curvature_per_m": 0.2,
    "dbw.steering.max_yaw_rate_rad_s": 8.5,
    "dbw.steering.kinematic_ratio": 0.0,
    "dbw.steering.kinematic_wheelbase_m": 0.0,
    "dbw.throttle.delay_s": 0.0,
    "dbw.throttle.default_rate_pct_s": 0.0,
    "dbw.brake.max_bar": 80.0,
    "dbw.brake.delay_s": 0.0333,
    "dbw.brake.apply_accel_bar_s2": 690.2405,
    "dbw.brake.slew_bar_s": 200.0,
    "dbw.brake.release_tau_s": 0.0415,
    "dbw.brake.release_exponent": 0.695,
    "dbw.gear.shift_s": 1.0,
    "dbw.gear.max_speed_mps": 0.3,
    "dbw.ulc.default_accel_mps2": 1.2,
    "dbw.ulc.default_decel_mps2": 1.5,
    "dbw.ulc.default_jerk_throttle_mps3": 1.0,
    "dbw.ulc.default_jerk_brake_mps3": 1.0,
    "dbw.ulc.kp": 1.0,
    "dbw.ulc.delay_s": 0.03,
    "dbw.ulc.throttle_offset_pct": 13.2426,
    "dbw.ulc.throttle_accel_pct": 0.7056,
    "dbw.ulc.throttle_speed_pct": 27.2515,
    "dbw.ulc.throttle_integral_pct": 5.8321,
    "dbw.ulc.integral_limit_m": 5.0,
    "dbw.ulc.launch_speed_mps": 0.5,
    "dbw.ulc.throttle_on_mps2": 0.35,
    "dbw.ulc.brake_on_mps2": -0.3,
    "dbw.ulc.mass_kg": 1250.0,
    "dbw.ulc.stop_brake_pct": 20.0,
    "dbw.ulc.stop_speed_mps": 0.1,
    "mass.occupants": 2,
    "mass.angular_damping_per_s": 0.08,
    "mass.gravity": 9.80665,
    "steering.center_deg": 12.5,
}


def leaf(record, key):
    for name in key.split("."):
        record = record[name]
    return record


def write(folder, change):
    tree = json.loads(default_path().read_text())
    change(tree)
    path = folder / "polaris.json"
    path.write_text(json.dumps(tree))
    return path


def test_the_file_holds_the_values_of_the_spec():
    record = load_parameters()[0]
    for key, value in SPEC.items():
        assert leaf(record, key) == value, key


def test_the_file_and_the_defaults_of_the_table_are_the_same():
    assert load_parameters().tobytes() == PARAMETERS.new(1).tobytes()


def test_the_file_holds_each_key_of_the_table_in_its_order():
    assert json.loads(default_path().read_text()) == to_tree(load_parameters())


def test_overrides_and_occupants_apply():
    record = load_parameters(overrides={"dbw.ulc.kp": 0.8, "tyre.rate": 100_000}, occupants=1)[0]
    assert (record.dbw.ulc.kp, record.tyre.rate, record.mass.occupants) == (0.8, 100e3, 1)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ({"dbw.ulc.kpp": 1.0}, ["dbw.ulc.kpp", "dbw.ulc.kp"]),
        ({"zzzz": 1.0}, ["zzzz", "key that the model knows"]),
        ({"dbw.ulc": 1.0}, ["dbw.ulc"]),
        ({"dbw.ulc.kp": float("nan")}, ["dbw.ulc.kp", "nan", "finite"]),
        ({"dbw.ulc.kp": float("-inf")}, ["dbw.ulc.kp", "inf", "finite"]),
        ({"dbw.ulc.kp": "1.0"}, ["dbw.ulc.kp", "'1.0'", "number"]),
        ({"dbw.ulc.kp": True}, ["dbw.ulc.kp", "True"]),
        ({"dbw.ulc.kp": None}, ["dbw.ulc.kp", "None"]),
        ({"mass.occupants": 1.5}, ["mass.occupants", "whole"]),
        ({"mass.occupants": 10**30}, ["mass.occupants", f"= {10**30}", "whole number of 64 bits"]),
        ({"mass.occupants": 1e30}, ["mass.occupants", "1e+30", "whole number of 64 bits"]),
        ({"mass.occupants": 10**400}, ["mass.occupants", "(a number of 1329 bits)", "whole"]),
        ({"mass.occupants": -(2**63) - 1}, ["mass.occupants", "whole number of 64 bits"]),
        ({"dbw.ulc.kp": 10**400}, ["dbw.ulc.kp", "(a number of 1329 bits)", "finite"]),
        ({"dbw.ulc.kp": -(10**5000)}, ["dbw.ulc.kp", "bits)", "finite"]),
        ({"engine.wot_torque_nm": [1.0] * 9 + [10**400]}, ["engine.wot_torque_nm", "row of 10"]),
        ({"mass.occupants": 7}, ["mass.occupants", "= 7", "of 0 to 6"]),
        ({"tyre.rate": 0.0}, ["tyre.rate", "of 10000 to 1e+06"]),
        ({"mass.kerb_kg": -5.0}, ["mass.kerb_kg", "of 50 to 20000"]),
        ({"engine.wot_torque_nm": 50.0}, ["engine.wot_torque_nm", "row of 10"]),
        ({"engine.wot_torque_nm": [1.0] * 9}, ["engine.wot_torque_nm", "row of 10"]),
        ({"engine.wot_torque_nm": [1.0] * 9 + [float("nan")]}, ["engine.wot_torque_nm", "row of 10"]),
        ({"dbw.brake.delay_s": 3.0}, ["dbw.brake.delay_s"]),
        ({"dbw.brake.max_bar": 0.0}, ["dbw.brake.max_bar", "0.0", "of 1 to 1000"]),
        ({"dbw.brake.max_bar": -80.0}, ["dbw.brake.max_bar", "-80", "of 1 to 1000"]),
        ({"dbw.steering.lock_deg": 0.0}, ["dbw.steering.lock_deg", "of 1 to 10000"]),
        ({"dbw.ulc.brake_on_mps2": 0.1}, ["dbw.ulc.brake_on_mps2", "0.1", "of -1000 to 0"]),
        ({"dbw.ulc.stop_brake_pct": 101.0}, ["dbw.ulc.stop_brake_pct", "of 0 to 100"]),
        ({"dbw.command_timeout_s": 0.0}, ["dbw.command_timeout_s", "0.0", "to 10"]),
        ({"gearbox.efficiency": 1.01}, ["gearbox.efficiency", "of 0.05 to 1"]),
        ({"engine.wot_torque_nm": [1.0] * 9 + [-1.0]}, ["engine.wot_torque_nm", "of 0 to 1000"]),
        ({"geometry.mass_ahead_m": 2.87}, ["geometry.mass_ahead_m", "geometry.wheelbase_m, 2.87"]),
        ({"steering.center_deg": -487.0}, ["steering.center_deg", "dbw.steering.lock_deg, 487"]),
    ],
)
def test_an_override_that_is_wrong_is_refused_in_words(override, words):
    with pytest.raises(AcresError) as caught:
        load_parameters(overrides=override)
    for word in words:
        assert word in str(caught.value)


NOT_NEGATIVE = [key for key, value in SPEC.items() if key.startswith("dbw.") and key != "dbw.ulc.brake_on_mps2"]


@pytest.mark.parametrize("key", NOT_NEGATIVE)
def test_no_number_of_the_drive_by_wire_but_its_brake_threshold_may_be_negative(key):
    with pytest.raises(AcresError, match=f"{key} .*-1.*wanted"):
        load_parameters(overrides={key: -1.0})


@pytest.mark.parametrize(
    "key",
    # 0: no limit, no lag, no delay, the map of the vehicle (spec, section Parameters), or no gain
    ["dbw.steering.default_rate_deg_s", "dbw.steering.tau_s", "dbw.steering.delay_s", "dbw.steering.kinematic_ratio"]
    + ["dbw.throttle.default_rate_pct_s", "dbw.brake.release_tau_s", "dbw.gear.shift_s", "dbw.ulc.kp"]
    + ["dbw.ulc.default_accel_mps2", "dbw.ulc_actuator_timeout_s"],
)
def test_a_zero_that_has_a_meaning_is_taken(key):
    assert to_tree(load_parameters(overrides={key: 0.0}))["dbw"]["speed_scale"] == 0.9304


def test_every_parameter_has_a_range():
    assert sorted(RANGES) == sorted(key for key, _ in PARAMETERS.leaves())


def test_a_missing_key_names_file_key_and_meaning(tmp_path):
    path = write(tmp_path, lambda tree: tree["dbw"]["ulc"].pop("kp"))
    with pytest.raises(ParameterError, match=r"polaris.json: dbw.ulc.kp = \(missing\)") as caught:
        load_parameters(path)
    assert caught.value.key == "dbw.ulc.kp"


def test_an_unknown_key_names_the_nearest(tmp_path):
    path = write(tmp_path, lambda tree: tree["tyre"].update(radius=0.3))
    with pytest.raises(ParameterError, match=r"tyre.radius = 0.3.*tyre.radius_m"):
        load_parameters(path)


def test_a_group_in_place_of_a_number_is_refused(tmp_path):
    path = write(tmp_path, lambda tree: tree["tyre"].update(rate={"front": 1.0}))
    with pytest.raises(ParameterError, match=r"tyre.rate.front"):
        load_parameters(path)


DEEP = {
    "list": "[" * 20_000,
    "group": '{"a": ' * 20_000,
    "closed group": '{"a": ' * 300 + "1" + "}" * 300,
    "value": '{"mass": {"kerb_kg": ' + "[" * 500 + "]" * 500 + "}}",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_a_file_that_is_nested_deep_is_refused_in_few_words(tmp_path, text):
    path = tmp_path / "deep.json"
    path.write_text(text)
    with pytest.raises(ParameterError, match=r"deep\.json.*wanted") as caught:
        load_parameters(path)
    assert len(str(caught.value)) < len(str(path)) + 500


@pytest.mark.parametrize("content", [b"\x7fELF\xff\xfe", b'{"dbw": "\xfc"}', b'{"dbw": ' + b"9" * 5000 + b"}"])
def test_a_file_of_bytes_or_endless_digits_is_refused(tmp_path, content):
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    with pytest.raises(ParameterError, match=r"odd\.json.*wanted a JSON file"):
        load_parameters(path)


def test_a_file_with_a_number_beyond_the_doubles_names_its_key(tmp_path):
    path = write(tmp_path, lambda tree: tree["dbw"]["ulc"].update(kp=10**400))
    with pytest.raises(ParameterError, match=r"polaris\.json: dbw\.ulc\.kp = .*wanted a finite number"):
        load_parameters(path)


@pytest.mark.parametrize("text", ["", "[1, 2]", "{", '{"mass": {"kerb_kg": 1, "kerb_kg": 2}}', '{"dbw": NaN}'])
def test_a_file_that_is_no_tree_of_parameters_is_refused(tmp_path, text):
    path = tmp_path / "odd.json"
    path.write_text(text)
    with pytest.raises(ParameterError, match=r"odd\.json"):
        load_parameters(path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="No such file"):
        load_parameters(tmp_path / "none.json")


@given(st.sampled_from([k for k, f in PARAMETERS.leaves() if not f.count]), st.sampled_from(["x", [], {}, None, "inf"]))
def test_no_key_takes_a_value_that_is_no_number(key, value):
    with pytest.raises(ParameterError, match=key.replace(".", r"\.")):
        load_parameters(overrides={key: value})
