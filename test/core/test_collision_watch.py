"""What the vehicle touches, told once when it begins and once when it ends."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from acres_ros.core.collision_watch import CollisionWatch
from acres_ros.core.sample import SAMPLE_RECORD

NAMES = ("barn", "silo", "oak")


def touching(*numbers: int, epoch: int = 0) -> np.recarray:
    samples = SAMPLE_RECORD.new(len(numbers))
    samples.epoch = epoch
    samples.vehicle.collision = numbers
    samples.vehicle.body.x = np.arange(len(numbers)) + 0.25
    samples.vehicle.body.y = -1.5
    return samples


def watch() -> CollisionWatch:
    return CollisionWatch(lambda number: NAMES[number])


def test_a_touch_is_told_when_it_begins_and_when_it_ends_wherever_the_samples_are_cut() -> None:
    rows = touching(-1, -1, 0, 0, 0, *[-1] * 70)
    texts = ["touches barn at (2.25, -1.50) m", "leaves barn at (5.25, -1.50) m"]
    for cuts in ((0, 75), range(76), (0, 3, 75), (0, 5, 40, 75), (0, 64, 65, 75)):
        followed = watch()
        events = [event for start, end in pairwise(cuts) for event in followed.look(rows[start:end])]
        assert [event.text for event in events] == texts
        assert [event.severity for event in events] == ["warning", "info"]
        assert (followed.touched, followed.count, followed.last) == (-1, 1, "barn")


def test_a_touch_that_comes_and_goes_is_one_touch_until_half_a_second_without_it() -> None:
    followed = watch()
    chatter = [2, -1, -1, 2, *[-1] * 59, 2, *[-1] * 59]
    assert [event.code for event in followed.look(touching(*chatter))] == ["ACRES_COLLISION"]
    assert followed.touched == 2
    (event,) = followed.look(touching(-1))
    assert event.text == "leaves oak at (64.25, -1.50) m", "where it was last seen to leave"


def test_a_touch_of_one_step_between_two_others_is_not_lost() -> None:
    followed = watch()
    texts = [event.text.split(" at ")[0] for event in followed.look(touching(0, 1, 0, -1, 2))]
    assert texts == ["touches barn", "touches silo", "touches oak"]
    assert (followed.touched, followed.count, followed.last) == (2, 3, "oak")


def test_two_obstacles_in_turn_are_one_touch_of_each() -> None:
    rows = touching(*[0, 1] * 100, *[-1] * 61)
    texts = [
        "touches barn at (0.25, -1.50) m",
        "touches silo at (1.25, -1.50) m",
        "leaves barn at (199.25, -1.50) m",
        "leaves silo at (200.25, -1.50) m",
    ]
    for cuts in ((0, 261), (0, 1, 2, 199, 200, 201, 261), (0, 258, 259, 260, 261)):
        followed = watch()
        events = [event for start, end in pairwise(cuts) for event in followed.look(rows[start:end])]
        assert [event.text for event in events] == texts
        assert (followed.touched, followed.count, followed.last) == (-1, 2, "silo")


def test_the_one_that_is_left_ends_while_the_other_is_still_touched() -> None:
    followed = watch()
    events = followed.look(touching(0, *[1] * 59)) + followed.look(touching(1, 1, 0))
    assert [event.text.split(" at ")[0] for event in events] == [
        "touches barn",
        "touches silo",
        "leaves barn",
        "touches barn",
    ]
    assert events[2].text.endswith("at (1.25, -1.50) m")


def test_a_reset_ends_a_touch_without_a_word_and_counts_anew() -> None:
    followed = watch()
    assert len(followed.look(touching(1, 1))) == 1
    assert followed.look(touching(-1, -1, epoch=1)) == []
    assert (followed.touched, followed.count, followed.last) == (-1, 0, "")
    assert [event.code for event in followed.look(touching(1, epoch=2))] == ["ACRES_COLLISION"]


def test_no_samples_tell_nothing() -> None:
    assert watch().look(touching()) == []
