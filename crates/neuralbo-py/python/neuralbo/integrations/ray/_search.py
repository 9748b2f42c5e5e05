"""The searcher that Ray Tune calls."""

from __future__ import annotations

import logging
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, cast

import ray.cloudpickle
from ray.tune.result import DEFAULT_METRIC
from ray.tune.search import Searcher

from neuralbo import Optimizer
from neuralbo._options import check_method
from neuralbo.integrations._coding import EnginePoint, ask_or_none
from neuralbo.integrations.ray._space import RaySpace, has_domains

_pickle: Any = ray.cloudpickle
_logger = logging.getLogger(__name__)

_DIRECTIONS = {"min": "minimize", "max": "maximize"}
#: Format version of :meth:`NeuralBOSearch.save`.
_STATE_VERSION = 1


class NeuralBOSearch(Searcher):
    """A Ray Tune searcher that uses the neuralbo engine.

    Any number of trials may run concurrently: unfinished ones are passed to the model as pending points. A trial that
    raises, or that ends without a finite metric, counts as failed and steers the search away from its point; a trial
    stopped early by a scheduler counts with its last metric. The search ends when a finite space is exhausted.

    Args:
        space: The search space, a dict of Ray Tune's domains, nested as needed, with constants; taken from the Tuner's
            ``param_space`` if ``None``.
        metric: The metric to optimize; the Tuner's if ``None``.
        mode: ``"min"`` or ``"max"``; the Tuner's if ``None``.
        method: The engine's method, one of ``neuralbo.methods()``.
        seed: Seed of the suggestions; random if ``None``.
        points_to_evaluate: Configurations to run first.
        **options: Options of the method.

    Example::

        from ray import tune
        from neuralbo.integrations.ray import NeuralBOSearch

        def train(config):
            return {"loss": (config["x"] - 2) ** 2}

        tuner = tune.Tuner(
            train,
            param_space={"x": tune.uniform(-5, 10)},
            tune_config=tune.TuneConfig(metric="loss", mode="min", search_alg=NeuralBOSearch(seed=7), num_samples=10),
        )
        print(tuner.fit().get_best_result().config)
    """

    def __init__(
        self,
        space: Optional[Mapping[str, Any]] = None,
        metric: Optional[str] = None,
        mode: Optional[str] = None,
        method: str = "neuralbo",
        seed: Optional[int] = None,
        points_to_evaluate: Optional[Sequence[Mapping[str, Any]]] = None,
        **options: Any,
    ) -> None:
        _check_objective(metric, mode)
        check_method(method, seed, options)
        super().__init__(metric=metric, mode=mode)
        self._method = method
        self._seed = seed
        self._options = dict(options)
        self._first: List[Mapping[str, Any]] = list(points_to_evaluate or [])
        self._space: Optional[RaySpace] = None
        self._optimizer: Optional[Optimizer] = None
        self._running: Dict[str, EnginePoint] = {}
        self._failed: Dict[str, EnginePoint] = {}
        if space is not None:
            self._space = RaySpace(space)
            self._start()

    def _start(self) -> None:
        """Builds the engine once both the space and the direction are known."""
        if self._space is None or self._mode is None or self._optimizer is not None:
            return
        if self._metric is None:  # pyright: ignore[reportUnnecessaryComparison] - the declared type of Ray is wrong
            self._metric = DEFAULT_METRIC
        for point in self._first:
            self._space.coding.encode(self._space.values(point))
        self._optimizer = self._space.coding.optimizer([f"value:{_DIRECTIONS[self._mode]}"], self._method, self._seed, self._options)

    def set_search_properties(self, metric: Optional[str], mode: Optional[str], config: Dict[str, Any], **spec: Any) -> bool:
        """Takes what the Tuner knows; false when both have a space, since one of them would be lost."""
        _check_objective(metric, mode)
        if self._space is not None and has_domains(config):
            return False
        self._metric = metric or self._metric
        self._mode = mode or self._mode
        if self._space is None:
            self._space = RaySpace(config)
        self._start()
        return True

    def suggest(self, trial_id: str) -> Optional[Dict[str, Any]]:
        """The configuration of a new trial; ``Searcher.FINISHED`` if a finite space is exhausted."""
        space, optimizer = self._ready()
        point = self._running.get(trial_id)
        if point is None:
            point = self._next(space, optimizer)
        if point is None:
            # Ray declares a dict here but accepts this string as the end.
            return cast("Dict[str, Any]", Searcher.FINISHED)
        self._running[trial_id] = point
        return space.config(space.coding.decode(point))

    def _next(self, space: RaySpace, optimizer: Optimizer) -> Optional[EnginePoint]:
        if not self._first:
            return ask_or_none(optimizer)
        point = space.coding.encode(space.values(self._first.pop(0)))
        optimizer.add_running(point)
        return point

    def _ready(self) -> Tuple[RaySpace, Optimizer]:
        if self._space is None:
            raise RuntimeError("NeuralBOSearch has no space; pass `space` to it or `param_space` to the Tuner")
        if self._optimizer is None:
            raise RuntimeError("NeuralBOSearch has no `mode`; pass \"min\" or \"max\" to it or to the TuneConfig")
        return self._space, self._optimizer

    def on_trial_result(self, trial_id: str, result: Dict[str, Any]) -> None:
        """Does nothing: the engine learns from the final result."""

    def on_trial_complete(self, trial_id: str, result: Optional[Dict[str, Any]] = None, error: bool = False) -> None:
        """Tells the engine how a trial ended."""
        _, optimizer = self._ready()
        value = None if error or not result else result.get(str(self._metric))
        point = self._running.pop(trial_id, None)
        if point is not None:
            optimizer.tell(point, value)
            if value is None:
                self._failed[trial_id] = point
        elif trial_id in self._failed and value is not None:
            # Ray runs failed trials again under the same id when an experiment is resumed.
            optimizer.add(self._failed.pop(trial_id), value)
        else:
            _logger.warning("NeuralBOSearch: trial %s is unknown or has ended before; its result is not used", trial_id)

    def add_evaluated_point(
        self,
        parameters: Dict[str, Any],
        value: Optional[float],
        error: bool = False,
        pruned: bool = False,
        intermediate_values: Optional[List[float]] = None,
    ) -> None:
        """Add a known result; a pruned one counts with its last intermediate value."""
        space, optimizer = self._ready()
        if pruned and intermediate_values:
            value = intermediate_values[-1]
        optimizer.add(space.coding.encode(space.values(parameters)), None if error else value)

    def __getstate__(self) -> Dict[str, Any]:
        state = self.__dict__.copy()
        state["_optimizer"] = None if self._optimizer is None else self._optimizer.state()
        return state

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        if state["_optimizer"] is not None:
            self._optimizer = Optimizer.from_state(state["_optimizer"])

    def save(self, checkpoint_path: str) -> None:
        """Save the state of the search, including running trials, to a file."""
        with open(checkpoint_path, "wb") as file:
            _pickle.dump({"version": _STATE_VERSION, "search": self.__getstate__()}, file)

    def restore(self, checkpoint_path: str) -> None:
        """Continue from a file written by :meth:`save`."""
        with open(checkpoint_path, "rb") as file:
            saved = _pickle.load(file)
        version = saved.get("version") if isinstance(saved, dict) else None
        if version != _STATE_VERSION:
            raise ValueError(f"{checkpoint_path}: state version {version!r} is not supported; it must be {_STATE_VERSION}")
        self.__setstate__(saved["search"])


def _check_objective(metric: Any, mode: Any) -> None:
    if isinstance(metric, (list, tuple)) or isinstance(mode, (list, tuple)):
        raise ValueError(
            f"NeuralBOSearch has one objective, because Ray Tune compares trials by one metric; found metric = {metric!r}, mode = {mode!r}. "
            "For several use a study of neuralbo.create_study(objectives=[...])"
        )
    if mode is not None and mode not in _DIRECTIONS:
        raise ValueError(f"mode = {mode!r} is not allowed; it must be \"min\" or \"max\"")
