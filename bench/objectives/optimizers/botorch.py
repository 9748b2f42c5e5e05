"""BoTorch's qLogNoisyExpectedHypervolumeImprovement, as its tutorial of several objectives has it.

One Gaussian process per objective on standardized values, 2(d + 1) initial Sobol points of which the first is the centre, 128 Sobol
samples of the posterior, one point at a time. To fit into minutes, the acquisition starts from 4 of 128 points (the tutorial: 10 of 512)
and takes at most 100 steps from each (the tutorial: 200). The reference point is inferred from the front by BoTorch's own rule.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import torch
from botorch import fit_gpytorch_mll
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.exceptions import BotorchWarning
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from botorch.utils.multi_objective.hypervolume import infer_reference_point
from botorch.utils.multi_objective.pareto import is_non_dominated
from gpytorch.mlls import SumMarginalLogLikelihood

from ...hpo.space import Params
from .base import Task, from_cube

SAMPLES, RESTARTS, RAW, STEPS = 128, 4, 128, 100


class QLogNehvi:
    def __init__(self, task: Task):
        torch.set_num_threads(1)
        torch.manual_seed(task.seed)
        self._task = task
        count = task.initial or 2 * (task.dimension + 1)
        points = torch.quasirandom.SobolEngine(task.dimension, scramble=True, seed=task.seed).draw(count, dtype=torch.double)
        points[0] = 0.5
        self._initial = points
        self._asked = torch.empty(0, task.dimension, dtype=torch.double)
        # BoTorch maximizes.
        self._rewards = torch.empty(0, task.objectives, dtype=torch.double)

    def ask(self) -> Params:
        trial = len(self._rewards)
        point = self._initial[trial : trial + 1] if trial < len(self._initial) else self._choose()
        self._asked = torch.cat([self._asked[:trial], point])
        return from_cube(self._task.space, point[0].tolist())

    def tell(self, params: Params, values: Sequence[float]) -> None:
        self._rewards = torch.cat([self._rewards, -torch.tensor([list(values)], dtype=torch.double)])

    def _choose(self) -> torch.Tensor:
        bounds = torch.stack([torch.zeros(self._task.dimension), torch.ones(self._task.dimension)]).double()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BotorchWarning)
            warnings.simplefilter("ignore", RuntimeWarning)
            point, _ = optimize_acqf(
                self._acquisition(),
                bounds=bounds,
                q=1,
                num_restarts=RESTARTS,
                raw_samples=RAW,
                options={"batch_limit": RESTARTS, "maxiter": STEPS},
                sequential=True,
            )
        return point.detach()

    def _acquisition(self) -> qLogNoisyExpectedHypervolumeImprovement:
        front = self._rewards[is_non_dominated(self._rewards)]
        sampler = SobolQMCNormalSampler(sample_shape=torch.Size([SAMPLES]), seed=self._task.seed)
        return qLogNoisyExpectedHypervolumeImprovement(
            model=self._model(),
            ref_point=infer_reference_point(front).tolist(),
            X_baseline=self._asked,
            prune_baseline=True,
            sampler=sampler,
        )

    def _model(self) -> ModelListGP:
        models = [
            SingleTaskGP(self._asked, self._rewards[:, k : k + 1], outcome_transform=Standardize(m=1)) for k in range(self._task.objectives)
        ]
        model = ModelListGP(*models)
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        return model
