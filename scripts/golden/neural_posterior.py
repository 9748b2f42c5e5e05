"""Algorithms 1 and 2 of the paper in numpy, with full gradients and a dense U: golden values for the library's network and posterior.

    pip install numpy
    python scripts/golden/neural_posterior.py > crates/neuralbo-paper/tests/data/neural_posterior.json

Symbols as in the paper: W_l weights, m width, L layers, U = λI + Σ g gᵀ/m, σ² = λ gᵀ U⁻¹ g / m, TrainNN with the summed loss.
"""

import json

import numpy as np


def forward(weights, x):
    a = [x]
    for w in weights[:-1]:
        a.append(np.maximum(w @ a[-1], 0.0))
    return np.sqrt(len(weights[0])) * (weights[-1] @ a[-1])[0], a


def gradient(weights, x):
    """∂h/∂W_l for every layer."""
    _, a = forward(weights, x)
    delta = np.array([np.sqrt(len(weights[0]))])
    parts = []
    for l in reversed(range(len(weights))):
        parts.append(np.outer(delta, a[l]))
        delta = (weights[l].T @ delta) * (a[l] > 0)
    return parts[::-1]


def flat(parts):
    return np.concatenate([part.ravel() for part in parts])


def descend(start, xs, ys, decay, rate, steps):
    """Algorithm 2: η times the gradient of ½ Σ (h − y)² + ½ mλ ‖θ − θ₀‖²."""
    weights = [w.copy() for w in start]
    for _ in range(steps):
        move = [decay * (w - w0) for w, w0 in zip(weights, start)]
        for x, y in zip(xs, ys):
            residual = forward(weights, x)[0] - y
            move = [total + residual * part for total, part in zip(move, gradient(weights, x))]
        weights = [w - rate * total for w, total in zip(weights, move)]
    return weights


def case(depth, seed, inputs=4, m=16, lam=0.05, t=12, rate=1e-3, steps=60):
    rng = np.random.default_rng(seed)
    shapes = [(m, inputs)] + [(m, m)] * (depth - 2) + [(1, m)]
    weights = [rng.normal(0, 1 / np.sqrt(m), shape) for shape in shapes]
    xs, at = rng.uniform(-1, 1, (t, inputs)), rng.uniform(-1, 1, (5, inputs))
    ys = np.sin(3 * xs[:, 0]) - xs[:, 1] * xs[:, 2]
    g = np.array([flat(gradient(weights, x)) for x in xs])
    u = lam * np.eye(g.shape[1]) + g.T @ g / m
    start = np.array([forward(weights, x)[0] for x in xs])
    move = np.linalg.solve(u, g.T @ (ys - start)) / m
    here = np.array([flat(gradient(weights, x)) for x in at])
    trained = descend(weights, xs, ys, m * lam, rate, steps)
    columns = lambda parts: np.concatenate([part.ravel(order="F") for part in parts]).tolist()
    return {
        "depth": depth, "inputs": inputs, "width": m, "lambda": lam, "rate": rate, "steps": steps,
        "theta": columns(weights), "x": xs.tolist(), "y": ys.tolist(), "at": at.tolist(),
        "linear_mean": [forward(weights, x)[0] + v @ move for x, v in zip(at, here)],
        "sigma": [float(np.sqrt(lam * v @ np.linalg.solve(u, v) / m)) for v in here],
        "trained_mean": [forward(trained, x)[0] for x in at],
    }


if __name__ == "__main__":
    print(json.dumps([case(2, 1), case(3, 2)]))
