"""The state of the GNSS by its service, in the messages, and what it refuses."""

from __future__ import annotations

import math

import pytest
from acres_interfaces.srv import SetConditions, SetGnss
from sensor_msgs.msg import NavSatStatus
from system_rig import User

pytestmark = pytest.mark.system

FIX = "/novatel/oem7/fix"


def gnss(user: User, **fields: object) -> SetGnss.Response:
    return user.call(SetGnss, "/acres/set_gnss", **fields)


def test_a_loss_shows_in_the_fix_for_its_time(user: User) -> None:
    answer = gnss(user, state="none", duration_s=0.25)
    assert (answer.success, answer.message) == (True, "")
    user.step(60)
    status = [fix.status.status for fix in user.messages(FIX)]
    # Samples of steps 12, 24 and 36 and a delay of 6 steps; the loss is over after step 30, and single comes first.
    assert status[:3] == [NavSatStatus.STATUS_NO_FIX, NavSatStatus.STATUS_NO_FIX, NavSatStatus.STATUS_FIX]


def test_what_cannot_be_is_refused_in_words(user: User) -> None:
    for fields, words in (
        ({"state": "rtk"}, "state = 'rtk'"),
        ({"state": "none", "duration_s": math.nan}, "duration_s = nan"),
        ({"state": "none", "duration_s": -1.0}, "duration_s = -1.0"),
        ({"state": "fixed", "jump_m": [0.0, math.inf, 0.0]}, "jump_m = inf"),
    ):
        answer = gnss(user, **fields)
        assert not answer.success and words in answer.message and "wanted" in answer.message
    user.step(24)
    assert user.messages(FIX)[-1].status.status == NavSatStatus.STATUS_GBAS_FIX


def test_neither_gnss_nor_conditions_change_at_an_unknown_step_of_a_request(user: User) -> None:
    handle = user.goal(10**9)
    for answer in (gnss(user, state="none"), user.call(SetConditions, "/acres/set_conditions", global_fraction=0.9)):
        assert not answer.success and "step request is running" in answer.message
    result = handle.get_result_async()
    user.wait(handle.cancel_goal_async())
    user.wait(result)
    assert gnss(user, state="single").success
