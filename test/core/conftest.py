"""Worlds, vehicles in one of them, and two ends of a link of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from crop_worlds import crop_world
from fleet_rig import Rig
from link_rig import DOMAIN, NUMBERS, SAMPLE, join

from acres_ros.core.link import SampleClient, SampleServer
from acres_ros.world import World, load_world


@pytest.fixture(scope="module")
def flat() -> World:
    return World.flat()


@pytest.fixture(scope="module")
def yard() -> World:
    return load_world("yard")


@pytest.fixture(scope="module")
def corn() -> World:
    return crop_world()


@pytest.fixture(scope="module")
def farm() -> World:
    return load_world("farm")


@pytest.fixture
def make_fleet() -> Iterator[Callable[..., Rig]]:
    made: list[Rig] = []

    def rig(*arguments: object, **options: object) -> Rig:
        made.append(Rig(*arguments, **options))  # type: ignore[arg-type]
        return made[-1]

    yield rig
    for each in made:
        each.close()


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
