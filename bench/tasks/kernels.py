"""Support vector machines and nearest neighbours."""

from __future__ import annotations

from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC, SVR

from ..space import Params, choice, integer, one_of, real, space
from .tuning import Tuning, cancer, diabetes, digits, error_rate, unexplained

SCALERS = {"none": "passthrough", "standard": StandardScaler(), "minmax": MinMaxScaler(), "robust": RobustScaler()}
# Enough for what converges at all; a poor C does not take a second.
STEPS = 3000


def _svm_digits(p: Params, seed: int):
    return SVC(C=p["C"], gamma=p["gamma"], kernel=p["kernel"], degree=p["degree"], coef0=p["coef0"], max_iter=STEPS)


def _svr_diabetes(p: Params, seed: int):
    model = SVR(C=p["C"], gamma=p["gamma"], epsilon=p["epsilon"], kernel=p["kernel"], coef0=p["coef0"], max_iter=STEPS)
    return make_pipeline(SCALERS[p["scaler"]], model)


def _knn_digits(p: Params, seed: int):
    return KNeighborsClassifier(p["neighbours"], weights=p["weights"], p=p["p"], algorithm="brute")


def _svm_kernels(p: Params, seed: int):
    names = ("C", "kernel", "gamma", "degree", "coef0")
    balance = "balanced" if p["balanced"] else None
    model = SVC(**{name: p[name] for name in names if name in p}, class_weight=balance, max_iter=STEPS)
    return make_pipeline(SCALERS[p["scaler"]], model)


TASKS = [
    Tuning(
        "svm-digits",
        "support vector machine whose kernels share one flat space, error rate",
        space(
            real("C", 1e-3, 1e3, log=True),
            real("gamma", 1e-4, 1e1, log=True),
            choice("kernel", "rbf", "poly", "sigmoid"),
            integer("degree", 2, 5),
            real("coef0", -1.0, 1.0),
        ),
        lambda: digits(200),
        _svm_digits,
        error_rate,
        worst=1.0, folds=2, plateau=True,
    ),
    Tuning(
        "svr-diabetes",
        "support vector regression, unexplained variance",
        space(
            real("C", 1e-3, 1e3, log=True),
            real("gamma", 1e-5, 1e1, log=True),
            real("epsilon", 1e-3, 1.0, log=True),
            choice("kernel", "rbf", "poly", "linear", "sigmoid"),
            real("coef0", -1.0, 1.0),
            choice("scaler", "none", "standard", "minmax", "robust"),
        ),
        lambda: diabetes(200),
        _svr_diabetes,
        unexplained,
        worst=2.0,
    ),
    Tuning(
        "knn-digits",
        "nearest neighbours, three parameters, error rate",
        space(integer("neighbours", 1, 30), real("p", 1.0, 6.0), choice("weights", "uniform", "distance")),
        lambda: digits(200),
        _knn_digits,
        error_rate,
        worst=1.0, folds=2, plateau=True,
    ),
    Tuning(
        "svm-kernels-cancer",
        "support vector machine whose kernels have parameters of their own, error rate",
        space(
            real("C", 1e-3, 1e3, log=True),
            choice("scaler", "none", "standard", "minmax", "robust"),
            choice("balanced", False, True),
            choice("kernel", "rbf", "poly", "linear", "sigmoid"),
            real("gamma", 1e-6, 1e1, log=True, when=one_of("kernel", "rbf", "poly", "sigmoid")),
            integer("degree", 2, 6, when=one_of("kernel", "poly")),
            real("coef0", -2.0, 2.0, when=one_of("kernel", "poly", "sigmoid")),
        ),
        cancer,
        _svm_kernels,
        error_rate,
        worst=1.0, folds=3, plateau=True, held_out=True,
    ),
]
