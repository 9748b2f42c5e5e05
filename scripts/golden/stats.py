"""Values of SciPy and statsmodels for the tests of the lab's statistics.

Writes crates/neuralbo-lab/tests/data/stats.json. Run from the repository root:
    python scripts/golden/stats.py      (needs numpy, scipy and statsmodels)
"""

import json
from pathlib import Path

import numpy as np
from scipy import stats
from scipy.stats import _ksstats
from statsmodels.stats.multitest import multipletests

OUT = Path("crates/neuralbo-lab/tests/data/stats.json")


def samples():
    rng = np.random.default_rng(20230)
    return {
        "normal": rng.normal(3.0, 2.0, 10),
        "skewed": rng.lognormal(0.0, 1.0, 10),
        "two_values": np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]),
        "outlier": np.append(rng.normal(0.0, 0.01, 24), 50.0),
        "many": rng.standard_t(3, 200),
        "more": rng.exponential(1.0, 400),
        "three": np.array([1.0, 2.0, 4.0]),
    }


def normality(x):
    standardized = (x - x.mean()) / x.std(ddof=1)
    result = stats.kstest(standardized, "norm")
    return {"values": x.tolist(), "statistic": result.statistic, "p": result.pvalue}


def kolmogorov():
    grid = [(5, 0.1), (5, 0.3), (5, 0.62), (10, 0.05), (10, 0.2), (10, 0.25), (10, 0.41), (10, 0.65), (10, 0.9), (30, 0.1), (30, 0.37),
            (100, 0.08), (100, 0.19), (100, 0.21), (400, 0.03), (400, 0.11), (2000, 0.02), (2000, 0.05)]
    return [{"n": n, "d": d, "p": float(stats.kstwo.sf(d, n))} for n, d in grid]


def kolmogorov_exact():
    """SciPy's exact routine where its public function approximates."""
    grid = [(200, 0.1), (400, 0.03), (2000, 0.02)]
    return [{"n": n, "d": d, "p": float(1.0 - _ksstats._kolmogn_DMTW(n, d))} for n, d in grid]


def t_tests():
    rng = np.random.default_rng(7)
    pairs = [
        (rng.normal(1.0, 1.0, 10), rng.normal(0.0, 1.0, 10)),
        (rng.normal(0.0, 3.0, 10), rng.normal(0.0, 0.1, 10)),
        (rng.normal(-1.0, 1.0, 5), rng.normal(0.0, 2.0, 12)),
        (rng.normal(9.0, 1.0, 10), rng.normal(0.0, 1.0, 10)),
        (np.array([1.0, 2.0]), np.array([0.5, 0.7])),
    ]
    rows = []
    for a, b in pairs:
        welch = stats.ttest_ind(a, b, equal_var=False, alternative="greater")
        rows.append({
            "a": a.tolist(), "b": b.tolist(),
            "welch": [welch.statistic, welch.df, welch.pvalue],
        })
    return rows


def rank_sum():
    rng = np.random.default_rng(11)
    pairs = [(rng.normal(0.4, 1.0, n), rng.normal(0.0, 1.0, m)) for n, m in [(3, 3), (5, 5), (5, 10), (10, 10), (10, 4)]]
    rows = [{"a": a.tolist(), "b": b.tolist(), "p": stats.mannwhitneyu(a, b, alternative="greater", method="exact").pvalue} for a, b in pairs]
    for a, b in [([1.0, 2.0, 2.0, 3.0], [1.0, 2.0, 0.0]), ([5.0, 5.0, 5.0], [5.0, 5.0, 7.0, 1.0]), ([0.0, 0.0, 1.0, 4.0, 4.0], [0.0, 1.0, 1.0, 2.0])]:
        ranks = stats.rankdata(a + b)
        exact = stats.permutation_test((ranks[: len(a)], ranks[len(a):]), lambda x, y, axis=-1: np.sum(x, axis=axis), vectorized=True,
                                       permutation_type="independent", alternative="greater", n_resamples=np.inf)
        rows.append({"a": a, "b": b, "p": exact.pvalue})
    return rows


def false_discovery():
    families = [
        [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216, 0.222, 0.251, 0.269, 0.275, 0.34, 0.341, 0.384, 0.569],
        [0.04, 0.001, 0.05, 0.03, 0.9, 0.02],
        [0.5],
        [0.01, 0.01, 0.04, 0.04],
    ]
    rows = []
    for p in families:
        reject, adjusted, _, _ = multipletests(p, alpha=0.05, method="fdr_bh")
        rows.append({"p": p, "adjusted": adjusted.tolist(), "reject": reject.tolist()})
    return rows


def summaries():
    levels = [0.0, 0.05, 0.25, 0.5, 0.9, 1.0]
    rows = []
    for x in samples().values():
        rows.append({
            "values": x.tolist(), "mean": x.mean(), "sd": x.std(ddof=1), "median": np.median(x), "levels": levels,
            "quantiles": np.quantile(x, levels).tolist(),
        })
    return rows


def ranks():
    rows = [[3.0, 1.0, 2.0], [5.0, 5.0, 1.0, 7.0, 5.0], [2.0, 2.0], [0.0, -0.0, -1.0], [4.0]]
    return [{"values": x, "ranks": stats.rankdata(x).tolist()} for x in rows]


def main():
    golden = {
        "normality": [normality(x) for x in samples().values()],
        "kolmogorov": kolmogorov(),
        "kolmogorov_exact": kolmogorov_exact(),
        "t_tests": t_tests(),
        "rank_sum": rank_sum(),
        "false_discovery": false_discovery(),
        "summaries": summaries(),
        "ranks": ranks(),
    }
    OUT.write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()
