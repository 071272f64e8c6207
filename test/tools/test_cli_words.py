"""What is wrong with a command line is told with its code before any work, and so is a file that cannot be written."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from acres_ros.cli import drive, main, show, validate, world
from acres_ros.tools import ins_picture

WRONG = [
    ["up", "--world", "atlantis"],
    ["up", "--place", "field24"],
    ["up", "--agents", "9"],
    ["up", "--rate", "-1"],
    ["up", "--sensors-file", "nowhere.json"],
    ["up", "--topics-file", "nowhere.yaml"],
    ["check", "determinism", "--world", "atlantis"],
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


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["drive", "lockstep", "--seconds", "nan"], "'nan' is no time: wanted a number of seconds above 0"),
        (["drive", "lockstep", "--seconds", "0"], "'0' is no time"),
        (["check", "fence", "--timeout", "inf"], "'inf' is no time"),
        (["check", "interfaces", "--timeout", "-1"], "'-1' is no time"),
        (["calibrate", "--iterations", "0"], "'0' counts nothing: wanted a whole number of 1 or more"),
        (["calibrate", "--starts", "two"], "'two' counts nothing"),
        (["show", "scan", "--seed", "-1"], "'-1' is no seed: wanted a whole number from 0 to 2**64 - 1"),
        (["show", "ins", "--seed", str(1 << 64)], "is no seed"),
        (["validate", "--set", "mass.occupants=x"], "'mass.occupants=x': wanted KEY=NUMBER, such as mass.occupants=1"),
        (["validate", "--set", "mass.occupants"], "wanted KEY=NUMBER"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_number_that_is_none_is_refused_with_what_is_wanted(
    words: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main.main(words)
    assert caught.value.code == main.Exit.USAGE
    said = capsys.readouterr()
    assert said.out == "" and text in said.err


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


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["show", "ins", "--picture"], "the picture"),
        (["show", "scan", "--world", "yard", "--picture"], "the picture"),
        (["world", "show", "--world", "yard", "--layers", "surface", "--picture"], "the picture"),
        (["validate", "D1", "--json"], "the file"),
    ],
    ids=" ".join,
)
def test_a_disk_that_is_full_when_the_work_is_done_is_told_in_one_line(
    words: list[str], what: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (full := tmp_path / "full.png").symlink_to("/dev/full")
    for name in ("BEFORE_S", "LOST_S", "AFTER_S"):
        monkeypatch.setattr(ins_picture, name, 1.0)
    # The checks before the work find a disk with room.
    for module in (show, validate, world):
        for name in {"check_picture", "check_output"} & vars(module).keys():
            monkeypatch.setattr(module, name, lambda *_: None)
    assert main.main([*words, str(full)]) == main.Exit.FAILED
    said = f"acres: {what} {full} cannot be written (No space left on device): give {words[-1]} one that can be"
    assert capsys.readouterr().err == f"{said}, in an existing folder\n"


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
