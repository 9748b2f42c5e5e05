"""The examples in docstrings run, and nothing public is without one."""

import doctest
import importlib
import inspect
from typing import Any, Iterator, Tuple

import pytest

import neuralbo

MODULES = [
    "", "._callbacks", "._dashboard", "._domains", "._engine", "._model", ".migrate", ".optimize", ".optimizer", ".result", ".space", ".studies", ".study", ".trial",
    ".integrations._coding", ".integrations._finished", ".integrations.wandb",
]  # fmt: skip

#: Packages that the examples of a module use.
NEEDED = {".space": "ConfigSpace", ".study": "pandas"}

#: Of a mapping, documented by Python.
INHERITED = {"get", "items", "keys", "values"}


@pytest.mark.parametrize("module", MODULES)
def test_examples_do_what_they_show(module: str) -> None:
    if module in NEEDED:
        pytest.importorskip(NEEDED[module])
    outcome = doctest.testmod(importlib.import_module(f"neuralbo{module}"))
    assert outcome.attempted > 0 and outcome.failed == 0


def public() -> Iterator[Tuple[str, Any]]:
    """Functions, classes and methods by name."""
    for name in neuralbo.__all__:
        thing = getattr(neuralbo, name)
        if inspect.isclass(thing) and issubclass(thing, BaseException):
            continue
        yield name, thing
        if inspect.isclass(thing):
            texts = dir(str) if issubclass(thing, str) else ()
            methods = [method for method in dir(thing) if not (method.startswith("_") or method in INHERITED or method in texts)]
            yield from ((f"{name}.{method}", getattr(thing, method)) for method in methods if callable(getattr(thing, method)))


def test_every_public_function_class_and_method_shows_an_example() -> None:
    silent = [name for name, thing in public() if ">>>" not in (inspect.getdoc(thing) or "")]
    assert not silent
