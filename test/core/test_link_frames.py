"""Frames survive any cut of the byte stream; what is no frame is refused."""

from __future__ import annotations

import contextlib
import socket
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros.core._link_frames import (
    HEADER,
    MARK,
    FrameSocket,
    Kind,
    LinkLostError,
    LinkTimeoutError,
    NotAFrameError,
    layout_hash,
)


def frame_bytes(kind: int, content: bytes, number: int = 0, mark: bytes = MARK) -> bytes:
    return HEADER.pack(mark, kind, len(content), number) + content


@pytest.fixture
def ends():
    left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    reader = FrameSocket(right, "the peer")
    yield left, reader
    left.close()
    reader.close()


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.sampled_from(sorted(Kind)), st.integers(0, 3000), st.integers(0, 2**32 - 1)), max_size=12),
    st.lists(st.integers(1, 4000), min_size=1, max_size=40),
)
def test_any_cut_of_the_stream_gives_the_same_frames(frames, cuts):
    contents = [bytes((i + n) % 256 for n in range(size)) for i, (_, size, _) in enumerate(frames)]
    stream = b"".join(
        frame_bytes(kind, content, number) for (kind, _, number), content in zip(frames, contents, strict=True)
    )
    left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    reader = FrameSocket(right, "the peer")
    got = []
    place = 0
    turn = 0
    with left:
        while place < len(stream):
            size = cuts[turn % len(cuts)]
            left.sendall(stream[place : place + size])
            place, turn = place + size, turn + 1
            while (frame := reader.receive(0.0)) is not None:
                got.append((frame.kind, bytes(frame.content), frame.number))
    reader.close()
    assert got == [(kind, content, number) for (kind, _, number), content in zip(frames, contents, strict=True)]


def test_a_frame_larger_than_every_buffer_goes_through_whole(ends):
    left, reader = ends
    writer = FrameSocket(left, "the reader")
    content = np.random.default_rng(1).bytes(3_000_000)
    with pytest.raises(LinkTimeoutError, match="took nothing for 0.01 s while .* bytes wait for it"):
        writer.send(Kind.SAMPLES, content, timeout_s=0.01)
    frame = None
    while frame is None:
        frame = reader.receive(0.0)
        with contextlib.suppress(LinkTimeoutError):
            writer.flush(0.0)
    assert frame.content == content


def test_a_thread_that_waits_is_woken_by_a_close(ends):
    _, reader = ends
    threading.Timer(0.1, reader.close).start()
    with pytest.raises(LinkLostError):
        reader.receive(30.0)
    with pytest.raises(LinkLostError):
        reader.receive(0.0)


def test_half_a_frame_is_no_frame_and_its_rest_completes_it(ends):
    left, reader = ends
    stream = frame_bytes(Kind.SAMPLES, b"abcdef")
    left.sendall(stream[:18])
    assert reader.receive(0.01) is None
    left.sendall(stream[18:])
    assert reader.receive(0.01).content == b"abcdef"


def test_half_a_frame_of_an_ended_peer_is_a_lost_link(ends):
    left, reader = ends
    left.sendall(frame_bytes(Kind.SAMPLES, b"whole") + frame_bytes(Kind.SAMPLES, b"abcdef")[:18])
    left.close()
    assert reader.receive(0.0).content == b"whole", "what came before the end is not lost"
    with pytest.raises(LinkLostError, match="it closed the link or ended"):
        reader.receive(0.0)


@pytest.mark.parametrize(
    "rubbish",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\0" * 64,
        frame_bytes(Kind.JOIN, b"{}", mark=b"acrm"),
        frame_bytes(77, b"{}"),
        HEADER.pack(MARK, Kind.SAMPLES, 2**32 - 1, 0),
    ],
)
def test_rubbish_is_no_frame(ends, rubbish: bytes):
    left, reader = ends
    left.sendall(rubbish)
    with pytest.raises(NotAFrameError, match="no frame of this link"):
        reader.receive(0.0)


def test_the_layout_hash_changes_with_names_types_places_and_counts():
    inner = np.dtype([("a", "f8"), ("b", "i8")])
    layouts = [
        [("step", "i8"), ("body", inner)],
        [("step", "i8"), ("body", np.dtype([("b", "i8"), ("a", "f8")]))],
        [("step", "i8"), ("body", np.dtype([("a", "f8"), ("c", "i8")]))],
        [("step", "i8"), ("body", np.dtype([("a", "i8"), ("b", "i8")]))],
        [("step", "i8"), ("body", inner, (1,))],
        [("step", "i8"), ("body", inner, (2,))],
        [("body", inner), ("step", "i8")],
    ]
    assert len({layout_hash(np.dtype(layout)) for layout in layouts}) == len(layouts)
    assert layout_hash(np.dtype(layouts[0])) == layout_hash(np.dtype((np.record, layouts[0])))
