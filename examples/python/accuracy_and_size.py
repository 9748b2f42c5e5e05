"""Tune a real model for two objectives: the accuracy of a forest on handwritten digits and its size on disk.

    pip install neuralbo[sklearn]
    python accuracy_and_size.py

A larger forest is more accurate up to a point; what is wanted is the Pareto front between both, among the forests that predict fast
enough. Size and leaves are measured, not known before: that is what outcome constraints are for.
"""

from __future__ import annotations

import pickle
from typing import Any

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import neuralbo

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X[:900], y[:900], test_size=300, random_state=0)

space = neuralbo.Space(
    {
        "trees": neuralbo.Int(1, 60, log=True),
        "depth": neuralbo.Int(2, 14),
        "features": neuralbo.Float(0.05, 0.6),
    }
)


def evaluate(params: dict[str, Any]) -> dict[str, float]:
    forest = RandomForestClassifier(
        n_estimators=params["trees"], max_depth=params["depth"], max_features=params["features"], random_state=0
    ).fit(X_train, y_train)
    return {
        "accuracy": float(forest.score(X_test, y_test)),
        "kilobytes": len(pickle.dumps(forest)) / 1000,
        "leaves": float(sum(tree.get_n_leaves() for tree in forest.estimators_)),
    }


result = neuralbo.minimize(
    evaluate,
    space,
    objectives={"accuracy": "maximize", "kilobytes": "minimize"},
    outcome_constraints=["leaves <= 4000"],
    reference={"accuracy": 0.5, "kilobytes": 2000.0},
    n_trials=25,
    seed=1,
)

print(f"{len(result.front)} forests on the front after {result.nfev} evaluations, hypervolume {result.hypervolume:.1f}")
for trial in sorted(result.front, key=lambda trial: trial.measured["kilobytes"]):
    measured = trial.measured
    print(f"  accuracy {measured['accuracy']:.3f}  {measured['kilobytes']:7.1f} kB  {measured['leaves']:5.0f} leaves  {trial.x}")

assert result.success and len(result.front) >= 3
assert all(trial.measured["leaves"] <= 4000 for trial in result.front)
