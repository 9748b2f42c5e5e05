"""scikit-learn: hyperparameter search with cross-validation, like ``RandomizedSearchCV``."""

# mypy: disable-error-code="import-untyped"

from __future__ import annotations

import math
import numbers
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Union, cast

from neuralbo import Fixed, Optimizer, Space
from neuralbo._domains import DOMAINS
from neuralbo.integrations._coding import Code, Coding, EnginePoint, ask_or_none, choice_code, fixed_code, float_code, int_code
from neuralbo.integrations._require import require

require("sklearn", "sklearn")

import numpy as np  # noqa: E402
from joblib import effective_n_jobs  # noqa: E402
from sklearn.exceptions import FitFailedWarning  # noqa: E402
from sklearn.model_selection._search import BaseSearchCV  # noqa: E402
from sklearn.utils import check_random_state  # noqa: E402
from sklearn.utils._param_validation import Interval  # noqa: E402

__all__ = ["NeuralBOSearchCV"]

_Results = Mapping[str, Any]


@dataclass
class _Progress:
    """How far a search has come."""

    tried: int = 0
    #: Folds of a candidate, known from the first results.
    splits: Optional[int] = None
    failed_params: List[Dict[str, Any]] = field(default_factory=list)
    last_failure: Optional[ValueError] = None

    def report_failures(self) -> None:
        """Warns about candidates without a single fit; where there was nothing else, raises what scikit-learn raised."""
        if self.last_failure is None:
            return
        if len(self.failed_params) == self.tried:
            raise self.last_failure
        warnings.warn(
            f"{len(self.failed_params)} of {self.tried} candidates failed in all of their fits; they are in failed_params_, "
            f"not in cv_results_. The last of them: {self.last_failure}",
            FitFailedWarning,
            stacklevel=2,
        )


class NeuralBOSearchCV(BaseSearchCV):  # type: ignore[misc]
    """Hyperparameter search with cross-validation by the neuralbo engine.

    It has the interface of scikit-learn's ``RandomizedSearchCV``: ``best_params_``, ``best_score_``,
    ``best_estimator_``, ``cv_results_``; ``predict`` and the like use the refitted best estimator. Candidates with a
    NaN score count as failed and steer the search away; batches without a successful fit are listed in
    ``failed_params_`` instead of ``cv_results_``. All candidates are scored on the same splits.

    Args:
        estimator: The estimator to tune.
        space: A ``Space``, or a dict from parameter names to domains of neuralbo (``Float``, ``Int``, ``Categorical``, ``Ordinal``, ``Bool``,
            ``Fixed``, each perhaps with a condition: an inactive parameter is not set on the estimator), pairs
            ``(low, high)`` as tuples (whole numbers if both bounds are), or lists of choices of any type.
        n_iter: Number of candidates; fewer if a finite space is exhausted.
        scoring: As in scikit-learn. With several metrics `refit` must name the one to maximize: a search has one best estimator, so for
            a Pareto front use :func:`neuralbo.minimize` with `objectives`.
        n_jobs: Number of concurrent fits; ``None`` means one.
        refit: As in scikit-learn.
        cv: As in scikit-learn.
        method: The engine's method, one of ``neuralbo.methods()``.
        method_options: Options of the method.
        random_state: Seed of the engine; an int gives the same candidates every time.
        batch_size: Number of candidates per batch. ``None`` uses as many as keep all jobs busy with their folds (the
            first candidate comes alone), so the candidates depend on the number of jobs; set a number to avoid this.
        error_score: As in scikit-learn.
        verbose: As in scikit-learn.
        pre_dispatch: As in scikit-learn.
        return_train_score: As in scikit-learn.

    Example::

        from sklearn.datasets import load_iris
        from sklearn.svm import SVC
        from neuralbo import Float
        from neuralbo.integrations.sklearn import NeuralBOSearchCV

        X, y = load_iris(return_X_y=True)
        space = {"C": Float(1e-2, 1e3, log=True), "gamma": Float(1e-4, 1e1, log=True), "kernel": ["rbf", "sigmoid"]}
        search = NeuralBOSearchCV(SVC(), space, n_iter=20, random_state=0).fit(X, y)
        print(search.best_params_, search.best_score_)
    """

    _parameter_constraints: Dict[str, Any] = {
        **BaseSearchCV._parameter_constraints,
        "space": [Mapping],
        "n_iter": [Interval(numbers.Integral, 1, None, closed="left")],
        "method": [str],
        "method_options": [Mapping, None],
        "random_state": ["random_state"],
        "batch_size": [Interval(numbers.Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        estimator: Any,
        space: Mapping[str, Any],
        *,
        n_iter: int = 50,
        scoring: Any = None,
        n_jobs: Optional[int] = None,
        refit: Union[bool, str, Callable[[_Results], int]] = True,
        cv: Any = None,
        method: str = "neuralbo",
        method_options: Optional[Mapping[str, Any]] = None,
        random_state: Any = None,
        batch_size: Optional[int] = None,
        error_score: Any = np.nan,
        verbose: int = 0,
        pre_dispatch: Union[int, str] = "2*n_jobs",
        return_train_score: bool = False,
    ) -> None:
        self.space = space
        self.n_iter = n_iter
        self.method = method
        self.method_options = method_options
        self.random_state = random_state
        self.batch_size = batch_size
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,  # pyright: ignore[reportArgumentType] - taken from the default
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,  # pyright: ignore[reportArgumentType]
            error_score=error_score,
            return_train_score=return_train_score,
        )

    def _run_search(self, evaluate_candidates: Callable[..., _Results]) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        coding = coding_of(self.space)
        given = self.random_state
        seed = int(given) if isinstance(given, numbers.Integral) else int(check_random_state(given).randint(2**31 - 1))
        optimizer = coding.optimizer(["value:maximize"], self.method, seed, self.method_options or {})
        # scikit-learn itself repeats the splits of numbers of folds and of lists.
        splits = SameSplits(self.cv) if hasattr(self.cv, "split") else None
        progress = _Progress()
        self.failed_params_ = progress.failed_params
        while progress.tried < self.n_iter:
            points = _ask(optimizer, min(self._batch_size(progress), self.n_iter - progress.tried))
            if not points:
                break
            candidates = [coding.decode(point) for point in points]
            scores = self._scores(lambda: evaluate_candidates(candidates, cv=splits), candidates, progress)
            for point, score in zip(points, scores):
                optimizer.tell(point, score)
            progress.tried += len(points)
        progress.report_failures()

    def _scores(
        self, evaluate: Callable[[], _Results], candidates: List[Dict[str, Any]], progress: _Progress
    ) -> List[float]:
        """The scores of a batch, NaN for what failed."""
        try:
            results = evaluate()
        except ValueError as error:
            # scikit-learn stops a search if every fit of a batch fails; here a batch may be a single candidate.
            if re.match(r"\s*All the \d+ fits failed", str(error)) is None:
                raise
            progress.last_failure = error
            progress.failed_params.extend(candidates)
            return [math.nan] * len(candidates)
        metric = self._metric(results)
        progress.splits = sum(re.fullmatch(rf"split\d+_test_{re.escape(metric)}", key) is not None for key in results)
        return [float(score) for score in results[f"mean_test_{metric}"][-len(candidates) :]]

    def _batch_size(self, progress: _Progress) -> int:
        if self.batch_size is not None:
            return int(self.batch_size)
        jobs: Any = self.n_jobs
        return 1 if progress.splits is None else int(math.ceil(int(cast(Any, effective_n_jobs(jobs))) / progress.splits))

    def _metric(self, results: _Results) -> str:
        """The metric to maximize, by the name it has in the results."""
        if "mean_test_score" in results:
            return "score"
        if isinstance(self.refit, str) and f"mean_test_{self.refit}" in results:
            return self.refit
        known = [key[len("mean_test_") :] for key in results if key.startswith("mean_test_")]
        raise ValueError(
            f"refit = {self.refit!r} is not allowed with several metrics; it must name the one to maximize, one of {', '.join(known)}"
        )


def _ask(optimizer: Optimizer, count: int) -> List[EnginePoint]:
    """Up to `count` points, fewer when a finite space is used up."""
    points: List[EnginePoint] = []
    while len(points) < count:
        point = ask_or_none(optimizer)
        if point is None:
            break
        points.append(point)
    return points


class SameSplits:
    """A splitter that caches the splits of another.

    A shuffling splitter without a seed would split differently for every batch of candidates, which adds noise to
    their scores.
    """

    def __init__(self, splitter: Any) -> None:
        self._splitter = splitter
        self._splits: Optional[List[Any]] = None

    def split(self, *data: Any, **params: Any) -> List[Any]:
        """The splits of the first call."""
        if self._splits is None:
            self._splits = list(self._splitter.split(*data, **params))
        return self._splits


def coding_of(space: Mapping[str, Any]) -> Coding:
    """The engine's view of a space; ValueError or TypeError names the parameter."""
    if not space:
        raise ValueError("space must not be empty; give at least one parameter, e.g. {\"C\": Float(1e-3, 1e3, log=True)}")
    constraints = space.constraints if isinstance(space, Space) else ()
    coding = Coding({name: code_of(name, given) for name, given in space.items()}, constraints=constraints)
    if coding.space is None:
        raise ValueError(f"the space has nothing to search: every parameter has a single value, {', '.join(space)}")
    return coding


def code_of(name: str, given: Any) -> Code:
    """A domain of neuralbo, a pair of bounds as a tuple, or the choices as a list (or another iterable)."""
    if isinstance(given, Fixed) and given.when is None:
        return fixed_code(given.value)
    if isinstance(given, DOMAINS):
        return Code(given)
    try:
        if isinstance(given, tuple) and len(given) == 2 and all(isinstance(bound, numbers.Real) and not isinstance(bound, bool) for bound in given):
            return _pair_code(*given)
        if isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping)):
            return choice_code(given)
    except ValueError as error:
        raise ValueError(f"parameter `{name}`: {error}") from error
    raise TypeError(
        f"parameter `{name}`: {given!r} is not a domain; it must be a Float, Int, Categorical, Ordinal, Bool or Fixed of neuralbo, "
        f"a pair (low, high), or a list of choices"
    )


def _pair_code(low: Any, high: Any) -> Code:
    """Two whole numbers bound a whole-number parameter, anything else a real one."""
    if not low <= high:
        raise ValueError(f"low must not be above high, found low = {low!r}, high = {high!r}")
    if isinstance(low, numbers.Integral) and isinstance(high, numbers.Integral):
        return int_code(int(low), int(high))
    return float_code(float(low), float(high))
