"""Two real models with two objectives: a network's error and size, boosted trees' cross-entropy and work per prediction.

The work is counted, not timed, so that a run is the same on any machine: the comparisons that one prediction takes on average. Data
and cross-validation are those of the tuning tasks.
"""

import math
import warnings
from collections.abc import Iterator
from functools import cache

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier

from ..space import Params, integer, real, space
from .objectives import Several, Values
from .tuning import cancer, cross_entropy, digits

FOLDS = 2
CHANCE = math.log(2.0)

# The hypervolumes of the fronts that three runs of pymoo's NSGA-II with 3000 trials found together.
BEST_KNOWN = {"net-digits": 0.843510, "boosting-cancer": 0.870617}

NET = space(
    integer("first", 2, 64, log=True),
    integer("second", 2, 64, log=True),
    integer("epochs", 2, 40, log=True),
    real("rate", 1e-4, 1e-1, log=True),
    real("alpha", 1e-6, 1.0, log=True),
)
TREES = space(
    integer("trees", 1, 40, log=True),
    integer("depth", 1, 6),
    real("rate", 1e-2, 1.0, log=True),
    real("subsample", 0.3, 1.0),
    real("features", 0.1, 1.0),
)


def net(params: Params) -> Values:
    """The share of wrong digits, and the logarithm to base 10 of the number of weights."""
    layers = (params["first"], params["second"])
    model = MLPClassifier(
        layers, max_iter=params["epochs"], learning_rate_init=params["rate"], alpha=params["alpha"], batch_size=50, random_state=0
    )
    errors = [np.mean(fitted.predict(x) != y) for fitted, x, y in _folds(model, *digits())]
    return float(np.mean(errors)), math.log10(weights(params))


def weights(params: Params) -> int:
    """Weights and biases of a network with 64 inputs, two hidden layers and 10 outputs."""
    first, second = params["first"], params["second"]
    return 65 * first + (first + 1) * second + (second + 1) * 10


def _size(units: int) -> float:
    return math.log10(weights({"first": units, "second": units}))


def boosting(params: Params) -> Values:
    """Cross-entropy, and the comparisons that a prediction takes on average. No loss is above the one of a fair coin."""
    model = GradientBoostingClassifier(
        n_estimators=params["trees"],
        max_depth=params["depth"],
        learning_rate=params["rate"],
        subsample=params["subsample"],
        max_features=params["features"],
        random_state=0,
    )
    folds = [(min(CHANCE, cross_entropy(fitted, x, y)), comparisons(fitted, x)) for fitted, x, y in _folds(model, *cancer())]
    loss, work = np.mean(folds, axis=0)
    return float(loss), float(work)


def comparisons(model: GradientBoostingClassifier, x: np.ndarray) -> float:
    """The mean number of inner nodes on a row's ways through all trees."""
    rows = np.asarray(x, dtype=np.float32)
    return sum(tree.tree_.decision_path(rows).sum() / len(rows) - 1.0 for tree in model.estimators_[:, 0])


def _folds(model: ClassifierMixin, x: np.ndarray, y: np.ndarray) -> Iterator[tuple[ClassifierMixin, np.ndarray, np.ndarray]]:
    """The model fitted to each training part of a cross-validation, with the other part."""
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(x, y):
        yield _fitted(clone(model), x[train], y[train]), x[test], y[test]


def _fitted(model: ClassifierMixin, x: np.ndarray, y: np.ndarray) -> ClassifierMixin:
    with warnings.catch_warnings():
        # The epochs are a parameter: that a network has not converged is no news.
        warnings.simplefilter("ignore")
        return model.fit(x, y)


@cache
def task(name: str) -> Several:
    if name == "net-digits":
        about = "a network's error and the logarithm of its number of weights"
        # From no error and the smallest network to one that guesses and the largest.
        return Several(name, about, NET, net, (0.0, _size(2)), (0.9, _size(64)), BEST_KNOWN[name])
    about = "cross-entropy of boosted trees and the comparisons that a prediction takes"
    # From no loss and no work to a fair coin and all trees at their full depth.
    return Several(name, about, TREES, boosting, (0.0, 0.0), (CHANCE, 40.0 * 6.0), BEST_KNOWN[name])
