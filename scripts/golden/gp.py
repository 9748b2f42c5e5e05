"""Golden values of the Gaussian process, from scikit-learn.

    pip install scikit-learn==1.9.1
    python scripts/golden/gp.py > crates/neuralbo/src/surrogate/gp/tests/golden.json

`fixed`: mean, standard deviation of the noise-free function and log marginal likelihood at given hyper-parameters.
`fitted`: the log marginal likelihood that maximum likelihood with five restarts reaches on standardized values, within the
bounds of `gp/hyper.rs`.
"""

import json
import warnings

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel

LENGTH_SCALE = (5e-3, 1e3)
AMPLITUDE = (1e-3, 1e3)
NOISE = (1e-6, 1e1)


def stationary(name, scales, bounds="fixed"):
    scales = scales[0] if len(scales) == 1 else scales
    if name == "squared-exponential":
        return RBF(scales, bounds)
    return Matern(scales, bounds, nu=2.5)


def function(rows, rng, noise):
    dim = rows.shape[1]
    weights = rng.uniform(0.3, 2.0, dim)
    value = np.sin(3.0 * rows @ weights) + ((rows - 0.2) ** 2) @ weights
    return value + noise * rng.standard_normal(len(rows))


def draw(seed, size, dim, noise):
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-1, 1, (size, dim)).round(4)
    return rows, function(rows, rng, noise).round(6)


def fixed(kernel, scales, amplitude, noise, mean, size, dim, seed):
    rows, values = draw(seed, size, dim, 0.1)
    at = np.random.default_rng(seed + 1).uniform(-1, 1, (6, dim)).round(4)
    covariance = ConstantKernel(amplitude, "fixed") * stationary(kernel, scales)
    model = GaussianProcessRegressor(covariance, alpha=noise, optimizer=None).fit(rows, values - mean)
    predicted, sd = model.predict(at, return_std=True)
    return {
        "kernel": kernel,
        "hyper": {"length_scales": scales, "amplitude": amplitude, "noise": noise, "mean": mean},
        "rows": rows.tolist(),
        "values": values.tolist(),
        "at": at.tolist(),
        "mean": (predicted + mean).tolist(),
        "sd": sd.tolist(),
        "log_likelihood": float(model.log_marginal_likelihood_value_),
    }


def fitted(kernel, ard, size, dim, noise, seed):
    rows, values = draw(seed, size, dim, noise)
    standardized = (values - values.mean()) / values.std()
    start = [0.5] * (dim if ard else 1)
    covariance = ConstantKernel(1.0, AMPLITUDE) * stationary(kernel, start, LENGTH_SCALE) + WhiteKernel(0.01, NOISE)
    model = GaussianProcessRegressor(covariance, alpha=0.0, n_restarts_optimizer=5, random_state=seed)
    model.fit(rows, standardized)
    return {
        "kernel": kernel,
        "ard": ard,
        "rows": rows.tolist(),
        "values": values.tolist(),
        "log_likelihood": float(model.log_marginal_likelihood_value_),
    }


def main():
    warnings.simplefilter("ignore")
    se, matern = "squared-exponential", "matern52"
    golden = {
        "fixed": [
            fixed(se, [0.4], 1.7, 0.01, 0.3, 15, 1, 1),
            fixed(se, [0.9], 2.5, 0.05, -0.2, 25, 3, 2),
            fixed(se, [0.5, 1.5, 3.0, 0.8], 0.8, 0.002, 0.0, 30, 4, 3),
            fixed(matern, [0.6], 1.2, 0.02, 0.1, 20, 2, 4),
            fixed(matern, [0.7, 2.0, 1.1], 3.0, 0.001, 1.0, 25, 3, 5),
        ],
        "fitted": [
            fitted(se, False, 10, 1, 0.0, 11),
            fitted(se, False, 30, 2, 0.1, 12),
            fitted(se, False, 50, 4, 0.3, 13),
            fitted(se, True, 30, 2, 0.05, 14),
            fitted(se, True, 60, 3, 0.1, 15),
            fitted(matern, False, 12, 1, 0.2, 16),
            fitted(matern, False, 40, 3, 0.0, 17),
            fitted(matern, True, 40, 2, 0.1, 18),
            fitted(matern, True, 60, 4, 0.0, 19),
            fitted(se, True, 50, 5, 0.5, 20),
        ],
    }
    print(json.dumps(golden))


if __name__ == "__main__":
    main()
