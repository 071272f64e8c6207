"""Run the product's own functions on unknown numbers, on every path, and prove what they return with Z3.

An unknown (`Unknown`) takes part in exact arithmetic; where the code compares one, the run goes both ways, one after
the other, each with what it has assumed so far. A property is proved when on each path the solver finds no numbers
that break it. Constants of the code are the exact values of their doubles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import z3


class Unknown:
    """A number that is not known. It passes for a finite one where the code asks."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, term: Any, run: Run) -> None:
        self.term = term
        self._run = run

    def _with(self, other: Any, act: Callable[[Any, Any], Any]) -> Unknown:
        return Unknown(act(_real(self.term), term_of(other)), self._run)

    def __add__(self, other: Any) -> Unknown:
        return self._with(other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> Unknown:
        return self + other

    def __sub__(self, other: Any) -> Unknown:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Unknown:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Unknown:
        return self._with(other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Unknown:
        return self * other

    def __truediv__(self, other: Any) -> Unknown:
        return self._with(other, lambda a, b: a / b)

    def __floor__(self) -> Unknown:
        return Unknown(z3.ToReal(z3.ToInt(_real(self.term))), self._run)

    def __float__(self) -> float:
        return 0.0

    def _is(self, other: Any, act: Callable[[Any, Any], Any], beyond: bool) -> bool:
        """Return whether a comparison holds on this path; `beyond` is the answer against plus infinity."""
        if isinstance(other, float) and math.isinf(other):
            return beyond == (other > 0.0)
        return self._run.decide(act(_real(self.term), term_of(other)))

    def __lt__(self, other: Any) -> bool:
        return self._is(other, lambda a, b: a < b, True)

    def __le__(self, other: Any) -> bool:
        return self._is(other, lambda a, b: a <= b, True)

    def __gt__(self, other: Any) -> bool:
        return self._is(other, lambda a, b: a > b, False)

    def __ge__(self, other: Any) -> bool:
        return self._is(other, lambda a, b: a >= b, False)


def _real(term: Any) -> Any:
    return z3.ToReal(term) if z3.is_int(term) else term


def term_of(value: Any) -> Any:
    """Return the solver's term for an unknown or a number."""
    if isinstance(value, Unknown):
        return _real(value.term)
    if isinstance(value, int | float):
        exact = Fraction(value)
        return z3.Q(exact.numerator, exact.denominator)
    return _real(value)


class Run:
    """One run of the code along one path.

    Attributes:
        assumed: what holds on the path.
    """

    def __init__(self, choices: list[bool]) -> None:
        self.assumed: list[Any] = []
        self.open: list[list[bool]] = []
        self._choices = choices
        self._taken: list[bool] = []

    def real(self, name: str) -> Unknown:
        """Return an unknown real number."""
        return Unknown(z3.Real(name), self)

    def whole(self, name: str) -> Unknown:
        """Return an unknown whole number."""
        return Unknown(z3.Int(name), self)

    def assume(self, *conditions: Any) -> None:
        """Take conditions on the unknowns for granted."""
        self.assumed += conditions

    def decide(self, condition: Any) -> bool:
        """Choose which way a comparison goes, and remember the other way where it is possible too."""
        place = len(self._taken)
        if place < len(self._choices):
            choice = self._choices[place]
        else:
            choice = _possible([*self.assumed, condition])
            if choice and _possible([*self.assumed, z3.Not(condition)]):
                self.open.append([*self._taken, False])
        self._taken.append(choice)
        self.assumed.append(condition if choice else z3.Not(condition))
        return choice


def prove(claim: Callable[[Run], Any]) -> int:
    """Prove a claim on all paths and return how many there are.

    Args:
        claim: runs the code with unknowns of its run and returns the condition that has to hold.

    Raises:
        AssertionError: some numbers break it; they are in the text.
    """
    waiting, paths = [[]], 0
    while waiting:
        run = Run(waiting.pop())
        wanted = claim(run)
        waiting += run.open
        solver = z3.Solver()
        solver.add(*run.assumed)
        assert solver.check() == z3.sat, "nothing can be on this path: the assumptions contradict each other"
        solver.add(z3.Not(wanted))
        found = solver.check()
        assert found == z3.unsat, f"broken by {solver.model()}" if found == z3.sat else "the solver cannot tell"
        paths += 1
    return paths


def _possible(conditions: list[Any]) -> bool:
    solver = z3.Solver()
    solver.add(*conditions)
    found = solver.check()
    assert found != z3.unknown, "the solver cannot tell whether a path exists"
    return found == z3.sat
