"""Two ends of a link of their own."""

from __future__ import annotations

import os

import pytest
from link_rig import DOMAIN, NUMBERS, SAMPLE, join

from acres_ros.core.link import SampleClient, SampleServer


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


@pytest.fixture
def pair(server: SampleServer, client: SampleClient):
    join(server, client)
    return server, client
