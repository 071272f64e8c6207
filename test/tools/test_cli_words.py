"""What is wrong with a command line is told with its code before any work, and so is a file that cannot be written."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from acres_ros.cli import drive, main

WRONG = [
    ["up", "--world", "atlantis"],
    ["up", "--place", "field24"],
    ["up", "--agents", "9"],
    ["up", "--rate", "-1"],
    ["bench", "Z9"],
    ["validate", "Z1"],
    ["validate", "--set", "mass.wings=2"],
    ["calibrate", "--rows", "Z1"],
    ["calibrate", "--free", "wings"],
    ["world", "show", "--world", "atlantis"],
    ["show", "scan", "--world", "yard", "--rain", "999"],
    ["drive", "kilometre", "--picture", "lap.txt"],
    ["show", "ins", "--picture", "ins.txt"],
    ["world", "show", "--picture", "map"],
    ["world", "ruts", "--picture", "ruts.jpg"],
]


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_a_wrong_command_line_has_its_code_and_no_output(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.main(words) == main.Exit.USAGE
    said = capsys.readouterr()
    assert said.out == "" and re.fullmatch("acres: .*\n", said.err), said


@pytest.mark.parametrize("words", [["step"], ["run", "true"], ["drive", "kilometre"], ["up"]], ids=" ".join)
def test_a_domain_that_is_none_is_a_wrong_command_line(
    words: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACRES_DOMAIN_ID", "abc")
    assert main.main(words) == main.Exit.USAGE


@pytest.mark.parametrize(
    "words",
    [
        ["drive", "kilometre", "--picture"],
        ["show", "ins", "--picture"],
        ["show", "scan", "--picture"],
        ["world", "show", "--picture"],
        ["world", "ruts", "--picture"],
        ["validate", "--json"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_written_is_refused_before_the_work_and_nothing_is_made(
    words: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main.main([*words, str(tmp_path / "no" / "such" / "file.png")]) == main.Exit.FAILED
    said = capsys.readouterr()
    assert said.out == "" and f"cannot be written (No such file or directory): give {words[-1]} one" in said.err
    assert list(tmp_path.iterdir()) == []


def test_a_lap_too_short_is_refused_by_the_verb_itself(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main.main(["drive", "kilometre", "--lap", "10"])
    assert caught.value.code == main.Exit.USAGE
    said = capsys.readouterr().err
    assert "usage: ./acres drive kilometre" in said and "'10' is no length of a lap: wanted 400 m or more" in said


def test_the_shortest_lap_is_that_of_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "examples"))
    import kilometre

    assert kilometre.SHORTEST_LAP_M == drive.SHORTEST_LAP_M
    sys.modules.pop("kilometre")
