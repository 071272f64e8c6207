"""A drive in a process of its own: `python -m acres_ros.tools.determinism WORLD SEED STEPS` prints its hashes."""

from __future__ import annotations

import sys

from acres_ros.tools.determinism.drive import Drive
from acres_ros.world import load_world


def main(world: str, seed: str, steps: str) -> None:
    """Drive, and print each hash as soon as it is there."""
    for text in Drive(load_world(world), int(seed)).run(int(steps)):
        print(text, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
