#!/usr/bin/env python3
"""Time of one BoTorch suggestion (SingleTaskGP + LogEI, refit included) at n observations of Ackley-10, one thread."""

import math
import sys
import time

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
d = 10
for n in map(int, sys.argv[1:] or ["100", "500", "1000"]):
    torch.manual_seed(1)
    x = torch.rand(n, d)
    u = 65.536 * x - 32.768
    y = -(20 + math.e - 20 * torch.exp(-0.2 * u.pow(2).mean(1).sqrt()) - torch.exp(torch.cos(2 * math.pi * u).mean(1)))
    y = ((y - y.mean()) / y.std()).unsqueeze(1)
    start = time.process_time()
    model = SingleTaskGP(x, y)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    bounds = torch.stack([torch.zeros(d), torch.ones(d)])
    optimize_acqf(LogExpectedImprovement(model, y.max()), bounds=bounds, q=1, num_restarts=10, raw_samples=512)
    print(f"n = {n}: {time.process_time() - start:.3f} CPU s", flush=True)
