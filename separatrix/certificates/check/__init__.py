"""An independent checker: a certificate and a CSV file in, a verdict out, with the standard library alone.

It imports nothing of the library whose claims it checks. Copy this folder anywhere and read it::

    python -m separatrix.certificates.check certificate.json data.csv
    python check certificate.json data.csv --label y
    python check certificate.json leaves.csv --leaves

The files, in the order to read them:

- ``limits`` (sizes), ``csv_text``, ``labels``, ``prepared_text``, ``hash_tree`` and ``table`` (the data);
- ``digits``, ``field_types``, ``record`` and ``preparation`` (the certificate);
- ``halfspaces`` and ``combinations`` (whole numbers), ``separation``, ``margins`` and ``mistakes``;
- ``dependency``, ``errors``, ``errors_circuits`` and ``errors_cone``: the fewest errors;
- ``least_squares``: linear regression and ridge;
- ``soft_margin``, ``logarithms``, ``likelihood`` and ``joint_likelihood``: support vector machines and
  logistic regression;
- ``__main__`` (the verdict) and ``vectors`` (which runs test vectors).
"""
