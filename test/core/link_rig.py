"""Ends of a link, samples that it carries, and strangers that speak to it."""

from __future__ import annotations

import itertools
import json
import socket
import threading

import numpy as np

from acres_ros.core._link_frames import HEADER, MARK, PROTOCOL_VERSION
from acres_ros.core.link import Kind, LinkRefusedError, SampleClient, SampleServer, layout_hash, link_address

DOMAIN = 98
SAMPLE = np.dtype((np.record, [("step", "i8"), ("speed", "f8"), ("wheel", "f8", (4,))]))
NUMBERS = itertools.count()


def samples_of(*steps: int) -> np.recarray:
    samples = np.zeros(len(steps), SAMPLE).view(np.recarray)
    samples.step = steps
    samples.speed = np.array(steps) * 0.1
    return samples


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


def raw(agent: str) -> socket.socket:
    stranger = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stranger.connect(link_address(DOMAIN, agent)[0])
    return stranger


def frame(kind: Kind, content: dict) -> bytes:
    text = json.dumps(content).encode()
    return HEADER.pack(MARK, kind, len(text), 0) + text


GOOD_JOIN = {"protocol": PROTOCOL_VERSION, "layout": layout_hash(SAMPLE)}
