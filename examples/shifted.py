"""Separable rows, moved away from the origin: what the perceptron says, and the remedy.

Adding 100 to every entry moves no row against another. The largest margin stays; the bound on mistakes
does not.

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
"""

from __future__ import annotations

import warnings
from textwrap import fill

import separatrix as sx

near = sx.problems.separable(200, 2, margin=0.125)
far = sx.problems.shifted(near, 100.0)
warnings.simplefilter("ignore", sx.FitWarning)  # the certificate says the same

for name, problem, center in (("near", near, False), ("far", far, False), ("far, centred", far, True)):
    model = sx.Perceptron(center=center, max_passes=200).fit(*problem)
    print(f"{name}: {model.mistakes_} mistakes in {model.passes_} passes")
    print(fill(model.certificate_.verify(*problem).reason, 80))
