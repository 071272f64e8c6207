"""The other process of the link tests: `python link_peer.py ROLE AGENT`; it says on its output how far it is."""

from __future__ import annotations

import sys
import time

import numpy as np

from acres_ros.core.link import Kind, LinkLostError, SampleClient, SampleServer

SAMPLE = np.dtype((np.record, [("step", "i8"), ("values", "f8", (540,))]))
"""A record about as large as the real one: 4328 bytes."""

DOMAIN = 99


def say(word: object) -> None:
    print(word, flush=True)


def vehicle(agent: str, pause_s: float) -> None:
    """Handle samples, and say which before each answer to a barrier."""
    client = SampleClient(agent, SAMPLE, domain=DOMAIN)
    hello = client.connect(10.0)
    say(f"joined at {hello['step']}")
    steps: list[int] = []
    try:
        while True:
            kind, samples = client.receive()
            if kind is Kind.BARRIER:
                say(" ".join(map(str, steps)) or "none")
                steps.clear()
                client.done()
            else:
                steps.extend(samples["step"].tolist())
                time.sleep(pause_s)
    except LinkLostError as error:
        say(f"lost: {error.reason}")


def physics(agent: str) -> None:
    """Send ten samples, which the system's buffer holds, to whoever joins, then wait to be ended."""
    server = SampleServer(agent, SAMPLE, lambda: {"step": 0}, domain=DOMAIN)
    say("serving")
    while not server.connected:
        server.poll()
        time.sleep(0.005)
    samples = np.zeros(1, SAMPLE).view(np.recarray)
    for step in range(1, 11):
        samples.step = step
        server.send(samples)
    say("sent")
    time.sleep(60.0)


if __name__ == "__main__":
    role, name = sys.argv[1:]
    if role == "physics":
        physics(name)
    else:
        vehicle(name, 0.01 if role == "slow vehicle" else 0.0)
