"""`acres show`: a scan becomes a picture, and what it tells of it."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from matplotlib import image, pyplot

from acres_ros.cli import main
from acres_ros.tools import ins_picture


def figures(monkeypatch: pytest.MonkeyPatch) -> list[pyplot.Figure]:
    """Return where the figures are kept that a verb draws from now on."""
    drawn: list[pyplot.Figure] = []
    monkeypatch.setattr(pyplot, "close", drawn.append)
    return drawn


def test_a_scan_is_drawn_and_its_returns_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = figures(monkeypatch)
    picture = tmp_path / "deep" / "scan.png"
    assert main.main(["show", "scan", "--world", "yard", "--picture", str(picture)]) == 0
    told = re.search(r"yard, (\S+): (\d+) returns of 57600 beams", capsys.readouterr().out)
    assert told and 20_000 < int(told[2]) < 57_600
    assert "white: no return" in drawn[0].axes[1].get_title()
    pixels = image.imread(picture)[:, :, :3]
    assert pixels.shape[0] > 800 and len({tuple(pixel) for pixel in pixels[::7, ::7].reshape(-1, 3)}) > 20


def test_a_place_that_is_none_is_refused_with_the_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["show", "scan", "--world", "yard", "--place", "moon", "--picture", str(tmp_path / "scan.png")]
    assert main.main(words) == main.Exit.USAGE
    assert "moon" in capsys.readouterr().err


def test_a_picture_that_cannot_be_written_is_refused_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scan.png").mkdir()
    assert main.main(["show", "scan", "--world", "yard", "--picture", str(tmp_path / "scan.png")]) == main.Exit.FAILED
    assert "--picture" in capsys.readouterr().err


def test_a_drive_without_satellites_is_drawn_and_how_far_the_ins_was_off_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in (("BEFORE_S", 1.0), ("LOST_S", 4.0), ("AFTER_S", 3.0)):
        monkeypatch.setattr(ins_picture, name, seconds)
    drawn = figures(monkeypatch)
    picture = tmp_path / "deep" / "ins.png"
    assert main.main(["show", "ins", "--picture", str(picture)]) == 0
    told = re.search(r"(\d+\.\d+) m off at most in 4 s without satellites", capsys.readouterr().out)
    assert told and 0.0 < float(told[1]) < 0.5
    assert image.imread(picture).shape[0] > 800
    (figure,) = drawn
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert [word[:14] for word in words[:2]] == ["within 2 sigma", "within 1 sigma"]
    for axes in figure.axes:
        boxes = [label.get_window_extent() for label in axes.get_yticklabels() if label.get_text()]
        inside = [box for box in boxes if axes.bbox.y0 <= 0.5 * (box.y0 + box.y1) <= axes.bbox.y1]
        assert len(inside) >= 3
        assert all(lower.y1 < upper.y0 for lower, upper in pairwise(inside)), "labels of ticks overlap"
