"""Small multi-layer perceptrons, and linear models trained by stochastic gradients."""

from __future__ import annotations

from sklearn.linear_model import SGDClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..space import Params, at_least, choice, integer, one_of, ordinal, real, space
from .tuning import Tuning, cancer, cross_entropy, diabetes, digits, error_rate, moons, unexplained
from .kernels import SCALERS


def _mlp(p: Params, seed: int):
    return MLPClassifier(
        hidden_layer_sizes=(p["width"],),
        activation=p["activation"],
        solver=p["solver"],
        alpha=p["alpha"],
        learning_rate_init=p["rate"],
        momentum=p["momentum"],
        batch_size=p["batch"],
        max_iter=p["epochs"],
        random_state=seed,
    )


def _layers(p: Params, seed: int):
    widths = tuple(p[name] for name in ("width1", "width2", "width3") if name in p)
    return MLPClassifier(
        hidden_layer_sizes=widths,
        activation=p["activation"],
        solver=p["solver"],
        alpha=p["alpha"],
        learning_rate_init=p["rate"],
        momentum=p.get("momentum", 0.9),
        beta_1=p.get("beta1", 0.9),
        batch_size=32,
        max_iter=8,
        random_state=seed,
    )


def _mlp_regression(p: Params, seed: int):
    model = MLPRegressor(
        hidden_layer_sizes=(p["width"],),
        activation=p["activation"],
        solver="lbfgs",
        alpha=p["alpha"],
        max_iter=p["steps"],
        tol=p["tolerance"],
        random_state=seed,
    )
    return make_pipeline(SCALERS[p["scaler"]], model)


def _sgd(p: Params, seed: int):
    model = SGDClassifier(
        loss="log_loss",
        penalty=None if p["penalty"] == "none" else p["penalty"],
        alpha=p.get("alpha", 1e-4),
        l1_ratio=p.get("l1_ratio", 0.15),
        learning_rate=p["schedule"],
        eta0=p.get("eta0", 0.01),
        power_t=p.get("power_t", 0.5),
        average=p["average"],
        max_iter=p["epochs"],
        tol=None,
        random_state=seed,
    )
    return make_pipeline(StandardScaler(), model)


TASKS = [
    Tuning(
        "mlp-digits",
        "perceptron with one hidden layer, error rate",
        space(
            integer("width", 4, 64, log=True),
            choice("activation", "relu", "tanh", "logistic"),
            choice("solver", "adam", "sgd"),
            real("alpha", 1e-6, 1e1, log=True),
            real("rate", 1e-4, 1.0, log=True),
            real("momentum", 0.0, 0.99),
            ordinal("batch", 8, 16, 32, 64, 128),
            integer("epochs", 2, 12),
        ),
        lambda: digits(200),
        _mlp,
        error_rate,
        worst=1.0, folds=2, plateau=True,
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
            real("beta1", 0.5, 0.99, when=one_of("solver", "adam")),
            real("rate", 1e-4, 1.0, log=True),
            real("alpha", 1e-6, 1.0, log=True),
        ),
        moons,
        _layers,
        cross_entropy,
        worst=3.0, folds=2, noisy=True,
    ),
    Tuning(
        "sgd-cancer",
        "logistic regression by stochastic gradients; penalty and schedule bring parameters of their own, cross-entropy",
        space(
            choice("penalty", "none", "l1", "l2", "elasticnet"),
            real("alpha", 1e-6, 1.0, log=True, when=one_of("penalty", "l1", "l2", "elasticnet")),
            real("l1_ratio", 0.0, 1.0, when=one_of("penalty", "elasticnet")),
            choice("schedule", "optimal", "constant", "invscaling", "adaptive"),
            real("eta0", 1e-4, 10.0, log=True, when=one_of("schedule", "constant", "invscaling", "adaptive")),
            real("power_t", 0.1, 1.0, when=one_of("schedule", "invscaling")),
            choice("average", False, True),
            integer("epochs", 2, 20),
        ),
        cancer,
        _sgd,
        cross_entropy,
        worst=3.0, folds=3,
    ),
    Tuning(
        "mlp-diabetes",
        "perceptron for regression by L-BFGS, unexplained variance",
        space(
            integer("width", 1, 32, log=True),
            choice("activation", "relu", "tanh", "logistic", "identity"),
            choice("scaler", "none", "standard", "minmax", "robust"),
            real("alpha", 1e-4, 1e2, log=True),
            integer("steps", 5, 60, log=True),
            real("tolerance", 1e-6, 1e-1, log=True),
        ),
        lambda: diabetes(200),
        _mlp_regression,
        unexplained,
        worst=2.0, folds=2, held_out=True,
    ),
]
