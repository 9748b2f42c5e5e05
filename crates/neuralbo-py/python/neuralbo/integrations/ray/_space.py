"""Ray Tune's search spaces in the engine's terms.

A space is a nested dict or list whose leaves are domains (``tune.uniform(…)``) or constants. The place of a leaf is its
*path*, the keys that lead to it; joined by ``/`` it is the parameter's name.
"""

from __future__ import annotations

import math
from functools import reduce
from operator import getitem
from typing import Any, Dict, Mapping, Optional, Tuple, cast

from ray.tune.search.sample import Categorical, Domain, Float, Integer, LogUniform, Normal, Quantized
from ray.tune.search.variant_generator import parse_spec_vars

from neuralbo.integrations._coding import Code, Coding, choice_code, float_code, int_code

Path = Tuple[Any, ...]


class RaySpace:
    """A search space of Ray Tune, read once.

    ``coding`` translates flat points; :meth:`config` puts values back into the nested space with its constants.
    """

    def __init__(self, spec: Mapping[str, Any]) -> None:
        _, domains, grids = parse_spec_vars(dict(spec))
        if grids:
            names = ", ".join(f"`{path_name(path)}`" for path, _ in grids)
            raise ValueError(
                f"grid_search (at {names}) cannot be combined with NeuralBOSearch, which chooses the values itself; "
                f"write tune.choice([...]) instead"
            )
        if not domains:
            raise ValueError(f"the space has nothing to search: {dict(spec)!r}; give at least one tune.uniform(...) or the like")
        self._spec = spec
        self._paths: Dict[str, Path] = {path_name(path): path for path, _ in domains}
        self.coding = Coding({path_name(path): code_of(path_name(path), domain) for path, domain in domains})
        if self.coding.space is None:
            raise ValueError(f"the space has nothing to search: every parameter has a single value, {', '.join(self._paths)}")

    def config(self, values: Mapping[str, Any]) -> Dict[str, Any]:
        """The configuration of a trial with these values, constants included."""
        filled = _fill(self._spec, (), {self._paths[name]: value for name, value in values.items()})
        assert isinstance(filled, dict)
        return filled

    def values(self, config: Mapping[str, Any]) -> Dict[str, Any]:
        """The searched values of a configuration, nested or with names like ``a/b``; what is missing is left out."""
        found: Dict[str, Any] = {}
        for name, path in self._paths.items():
            try:
                found[name] = config[name] if name in config else reduce(getitem, path, config)
            except (KeyError, IndexError, TypeError):
                pass
        return found


def has_domains(spec: Any) -> bool:
    """Whether anything in the nested dict is to be searched."""
    return isinstance(spec, dict) and any(parse_spec_vars(spec)[1:])


def path_name(path: Path) -> str:
    """The name of a path, like ``model/layers/0``."""
    return "/".join(str(key) for key in path)


def code_of(name: str, domain: Domain) -> Code:
    """The engine's view of a domain; ValueError for one without bounds."""
    sampler: Any = cast(Any, domain).get_sampler()
    quantum: Optional[float] = None
    if isinstance(sampler, Quantized):
        quantum, sampler = sampler.q, sampler.sampler
    if isinstance(sampler, Normal):
        raise ValueError(f"parameter `{name}`: a normal distribution has no bounds; use tune.uniform(low, high) instead")
    log = isinstance(sampler, LogUniform)
    if isinstance(domain, Float):
        return _float_code(domain.lower, domain.upper, log, quantum)
    if isinstance(domain, Integer):
        # Ray leaves the upper bound out, except for multiples of a quantum above 1.
        if quantum is None or int(quantum) == 1:
            return int_code(domain.lower, domain.upper - 1, log=log)
        low, high = _inward(domain.lower, domain.upper, int(quantum))
        return int_code(int(low), int(high), log=log, step=int(quantum))
    if isinstance(domain, Categorical):
        if any(isinstance(category, Domain) or has_domains(category) for category in domain.categories):
            raise ValueError(f"parameter `{name}`: a choice between search spaces is not supported; choices must be constants")
        return choice_code(domain.categories)
    raise ValueError(
        f"parameter `{name}`: {type(domain).__name__} (as made by tune.sample_from) is not supported; "
        f"use tune.uniform, loguniform, quniform, randint, lograndint, choice or a constant"
    )


def _float_code(low: float, high: float, log: bool, quantum: Optional[float]) -> Code:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"bounds must be finite, found {low!r} and {high!r}")
    if quantum is None:
        return float_code(low, high, log=log)
    low, high = _inward(low, high, quantum)
    return float_code(low, high, log=log, step=quantum)


def _inward(low: float, high: float, quantum: float) -> Tuple[float, float]:
    """The smallest and largest multiple of the quantum between the bounds."""
    first, last = math.ceil(low / quantum - 1e-9), math.floor(high / quantum + 1e-9)
    if first > last:
        raise ValueError(f"no multiple of {quantum!r} lies between {low!r} and {high!r}")
    return first * quantum, last * quantum


def _fill(node: Any, path: Path, values: Mapping[Path, Any]) -> Any:
    if path in values:
        return values[path]
    if isinstance(node, Mapping):
        return {key: _fill(child, path + (key,), values) for key, child in node.items()}
    if isinstance(node, (list, tuple)):
        children = [_fill(child, path + (i,), values) for i, child in enumerate(node)]
        return children if isinstance(node, list) else tuple(children)
    return node
