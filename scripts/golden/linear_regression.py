"""Bayesian linear regression by its definition, to check the fast one with.

    pip install numpy
    python scripts/golden/linear_regression.py > crates/neuralbo-paper/src/dngo/tests/data/linear_regression.json

The targets are jointly normal with covariance I/beta + Phi Phi'/alpha; posterior mean and variance at new points and the log
evidence follow from that normal alone, without the weights. Every input is a formula, so that a test can make it again.
"""

import json
import sys

import numpy as np


def features(points, size):
    """One row a point; the last feature is the constant."""
    j, i = np.meshgrid(np.arange(size), np.asarray(points, dtype=float))
    phi = np.tanh(np.sin(1.3 * i + 2.1 * j + 0.2 * i * j))
    phi[:, -1] = 1.0
    return phi


def case(count, size, alpha, beta):
    phi, at = features(np.arange(count), size), features([100, 101, 102], size)
    y = np.cos(0.7 * np.arange(count)) + 0.1 * np.arange(count)
    cov = phi @ phi.T / alpha + np.eye(count) / beta
    cross = at @ phi.T / alpha
    solve = lambda b: np.linalg.solve(cov, b)
    sign, log_det = np.linalg.slogdet(cov)
    assert sign > 0
    return {
        "count": count,
        "size": size,
        "alpha": alpha,
        "beta": beta,
        "log_evidence": float(-0.5 * (y @ solve(y) + log_det + count * np.log(2 * np.pi))),
        "mean": (cross @ solve(y)).tolist(),
        "variance": np.diag(at @ at.T / alpha - cross @ solve(cross.T)).tolist(),
    }


if __name__ == "__main__":
    sizes = [(1, 4, 1.0, 10.0), (6, 6, 0.5, 100.0), (9, 4, 2.0, 3.0), (12, 20, 0.1, 1e3), (40, 7, 10.0, 0.5)]
    json.dump([case(*c) for c in sizes], sys.stdout, indent=1)
    print()
