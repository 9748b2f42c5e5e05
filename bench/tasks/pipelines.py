"""Pipelines and choices among models."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import FunctionTransformer, QuantileTransformer, SplineTransformer, StandardScaler
from sklearn.svm import SVC

from ..space import Params, When, choice, integer, one_of, ordinal, real, space
from .tuning import STEPS, Tuning, built, clusters, digits, error_rate, friedman, unexplained


MODELS = {"svm": (SVC, {"max_iter": STEPS}), "forest": (RandomForestClassifier, {}), "knn": (KNeighborsClassifier, {})}


def _family(p: Params, seed: int, *steps: Any):
    """The model that is chosen, with its own parameters; `steps` come before it and after the scaler."""
    model, fixed = MODELS[p["model"]]
    return built(model, *steps, **fixed)({name: p[name] for name in p if name != "model"}, seed)


def _select_pca_svm(p: Params, seed: int):
    steps = SelectKBest(f_classif, k=p["columns"]), PCA(p["components"], whiten=p["whiten"], svd_solver="full")
    return built(SVC, *steps, max_iter=STEPS)({name: p[name] for name in ("scaler", "C", "gamma")}, seed)


def _reduced(p: Params, seed: int):
    rest = {name: p[name] for name in p if name not in ("reduce", "n_components", "whiten", "k")}
    if p["reduce"] == "pca":
        return _family(rest, seed, PCA(p["n_components"], whiten=p["whiten"], svd_solver="full"))
    return _family(rest, seed, *([SelectKBest(f_classif, k=p["k"])] if p["reduce"] == "select" else []))


class Blend(RegressorMixin, BaseEstimator):
    """Three regressors and the mean of the targets, mixed with given weights; the mean has what the weights leave."""

    def __init__(self, models: list[Any], weights: list[float]):
        self.models = models
        self.weights = weights

    def fit(self, x: np.ndarray, y: np.ndarray) -> Blend:
        self.mean_ = y.mean()
        for model in self.models:
            model.fit(x, y)
        return self

    def predict(self, x: np.ndarray) -> np.ndarray:
        parts = sum(weight * model.predict(x) for weight, model in zip(self.weights, self.models))
        return parts + (1.0 - sum(self.weights)) * self.mean_


def _blend(p: Params, seed: int):
    models = [
        Ridge(p["ridge"]),
        KNeighborsRegressor(p["neighbours"], weights="distance"),
        KernelRidge(alpha=p["alpha"], gamma=p["gamma"], kernel="rbf"),
    ]
    return Blend(models, [p["w_ridge"], p["w_knn"], p["w_kernel"]])


SHAPES = {
    "none": lambda p, seed: "passthrough",
    "quantile": lambda p, seed: QuantileTransformer(n_quantiles=p["quantiles"], output_distribution="normal", random_state=seed),
    "tanh": lambda p, seed: FunctionTransformer(np.tanh),
    "spline": lambda p, seed: SplineTransformer(n_knots=p["knots"], degree=2),
}
SCORES = {"anova": f_classif, "correlation": lambda x, y: np.abs(np.corrcoef(x.T, y)[-1, :-1])}


LINEAR = ("loss", "penalty", "alpha", "l1_ratio", "learning_rate", "eta0", "average", "max_iter")


def _twenty(p: Params, seed: int):
    steps = (
        SHAPES[p["shape"]](p, seed),
        StandardScaler(),
        SelectKBest(SCORES[p["score"]], k=p["columns"]),
        PCA(p["components"], whiten=p["whiten"], svd_solver="full") if p["pca"] else "passthrough",
        Nystroem(p["features_kernel"], gamma=p["gamma"], n_components=p["landmarks"], random_state=seed),
    )
    return built(SGDClassifier, *steps, tol=None)({name: p[name] for name in ("scaler", *LINEAR)}, seed)


SVM = one_of("model", "svm")
FOREST = one_of("model", "forest")
KNN = one_of("model", "knn")

TASKS = [
    Tuning(
        "family-clusters",
        "support vector machine, forest or nearest neighbours, each with its own parameters, error rate",
        space(
            choice("scaler", "none", "standard", "minmax", "robust"),
            choice("model", "svm", "forest", "knn"),
            real("C", 1e-3, 1e3, log=True, when=SVM),
            choice("kernel", "rbf", "poly", "linear", when=SVM),
            real("gamma", 1e-5, 1e1, log=True, when=(*SVM, When("kernel", "in", ("rbf", "poly")))),
            integer("degree", 2, 5, when=(*SVM, When("kernel", "in", ("poly",)))),
            integer("n_estimators", 1, 8, when=FOREST),
            integer("max_depth", 1, 16, log=True, when=FOREST),
            integer("min_samples_leaf", 1, 20, log=True, when=FOREST),
            real("max_features", 0.05, 1.0, when=FOREST),
            integer("n_neighbors", 1, 30, log=True, when=KNN),
            choice("weights", "uniform", "distance", when=KNN),
            ordinal("p", 1, 1.5, 2, 3, when=KNN),
        ),
        clusters, _family, error_rate, worst=1.0,
    ),
    Tuning(
        "reduced-digits",
        "no reduction, principal components or selected columns, then nearest neighbours or a support vector machine, error rate",
        space(
            choice("scaler", "none", "standard", "minmax"),
            choice("reduce", "none", "pca", "select"),
            integer("n_components", 2, 40, log=True, when=one_of("reduce", "pca")),
            choice("whiten", False, True, when=one_of("reduce", "pca")),
            integer("k", 4, 64, step=4, when=one_of("reduce", "select")),
            choice("model", "knn", "svm"),
            integer("n_neighbors", 1, 20, when=KNN),
            choice("weights", "uniform", "distance", when=KNN),
            real("C", 1e-3, 1e3, log=True, when=SVM),
            choice("kernel", "rbf", "linear", when=SVM),
            real("gamma", 1e-5, 1e1, log=True, when=(*SVM, When("kernel", "in", ("rbf",)))),
        ),
        lambda: digits(200), _reduced, error_rate, worst=1.0, folds=2,
    ),
    Tuning(
        "select-pca-svm-clusters",
        "no more principal components than selected columns, then a support vector machine, error rate",
        space(
            choice("scaler", "none", "standard", "minmax", "robust"),
            integer("columns", 1, 20),
            integer("components", 1, 20),
            choice("whiten", False, True),
            real("C", 1e-3, 1e3, log=True),
            real("gamma", 1e-5, 1e1, log=True),
            constraints=["components <= columns"],
        ),
        clusters, _select_pca_svm, error_rate, worst=1.0,
    ),
    Tuning(
        "pipeline20-clusters",
        "scaling, shaping, selection, reduction, landmarks and a linear model with twenty parameters, error rate",
        space(
            choice("scaler", "none", "standard", "minmax", "robust"),
            choice("shape", "none", "quantile", "tanh", "spline"),
            integer("quantiles", 5, 100, log=True),
            integer("knots", 2, 6),
            choice("score", "anova", "correlation"),
            integer("columns", 2, 20),
            choice("pca", False, True),
            real("components", 0.5, 0.99),
            choice("whiten", False, True),
            choice("features_kernel", "rbf", "laplacian", "sigmoid"),
            real("gamma", 1e-4, 1e1, log=True),
            integer("landmarks", 5, 80, log=True),
            choice("loss", "log_loss", "hinge", "modified_huber", "perceptron"),
            choice("penalty", "l1", "l2", "elasticnet"),
            real("alpha", 1e-7, 1e-1, log=True),
            real("l1_ratio", 0.0, 1.0),
            choice("learning_rate", "optimal", "constant", "invscaling", "adaptive"),
            real("eta0", 1e-4, 1e1, log=True),
            choice("average", False, True),
            integer("max_iter", 2, 16),
        ),
        lambda: clusters(200), _twenty, error_rate, worst=1.0, folds=2,
    ),
    Tuning(
        "blend-friedman",
        "three regressors whose weights sum to at most one, unexplained variance",
        space(
            real("w_ridge", 0.0, 1.0),
            real("w_knn", 0.0, 1.0),
            real("w_kernel", 0.0, 1.0),
            real("ridge", 1e-4, 1e3, log=True),
            integer("neighbours", 1, 40, log=True),
            real("alpha", 1e-4, 1e2, log=True),
            real("gamma", 1e-3, 1e2, log=True),
            constraints=["w_ridge + w_knn + w_kernel <= 1"],
        ),
        friedman, _blend, unexplained, worst=2.0,
    ),
]
