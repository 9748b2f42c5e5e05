"""The Ray Tune bridge: spaces, results, saved states, and a real local Ray."""

import copy
import os
import pickle
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_AIR_NEW_OUTPUT", "0")
# The workers are plain processes on this machine: nothing of the repository has to be uploaded for them.
os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
ray = pytest.importorskip("ray")
tune = pytest.importorskip("ray.tune")

from ray.tune.search import ConcurrencyLimiter, Searcher  # noqa: E402

from neuralbo.integrations.ray import NeuralBOSearch  # noqa: E402
from neuralbo.integrations.ray._space import RaySpace  # noqa: E402

NESTED = {
    "lr": tune.loguniform(1e-5, 1e-1),
    "model": {"layers": [tune.randint(1, 5), 64], "act": tune.choice(["relu", None, ("a", 1)]), "name": "mlp"},
    "drop": tune.quniform(0.0, 0.5, 0.1),
    "width": tune.lograndint(8, 513),
    "batch": tune.qrandint(16, 64, 16),
    "flat": tune.choice([3]),
}


def quadratic(config: Dict[str, Any]) -> float:
    return float((config["x"] - 1.0) ** 2 + (config["y"] + 2.0) ** 2)


QUADRATIC = {"x": tune.uniform(-5.0, 5.0), "y": tune.uniform(-5.0, 5.0)}


def searcher(**options: Any) -> NeuralBOSearch:
    return NeuralBOSearch(**{"space": QUADRATIC, "metric": "loss", "mode": "min", "seed": 3, **options})


def go_on(search: NeuralBOSearch, first: int, count: int, sign: float = 1.0) -> List[Any]:
    configs = []
    for i in range(first, first + count):
        configs.append(search.suggest(f"t{i}"))
        search.on_trial_complete(f"t{i}", {"loss": sign * quadratic(configs[-1])})
    return configs


def test_nested_spaces_keep_their_form_their_types_and_their_constants() -> None:
    search = NeuralBOSearch(NESTED, metric="loss", mode="max", method="random", seed=1)
    for i in range(60):
        config = search.suggest(f"t{i}")
        assert 1e-5 <= config["lr"] <= 1e-1
        layers, width = config["model"]["layers"]
        assert layers in (1, 2, 3, 4) and type(layers) is int and width == 64
        assert config["model"]["act"] in ("relu", None, ("a", 1)) and config["model"]["name"] == "mlp"
        assert any(config["drop"] == pytest.approx(k / 10) for k in range(6))
        assert 8 <= config["width"] <= 512 and type(config["width"]) is int
        assert config["batch"] in (16, 32, 48, 64) and config["flat"] == 3
    assert isinstance(NESTED["lr"], type(tune.uniform(0, 1))), "the space itself is not changed"


@pytest.mark.parametrize(
    "domain, allowed",
    [
        (tune.randint(2, 5), {2, 3, 4}),
        (tune.qrandint(1, 10, 4), {4, 8}),
        (tune.quniform(0.3, 0.9, 0.3), {0.3, 0.6, 0.9}),
        (tune.lograndint(1, 4), {1, 2, 3}),
        (tune.choice([True, 1, "1"]), {True, "1"}),
    ],
)
def test_domains_reach_exactly_their_values(domain: Any, allowed: Any) -> None:
    search = NeuralBOSearch({"a": domain, "b": tune.uniform(0, 1)}, metric="loss", mode="min", method="random", seed=1)
    seen = {search.suggest(f"t{i}")["a"] for i in range(60)}
    assert {round(v, 9) if isinstance(v, float) else v for v in seen} == allowed


@pytest.mark.parametrize("domain", [tune.qloguniform(1e-2, 1.0, 1e-2), tune.qlograndint(2, 64, 2)])
def test_quantized_log_domains_stay_on_their_multiples(domain: Any) -> None:
    search = NeuralBOSearch({"a": domain}, metric="loss", mode="min", method="random", seed=1)
    quantum = domain.get_sampler().q
    for i in range(30):
        value = search.suggest(f"t{i}")["a"]
        assert domain.lower <= value <= domain.upper
        assert value / quantum == pytest.approx(round(value / quantum))


@pytest.mark.parametrize(
    "space, text",
    [
        ({"a": tune.grid_search([1, 2])}, "grid_search .at `a`."),
        ({"a": {"b": tune.sample_from(lambda spec: 1)}}, "`a/b`.*sample_from"),
        ({"a": tune.randn(0, 1)}, "`a`.*no bounds"),
        ({"a": 3}, "nothing to search"),
        ({"a": tune.choice([3])}, "nothing to search"),
        ({"a": tune.choice([{"b": tune.uniform(0, 1)}, 2])}, "choice between search spaces"),
        ({"a": tune.qrandint(5, 7, 4)}, "no multiple of 4"),
    ],
)
def test_spaces_that_cannot_be_searched_are_refused(space: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        NeuralBOSearch(space, metric="loss", mode="min")


def test_errors_name_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="magic"):
        NeuralBOSearch(method="magic")
    with pytest.raises(ValueError, match="colour"):
        NeuralBOSearch(colour="blue")
    with pytest.raises(ValueError, match="'least'"):
        NeuralBOSearch(metric="loss", mode="least")
    with pytest.raises(ValueError, match="one objective"):
        NeuralBOSearch(metric=["a", "b"], mode=["min", "max"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`y` is missing"):
        searcher(points_to_evaluate=[{"x": 1.0}])
    with pytest.raises(ValueError, match="`x`: 99 is not allowed"):
        searcher(points_to_evaluate=[{"x": 99, "y": 0.0}])
    with pytest.raises(RuntimeError, match="param_space"):
        NeuralBOSearch().suggest("t")
    with pytest.raises(RuntimeError, match="mode"):
        NeuralBOSearch(QUADRATIC).suggest("t")


def test_a_space_is_taken_from_the_tuner_but_never_twice() -> None:
    search = NeuralBOSearch(seed=3)
    assert search.set_search_properties("loss", "min", QUADRATIC)
    assert not search.set_search_properties("loss", "min", QUADRATIC)
    given = NeuralBOSearch(QUADRATIC, seed=3)
    assert given.set_search_properties("loss", "min", {"constant": 1})
    assert go_on(search, 0, 8) == go_on(given, 0, 8)


def test_the_bowl_is_found_and_the_seed_decides() -> None:
    configs = go_on(searcher(), 0, 20)
    assert min(map(quadratic, configs)) < 1e-2
    assert go_on(searcher(), 0, 5) == configs[:5] != go_on(searcher(seed=4), 0, 5)


def test_max_is_the_mirror_of_min() -> None:
    assert go_on(searcher(mode="max"), 0, 12, sign=-1.0) == go_on(searcher(), 0, 12)


def test_trials_at_the_same_time_are_pending_and_get_different_points() -> None:
    search = searcher()
    go_on(search, 0, 5)
    configs = [search.suggest(f"p{i}") for i in range(4)]
    assert search._optimizer.n_running == 4
    assert len({config["x"] for config in configs}) == 4
    assert search.suggest("p0") == configs[0]
    search.on_trial_complete("p2", {"loss": 0.5})
    assert search._optimizer.n_running == 3


def test_failures_are_told_as_failures_and_a_second_run_of_them_counts() -> None:
    search = searcher()
    for name in ("raised", "nothing", "nan", "absent"):
        search.suggest(name)
    search.on_trial_complete("raised", {"loss": 1.0}, error=True)
    search.on_trial_complete("nothing", None)
    search.on_trial_complete("nan", {"loss": float("nan")})
    search.on_trial_complete("absent", {"other": 1.0})
    assert [trial.value for trial in search._optimizer.trials] == [None] * 4
    search.on_trial_complete("raised", {"loss": 2.0})
    search.on_trial_complete("raised", {"loss": 3.0})
    search.on_trial_complete("unheard of", {"loss": 4.0})
    assert [trial.value for trial in search._optimizer.trials] == [None] * 4 + [2.0]


def test_given_points_come_first() -> None:
    search = searcher(points_to_evaluate=[{"x": 1.0, "y": -2.0}, {"x": 0.0, "y": 0.0}])
    assert [search.suggest("a"), search.suggest("b")] == [{"x": 1.0, "y": -2.0}, {"x": 0.0, "y": 0.0}]
    search.on_trial_complete("a", {"loss": 0.0})
    assert search.suggest("c") not in ({"x": 1.0, "y": -2.0}, {"x": 0.0, "y": 0.0})
    assert search._optimizer.best.fun == 0.0


def test_results_known_from_elsewhere_are_taken_nested_or_flat() -> None:
    search = NeuralBOSearch({"a": {"b": tune.uniform(0, 1)}}, metric="loss", mode="min", seed=1)
    search.add_evaluated_point({"a": {"b": 0.25}}, 3.0)
    search.add_evaluated_point({"a/b": 0.5}, 2.0)
    search.add_evaluated_point({"a/b": 0.75}, 1.0, error=True)
    search.add_evaluated_point({"a/b": 0.7}, None, pruned=True, intermediate_values=[9.0, 4.0])
    assert [trial.value for trial in search._optimizer.trials] == [3.0, 2.0, None, 4.0]


def test_a_finite_space_ends() -> None:
    search = NeuralBOSearch({"a": tune.choice([1, 2, 3])}, metric="loss", mode="min", seed=1)
    found = [search.suggest(f"t{i}") for i in range(3)]
    assert {config["a"] for config in found} == {1, 2, 3}
    assert search.suggest("t3") == Searcher.FINISHED


def test_a_saved_search_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    search = searcher(points_to_evaluate=[{"x": 0.0, "y": 0.0}])
    go_on(search, 0, 6)
    pending = search.suggest("pending")
    search.save(str(tmp_path / "search.pkl"))
    restored = NeuralBOSearch()
    restored.restore(str(tmp_path / "search.pkl"))
    copies = [copy.deepcopy(search), pickle.loads(pickle.dumps(search)), restored]
    for one in (search, *copies):
        one.on_trial_complete("pending", {"loss": quadratic(pending)})
    expected = go_on(search, 7, 4)
    assert [go_on(one, 7, 4) for one in copies] == [expected] * 3


def test_a_state_of_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "old.pkl").write_bytes(pickle.dumps({"version": 99}))
    with pytest.raises(ValueError, match="version 99"):
        searcher().restore(str(tmp_path / "old.pkl"))


def test_values_are_read_back_from_configurations() -> None:
    space = RaySpace(NESTED)
    values = {"lr": 0.01, "model/layers/0": 2, "model/act": None, "drop": 0.2, "width": 9, "batch": 32, "flat": 3}
    assert space.values(space.config(values)) == values


@pytest.fixture(scope="session")
def local_ray() -> Iterator[None]:
    """One Ray for all tests, since it takes seconds to start."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR", configure_logging=False)
    yield
    ray.shutdown()


def training() -> Any:
    """A function of its own, which Ray sends to its workers whole: they cannot import this file."""

    def train(config: Dict[str, Any]) -> Dict[str, float]:
        if config["x"] == 4.0:
            raise RuntimeError("this one fails")
        return {"loss": (config["x"] - 1.0) ** 2 + (config["y"] + 2.0) ** 2}

    return train


def tuner(folder: Path, search: Any, name: str, num_samples: int) -> Any:
    return tune.Tuner(
        training(),
        param_space={**QUADRATIC, "constant": 5},
        tune_config=tune.TuneConfig(metric="loss", mode="min", search_alg=search, num_samples=num_samples, reuse_actors=True),
        run_config=tune.RunConfig(storage_path=str(folder), name=name, verbose=0),
    )


def test_a_real_ray_runs_trials_one_of_which_raises(local_ray: None, tmp_path: Path) -> None:
    search = NeuralBOSearch(seed=3, points_to_evaluate=[{"x": 4.0, "y": 0.0}])
    results = tuner(tmp_path, search, "first", 8).fit()
    assert len(results) == 8 and results.num_errors == 1
    assert search._optimizer.n_told == 8 and search._optimizer.n_running == 0
    told = sorted(trial.value for trial in search._optimizer.trials if trial.value is not None)
    assert told == sorted(result.metrics["loss"] for result in results if not result.error)
    assert results.get_best_result().metrics["loss"] == search._optimizer.best.fun < 20.0
    assert all(result.config["constant"] == 5 for result in results)

    restored = NeuralBOSearch()
    restored.restore_from_dir(str(tmp_path / "first"))
    assert restored.suggest("next") == search.suggest("next")


def test_a_concurrency_limit_holds_on_a_real_ray(local_ray: None, tmp_path: Path) -> None:
    limited = ConcurrencyLimiter(NeuralBOSearch(seed=3), max_concurrent=1)
    results = tuner(tmp_path, limited, "limited", 4).fit()
    assert results.num_errors == 0
    assert [result.config["x"] for result in results] == [config["x"] for config in go_on(searcher(), 0, 4)]
