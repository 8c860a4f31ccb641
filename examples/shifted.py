"""Separable rows, moved away from the origin: what perceptrons make of it, and the remedy.

Adding 100 to every entry moves no row against another. The largest margin stays; the bound on mistakes
does not. scikit-learn's methods that learn row by row get a thousand passes here and still err (version
1.9's `Perceptron` even after a million, on a quarter of the rows); `LinearSVC` errs because it penalises the
intercept. `LogisticRegression`, `RidgeClassifier` and `SVC` get these rows right, without a proof.

Run it with ``python examples/shifted.py``. It prints:

    near: 4 mistakes in 2 passes
    All 200 rows are strictly on their side.
    far: 17881 mistakes in 200 passes
    After 200 passes and 17881 mistakes (51 in the last pass) the weights still err
    on 45 of 200 rows, so nothing is proven. The rows are far from the origin (R =
    142.8; around their middle 1.735): center=True divides the mistake bound by
    about 6.78e+03 or more. Yet a separating halfspace exists; sx.separate returns
    one. The best margin is 0.00126189, and enough passes find a separator, after at
    most 12803263870 mistakes.
    far, centred: 4 mistakes in 2 passes
    All 200 rows are strictly on their side.

    scikit-learn        near         far
    Perceptron          no error     errs on a tenth of the rows or more
    SGDClassifier       no error     errs on a tenth of the rows or more
    LinearSVC           no error     errs on a tenth of the rows or more
"""

from __future__ import annotations

import warnings
from textwrap import fill

from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.svm import LinearSVC

import separatrix as sx

near = sx.problems.separable(200, 2, margin=0.125)
far = sx.problems.shifted(near, 100.0)
warnings.simplefilter("ignore", sx.FitWarning)  # the certificate says the same

for name, problem, center in (("near", near, False), ("far", far, False), ("far, centred", far, True)):
    model = sx.Perceptron(center=center, max_iter=200).fit(*problem)
    print(f"{name}: {model.mistakes_} mistakes in {model.passes_} passes")
    print(fill(model.certificate_.verify(*problem).reason, 80))


def outcome(peer, problem):
    """In words that do not hang on a version of scikit-learn."""
    errors = (peer.fit(*problem).predict(problem.X) != problem.y).sum()
    if errors == 0:
        return "no error"
    return "errs on a tenth of the rows or more" if errors >= 20 else "errs on some rows"


print(f"\n{'scikit-learn':20}{'near':13}far")
for peer in (
    Perceptron(max_iter=1000, tol=None),
    SGDClassifier(loss="perceptron", max_iter=1000, tol=None, random_state=0),
    LinearSVC(random_state=0),
):
    print(f"{type(peer).__name__:20}{outcome(peer, near):13}{outcome(peer, far)}")
