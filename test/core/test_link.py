"""The link: joining, refusals, order, barriers, in one process and beside strangers."""

from __future__ import annotations

import itertools
import json
import os
import socket
import threading
import time

import numpy as np
import pytest

from acres_ros.core import _link_names, _link_server
from acres_ros.core._link_frames import HEADER, MARK, PROTOCOL_VERSION
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
    layout_hash,
    link_address,
)
from acres_ros.core.sample import Sweep

DOMAIN = 98
SAMPLE = np.dtype((np.record, [("step", "i8"), ("speed", "f8"), ("wheel", "f8", (4,))]))
NUMBERS = itertools.count()


def samples_of(*steps: int) -> np.recarray:
    samples = np.zeros(len(steps), SAMPLE).view(np.recarray)
    samples.step = steps
    samples.speed = np.array(steps) * 0.1
    return samples


@pytest.fixture
def agent() -> str:
    return f"link_{os.getpid()}_{next(NUMBERS)}"


@pytest.fixture
def server(agent: str):
    server = SampleServer(agent, SAMPLE, lambda: {"step": 7, "epoch": 2, "parameters": {"mass": 1318.0}}, domain=DOMAIN)
    yield server
    server.close()


@pytest.fixture
def client(agent: str):
    client = SampleClient(agent, SAMPLE, domain=DOMAIN)
    yield client
    client.close()


def join(server: SampleServer, client: SampleClient) -> dict:
    """Join in a thread, as `connect` waits for the answer that `poll` gives."""
    answer: list = []

    def connect() -> None:
        try:
            answer.append(client.connect(5.0))
        except LinkRefusedError as error:
            answer.append(error)

    thread = threading.Thread(target=connect)
    thread.start()
    while thread.is_alive():
        server.poll()
        thread.join(0.002)
    if isinstance(answer[0], Exception):
        raise answer[0]
    return answer[0]


@pytest.fixture
def pair(server: SampleServer, client: SampleClient):
    join(server, client)
    return server, client


def raw(agent: str) -> socket.socket:
    stranger = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stranger.connect(link_address(DOMAIN, agent)[0])
    return stranger


def frame(kind: Kind, content: dict) -> bytes:
    text = json.dumps(content).encode()
    return HEADER.pack(MARK, kind, len(text), 0) + text


GOOD_JOIN = {"protocol": PROTOCOL_VERSION, "layout": layout_hash(SAMPLE)}


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
    kind, first = client.receive(1.0)
    assert kind is Kind.SAMPLES
    assert first.tobytes() == sent.tobytes()
    assert isinstance(first, np.ndarray) and first.flags.writeable
    assert client.receive(1.0)[1]["step"].tolist() == [4]
    assert client.receive(0.0) is None


def test_a_slice_with_gaps_is_sent_as_its_records(pair):
    server, client = pair
    server.send(samples_of(1, 2, 3, 4)[::2])
    assert client.receive(1.0)[1]["step"].tolist() == [1, 3]


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
    assert client.receive(1.0)[0] is Kind.SAMPLES
    assert client.receive(1.0)[0] is Kind.BARRIER
    client.done()  # late: nobody waits for it any more

    def answer() -> None:
        assert client.receive(1.0)[0] is Kind.BARRIER
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
    assert [client.receive(1.0)[0], client.receive(1.0)[0]] == [Kind.SAMPLES, Kind.BARRIER]
    with pytest.raises(BarrierTimeoutError):
        server.barrier(0.02)
    server.ask()
    assert client.receive(1.0)[0] is Kind.BARRIER
    client.done()
    assert server.poll() == [], "it takes the answer, which is kept"
    server.barrier(1.0)
    assert client.receive(0.02) is None, "nothing more was asked"
    server.send(samples_of(2))
    assert client.receive(1.0)[0] is Kind.SAMPLES
    with pytest.raises(BarrierTimeoutError):
        server.barrier(0.02)


def test_samples_with_more_to_come_arrive_with_it_in_order(pair):
    server, client = pair
    server.send(samples_of(1), more=True)
    server.send(samples_of(2), more=True)
    assert client.receive(0.02) is None
    server.ask()
    assert [client.receive(1.0)[1]["step"].tolist() for _ in range(2)] == [[1], [2]]
    assert client.receive(1.0)[0] is Kind.BARRIER
    client.done()
    server.send(samples_of(3), more=True)
    server.send_scan(Sweep(3, 0, 0, 0, np.ones((2, 4), np.float32)))
    assert [client.receive(1.0)[0], client.receive(1.0)[0]] == [Kind.SAMPLES, Kind.SCAN]


def test_an_answer_without_a_barrier_is_an_error_of_the_caller(pair):
    _, client = pair
    with pytest.raises(LinkLostError, match="never sent"):
        client.done()


def test_a_second_vehicle_node_is_refused_in_words_and_the_first_stays(pair, agent):
    server, client = pair
    with pytest.raises(LinkRefusedError, match=f"process {os.getpid()} is the acres_vehicle"):
        join(server, SampleClient(agent, SAMPLE, domain=DOMAIN))
    server.send(samples_of(5))
    assert client.receive(1.0)[1]["step"].tolist() == [5]


def test_a_vehicle_node_that_left_makes_room_for_the_next(pair, agent):
    server, client = pair
    client.close()
    replacement = SampleClient(agent, SAMPLE, domain=DOMAIN)
    assert join(server, replacement)["step"] == 7
    server.send(samples_of(6))
    assert replacement.receive(1.0)[1]["step"].tolist() == [6]
    replacement.close()


def test_poll_tells_who_came_and_who_left(pair):
    server, client = pair
    client.close()
    assert any("left" in line for line in server.poll())
    assert not server.connected
    assert server.poll() == []


def test_a_node_with_another_sample_layout_is_refused_in_words(server, agent):
    other = np.dtype((np.record, [("step", "i8"), ("speed", "f4")]))
    with pytest.raises(LinkRefusedError, match="different versions"):
        join(server, SampleClient(agent, other, domain=DOMAIN))
    assert not server.connected


def test_a_join_that_comes_byte_by_byte_is_a_join(server, agent):
    with raw(agent) as slow:
        for byte in frame(Kind.JOIN, GOOD_JOIN):
            slow.sendall(bytes([byte]))
            server.poll()
        server.poll()
        assert server.connected
        assert slow.recv(4)[:4] == MARK


STRANGERS = {
    "rubbish": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a huge frame": HEADER.pack(MARK, Kind.JOIN, 10**9, 0),
    "a frame longer than a greeting": HEADER.pack(MARK, Kind.JOIN, 5000, 0),
    "no JSON": HEADER.pack(MARK, Kind.JOIN, 4, 0) + b"\xff\xfe\x00\x01",
    "JSON that is no object": HEADER.pack(MARK, Kind.JOIN, 4, 0) + b"[42]",
    "another protocol": frame(Kind.JOIN, {**GOOD_JOIN, "protocol": 999}),
    "an answer to a barrier": HEADER.pack(MARK, Kind.DONE, 0, 0),
    "half a header": MARK,
    "nothing": b"",
}


@pytest.mark.parametrize("sent", STRANGERS.values(), ids=STRANGERS.keys())
@pytest.mark.parametrize("stays", [True, False], ids=["and stays", "and goes"])
def test_a_stranger_does_no_harm_before_a_vehicle_node_joins_or_while_it_works(server, client, agent, sent, stays):
    strangers = [raw(agent)]
    strangers[0].sendall(sent)
    if not stays:
        strangers[0].close()
    assert join(server, client)["step"] == 7
    strangers.append(raw(agent))
    strangers[1].sendall(sent)
    if not stays:
        strangers[1].close()
    for step in range(20):
        server.poll()
        server.send(samples_of(step))
        assert client.receive(1.0)[1]["step"].tolist() == [step]
    for stranger in strangers:
        stranger.close()


def test_a_stranger_that_says_nothing_is_turned_away_in_words(server, agent, monkeypatch):
    monkeypatch.setattr(_link_server, "GREETING_TIMEOUT_S", 0.02)
    with raw(agent) as silent:
        assert server.poll() == []
        time.sleep(0.03)
        assert any("did not say" in line for line in server.poll())
        silent.settimeout(1.0)
        assert b"did not say" in silent.recv(4096)
        assert silent.recv(4096) == b""
    assert not server.connected and not server._joiners


def test_many_silent_strangers_do_not_keep_a_vehicle_node_out(server, client, agent):
    strangers = []
    for _ in range(40):
        strangers.append(raw(agent))
        server.poll()
    assert len(server._joiners) <= _link_server.MOST_JOINERS
    assert join(server, client)["step"] == 7
    for stranger in strangers:
        stranger.close()


def test_rubbish_from_the_joined_node_ends_its_link_only(server, client, agent):
    with raw(agent) as vehicle:
        vehicle.sendall(frame(Kind.JOIN, GOOD_JOIN))
        server.poll()
        assert server.connected
        vehicle.sendall(b"x" * 100)
        with pytest.raises(LinkLostError, match="no frame of this link"):
            server.barrier(1.0)
        assert not server.connected
    assert join(server, client)["step"] == 7


@pytest.mark.parametrize("content", [b"x" * 15, b"x" * 57])
def test_samples_of_a_wrong_length_end_the_link_of_the_client(pair, content):
    server, client = pair
    server._vehicle.send(Kind.SAMPLES, content)
    with pytest.raises(LinkLostError, match="no frame of this link"):
        client.receive(1.0)
    with pytest.raises(LinkLostError, match="not joined"):
        client.receive(0.0)


def test_another_user_is_refused_in_words_by_both_ends(server, agent, monkeypatch):
    monkeypatch.setattr(_link_names.os, "geteuid", lambda: 12345)
    with pytest.raises(LinkRefusedError, match="belongs to user"):
        SampleClient(agent, SAMPLE, domain=DOMAIN).connect(1.0)
    with raw(agent) as other:
        other.sendall(frame(Kind.JOIN, GOOD_JOIN))
        assert any("belongs to user" in line for line in server.poll())
        other.settimeout(1.0)
        assert b"Run both as one user" in other.recv(4096)
    assert not server.connected


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
    assert client.receive(1.0)[1]["step"].tolist() == [8]
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
    used = time.process_time()
    assert client.receive(0.3) is None
    with pytest.raises(BarrierTimeoutError):
        server.barrier(0.3)
    assert time.process_time() - used < 0.06


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
    greetings: list[int] = []
    recalled: list[np.ndarray] = []
    times: list[int] = []
    link = LocalLink(
        got.append, got.append, lambda: True, lambda: greetings.append(len(got)), recalled.append, times.append
    )
    sent = samples_of(1, 2)
    link.send(sent)
    sent.step = 0
    assert link.connected and link.poll() == []
    assert got[0]["step"].tolist() == [1, 2]
    assert isinstance(got[0], np.ndarray) and got[0].dtype == SAMPLE
    link.barrier(0.0)
    link.greet()
    link.recall(samples_of(5, 6))
    link.show_time(6)
    link.close()
    link.show_time(7)
    link.greet()
    link.recall(samples_of(7))
    assert [samples["step"].tolist() for samples in recalled] == [[5, 6]]
    assert times == [6]
    assert greetings == [1], "behind the samples, and none after the end"
    assert not link.connected
    for call in (lambda: link.send(sent), lambda: link.barrier(1.0)):
        with pytest.raises(LinkLostError, match="closed"):
            call()


def sweep(step: int, beams: int = 57_600) -> Sweep:
    return Sweep(step, 3, 5, 7, np.random.default_rng(step).random((beams, 4), np.float32))


def test_scans_arrive_whole_and_in_their_place_between_the_samples(pair):
    server, client = pair
    got: list[tuple] = []

    def receive() -> None:
        while len(got) < 5:
            kind, content = client.receive(5.0)
            # Points lie in the buffer of the link until the next call.
            got.append(
                (kind, content.step, content.points.tobytes()) if kind is Kind.SCAN else (kind, content["step"][0])
            )

    thread = threading.Thread(target=receive)
    thread.start()
    for step in (12, 13):
        server.send(samples_of(step))
        server.send_scan(sweep(step))
    server.send(samples_of(14))
    thread.join(10.0)
    assert got == [
        (Kind.SAMPLES, 12), (Kind.SCAN, 12, sweep(12).points.tobytes()),
        (Kind.SAMPLES, 13), (Kind.SCAN, 13, sweep(13).points.tobytes()), (Kind.SAMPLES, 14),
    ]  # fmt: skip


def test_the_numbers_of_a_scan_arrive(pair):
    server, client = pair
    server.send_scan(sweep(12, beams=3))
    kind, content = client.receive(5.0)
    assert kind is Kind.SCAN and content[:-1] == (12, 3, 5, 7)
    np.testing.assert_array_equal(content.points, sweep(12, beams=3).points)


def test_physics_knows_whether_somebody_reads_the_scans(server, client):
    assert not server.scans_wanted()
    join(server, client)
    assert not server.scans_wanted()
    for some in (True, True, False, True):
        client.tell_readers(some)
        assert server.scans_wanted() is some
    client.tell_readers(False)
    thread = threading.Thread(target=lambda: (client.receive(5.0), client.done()))
    thread.start()
    server.barrier(5.0)
    thread.join()
    assert not server.scans_wanted()
    client.tell_readers(True)
    client.close()
    assert not server.scans_wanted()
    assert "left" in server.poll()[0]
    join(server, client)
    assert not server.scans_wanted(), "a new vehicle node begins without readers"
    client.tell_readers(True)
    assert server.scans_wanted()


@pytest.mark.parametrize("size", [3, 31, 33])
def test_a_scan_of_a_size_that_cannot_be_ends_the_link(pair, size):
    server, client = pair
    server._vehicle.send(Kind.SCAN, bytes(size))
    with pytest.raises(LinkLostError, match="SCAN"):
        client.receive(5.0)


def test_a_fault_of_the_handler_reaches_the_sender():
    def handler(samples: np.recarray) -> None:
        raise ValueError("bad sample")

    with pytest.raises(ValueError, match="bad sample"):
        LocalLink(handler, handler, lambda: True, lambda: None, handler, handler).send(samples_of(1))


def test_a_new_greeting_comes_between_the_samples_where_it_was_sent(agent: str, client: SampleClient):
    hello = {"step": 7, "epoch": 2}
    server = SampleServer(agent, SAMPLE, lambda: dict(hello), domain=DOMAIN)
    server.greet()  # nobody is there to be told
    server.recall(samples_of(7))
    server.show_time(7)
    join(server, client)
    server.send(samples_of(8))
    hello["epoch"] = 3
    server.greet()
    server.recall(samples_of(4, 5))
    server.show_time(2**40)
    server.send(samples_of(6))
    received = [client.receive(5.0) for _ in range(5)]
    kinds = [Kind.SAMPLES, Kind.HELLO, Kind.RECALL, Kind.TIME, Kind.SAMPLES]
    assert [item[0] for item in received if item] == kinds
    assert received[3] == (Kind.TIME, 2**40)
    assert received[1] is not None and received[1][1]["epoch"] == 3
    assert received[2] is not None and received[2][1]["step"].tolist() == [4, 5]
    client.close()
    server.poll()
    server.greet()
    server.show_time(1)
    server.close()
