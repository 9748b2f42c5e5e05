"""Forests and boosted trees."""

from __future__ import annotations

from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)

from ..space import Params, choice, integer, ordinal, real, space
from .tuning import Tuning, cancer, clusters, cross_entropy, diabetes, error_rate, friedman, unexplained


def _forest(p: Params, seed: int):
    return RandomForestClassifier(
        p["trees"],
        criterion=p["criterion"],
        max_depth=p["depth"],
        min_samples_leaf=p["leaf"],
        max_features=p["features"],
        bootstrap=p["bootstrap"],
        n_jobs=1,
        random_state=seed,
    )


def _boosting(p: Params, seed: int):
    return GradientBoostingRegressor(
        loss=p["loss"],
        learning_rate=p["rate"],
        n_estimators=p["trees"],
        max_depth=p["depth"],
        subsample=p["subsample"],
        min_samples_leaf=p["leaf"],
        max_features=p["features"],
        random_state=seed,
    )


def _hist_boosting(p: Params, seed: int):
    return HistGradientBoostingClassifier(
        learning_rate=p["rate"],
        max_iter=p["trees"],
        max_leaf_nodes=p["leaves"],
        min_samples_leaf=p["leaf"],
        l2_regularization=p["l2"],
        max_bins=p["bins"],
        max_features=p["features"],
        early_stopping=False,
        random_state=seed,
    )


def _boosted_classes(p: Params, seed: int):
    return GradientBoostingClassifier(
        learning_rate=p["rate"],
        n_estimators=p["trees"],
        max_depth=p["depth"],
        subsample=p["subsample"],
        max_features=p["features"],
        random_state=seed,
    )


def _extra_trees(p: Params, seed: int):
    return ExtraTreesRegressor(
        p["trees"],
        criterion=p["criterion"],
        max_depth=p["depth"],
        min_samples_leaf=p["leaf"],
        min_samples_split=p["split"],
        max_features=p["features"],
        n_jobs=1,
        random_state=seed,
    )


TASKS = [
    Tuning(
        "forest-cancer",
        "random forest, cross-entropy",
        space(
            integer("trees", 2, 10),
            choice("criterion", "gini", "entropy", "log_loss"),
            integer("depth", 1, 16, log=True),
            integer("leaf", 1, 30, log=True),
            real("features", 0.05, 1.0),
            choice("bootstrap", False, True),
        ),
        cancer,
        _forest,
        cross_entropy,
        worst=3.0, folds=2,
    ),
    Tuning(
        "boosting-friedman",
        "gradient boosting for regression, unexplained variance",
        space(
            choice("loss", "squared_error", "huber"),
            real("rate", 1e-3, 1.0, log=True),
            integer("trees", 5, 25, log=True),
            integer("depth", 1, 6),
            real("subsample", 0.3, 1.0, step=0.1),
            integer("leaf", 1, 40, log=True),
            real("features", 0.1, 1.0),
        ),
        lambda: friedman(200),
        _boosting,
        unexplained,
        worst=2.0, folds=2,
    ),
    Tuning(
        "hist-boosting-cancer",
        "histogram gradient boosting, cross-entropy",
        space(
            real("rate", 1e-2, 1.0, log=True),
            integer("trees", 4, 16),
            integer("leaves", 2, 64, log=True),
            integer("leaf", 1, 60, log=True),
            real("l2", 1e-6, 1e2, log=True),
            ordinal("bins", 8, 16, 32, 64, 128, 255),
            real("features", 0.1, 1.0),
        ),
        cancer,
        _hist_boosting,
        cross_entropy,
        worst=3.0, folds=2,
    ),
    Tuning(
        "boosting-cancer-noisy",
        "gradient boosting on a fresh split per evaluation, cross-entropy",
        space(
            real("rate", 1e-2, 1.0, log=True),
            integer("trees", 2, 20),
            integer("depth", 1, 6),
            real("subsample", 0.3, 1.0, step=0.05),
            real("features", 0.1, 1.0),
        ),
        lambda: cancer(200),
        _boosted_classes,
        cross_entropy,
        worst=3.0, folds=2, noisy=True,
    ),
    Tuning(
        "forest-budget-diabetes",
        "extremely randomized trees whose number times depth is limited, unexplained variance",
        space(
            integer("trees", 1, 30, log=True),
            integer("depth", 1, 20),
            choice("criterion", "squared_error", "friedman_mse"),
            integer("leaf", 1, 40, log=True),
            integer("split", 2, 40, log=True),
            real("features", 0.05, 1.0),
            constraints=["trees * depth <= 60"],
        ),
        lambda: diabetes(200),
        _extra_trees,
        unexplained,
        worst=2.0, folds=2,
    ),
    Tuning(
        "forest-clusters-noisy",
        "random forest on a fresh split per evaluation, error rate",
        space(
            integer("trees", 1, 10),
            choice("criterion", "gini", "entropy", "log_loss"),
            integer("depth", 1, 16),
            integer("leaf", 1, 30, log=True),
            real("features", 0.05, 1.0),
            choice("bootstrap", False, True),
        ),
        clusters,
        _forest,
        error_rate,
        worst=1.0, folds=2, noisy=True, plateau=True, held_out=True,
    ),
]
