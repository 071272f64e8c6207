"""The strict reader of JSON: what it refuses, where it says it is, and that a million rows cost little."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

from acres_ros.world import WorldFileError
from acres_ros.world.json_file import Entry, parse_json, read_json


def parse(text: str) -> Entry:
    return parse_json(text.encode(), "some.json")


def refusal(text: str) -> WorldFileError:
    with pytest.raises(WorldFileError) as caught:
        parse(text)
    return caught.value


def test_values_know_where_they_are():
    file = parse('{"a": [{"b": 1.5}, {"b": [[1, 2], [3, 4]]}], "c": "x"}')
    first, second = file.member("a").elements()
    assert (first.member("b").key, first.member("b").number()) == ("a[0].b", 1.5)
    assert second.member("b").rows(("x", "y")).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert file.member("c").text(among=("x", "y")) == "x"
    assert file.member("d", 4).integer(0, 5) == 4
    assert file.has("c") and not file.has("d")


def test_a_byte_order_mark_is_no_part_of_the_text():
    assert parse_json(b'\xef\xbb\xbf{"a": 1}', "x").member("a").integer(0, 1) == 1


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_found_wherever_it_is(constant: str):
    error = refusal(f'{{"a": [1, {{"b": [2, {constant}]}}]}}')
    assert error.key == "a[1].b[1]"
    assert error.wanted == "a finite number"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "not JSON"),
        ('{"a": 1,}', "not JSON"),
        ('{"a": 01}', "not JSON"),
        ("[1]", "an object with named members"),
        ('{"a": {"b": 1, "c": 2, "b": 3}}', "b = 3: wanted each name once"),
        ('{"a": ' + "[" * 32 + "]" * 32 + "}", "at most 32 lists and objects"),
        ('{"a": ' + '{"a": ' * 100_000, "nested too deep"),
        ('{"a": ' + "1" * 5000 + "}", "beyond what can be read"),
    ],
)
def test_a_text_that_cannot_be_is_refused(text: str, word: str):
    assert word in str(refusal(text))


def test_brackets_in_texts_are_texts():
    deep = "[" * 100
    assert parse(json.dumps({"a": deep, 'b"[\\': deep + '\\"' + deep})).member("a").text() == deep
    assert parse('{"a": ' + "[" * 31 + "]" * 31 + "}").has("a")


def test_names_that_are_not_known_are_refused():
    file = parse('{"a": {"row_spacing": 1}}')
    with pytest.raises(WorldFileError, match="a.row_spacing = 1: wanted a known name; the nearest is row_spacing_m"):
        file.member("a").only("number", "row_spacing_m")
    assert file.only("a", "b") is file


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        ("[[1, 2], [3, true]]", "a[1].y"),
        ("[[1, 2], [3]]", "a[1]"),
        ("[[1, 2], 3]", "a[1]"),
        ('[["1", 2]]', "a[0].x"),
        ("[[1, 2], [1e400, 3]]", "a[1].x"),
        ("[[1, 2], [3, 1" + "0" * 400 + "]]", "a[1].y"),
        ('{"x": 1}', "a"),
    ],
)
def test_rows_are_of_numbers(rows: str, key: str):
    with pytest.raises(WorldFileError) as caught:
        parse(f'{{"a": {rows}}}').member("a").rows(("x", "y"))
    assert caught.value.key == key


def test_a_list_has_a_bound():
    with pytest.raises(WorldFileError, match="2 at most; there are 3"):
        parse('{"a": [1, 2, 3]}').member("a").elements(most=2)


def test_a_file_has_a_bound(tmp_path: Path):
    path = tmp_path / "big.json"
    path.write_text('{"a": 1}')
    assert read_json(path, most_bytes=8).has("a")
    with pytest.raises(WorldFileError, match="larger than 7 bytes"):
        read_json(path, most_bytes=7)
    with pytest.raises(WorldFileError, match="not a file"):
        read_json("/dev/zero")
    with pytest.raises(WorldFileError, match="not readable"):
        read_json("a\0b")


def test_a_long_value_is_said_in_short():
    error = refusal('{"a": "' + "x" * 10_000 + '", "a": "' + "y" * 10_000 + '"}')
    assert len(str(error)) < 200


def test_many_rows_cost_little():
    points = np.arange(400_000.0).reshape(-1, 2)
    text = json.dumps({"a": points.tolist()}).encode()
    start = time.process_time()
    assert np.array_equal(parse_json(text, "x").member("a").rows(("x", "y")), points)
    assert time.process_time() - start < 2.0  # 0.2 s; a check of each number in Python takes many


def test_a_text_without_an_end_is_refused_at_once(tmp_path):
    for text in (b'{"' + b'\\"' * 1_000_000, b'{"' + b'\\"' * 1_000_000 + b"\\"):
        with pytest.raises(WorldFileError, match="not JSON"):
            parse_json(text, "long.json")
