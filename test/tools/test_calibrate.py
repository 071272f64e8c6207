"""The fit: known parameters come back, errors are those of linear algebra, and what is written can be read."""

from __future__ import annotations

import argparse
import json
import os
import runpy
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest

from acres_ros.cli import calibrate as verb
from acres_ros.core.parameters import default_path, load_parameters, to_tree
from acres_ros.locations import shared_folder
from acres_ros.tools.calibrate import FREE, Free, Problem, UnfittedRowError, UnknownFreeError, calibrate
from acres_ros.tools.calibrate import files as written
from acres_ros.tools.calibrate.fit import check
from acres_ros.tools.calibrate.problem import choose
from acres_ros.tools.calibrate.report import errors, fit_lines
from acres_ros.tools.validate import Figure
from acres_ros.tools.validate.drive import drive
from acres_ros.tools.validate.rows import ORIGIN
from acres_ros.tools.validate.subject import Subject
from acres_ros.world.surfaces import SurfaceClass, load_surfaces, surface_table

ROOT = Path(__file__).parents[2]
LINEAR_KEYS = ("engine.inertia", "cvt.lag_s", "surfaces.gravel.resistance")
SLOPES = np.array([[20.0, -1.0, 3.0], [5.0, 2.0, -8.0], [-4.0, 0.5, 30.0], [1.0, 1.0, 60.0]])
TARGETS = np.array([1.2, 1.9, 1.6, 2.6])
HALF_BAND = 0.2


def library():
    return json.loads((shared_folder("config") / "surfaces.json").read_text())


def linear(parameters, rows, surfaces):
    """Yield figures that are linear in three parameters."""
    p = parameters[0]
    values = np.array([p["engine"]["inertia"], p["cvt"]["lag_s"], surfaces["resistance"][SurfaceClass.GRAVEL]])
    for index, got in enumerate(SLOPES @ values):
        target = TARGETS[index]
        yield Figure("D3", f"figure {index}", target, float(got), target - HALF_BAND, target + HALF_BAND)


@pytest.fixture
def problem():
    return Problem(load_parameters(), surface_table(), choose(LINEAR_KEYS))


def analytic(problem):
    """Return solution and covariance of the stacked system of figures and priors; a band is two deviations wide."""
    sigma = HALF_BAND / 2.0
    system = np.vstack([SLOPES / sigma, np.diag(1.0 / problem.spread)])
    right = np.concatenate([TARGETS / sigma, problem.mean / problem.spread])
    pseudo = np.linalg.pinv(system)
    return pseudo @ right, pseudo @ pseudo.T


def test_a_linear_fit_and_its_errors_are_those_of_linear_algebra(problem):
    fit = calibrate(problem, ["D3"], compare=linear)
    solution, covariance = analytic(problem)
    np.testing.assert_allclose(fit.point.values, solution, rtol=2e-3)
    found = errors(fit.jacobian, problem.spread)
    deviation = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(found.standard, deviation, rtol=1e-3)
    np.testing.assert_allclose(found.correlation, covariance / np.outer(deviation, deviation), atol=1e-3)


def test_figures_that_say_nothing_leave_the_prior():
    found = errors(np.zeros((2, 2)), np.array([0.5, 3.0]))
    assert found.standard.tolist() == [0.5, 3.0]
    assert found.share.tolist() == [0.0, 0.0]


TRUTH = {"engine.inertia": 0.118, "tyre.lateral_factor": 1.55, "surfaces.gravel.resistance": 0.041}


def short_drives(parameters, surfaces):
    """Return what three parameters move, in drives of a few seconds."""
    subject = Subject(parameters, surfaces)
    ahead = drive(subject.flat("gravel"), parameters, ORIGIN, 4.0, speed=2.0)
    turn = drive(subject.flat("gravel"), parameters, ORIGIN, 3.5, speed=2.0, start_speed=1.5, steering=300.0)
    return np.array([*(ahead.at("path", t) for t in (2.5, 3.2, 4.0)), turn.at("yaw", 2.5), turn.at("yaw", 3.5)])


def test_known_parameters_come_back():
    problem = Problem(load_parameters(), surface_table(), choose(tuple(TRUTH)))
    truth = np.array([TRUTH[free.key] for free in problem.free])
    targets = short_drives(*problem.subject(truth))

    def compare(parameters, rows, surfaces):
        for target, got in zip(targets, short_drives(parameters, surfaces), strict=True):
            yield Figure("D3", "figure", float(target), float(got), target - 2e-3, target + 2e-3)

    fit = calibrate(problem, ["D3"], compare=compare)
    assert np.abs(problem.start - problem.scaled(truth)).max() > 1.0
    np.testing.assert_allclose(fit.point.values, truth, rtol=0.03)
    assert check(Problem(*problem.subject(fit.point.values), problem.free), ["D3"], compare=compare).holds
    assert not check(Problem(*problem.subject(truth * [0.8, 1.0, 1.0]), problem.free), ["D3"], compare=compare).holds


def test_two_fits_are_equal():
    fits = []
    for _ in range(2):
        task = Problem(load_parameters(), surface_table(), choose(("engine.inertia", "cvt.lag_s")))
        lines: list[str] = []
        fits.append((calibrate(task, ["D4"], starts=2, iterations=3, say=lines.append), lines))
    (first, said), (second, said_again) = fits
    assert first.point.values.tobytes() == second.point.values.tobytes()
    assert first.jacobian.tobytes() == second.jacobian.tobytes()
    assert said == said_again
    assert any("start 2" in line for line in said)


def test_a_figure_that_is_no_number_is_far_off_and_bounds_hold():
    free = Free("engine.inertia", "kg m^2", 0.1, 0.09, 0.12, 0.1, 0.02, "test")
    problem = Problem(load_parameters(), surface_table(), [free])

    def compare(parameters, rows, surfaces):
        inertia = float(parameters[0]["engine"]["inertia"])
        yield Figure("D3", "wants much", 1.0, inertia if inertia < 0.119 else np.nan, 0.9, 1.1)

    fit = calibrate(problem, ["D3"], compare=compare)
    assert 0.109 < fit.point.values[0] < 0.119
    assert np.isfinite(fit.point.cost)


def test_ctrl_c_keeps_the_best_so_far(problem):
    seen = []

    def compare(parameters, rows, surfaces):
        seen.append(1)
        if len(seen) == 12:
            os.kill(os.getpid(), signal.SIGINT)
        yield from linear(parameters, rows, surfaces)

    start = calibrate(problem, ["D3"], compare=linear, iterations=1)
    lines: list[str] = []
    fit = calibrate(problem, ["D3"], compare=compare, say=lines.append)
    assert fit.interrupted
    assert lines[-1] == "interrupted: keeping the best so far"
    assert fit.point.cost <= start.point.cost
    assert fit.jacobian.shape == (4, 3)


def test_unknown_rows_and_parameters_are_refused():
    with pytest.raises(UnfittedRowError, match="D3, D4, D5"):
        verb.run(arguments("--rows", "D9"))
    with pytest.raises(UnknownFreeError, match="engine.inertia"):
        verb.run(arguments("--free", "engine.colour"))
    with pytest.raises(SystemExit):
        arguments("--iterations", "0")


def test_every_free_parameter_has_its_place_and_begins_within_its_bounds():
    problem = Problem(load_parameters(), surface_table())
    assert len({free.key for free in FREE}) == len(FREE)
    for free in FREE:
        assert free.low < free.start < free.high and free.low < free.mean < free.high, free.key
    changed = np.array([free.low for free in FREE])
    shipped = Problem(*problem.subject(changed)).shipped()
    np.testing.assert_allclose(shipped, problem.low)
    assert to_tree(problem.parameters) == to_tree(load_parameters())


def test_the_files_can_be_read_and_hold_the_values(problem, tmp_path):
    fit = calibrate(problem, ["D3"], compare=linear)
    written.write_files(problem, fit, library(), tmp_path)
    inertia, lag, gravel = fit.point.values
    record = load_parameters(tmp_path / "polaris.json")[0]
    assert (record.engine.inertia, record.cvt.lag_s) == (inertia, lag)
    assert load_surfaces(tmp_path / "surfaces.json")[SurfaceClass.GRAVEL].resistance == gravel
    result = json.loads((tmp_path / "calibration.json").read_text())
    assert [row["value"] for row in result["parameters"]] == [inertia, lag, gravel]
    assert [row["unit"] for row in result["parameters"]] == ["kg m^2", "s", "-"]
    assert np.array(result["correlation"]).shape == (3, 3)
    figure = result["figures"][1]
    assert figure["residual"] == pytest.approx((figure["got"] - figure["target"]) / (HALF_BAND / 2.0))
    text = "\n".join(fit_lines(problem, fit))
    assert "4 of them for 3 parameters" in text


def test_the_text_of_the_files_is_that_of_the_package():
    assert written.text_of(to_tree(load_parameters())) == default_path().read_text()


def test_grass_and_the_land_round_the_tile_are_one_number():
    content = written.surfaces_with(library(), {"surfaces.grass.resistance": 0.05})
    assert [row["resistance"] for row in content["surfaces"] if row["name"] in ("grass", "off_map")] == [0.05, 0.05]


def test_installing_changes_files_and_defaults_together(problem, tmp_path):
    shutil.copytree(ROOT / "config", tmp_path / "config")
    table = tmp_path / "acres_ros" / "models" / "parameters.py"
    table.parent.mkdir(parents=True)
    shutil.copy(ROOT / "acres_ros" / "models" / "parameters.py", table)
    fit = calibrate(problem, ["D3"], compare=linear)
    paths = written.install(problem, fit, library(), tmp_path)
    assert [path.name for path in paths] == ["polaris.json", "parameters.py", "surfaces.json"]
    defaults = runpy.run_path(str(table))["PARAMETERS"].new(1)
    assert defaults.tobytes() == load_parameters(tmp_path / "config" / "polaris.json").tobytes()
    assert defaults.engine.inertia[0] == fit.point.values[0] != load_parameters().engine.inertia[0]
    table.write_text(table.read_text().replace('"inertia"', '"mass"'))
    with pytest.raises(written.InstallError, match="engine.inertia"):
        written.install(problem, fit, library(), tmp_path)


def arguments(*words):
    parser = argparse.ArgumentParser()
    verb.add_arguments(parser)
    return parser.parse_args(words)


def test_the_verb_fits_writes_and_draws(tmp_path, capsys):
    words = ("--rows", "D4", "--free", "engine.inertia", "--starts", "1", "--output", str(tmp_path))
    assert verb.run(arguments(*words)) == 0
    said = capsys.readouterr().out
    assert "step 1: cost" in said and "speed at 5.0 s" in said
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["calibration.json", "launch.png", "polaris.json"]


def test_a_check_of_the_files_needs_no_fit(capsys):
    assert verb.run(arguments("--check", "--rows", "D4", "--free", "engine.inertia")) in (0, 1)
    said = capsys.readouterr().out
    assert "cost of the file" in said and "minimum of the fit" in said
