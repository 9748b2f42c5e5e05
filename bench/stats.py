"""Statistics over runs: ranks, their confidence, and tests.

Losses are compared only with each other, so that the scale of a task does not matter; means over tasks are of normalized regrets.
Smaller losses are better.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats as scipy_stats

# Losses that agree to this many decimals are ties: the last ones depend on the order of sums, and files keep nine digits.
DIGITS = 7

Losses = Mapping[str, Sequence[float]]


def comparison(a: Sequence[float], b: Sequence[float]) -> np.ndarray:
    """[i, j] is 1 where a[i] is worse than b[j], 0 where it is better, one half for a tie."""
    with np.errstate(invalid="ignore"):
        difference = np.round(np.subtract.outer(np.asarray(a, dtype=float), np.asarray(b, dtype=float)), DIGITS)
    # The difference of two infinite losses is not a number: they tie.
    return (np.sign(np.nan_to_num(difference, nan=0.0)) + 1.0) / 2.0


def mean_ranks(losses: Losses) -> dict[str, float]:
    """The mean rank of each optimizer over all ways to draw one seed of every optimizer; ties share their ranks.

    It does not need the same number of seeds of all, nor that their seeds belong together.
    """
    return {
        name: 1.0 + sum(float(comparison(mine, other).mean()) for rival, other in losses.items() if rival != name)
        for name, mine in losses.items()
    }


def rank_intervals(tasks: Sequence[Losses], draws: int = 1000, level: float = 0.95, seed: int = 0) -> dict[str, tuple[float, float]]:
    """Bootstrap intervals of the mean rank over tasks: tasks are drawn with replacement, and in each of them the seeds."""
    names = list(tasks[0])
    rng = np.random.default_rng(seed)
    ranks = np.stack([_drawn_ranks(task, names, draws, rng) for task in tasks])
    chosen = rng.integers(len(tasks), size=(draws, len(tasks)))
    means = ranks[chosen, np.arange(draws)[:, None]].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return {name: (float(low[i]), float(high[i])) for i, name in enumerate(names)}


def _drawn_ranks(losses: Losses, names: list[str], draws: int, rng: np.random.Generator) -> np.ndarray:
    """[draw, optimizer]: mean ranks when the seeds of every optimizer are drawn with replacement."""
    weights = {name: rng.multinomial(len(losses[name]), np.full(len(losses[name]), 1 / len(losses[name])), draws) for name in names}
    shares = {name: weight / len(losses[name]) for name, weight in weights.items()}
    ranks = np.ones((draws, len(names)))
    for i, name in enumerate(names):
        for rival in names:
            if rival != name:
                worse = comparison(losses[name], losses[rival])
                ranks[:, i] += np.einsum("di,ij,dj->d", shares[name], worse, shares[rival], optimize=True)
    return ranks


def mann_whitney(a: Sequence[float], b: Sequence[float]) -> float:
    """The two-sided p-value that a and b are of one distribution; 1 where all values are the same."""
    a, b = np.round(a, DIGITS), np.round(b, DIGITS)
    if len(np.unique(np.concatenate([a, b]))) == 1:
        return 1.0
    return float(scipy_stats.mannwhitneyu(a, b, alternative="two-sided").pvalue)


def wilcoxon(a: Sequence[float], b: Sequence[float]) -> float:
    """The two-sided p-value of the signed-rank test on pairs; 1 where no pair differs."""
    difference = np.round(np.asarray(a) - np.asarray(b), DIGITS)
    if not difference.any():
        return 1.0
    return float(scipy_stats.wilcoxon(difference, alternative="two-sided").pvalue)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's p-values for a family of tests."""
    adjusted: dict[str, float] = {}
    largest = 0.0
    for position, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        largest = max(largest, min(1.0, (len(p_values) - position) * p))
        adjusted[name] = largest
    return adjusted
