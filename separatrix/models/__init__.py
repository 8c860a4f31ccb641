"""Models as JSON files: every float round-trips, no code is stored, a file is written whole or not at all.

A file holds the name of the estimator, its parameters, and all it learned: classes, weights (also as whole
numbers where doubles do not hold them), feature names, certificates, history and the counted facts. A
loaded model predicts the same bits, and its certificates verify against the data they speak of. One that
learns row by row also keeps the run behind its weights, and goes on from there with the same bits.

>>> import pathlib, tempfile
>>> import separatrix as sx
>>> X, y = sx.problems.iris("setosa")
>>> with tempfile.TemporaryDirectory() as folder:
...     path = pathlib.Path(folder, "iris.json")
...     sx.save(sx.Perceptron().fit(X, y), path)
...     model = sx.load(path)
>>> model.score(X, y), model.certificate_.verify(X, y).holds
(1.0, True)
"""

from __future__ import annotations

from separatrix.models.model_error import ModelError
from separatrix.models.storage import from_json, load, save, to_json

__all__ = ["ModelError", "from_json", "load", "save", "to_json"]
