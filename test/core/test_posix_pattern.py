"""POSIX extended regular expressions: by the standard, against `grep -E` of this machine, and in linear time."""

from __future__ import annotations

import random
import shutil
import subprocess

import pytest

from acres_ros.core.posix_pattern import PatternError, PosixPattern

NAMES = ["polaris", "tree-0007", "tree-12", "building-001", "bin-3", "a.b", "x]y", "a+b", "Tree 1", "", "aa", "ab{2}"]
PATTERNS = [
    "tree", "^tree-[[:digit:]]+$", "[[:alpha:]]", "^[[:alpha:]]+$", "[^[:alnum:]]", "^(tree|bin)-", "[]x]", "[^]x]",
    "a\\.b", "a.b", "a\\+b", "^.{2}$", "^.{2,3}$", "0{2,}", "[[:upper:]][[:lower:]]*[[:space:]][[:digit:]]", "^$",
    "e*$", "[a-c]b", "[a.]b", "[[.-.]]", "[[=a=]]a", "(a|b)?\\.b", "b$|^p", "^(([[:alpha:]]+)-0*)?[1-9]$", "\\{2\\}",
    "x]y", "[+-]b", "[\\.]", "[[:punct:]]", "[[:xdigit:]]{3}", "^[^-]*$", "a^b", "(^p|^b).*[s1]$", "i{0,1}n-3",
    "(a*)*b", "[b-]i?",
]  # fmt: skip
REFUSED = {
    "a**": "two repeats",
    "*a": "repeats nothing",
    "(|a)": "nothing where",
    "a|": "nothing where",
    "()": "nothing where",
    "(a": "not closed",
    "a)": "closes nothing",
    "[a": "not closed",
    "[": "not closed",
    "[]": "not closed",
    "[[:word:]]": "alpha, digit",
    "[[:alpha:": "no class",
    "[z-a]": "backwards",
    "[a-[:digit:]]": "cannot end a range",
    "[a-c-e]": "begins with the end",
    "[[.hyphen.]]": "not one character",
    "a{2": "no {n}",
    "a{x}": "no {n}",
    "a{3,2}": "not in order",
    "a{256}": "more than 255",
    "a{9999}": "no {n}",
    "\\d": "[[:digit:]]",
    "(a)\\1": "no meaning",
    "a\\": "no meaning",
    "(?:a)": "repeats nothing",
    "a+?": "two repeats",
    "^*": "cannot be repeated",
    "(" * 101 + "a" + ")" * 101: "in each other",
    "((a{255}){255}){255}": "more than 2000",
    "[" + "a" * 20_000 + "]": "more than 20000",
    "": "nothing where",
}


def grep(pattern: str, names: list[str]) -> list[str]:
    found = subprocess.run(
        ["grep", "-E", "-e", pattern], input="\n".join(names) + "\n", capture_output=True, text=True,
        check=False, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert found.returncode in (0, 1), found.stderr
    return found.stdout.splitlines()


def ours(pattern: str, names: list[str]) -> list[str]:
    compiled = PosixPattern(pattern)
    return [name for name in names if compiled.found_in(name)]


needs_grep = pytest.mark.skipif(shutil.which("grep") is None, reason="grep is the reference")


@needs_grep
@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_same_names_as_grep(pattern: str) -> None:
    assert ours(pattern, NAMES) == grep(pattern, NAMES)


@needs_grep
def test_random_expressions_choose_the_same_names_as_grep() -> None:
    random_numbers = random.Random(7)

    def part(depth: int) -> str:
        kind = random_numbers.randrange(7 if depth else 4)
        if kind < 3:
            return random_numbers.choice(["a", "b", ".", "[ab]", "[^a]", "[[:alpha:]]", "^", "$"])
        if kind == 3:
            return random_numbers.choice("ab") + random_numbers.choice(["*", "+", "?", "{2}", "{1,2}", "{2,}", "{0,1}"])
        if kind == 4:
            return f"({part(depth - 1)}|{part(depth - 1)})"
        if kind == 5:
            return f"({part(depth - 1)}{part(depth - 1)})" + random_numbers.choice(["*", "+", "?", "{0,2}"])
        return part(depth - 1) + part(depth - 1)

    names = ["", "a", "b", "ab", "ba", "aab", "abb", "c1", "abab", "bbbb", "cab"]
    for _ in range(150):
        pattern = part(3)
        assert ours(pattern, names) == grep(pattern, names), pattern


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_posix_leaves_undefined_is_refused_in_words(pattern: str) -> None:
    with pytest.raises(PatternError) as caught:
        PosixPattern(pattern)
    assert REFUSED[pattern] in str(caught.value)


def test_a_dot_and_an_opposite_take_any_character_and_the_end_is_the_end() -> None:
    assert PosixPattern("a.b").found_in("a\nb")
    assert PosixPattern("^[^x]$").found_in("\n")
    assert not PosixPattern("a$").found_in("a\n")
    assert not PosixPattern("[[:alpha:]]").found_in("ä")
    assert PosixPattern("^ä$").found_in("ä")


def test_no_pattern_takes_longer_than_the_name_is() -> None:
    """A search by trying would take 2^2000 steps."""
    assert not PosixPattern("^(a|a)*(a*)*$").found_in("a" * 2000 + "b")
