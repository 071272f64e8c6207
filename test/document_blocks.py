"""The fenced blocks of the documents, and the commands in them."""

from __future__ import annotations

import itertools
import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
SHELLS = ("", "sh", "bash", "shell", "console")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: where it stands, its language, and what is in it."""

    where: str
    language: str
    text: str


def blocks() -> list[Block]:
    """Return every fenced block of README.md and docs/*.md."""
    found = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(Block(f"{path.name}:{line}", match[1], match[2]))
    return found


def programs() -> list[Block]:
    """Return the Python blocks."""
    return [block for block in blocks() if block.language == "python"]


def commands() -> list[tuple[str, list[str]]]:
    """Return where each shell command of the documents stands, and its words.

    A command ends where its quotes are closed. The notation `[--option VALUE]` and `this|that` is taken as every
    command that it stands for.
    """
    found = []
    for block in blocks():
        if block.language not in SHELLS:
            continue
        pending = ""
        for line in block.text.splitlines():
            pending = f"{pending}\n{line}" if pending else line
            try:
                words = shlex.split(pending, comments=True)
            except ValueError:  # a quote that the next line closes
                continue
            pending = ""
            if words:
                found += [(block.where, list(choice)) for choice in _meant(words)]
    return found


def _meant(words: list[str]) -> list[tuple[str, ...]]:
    if words[0] != "./acres" or words[1] == "run":
        return [tuple(words)]
    bare = [word.removeprefix("[").removesuffix("]") for word in words]
    return list(itertools.product(*(word.split("|") for word in bare)))
