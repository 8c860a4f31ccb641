"""The public names are sorted, complete and typed, and cost nothing until they are used."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import separatrix
import separatrix as sx

HEAVY = ("matplotlib", "numba", "numpy", "pandas", "polars", "pyarrow", "scipy", "sklearn")


def test_names_are_sorted_and_single():
    assert sx.__all__ == sorted(set(sx.__all__))


def test_every_name_has_a_home_and_every_home_is_public():
    homes = {*separatrix._HOMES, *separatrix._SUBMODULES, "__version__"}
    assert homes == set(sx.__all__)
    assert set(sx.__all__) <= set(dir(sx))


@pytest.mark.parametrize("name", sx.__all__)
def test_name_can_be_imported(name):
    value = getattr(sx, name)
    if name in separatrix._SUBMODULES:
        assert value is import_module(f"separatrix.{name}")
    elif name != "__version__":
        assert not inspect.ismodule(value)
        assert value is getattr(sx, name)


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'separatrix' has no attribute 'perceptron'"):
        _ = sx.perceptron


def test_every_estimator_is_public():
    from sklearn.base import BaseEstimator

    algorithms = import_module("separatrix.algorithms")
    classes = set()
    for entry in pkgutil.walk_packages(algorithms.__path__, "separatrix.algorithms."):
        classes.update(value for _, value in inspect.getmembers(import_module(entry.name), inspect.isclass))
    ours = {value for value in classes if value.__module__.startswith("separatrix.algorithms.")}
    final = {value for value in ours if issubclass(value, BaseEstimator) and not value.__subclasses__()}
    assert {value.__name__ for value in final} <= set(sx.__all__)


def test_type_stub_lists_the_same_names():
    stub = ast.parse(Path(separatrix.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    listed = {"__version__"}
    for statement in stub.body:
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                listed.add(alias.name)
                home = "separatrix" if alias.name in separatrix._SUBMODULES else separatrix._HOMES[alias.name]
                assert statement.module == home, alias.name
    assert listed == set(sx.__all__)


@pytest.mark.parametrize("module", ["separatrix", "separatrix.cli"])
def test_import_is_light(module):
    program = f"import sys, {module}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


@pytest.mark.parametrize(
    "name", ["separatrix", *(f"separatrix.{name}" for name in sorted(separatrix._SUBMODULES))]
)
def test_modules_show_their_public_names_alone(name):
    module = import_module(name)
    assert dir(module) == sorted(set(module.__all__))
    assert all(hasattr(module, shown) for shown in module.__all__)


OF_CLASSIFIERS = {"decision_function", "fit", "predict", "score"}
OF_REGRESSIONS = {"certificate_", "fit", "merge", "moments_", "partial_fit", "predict", "score"}
# What a perceptron cannot be told is an attribute of its class.
OF_PERCEPTRONS = OF_CLASSIFIERS | {
    "center", "max_mistakes", "n_iter_", "order", "random_state", "track_margin", "warm_start"
}  # fmt: skip
METHODS = {
    "AveragedPerceptron": OF_PERCEPTRONS | {"partial_fit"},
    "BatchPerceptron": OF_PERCEPTRONS,
    "Lift": {"fit", "fit_transform", "get_feature_names_out", "set_output", "transform"},
    "LinearRegression": OF_REGRESSIONS | {"summary"},
    "LinearSVM": OF_CLASSIFIERS,
    "LogisticRegression": OF_CLASSIFIERS | {"predict_log_proba", "predict_proba", "summary"},
    "MarginPerceptron": OF_PERCEPTRONS | {"partial_fit"},
    "MaxMargin": OF_CLASSIFIERS,
    "PassiveAggressive": OF_PERCEPTRONS | {"partial_fit"},
    "Perceptron": OF_PERCEPTRONS | {"partial_fit"},
    "PocketPerceptron": OF_PERCEPTRONS | {"partial_fit"},
    "Ridge": OF_REGRESSIONS | {"eigenvalues_", "path"},
    "VotedPerceptron": OF_PERCEPTRONS | {"partial_fit"},
    "ZeroOne": OF_CLASSIFIERS,
}


def estimators():
    from sklearn.base import BaseEstimator

    values = (getattr(sx, name) for name in sx.__all__)
    return [value for value in values if isinstance(value, type) and issubclass(value, BaseEstimator)]


def public(names):
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("estimator", estimators(), ids=lambda estimator: estimator.__name__)
def test_estimators_have_no_other_public_names(estimator):
    """Beside these: their parameters, and what every estimator of scikit-learn has."""
    from sklearn.base import BaseEstimator

    requests = {f"set_{method}_request" for method in ("fit", "partial_fit", "score")}
    given = set(inspect.signature(estimator).parameters) | public(dir(BaseEstimator)) | requests
    assert public(dir(estimator)) - given == METHODS[estimator.__name__] - given


@pytest.mark.filterwarnings("ignore::separatrix.FitWarning")
@pytest.mark.parametrize("estimator", estimators(), ids=lambda estimator: estimator.__name__)
def test_a_fit_leaves_behind_what_ends_in_an_underscore(estimator):
    X, y = sx.problems.xor()
    model = estimator().fit(X, y)
    assert all(name.endswith("_") for name in public(vars(model)) - set(model.get_params()))
