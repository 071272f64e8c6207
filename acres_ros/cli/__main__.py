"""Run the `acres` command: `python -m acres_ros.cli`."""

import sys

from .main import main

if __name__ == "__main__":
    sys.exit(main())
