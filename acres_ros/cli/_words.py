"""Read the command line as the verb will and run nothing: exit code 2 and what is wrong, before anything is prepared.

Run as `python -m acres_ros.cli._words VERB ...`; it needs no package.
"""

import sys

from acres_ros.cli.main import read

if __name__ == "__main__":
    read(sys.argv[1:])
