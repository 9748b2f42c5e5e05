"""Data sets and scikit-learn's test errors for the random forest's tests.

Writes crates/neuralbo-paper/tests/data/forest/<name>.csv (features in [-1, 1], the target last; the first `train` rows of each file
train, the others test) and rmse.csv (name, train, rmse: the mean over ten seeds of RandomForestRegressor's test error).
Run from the repository root:  python scripts/golden/forest.py      (needs numpy and scikit-learn)
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import RandomForestRegressor

OUT = Path("crates/neuralbo-paper/tests/data/forest")
SEEDS = range(10)


def to_cube(x):
    low, high = x.min(axis=0), x.max(axis=0)
    return 2.0 * (x - low) / (high - low) - 1.0


def diabetes():
    x, y = load_diabetes(return_X_y=True)
    order = np.random.default_rng(1).permutation(len(y))
    return to_cube(x[order]), y[order], 300


def friedman():
    x, y = make_friedman1(n_samples=550, n_features=10, noise=1.0, random_state=2)
    return 2.0 * x - 1.0, y, 250


def sine():
    rng = np.random.default_rng(3)
    x = rng.uniform(-1.0, 1.0, size=(800, 2))
    y = np.sin(4.0 * x[:, 0]) + 0.5 * np.cos(3.0 * x[:, 1]) * x[:, 0] + 0.1 * rng.standard_normal(len(x))
    return x, y, 300


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    lines = ["name,train,rmse"]
    for name, make in [("diabetes", diabetes), ("friedman", friedman), ("sine", sine)]:
        x, y, train = make()
        table = np.column_stack([np.round(x, 4), np.round(y, 4)])
        np.savetxt(OUT / f"{name}.csv", table, fmt="%.6g", delimiter=",")
        x, y = table[:, :-1], table[:, -1]
        errors = []
        for seed in SEEDS:
            forest = RandomForestRegressor(n_estimators=500, random_state=seed, n_jobs=2).fit(x[:train], y[:train])
            errors.append(np.sqrt(np.mean((forest.predict(x[train:]) - y[train:]) ** 2)))
        print(name, np.mean(errors), np.std(errors))
        lines.append(f"{name},{train},{np.mean(errors):.6g}")
    (OUT / "rmse.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
