"""Root of a rising function: Newton's method inside a bracket, with a bounded count that only the data decide.

A Newton step is taken where it stays in the bracket of the signs seen so far and at least halves the step before the
last, else the bracket is halved; so the worst case is that of a bisection. R. P. Brent (1973): Algorithms for
Minimization without Derivatives, chapter 4, has the same safeguard for methods without derivatives. The spec halves an
interval 44 to 48 times. The two agree to 1e-12, but where a corner of the function lies within the last step: there the
error is that step times the ratio of the slopes at most.
"""

from collections.abc import Callable

from acres_ros._compile import outlined
from acres_ros.models.maths import INFINITY

TOLERANCE = 2.5e-13
"""Half of the bracket that ends the search where Newton's method does not, at a jump."""
LAST_STEP = 1.0e-9
"""A Newton step below this is the last one: what it leaves goes with its square."""
MAXIMUM_COUNT = 120


def rising_root(function: Callable) -> Callable:
    """Return the compiled root finder of one function that rises with its first argument.

    The function is bound here and not an argument, because numba does not cache code that takes functions.

    Args:
        function: compiled `function(x, context)` -> (value, derivative > 0).

    Returns:
        `find(context, start)` -> (root, evaluations): `start` is the first guess.
    """

    @outlined
    def find(context, start):
        low, high = -INFINITY, INFINITY
        x = start
        step, step_before = INFINITY, INFINITY
        for count in range(1, MAXIMUM_COUNT):
            value, slope = function(x, context)
            if value < 0.0:
                low = x
            else:
                high = x
            limit = 0.5 * abs(step_before)
            step_before = step
            step = -value / slope
            newton = x + step
            if low <= newton <= high and abs(step) <= limit:
                x = newton
                if abs(step) <= LAST_STEP:
                    return x, count
            elif high - low == INFINITY:
                x = newton
            else:
                x = 0.5 * (low + high)
                step = 0.5 * (high - low)
                if step <= 4.4e-16 * abs(x) + TOLERANCE:
                    return x, count
        return x, MAXIMUM_COUNT

    return find
