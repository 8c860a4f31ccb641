"""Four points that no line can label in every way, and what theory promises of one fit.

Run it with ``python examples/promises.py``. It prints:

    <Shattering: The hulls of points [0, 1, 3] and of points [2] meet.>
    one line can label 30 points of the plane in 872 of 1073741824 ways
    rows enough for a risk of 0.05: 1495
    stable compression: risk <= 0.029
    Clopper and Pearson: risk <= 0.031
    compression: risk <= 0.051
    double sample: risk <= 0.101
    Rademacher: risk <= 0.278
    Vapnik and Chervonenkis: risk <= 0.540
    sample margin: risk <= 0.941
"""

from __future__ import annotations

import numpy as np

import separatrix as sx

print(sx.theory.shatters([[0, 0], [4, 0], [1, 1], [0, 4]]))

random = np.random.default_rng(0)
found = sx.theory.dichotomies_of(random.normal(size=(30, 2)))
print(f"one line can label 30 points of the plane in {len(found)} of {2**30} ways")

dimension = sx.theory.vc_dimension(2)
print("rows enough for a risk of 0.05:", int(sx.theory.sample_complexity(0.05, 0.05, dimension)))

X, y = sx.theory.PlantedNormal((1.0, 2.0)).sample(700, random)
model = sx.MaxMargin().fit(X[:500], y[:500])
promises = sx.theory.generalisation(model, X[:500], y[:500], X_test=X[500:], y_test=y[500:])
for bound in promises:
    if bound.delta is not None and not bound.vacuous:
        print(f"{bound.name}: risk <= {bound.value:.3f}")
