"""sin, cos, tan and their inverses.

Methods and coefficients: FDLIBM 5.3 (Sun Microsystems, 1993: e_rem_pio2, k_sin, k_cos, s_atan, e_asin, e_acos).
"""

from numpy import sqrt

from acres_ros._compile import kernel
from acres_ros.models.elementary.bits import HALF_PI, LARGEST, NAN, PI, ROUND, is_negative, upper_half

TRIGONOMETRIC_DOMAIN = 1.6e6  # rad; the number of quarter turns stays below 2^20, so that its products are exact

_INVERSE_HALF_PI = 6.36619772367581382433e-01
_HALF_PI_1 = 1.57079632673412561417e00  # the first 33 bits
_HALF_PI_2 = 6.07710050630396597660e-11  # the next 33 bits
_HALF_PI_3 = 2.02226624879595063154e-21  # the rest

_SIN_1 = -1.66666666666666324348e-01
_SIN_2 = 8.33333333332248946124e-03
_SIN_3 = -1.98412698298579493134e-04
_SIN_4 = 2.75573137070700676789e-06
_SIN_5 = -2.50507602534068634195e-08
_SIN_6 = 1.58969099521155010221e-10

_COS_1 = 4.16666666666666019037e-02
_COS_2 = -1.38888888888741095749e-03
_COS_3 = 2.48015872894767294178e-05
_COS_4 = -2.75573143513906633035e-07
_COS_5 = 2.08757232129817482790e-09
_COS_6 = -1.13596475577881948265e-11

_ATAN_HALF_HIGH = 4.63647609000806093515e-01
_ATAN_HALF_LOW = 2.26987774529616870924e-17
_ATAN_ONE_HIGH = 7.85398163397448278999e-01
_ATAN_ONE_LOW = 3.06161699786838301793e-17
_ATAN_3_2_HIGH = 9.82793723247329054082e-01
_ATAN_3_2_LOW = 1.39033110312309984516e-17
_ATAN_INFINITY_HIGH = 1.57079632679489655800e00
_ATAN_INFINITY_LOW = 6.12323399573676603587e-17

_ATAN_0 = 3.33333333333329318027e-01
_ATAN_1 = -1.99999999998764832476e-01
_ATAN_2 = 1.42857142725034663711e-01
_ATAN_3 = -1.11111104054623557880e-01
_ATAN_4 = 9.09088713343650656196e-02
_ATAN_5 = -7.69187620504482999495e-02
_ATAN_6 = 6.66107313738753120669e-02
_ATAN_7 = -5.83357013379057348645e-02
_ATAN_8 = 4.97687799461593236017e-02
_ATAN_9 = -3.65315727442169155270e-02
_ATAN_10 = 1.62858201153657823623e-02
_PI_LOW = 1.2246467991473531772e-16

_ASIN_P0 = 1.66666666666666657415e-01
_ASIN_P1 = -3.25565818622400915405e-01
_ASIN_P2 = 2.01212532134862925881e-01
_ASIN_P3 = -4.00555345006794114027e-02
_ASIN_P4 = 7.91534994289814532176e-04
_ASIN_P5 = 3.47933107596021167570e-05
_ASIN_Q1 = -2.40339491173441421878e00
_ASIN_Q2 = 2.02094576023350569471e00
_ASIN_Q3 = -6.88283971605453293030e-01
_ASIN_Q4 = 7.70381505559019352791e-02


@kernel
def _quarter_turns(x):
    """Return the nearest number of quarter turns n, and x - n pi/2 as a sum of two numbers."""
    n = (x * _INVERSE_HALF_PI + ROUND) - ROUND
    first = x - n * _HALF_PI_1
    part = n * _HALF_PI_2
    second = first - part
    tail = n * _HALF_PI_3 - ((first - second) - part)
    r = second - tail
    return int(n), r, (second - r) - tail


@kernel
def _sin_reduced(r, tail):
    """Return sin(r + tail), |r| <= pi/4."""
    z = r * r
    v = z * r
    p = _SIN_2 + z * (_SIN_3 + z * (_SIN_4 + z * (_SIN_5 + z * _SIN_6)))
    return r - ((z * (0.5 * tail - v * p) - tail) - v * _SIN_1)


@kernel
def _cos_reduced(r, tail):
    """Return cos(r + tail), |r| <= pi/4."""
    z = r * r
    p = z * (_COS_1 + z * (_COS_2 + z * (_COS_3 + z * (_COS_4 + z * (_COS_5 + z * _COS_6)))))
    h = 0.5 * z
    w = 1.0 - h
    return w + (((1.0 - w) - h) + (z * p - r * tail))


@kernel
def sin(x):
    """Return the sine of an angle in rad, |x| <= 1.6e6; NaN beyond."""
    if not (-TRIGONOMETRIC_DOMAIN <= x <= TRIGONOMETRIC_DOMAIN):
        return NAN
    n, r, tail = _quarter_turns(x)
    y = _cos_reduced(r, tail) if n & 1 else _sin_reduced(r, tail)
    return -y if n & 2 else y


@kernel
def cos(x):
    """Return the cosine of an angle in rad, |x| <= 1.6e6; NaN beyond."""
    if not (-TRIGONOMETRIC_DOMAIN <= x <= TRIGONOMETRIC_DOMAIN):
        return NAN
    n, r, tail = _quarter_turns(x)
    y = _sin_reduced(r, tail) if n & 1 else _cos_reduced(r, tail)
    return -y if (n + 1) & 2 else y


@kernel
def cos_abreast(x):
    """Return the bits of `cos` for |x| <= 1.6e6, without a branch: in a loop many run abreast."""
    n, r, tail = _quarter_turns(x)
    sine, cosine = _sin_reduced(r, tail), _cos_reduced(r, tail)
    y = sine if n & 1 else cosine
    return -y if (n + 1) & 2 else y


@kernel
def tan(x):
    """Return the tangent of an angle in rad, |x| <= 1.6e6; NaN beyond."""
    if not (-TRIGONOMETRIC_DOMAIN <= x <= TRIGONOMETRIC_DOMAIN):
        return NAN
    n, r, tail = _quarter_turns(x)
    s = _sin_reduced(r, tail)
    c = _cos_reduced(r, tail)
    return -c / s if n & 1 else s / c


@kernel
def atan(x):
    """Return the arc tangent in rad."""
    a = abs(x)
    high = 0.0
    low = 0.0
    if a > 2.4375:
        if a > 1.0e300:
            return HALF_PI if x > 0.0 else -HALF_PI
        high = _ATAN_INFINITY_HIGH
        low = _ATAN_INFINITY_LOW
        a = -1.0 / a
    elif a > 1.1875:
        high = _ATAN_3_2_HIGH
        low = _ATAN_3_2_LOW
        a = (a - 1.5) / (1.0 + 1.5 * a)
    elif a > 0.6875:
        high = _ATAN_ONE_HIGH
        low = _ATAN_ONE_LOW
        a = (a - 1.0) / (a + 1.0)
    elif a > 0.4375:
        high = _ATAN_HALF_HIGH
        low = _ATAN_HALF_LOW
        a = (2.0 * a - 1.0) / (2.0 + a)
    z = a * a
    w = z * z
    odd = z * (_ATAN_0 + w * (_ATAN_2 + w * (_ATAN_4 + w * (_ATAN_6 + w * (_ATAN_8 + w * _ATAN_10)))))
    even = w * (_ATAN_1 + w * (_ATAN_3 + w * (_ATAN_5 + w * (_ATAN_7 + w * _ATAN_9))))
    y = high - ((a * (odd + even) - low) - a)
    return -y if is_negative(x) else y


@kernel
def atan2(y, x):
    """Return the angle of the point (x, y) in rad, [-pi, pi]; signed zeros as in C99, infinite coordinates give NaN."""
    ay = abs(y)
    ax = abs(x)
    if not (ax <= LARGEST and ay <= LARGEST):
        return NAN
    if ay == 0.0:
        a = 0.0
    elif ax == 0.0 or ay > 1.0e18 * ax:
        return HALF_PI if y > 0.0 else -HALF_PI
    elif ax > 1.0e18 * ay and is_negative(x):
        a = 0.0
    else:
        a = atan(ay / ax)
    if is_negative(x):
        a = PI - (a - _PI_LOW)
    return -a if is_negative(y) else a


@kernel
def _asin_ratio(z):
    """Return (asin(s) - s) / s with z = s^2, z <= 0.25."""
    p = z * (_ASIN_P0 + z * (_ASIN_P1 + z * (_ASIN_P2 + z * (_ASIN_P3 + z * (_ASIN_P4 + z * _ASIN_P5)))))
    return p / (1.0 + z * (_ASIN_Q1 + z * (_ASIN_Q2 + z * (_ASIN_Q3 + z * _ASIN_Q4))))


@kernel
def asin(x):
    """Return the arc sine in rad; NaN outside [-1, 1]."""
    a = abs(x)
    if a < 0.5:
        return x + x * _asin_ratio(x * x)
    if not a <= 1.0:
        return NAN
    t = 0.5 * (1.0 - a)
    s = sqrt(t)
    f = upper_half(s)
    c = (t - f * f) / (s + f) if s > 0.0 else 0.0
    p = 2.0 * s * _asin_ratio(t) - (_ATAN_INFINITY_LOW - 2.0 * c)
    q = _ATAN_ONE_HIGH - 2.0 * f
    y = _ATAN_ONE_HIGH - (p - q)
    return y if x > 0.0 else -y


@kernel
def acos(x):
    """Return the arc cosine in rad; NaN outside [-1, 1]."""
    a = abs(x)
    if a < 0.5:
        return _ATAN_INFINITY_HIGH - (x - (_ATAN_INFINITY_LOW - x * _asin_ratio(x * x)))
    if not a <= 1.0:
        return NAN
    z = 0.5 * (1.0 - a)
    s = sqrt(z)
    if x < 0.0:
        return PI - 2.0 * (s + (_asin_ratio(z) * s - _ATAN_INFINITY_LOW))
    f = upper_half(s)
    c = (z - f * f) / (s + f) if s > 0.0 else 0.0
    return 2.0 * (f + (_asin_ratio(z) * s + c))
