"""The frame of every certificate: a witness, what it speaks of, one sentence, one verdict.

A claim is a subclass in a file of its own. It declares the fields of its witness with the types of
:mod:`separatrix.certificates.fields`, and supplies ``claim`` and ``_prove``; reading of data, refusal of
data it does not speak of, JSON and the digest are here, once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Self, get_type_hints

from separatrix.certificates.data.digest import leaves_of, root_of
from separatrix.certificates.data.labels import LABEL, Label
from separatrix.certificates.data.leaf_paths import path_of
from separatrix.certificates.data.measured_targets import read_targets
from separatrix.certificates.data.reading import RowSource, read
from separatrix.certificates.fields import (
    MAX_JSON_INTEGER,
    TEXT,
    CertificateError,
    TextOrNone,
    WholeOrNone,
    shown,
    to_json_number,
)
from separatrix.certificates.forms import Form, listed, optional, some

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


def _hash(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(_HASH, value):
        raise ValueError("a hash is written in 64 hexadecimal digits")
    return value


_HASH = "[0-9a-f]{64}"
_DIGEST = f"sha256:{_HASH}"
PATH = listed(Form(_hash, "hash", {"type": "string", "pattern": f"^{_HASH}$"}))
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
    digest
        ``sha256:`` and the hash of :func:`digest_of`.
    path
        For a claim about a few rows: hashes that lead from their leaves to the digest; see `leaf_paths`.
    """

    rows: WholeOrNone = None
    columns: WholeOrNone = None
    positive: Annotated[Label | None, optional(LABEL)] = None
    label: TextOrNone = None
    features: Annotated[tuple[str, ...] | None, optional(FEATURES)] = None
    digest: Annotated[str | None, optional(DIGEST)] = None
    path: Annotated[tuple[str, ...] | None, optional(PATH)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.path is not None and None in (self.rows, self.positive, self.digest):
            raise CertificateError("It has a path but not rows, positive label and digest.")
        if self.path is not None and (self.rows or 0) > MAX_JSON_INTEGER:
            raise CertificateError("It has a path through more than 2^53 rows.")
        if self.features is None:
            return
        if len(set(self.features)) < len(self.features):
            raise CertificateError("The certificate names a feature twice.")
        if self.columns not in (None, len(self.features)):
            raise CertificateError(f"It names {len(self.features)} features, not {self.columns}.")
        object.__setattr__(self, "columns", len(self.features))

    def refusal(self, source: RowSource, rows: Sequence[int] = ()) -> str | None:
        """Why this is not the data spoken of, or None; ``rows`` are those that the path belongs to.

        The data is hashed only if there is a digest. Names are compared where the data has names.
        """
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
        return self._sign_refusal(source) or self._digest_refusal(source, rows)

    def _sign_refusal(self, source: RowSource) -> str | None:
        """Where no row is positive, all signs are -1 and every claim about separation is empty."""
        if source.positive is None:
            if self.positive is None:
                return None
            return f"It calls the label {shown(self.positive)} positive; this data has real targets."
        if source.has_positive():
            return None
        return f"No row has the label {shown(source.positive)}, which it calls positive."

    def _digest_refusal(self, source: RowSource, rows: Sequence[int]) -> str | None:
        if self.digest is None:
            return None
        leaves = leaves_of(source)
        if root_of(leaves) != self.digest:
            return "The digest differs: it speaks of other data, or of the same data with other labels."
        if self.path not in (None, path_of(leaves, rows)):
            return "Its path does not lead from its rows to the digest."
        return None


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
    has_path
        Whether it names the only rows it is about, so that their leaves of the hash tree are enough.
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
    has_path: ClassVar[bool] = False
    leaves_open: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.about.path is not None and not self.has_path:
            raise CertificateError("It has a path, but is about all rows.")
        if hasattr(self, "weights"):
            width = len(self.weights)
            if self.about.columns not in (None, width):
                raise CertificateError(f"It has {width} weights but speaks of {self.about.columns} columns.")
            object.__setattr__(self, "about", replace(self.about, columns=width))

    def __init_subclass__(cls, is_kind: bool = True) -> None:
        if not is_kind:
            return
        cls.kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()
        Certificate.kinds[cls.kind] = cls

    @property
    def claim(self) -> str:
        raise NotImplementedError

    def _prove(self, source: RowSource) -> Verdict:
        """Check the witness against rows of the right shape, exactly."""
        raise NotImplementedError

    def _read(self, X: Any, y: Any) -> RowSource:
        """The data as the claim sees it: rows with signs, unless it speaks of real targets."""
        about = self.about
        if self.speaks_of == "targets":
            return read_targets(X, y, label=about.label, features=about.features)
        return read(X, y, positive=about.positive, label=about.label, features=about.features)

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
        refusal = self.about.refusal(source, getattr(self, "rows", ()))
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
        leaves = leaves_of(source)
        complete = replace(
            about,
            rows=source.n_rows,
            columns=source.n_columns,
            positive=source.positive,
            label=source.label if about.label is None else about.label,
            features=source.distinct_names if about.features is None else about.features,
            digest=root_of(leaves),
            path=path_of(leaves, getattr(self, "rows", ())) if self.has_path else None,
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
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, int) and not isinstance(value, bool):
        return to_json_number(value)
    return value
