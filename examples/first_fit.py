"""A first fit: train, look at what was proven, then try to forge it.

Run it with ``python examples/first_fit.py``. It prints:

    300 mails, 20 words
    93 mistakes in 8 passes
    ham:  homework confirmation lecture
    spam: winner free viagra
    A halfspace has every row strictly on its side: the rows are linearly separable.
    as given:       All 300 rows are strictly on their side.
    a label turned: Row 5 (counted from 0) is not strictly on its side.
"""

from __future__ import annotations

import separatrix as sx

mails = sx.problems.spam_words()
X, y = mails
model = sx.Perceptron().fit(X, y)

print(f"{len(X)} mails, {len(mails.columns)} words")
print(f"{model.mistakes_} mistakes in {model.passes_} passes")

by_weight = sorted(zip(model.coef_[0], mails.columns, strict=True))
print("ham: ", *(word for _, word in by_weight[:3]))
print("spam:", *(word for _, word in by_weight[-3:]))

certificate = model.certificate_
print(certificate.claim)
print("as given:      ", certificate.verify(X, y).reason)

y[5] = "ham" if y[5] == "spam" else "spam"
print("a label turned:", certificate.verify(X, y).reason)
