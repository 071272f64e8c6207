"""The picture of a drive's marks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from crop_worlds import crop_world
from PIL import Image

from acres_ros.cli import main as cli
from acres_ros.tools.rut_picture import COLOURS, draw_ruts, drive_loop, squares
from acres_ros.world import Place

START = Place(id="start", name="", x=-20.0, y=-20.0, yaw=0.0)


def test_squares_have_their_side_and_their_middle() -> None:
    corners = np.array(squares(np.array([1.0, -2.0]), np.array([3.0, 5.0]), 0.5))
    assert corners.shape == (2, 4, 2)
    assert np.allclose(corners.mean(axis=1), [(1.0, 3.0), (-2.0, 5.0)])
    assert np.allclose(np.ptp(corners, axis=1), 0.5)


def test_the_loop_comes_back_to_its_own_ruts_and_the_picture_shows_crop_and_ruts(tmp_path: Path) -> None:
    world = crop_world()
    trace = drive_loop(world, START)
    straight = np.flatnonzero(trace.time < 7.0)
    back = np.hypot(trace.x[-1] - trace.x[straight], trace.y[-1] - trace.y[straight])
    assert trace.path[-1] > 40.0 and back.min() < 2.0
    path = tmp_path / "ruts.png"
    draw_ruts(world, trace, path)
    pixels = np.asarray(Image.open(path).convert("RGB")).reshape(-1, 3)
    share = {}
    for name, text in COLOURS.items():
        colour = [int(text[k : k + 2], 16) for k in (1, 3, 5)]
        share[name] = np.mean(np.all(np.abs(pixels.astype(int) - colour) <= 3, axis=1))
    assert share["standing"] > 0.1
    assert 0.2 * share["standing"] < share["crushed"] < share["standing"]
    assert share["soil"] > 0.1


def test_a_picture_that_cannot_be_written_is_told_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert cli.main(["world", "ruts", "--picture", str(blocked / "ruts.png")]) == 1
    assert str(blocked / "ruts.png") in capsys.readouterr().err
