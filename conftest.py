"""Settings that must be in place before SciPy or matplotlib is imported, by a test or by a doctest."""

from __future__ import annotations

import os

# Without it scikit-learn's array API check is skipped in silence.
os.environ["SCIPY_ARRAY_API"] = "1"
os.environ["MPLBACKEND"] = "Agg"

# They need Sphinx, which `make test` does not install.
collect_ignore_glob = ["docs/*.py"]
