"""Trainings in steps, on the data sets that come with scikit-learn.

A step costs 1, whatever the parameters: an epoch, or a few trees. All have `STEPS` steps; the loss of a step is that of the held-out
part of the data. The same parameters and seed give the same curve.
"""

import warnings
from typing import Protocol

import numpy as np
from scipy.special import log_softmax, softmax

from ..space import Params, choice, integer, real, space

# The last step of every training.
STEPS = 27
# A loss that is not finite, or larger, counts as this.
WORST = 100.0

class Training(Protocol):
    def step(self) -> float:
        """Trains for one step and gives the held-out loss."""


def _parts(name: str, seed: int) -> tuple[np.ndarray, ...]:
    """Rows to train on and held-out ones, and their targets."""
    from sklearn import datasets
    from sklearn.model_selection import train_test_split

    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    train, test, y_train, y_test = train_test_split(x, y, test_size=0.4, random_state=seed)
    return train, test, y_train, y_test


def _split(name: str, seed: int) -> tuple[np.ndarray, ...]:
    """The same in units of the spread of each column."""
    train, test, y_train, y_test = _parts(name, seed)
    # A pixel that is constant in all training rows may differ in others: it must not be blown up.
    mean, sd = train.mean(0), train.std(0)
    sd[sd < 1e-6] = 1.0
    return (train - mean) / sd, (test - mean) / sd, y_train, y_test


def _bounded(loss: float) -> float:
    return float(min(loss, WORST)) if np.isfinite(loss) else WORST


def _cross_entropy(scores: np.ndarray, labels: np.ndarray) -> float:
    return float(-log_softmax(scores, axis=1)[np.arange(len(labels)), labels].mean())


class _Linear:
    """A linear classifier on the digits, by scikit-learn's stochastic gradient descent; a step is an epoch."""

    def __init__(self, params: Params, seed: int) -> None:
        from sklearn.linear_model import SGDClassifier

        self._train, self._test, self._y, self._y_test = _split("digits", seed)
        self._model = SGDClassifier(penalty="elasticnet", learning_rate="invscaling", random_state=seed, **params)

    def step(self) -> float:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            self._model.partial_fit(self._train, self._y, classes=np.arange(10))
            scores = self._model.decision_function(self._test)
        return _bounded(_cross_entropy(np.clip(np.nan_to_num(scores, nan=1e3), -1e3, 1e3), self._y_test))


class _Boosting:
    """Boosted trees on the diabetes data, by scikit-learn with `warm_start`; a step is four trees, the loss the unexplained variance."""

    TREES = 4

    def __init__(self, params: Params, seed: int) -> None:
        from sklearn.ensemble import GradientBoostingRegressor

        self._train, self._test, self._y, self._y_test = _split("diabetes", seed)
        self._model = GradientBoostingRegressor(warm_start=True, n_estimators=0, random_state=seed, **params)

    def step(self) -> float:
        self._model.n_estimators += self.TREES
        self._model.fit(self._train, self._y)
        error = np.mean((self._model.predict(self._test) - self._y_test) ** 2)
        return _bounded(error / np.var(self._y_test))


class _Network:
    """A network of our own with one hidden layer on the digits, by momentum; a step is an epoch."""

    def __init__(self, params: Params, seed: int) -> None:
        train, test, self._y, self._y_test = _parts("digits", seed)
        # Pixels are 0 to 16. In units of their spread a pixel that is hardly ever set would be hundreds in some held-out rows.
        self._train, self._test = train / 8 - 1, test / 8 - 1
        self._params, self._rng = params, np.random.default_rng(seed)
        width, scale = params["width"], params["scale"]
        self._weights = [
            self._rng.standard_normal((64, width)) * scale / 8,
            np.zeros(width),
            self._rng.standard_normal((width, 10)) * scale / np.sqrt(width),
            np.zeros(10),
        ]
        self._speed = [np.zeros_like(weight) for weight in self._weights]

    def _forward(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        hidden = np.maximum(x @ self._weights[0] + self._weights[1], 0)
        return hidden, hidden @ self._weights[2] + self._weights[3]

    def _update(self, x: np.ndarray, y: np.ndarray) -> None:
        hidden, scores = self._forward(x)
        chances = softmax(scores, axis=1)
        chances[np.arange(len(y)), y] -= 1
        error = chances / len(y)
        back = (error @ self._weights[2].T) * (hidden > 0)
        slopes = [x.T @ back, back.sum(0), hidden.T @ error, error.sum(0)]
        for weight, speed, slope in zip(self._weights, self._speed, slopes):
            speed *= self._params["momentum"]
            speed -= self._params["rate"] * (slope + self._params["decay"] * weight)
            weight += speed

    def step(self) -> float:
        with np.errstate(all="ignore"):
            order, batch = self._rng.permutation(len(self._y)), self._params["batch"]
            for first in range(0, len(order), batch):
                rows = order[first : first + batch]
                self._update(self._train[rows], self._y[rows])
            return _bounded(_cross_entropy(self._forward(self._test)[1], self._y_test))


# Name: what it is, its space, and how a training begins.
TRAININGS = {
    "linear-digits": (
        "scikit-learn `SGDClassifier.partial_fit`, digits, cross-entropy",
        space(
            choice("loss", "log_loss", "modified_huber", "hinge"),
            real("alpha", 1e-7, 1.0, log=True),
            real("eta0", 1e-5, 10.0, log=True),
            real("power_t", 0.0, 1.0),
            real("l1_ratio", 0.0, 1.0),
        ),
        _Linear,
    ),
    "boosting-diabetes": (
        "scikit-learn `GradientBoostingRegressor(warm_start=True)`, diabetes, unexplained variance",
        space(
            real("learning_rate", 1e-3, 1.0, log=True),
            integer("max_depth", 1, 8),
            real("subsample", 0.2, 1.0),
            integer("min_samples_leaf", 1, 60, log=True),
            real("max_features", 0.1, 1.0),
        ),
        _Boosting,
    ),
    "network-digits": (
        "a network of our own in numpy, digits, cross-entropy",
        space(
            real("rate", 1e-5, 3.0, log=True),
            real("momentum", 0.0, 0.99),
            integer("width", 4, 64, log=True),
            real("decay", 1e-7, 0.3, log=True),
            choice("batch", 16, 32, 64, 128),
            real("scale", 0.01, 5.0, log=True),
        ),
        _Network,
    ),
}
