"""Become another program, which ends when the program that started it does, even by SIGKILL.

Run as a script: `python tied.py PARENT COMMAND [arguments]`, with the process number of the parent. It is a program of
its own because a thread of the parent may hold a lock at the moment of a fork.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

if __name__ == "__main__":
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(sys.argv[1]):
        sys.exit("the program that started this one has ended")
    os.execvp(sys.argv[2], sys.argv[2:])
