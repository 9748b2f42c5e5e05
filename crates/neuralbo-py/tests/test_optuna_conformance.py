"""Optuna's own shipped conformance tests for samplers, run against ours.

Of the four suites in ``optuna.testing.pytest_samplers`` three apply. ``SingleOnlySamplerTestCase`` does not: it asks a sampler to refuse
several objectives, which ours takes.
"""

from typing import Any, Callable

import pytest

optuna = pytest.importorskip("optuna")

from neuralbo.integrations.optuna import NeuralBOSampler  # noqa: E402

suites = pytest.importorskip(
    "optuna.testing.pytest_samplers", reason="this version of Optuna does not ship its sampler tests"
)


class TestConformance(
    suites.BasicSamplerTestCase, suites.RelativeSamplerTestCase, suites.MultiObjectiveSamplerTestCase  # type: ignore[misc, name-defined]
):
    """The suites ask for a fixture that makes a fresh sampler."""

    @pytest.fixture
    def sampler(self) -> Callable[[], Any]:
        return lambda: NeuralBOSampler(seed=1, warn_independent_sampling=False)
