"""When the present time is published again for who joins in a pause."""

from __future__ import annotations

from collections.abc import Set

from acres_ros.nodes.late_readers import LateReaders


def looks(*rows: tuple[str, int]) -> list[bool]:
    """Return what each look says: readers, one letter each, and the step."""
    late = LateReaders()
    return [late.look(len(readers), step, lambda readers=readers: set(readers)) for readers, step in rows]


def test_a_reader_that_joins_in_a_pause_is_told_once() -> None:
    assert looks(("a", 12), ("a", 24), ("ab", 24), ("ab", 24), ("ab", 24)) == [False, False, False, True, False]
    assert looks(("a", 24), ("a", 24), ("a", 24), ("ab", 24), ("ab", 24)) == [False, True, False, False, True]


def test_one_that_joins_in_a_run_has_the_ticks() -> None:
    assert looks(("a", 12), ("ab", 24), ("ab", 36), ("ab", 36)) == [False] * 4


def test_one_that_leaves_is_owed_nothing_and_the_next_one_is() -> None:
    assert looks(("ab", 9), ("ab", 9), ("a", 9), ("ac", 9), ("ac", 9)) == [False, True, False, False, True]


def test_one_that_joins_in_a_pause_while_another_leaves_is_told() -> None:
    assert looks(("ab", 12), ("ab", 24), ("ab", 24), ("bc", 24), ("bc", 24)) == [False] * 4 + [True]


def test_there_is_no_time_before_the_first_step() -> None:
    assert looks(("", 0), ("a", 0), ("a", 0), ("a", 1), ("a", 1)) == [False] * 5


def test_who_they_are_is_not_asked_in_a_run() -> None:
    def never() -> Set[str]:
        raise AssertionError("too slow for a run")

    late = LateReaders()
    assert [late.look(count, step, never) for count, step in ((1, 12), (2, 24), (1, 36))] == [False] * 3
