"""TuRBO-1 (Eriksson et al., "Scalable global optimization via local Bayesian optimization", 2019) in numpy, over the unit cube.

As in the paper: a Matérn-5/2 Gaussian process with a length scale per coordinate, its hyper-parameters within the paper's bounds by
50 steps of Adam on the evidence; candidates in a box around the point with the best posterior mean, its sides in the ratio of the
length scales; one Thompson sample per point of the batch; the box doubles after 3 successes, halves after max(4, d)/batch failures,
and once it is smaller than 2^-7 the search starts anew with other points. The first design is the known points, or the centre and
Sobol points, 2·d in all.

Shapes: n observations, d coordinates, m candidates, q points of a batch. theta: d + 2 logarithms of the length scales, the signal
variance and the noise variance.
"""

import math
from types import ModuleType

import numpy as np
import scipy.linalg
from scipy.spatial.distance import cdist
from scipy.stats import qmc

from ..space import Params
from .base import Outcome, Start

SIGNAL, NOISE, LENGTH = (0.05, 20.0), (5e-4, 0.2), (0.005, 2.0)
FIRST_SIDE, LAST_SIDE, LARGEST_SIDE = 0.8, 0.5**7, 1.6
SUCCESSES = 3
ADAM_STEPS, ADAM_RATE = 50, 0.1
JITTER = 1e-6


def library(x: np.ndarray) -> tuple[ModuleType, ModuleType]:
    """Arrays and linear algebra where `x` is: numpy and SciPy, or CuPy's on a GPU."""
    if isinstance(x, np.ndarray):
        return np, scipy.linalg
    import cupy
    import cupyx.scipy.linalg

    return cupy, cupyx.scipy.linalg


def scaled_distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """√5 times the distances of rows."""
    if isinstance(a, np.ndarray):
        return math.sqrt(5) * cdist(a, b)
    squares = (a * a).sum(-1)[:, None] + (b * b).sum(-1) - 2 * a @ b.T
    return (5 * squares.clip(0)) ** 0.5


def cho_solve(root: np.ndarray, b: np.ndarray) -> np.ndarray:
    solve_triangular = library(root)[1].solve_triangular
    return solve_triangular(root, solve_triangular(root, b, lower=True), lower=True, trans=1)


def matern(r: np.ndarray) -> np.ndarray:
    return (1 + r + r * r / 3) * library(r)[0].exp(-r)


class Process:
    """A Gaussian process with a Matérn-5/2 kernel and a constant mean, the best one by generalized least squares."""

    def __init__(self, x: np.ndarray, y: np.ndarray, theta: np.ndarray):
        np, _ = library(x)
        scales = np.exp(theta)
        self.length, self.signal, self.noise = scales[:-2], scales[-2], scales[-1]
        self.z = x / self.length
        self.r = scaled_distance(self.z, self.z)
        self.kernel = self.signal * matern(self.r)
        self.root = np.linalg.cholesky(self.kernel + self.noise * np.eye(len(y)))
        ones, ys = cho_solve(self.root, np.stack([np.ones(len(y)), y], -1)).T
        self.mean = ys.sum() / ones.sum()
        self.weights = ys - self.mean * ones
        self.fitted = y - self.noise * self.weights

    def slopes(self) -> np.ndarray:
        """The gradient of the logarithm of the evidence by theta."""
        np, _ = library(self.z)
        outer = np.outer(self.weights, self.weights) - cho_solve(self.root, np.eye(len(self.z)))
        # ∂k/∂log ℓᵢ = (5/3)·s²·(1 + r)·exp(−r)·(zᵢ − zᵢ′)²
        core = outer * (5 / 3 * self.signal) * (1 + self.r) * np.exp(-self.r)
        by_length = (self.z * (self.z * core.sum(-1, keepdims=True) - core @ self.z)).sum(0)
        return np.hstack([by_length, 0.5 * (outer * self.kernel).sum(), 0.5 * self.noise * outer.trace()])

    def samples(self, candidates: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
        """`count` draws from the joint posterior of the candidates: m × count."""
        np, linalg = library(self.z)
        c = np.asarray(candidates) / self.length
        cross = self.signal * matern(scaled_distance(self.z, c))
        reduced = linalg.solve_triangular(self.root, cross, lower=True)
        covariance = self.signal * matern(scaled_distance(c, c)) - reduced.T @ reduced
        covariance += JITTER * self.signal * np.eye(len(c))
        mean = self.mean + cross.T @ self.weights
        return mean[:, None] + np.linalg.cholesky(covariance) @ np.asarray(rng.standard_normal((len(c), count)))


def fitted_process(x: np.ndarray, y: np.ndarray) -> Process:
    """The hyper-parameters by Adam on the evidence, always from the same start, as in the paper's code."""
    np, _ = library(x)
    dim = x.shape[-1]
    ends = np.log(np.array([LENGTH] * dim + [SIGNAL, NOISE]))
    theta = np.log(np.array([0.5] * dim + [1.0, 0.005]))
    first, second = np.zeros_like(theta), np.zeros_like(theta)
    for step in range(1, ADAM_STEPS + 1):
        # Per observation, so that the guard against division by zero is small beside the gradient.
        slope = Process(x, y, theta).slopes() / len(y)
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope * slope
        rise = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        theta = np.clip(theta + ADAM_RATE * rise, ends[:, 0], ends[:, 1])
    return Process(x, y, theta)


class Turbo:
    """`observed` = 1: the box is around the best observation, as without noise, instead of the best posterior mean. `gpu` = 1: the
    matrices are on a GPU (with CuPy)."""

    def __init__(self, start: Start, batch: int = 1, observed: int = 0, gpu: int = 0):
        self._start, self._batch, self._observed, self._gpu = start, batch, bool(observed), bool(gpu)
        self._dim = start.dimension
        self._rng = np.random.default_rng(start.seed)
        self._size = max(len(start.known), 2 * self._dim)
        self._net = self._sobol(min(100 * self._dim, 5000))
        self._patience = math.ceil(max(4, self._dim) / batch)
        design = self._sobol(self._size)
        if start.centred:
            design[0] = 0.5
        self._begin(design)
        if start.known:
            self._queue = []
            self._add([start.space.places(params) for params, _ in start.known], [outcome.values[0] for _, outcome in start.known])

    def ask(self) -> Params:
        if not self._queue:
            self._queue = list(self._chosen())
        self._asked.append(self._queue.pop(0))
        return self._start.space.at(self._asked[-1])

    def tell(self, params: Params, outcome: Outcome) -> None:
        self._values.append(outcome.values[0])
        if self._queue:
            return
        points, values, self._asked, self._values = self._asked, self._values, [], []
        if len(self._y):
            self._resize(min(values) < self._y.min() - 1e-3 * abs(self._y.min()))
        self._add(points, values)
        if self._side < LAST_SIDE:
            self._begin(self._sobol(self._size))

    def _sobol(self, count: int) -> np.ndarray:
        return qmc.Sobol(self._dim, rng=self._rng).random_base2(math.ceil(math.log2(max(2, count))))[:count]

    def _begin(self, design: np.ndarray) -> None:
        self._x, self._y, self._queue = np.empty((0, self._dim)), np.empty(0), list(design)
        self._side, self._successes, self._failures = FIRST_SIDE, 0, 0
        self._asked: list[np.ndarray] = []
        self._values: list[float] = []

    def _add(self, points: list, values: list[float]) -> None:
        self._x, self._y = np.vstack([self._x, points]), np.append(self._y, values)

    def _resize(self, success: bool) -> None:
        self._successes, self._failures = (self._successes + 1, 0) if success else (0, self._failures + 1)
        if self._successes == SUCCESSES:
            self._side, self._successes = min(2 * self._side, LARGEST_SIDE), 0
        elif self._failures == self._patience:
            self._side, self._failures = self._side / 2, 0

    def _chosen(self) -> np.ndarray:
        spread = self._y.std()
        standard = (self._y - np.median(self._y)) / (spread if spread > 0 else 1.0)
        process = fitted_process(*map(self._placed, (self._x, standard)))
        fitted, length = map(self._back, (process.fitted, process.length))
        candidates = self._candidates(fitted, length)
        values = self._back(process.samples(candidates, self._batch, self._rng))
        picked = []
        for sample in range(self._batch):
            # A candidate is chosen only once.
            values[picked, sample] = np.inf
            picked.append(int(values[:, sample].argmin()))
        return candidates[picked]

    def _placed(self, x: np.ndarray) -> np.ndarray:
        if not self._gpu:
            return x
        import cupy

        return cupy.asarray(x)

    def _back(self, x: np.ndarray) -> np.ndarray:
        return x if isinstance(x, np.ndarray) else x.get()

    def _candidates(self, fitted: np.ndarray, length: np.ndarray) -> np.ndarray:
        """Sobol points of the box; in many dimensions a candidate leaves the centre in about 20 coordinates only."""
        centre = self._x[(self._y if self._observed else fitted).argmin()]
        reach = 0.5 * self._side * length / np.exp(np.log(length).mean())
        low, high = np.clip(centre - reach, 0, 1), np.clip(centre + reach, 0, 1)
        net = (self._net + self._rng.random(self._dim)) % 1
        moved = self._rng.random(net.shape) <= min(1.0, 20 / self._dim)
        still = ~moved.any(-1)
        moved[still, self._rng.integers(self._dim, size=still.sum())] = True
        return np.where(moved, low + (high - low) * net, centre)
