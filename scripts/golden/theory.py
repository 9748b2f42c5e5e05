"""Gaussian moments E φ(u)φ(v) and E φ'(u)φ'(v) of ReLU and settings of Theorem 1, by adaptive integration, for the tests of `theory`.

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

B, R, A, LAM, L, T = 2, 0.5, 0.1, 1.01, 3, 100
nu = sqrt(2) * B + R / sqrt(LAM) * sqrt(2 * log(1 / A))
steps = (1 + L * T / LAM) * (1 + log(T**3 * L / LAM * log(1 / A)))
print(f"width {nu:.14g} steps {steps:.14g}")
