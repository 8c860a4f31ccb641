"""The frame of every certificate: a witness, what it speaks of, one sentence, one verdict.

A claim is a subclass in a file of its own. It declares the fields of its witness with the types of
:mod:`separatrix.certificates.fields`, and supplies ``claim`` and ``_prove``; reading of data, refusal of
data it does not speak of, JSON and the digest are here, once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Self, get_type_hints

from separatrix.certificates.data.digest import digest_of
from separatrix.certificates.data.labels import LABEL, Label
from separatrix.certificates.data.measured_targets import read_targets
from separatrix.certificates.data.preparation import PREPARATION, REMEDY, Preparation, preparation_of
from separatrix.certificates.data.reading import RowSource, read
from separatrix.certificates.fields import (
    TEXT,
    CertificateError,
    TextOrNone,
    WholeOrNone,
    shown,
    to_json_number,
)
from separatrix.certificates.forms import Form, optional, some

FORMAT = "separatrix-certificate"
VERSION = 2
NO_FEWER_ERRORS = "that no halfspace makes fewer errors"  # what several claims leave open


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds of the data, and the reason in one sentence. True in a condition if it holds."""

    holds: bool
    reason: str

    def __bool__(self) -> bool:
        return self.holds


def _digest(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(_DIGEST, value):
        raise ValueError("it must read 'sha256:' and 64 hexadecimal digits")
    return value


_DIGEST = "sha256:[0-9a-f]{64}"
DIGEST = Form(_digest, "digest", {"type": "string", "pattern": f"^{_DIGEST}$"})
_TEXTS = some(TEXT)
FEATURES = Form(_TEXTS.read, _TEXTS.name, {**_TEXTS.schema, "uniqueItems": True})


class _Checked:
    """A record whose fields pass through their declared form when it is made."""

    def __post_init__(self) -> None:
        record: type = type(self)
        for name, form in forms_of(record).items():
            try:
                object.__setattr__(self, name, form(getattr(self, name)))
            except CertificateError:  # a limit, which names itself
                raise
            except ValueError as error:
                raise CertificateError(f"The certificate's {name!r} is wrong: {error}.") from None


@cache
def forms_of(record: type) -> dict[str, Form]:
    """The types of the fields that it declares, by name."""
    hints = get_type_hints(record, include_extras=True)
    declared = {item.name: hints[item.name] for item in fields(record)}
    return {name: hint.__metadata__[0] for name, hint in declared.items() if hasattr(hint, "__metadata__")}


@dataclass(frozen=True)
class About(_Checked):
    """The data a certificate speaks of; what is None is not said.

    Attributes
    ----------
    rows, columns
        Its shape.
    positive
        The label that counts as +1; every other one is −1. None: the larger of the two.
    label, features
        Names of the label column and of the columns of X, in order.
    preparation
        How these columns were made of those of the data, where they were: categories as columns of 0 and 1,
        rows with a missing cell left out. All else speaks of the prepared rows.
    digest
        ``sha256:`` and the hash of :func:`digest_of`.
    """

    rows: WholeOrNone = None
    columns: WholeOrNone = None
    positive: Annotated[Label | None, optional(LABEL)] = None
    label: TextOrNone = None
    features: Annotated[tuple[str, ...] | None, optional(FEATURES)] = None
    preparation: Annotated[Preparation | None, optional(PREPARATION)] = None
    digest: Annotated[str | None, optional(DIGEST)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.preparation is not None and not self.preparation.makes(self.features or ()):
            raise CertificateError("The certificate's preparation makes other columns than its features.")
        if self.preparation is not None and self.label in self.preparation.input_names:
            raise CertificateError("The certificate's preparation takes the label column for a feature.")
        if self.features is None:
            return
        if len(set(self.features)) < len(self.features):
            raise CertificateError("The certificate names a feature twice.")
        if self.columns not in (None, len(self.features)):
            raise CertificateError(f"It names {len(self.features)} features, not {self.columns}.")
        object.__setattr__(self, "columns", len(self.features))

    def refusal(self, source: RowSource, digest: Callable[[RowSource], str]) -> str | None:
        """Why this is not the data spoken of, or None. The data is hashed only if there is a digest.

        Names are compared where the data has names.
        """
        found = self._difference(source, digest)
        if found is None or self.preparation is None:
            return found
        if self.preparation.is_repeatable or source.preparation is not None:
            return found
        return f"{found.removesuffix('.')}; {REMEDY}."

    def _difference(self, source: RowSource, digest: Callable[[RowSource], str]) -> str | None:
        if self.rows not in (None, source.n_rows):
            return f"It speaks of {self.rows} rows; this data has {source.n_rows}."
        if self.columns not in (None, source.n_columns):
            return f"It speaks of {self.columns} columns; this data has {source.n_columns}."
        if source.names is not None and source.label is not None and self.label not in (None, source.label):
            return f"It speaks of the label column {shown(self.label)}; this data has {shown(source.label)}."
        if self.features is not None and source.label in self.features:
            return f"It counts the label column {shown(source.label)} among the features."
        if self.features is not None and source.names is not None and self.features != source.names:
            return f"It speaks of columns {_listed(self.features)}; this data has {_listed(source.names)}."
        return (
            self._preparation_refusal(source)
            or self._sign_refusal(source)
            or self._digest_refusal(source, digest)
        )

    def _preparation_refusal(self, source: RowSource) -> str | None:
        """Numbers made elsewhere, by steps that are not repeated here, are known by their digest."""
        if self.preparation is None:
            return None
        if source.preparation is not None:
            is_same = preparation_of(source.preparation) == self.preparation
            return None if is_same else "It speaks of rows that were prepared otherwise than these."
        if self.preparation.is_repeatable or self.digest is not None:
            return None
        return "It has no digest."

    def _sign_refusal(self, source: RowSource) -> str | None:
        """Where no row is positive, all signs are -1 and every claim about separation is empty."""
        if source.positive is None:
            if self.positive is None:
                return None
            return f"It calls the label {shown(self.positive)} positive; this data has real targets."
        if source.has_positive():
            return None
        return f"No row has the label {shown(source.positive)}, which it calls positive."

    def _digest_refusal(self, source: RowSource, digest: Callable[[RowSource], str]) -> str | None:
        if self.digest is None or digest(source) == self.digest:
            return None
        return "The digest differs: it speaks of other data, or of the same data with other labels."


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(name[:60] for name in names[:5]) + (", …" if len(names) > 5 else "")


@dataclass(frozen=True, repr=False)
class Certificate(_Checked):
    """Something proven about data, with its witness: a frozen record that anyone can check.

    Attributes
    ----------
    about
        The data it speaks of.
    claim
        What is proven, in one sentence.
    kind, title
        The name of the claim in files, and what it is about in a word or two.
    speaks_of
        "labels", or "targets" where the claim is about a regression.
    leaves_open
        What nobody should take it to prove, as the end of "not proven: ..."; None: nothing in particular.
    """

    about: About = field(default=About(), kw_only=True)

    _data: ClassVar[tuple[Any, Any]]
    _sealed: ClassVar[Self]
    kind: ClassVar[str]
    kinds: ClassVar[dict[str, type[Certificate]]] = {}
    title: ClassVar[str]
    speaks_of: ClassVar[Literal["labels", "targets"]] = "labels"
    leaves_open: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if hasattr(self, "weights"):
            width = len(self.weights)
            if self.about.columns not in (None, width):
                raise CertificateError(f"It has {width} weights but speaks of {self.about.columns} columns.")
            object.__setattr__(self, "about", replace(self.about, columns=width))

    def __init_subclass__(cls) -> None:
        cls.kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()
        Certificate.kinds[cls.kind] = cls

    @property
    def claim(self) -> str:
        raise NotImplementedError

    def _prove(self, source: RowSource) -> Verdict:
        """Check the witness against rows of the right shape, exactly."""
        raise NotImplementedError

    def _digest_of(self, source: RowSource) -> str:
        """The digest of what it speaks of: all rows, unless a claim needs only some."""
        return digest_of(source)

    def _read(self, X: Any, y: Any) -> RowSource:
        """The data as the claim sees it: rows with signs, unless it speaks of real targets."""
        about = self.about
        if self.speaks_of == "targets":
            return read_targets(
                X, y, label=about.label, features=about.features, preparation=about.preparation
            )
        return read(
            X,
            y,
            positive=about.positive,
            label=about.label,
            features=about.features,
            preparation=about.preparation,
        )

    def verify(self, X: Any, y: Any = None) -> Verdict:
        """Check the claim against the data, exactly.

        Parameters
        ----------
        X, y
            Arrays, lists, a pandas, polars or Arrow table, a SciPy sparse matrix, with labels; or labelled
            rows alone, or a table that holds the label column ``about.label``.

        Returns
        -------
        Verdict
            Refused, with the reason, also for data other than the certificate speaks of.

        Raises
        ------
        ValueError
            If the data cannot be read as finite numbers with labels.
        """
        source = self._read(X, y)
        refusal = self.about.refusal(source, self._digest_of)
        return self._prove(source) if refusal is None else Verdict(False, refusal)

    def bound_to(self, X: Any, y: Any = None) -> Self:
        """A copy that remembers the data, to compute its digest when it is written or pickled."""
        bound = object.__new__(
            type(self)
        )  # not `replace`: what exists is well formed and need not be checked again
        vars(bound).update({item.name: getattr(self, item.name) for item in fields(self)}, _data=(X, y))
        return bound

    def sealed(self) -> Self:
        """A copy that says all it can about the data it is bound to, digest included; itself if not bound."""
        if not hasattr(self, "_data"):
            return self
        if hasattr(self, "_sealed"):
            return self._sealed
        about = self.about
        source = self._read(*self._data)
        complete = replace(
            about,
            rows=source.n_rows,
            columns=source.n_columns,
            positive=source.positive,
            label=source.label if about.label is None else about.label,
            features=source.distinct_names if about.features is None else about.features,
            preparation=source.preparation if about.preparation is None else about.preparation,
            digest=self._digest_of(source),
        )
        object.__setattr__(self, "_sealed", replace(self, about=complete))
        return self._sealed

    def to_dict(self) -> dict[str, Any]:
        """The certificate as JSON values, with the digest of the data it is bound to."""
        sealed = self.sealed()
        about = {item.name: _plain(getattr(sealed.about, item.name)) for item in fields(About)}
        head = {"format": FORMAT, "version": VERSION, "kind": self.kind, "claim": self.claim, "about": about}
        witness = (item.name for item in fields(self) if item.name != "about")
        return {**head, **{name: _plain(getattr(self, name)) for name in witness}}

    def to_json(self) -> str:
        """The certificate as JSON text; :func:`separatrix.certificates.from_json` reads it back."""
        lines = [f' "{name}": {json.dumps(value, allow_nan=False)}' for name, value in self.to_dict().items()]
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def __getstate__(self) -> dict[str, Any]:
        sealed = self.sealed()
        return {item.name: getattr(sealed, item.name) for item in fields(sealed)}

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.claim}>"


def _plain(value: Any) -> Any:
    if isinstance(value, Preparation):
        return value.to_dict()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, int) and not isinstance(value, bool):
        return to_json_number(value)
    return value
