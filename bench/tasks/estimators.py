"""Single models: support vector machines, nearest neighbours, forests, boosted trees, perceptrons and linear models.

Parameters have the names of scikit-learn, so that most models are built from them as they are.
"""

from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import SGDClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from ..space import Params, at_least, choice, integer, one_of, ordinal, real, space
from .tuning import STEPS, Tuning, built, cancer, clusters, cross_entropy, diabetes, digits, error_rate, friedman, moons, unexplained


def _svm_kernels(p: Params, seed: int):
    balance = "balanced" if p["balanced"] else None
    return built(SVC, class_weight=balance, max_iter=STEPS)({name: p[name] for name in p if name != "balanced"}, seed)


def _layers(p: Params, seed: int):
    widths = tuple(p[name] for name in ("width1", "width2", "width3") if name in p)
    rest = {name: p[name] for name in p if name != "layers" and not name.startswith("width")}
    return built(MLPClassifier, hidden_layer_sizes=widths, batch_size=32, max_iter=8)(rest, seed)


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
        lambda: digits(200), built(SVC, max_iter=STEPS), error_rate, worst=1.0, folds=2,
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
        lambda: diabetes(200), built(SVR, max_iter=STEPS), unexplained, worst=2.0,
    ),
    Tuning(
        "knn-digits",
        "nearest neighbours, three parameters, error rate",
        space(integer("n_neighbors", 1, 30), real("p", 1.0, 6.0), choice("weights", "uniform", "distance")),
        lambda: digits(200), built(KNeighborsClassifier, algorithm="brute"), error_rate, worst=1.0, folds=2,
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
        cancer, _svm_kernels, error_rate, worst=1.0, folds=3,
    ),
    Tuning(
        "forest-cancer",
        "random forest, cross-entropy",
        space(
            integer("n_estimators", 2, 10),
            choice("criterion", "gini", "entropy", "log_loss"),
            integer("max_depth", 1, 16, log=True),
            integer("min_samples_leaf", 1, 30, log=True),
            real("max_features", 0.05, 1.0),
            choice("bootstrap", False, True),
        ),
        cancer, built(RandomForestClassifier), cross_entropy, worst=3.0, folds=2,
    ),
    Tuning(
        "boosting-friedman",
        "gradient boosting for regression, unexplained variance",
        space(
            choice("loss", "squared_error", "huber"),
            real("learning_rate", 1e-3, 1.0, log=True),
            integer("n_estimators", 5, 25, log=True),
            integer("max_depth", 1, 6),
            real("subsample", 0.3, 1.0, step=0.1),
            integer("min_samples_leaf", 1, 40, log=True),
            real("max_features", 0.1, 1.0),
        ),
        lambda: friedman(200), built(GradientBoostingRegressor), unexplained, worst=2.0, folds=2,
    ),
    Tuning(
        "hist-boosting-cancer",
        "histogram gradient boosting, cross-entropy",
        space(
            real("learning_rate", 1e-2, 1.0, log=True),
            integer("max_iter", 4, 16),
            integer("max_leaf_nodes", 2, 64, log=True),
            integer("min_samples_leaf", 1, 60, log=True),
            real("l2_regularization", 1e-6, 1e2, log=True),
            ordinal("max_bins", 8, 16, 32, 64, 128, 255),
            real("max_features", 0.1, 1.0),
        ),
        cancer, built(HistGradientBoostingClassifier, early_stopping=False), cross_entropy, worst=3.0, folds=2,
    ),
    Tuning(
        "boosting-cancer-noisy",
        "gradient boosting on a fresh split per evaluation, cross-entropy",
        space(
            real("learning_rate", 1e-2, 1.0, log=True),
            integer("n_estimators", 2, 20),
            integer("max_depth", 1, 6),
            real("subsample", 0.3, 1.0, step=0.05),
            real("max_features", 0.1, 1.0),
        ),
        lambda: cancer(200), built(GradientBoostingClassifier), cross_entropy, worst=3.0, folds=2, noisy=True,
    ),
    Tuning(
        "forest-budget-diabetes",
        "extremely randomized trees whose number times depth is limited, unexplained variance",
        space(
            integer("n_estimators", 1, 30, log=True),
            integer("max_depth", 1, 20),
            choice("criterion", "squared_error", "friedman_mse"),
            integer("min_samples_leaf", 1, 40, log=True),
            integer("min_samples_split", 2, 40, log=True),
            real("max_features", 0.05, 1.0),
            constraints=["n_estimators * max_depth <= 60"],
        ),
        lambda: diabetes(200), built(ExtraTreesRegressor), unexplained, worst=2.0, folds=2,
    ),
    Tuning(
        "forest-clusters-noisy",
        "random forest on a fresh split per evaluation, error rate",
        space(
            integer("n_estimators", 1, 10),
            choice("criterion", "gini", "entropy", "log_loss"),
            integer("max_depth", 1, 16),
            integer("min_samples_leaf", 1, 30, log=True),
            real("max_features", 0.05, 1.0),
            choice("bootstrap", False, True),
        ),
        clusters, built(RandomForestClassifier), error_rate, worst=1.0, folds=2, noisy=True,
    ),
    Tuning(
        "mlp-digits",
        "perceptron with one hidden layer, error rate",
        space(
            integer("hidden_layer_sizes", 4, 64, log=True),
            choice("activation", "relu", "tanh", "logistic"),
            choice("solver", "adam", "sgd"),
            real("alpha", 1e-6, 1e1, log=True),
            real("learning_rate_init", 1e-4, 1.0, log=True),
            real("momentum", 0.0, 0.99),
            ordinal("batch_size", 8, 16, 32, 64, 128),
            integer("max_iter", 2, 12),
        ),
        lambda: digits(200), built(MLPClassifier), error_rate, worst=1.0, folds=2,
    ),
    Tuning(
        "mlp-layers-moons",
        "perceptron of one to three layers, each with its width, a fresh split per evaluation, cross-entropy",
        space(
            integer("layers", 1, 3),
            integer("width1", 2, 48, log=True),
            integer("width2", 2, 48, log=True, when=at_least("layers", 2)),
            integer("width3", 2, 48, log=True, when=at_least("layers", 3)),
            choice("activation", "relu", "tanh", "logistic"),
            choice("solver", "adam", "sgd"),
            real("momentum", 0.0, 0.99, when=one_of("solver", "sgd")),
            real("beta_1", 0.5, 0.99, when=one_of("solver", "adam")),
            real("learning_rate_init", 1e-4, 1.0, log=True),
            real("alpha", 1e-6, 1.0, log=True),
        ),
        moons, _layers, cross_entropy, worst=3.0, folds=2, noisy=True,
    ),
    Tuning(
        "sgd-cancer",
        "logistic regression by stochastic gradients; penalty and schedule bring parameters of their own, cross-entropy",
        space(
            choice("penalty", "none", "l1", "l2", "elasticnet"),
            real("alpha", 1e-6, 1.0, log=True, when=one_of("penalty", "l1", "l2", "elasticnet")),
            real("l1_ratio", 0.0, 1.0, when=one_of("penalty", "elasticnet")),
            choice("learning_rate", "optimal", "constant", "invscaling", "adaptive"),
            real("eta0", 1e-4, 10.0, log=True, when=one_of("learning_rate", "constant", "invscaling", "adaptive")),
            real("power_t", 0.1, 1.0, when=one_of("learning_rate", "invscaling")),
            choice("average", False, True),
            integer("max_iter", 2, 20),
        ),
        cancer, built(SGDClassifier, StandardScaler(), loss="log_loss", tol=None), cross_entropy, worst=3.0, folds=3,
    ),
    Tuning(
        "mlp-diabetes",
        "perceptron for regression by L-BFGS, unexplained variance",
        space(
            integer("hidden_layer_sizes", 1, 32, log=True),
            choice("activation", "relu", "tanh", "logistic", "identity"),
            choice("scaler", "none", "standard", "minmax", "robust"),
            real("alpha", 1e-4, 1e2, log=True),
            integer("max_iter", 5, 60, log=True),
            real("tol", 1e-6, 1e-1, log=True),
        ),
        lambda: diabetes(200), built(MLPRegressor, solver="lbfgs"), unexplained, worst=2.0, folds=2,
    ),
]
