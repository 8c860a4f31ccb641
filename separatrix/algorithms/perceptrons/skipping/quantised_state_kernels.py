"""What a quantised copy consists of; `quantised_kernels` says what for.

Records are structured arrays, and fields are read by name: ``sizes["norm"]``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

PANEL_ROWS = 64
WINDOW_PANELS = 16  # in a window
WINDOW_ROWS = WINDOW_PANELS * PANEL_ROWS
WORD_COLUMNS = 4  # columns in a word
# Added to a small float32 it leaves the nearest whole number in the bits.
ROUNDING_OFFSET = np.float32(1.5 * 2.0**23)

# c, the slack that a row must have had to be right now, and ‖w‖; for some scales g and the error bound, and
# whether those are the default ones.
SIZES_TYPE = np.dtype([
    *((name, np.float64) for name in ("cosine", "min_slack", "norm", "resolution", "error_bound")),
    ("has_default_scales", np.bool_),
])  # fmt: skip
# The row from which a pass goes on, and the panels looked at.
PROGRESS_TYPE = np.dtype([(name, np.int64) for name in ("next_row", "panels_read")])


class Panels(NamedTuple):
    """The values of the rows in whole numbers of scales; positions are those in the order of the panels."""

    order: np.ndarray  # int32, (rows,): the row at a position
    slots: np.ndarray  # int32, (panels,): where the codes of a panel are; -1: it has none yet
    slots_used: np.ndarray  # int64, (1,)
    codes: np.ndarray  # int32, (panels, columns / 4, 64), by slot: the bytes are codes of four columns
    default_scales: np.ndarray  # float32, (columns and up to 3 more,)
    own_scales: np.ndarray  # float32, (panels, as many), by slot
    has_own_scales: np.ndarray  # bool, (panels,), by slot


class Reference(NamedTuple):
    """What is known of the rows at the reference weights."""

    weights: np.ndarray  # a
    mean_weights: np.ndarray  # of the pass that recorded the margins
    inverse_norms: np.ndarray  # float32, (panels * 64,): s/‖z‖; 0: no row, or it must be read
    margins: np.ndarray  # float32, (panels * 64,): t, or a large negative number
    slack: np.ndarray  # float64, (panels,): the least t of each, less rounding


class Drift(NamedTuple):
    """How far the weights are from the reference."""

    weights: np.ndarray  # δ
    sizes: np.void  # of SIZES_TYPE
    scaled: np.ndarray  # float32, (columns and 1 to 4 more,): δ/‖w‖ times some scales
    scaled_bits: np.ndarray  # a view of it
    factors: np.ndarray  # int16, (columns and up to 3 more,): the same in whole steps g


class WindowScratch(NamedTuple):
    """The rows of a window, in their own order."""

    row_squares: np.ndarray  # ‖x‖²
    margin_ratios: np.ndarray  # s·a·z/‖z‖
    inverse_norms: np.ndarray  # s/‖z‖
    bins: np.ndarray


class PanelScratch(NamedTuple):
    """The values of a panel while they are quantised; bits and words are views."""

    inverse_scales: np.ndarray
    scaled_values: np.ndarray  # float32, (64, columns and up to 3 more)
    scaled_values_bits: np.ndarray  # one-dimensional
    code_bytes: np.ndarray  # one-dimensional
    code_words: np.ndarray  # int32, (64, columns / 4)


class MarginBounds(NamedTuple):
    """The rows of a panel at the weights as they are, and the rows of a window to be read."""

    products: np.ndarray  # int32, (64,)
    lower: np.ndarray  # float32, (64,): bounds on s·w·z/‖w‖‖z‖
    lower_bits: np.ndarray  # a view of it
    doubtful: np.ndarray  # int32, (window,)


class QuantisedCopy(NamedTuple):
    """The rows in 8 bits a value, as one learner sees them."""

    panels: Panels
    reference: Reference
    drift: Drift
    window: WindowScratch
    quantising: PanelScratch
    bounds: MarginBounds
    progress: np.void  # of PROGRESS_TYPE


def codes_shape(n_rows: int, n_columns: int) -> tuple[int, int, int]:
    """The shape of the codes."""
    return -(-n_rows // PANEL_ROWS), -(-n_columns // WORD_COLUMNS), PANEL_ROWS


def allocate_copy(n_rows: int, n_columns: int, codes: np.ndarray | None = None) -> QuantisedCopy:
    """Room for a copy, to be filled by `arranging_pass`; memory is taken only for the panels that are
    quantised."""
    n_panels, n_words, _ = shape = codes_shape(n_rows, n_columns)
    n_padded = n_words * WORD_COLUMNS
    panels = Panels(
        order=np.empty(n_rows, np.int32),
        slots=np.full(n_panels, -1, np.int32),
        slots_used=np.zeros(1, np.int64),
        codes=np.empty(shape, np.int32) if codes is None else codes,
        default_scales=np.zeros(n_padded, np.float32),
        own_scales=np.empty((n_panels, n_padded), np.float32),
        has_own_scales=np.zeros(n_panels, np.bool_),
    )
    return view_of_panels(panels, n_columns, np.zeros(n_panels * PANEL_ROWS, np.float32))


def view_of_panels(panels: Panels, n_columns: int, inverse_norms: np.ndarray) -> QuantisedCopy:
    """A copy with these panels, at whose reference nothing is known yet."""
    n_panels, n_padded = panels.own_scales.shape
    scaled = np.zeros(n_padded + 1, np.float32)
    scaled_values = np.full((PANEL_ROWS, n_padded), ROUNDING_OFFSET)
    codes, bounds = np.zeros((PANEL_ROWS, n_padded), np.int8), np.zeros(PANEL_ROWS, np.float32)
    sizes, progress = np.zeros(1, SIZES_TYPE)[0], np.zeros(1, PROGRESS_TYPE)[0]
    return QuantisedCopy(
        panels,
        Reference(
            weights=np.zeros(n_columns + 1),
            mean_weights=np.zeros(n_columns + 1),
            inverse_norms=inverse_norms,
            margins=np.zeros(n_panels * PANEL_ROWS, np.float32),
            slack=np.full(n_panels, -np.inf),
        ),
        Drift(np.zeros(n_columns + 1), sizes, scaled, scaled.view(np.int32), np.zeros(n_padded, np.int16)),
        WindowScratch(
            row_squares=np.zeros(WINDOW_ROWS),
            margin_ratios=np.zeros(WINDOW_ROWS),
            inverse_norms=np.zeros(WINDOW_ROWS),
            bins=np.zeros(WINDOW_ROWS, np.int32),
        ),
        PanelScratch(
            inverse_scales=np.zeros(n_padded, np.float32),
            scaled_values=scaled_values,
            scaled_values_bits=scaled_values.view(np.int32).reshape(-1),
            code_bytes=codes.reshape(-1),
            code_words=codes.view(np.int32),
        ),
        MarginBounds(
            products=np.zeros(PANEL_ROWS, np.int32),
            lower=bounds,
            lower_bits=bounds.view(np.int32),
            doubtful=np.empty(WINDOW_ROWS, np.int32),
        ),
        progress,
    )


def share_panels(packed: QuantisedCopy, signs: np.ndarray) -> QuantisedCopy:
    """The same rows with other signs, for another learner; panels that either quantises serve both."""
    inverse_norms = np.abs(packed.reference.inverse_norms)
    inverse_norms[: len(signs)] *= signs[packed.panels.order]
    return view_of_panels(packed.panels, packed.reference.weights.shape[0] - 1, inverse_norms)
