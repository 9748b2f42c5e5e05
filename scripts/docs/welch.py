"""Welch's t-test and Benjamini–Hochberg, as the pages need them; crates/neuralbo-lab/src/stats has them for the report."""

import math
from statistics import mean, variance

# The false discovery rate of Table 2.
RATE = 0.05
Moments = tuple[float, float, int]


def beta_fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function (Lentz's method)."""
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0))
    fraction = d
    for m in range(1, 300):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d, c = 1.0 / (1.0 + term * d), 1.0 + term / c
            fraction *= c * d
    return fraction


def upper_tail(t: float, freedom: float) -> float:
    """The chance that a t-distributed number exceeds t."""
    if t < 0.0:
        return 1.0 - upper_tail(-t, freedom)
    x, a, b = freedom / (freedom + t * t), freedom / 2.0, 0.5
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) if 0.0 < x < 1.0 else 0.0
    inside = x < (a + 1.0) / (a + b + 2.0)
    both = front * beta_fraction(x, a, b) / a if inside else 1.0 - front * beta_fraction(1.0 - x, b, a) / b
    return both / 2.0


def welch(larger: list[float], smaller: list[float]) -> float:
    """One-sided p of Welch's test, H_a: the mean of the first is larger."""
    return welch_of(*((mean(sample), variance(sample), len(sample)) for sample in (larger, smaller)))


def welch_of(larger: Moments, smaller: Moments) -> float:
    """The same from mean, variance and number of the values of both."""
    parts = [(variance / count, count) for _, variance, count in (larger, smaller)]
    error = sum(part for part, _ in parts)
    freedom = error**2 / sum(part**2 / (count - 1) for part, count in parts)
    return upper_tail((larger[0] - smaller[0]) / math.sqrt(error), freedom)


def rejected(ps: list[float]) -> list[bool]:
    """Benjamini–Hochberg."""
    order = sorted(ps)
    passed = [p for rank, p in enumerate(order, 1) if p <= RATE * rank / len(ps)]
    return [bool(passed) and p <= passed[-1] for p in ps]


def quantile(p: float, freedom: float) -> float:
    """The t that is exceeded with probability p."""
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if upper_tail(middle, freedom) > p else (low, middle)
    return low
