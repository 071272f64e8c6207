"""Run the `acres` command: `python -m acres_ros.cli`."""

import io
import sys

from .main import main

if __name__ == "__main__":
    # Names of files and worlds may have letters that the locale has not.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main())
