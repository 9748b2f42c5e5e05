"""Bad input: every kind is a ValueError or a TypeError that names the field, what was found and what is allowed."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from conftest import refused

import neuralbo
from neuralbo import Bool, Categorical, Float, Int, Optimizer, Ordinal, Space, create_study, minimize

HUGE = 10**400
THREADS = ThreadPoolExecutor(1)
BOX = [(0.0, 1.0)] * 2
MIXED = {"x": Float(0, 1), "n": Int(1, 9), "kernel": Categorical(["rbf", "linear"])}


def zero(x: Any) -> float:
    return 0.0


def stored() -> neuralbo.Study:
    return create_study(space={"x": (0.0, 1.0)}, seed=1)


def several(f: Any = lambda x: (1.0, 2.0), **more: Any) -> None:
    arguments = {"objectives": ["loss:minimize", "speed:maximize"], "method": "random", "n_trials": 1, "seed": 3, **more}
    minimize(f, [(0, 1)], **arguments)


def learned(name: Any, low: Any, high: Any) -> None:
    create_study(seed=1).optimize(lambda trial: trial.suggest_float(name, low, high), n_trials=1)


BAD: list = [
    (lambda: Optimizer([(1, 0)]), ValueError, ["bounds[0]", "below"]),
    (lambda: Optimizer([(0, 1), (float("nan"), 1)]), ValueError, ["bounds[1]", "finite"]),
    (lambda: Optimizer([(0, "1")]), TypeError, ["bounds[0]", "'1'"]),
    (lambda: Optimizer([(0, 1, 2)]), ValueError, ["bounds[0]", "3 values"]),
    (lambda: Optimizer([]), ValueError, ["bounds"]),
    (lambda: Optimizer("ab"), TypeError, ["bounds"]),
    (lambda: Optimizer(), TypeError, ["pool"]),
    (lambda: Optimizer(3), TypeError, ["bounds"]),
    (lambda: Optimizer(pool=[]), ValueError, ["row"]),
    (lambda: Optimizer(pool=np.zeros(3)), ValueError, ["shape"]),
    (lambda: Optimizer(pool=[[0.0], [float("nan")]]), ValueError, ["row 1"]),
    (lambda: Optimizer(pool=[["a"]]), TypeError, ["'a'"]),
    (lambda: Optimizer([(0, 1)], method="magic"), ValueError, ["magic", "gp-ei"]),
    (lambda: Optimizer([(0, 1)], method=3), TypeError, ["method"]),
    (lambda: Optimizer([(0, 1)], direction="up"), ValueError, ["up", "maximize"]),
    (lambda: Optimizer([(0, 1)], typo=3), ValueError, ["typo", "nu"]),
    (lambda: Optimizer([(0, 1)], nu=-3), ValueError, ["nu", "-3", "from"]),
    (lambda: Optimizer([(0, 1)], nu=[3]), TypeError, ["nu", "list"]),
    (lambda: Optimizer([(0, 1)], seed=-1), ValueError, ["seed", "-1"]),
    (lambda: Optimizer([(0, 1)], seed="1"), TypeError, ["seed"]),
    (lambda: Optimizer([(0, 1)], seed=1.5), TypeError, ["seed"]),
    (lambda: Optimizer([(0, 1)]).ask(-1), ValueError, ["n = -1"]),
    (lambda: Optimizer([(0, 1)]).ask("2"), TypeError, ["n must"]),
    (lambda: Optimizer([(0, 1)]).tell([0.5], 1.0), ValueError, ["0.5", "use `add`"]),
    (lambda: Optimizer([(0, 1)]).add([0.5, 0.5], 1.0), ValueError, ["2 values", "1 parameters"]),
    (lambda: Optimizer([(0, 1)]).add([1.5], 1.0), ValueError, ["x0", "1.5", "0.0 to 1.0"]),
    (lambda: Optimizer([(0, 1)]).add([float("nan")], 1.0), ValueError, ["x0", "NaN"]),
    (lambda: Optimizer([(0, 1)]).add(["0.5"], 1.0), TypeError, ["x[0]"]),
    (lambda: Optimizer([(0, 1)]).add("0.5", 1.0), TypeError, ["list of numbers"]),
    (lambda: Optimizer([(0, 1)]).add({"x0": 0.5}, 1.0), TypeError, ["list of numbers", "dict"]),
    (lambda: Optimizer([(0, 1)]).add([0.5], "1.0"), TypeError, ["y must", "'1.0'"]),
    (lambda: Optimizer([(0, 1)]).add([0.5], [1.0, 2.0]), ValueError, ["x has 1 points, but y has 2 values"]),
    (lambda: Optimizer([(0, 1)]).add([[0.5], [0.6]], 1.0), ValueError, ["one value"]),
    (lambda: Optimizer([(0, 1)] * 2).add(np.zeros((2, 3)), [1.0, 2.0]), ValueError, ["(2, 3)", "(n, 2)"]),
    (lambda: Optimizer([(0, 1)] * 2).add(np.array([["a", "b"]]), [1.0]), TypeError, ["dtype"]),
    (lambda: Optimizer({"x": (0, 1)}).add([0.5], 1.0), TypeError, ["dict"]),
    (lambda: Optimizer({"x": (0, 1)}).add({"x": "0.5"}, 1.0), TypeError, ["`x`", "number"]),
    (lambda: Optimizer({"x": (0, 1)}).add({}, 1.0), ValueError, ["`x`"]),
    (lambda: Optimizer({"x": (0, 1)}).add({3: 0.5}, 1.0), TypeError, ["names"]),
    (lambda: Optimizer(pool=[[1.0], [2.0]]).add(2, 1.0), ValueError, ["2", "0 to 1"]),
    (lambda: Optimizer(pool=[[1.0], [2.0]]).add("a", 1.0), TypeError, ["a"]),
    (lambda: Optimizer([(0, 1)]).predict([[7.0]]), ValueError, ["7"]),
    (lambda: Optimizer.from_state({"version": 1}), ValueError, ["lacks"]),
    (lambda: Optimizer.from_state(3), TypeError, ["dict"]),
    (lambda: Optimizer.from_state({**Optimizer([(0, 1)]).state(), "version": 9}), ValueError, ["version 9"]),
    (lambda: Optimizer.from_state({**Optimizer([(0, 1)]).state(), "trials": [{"x": [9]}]}), ValueError, ["state"]),
    (lambda: Optimizer([(0, HUGE)]), ValueError, ["bounds[0]", "high", "1.8e308"]),
    (lambda: Optimizer([(False, True)]), TypeError, ["bounds[0]", "low", "bool False"]),
    (lambda: Optimizer([{"low": 0, "high": 1}]), TypeError, ["bounds[0]", "pair", "dict"]),
    (lambda: Optimizer(np.array(3.0)), TypeError, ["bounds", "pairs"]),
    (lambda: Optimizer([(None, 1)]), TypeError, ["bounds[0]", "low", "None"]),
    (lambda: Optimizer(pool=[1, 2, 3]), TypeError, ["pool[0]", "int 1", "one candidate a row"]),
    (lambda: Optimizer(pool=[[1, 2], [3]]), ValueError, ["pool[1]", "1 numbers", "must have 2"]),
    (lambda: Optimizer(pool=[[HUGE]]), ValueError, ["pool[0][0]", "1.8e308"]),
    (lambda: Optimizer(pool=5), TypeError, ["pool", "int 5"]),
    (lambda: Optimizer(pool=[[1.0]]).add(HUGE, 1.0), ValueError, ["index", "64 bits"]),
    (lambda: Optimizer(pool=[[1.0]]).add(0, [1.0]), TypeError, ["list of indices", "int 0"]),
    (lambda: Optimizer([(0, 1)]).ask(2**62), ValueError, ["n = 4611686018427387904", "at most 1000000"]),
    (lambda: Optimizer([(0, 1)]).ask(np.array([1, 2])), TypeError, ["n must", "array"]),
    (lambda: Optimizer([(0, 1)]).add([HUGE], 1.0), ValueError, ["x[0]", "1.8e308"]),
    (lambda: Optimizer([(0, 1)]).add([[HUGE]], [1.0]), ValueError, ["x[0][0]", "1.8e308"]),
    (lambda: Optimizer([(0, 1)]).add(None, [1.0]), TypeError, ["x must", "None"]),
    (lambda: Optimizer([(0, 1)]).add([0.5], HUGE), ValueError, ["y", "1.8e308"]),
    (lambda: Optimizer([(0, 1)]).add([0.5], True), TypeError, ["y must", "True"]),
    (lambda: Optimizer([(0, 1)]).add([[0.5]], np.array([True])), TypeError, ["y must", "True"]),
    (lambda: Optimizer([(0, 1)]).add([[0.1], [0.2]], np.zeros((2, 1))), ValueError, ["y has shape (2, 1)", "(n,)"]),
    (lambda: Optimizer({"x": (0, 1)}).add({"x": 0.5}, [1.0]), TypeError, ["list of dicts", "0.5"]),
    (lambda: Optimizer([(0, 1)]).sample(-1), ValueError, ["n = -1", "at least 1"]),
    (lambda: Space({1: (0, 1)}), TypeError, ["name of a parameter", "int 1"]),
    (lambda: Space({"n": Int(0, HUGE)}), ValueError, ["high", "64 bits"]),
    (lambda: Space({"n": Int(1, 9, step=2)}).check({"n": HUGE}), ValueError, ["`n`", "64 bits"]),
    (lambda: Float(1, 2, log="no"), TypeError, ["log", "True or False", "'no'"]),
    (lambda: Float(0, 1e300, step=1e-300), ValueError, ["step", "2**50"]),
    (lambda: Categorical(None), TypeError, ["choices", "None"]),
    (lambda: Categorical([np.zeros(3)]), TypeError, ["choices", "array"]),
    (lambda: minimize(zero, BOX, n_trials=-1), ValueError, ["n_trials = -1", "at least 1"]),
    (lambda: minimize(zero, BOX, n_trials=np.array([1, 2])), TypeError, ["n_trials", "whole number"]),
    (lambda: minimize(zero, BOX, workers=0), ValueError, ["workers = 0", "at least 1"]),
    (lambda: minimize(zero, BOX, max_evals=3), TypeError, ["max_evals", "n_trials"]),
    (lambda: minimize(zero, BOX, n_jobs=3), TypeError, ["n_jobs", "workers"]),
    (lambda: minimize(zero, BOX, trial_timeout=3), TypeError, ["trial_timeout", "neuralbo run"]),
    (lambda: stored().optimize(zero, n_trials=1, n_jobs=3), TypeError, ["n_jobs", "workers"]),
    (lambda: stored().optimize(zero, n_trails=1), TypeError, ["n_trails"]),
    (lambda: minimize(zero, BOX, timeout=HUGE), ValueError, ["timeout", "1.8e308"]),
    (lambda: minimize(zero, BOX, catch=5), TypeError, ["catch", "int 5"]),
    (lambda: minimize(zero, BOX, callback=5), TypeError, ["callback", "int 5"]),
    (lambda: minimize(zero, BOX, direction="maximize"), TypeError, ["direction", "'maximize'"]),
    (lambda: minimize(lambda x: "a", BOX), TypeError, ["value of f", "'a'"]),
    (lambda: minimize(lambda x: "a", BOX, workers=2), TypeError, ["value of f", "'a'"]),
    (lambda: minimize(lambda x: [1.0, 2.0], BOX), TypeError, ["value of f", "[1.0, 2.0]"]),
    (lambda: minimize(lambda x: np.zeros(3), BOX), TypeError, ["value of f", "array"]),
    (lambda: minimize(lambda x: HUGE, BOX), ValueError, ["value of f", "1.8e308"]),
    (lambda: stored().tell(-1, 1.0), ValueError, ["trial -1"]),
    (lambda: stored().tell(HUGE, 1.0), ValueError, ["is unknown"]),
    (lambda: stored().tell(stored().ask(), None, "complete"), ValueError, ["complete", "needs a value"]),
    (lambda: stored().ask().report("a", 1), TypeError, ["value", "'a'"]),
    (lambda: stored().ask().report(1.0, 1.5), TypeError, ["step", "1.5"]),
    (lambda: stored().ask().report(1.0, HUGE), ValueError, ["step", "at most"]),
    (lambda: stored().enqueue_trial(None), TypeError, ["params", "None"]),
    (lambda: stored().optimize(zero, n_trials=1, callbacks=[5]), TypeError, ["callbacks[0]", "int 5"]),
    (lambda: stored().optimize(zero, n_trials=1, catch=5), TypeError, ["catch", "int 5"]),
    (lambda: stored().optimize(lambda trial: "a", n_trials=1), TypeError, ["value of the objective", "'a'"]),
    (lambda: stored().optimize(lambda trial: HUGE, n_trials=1), ValueError, ["value of the objective", "1.8e308"]),
    (lambda: learned("x", "0", "0"), TypeError, ["`x`", "low", "'0'"]),
    (lambda: learned("x", 0, HUGE), ValueError, ["`x`", "high", "1.8e308"]),
    (lambda: create_study(load_if_exists="no"), TypeError, ["load_if_exists", "'no'"]),
    (lambda: minimize(3, BOX), TypeError, ["f must", "3"]),
    (lambda: minimize(zero, BOX, n_trials=0), ValueError, ["n_trials = 0", "at least 1"]),
    (lambda: minimize(zero, BOX, n_trials="3"), TypeError, ["n_trials", "'3'"]),
    (lambda: minimize(zero, BOX, timeout=-1), ValueError, ["timeout = -1", "at least 0"]),
    (lambda: minimize(zero, BOX, timeout="1"), TypeError, ["timeout", "'1'"]),
    (lambda: minimize(zero, BOX, noise=-1), ValueError, ["noise = -1", "at least 0"]),
    (lambda: minimize(zero, BOX, method="magic"), ValueError, ["magic", "gp-ei"]),
    (lambda: minimize(zero, BOX, typo=1), ValueError, ["typo"]),
    (lambda: create_study(storage="mysql://x/y"), ValueError, ["mysql"]),
    (lambda: create_study(storage=3), TypeError, ["storage", "3"]),
    (lambda: create_study(study_name=3), TypeError, ["study_name", "3"]),
    (lambda: create_study(study_name=""), ValueError, ["name"]),
    (lambda: create_study(direction="up"), ValueError, ["up", "maximize"]),
    (lambda: create_study(method="magic"), ValueError, ["magic", "gp-ei"]),
    (lambda: create_study(typo=1), ValueError, ["typo"]),
    (lambda: create_study(space={"x": (1, 0)}), ValueError, ["`x`"]),
    (lambda: create_study().optimize(3), TypeError, ["objective", "3"]),
    (lambda: create_study().optimize(zero, n_trials=-1), ValueError, ["n_trials = -1"]),
    (lambda: create_study().optimize(zero, n_trials=1, workers=0), ValueError, ["workers = 0"]),
    (lambda: create_study().optimize(lambda trial: 1.0, n_trials=1), ValueError, ["no parameter"]),
    (lambda: learned("x", 1, 0), ValueError, ["`x`", "low"]),
    (lambda: create_study().optimize(lambda t: t.suggest_int("x", "0", 1), n_trials=1), TypeError, ["`x`", "low", "'0'"]),
    (lambda: create_study().optimize(lambda t: t.suggest_categorical("x", []), n_trials=1), ValueError, ["`x`", "choices"]),
    (lambda: create_study().best_trial, ValueError, ["no trial of the study is complete yet"]),
    (lambda: create_study(pruner="fastest"), ValueError, ["`fastest` is unknown; known: median"]),
    (lambda: create_study(pruner="asha:min=0"), ValueError, ["min = `0` is not allowed"]),
    (lambda: create_study(pruner="median", directions=["minimize"] * 2, method="random"), ValueError, ["one objective, the study has 2"]),
    (lambda: create_study(pruner=3), TypeError, ["pruner"]),
    (lambda: Float(1, 0), ValueError, ["low must be below high", "low = 1.0, high = 0.0"]),
    (lambda: Float(0, float("nan")), ValueError, ["low and high must be finite numbers", "low = 0.0, high = nan"]),
    (lambda: Float(0, float("inf")), ValueError, ["low and high must be finite numbers", "low = 0.0, high = inf"]),
    (lambda: Float("0", 1), TypeError, ["low must be a number", "str '0'"]),
    (lambda: Float(0, 1, log=True), ValueError, ["a log scale needs low above 0", "low = 0.0"]),
    (lambda: Float(0, 1, step=-0.1), ValueError, ["step must be above 0 and at most high - low", "step = -0.1"]),
    (lambda: Float(0, 1, step=0), ValueError, ["step must be above 0 and at most high - low", "step = 0.0"]),
    (lambda: Float(0, 1, step=2), ValueError, ["step must be above 0 and at most high - low", "step = 2.0"]),
    (lambda: Float(0, 1, step=float("nan")), ValueError, ["step must be above 0 and at most high - low", "step = nan"]),
    (lambda: Int(3, 1), ValueError, ["low must not be above high", "low = 3, high = 1"]),
    (lambda: Int(0, 1.5), TypeError, ["high must be a whole number", "float 1.5"]),
    (lambda: Int(0, 9, log=True), ValueError, ["a log scale needs low of at least 1", "low = 0"]),
    (lambda: Int(0, 9, step=0), ValueError, ["step must be at least 1", "step = 0"]),
    (lambda: Categorical([]), ValueError, ["choices must have at least one value"]),
    (lambda: Categorical("abc"), TypeError, ["choices must be a list of values", "str 'abc'"]),
    (lambda: Categorical([object()]), TypeError, ["choices must be texts, numbers, bools, None, or tuples, lists or dicts of such"]),
    (lambda: Categorical([{1: 2}]), TypeError, ["choices must be texts, numbers, bools, None, or tuples, lists or dicts of such"]),
    (lambda: Ordinal([]), ValueError, ["values must have at least one value"]),
    (lambda: Ordinal("abc"), TypeError, ["values must be a list of values", "str 'abc'"]),
    (lambda: Space({"x": Ordinal(["a", "a"])}), ValueError, ["parameter `x`: choice `a` is given twice"]),
    (lambda: Space({}), ValueError, ["a space needs at least one parameter"]),
    (lambda: Space([("x", (0, 1))]), TypeError, ["a space is a dict from names to domains", "list"]),
    (lambda: Space({"a b": (0, 1)}), ValueError, ["parameter name `a b`: a name starts with a letter or `_`, followed by letters, digits, `_`, `.` or `-`"]),
    (lambda: Space({"x": (1, 0)}), ValueError, ["parameter `x`: low must be below high", "low = 1.0, high = 0.0"]),
    (lambda: Space({"x": [1, 2, 3]}), TypeError, ["parameter `x` must be Float, Int, Categorical, Ordinal, Bool, Fixed, a pair (low, high) or a value", "list [1, 2, 3]"]),
    (lambda: Space({"x": Categorical(["a", "a"])}), ValueError, ["parameter `x`: choice `a` is given twice"]),
    (lambda: Space({"x": Int(0, 2**63)}), ValueError, ["low and high must fit in 64 bits", "low = 0, high = 9223372036854775808"]),
    (lambda: Float(0, 1, when="a ="), ValueError, ["when", "a ="]),
    (lambda: Float(0, 1, when=3), TypeError, ["when", "3"]),
    (lambda: Float(0, 1, when={}), ValueError, ["when", "empty"]),
    (lambda: Float(0, 1, when={"a": []}), ValueError, ["`a`", "at least one"]),
    (lambda: Float(0, 1, when={"a": object()}), TypeError, ["`a`", "object"]),
    (lambda: Space({"x": Float(0, 1, when="model == svm")}), ValueError, ["x", "model"]),
    (lambda: Space({"x": Float(0, 1, when="x > 0.5")}), ValueError, ["x", "itself"]),
    (lambda: Space({"a": Bool(when="b"), "b": Bool(when="a")}), ValueError, ["a", "b", "cyclic"]),
    (lambda: Space({"m": Categorical(["a", "b"]), "x": Float(0, 1, when={"m": "c"})}), ValueError, ["x", "m", "c"]),
    (lambda: Space({"n": Int(1, 3), "x": Float(0, 1, when="n > 5")}), ValueError, ["x", "n > 5"]),
    (lambda: Space({"n": Int(1, 3), "x": Float(0, 1, when="n + 1")}), ValueError, ["x", "n + 1"]),
    (lambda: Space(MIXED, constraints=["y < 1"]), ValueError, ["y", "x"]),
    (lambda: Space(MIXED, constraints=["x +"]), ValueError, ["x +"]),
    (lambda: Space(MIXED, constraints=["x + n"]), ValueError, ["x + n"]),
    (lambda: Space(MIXED, constraints=["x / 0 < 1"]), ValueError, ["x / 0"]),
    (lambda: Space(MIXED, constraints=["x > 2"]), ValueError, ["x > 2", "never"]),
    (lambda: Space(MIXED, constraints=["x < 0.4", "x > 0.6"]), ValueError, ["x < 0.4", "x > 0.6"]),
    (lambda: Space(MIXED, constraints=["kernel == svm"]), ValueError, ["kernel", "svm"]),
    (lambda: Space(MIXED, constraints="x < 1"), TypeError, ["list", "x < 1"]),
    (lambda: Space(MIXED, constraints=[3]), TypeError, ["3"]),
    (lambda: Space(MIXED, constraints=[lambda point: False]), ValueError, ["lambda"]),
    (lambda: Optimizer(pool=[[0.0], [1.0]], constraints=["x < 1"]), ValueError, ["pool"]),
    (lambda: create_study(constraints=["x < 1"]), ValueError, ["space="]),
    (lambda: several(lambda x: (1.0,)), ValueError, ["the value of f has 1 values, but 2 are wanted: `loss`, `speed`"]),
    (lambda: several(lambda x: (1.0, 2.0, 3.0)), ValueError, ["the value of f has 3 values, but 2 are wanted"]),
    (lambda: several(lambda x: 1.0), TypeError, ["the value of f must be a tuple or a dict of 2 numbers, `loss`, `speed`"]),
    (lambda: several(lambda x: {"loss": 1.0}), ValueError, ["the value of f has no `speed`; wanted are `loss`, `speed`"]),
    (lambda: several(lambda x: {"loss": 1.0, "sped": 2.0}), ValueError, ["the value of f has `sped`, which is unknown; wanted are `loss`, `speed`"]),
    (lambda: several(lambda x: ("1", 2.0)), TypeError, ["must be a number, found str"]),
    (lambda: several(objectives=["loss"]), ValueError, ["the direction is missing; write `loss:minimize`"]),
    (lambda: several(objectives={"loss": "down"}), ValueError, ["direction `down` is not allowed"]),
    (lambda: several(objectives=["a:minimize", "a:minimize"]), ValueError, ["`a` is given more than once"]),
    (lambda: several(objectives="loss:minimize"), TypeError, ["objectives must be a list"]),
    (lambda: several(objectives=[]), ValueError, ["at least one objective"]),
    (lambda: several(outcome_constraints="m <= 2"), TypeError, ["outcome_constraints must be a list"]),
    (lambda: several(outcome_constraints=["m < 2"]), ValueError, ["write <="]),
    (lambda: several(reference={"size": 1.0}), ValueError, ["`size`, which is no objective"]),
    (lambda: several(reference={"loss": float("nan")}), ValueError, ["loss = NaN is not allowed"]),
    (lambda: several(reference=[1.0]), TypeError, ["reference must be a dict"]),
    (lambda: several(method="gp-ei"), ValueError, ["method `gp-ei` does not support 2 objectives"]),
    (lambda: neuralbo.maximize(zero, [(0, 1)], objectives=["a:minimize", "b:minimize"]), TypeError, ["give them to minimize"]),
    # Words and modules of other packages.
    (lambda: create_study(sampler=object()), TypeError, ["sampler is not an argument: ", "method=", "neuralbo.methods"]),
    (lambda: Optimizer([(0, 1)], sampler=1), TypeError, ["method="]),
    (lambda: stored().optimize(zero, n_trials=1, n_jobs=2), TypeError, ["it is called workers here"]),
    (lambda: stored().optimize(zero, n_trials=1, gc_after_trial=True), TypeError, ["gc.collect"]),
    (lambda: stored().optimize(func=zero, n_trials=1), TypeError, ["missing"]),
    (lambda: neuralbo.load_study("a.db", "s", sampler=1), TypeError, ["method="]),
    (lambda: neuralbo.load_study("a.db", "s", pruner=1), TypeError, ["study.pruner"]),
    (lambda: neuralbo.load_study("a.db", "s", nothing=1), TypeError, ["no argument nothing"]),
    (lambda: create_study(pruner=object()), TypeError, ['pruner must be a text such as "median"']),
    (lambda: neuralbo.samplers, AttributeError, ["method="]),
    (lambda: neuralbo.pruners, AttributeError, ["pruner="]),
    (lambda: neuralbo.visualization, AttributeError, ["plot"]),
    (lambda: neuralbo.logging, AttributeError, ["log_to_stderr"]),
    (lambda: neuralbo.dashboard(5), TypeError, ["source", "5"]),
    (lambda: neuralbo.dashboard("missing.db"), neuralbo.StorageError, ["missing.db"]),
    (lambda: neuralbo.dashboard(stored(), port=70000), ValueError, ["port", "70000"]),
    (lambda: neuralbo.dashboard(stored(), port="x"), TypeError, ["port"]),
    (lambda: neuralbo.dashboard(stored(), host="everywhere"), ValueError, ["host", "everywhere"]),
    (lambda: neuralbo.dashboard(stored(), token="short"), ValueError, ["token", "16"]),
    (lambda: neuralbo.dashboard(stored(), allow_edit="no"), TypeError, ["allow_edit"]),
    (lambda: minimize(zero, BOX, executor=THREADS, pruner="median"), ValueError, ["pruner = 'median'"]),
    (lambda: create_study(pruner="median").optimize(zero, n_trials=1, executor=THREADS), ValueError, ["the pruner 'median'"]),
    (lambda: create_study().optimize(zero, n_trials=1, executor=THREADS), ValueError, ["no parameter"]),
    (lambda: minimize(zero, BOX, executor="threads"), TypeError, ["executor must be a concurrent.futures.Executor, found str 'threads'"]),
]


@pytest.mark.parametrize(("wrong", "kind", "words"), BAD)
def test_bad_input_is_answered_with_field_and_allowed_values(wrong: object, kind: type, words: list) -> None:
    with refused(kind, words):
        wrong()  # type: ignore[operator]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_trial_with_a_wrong_value_has_failed_and_is_not_left_running(workers: int) -> None:
    study = stored()
    with pytest.raises(TypeError, match="value of the objective"):
        study.optimize(lambda trial: "a", n_trials=4, workers=workers)
    assert study.trials and all(trial.state == "failed" for trial in study.trials)


def test_one_number_in_an_array_is_a_value() -> None:
    values = iter([np.array(1.0), np.array([2.0]), np.float32(3.0), np.int64(4), float("inf"), None])
    result = minimize(lambda x: next(values), BOX, n_trials=6, seed=1)
    assert [trial.value for trial in result.history] == [1.0, 2.0, 3.0, 4.0, None, None]
    assert (result.nfev, result.nfail) == (6, 2)
