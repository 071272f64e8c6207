"""Scans on the link, and who reads them."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from link_rig import join, samples_of

from acres_ros.core.link import (
    Kind,
    LinkLostError,
)
from acres_ros.core.sample import Sweep


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
