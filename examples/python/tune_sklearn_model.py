"""Tune a scikit-learn model with `maximize`: a support vector machine by cross-validated accuracy.

    pip install scikit-learn
    python examples/python/tune_sklearn_model.py

For a search object with `fit` and `best_estimator_` see sklearn_search.py.
"""

from __future__ import annotations

from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler
from sklearn.svm import SVC

import neuralbo

X, Y = load_breast_cancer(return_X_y=True)
SCALERS = {"standard": StandardScaler, "robust": RobustScaler}
SPACE = neuralbo.Space(
    {
        "C": neuralbo.Float(1e-2, 1e3, log=True),
        "gamma": neuralbo.Float(1e-5, 1.0, log=True),
        "kernel": neuralbo.Categorical(["rbf", "sigmoid"]),
        "scaler": neuralbo.Categorical(list(SCALERS)),
        "balanced": neuralbo.Bool(),
    }
)


def accuracy(params: dict[str, Any]) -> float:
    """Mean accuracy over five folds."""
    weight = "balanced" if params["balanced"] else None
    machine = SVC(C=params["C"], gamma=params["gamma"], kernel=params["kernel"], class_weight=weight)
    return float(cross_val_score(make_pipeline(SCALERS[params["scaler"]](), machine), X, Y, cv=5).mean())


def main() -> None:
    default = float(cross_val_score(make_pipeline(StandardScaler(), SVC()), X, Y, cv=5).mean())
    result = neuralbo.maximize(accuracy, SPACE, n_trials=40, seed=1)
    print(f"accuracy with scikit-learn's defaults {default:.4f}, tuned {result.fun:.4f} after {result.nfev} evaluations")
    for name, value in result.x.items():
        print(f"  {name:10} {value}")
    assert result.fun is not None and result.fun >= default


if __name__ == "__main__":
    main()
