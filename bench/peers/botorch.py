"""BoTorch: qLogNoisyExpectedImprovement for one objective, qLogNoisyExpectedHypervolumeImprovement for several.

One Gaussian process per objective on standardized values, 2(d + 1) initial Sobol points unless points are known, 128 Sobol samples
of the posterior, one point at a time. To fit into minutes, the acquisition starts from 4 of 128 points (BoTorch's tutorial: 10 of
512) and takes at most 100 steps from each (the tutorial: 200). The reference point is inferred from the front by BoTorch's rule.
"""

import warnings

import torch
from botorch import fit_gpytorch_mll
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.exceptions import BotorchWarning
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from botorch.utils.multi_objective.hypervolume import infer_reference_point
from botorch.utils.multi_objective.pareto import is_non_dominated
from gpytorch.mlls import ExactMarginalLogLikelihood, SumMarginalLogLikelihood

from ..space import Params
from .base import Outcome, Start

SAMPLES, RESTARTS, RAW, STEPS = 128, 4, 128, 100


class Botorch:
    def __init__(self, start: Start):
        torch.set_num_threads(1)
        torch.manual_seed(start.seed)
        self._start = start
        count = 0 if start.known else 2 * (start.dimension + 1)
        self._initial = torch.quasirandom.SobolEngine(start.dimension, scramble=True, seed=start.seed).draw(count, dtype=torch.double)
        if count and start.centred:
            self._initial[0] = 0.5
        self._points = torch.empty(0, start.dimension, dtype=torch.double)
        # BoTorch maximizes.
        self._rewards = torch.empty(0, start.objectives, dtype=torch.double)
        for params, outcome in start.known:
            self._points = torch.cat([self._points, torch.tensor([start.space.places(params)], dtype=torch.double)])
            self.tell(params, outcome)

    def ask(self) -> Params:
        trial = len(self._rewards)
        point = self._initial[trial : trial + 1] if trial < len(self._initial) else self._choose()
        self._points = torch.cat([self._points[:trial], point])
        return self._start.space.at(point[0].tolist())

    def tell(self, params: Params, outcome: Outcome) -> None:
        self._rewards = torch.cat([self._rewards, -torch.tensor([list(outcome.values)], dtype=torch.double)])

    def _choose(self) -> torch.Tensor:
        bounds = torch.stack([torch.zeros(self._start.dimension), torch.ones(self._start.dimension)]).double()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BotorchWarning)
            warnings.simplefilter("ignore", RuntimeWarning)
            options = {"batch_limit": RESTARTS, "maxiter": STEPS}
            point, _ = optimize_acqf(self._acquisition(), bounds=bounds, q=1, num_restarts=RESTARTS, raw_samples=RAW, options=options)
        return point.detach()

    def _acquisition(self) -> torch.nn.Module:
        sampler = SobolQMCNormalSampler(sample_shape=torch.Size([SAMPLES]), seed=self._start.seed)
        if self._start.objectives == 1:
            model = SingleTaskGP(self._points, self._rewards, outcome_transform=Standardize(m=1))
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            return qLogNoisyExpectedImprovement(model, self._points, sampler=sampler, prune_baseline=True)
        columns = [self._rewards[:, k : k + 1] for k in range(self._start.objectives)]
        model = ModelListGP(*(SingleTaskGP(self._points, column, outcome_transform=Standardize(m=1)) for column in columns))
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        front = self._rewards[is_non_dominated(self._rewards)]
        reference = infer_reference_point(front).tolist()
        return qLogNoisyExpectedHypervolumeImprovement(
            model=model, ref_point=reference, X_baseline=self._points, prune_baseline=True, sampler=sampler
        )
