"""The link beside strangers: what is no join, and what is no frame, does no harm."""

from __future__ import annotations

import time

import numpy as np
import pytest
from link_rig import DOMAIN, GOOD_JOIN, SAMPLE, frame, join, raw, samples_of

from acres_ros.core import _link_names, _link_server
from acres_ros.core._link_frames import HEADER, MARK
from acres_ros.core.link import (
    Kind,
    LinkLostError,
    LinkRefusedError,
    SampleClient,
)


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
    "JSON that nests as deep as it is long": HEADER.pack(MARK, Kind.JOIN, 4000, 0) + b"[" * 4000,
    "no object about itself": frame(Kind.JOIN, {**GOOD_JOIN, "about": ["options"]}),
    "options that are no object": frame(Kind.JOIN, {**GOOD_JOIN, "about": {"options": "all"}}),
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
        assert client.receive(10.0)[1]["step"].tolist() == [step]
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
        client.receive(10.0)
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
