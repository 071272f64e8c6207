"""The link: joining, order, barriers, in one process."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest
from link_rig import DOMAIN, SAMPLE, join, samples_of

from acres_ros.core._link_frames import PROTOCOL_VERSION
from acres_ros.core.link import (
    BarrierTimeoutError,
    Kind,
    LinkLostError,
    LinkNameError,
    LinkRefusedError,
    LocalLink,
    PhysicsRunningError,
    SampleClient,
    SampleLayoutError,
    SampleServer,
    link_address,
)
from acres_ros.core.sample import Sweep


def test_a_vehicle_node_that_joins_learns_where_the_physics_is(server, client):
    assert not server.connected
    hello = join(server, client)
    assert server.connected
    assert (hello["step"], hello["epoch"], hello["parameters"]) == (7, 2, {"mass": 1318.0})
    assert hello["protocol"] == PROTOCOL_VERSION


def test_samples_arrive_in_order_with_all_their_bits(pair):
    server, client = pair
    sent = samples_of(1, 2, 3)
    sent.speed[1] = np.nextafter(0.2, 1.0)
    sent.wheel[2] = [np.inf, -0.0, 5e-324, np.pi]
    server.send(sent)
    server.send(samples_of(4))
    kind, first = client.receive(10.0)
    assert kind is Kind.SAMPLES
    assert first.tobytes() == sent.tobytes()
    assert isinstance(first, np.ndarray) and first.flags.writeable
    assert client.receive(10.0)[1]["step"].tolist() == [4]
    assert client.receive(0.0) is None


def test_a_slice_with_gaps_is_sent_as_its_records(pair):
    server, client = pair
    server.send(samples_of(1, 2, 3, 4)[::2])
    assert client.receive(10.0)[1]["step"].tolist() == [1, 3]


def test_samples_of_another_type_are_refused(pair):
    server, _ = pair
    for wrong in (np.zeros(2), np.zeros((1, 1), SAMPLE), np.zeros(1, [("step", "i8")])):
        with pytest.raises(SampleLayoutError, match="sample record only"):
            server.send(wrong)


def test_without_a_vehicle_node_a_send_says_so(server):
    for call in (lambda: server.send(samples_of(1)), lambda: server.barrier(1.0)):
        with pytest.raises(LinkLostError, match="acres_vehicle is lost: none has joined"):
            call()


def test_a_barrier_that_is_not_answered_times_out_and_the_next_works(pair):
    server, client = pair
    server.send(samples_of(1))
    with pytest.raises(BarrierTimeoutError, match="did not finish"):
        server.barrier(0.02)
    assert client.receive(10.0)[0] is Kind.SAMPLES
    assert client.receive(10.0)[0] is Kind.BARRIER
    client.done()  # late: nobody waits for it any more

    def answer() -> None:
        assert client.receive(10.0)[0] is Kind.BARRIER
        time.sleep(0.05)
        client.done()

    thread = threading.Thread(target=answer)
    thread.start()
    started = time.monotonic()
    server.barrier(5.0)
    assert time.monotonic() - started >= 0.04, "the late answer does not count for the new barrier"
    thread.join()


def test_a_barrier_that_was_asked_for_is_over_with_its_answer_and_what_is_sent_later_needs_another(pair):
    server, client = pair
    server.send(samples_of(1))
    server.ask()
    assert [client.receive(10.0)[0], client.receive(1.0)[0]] == [Kind.SAMPLES, Kind.BARRIER]
    with pytest.raises(BarrierTimeoutError):
        server.barrier(0.02)
    server.ask()
    assert client.receive(10.0)[0] is Kind.BARRIER
    client.done()
    assert server.poll() == [], "it takes the answer, which is kept"
    server.barrier(1.0)
    assert client.receive(0.02) is None, "nothing more was asked"
    server.send(samples_of(2))
    assert client.receive(10.0)[0] is Kind.SAMPLES
    with pytest.raises(BarrierTimeoutError):
        server.barrier(0.02)


def test_a_question_that_nobody_was_there_to_hear_is_put_to_who_joins(server, client):
    with pytest.raises(LinkLostError):
        server.barrier(1.0)
    join(server, client)
    with pytest.raises(BarrierTimeoutError):
        server.barrier(0.02)
    assert client.receive(10.0)[0] is Kind.BARRIER


def test_samples_with_more_to_come_arrive_with_it_in_order(pair):
    server, client = pair
    server.send(samples_of(1), more=True)
    server.send(samples_of(2), more=True)
    assert client.receive(0.02) is None
    server.ask()
    assert [client.receive(10.0)[1]["step"].tolist() for _ in range(2)] == [[1], [2]]
    assert client.receive(10.0)[0] is Kind.BARRIER
    client.done()
    server.send(samples_of(3), more=True)
    server.send_scan(Sweep(3, 0, 0, 0, np.ones((2, 4), np.float32)))
    assert [client.receive(10.0)[0], client.receive(1.0)[0]] == [Kind.SAMPLES, Kind.SCAN]


def test_an_answer_without_a_barrier_is_an_error_of_the_caller(pair):
    _, client = pair
    with pytest.raises(LinkLostError, match="never sent"):
        client.done()


def test_a_second_vehicle_node_is_refused_in_words_and_the_first_stays(pair, agent):
    server, client = pair
    with pytest.raises(LinkRefusedError, match=f"process {os.getpid()} is the acres_vehicle"):
        join(server, SampleClient(agent, SAMPLE, domain=DOMAIN))
    server.send(samples_of(5))
    assert client.receive(10.0)[1]["step"].tolist() == [5]


def test_a_vehicle_node_that_left_makes_room_for_the_next(pair, agent):
    server, client = pair
    client.close()
    replacement = SampleClient(agent, SAMPLE, domain=DOMAIN)
    assert join(server, replacement)["step"] == 7
    server.send(samples_of(6))
    assert replacement.receive(10.0)[1]["step"].tolist() == [6]
    replacement.close()


def test_poll_tells_who_came_and_who_left(pair):
    server, client = pair
    client.close()
    assert any("left" in line for line in server.poll())
    assert not server.connected
    assert server.poll() == []


def test_a_second_physics_of_the_same_domain_and_agent_does_not_start(server, agent):
    with pytest.raises(PhysicsRunningError, match=f"another acres_physics with ROS domain {DOMAIN}") as caught:
        SampleServer(agent, SAMPLE, dict, domain=DOMAIN)
    assert agent in str(caught.value)
    assert caught.value.process == os.getpid()
    server.poll()
    other_domain = SampleServer(agent, SAMPLE, dict, domain=DOMAIN + 1)
    other_agent = SampleServer(agent + "_b", SAMPLE, dict, domain=DOMAIN)
    other_domain.close()
    other_agent.close()


def test_a_closed_server_frees_its_name_at_once(agent):
    SampleServer(agent, SAMPLE, dict, domain=DOMAIN).close()
    SampleServer(agent, SAMPLE, dict, domain=DOMAIN).close()


def test_a_vehicle_node_waits_for_a_physics_that_starts_later(client, agent):
    with pytest.raises(LinkLostError, match=f"none with ROS domain {DOMAIN} and agent"):
        client.connect(0.05)
    later: list[SampleServer] = []

    def start() -> None:
        time.sleep(0.1)
        later.append(SampleServer(agent, SAMPLE, lambda: {"step": 1}, domain=DOMAIN))
        while not later[0].connected:
            later[0].poll()
            time.sleep(0.005)

    thread = threading.Thread(target=start)
    thread.start()
    assert client.connect(5.0)["step"] == 1
    thread.join()
    later[0].close()


def test_short_tries_to_join_add_up_beside_a_physics_that_looks_seldom(server, client):
    with pytest.raises(LinkLostError):
        client.connect(0.01)
    server.poll()  # between two tries
    assert server.connected
    server.send(samples_of(8))
    assert client.connect(0.01)["step"] == 7
    assert client.receive(10.0)[1]["step"].tolist() == [8]
    assert not server._joiners, "one question was asked, not two"


def test_a_node_that_takes_its_question_back_is_not_joined_for_long(server, client):
    with pytest.raises(LinkLostError):
        client.connect(0.01)
    client.close()
    server.poll()
    server.poll()
    assert not server.connected


def test_waiting_costs_no_processor_time(pair):
    server, client = pair
    used = time.thread_time()
    assert client.receive(0.3) is None
    with pytest.raises(BarrierTimeoutError):
        server.barrier(0.3)
    assert time.thread_time() - used < 0.06


def test_the_domain_comes_from_the_environment_where_none_is_given(monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "73")
    assert link_address(None, "") == ("\0acres_ros/73/-", 73)
    monkeypatch.delenv("ROS_DOMAIN_ID")
    assert link_address(None, "robot_2") == ("\0acres_ros/0/robot_2", 0)


@pytest.mark.parametrize(
    ("domain", "agent_name"), [(-1, ""), ("seven", ""), (7, "a b"), (7, "x" * 65), (7, "a\0b"), (7, "ä")]
)
def test_names_that_are_none_are_refused(domain, agent_name):
    with pytest.raises(LinkNameError, match="it has to be"):
        link_address(domain, agent_name)


def test_the_local_link_hands_a_copy_over_at_once():
    got: list[np.recarray] = []
    greetings: list[tuple[int, bool]] = []
    recalled: list[np.ndarray] = []
    times: list[int] = []

    def greet(goes_on: bool) -> None:
        greetings.append((len(got), goes_on))

    link = LocalLink(got.append, got.append, lambda: True, greet, recalled.append, times.append)
    sent = samples_of(1, 2)
    link.send(sent)
    sent.step = 0
    assert link.connected and link.poll() == []
    assert got[0]["step"].tolist() == [1, 2]
    assert isinstance(got[0], np.ndarray) and got[0].dtype == SAMPLE
    link.barrier(0.0)
    link.greet(goes_on=True)
    link.greet()
    link.recall(samples_of(5, 6))
    link.show_time(6)
    link.close()
    link.show_time(7)
    link.greet()
    link.recall(samples_of(7))
    assert [samples["step"].tolist() for samples in recalled] == [[5, 6]]
    assert times == [6]
    assert greetings == [(1, True), (1, False)], "behind the samples, and none after the end"
    assert not link.connected
    for call in (lambda: link.send(sent), lambda: link.barrier(1.0)):
        with pytest.raises(LinkLostError, match="closed"):
            call()


def test_a_fault_of_the_handler_reaches_the_sender():
    def handler(samples: np.recarray) -> None:
        raise ValueError("bad sample")

    with pytest.raises(ValueError, match="bad sample"):
        LocalLink(handler, handler, lambda: True, handler, handler, handler).send(samples_of(1))


def test_a_new_greeting_comes_between_the_samples_where_it_was_sent(agent: str, client: SampleClient):
    hello = {"step": 7, "epoch": 2}
    server = SampleServer(agent, SAMPLE, lambda: dict(hello), domain=DOMAIN)
    server.greet()  # nobody is there to be told
    server.recall(samples_of(7))
    server.show_time(7)
    join(server, client)
    server.send(samples_of(8))
    hello["epoch"] = 3
    server.greet(goes_on=True)
    server.recall(samples_of(4, 5))
    server.show_time(2**40)
    server.send(samples_of(6))
    received = [client.receive(5.0) for _ in range(5)]
    kinds = [Kind.SAMPLES, Kind.HELLO, Kind.RECALL, Kind.TIME, Kind.SAMPLES]
    assert [item[0] for item in received if item] == kinds
    assert received[3] == (Kind.TIME, 2**40)
    assert received[1] is not None and received[1][1]["epoch"] == 3 and received[1][1]["goes_on"]
    assert received[2] is not None and received[2][1]["step"].tolist() == [4, 5]
    client.close()
    server.poll()
    server.greet()
    server.show_time(1)
    server.close()
