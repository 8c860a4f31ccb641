"""One name for one thing, in the words of the field; constants with their unit."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import separatrix
import separatrix.certificates.json_format  # knows every kind
from separatrix import certificates

PACKAGE = Path(separatrix.__file__).parent

CLASSES = {
    "LimitError": "the standard-library checker has its own limits",
    "Limits": "the standard-library checker has its own limits",
    "Preparation": "how columns became numbers: for files, for `verify`, for the standard-library checker",
}

FILES = {
    "certificate": "role: the proof of one method; the base class of all proofs",
    "estimator": "role: the scikit-learn class of one method",
    "objective": "role: what one method minimises",
    "solver": "role: how one method minimises",
    "bound": "a bound, and the command that evaluates one",
    "errors": "errors of a halfspace: claimed, and checked",
    "json": "a summary, and the answers of `check`, as JSON",
    "labels": "what labels mean, for `verify` and for the standard-library checker",
    "limits": "size limits, for the library and for the standard-library checker",
    "losses": "the five losses, and the plot of them",
    "boundary": "the boundary between two classes, drawn",
    "margins": "margins: found, claimed, drawn, and in theory",
    "mistakes": "mistakes: bounded, claimed and drawn",
    "preparation": "how columns became numbers, for `verify` and for the standard-library checker",
    "progress": "progress of a fit: reported, and shown on a terminal",
    "ridge_path": "the ridge path, and the plot of it",
    "separation": "the claims of separation, and their checks",
    "soft_margin": "the soft margin: its dual bound, and its check",
    "streams": "streams of rows: bounds for them, and hard ones",
    "text": "a result rendered as text",
}
FOLDERS = {
    "check": "checking a certificate, and what the command of that name prints",
    "cones": "proofs of fewest errors by cones: found, and replayed",
}

RETIRED = frozenset({
    "anchor", "astray", "awake", "cast", "census", "drawn", "focus", "glance", "grain", "grains", "heed",
    "heeded", "home", "inwards", "ledger", "lent", "loud", "noting", "outwards", "passages", "quiet",
    "reach", "reached", "reaching", "room", "roomy", "ruled", "settle", "settled", "shade", "shades",
    "shading", "shadow", "sight", "spool", "stood", "stories", "story", "street", "survey", "tallies",
    "tally", "tell", "telling", "tellings", "tells", "told", "twin", "twins", "voice",
})  # fmt: skip
# {word: {file or folder: the ordinary sense in which it is used there}}
ORDINARY = {
    "anchor": {"reports/": "text-anchor, an attribute of SVG"},
    "cast": {
        "certificates/check/limits.py": "memoryview.cast",
        "certificates/replay/circuits.py": "typing.cast",
        "limits.py": "memoryview.cast",
        "rows/files/class_labels.py": "the method of Arrow arrays",
        "rows/files/parallel_csv.py": "memoryview.cast",
        "rows/files/untyped_columns.py": "the method of Arrow arrays",
        "rows/tables.py": "the method of Arrow arrays",
    },
    "drawn": {
        "problems/": "drawn at random",
        "reports/": "drawn in a figure",
        "theory/convergence.py": "drawn at random",
    },
    "grain": {"problems/lookalikes.py": "the grain of a picture"},
    "home": {"kernels/disk_cache.py": "Path.home"},
    "quiet": {"cli/": "the option --quiet"},
    "settled": {
        "plot/animation.py": "an attribute of the public Trace",
        "reports/": "a key of the published JSON",
    },
    "tell": {
        "certificates/check/csv_text.py": "the method of files",
        "rows/files/source.py": "the method of files",
        "rows/files/wide_parquet.py": "the method of files",
    },
    "twin": {"reports/diagnosis/": "keys of the published JSON"},
    "twins": {"reports/diagnosis/": "keys of the published JSON"},
}

UNITS = frozenset({
    "ANGLES", "BARS", "BINS", "BITS", "BLOCKS", "BYTES", "CATEGORIES", "CELLS", "CHARACTERS", "CIRCUITS",
    "CLASSES", "COEFFICIENTS", "COLUMNS", "COST", "COSTS", "COUNT", "DEGREES", "DIGITS", "DIMENSIONS",
    "ELEMENTS", "ENTRIES", "EQUATIONS", "ERRORS", "EVENTS", "EXIT", "EXPONENT", "FACTOR", "FITS", "FRAMES",
    "GROUPS", "HALFSPACES", "HEIGHT", "INTEGER", "INTERVALS", "ITERATIONS", "LABELLINGS", "LEVELS", "LINES",
    "MISTAKES", "MULTIPLES", "NAMES", "NODES", "NORM", "OPSET", "PANELS", "PASSES", "PERCENT", "POINTS",
    "PRIME", "PRIMES", "PRODUCTS", "RESTARTS", "ROUNDS", "ROWS", "SCORE", "SECONDS", "SHARE", "SIZE",
    "STEPS", "SUM", "SWEEPS", "TASKS", "TERMS", "THREADS", "TOLERANCE", "VALUE", "VALUES", "VERSION",
    "WEIGHT", "WIDTH", "WORDS",
})  # fmt: skip
# {file or folder: {constant: why it has no unit}}
DIMENSIONLESS = {
    "algorithms/logistic/enclosure_kernels.py": {
        "ALLOWED_ERROR": "relative",
        "LN2": "a number of its own",
        "LN2_HIGH": "a number of its own",
        "LN2_LOW": "a number of its own",
    },
    "algorithms/logistic/inference.py": {"MAX_DISTANCE": "in standard errors"},
    "algorithms/logistic/objective.py": {"EPSILON": "of doubles"},
    "algorithms/logistic/objective_kernels.py": {
        "LN2_HIGH": "a number of its own",
        "LN2_LOW": "a number of its own",
        "LOG2E": "a number of its own",
    },
    "algorithms/least_squares/": dict.fromkeys(
        ("MAX_CONDITION", "MAX_SINGLE_CONDITION", "SAFE_CONDITION"), "a ratio of eigenvalues"
    ),
    "algorithms/svm/": {
        **dict.fromkeys(("AT_COST", "AT_ZERO", "IN_SET", "VIOLATED"), "a bit of a row's state"),
        **dict.fromkeys(("HARD_MARGIN_GAP", "SOFT_MARGIN_GAP", "STRETCHES"), "relative"),
        "WARM_START_PENALTY": "a share per unit of the margin",
    },
    "algorithms/perceptrons/measured_margins.py": {"LEAST_DOUBLE": "the least double"},
    "algorithms/perceptrons/sweep_kernels.py": {
        "MAX_UNDERFLOW": "what all products that underflow may add up to",
        "UNIT_ROUNDOFF": "u of the error analysis",
    },
    "algorithms/zero_one/lower/circuits/branching_tree.py": {"DENOMINATOR": "of all multipliers"},
    "algorithms/zero_one/lower/circuits/cut_pool.py": dict.fromkeys(
        ("EXACT", "UNKNOWN", "WRONG"), "a state of a circuit"
    ),
    "algorithms/zero_one/lower/circuits/node_relaxation.py": {"LEFT_OUT": "a mark of a row"},
    "algorithms/zero_one/lower/cones/stack_kernels.py": {"U": "u of the error analysis"},
    "certificates/arithmetic/enclosures.py": {
        "_LEAST_DOUBLE": "a number of its own",
        "_LN2": "a number of its own",
        "_LN2_HIGH": "a number of its own",
        "_LN2_LOW": "a number of its own",
        "ALLOWED_ERROR": "relative",
    },
    "certificates/arithmetic/row_sums.py": {"_HALF_MANTISSA": "a power of two"},
    "certificates/check/halfspaces.py": {"UNIT": "1 over the least double"},
    "certificates/check/mistakes.py": {"TINY": "the least normal double, over the least double"},
    "certificates/": {
        "U": "u of the error analysis",
        "_TAU": "τ of the error analysis",
        "_U": "u of the error analysis",
        "_UNDERFLOW": "what all products that underflow may add up to",
        "UNDERFLOW": "what all products that underflow may add up to",
    },
    "fitting/predicted_scores.py": {"LEAST_NORMAL": "the least normal double"},
    "halfspace/affine.py": {"_EPSILON": "of doubles", "_TINY": "the least normal double"},
    "kernels/certain_signs.py": {
        "LONG": "in the units of the data",
        "SHORT": "in the units of the data",
    },
    "rows/files/svmlight_kernels.py": {
        "NO_GROUP": "stands for a missing index",
        "NO_LABEL": "stands for a missing index",
        "NO_PAIR": "stands for a missing index",
        "REFUSED": "stands for a count of rows",
    },
    "reports/": dict.fromkeys(("BOTTOM", "GAP", "LEFT", "RIGHT", "TOP"), "pixels of a figure"),
}


# {file: {constant: what is indexed by it}}
INDICES = {
    "certificates/check/limits.py": {"VARIABLE": "the environment"},
    "limits.py": {"VARIABLE": "the environment"},
}


@cache
def modules() -> dict[str, ast.Module]:
    """The syntax trees of the package, by path."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text("utf-8")) for path in paths}


def words(identifier: str) -> list[str]:
    """The words of an identifier: split at underscores and before capitals."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", identifier)]


def identifiers(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.arg) or (isinstance(node, ast.keyword) and node.arg is not None):
            yield node.arg or ""
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.alias) and node.asname is not None:
            yield node.asname


def is_numeric(value: ast.expr) -> bool:
    """Whether an expression is made of numbers."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, int | float) and not isinstance(value.value, bool)
    if isinstance(value, ast.UnaryOp):
        return is_numeric(value.operand)
    if isinstance(value, ast.Tuple):
        return bool(value.elts) and all(map(is_numeric, value.elts))
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in ("Decimal", "float", "int", "range")
    return isinstance(value, ast.BinOp) and (is_numeric(value.left) or is_numeric(value.right))


def numeric_constants(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and is_numeric(node.value):
            names = [name for target in node.targets for name in ast.walk(target)]
            yield from (name.id for name in names if isinstance(name, ast.Name) and name.id.isupper())


def constant_indices(tree: ast.Module) -> Iterator[str]:
    """The constants that something is indexed by, alone or as one of several indices; types apart."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") != "Annotated":
            indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            for index in indices:
                name = getattr(index, "attr", getattr(index, "id", ""))
                if name.lstrip("_").isupper() and len(name) > 1:
                    yield name


def covered(path: str, places: dict[str, str]) -> str | None:
    """The file or folder of a table that a path belongs to."""
    return next((place for place in places if path.startswith(place)), None)


def test_no_class_name_means_two_things():
    places = defaultdict(list)
    for path, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name.lstrip("_")].append(path)
    repeated = {name: found for name, found in places.items() if len(found) > 1}
    assert {name: repeated[name] for name in repeated.keys() - CLASSES.keys()} == {}
    assert CLASSES.keys() <= repeated.keys(), "an allowed repeat is gone: take it off the table"


def test_no_file_name_means_two_things():
    files, folders = defaultdict(list), defaultdict(set)
    for path in modules():
        *parents, name = Path(path).parts
        files[name.removesuffix(".py")].append(path)
        for depth, folder in enumerate(parents):
            folders[folder].add("/".join(parents[: depth + 1]))
    for places, allowed in ((files, FILES), (folders, FOLDERS)):
        repeated = {name: found for name, found in places.items() if len(found) > 1}
        known = {"__init__", "__main__", *allowed}
        assert {name: repeated[name] for name in repeated.keys() - known} == {}
        assert allowed.keys() <= repeated.keys(), "an allowed repeat is gone: take it off the table"


def test_identifiers_are_free_of_retired_words():
    found, used = [], set()
    for path, tree in modules().items():
        for name in {*identifiers(tree), *Path(path.removesuffix(".py")).parts}:
            for word in RETIRED.intersection(words(name)):
                place = covered(path, ORDINARY.get(word, {}))
                used.add((word, place))
                if place is None:
                    found.append(f"{path}: {name}")
    assert sorted(found) == []
    assert {(word, place) for word, places in ORDINARY.items() for place in places} <= used, (
        "a word is no longer used there: take it off the table"
    )


def test_constants_carry_their_unit():
    found = []
    for path, tree in modules().items():
        allowed = {name for place, names in DIMENSIONLESS.items() if path.startswith(place) for name in names}
        bare = (name for name in numeric_constants(tree) if not UNITS.intersection(name.split("_")))
        found += [f"{path}: {name}" for name in bare if name not in allowed]
    assert sorted(found) == []


def is_listing(node: ast.AST) -> bool:
    return isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict)


def test_kinds_of_claims_are_listed_in_certificates_alone():
    """What is known of a claim stands in its class; ``separable`` alone is an ordinary word, too."""
    found = []
    for path, tree in modules().items():
        for node in ast.walk(tree) if not path.startswith("certificates/") else ():
            texts = [one.value for one in ast.iter_child_nodes(node) if isinstance(one, ast.Constant)]
            kinds = {text for text in texts if isinstance(text, str)} & certificates.Certificate.kinds.keys()
            if (is_listing(node) and len(kinds) > 1) or any("-" in kind for kind in kinds):
                found.append(f"{path}: {', '.join(sorted(kinds))}")
    assert found == []


def test_fields_have_names():
    """A record is a NamedTuple or a structured array: no array has a constant for each of its places."""
    found = {(path, name) for path, tree in modules().items() for name in constant_indices(tree)}
    allowed = {(path, name) for path, names in INDICES.items() for name in names}
    assert sorted((path, name) for path, name in found - allowed) == []
    assert allowed <= found, "an allowed index is gone: take it off the table"


def test_words_of_an_identifier():
    assert words("_MAX_NEWTON_STEPS") == ["max", "newton", "steps"]
    assert words("ErrorsAtLeast") == ["errors", "at", "least"]
    assert words("JSONReader2") == ["json", "reader"]
