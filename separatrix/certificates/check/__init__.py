"""An independent checker: a certificate and a CSV file in, a verdict out, with the standard library alone.

It imports nothing of the library whose claims it checks. Copy this folder anywhere and read it::

    python -m separatrix.certificates.check certificate.json data.csv
    python check certificate.json data.csv --label y

The files, in the order to read them: ``table`` (the data), ``record`` (the certificate), ``separation`` and
``margin``, ``conflict`` and ``bounds`` (one a family of claims), ``__main__`` (the verdict).
"""
