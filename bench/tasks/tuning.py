"""Tuning the hyper-parameters of scikit-learn models: the data sets, and how the loss of a model is measured."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from inspect import signature
from typing import Any

import numpy as np
from sklearn import config_context, datasets
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from ..peers import Outcome
from ..space import Params
from .base import History, Task

Data = tuple[np.ndarray, np.ndarray]
Build = Callable[[Params, int], Any]
Measure = Callable[[Any, np.ndarray, np.ndarray], float]

# The seeds of the splits behind a true loss; those of the evaluations are 32 random bits each.
TRUE_LOSS_SEEDS = range(20)


@dataclass(frozen=True)
class Tuning(Task):
    """A model to tune: `build` makes it from parameters and a seed; its loss is the mean over `folds` of cross-validation.

    A noisy task splits its data anew in every evaluation and gives the model a fresh seed. No loss is above `worst`, which is also
    the loss of a point that violates a constraint and of a model that cannot be fitted.
    """

    data: Callable[[], Data]
    build: Build
    measure: Measure
    worst: float
    folds: int = 3
    noisy: bool = False

    @property
    def trials(self) -> int:
        return 120

    def evaluate(self, params: Params, seed: int) -> Outcome:
        if not self.space.feasible(params):
            return Outcome((self.worst,))
        return Outcome((self._validate(params, seed if self.noisy else 0),))

    def loss(self, history: History) -> float:
        """The true loss of the incumbent: the trial with the lowest loss told."""
        params, best = min(history, key=lambda trial: trial[1].values[0])
        return self.true_loss(params) if self.noisy else best.values[0]

    def true_loss(self, params: Params) -> float:
        """On noisy tasks the mean over fixed splits that are used for nothing else."""
        if not self.noisy or not self.space.feasible(params):
            return self.evaluate(params, 0).values[0]
        return float(np.mean([self._validate(params, seed) for seed in TRUE_LOSS_SEEDS]))

    def _validate(self, params: Params, seed: int) -> float:
        x, y = self.data()
        splitter = (StratifiedKFold if y.dtype.kind == "i" else KFold)(self.folds, shuffle=True, random_state=seed)
        with config_context(assume_finite=True, skip_parameter_validation=True), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            losses = [self._fold(params, seed, x, y, train, test) for train, test in splitter.split(x, y)]
        loss = float(np.mean(losses))
        return min(loss, self.worst) if np.isfinite(loss) else self.worst

    def _fold(self, params: Params, seed: int, x: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
        try:
            model = self.build(params, seed).fit(x[train], y[train])
            return self.measure(model, x[test], y[test])
        except (ValueError, ArithmeticError, np.linalg.LinAlgError):
            return self.worst


SCALERS = {"none": "passthrough", "standard": StandardScaler(), "minmax": MinMaxScaler(), "robust": RobustScaler()}
# Enough for support vector machines that converge at all; a poor C does not take a second.
STEPS = 3000


def built(model: type, *steps: Any, **fixed: Any) -> Build:
    """Builds the model from parameters of its own names, after a scaler if one of them is called so, and after `steps`."""

    def build(p: Params, seed: int) -> Any:
        given = {name: None if value == "none" else value for name, value in p.items() if name != "scaler"}
        seeded = {"random_state": seed} if "random_state" in signature(model).parameters else {}
        scaler = [SCALERS[p["scaler"]]] if "scaler" in p else []
        return make_pipeline(*scaler, *steps, model(**fixed, **given, **seeded))

    return build


def error_rate(model: Any, x: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean(model.predict(x) != y))


def cross_entropy(model: Any, x: np.ndarray, y: np.ndarray) -> float:
    return float(log_loss(y, model.predict_proba(x), labels=model.classes_))


def unexplained(model: Any, x: np.ndarray, y: np.ndarray) -> float:
    """1 - R²: the share of the variance that is left."""
    return float(np.mean((model.predict(x) - y) ** 2) / np.var(y))


def _subset(x: np.ndarray, y: np.ndarray, size: int) -> Data:
    x, _, y, _ = train_test_split(x, y, train_size=size, stratify=y if y.dtype.kind == "i" else None, random_state=0)
    return x, y


@cache
def digits(size: int = 300) -> Data:
    x, y = datasets.load_digits(return_X_y=True)
    return _subset(x / 16.0, y, size)


@cache
def cancer(size: int = 300) -> Data:
    return _subset(*datasets.load_breast_cancer(return_X_y=True), size)


@cache
def diabetes(size: int = 300) -> Data:
    x, y = _subset(*datasets.load_diabetes(return_X_y=True), size)
    return x * np.sqrt(442.0), (y - y.mean()) / y.std()


@cache
def friedman(size: int = 250) -> Data:
    x, y = datasets.make_friedman1(size, n_features=8, noise=1.0, random_state=0)
    return x, (y - y.mean()) / y.std()


@cache
def moons(size: int = 250) -> Data:
    return datasets.make_moons(size, noise=0.3, random_state=0)


@cache
def clusters(size: int = 300) -> Data:
    """Four classes of two clusters each in 20 columns, of which 6 say something and 4 repeat it."""
    return datasets.make_classification(
        size, 20, n_informative=6, n_redundant=4, n_classes=4, n_clusters_per_class=2, class_sep=1.5, flip_y=0.03, random_state=0
    )
