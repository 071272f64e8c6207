"""What processes use, read from the system: CPU time, memory, files and threads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 1e6


class ProcessGroup:
    """Some running processes.

    Args:
        ids: of the processes.
    """

    def __init__(self, ids: Iterable[int]) -> None:
        self._folders = [Path("/proc", str(number)) for number in ids]

    def cpu_s(self) -> float:
        """Return the CPU time that they and their threads have used, in user and system mode, s."""
        total = 0
        for folder in self._folders:
            # The name of the program is in brackets and may hold anything; the numbers follow the last one.
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / _TICKS_PER_SECOND

    def resident_mb(self) -> float:
        """Return their resident memory, MB; pages that they share are counted in each."""
        return sum(int((folder / "statm").read_text().split()[1]) for folder in self._folders) * _PAGE_MB

    def usage(self) -> tuple[float, int, int]:
        """Return resident memory, MB, open files and threads of all."""
        files = sum(len(list((folder / "fd").iterdir())) for folder in self._folders)
        threads = sum(len(list((folder / "task").iterdir())) for folder in self._folders)
        return self.resident_mb(), files, threads
