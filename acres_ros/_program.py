"""Run a module of this package as a program, whatever lies in the current folder: `python _program.py MODULE ...`.

`python -m` looks in the current folder first, and would run the package of another checkout that is there.
"""

import sys


def run_by(module: str, *arguments: str) -> list[str]:
    """Return what comes behind `python` on the command line to run a module of this package.

    Args:
        module: dotted name.
        arguments: of the program.
    """
    return [__file__, module, *arguments]


if __name__ == "__main__":
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]  # the folder of this file, before anything is imported from it
    sys.path.insert(0, __file__.rsplit("/", 2)[0])

    import runpy

    try:
        runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
    except KeyboardInterrupt:  # also one during the imports; a Ctrl-C needs no traceback
        sys.exit(130)
