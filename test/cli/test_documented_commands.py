"""Every `./acres` command line of the documents is one that the command takes."""

from __future__ import annotations

import importlib

import pytest
from document_blocks import ROOT, commands

from acres_ros.cli.main import VERBS, parser_of

ACRES = [(where, words[1:]) for where, words in commands() if words[0] == "./acres"]


def test_there_are_commands_on_many_pages() -> None:
    assert len({where.partition(":")[0] for where, _ in ACRES}) > 5


@pytest.mark.parametrize(("where", "words"), ACRES, ids=[f"{where} {' '.join(words)}"[:70] for where, words in ACRES])
def test_a_documented_command_is_taken(where: str, words: list[str]) -> None:
    verb, rest = words[0], words[1:]
    assert verb in VERBS, where
    module = importlib.import_module(f"acres_ros.cli.{verb}")
    if not getattr(module, "PASS_THROUGH", False):
        parser_of(verb, module).parse_args(rest)
    for word in rest:
        if word.startswith("examples/"):
            assert (ROOT / word).is_file(), f"{where}: {word}"
