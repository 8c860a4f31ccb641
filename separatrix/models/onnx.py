"""A linear model as an ONNX graph in double precision: scores, then labels, as `predict` gives them.

The operators of ONNX for linear models hold float32 weights, which would move the boundary. The graph is
made of plain ones: X·Wᵀ + b, then ``score > 0`` or the largest score, then the label in that place.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.models.model_error import ModelError
from separatrix.models.whole_file import atomic_write

OPSET = 17
IR_VERSION = 8  # of the ONNX of that opset, so that older runtimes read the file


def to_onnx(model: Any) -> bytes:
    """The graph of a fitted model: input ``X`` (rows × columns, double), outputs ``label`` and ``scores``.

    Regressions have one output, ``prediction``. Class labels are text, or whole numbers where all of them
    are.
    """
    try:
        from onnx import TensorProto, checker, helper, numpy_helper
    except ImportError:
        raise ModelError("ONNX files need the package onnx: install separatrix[onnx].") from None
    check_is_fitted(model)
    name = type(model).__name__
    if not hasattr(model, "coef_"):
        raise ModelError(f"A {name} is no single linear map, so it has no ONNX form here.")
    weights = np.atleast_2d(np.asarray(model.coef_, np.float64))
    bias = np.atleast_1d(np.asarray(model.intercept_, np.float64))
    if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
        raise ModelError("The weights are not finite, so there is nothing to export.")
    classes = getattr(model, "classes_", None)
    constants = {"weights": np.ascontiguousarray(weights.T), "bias": bias}
    nodes = [
        helper.make_node("MatMul", ["X", "weights"], ["products"]),
        helper.make_node("Add", ["products", "bias"], ["scores" if classes is not None else "sums"]),
    ]
    rows = helper.make_tensor_value_info("X", TensorProto.DOUBLE, ["rows", weights.shape[1]])
    outputs = []
    if classes is None:
        nodes.append(helper.make_node("Squeeze", ["sums", "last"], ["prediction"]))
        constants["last"] = np.array([1], np.int64)
        outputs = [helper.make_tensor_value_info("prediction", TensorProto.DOUBLE, ["rows"])]
    else:
        labels, kind = _labels(classes)
        constants["labels"] = labels
        if len(classes) == 2:
            constants["zero"], constants["last"] = np.array(0.0), np.array([1], np.int64)
            nodes += [
                helper.make_node("Squeeze", ["scores", "last"], ["score"]),
                helper.make_node("Greater", ["score", "zero"], ["above"]),
                helper.make_node("Cast", ["above"], ["place"], to=TensorProto.INT64),
            ]
        else:
            nodes.append(helper.make_node("ArgMax", ["scores"], ["place"], axis=1, keepdims=0))
        nodes.append(helper.make_node("Gather", ["labels", "place"], ["label"]))
        outputs = [
            helper.make_tensor_value_info("label", getattr(TensorProto, kind), ["rows"]),
            helper.make_tensor_value_info("scores", TensorProto.DOUBLE, ["rows", len(bias)]),
        ]
    graph = helper.make_graph(
        nodes,
        f"separatrix {name}",
        [rows],
        outputs,
        [numpy_helper.from_array(value, key) for key, value in constants.items()],
    )
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="separatrix"
    )
    made.ir_version = IR_VERSION
    checker.check_model(made)
    return bytes(made.SerializeToString())


def save_onnx(model: Any, path: str | os.PathLike[str]) -> None:
    """Write the ONNX graph of a fitted model, whole or not at all."""
    content = to_onnx(model)
    with atomic_write(path, binary=True) as file:
        file.write(content)


def _labels(classes: np.ndarray) -> tuple[np.ndarray, str]:
    if classes.dtype.kind in "iub":
        return classes.astype(np.int64), "INT64"
    return np.array([str(label) for label in classes.tolist()], dtype=object), "STRING"
