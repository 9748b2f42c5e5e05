"""Optional packages, or an error with installation instructions."""

from __future__ import annotations

import importlib


def require(package: str, extra: str) -> None:
    """Checks that `package` can be imported; the error names the extra that installs it.

    >>> require("json", "optuna")
    """
    try:
        importlib.import_module(package)
    except ImportError as error:
        raise ImportError(
            f"neuralbo.integrations.{extra} needs the package `{package}`, which could not be imported ({error}); "
            f"install it with: pip install neuralbo[{extra}]"
        ) from error
