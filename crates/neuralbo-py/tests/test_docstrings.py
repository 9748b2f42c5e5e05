"""The examples in the core's docstrings."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = ["", "._domains", ".optimize", ".optimizer", ".space", ".study", ".trial", "._model", ".integrations._coding"]


@pytest.mark.parametrize("module", MODULES)
def test_examples_do_what_they_show(module: str) -> None:
    outcome = doctest.testmod(importlib.import_module(f"neuralbo{module}"))
    assert outcome.attempted > 0 and outcome.failed == 0
