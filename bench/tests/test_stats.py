"""The statistics against SciPy, brute force and published values."""

import itertools

import numpy as np
import pytest
from scipy import stats as scipy_stats

from bench import stats


def test_mean_rank_is_the_mean_over_all_draws_of_seeds():
    losses = {"a": [1.0, 2.0, 3.0], "b": [2.0, 2.0], "c": [0.5, 4.0]}
    draws = np.array(list(itertools.product(*losses.values())))
    expected = scipy_stats.rankdata(draws, axis=1).mean(axis=0)
    assert list(stats.mean_ranks(losses).values()) == pytest.approx(list(expected))


def test_comparison_is_the_statistic_of_mann_and_whitney():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=12).round(1), rng.normal(0.3, size=9).round(1)
    u = scipy_stats.mannwhitneyu(a, b).statistic
    assert stats.comparison(a, b).sum() == pytest.approx(u)


def test_mann_whitney_and_wilcoxon_agree_with_scipy():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=20), rng.normal(0.7, size=20)
    assert stats.mann_whitney(a, b) == pytest.approx(scipy_stats.mannwhitneyu(a, b).pvalue)
    assert stats.wilcoxon(a, b) == pytest.approx(scipy_stats.wilcoxon(a, b).pvalue)


def test_equal_samples_are_no_evidence():
    assert stats.mann_whitney([0.1] * 5, [0.1] * 4) == 1.0
    assert stats.wilcoxon([0.1, 0.2], [0.1, 0.2]) == 1.0


def test_rounding_noise_is_a_tie():
    assert stats.comparison([0.1 + 0.2], [0.3]) == pytest.approx(0.5)


def test_holm_of_a_worked_example():
    # Holm (1979) step by step: 4 × 0.01, 3 × 0.015, 2 × 0.03, 1 × 0.04, never falling.
    adjusted = stats.holm({"a": 0.04, "b": 0.01, "c": 0.03, "d": 0.015})
    assert adjusted == pytest.approx({"b": 0.04, "d": 0.045, "c": 0.06, "a": 0.06})


def test_rank_interval_holds_the_normal_approximation_of_the_mean():
    """One rank per task, so that the bootstrap is the plain one of a mean, for which SciPy has an answer."""
    rng = np.random.default_rng(3)
    tasks = [{"a": [rng.normal()], "b": [rng.normal(0.5)], "c": [rng.normal(1.0)]} for _ in range(40)]
    low, high = stats.rank_intervals(tasks, draws=4000)["a"]
    ranks = [stats.mean_ranks(task)["a"] for task in tasks]
    reference = scipy_stats.bootstrap((ranks,), np.mean, n_resamples=4000, method="percentile", rng=1).confidence_interval
    assert (low, high) == pytest.approx((reference.low, reference.high), abs=0.04)


def test_rank_interval_of_certain_ranks_is_a_point():
    tasks = [{"a": [0.0, 0.1], "b": [1.0, 2.0]}] * 3
    assert stats.rank_intervals(tasks) == {"a": (1.0, 1.0), "b": (2.0, 2.0)}


def test_infinite_losses_tie_and_are_worse_than_finite_ones():
    assert stats.comparison([np.inf, np.inf], [np.inf, 1.0]).tolist() == [[0.5, 1.0], [0.5, 1.0]]
