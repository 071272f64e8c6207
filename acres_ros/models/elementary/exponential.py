"""exp, log, pow and tanh.

Methods and coefficients: FDLIBM 5.3 (Sun Microsystems, 1993: e_exp, e_log, e_pow); tanh: Cephes (S. L. Moshier, 1989).
"""

from acres_ros._compile import kernel, outlined
from acres_ros.models.elementary.bits import (
    EXPONENT_OF_1,
    INFINITY,
    LARGEST,
    MANTISSA,
    NAN,
    ROUND,
    SMALLEST_NORMAL,
    bits_of,
    double_of,
    is_negative,
    power_of_two,
    upper_half,
)

_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_INVERSE_LN2 = 1.44269504088896338700e00
_EXP_OVERFLOW = 7.09782712893383973096e02
_EXP_UNDERFLOW = -7.45133219101941108420e02

_EXP_1 = 1.66666666666666019037e-01
_EXP_2 = -2.77777777770155933842e-03
_EXP_3 = 6.61375632143793436117e-05
_EXP_4 = -1.65339022054652515390e-06
_EXP_5 = 4.13813679705723846039e-08

_LOG_1 = 6.666666666666735130e-01
_LOG_2 = 3.999999999940941908e-01
_LOG_3 = 2.857142874366239149e-01
_LOG_4 = 2.222219843214978396e-01
_LOG_5 = 1.818357216161805012e-01
_LOG_6 = 1.531383769920937332e-01
_LOG_7 = 1.479819860511658591e-01

_POW_L1 = 5.99999999999994648725e-01
_POW_L2 = 4.28571428578550184252e-01
_POW_L3 = 3.33333329818377432918e-01
_POW_L4 = 2.72728123808534006489e-01
_POW_L5 = 2.30660745775561754067e-01
_POW_L6 = 2.06975017800338417784e-01
_LN2 = 6.93147180559945286227e-01
_POW_LN2_HIGH = 6.93147182464599609375e-01
_POW_LN2_LOW = -1.90465429995776804525e-09
_CP = 9.61796693925975554329e-01  # 2 / (3 ln 2)
_CP_HIGH = 9.61796700954437255859e-01
_CP_LOW = -7.02846165095275826516e-09
_LOG2_1_5_HIGH = 5.84962487220764160156e-01
_LOG2_1_5_LOW = 1.35003920212974897128e-08

_TANH_P0 = -9.64399179425052238628e-01
_TANH_P1 = -9.92877231001918586564e01
_TANH_P2 = -1.61468768441708447952e03
_TANH_Q0 = 1.12811678491632931402e02
_TANH_Q1 = 2.23548839060100448583e03
_TANH_Q2 = 4.84406305325125486048e03


@outlined
def _scale(y, k):
    """Return y 2^k for 0.5 <= y <= 2 and -1080 <= k <= 1025, rounded once."""
    if k > 1023:
        return (y * 2.0) * power_of_two(1023) if k == 1024 and y < 1.0 else INFINITY
    if k < -1021:
        return (y * power_of_two(k + 1000)) * power_of_two(-1000)
    return y * power_of_two(k)


@kernel
def _exp_reduced(hi, lo):
    """Return e^(hi - lo) for |hi - lo| <= 0.5 ln 2."""
    r = hi - lo
    t = r * r
    c = r - t * (_EXP_1 + t * (_EXP_2 + t * (_EXP_3 + t * (_EXP_4 + t * _EXP_5))))
    return 1.0 - ((lo - (r * c) / (2.0 - c)) - hi)


@outlined
def _exp_at_the_edge(x):
    """Return e^x where the result is subnormal, overflows, or x is not finite."""
    if x != x:
        return x
    if x > _EXP_OVERFLOW:
        return INFINITY
    if x < _EXP_UNDERFLOW:
        return 0.0
    n = (x * _INVERSE_LN2 + ROUND) - ROUND
    return _scale(_exp_reduced(x - n * _LN2_HIGH, n * _LN2_LOW), int(n))


@kernel
def exp(x):
    """Return e^x: inf above 709.78, 0 below -745.13, subnormal results rounded correctly."""
    if not (-708.0 < x < 709.0):
        return _exp_at_the_edge(x)
    n = (x * _INVERSE_LN2 + ROUND) - ROUND
    return _exp_reduced(x - n * _LN2_HIGH, n * _LN2_LOW) * power_of_two(int(n))


@kernel
def log_of_normal(x, shift=0):
    """Return log(x 2^shift) for a normal positive x, without a branch: in a loop many run abreast."""
    bits = bits_of(x)
    e = (bits >> 52) - 1023 + shift
    m = double_of((bits & MANTISSA) | EXPONENT_OF_1)
    if m > 1.4142135623730951:
        m = 0.5 * m
        e = e + 1
    n = float(e)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    odd = w * (_LOG_2 + w * (_LOG_4 + w * _LOG_6))
    even = z * (_LOG_1 + w * (_LOG_3 + w * (_LOG_5 + w * _LOG_7)))
    r = even + odd
    h = 0.5 * f * f
    return n * _LN2_HIGH - ((h - (s * (h + r) + n * _LN2_LOW)) - f)


@outlined
def _log_at_the_edge(x):
    """Return log x where x is subnormal, not positive, or not finite."""
    if x != x or x < 0.0:
        return NAN
    if x == 0.0:
        return -INFINITY
    if x > LARGEST:
        return x
    return log_of_normal(x * 18014398509481984.0, -54)


@kernel
def log(x):
    """Return the natural logarithm: -inf at 0, NaN below 0."""
    if not (SMALLEST_NORMAL <= x <= LARGEST):
        return _log_at_the_edge(x)
    return log_of_normal(x, 0)


@outlined
def pow(x, y):
    """Return x^y for x >= 0.

    A negative x gives NaN, also for an integer y. 0^y is 0, 1 or inf for a positive, zero or negative y; x^0 and 1^y
    are 1 for every x and y.
    """
    if y == 0.0 or x == 1.0:
        return 1.0
    if not (x >= 0.0) or y != y:
        return NAN
    if x == 0.0 or x > LARGEST:
        return INFINITY if (x == 0.0) == (y < 0.0) else 0.0
    if y > 1.0e20 or y < -1.0e20:
        return INFINITY if (x > 1.0) == (y > 0.0) else 0.0
    shift = 0
    if x < SMALLEST_NORMAL:
        x = x * 18014398509481984.0
        shift = -54
    # log2 x = high + low, to about 70 bits
    bits = bits_of(x)
    e = (bits >> 52) - 1023 + shift
    m = double_of((bits & MANTISSA) | EXPONENT_OF_1)
    base = 1.0
    table_high = 0.0
    table_low = 0.0
    if m > 1.7320508075688772:
        m = 0.5 * m
        e = e + 1
    elif m > 1.224744871391589:
        base = 1.5
        table_high = _LOG2_1_5_HIGH
        table_low = _LOG2_1_5_LOW
    n = float(e)
    u = m - base
    v = 1.0 / (m + base)
    s = u * v
    s_high = upper_half(s)
    sum_high = upper_half(m + base)
    sum_low = m - (sum_high - base)
    s_low = v * ((u - s_high * sum_high) - s_high * sum_low)
    z = s * s
    r = z * z * (_POW_L1 + z * (_POW_L2 + z * (_POW_L3 + z * (_POW_L4 + z * (_POW_L5 + z * _POW_L6)))))
    r = r + s_low * (s_high + s)
    z = s_high * s_high
    t_high = upper_half(3.0 + z + r)
    t_low = r - ((t_high - 3.0) - z)
    u = s_high * t_high
    v = s_low * t_high + t_low * s
    p_high = upper_half(u + v)
    p_low = v - (p_high - u)
    z_high = _CP_HIGH * p_high
    z_low = _CP_LOW * p_high + p_low * _CP + table_low
    high = upper_half(((z_high + z_low) + table_high) + n)
    low = z_low - (((high - n) - table_high) - z_high)
    # y log2 x = p_high + p_low
    y_high = upper_half(y)
    p_low = (y - y_high) * high + y * low
    p_high = y_high * high
    z = p_low + p_high
    if z > 1025.0:
        return INFINITY
    if z < -1080.0:
        return 0.0
    n = (z + ROUND) - ROUND
    p_high = p_high - n
    t = upper_half(p_low + p_high)
    u = t * _POW_LN2_HIGH
    v = (p_low - (t - p_high)) * _LN2 + t * _POW_LN2_LOW
    z = u + v
    w = v - (z - u)
    t = z * z
    c = z - t * (_EXP_1 + t * (_EXP_2 + t * (_EXP_3 + t * (_EXP_4 + t * _EXP_5))))
    r = (z * c) / (c - 2.0) - (w + z * w)
    return _scale(1.0 - (r - z), int(n))


@kernel
def tanh(x):
    """Return the hyperbolic tangent."""
    a = abs(x)
    if a < 0.625:
        z = a * a
        p = (_TANH_P0 * z + _TANH_P1) * z + _TANH_P2
        q = ((z + _TANH_Q0) * z + _TANH_Q1) * z + _TANH_Q2
        t = a + a * z * (p / q)
    elif a < 22.0:
        t = 1.0 - 2.0 / (exp(2.0 * a) + 1.0)
    elif x != x:
        t = x
    else:
        t = 1.0
    return -t if is_negative(x) else t
