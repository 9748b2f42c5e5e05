"""Early stopping: methods with and without it at the same total number of training steps.

A method's loss is the held-out loss at the last step of its best *complete* training; a training that the budget cuts off counts for
nothing. The split of the data and the randomness of the training follow from the seed, the same for all methods.
"""

import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from ..runs import FRACTIONS, Run
from ..space import Params
from .base import Task
from .trainings import STEPS, TRAININGS, Training


class Spent(Exception):
    """The budget is spent."""


@dataclass
class Meter:
    """Counts steps, and keeps what complete trainings came to: `(cost so far, loss)`."""

    budget: int
    cost: int = 0
    complete: list[tuple[int, float]] = field(default_factory=list)

    def step(self, training: Training) -> float:
        if self.cost >= self.budget:
            raise Spent
        self.cost += 1
        return training.step()

    def finish(self, loss: float) -> None:
        self.complete.append((self.cost, loss))

    def best(self, cost: float) -> float:
        return min((loss for at, loss in self.complete if at <= cost), default=math.inf)


@dataclass(frozen=True)
class Pruned(Task):
    """A training with early stopping; the trials of a run are full trainings that its steps would pay for."""

    begin: Callable[[Params, int], Training]

    @property
    def trials(self) -> int:
        return 30

    def methods(self) -> list[str]:
        return [name for name, (package, _) in METHODS.items() if find_spec(package)]

    def run(self, method: str, seed: int, trials: int) -> Run:
        meter, began = Meter(trials * STEPS), time.process_time()
        try:
            METHODS[method][1](self, seed, meter)
        except Spent:
            pass
        losses = {share: meter.best(share * meter.budget) for share in FRACTIONS}
        return Run(self.name, method, seed, trials, 1e3 * (time.process_time() - began) / trials, losses)


def _neuralbo(pruner: str | None, promote: bool = False) -> Callable[[Pruned, int, Meter], None]:
    def run(task: Pruned, seed: int, meter: Meter) -> None:
        import neuralbo

        from ..peers.neuralbo import domain

        domains = {param.name: domain(param) for param in task.space.params}
        with tempfile.TemporaryDirectory() as folder:
            given: dict[str, Any] = {"pruner": pruner} if pruner else {}
            study = neuralbo.create_study(space=domains, seed=seed, **given, **({"checkpoints": folder} if promote else {}))
            # What a checkpoint would hold, kept in memory: trainings by their checkpoint, and the steps they have done.
            kept: dict[str, tuple[Training, int]] = {}
            while True:
                trial = study.ask()
                place = trial.checkpoint if promote else None
                training, done = kept.pop(place, (None, 0))
                training = training or task.begin(trial.params, seed)
                for step in range(done + 1, STEPS + 1):
                    loss = meter.step(training)
                    if pruner:
                        trial.report(loss, step)
                        if step < STEPS and trial.should_prune():
                            kept.update({place: (training, step)} if place else {})
                            study.tell(trial, state="pruned")
                            break
                else:
                    study.tell(trial, loss)
                    meter.finish(loss)

    return run


def _optuna(pruner: str, **options: int) -> Callable[[Pruned, int, Meter], None]:
    def run(task: Pruned, seed: int, meter: Meter) -> None:
        import optuna

        from ..peers.optuna import suggest

        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed), pruner=getattr(optuna.pruners, pruner)(**options))
        while True:
            trial = study.ask()
            training = task.begin({param.name: suggest(trial, param) for param in task.space.params}, seed)
            for step in range(1, STEPS + 1):
                loss = meter.step(training)
                trial.report(loss, step)
                if step < STEPS and trial.should_prune():
                    study.tell(trial, state=optuna.trial.TrialState.PRUNED)
                    break
            else:
                study.tell(trial, loss)
                meter.finish(loss)

    return run


# One of three trainings goes on at steps 1, 3 and 9.
ASHA, HYPERBAND = (f"{name}:min=1,factor=3,max={STEPS}" for name in ("asha", "hyperband"))
# Name: the package it needs and the method.
METHODS = {
    "neuralbo": ("neuralbo", _neuralbo(None)),
    "neuralbo+asha": ("neuralbo", _neuralbo(ASHA)),
    "neuralbo+asha+promotion": ("neuralbo", _neuralbo(ASHA, promote=True)),
    "neuralbo+hyperband": ("neuralbo", _neuralbo(HYPERBAND)),
    "neuralbo+median": ("neuralbo", _neuralbo("median")),
    "neuralbo+asha, last value": ("neuralbo", _neuralbo(f"{ASHA},learn=last")),
    "neuralbo+hyperband, last value": ("neuralbo", _neuralbo(f"{HYPERBAND},learn=last")),
    "tpe": ("optuna", _optuna("NopPruner")),
    "tpe+asha": ("optuna", _optuna("SuccessiveHalvingPruner", min_resource=1, reduction_factor=3)),
    "tpe+hyperband": ("optuna", _optuna("HyperbandPruner", min_resource=1, max_resource=STEPS, reduction_factor=3)),
}


def get(name: str) -> Pruned:
    about, space, begin = TRAININGS[name]
    return Pruned(name, about, space, begin)
