"""TuRBO-1 and BoTorch's qLogNEI for many runs of the same dimension at once, on the GPU where there is one.

Both minimize over the unit cube and are driven by `lockstep`. All runs share the linear algebra of a round (batched matrices), not
their data: a run gets what it would get alone, up to rounding and the draws of the generator, which the group shares.

TuRBO-1 (Eriksson et al., "Scalable global optimization via local Bayesian optimization", 2019) follows the paper: a Matérn-5/2
Gaussian process with a length scale for each coordinate, its hyper-parameters within the paper's bounds by 50 steps of Adam on the
evidence; candidates in a box around the point with the best posterior mean, its sides in the ratio of the length scales; one
Thompson sample for each point of the batch; the box doubles after 3 successes, halves after max(4, d)/batch failures, and once it is
smaller than 2^-7 the run starts anew with other points.

qLogNEI is BoTorch's SingleTaskGP and qLogNoisyExpectedImprovement as they are; the hyper-parameters begin where the last fit
ended, so that 30 iterations of L-BFGS-B are enough for one more observation.

Shapes: b runs, n observations, d coordinates, m candidates, q points of a batch.
"""

import math

import numpy as np
import torch

SIGNAL, NOISE, LENGTH = (0.05, 20.0), (5e-4, 0.2), (0.005, 2.0)
FIRST_SIDE, LAST_SIDE, LARGEST_SIDE = 0.8, 0.5**7, 1.6
SUCCESSES = 3
ADAM_STEPS, ADAM_RATE = 50, 0.1
# Up to here the library's factorization is quicker than splitting the matrix.
BLOCK = 256
# Bytes that one m × m covariance of all runs may take.
MEMORY = 3.1e9
JITTER = 1e-6


def best_device():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def lockstep(optimizer, objectives):
    """Asks for all runs at once until no objective has evaluations left (`left` of it)."""
    active = list(range(len(objectives)))
    while active:
        for run, points in zip(active, optimizer.ask(active)):
            points = points[: objectives[run].left]
            optimizer.tell(run, points, np.array([objectives[run](x) for x in points]))
        active = [run for run in active if objectives[run].left]


def sobol(points, dim, seed):
    return torch.quasirandom.SobolEngine(dim, scramble=True, seed=seed % 2**31).draw(points, dtype=torch.float64).numpy()


def centred_design(points, dim, seed):
    """The centre and scrambled Sobol points."""
    return np.vstack([np.full(dim, 0.5), sobol(points - 1, dim, seed)])


def factor(a, inverse=True):
    """Lower Cholesky factors and their inverses, by halves: nearly all of it is matrix products, which batches do well."""
    n = a.shape[-1]
    if n <= BLOCK:
        lower, _ = torch.linalg.cholesky_ex(a)
        eye = torch.eye(n, dtype=a.dtype, device=a.device).expand_as(a)
        return lower, torch.linalg.solve_triangular(lower, eye, upper=False) if inverse else None
    half = n // 2
    upper_left, its_inverse = factor(a[:, :half, :half])
    below = a[:, half:, :half] @ its_inverse.mT
    lower_right, other_inverse = factor(a[:, half:, half:] - below @ below.mT, inverse)
    whole = a.new_zeros(a.shape)
    whole[:, :half, :half], whole[:, half:, :half], whole[:, half:, half:] = upper_left, below, lower_right
    if not inverse:
        return whole, None
    inverted = a.new_zeros(a.shape)
    inverted[:, :half, :half], inverted[:, half:, half:] = its_inverse, other_inverse
    inverted[:, half:, :half] = -other_inverse @ (below @ its_inverse)
    return whole, inverted


def scaled_distance(a, b):
    """√5 times the distances of rows."""
    squares = (a * a).sum(-1)[:, :, None] + (b * b).sum(-1)[:, None, :] - 2 * a @ b.mT
    return (5 * squares.clamp_min(0)).sqrt()


def matern(r):
    return (1 + r + r * r / 3) * torch.exp(-r)


class Process:
    """Gaussian processes with a Matérn-5/2 kernel and a constant mean (the best one by generalized least squares).

    x: b × n × d, y and mask: b × n; an observation counts where the mask is 1. theta: b × (d + 2), logarithms of the length scales,
    the signal variance and the noise variance.
    """

    def __init__(self, x, y, mask, theta):
        self.mask, dim = mask, x.shape[-1]
        scales = theta.exp()
        self.length, self.signal, self.noise = scales[:, :dim], scales[:, dim, None, None], scales[:, dim + 1, None]
        self.z = x / self.length[:, None, :]
        self.r = scaled_distance(self.z, self.z)
        self.pairs = mask[:, :, None] * mask[:, None, :]
        self.kernel = self.signal * matern(self.r) * self.pairs
        # A row that does not count is one of the identity.
        lower, self.inverse_root = factor(self.kernel + torch.diag_embed(self.noise * mask + 1 - mask))
        self.inverse = self.inverse_root.mT @ self.inverse_root
        ones, ys = (self.inverse @ torch.stack([mask, y * mask], -1)).unbind(-1)
        self.mean = ((ys * mask).sum(-1) / (ones * mask).sum(-1))[:, None]
        self.weights = ys - self.mean * ones
        residual = (y - self.mean) * mask
        self.evidence = -0.5 * (residual * self.weights).sum(-1) - lower.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        self.observed = torch.where(mask > 0, y, torch.inf)
        self.fitted = self.observed - self.noise * self.weights

    def slopes(self):
        """The gradient of the logarithm of the evidence by theta."""
        outer = (self.weights[:, :, None] * self.weights[:, None, :] - self.inverse) * self.pairs
        by_signal = 0.5 * (outer * self.kernel).sum((-2, -1))
        by_noise = 0.5 * (outer.diagonal(dim1=-2, dim2=-1) * self.noise).sum(-1)
        # ∂k/∂log ℓᵢ = (5/3)·s²·(1 + r)·exp(−r)·(zᵢ − zᵢ′)²
        core = outer * (5 / 3 * self.signal) * (1 + self.r) * torch.exp(-self.r)
        by_length = (self.z * (self.z * core.sum(-1, keepdim=True) - core @ self.z)).sum(-2)
        return torch.cat([by_length, by_signal[:, None], by_noise[:, None]], -1)

    def samples(self, candidates, count, generator):
        """`count` draws from the joint posterior of the candidates: b × m × count."""
        c = candidates / self.length[:, None, :]
        cross = self.signal * matern(scaled_distance(self.z, c)) * self.mask[:, :, None]
        mean = self.mean + (cross * self.weights[:, :, None]).sum(-2)
        reduced = self.inverse_root @ cross
        covariance = self.signal * matern(scaled_distance(c, c)) - reduced.mT @ reduced
        covariance.diagonal(dim1=-2, dim2=-1).add_(JITTER * self.signal[:, 0])
        normal = torch.randn(*mean.shape, count, dtype=c.dtype, device=c.device, generator=generator)
        return mean[:, :, None] + factor(covariance, inverse=False)[0] @ normal


def fitted_process(x, y, mask):
    """The hyper-parameters by Adam on the evidence, always from the same start, as in the paper's code."""
    dim = x.shape[-1]
    ends = torch.tensor([LENGTH] * dim + [SIGNAL, NOISE], dtype=x.dtype, device=x.device).log()
    start = torch.tensor([0.5] * dim + [1.0, 0.005], dtype=x.dtype, device=x.device).log()
    theta = start.repeat(len(x), 1)
    first, second = torch.zeros_like(theta), torch.zeros_like(theta)
    for step in range(1, ADAM_STEPS + 1):
        # Per observation, as Adam's steps shall not depend on the size of the gradient but for its rounding guard.
        slope = Process(x, y, mask, theta).slopes() / mask.sum(-1, keepdim=True)
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope * slope
        rise = first / (1 - 0.9**step) / ((second / (1 - 0.999**step)).sqrt() + 1e-8)
        theta = torch.clamp(theta + ADAM_RATE * rise, ends[:, 0], ends[:, 1])
    return Process(x, y, mask, theta)


class Region:
    """The trust region of one run."""

    def __init__(self, design, seed, batch):
        self.dim, self.batch, self.seed, self.size = design.shape[1], batch, seed, len(design)
        self.patience = math.ceil(max(4, self.dim) / batch)
        self.begin(design)

    def begin(self, design):
        self.x, self.y, self.queue = np.empty((0, self.dim)), np.empty(0), design
        self.side, self.successes, self.failures = FIRST_SIDE, 0, 0

    def tell(self, points, values):
        designed, self.queue = self.queue is not None, None
        if not designed:
            self.resize(values.min() < self.y.min() - 1e-3 * abs(self.y.min()))
        self.x, self.y = np.vstack([self.x, points]), np.append(self.y, values)
        if self.side < LAST_SIDE:
            self.seed += 1_000_003
            self.begin(sobol(self.size, self.dim, self.seed))

    def resize(self, success):
        self.successes, self.failures = (self.successes + 1, 0) if success else (0, self.failures + 1)
        if self.successes == SUCCESSES:
            self.side, self.successes = min(2 * self.side, LARGEST_SIDE), 0
        elif self.failures == self.patience:
            self.side, self.failures = self.side / 2, 0

    def standardized(self):
        spread = self.y.std()
        return (self.y - np.median(self.y)) / (spread if spread > 0 else 1.0)


class Turbo:
    """TuRBO-1; each run begins with its design (points of the unit cube).

    `observed`: the box is around the best observation, as without noise, instead of the best posterior mean.
    """

    def __init__(self, designs, seeds, batch, observed=False, device=None):
        self.device = device or best_device()
        self.batch, self.observed, self.dim = batch, observed, designs[0].shape[1]
        self.regions = [Region(design, seed, batch) for design, seed in zip(designs, seeds)]
        self.generator = torch.Generator(self.device).manual_seed(seeds[0])
        points = min(100 * self.dim, 5000)
        self.net = torch.tensor(sobol(points, self.dim, seeds[0]), device=self.device)

    def ask(self, runs):
        regions = [self.regions[run] for run in runs]
        waiting = [region for region in regions if region.queue is None]
        group = max(1, int(MEMORY / (8 * len(self.net) ** 2)))
        chosen = (points for first in range(0, len(waiting), group) for points in self.chosen(waiting[first : first + group]))
        return [next(chosen) if region.queue is None else region.queue for region in regions]

    def tell(self, run, points, values):
        self.regions[run].tell(points, values)

    @torch.no_grad()
    def chosen(self, regions):
        process, x = self.process(regions)
        candidates = self.candidates(process, x, [region.side for region in regions])
        values = process.samples(candidates, self.batch, self.generator)
        picked = []
        for sample in range(self.batch):
            best = values[:, :, sample].argmin(-1)
            # A candidate is chosen once only.
            values.scatter_(1, best[:, None, None].expand(-1, 1, self.batch), torch.inf)
            picked.append(torch.take_along_dim(candidates, best[:, None, None], 1))
        return torch.cat(picked, 1).cpu().numpy()

    def process(self, regions):
        """Models of the regions' data, filled up to the same number of observations."""
        most = max(len(region.y) for region in regions)
        x, y, mask = np.zeros((len(regions), most, self.dim)), np.zeros((len(regions), most)), np.zeros((len(regions), most))
        for i, region in enumerate(regions):
            count = len(region.y)
            x[i, :count], y[i, :count], mask[i, :count] = region.x, region.standardized(), 1
        x, y, mask = (torch.tensor(a, device=self.device) for a in (x, y, mask))
        return fitted_process(x, y, mask), x

    def candidates(self, process, x, sides):
        """Sobol points of the boxes; in many dimensions a candidate leaves the centre in about 20 coordinates only."""
        best = (process.observed if self.observed else process.fitted).argmin(-1)
        centre = torch.take_along_dim(x, best[:, None, None], 1)
        ratio = process.length / process.length.log().mean(-1, keepdim=True).exp()
        reach = 0.5 * torch.tensor(sides, dtype=x.dtype, device=self.device)[:, None, None] * ratio[:, None, :]
        low, high = (centre - reach).clamp(0, 1), (centre + reach).clamp(0, 1)
        shape = (len(x), *self.net.shape)
        draw = lambda *size: torch.rand(*size, dtype=x.dtype, device=self.device, generator=self.generator)
        # The same net for all, moved by a random vector.
        net = (self.net + draw(len(x), 1, self.dim)) % 1
        moved = draw(*shape) <= min(1.0, 20 / self.dim)
        one = torch.randint(self.dim, (*shape[:2], 1), device=self.device, generator=self.generator)
        moved |= torch.zeros_like(moved).scatter_(-1, one, True) & ~moved.any(-1, keepdim=True)
        return torch.where(moved, low + (high - low) * net, centre)


class LogNei:
    """BoTorch's SingleTaskGP and qLogNoisyExpectedImprovement; all designs have the same number of points."""

    SAMPLES, RAW, RAW_AT_ONCE, RESTARTS = 128, 64, 8, 4
    # The first fit, later ones, and the acquisition.
    FIRST_FIT, FIT, ITERATIONS = 200, 30, 50

    def __init__(self, designs, seeds, batch, device=None):
        self.device = device or best_device()
        self.batch, self.designs, self.seed = batch, designs, seeds[0]
        self.x = [np.empty((0, designs[0].shape[1])) for _ in designs]
        self.y = [np.empty(0) for _ in designs]
        self.parameters = None

    def ask(self, runs):
        if not len(self.y[0]):
            return [self.designs[run] for run in runs]
        x = torch.tensor(np.stack(self.x), device=self.device)
        y = torch.tensor(-np.stack(self.y)[:, :, None], device=self.device)
        points = self.suggested(x, y)
        return [points[run] for run in runs]

    def tell(self, run, points, values):
        self.x[run], self.y[run] = np.vstack([self.x[run], points]), np.append(self.y[run], values)

    def suggested(self, x, y):
        from botorch.acquisition.logei import qLogNoisyExpectedImprovement
        from botorch.models import SingleTaskGP
        from botorch.sampling import SobolQMCNormalSampler

        model = SingleTaskGP(x, y)
        self.fit(model)
        self.seed += 1
        sampler = SobolQMCNormalSampler(torch.Size([self.SAMPLES]), seed=self.seed % 2**31)
        acquisition = qLogNoisyExpectedImprovement(model, x, sampler=sampler, prune_baseline=False)
        return self.maximized(acquisition, self.starts(acquisition, x, y))

    def fit(self, model):
        """Maximizes the posterior of each run's hyper-parameters, from where the last fit ended."""
        from gpytorch.mlls import ExactMarginalLogLikelihood

        mll = ExactMarginalLogLikelihood(model.likelihood, model)
        mll.train()
        parameters, low = zip(*((p, bound(c)) for _, p, c in model.named_parameters_and_constraints()))
        runs, sizes = len(self.y), [p.numel() // len(self.y) for p in parameters]

        def put(flat):
            for p, part in zip(parameters, torch.tensor(flat, device=self.device).split(sizes, -1)):
                p.data.copy_(part.reshape(p.shape))

        def loss(flat):
            put(flat)
            model.zero_grad()
            losses = -mll(model(*model.train_inputs), model.train_targets)
            losses.sum().backward()
            return losses.detach(), torch.cat([p.grad.reshape(runs, -1) for p in parameters], -1)

        first = self.parameters is None
        if first:
            self.parameters = torch.cat([p.data.reshape(runs, -1) for p in parameters], -1).cpu().numpy()
        bounds = [(limit, math.inf) for limit, size in zip(low, sizes) for _ in range(size)]
        self.parameters = minimized(loss, self.parameters, bounds, self.FIRST_FIT if first else self.FIT)
        put(self.parameters)
        mll.eval()

    @torch.no_grad()
    def starts(self, acquisition, x, y):
        """The best of Sobol points and of points near each run's best observation: restarts × b × q × d."""
        shape = (self.RAW, self.batch, x.shape[-1])
        net = torch.tensor(sobol(self.RAW * self.batch, x.shape[-1], self.seed).reshape(shape), device=self.device)
        raw = net[:, None].repeat(1, len(x), 1, 1)
        best = torch.take_along_dim(x, y.argmax(-2, keepdim=True), -2)
        near = raw[: self.RAW // 4]
        raw[: self.RAW // 4] = (best + 0.1 * (near - 0.5)).clamp(0, 1)
        values = torch.cat([acquisition(part) for part in raw.split(self.RAW_AT_ONCE)])
        top = values.topk(self.RESTARTS, 0).indices
        return torch.take_along_dim(raw, top[:, :, None, None], 0)

    def maximized(self, acquisition, starts):
        """The best local maximum of each run: b × q × d."""

        def loss(flat):
            x = torch.tensor(flat.reshape(starts.shape), device=self.device, requires_grad=True)
            values = acquisition(x)
            (slopes,) = torch.autograd.grad(values.sum(), x)
            return -values.detach().reshape(-1), -slopes.reshape(flat.shape)

        flat = starts.reshape(starts.shape[0] * starts.shape[1], -1).cpu().numpy()
        found = minimized(loss, flat, [(0.0, 1.0)] * flat.shape[1], self.ITERATIONS)
        with torch.no_grad():
            points = torch.tensor(found.reshape(starts.shape), device=self.device)
            best = acquisition(points).argmax(0)
        return torch.take_along_dim(points, best[None, :, None, None], 0)[0].cpu().numpy()


def bound(constraint):
    return -math.inf if constraint is None else float(constraint.lower_bound)


def minimized(loss, starts, bounds, iterations):
    """L-BFGS-B from each row of `starts` by itself; `loss` takes all rows and gives their values and slopes."""
    from botorch.optim.batched_lbfgs_b import fmin_l_bfgs_b_batched

    rows = starts.copy()

    def some(x, batch_indices):
        rows[batch_indices] = x
        values, slopes = (part.cpu().numpy() for part in loss(rows))
        return values[batch_indices], slopes[batch_indices]

    return fmin_l_bfgs_b_batched(some, starts, bounds=bounds, maxiter=iterations, pass_batch_indices=True)[0]
