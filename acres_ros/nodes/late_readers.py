"""Who joins in a pause gets the present time: nothing else would tell it before the next step."""

from __future__ import annotations


class LateReaders:
    """Decide when the present `/clock` is to be published again.

    It is, once, when there are more readers than before and no step has come since: those who were there get the time
    that they have. A look later than the one that saw the reader, for a reader is seen a moment before it sees us.
    """

    def __init__(self) -> None:
        self._readers = 0
        self._step = 0
        self._owed = False

    def look(self, readers: int, step: int) -> bool:
        """Return whether the present time is to be published now.

        Args:
            readers: subscriptions of `/clock` in the graph.
            step: steps that are over; 0: there is no time yet.
        """
        due = self._owed and step == self._step and step > 0
        self._owed = readers > self._readers
        self._readers, self._step = readers, step
        return due
