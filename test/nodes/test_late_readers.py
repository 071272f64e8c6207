"""When the present time is published again for who joins in a pause."""

from __future__ import annotations

from acres_ros.nodes.late_readers import LateReaders


def looks(*rows: tuple[int, int]) -> list[bool]:
    late = LateReaders()
    return [late.look(readers, step) for readers, step in rows]


def test_a_reader_that_joins_in_a_pause_is_told_once() -> None:
    assert looks((1, 12), (1, 24), (2, 24), (2, 24), (2, 24)) == [False, False, False, True, False]


def test_one_that_joins_in_a_run_has_the_ticks() -> None:
    assert looks((1, 12), (2, 24), (2, 36), (2, 36)) == [False] * 4


def test_one_that_leaves_is_owed_nothing_and_the_next_one_is() -> None:
    assert looks((2, 9), (2, 9), (1, 9), (2, 9), (2, 9)) == [False, True, False, False, True]


def test_there_is_no_time_before_the_first_step() -> None:
    assert looks((0, 0), (1, 0), (1, 0), (1, 1), (1, 1)) == [False] * 5
