"""Optimizers with and without early stopping. Each drives trainings until the budget of steps is spent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .tasks import STEPS, Task, Training


class Spent(Exception):
    """The budget is spent."""


@dataclass
class Meter:
    """Counts steps, and what the complete trainings came to: `(cost so far, loss)`."""

    budget: int
    cost: int = 0
    complete: list[tuple[int, float]] = field(default_factory=list)
    trials: int = 0

    def step(self, training: Training) -> float:
        if self.cost >= self.budget:
            raise Spent
        self.cost += 1
        return training.step()

    def best(self, cost: int) -> float:
        return min((loss for at, loss in self.complete if at <= cost), default=float("nan"))


Method = Callable[[Task, int, Meter], None]


def _neuralbo(pruner: str | None, promote: bool = False) -> Method:
    def run(task: Task, seed: int, meter: Meter) -> None:
        import tempfile

        import neuralbo

        domains = {
            name: neuralbo.Categorical(spec[1])
            if spec[0] == "choice"
            else (neuralbo.Int if spec[0] == "int" else neuralbo.Float)(spec[1], spec[2], log=spec[3])
            for name, spec in task.space.items()
        }
        with tempfile.TemporaryDirectory() as folder:
            given = {"checkpoints": folder} if promote else {}
            study = neuralbo.create_study(space=domains, seed=seed, **({} if pruner is None else {"pruner": pruner}), **given)
            # What a checkpoint would hold, kept in memory: trainings by their checkpoint, and the steps they have done.
            kept: dict[str, tuple[Training, int]] = {}
            while True:
                trial = study.ask()
                meter.trials += 1
                place = trial.checkpoint if promote else None
                training, done = kept.pop(place, (None, 0)) if place else (None, 0)
                training = training or task.begin(trial.params, seed)
                for step in range(done + 1, STEPS + 1):
                    loss = meter.step(training)
                    if pruner is not None:
                        trial.report(loss, step)
                        if step < STEPS and trial.should_prune():
                            if place:
                                kept[place] = (training, step)
                            study.tell(trial, state="pruned")
                            break
                else:
                    study.tell(trial, loss)
                    meter.complete.append((meter.cost, loss))

    return run


def _optuna(pruner: str) -> Method:
    def run(task: Task, seed: int, meter: Meter) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        pruners = {
            "none": optuna.pruners.NopPruner,
            "hyperband": lambda: optuna.pruners.HyperbandPruner(min_resource=1, max_resource=STEPS, reduction_factor=3),
            "asha": lambda: optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=3),
        }
        sampler = optuna.samplers.TPESampler(seed=seed)
        study = optuna.create_study(sampler=sampler, pruner=pruners[pruner]())

        def value(trial: optuna.Trial, name: str) -> object:
            spec = task.space[name]
            if spec[0] == "choice":
                return trial.suggest_categorical(name, spec[1])
            return (trial.suggest_int if spec[0] == "int" else trial.suggest_float)(name, spec[1], spec[2], log=spec[3])

        while True:
            trial = study.ask()
            meter.trials += 1
            training = task.begin({name: value(trial, name) for name in task.space}, seed)
            for step in range(1, STEPS + 1):
                loss = meter.step(training)
                trial.report(loss, step)
                if step < STEPS and trial.should_prune():
                    study.tell(trial, state=optuna.trial.TrialState.PRUNED)
                    break
            else:
                study.tell(trial, loss)
                meter.complete.append((meter.cost, loss))

    return run


ASHA = f"asha:min=1,factor=3,max={STEPS}"
HYPERBAND = f"hyperband:min=1,factor=3,max={STEPS}"

METHODS: dict[str, Method] = {
    "neuralbo": _neuralbo(None),
    "neuralbo+asha": _neuralbo(ASHA),
    "neuralbo+asha+promotion": _neuralbo(ASHA, promote=True),
    "neuralbo+hyperband": _neuralbo(HYPERBAND),
    "neuralbo+median": _neuralbo("median"),
    "neuralbo+asha, last value": _neuralbo(ASHA + ",learn=last"),
    "neuralbo+hyperband, last value": _neuralbo(HYPERBAND + ",learn=last"),
    "tpe": _optuna("none"),
    "tpe+asha": _optuna("asha"),
    "tpe+hyperband": _optuna("hyperband"),
}
