"""Root of a rising function: a bracket and Chandrupatla's method, with a bounded count that only the data decide.

T. R. Chandrupatla (1997): A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function
without using derivatives. Advances in Engineering Software 28(3), 145-149. The spec halves an interval 44 to 48 times;
the two agree to 1e-12.
"""

from collections.abc import Callable

from acres_ros._compile import outlined
from acres_ros.models.maths import clamp

TOLERANCE = 2.5e-13
MAXIMUM_COUNT = 48
MAXIMUM_EXPANSIONS = 24


def rising_root(function: Callable) -> Callable:
    """Return the compiled root finder of one function that rises with its first argument.

    The function is bound here and not an argument, because numba does not cache code that takes functions.

    Args:
        function: compiled `function(x, context)`.

    Returns:
        `find(context, start, slope)` -> (root, evaluations): `start` is the first guess, `slope` a positive estimate of
        the slope, which sets the size of the first step only.
    """

    @outlined
    def find(context, start, slope):
        a = start
        fa = function(a, context)
        count = 1
        if fa == 0.0:
            return a, count
        step = -1.25 * fa / slope
        if step == 0.0:
            return a, count
        b = a + step
        fb = function(b, context)
        count += 1
        for _ in range(MAXIMUM_EXPANSIONS):
            if (fa < 0.0) != (fb < 0.0) or fb == 0.0:
                break
            a, fa = b, fb
            step *= 3.0
            b = a + step
            fb = function(b, context)
            count += 1
        if (fa < 0.0) == (fb < 0.0):
            return b, count
        x1, f1, x2, f2 = b, fb, a, fa
        share = fb / (fb - fa)
        best = b
        for _ in range(MAXIMUM_COUNT):
            if abs(f2) < abs(f1):
                best, f_best = x2, f2
            else:
                best, f_best = x1, f1
            width = abs(x2 - x1)
            tolerance = 4.4e-16 * abs(best) + TOLERANCE
            if f_best == 0.0 or width <= 2.0 * tolerance:
                break
            edge = tolerance / width
            x = x1 + clamp(share, edge, 1.0 - edge) * (x2 - x1)
            f = function(x, context)
            count += 1
            if (f < 0.0) == (f1 < 0.0):
                x3, f3 = x1, f1
            else:
                x3, f3 = x2, f2
                x2, f2 = x1, f1
            x1, f1 = x, f
            share = 0.5
            if f3 == f2:
                continue
            xi = (x1 - x2) / (x3 - x2)
            phi = (f1 - f2) / (f3 - f2)
            if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
                share = f1 / (f2 - f1) * f3 / (f2 - f3)
                share += (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        return best, count

    return find
