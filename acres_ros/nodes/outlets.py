"""How the messages of a topic leave: when due, soon after a change, some steps late, or as the gateway says."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from std_msgs.msg import Bool

from acres_ros.nodes.sample_view import SampleView
from acres_ros.nodes.sensor_faults import SensorTopic
from acres_ros.nodes.source import Source
from acres_ros.nodes.topics import Topic

Publish = Callable[[Any], None]
"""Takes the bytes of a message, of type `bytes` or `bytearray`; it keeps no reference to them."""
Send = Callable[[SampleView], None]

_STAMP_END = 12  # 4 bytes of encapsulation, 8 bytes of the header's stamp


class Outlet:
    """A topic that is sent when it is due.

    Attributes:
        optional: it need not be made where nobody listens.
        heard: it is made.
        measured: it tells what a sensor measures.
        send, send_change: send it in a step in which it is due, and in another one.
    """

    send_change: Send | None = None
    measured = False
    heard = True

    def __init__(self, topic: Topic, bit: int, encode: Callable[[SampleView], bytes], publish: Publish) -> None:
        self.topic = topic
        self.bit = bit
        self.optional = not topic.latched
        self.send: Send = lambda view: publish(encode(view))

    def forget(self) -> None:
        """Forget what was sent."""

    def recall(self, view: SampleView, due: bool) -> None:
        """Remember what was sent in a step that was published before."""


class ReportOutlet(Outlet):
    """A report of a module, which can fall silent.

    Args:
        silence: bit of the module among what is lost; 0 for one that never does.
    """

    def __init__(
        self, topic: Topic, bit: int, encode: Callable[[SampleView], bytes], publish: Publish, silence: int
    ) -> None:
        super().__init__(topic, bit, encode, publish)
        self._silence = silence
        self._encode = encode
        self._publish = publish
        self.send = self._send

    def _silent(self, view: SampleView) -> bool:
        return bool(view.faults.drop & self._silence)

    def _send(self, view: SampleView) -> None:
        if not self._silent(view):
            self._publish(self._encode(view))


class EventOutlet(ReportOutlet):
    """A report that is sent when it is due, and soon after its content changes."""

    def __init__(
        self, topic: Topic, bit: int, encode: Callable[[SampleView], bytes], publish: Publish, silence: int
    ) -> None:
        super().__init__(topic, bit, encode, publish, silence)
        self.optional = False
        self._shortest = topic.event_steps
        self.send_change = self._send_change
        self.forget()

    def forget(self) -> None:
        """Forget what was sent."""
        self._content = b""
        self._step = -self._shortest

    def recall(self, view: SampleView, due: bool) -> None:
        """Remember what was sent in a step that was published before."""
        if self._silent(view):
            self.forget()
        elif due or (self._content and view.step - self._step >= self._shortest):
            content = self._encode(view)[_STAMP_END:]
            if due or content != self._content:
                self._content, self._step = content, view.step

    def _send(self, view: SampleView) -> None:
        if self._silent(view):
            self.forget()
            return
        data = self._encode(view)
        self._content = data[_STAMP_END:]
        self._step = view.step
        self._publish(data)

    def _send_change(self, view: SampleView) -> None:
        if self._silent(view):
            self.forget()
        elif self._content and view.step - self._step >= self._shortest:
            data = self._encode(view)
            if data[_STAMP_END:] != self._content:
                self._content = data[_STAMP_END:]
                self._step = view.step
                self._publish(data)


class SensorOutlet(Outlet):
    """A topic of a sensor, whose messages can be lost."""

    def __init__(self, topic: Topic, bit: int, sensor: SensorTopic, publish: Publish) -> None:
        super().__init__(topic, bit, sensor.encode, publish)
        self._sensor = sensor
        self._encode = sensor.encode
        self._publish = publish
        self.send = self._send_unless_lost

    def _send_unless_lost(self, view: SampleView) -> None:
        if not self._sensor.lost(view):
            self._publish(self._encode(view))


class DelayedOutlet(SensorOutlet):
    """A topic whose messages are on their way for some steps; the stamp is that of the sample."""

    def __init__(self, topic: Topic, bit: int, sensor: SensorTopic, publish: Publish, delay: int) -> None:
        super().__init__(topic, bit, sensor, publish)
        self._delay = delay
        self._waiting: deque[tuple[int, bytes]] = deque()
        self.send = self._take
        self.send_change = self._deliver

    def forget(self) -> None:
        """Forget what is on its way."""
        self._waiting.clear()

    def recall(self, view: SampleView, due: bool) -> None:
        """Let what was sampled in a step that was published before be on its way, and what arrived in it be gone."""
        if due and not self._sensor.lost(view):
            self._waiting.append((view.step + self._delay, self._encode(view)))
        while self._waiting and self._waiting[0][0] <= view.step:
            self._waiting.popleft()

    def _take(self, view: SampleView) -> None:
        if not self._sensor.lost(view):
            self._waiting.append((view.step + self._delay, self._encode(view)))
        self._deliver(view)

    def _deliver(self, view: SampleView) -> None:
        """Send what arrives in this step; what should have arrived while nobody listened is lost."""
        waiting = self._waiting
        while waiting and waiting[0][0] <= view.step:
            step, data = waiting.popleft()
            if step == view.step:
                self._publish(data)


class EnabledOutlet(Outlet):
    """`dbw_enabled`: the gateway says when it is due: at 20 Hz, on change and on disable, not before the reports."""

    def __init__(self, topic: Topic, publish: Publish) -> None:
        source = Source("dbw_enabled", Bool(), ("data",), lambda view: view.enabled[:1])
        super().__init__(topic, 0, source.encoded(), publish)
        self._send_now = self.send
        self.send = self._send_due

    def _send_due(self, view: SampleView) -> None:
        if view.enabled.dbw_enabled_due:
            self._send_now(view)
