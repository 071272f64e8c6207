"""When the gear changes, and how long that takes."""

from __future__ import annotations

import pytest

P, R, N, H, L = 1, 2, 3, 4, 5


def test_a_change_is_one_second_in_neutral(rig) -> None:
    rig.command.gear = H
    engaged = []
    for _ in range(122):
        rig.step()
        engaged.append(int(rig.dbw.gear.engaged))
    assert engaged == [N] * 120 + [H] * 2


def test_the_command_goes_before_the_lever_and_stays(rig) -> None:
    rig.command.gear = R
    rig.step(200)
    assert (rig.dbw.gear.engaged, rig.dbw.gear.command, rig.dbw.gear.driver) == (R, R, L)


def test_without_a_command_the_lever_counts(rig) -> None:
    rig.command.driver.gear = P
    rig.step(121)
    assert rig.dbw.gear.engaged == P
    assert rig.dbw.gear.command == 0


def test_without_the_system_the_lever_counts(rig) -> None:
    rig.command.gear = R
    rig.command.system_enable = 0
    rig.step(121)
    assert rig.dbw.gear.engaged == L
    assert rig.dbw.gear.command == 0


@pytest.mark.parametrize("code", [-1, 6, 99])
def test_a_gear_that_does_not_exist_is_no_command(rig, code: int) -> None:
    rig.command.gear = code
    rig.step(121)
    assert rig.dbw.gear.engaged == L


def test_above_the_speed_limit_the_request_waits(make_rig) -> None:
    rig = make_rig(L, 0.301)
    rig.command.gear = R
    rig.step(300)
    assert rig.dbw.gear.engaged == L
    assert rig.dbw.gear.refused == 1
    rig.roll(0.299)
    rig.step()
    assert rig.dbw.gear.engaged == N
    assert rig.dbw.gear.refused == 0
    rig.step(120)
    assert rig.dbw.gear.engaged == R


def test_a_waiting_request_can_be_taken_back(make_rig) -> None:
    rig = make_rig(L, 1.0)
    rig.command.gear = R
    rig.step(10)
    rig.command.gear = L
    rig.step()
    assert rig.dbw.gear.refused == 0
    rig.roll(0.0)
    rig.step(10)
    assert rig.dbw.gear.engaged == L


def test_the_speed_limit_holds_backwards_too(make_rig) -> None:
    rig = make_rig(R, 0.301)
    rig.command.gear = L
    rig.step()
    assert rig.dbw.wheel_speed == pytest.approx(-0.301)
    assert rig.dbw.gear.engaged == R


def test_a_change_that_began_ends_at_any_speed(rig) -> None:
    rig.command.gear = H
    rig.step()
    rig.roll(2.0)
    rig.step(120)
    assert rig.dbw.gear.engaged == H


def test_a_new_request_during_a_change_starts_anew(rig) -> None:
    rig.command.gear = H
    rig.step(60)
    rig.command.gear = R
    rig.step(120)
    assert rig.dbw.gear.engaged == N
    rig.step()
    assert rig.dbw.gear.engaged == R


def test_the_duration_is_a_parameter(rig) -> None:
    rig.p.dbw.gear.shift_s = 0.0
    rig.command.gear = H
    rig.step()
    assert rig.dbw.gear.engaged == H
