"""What fills one topic: a template message, the fields that vary, and the function that reads them from a sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acres_ros.core.greeting import WorldFacts
from acres_ros.core.kinematics import motion_offset
from acres_ros.core.sensors import Sensors
from acres_ros.nodes.cdr import Block, Encoder, TextEncoder
from acres_ros.nodes.sample_view import SampleView
from acres_ros.nodes.topics_config import TopicsConfig

NAN = math.nan
STAMP = "header.stamp"

Values = Callable[[SampleView], Sequence[Any]]


@dataclass(frozen=True)
class Context:
    """What the messages need besides the sample.

    Attributes:
        parameters: one record of `acres_ros.models.parameters.PARAMETERS`.
        config: names, frames, places.
        sensors: the sensors; the LiDAR's place is theirs.
        world: name and obstacles of the world.
        nan_by_type: NaN in the fields that do not belong to the reported `cmd_type`, as the real node does; else all
            fields that the model knows hold numbers, as the report of the spec does.
        profile: rate profile, `acres` or `vehicle`.
    """

    parameters: np.ndarray
    config: TopicsConfig
    sensors: Sensors
    world: WorldFacts = WorldFacts()
    nan_by_type: bool = True
    profile: str = "acres"


@dataclass(frozen=True)
class Source:
    """The content of one topic; a header's stamp is filled in without being named.

    Attributes:
        key: key of the topic in `acres_ros.nodes.topics`.
        template: message with every constant.
        varying: paths of the numbers that vary, in the order of the message, but for those in `blocks`.
        values: returns the numbers of `varying` from a sample.
        blocks: paths whose numbers are copied from the `MOTION` record, and the key of the first of them there.
        resolution: step of the CAN signal of a field, in the unit of the field.
        texts: paths of the strings that vary.
        text_values: returns those strings from a sample.
    """

    key: str
    template: Any
    varying: tuple[str, ...] = ()
    values: Values = lambda view: ()
    blocks: Mapping[str, str] = field(default_factory=dict)
    resolution: Mapping[str, float] = field(default_factory=dict)
    texts: tuple[str, ...] = ()
    text_values: Callable[[SampleView], tuple[str, ...]] | None = None

    def encoded(self, *, can_resolution: bool = False) -> Callable[[SampleView], bytes]:
        """Return the function from a sample to the bytes of the message.

        Args:
            can_resolution: round the fields to the resolution of their CAN signals.
        """
        values = self.values
        blocks = [Block(path, motion_offset(key)) for path, key in self.blocks.items()]
        if hasattr(self.template, "header"):
            blocks.append(Block(STAMP, motion_offset("stamp")))
        text_values = self.text_values
        if text_values is not None:
            text_encoder = TextEncoder(self.template, self.texts, self.varying, blocks=blocks)
            return lambda view: text_encoder.encode(text_values(view), values(view), view.motion)
        encoder = Encoder(self.template, self.varying, blocks=blocks)
        encode = encoder.encode
        steps = [
            (i, self.resolution[leaf.path]) for i, leaf in enumerate(encoder.leaves) if leaf.path in self.resolution
        ]
        if can_resolution and steps:
            return lambda view: encode(rounded(values(view), steps), view.motion)
        return lambda view: encode(values(view), view.motion)


def rounded(values: Sequence[Any], steps: Sequence[tuple[int, float]]) -> list[Any]:
    """Return the values with some of them at the nearest whole number of steps; what is not finite stays.

    Args:
        values: numbers of a message.
        steps: index of a value, and its step.
    """
    result = list(values)
    for index, step in steps:
        if math.isfinite(result[index]):
            result[index] = math.floor(result[index] / step + 0.5) * step
    return result
