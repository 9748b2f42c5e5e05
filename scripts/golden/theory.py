"""Gaussian moments E φ(u)φ(v) and E φ'(u)φ'(v) of ReLU and values of Theorem 1, by adaptive integration, for the tests of `theory`.

Run:  python scripts/golden/theory.py      (needs scipy)
"""

from math import exp, log, pi, sqrt

from scipy.integrate import dblquad

P, Q, K = 0.7, 1.3, 0.4


def moment(f):
    """E f(u) f(v) over u, v > 0, where ReLU is the identity; the density beyond 9 is below 1e-13."""
    det = P * Q - K * K
    density = lambda u, v: exp(-(Q * u * u - 2 * K * u * v + P * v * v) / (2 * det)) / (2 * pi * sqrt(det))
    return dblquad(lambda v, u: f(u) * f(v) * density(u, v), 0, 9, 0, 9, epsabs=1e-12, epsrel=1e-12)[0]


print(f"relu {moment(lambda z: z):.13g} {moment(lambda z: 1.0):.13g}")

B, R, A, LAM, L, T, GAMMA, LOGD, a, b = 2, 0.5, 0.1, 1.01, 3, 100, 7.5, 20, 1, 1.5
nu = sqrt(2) * B + R / sqrt(LAM) * sqrt(2 * log(1 / A))
c = sqrt(4 * log(T) + 2 * LOGD)
bound = (
    2 * (1 + c) * nu * sqrt(L) * sqrt(LAM * B * T / log(B + 1) * (2 * GAMMA + 1))
    + (4 + 3 * (1 + c) * nu * L) * sqrt(2 * log(1 / A) * T)
    + (2 * B + 1) * pi**2 / 6
    + b * (a**2 + b**2) / a**3
)
steps = (1 + L * T / LAM) * (1 + log(T**3 * L / LAM * log(1 / A)))
print(f"width {nu:.14g} steps {steps:.14g} bound {bound:.14g}")
