"""The scikit-learn search: scikit-learn's own checks, and what the engine is told."""

import warnings
from typing import Any, Dict, List

import pytest

pytest.importorskip("sklearn")

import numpy as np  # noqa: E402
from sklearn.base import BaseEstimator, clone, is_regressor  # noqa: E402
from sklearn.datasets import make_classification, make_regression  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.exceptions import FitFailedWarning  # noqa: E402
from sklearn.linear_model import LogisticRegression, Ridge  # noqa: E402
from sklearn.model_selection import KFold, RandomizedSearchCV  # noqa: E402
from sklearn.pipeline import Pipeline  # noqa: E402
from sklearn.svm import SVC  # noqa: E402
from sklearn.tree import DecisionTreeClassifier  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from neuralbo import Bool, Categorical, Fixed, Float, Int, Space  # noqa: E402
from neuralbo.integrations.sklearn import NeuralBOSearchCV  # noqa: E402

X, Y = make_classification(n_samples=80, n_features=6, random_state=0)


class Score(BaseEstimator):  # type: ignore[misc]
    """Its score is known: best at a = 2, b = "yes"; NaN or an exception where asked for."""

    def __init__(self, a: float = 0.0, b: Any = "no", n: int = 1) -> None:
        self.a, self.b, self.n = a, b, n

    def fit(self, X: Any, y: Any = None) -> "Score":
        if self.b == "raise":
            raise ValueError("this one fails")
        self.fitted_ = True
        return self

    def score(self, X: Any, y: Any = None) -> float:
        return float(-((self.a - 2.0) ** 2) - (self.b != "yes"))


def search(space: Any, **options: Any) -> NeuralBOSearchCV:
    return NeuralBOSearchCV(Score(), space, **{"cv": 2, "n_iter": 12, "random_state": 0, **options})


CHECKED = [
    NeuralBOSearchCV(Ridge(), {"alpha": Float(0.1, 1.0)}, n_iter=2, cv=2, random_state=0, error_score="raise"),
    NeuralBOSearchCV(LogisticRegression(), {"C": Float(0.1, 1.0)}, n_iter=2, cv=2, random_state=0, error_score="raise"),
    NeuralBOSearchCV(
        Pipeline([("pca", PCA()), ("ridge", Ridge())]), {"ridge__alpha": [0.1, 1.0]}, n_iter=2, cv=2, random_state=0, error_score="raise"
    ),
]

def expected_failures(estimator: Any) -> Dict[str, str]:
    """The one check that scikit-learn's own searches are exempt from, for the same reason."""
    if is_regressor(estimator):
        return {"check_supervised_y_2d": "Ridge takes a 2-d y without the warning that the check waits for, as in GridSearchCV"}
    return {}


@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures, xfail_strict=True)  # type: ignore[misc]
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_the_best_candidate_is_found_and_refitted() -> None:
    found = search({"a": Float(-5.0, 5.0), "b": ["yes", "no"]}, n_iter=20).fit(X, Y)
    assert found.best_params_["b"] == "yes" and abs(found.best_params_["a"] - 2.0) < 0.1
    assert found.best_estimator_.fitted_ and found.best_estimator_.get_params()["b"] == "yes"
    assert found.best_score_ == max(found.cv_results_["mean_test_score"])
    random = RandomizedSearchCV(Score(), {"a": np.linspace(-5, 5, 1001), "b": ["yes", "no"]}, n_iter=20, cv=2, random_state=0).fit(X, Y)
    assert found.best_score_ > random.best_score_


def test_an_int_gives_the_same_candidates_and_a_generator_others() -> None:
    space = {"a": Float(-5.0, 5.0)}
    first, again, other = (search(space, random_state=s, n_iter=6).fit(X, Y).cv_results_["params"] for s in (1, 1, 2))
    assert first == again != other
    generator = np.random.RandomState(1)
    assert search(space, random_state=generator).fit(X, Y).cv_results_["params"] != search(space, random_state=generator).fit(
        X, Y
    ).cv_results_["params"]


def test_all_ways_to_write_a_space_give_values_of_their_kind() -> None:
    space = {"a": (0.5, 1.5), "n": (1, 4), "b": [None, ("x", 1), {"deep": 2}]}
    for params in search(space, method="random", n_iter=30).fit(X, Y).cv_results_["params"]:
        assert 0.5 <= params["a"] <= 1.5 and type(params["a"]) is float
        assert params["n"] in (1, 2, 3, 4) and type(params["n"]) is int
        assert params["b"] in (None, ("x", 1), {"deep": 2})
    ours = {"a": Int(1, 3), "n": Bool(), "b": Categorical(["x", "y"])}
    for given in (ours, Space(ours)):
        for params in search(given, method="random").fit(X, Y).cv_results_["params"]:
            assert params["a"] in (1, 2, 3) and type(params["n"]) is bool and params["b"] in ("x", "y")
    fixed = search({"a": Float(0.0, 1.0, step=0.5), "b": Fixed("yes")}).fit(X, Y).cv_results_["params"]
    assert sorted(params["a"] for params in fixed) == [0.0, 0.5, 1.0] and all(params["b"] == "yes" for params in fixed)


def test_estimators_can_be_choices() -> None:
    pipeline = Pipeline([("model", SVC())])
    space = {"model": [SVC(), DecisionTreeClassifier(random_state=0)]}
    found = NeuralBOSearchCV(pipeline, space, n_iter=2, cv=2, random_state=0).fit(X, Y)
    assert len({type(params["model"]) for params in found.cv_results_["params"]}) == 2


@pytest.mark.parametrize(
    "space, error, text",
    [
        ({}, ValueError, "must not be empty"),
        ({"a": (2.0, 1.0)}, ValueError, "`a`.*low = 2.0, high = 1.0"),
        ({"a": "C"}, TypeError, "`a`: 'C' is not a domain"),
        ({"a": []}, ValueError, "`a`: choices must not be empty"),
        ({"a": [3]}, ValueError, "nothing to search"),
    ],
)
def test_spaces_that_cannot_be_searched_are_refused(space: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        search(space).fit(X, Y)


@pytest.mark.parametrize("wrong", [{"n_iter": 0}, {"batch_size": 0}, {"space": 3}, {"method": 7}, {"method": "magic"}, {"method_options": {"colour": 1}}])
def test_wrong_parameters_are_refused(wrong: Dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="|".join(map(str, [*wrong, *wrong.values(), "colour"]))):
        search({"a": (0.0, 1.0)}).set_params(**wrong).fit(X, Y)


def test_candidates_that_fail_are_avoided_and_do_not_stop_the_search() -> None:
    space = {"a": (-5.0, 5.0), "b": ["yes", "raise"]}
    with pytest.warns(FitFailedWarning, match="of 20 candidates failed"):
        found = search(space, n_iter=20).fit(X, Y)
    failed = len(found.failed_params_)
    assert 0 < failed < 10 and len(found.cv_results_["params"]) == 20 - failed
    assert all(params["b"] == "raise" for params in found.failed_params_)
    assert found.best_score_ > -0.1
    with pytest.raises(ValueError, match="this one fails"):
        search(space, n_iter=20, error_score="raise").fit(X, Y)


def test_failed_candidates_of_a_larger_batch_are_in_the_results() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = search({"a": (-5.0, 5.0), "b": ["yes", "raise"]}, n_iter=10, batch_size=10).fit(X, Y)
    failed = np.isnan(found.cv_results_["mean_test_score"])
    assert failed.any() and not failed.all() and len(failed) == 10


def test_a_search_without_a_single_fit_raises() -> None:
    with pytest.raises(ValueError, match="fits failed.*(.|\n)*this one fails"):
        search({"a": (-5.0, 5.0), "b": Categorical(["raise"])}, n_iter=3).fit(X, Y)


def test_a_finite_space_ends_the_search() -> None:
    found = search({"n": (1, 3)}, n_iter=50).fit(X, Y)
    assert sorted(params["n"] for params in found.cv_results_["params"]) == [1, 2, 3]


def test_with_several_metrics_refit_names_the_one_to_maximize() -> None:
    tree = DecisionTreeClassifier(random_state=0)
    options: Dict[str, Any] = {"scoring": ["accuracy", "recall"], "n_iter": 4, "cv": 2, "random_state": 0}
    found = NeuralBOSearchCV(tree, {"max_depth": (1, 9)}, refit="recall", **options).fit(X, Y)
    assert found.best_score_ == max(found.cv_results_["mean_test_recall"])
    with pytest.raises(ValueError, match="refit = False.*accuracy, recall"):
        NeuralBOSearchCV(tree, {"max_depth": (1, 9)}, refit=False, **options).fit(X, Y)


def test_shuffled_splits_are_the_same_for_every_candidate() -> None:
    class Folds(BaseEstimator):  # type: ignore[misc]
        seen: List[float] = []

        def __init__(self, a: float = 0.0) -> None:
            self.a = a

        def fit(self, X: Any, y: Any = None) -> "Folds":
            return self

        def score(self, X: Any, y: Any = None) -> float:
            self.seen.append(float(np.sum(X)))
            return self.a

    NeuralBOSearchCV(Folds(), {"a": (0.0, 1.0)}, n_iter=5, cv=KFold(2, shuffle=True), refit=False).fit(X, Y)
    assert len(Folds.seen) == 10 and len(set(Folds.seen)) == 2


def test_splits_may_be_given_one_by_one() -> None:
    splits = list(KFold(3).split(X))
    listed, generated = (search({"a": (-5.0, 5.0)}, n_iter=4, cv=cv).fit(X, Y) for cv in (splits, iter(splits)))
    assert listed.n_splits_ == generated.n_splits_ == 3
    assert listed.cv_results_["params"] == generated.cv_results_["params"]


@pytest.mark.parametrize("n_jobs, batch_size, calls", [(None, None, 6), (2, None, 6), (4, None, 4), (None, 4, 2)])
def test_batches_keep_the_jobs_busy(n_jobs: Any, batch_size: Any, calls: int, capsys: Any) -> None:
    found = search({"a": (-5.0, 5.0)}, n_iter=6, n_jobs=n_jobs, batch_size=batch_size, verbose=1).fit(X, Y)
    assert capsys.readouterr().out.count("Fitting 2 folds") == calls
    assert len({params["a"] for params in found.cv_results_["params"]}) == 6


def test_clones_and_parameters_are_those_of_an_estimator() -> None:
    space = {"a": Float(0.0, 1.0), "b": ["x"]}
    original = search(space, method_options={})
    copy = clone(original)
    assert copy.get_params()["n_iter"] == 12 and copy.space is not original.space
    assert original.set_params(estimator__a=0.25).estimator.a == 0.25


def test_a_regressor_is_scored_by_its_own_measure() -> None:
    data, target = make_regression(n_samples=60, n_features=4, noise=1.0, random_state=0)
    found = NeuralBOSearchCV(Ridge(), {"alpha": Float(1e-3, 1e3, log=True)}, n_iter=10, cv=3, random_state=0).fit(data, target)
    assert found.score(data, target) > 0.99 and found.best_params_["alpha"] < 10.0
