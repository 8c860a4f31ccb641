"""`OnlineClassifier`: fit and partial_fit for every method that learns row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from separatrix.algorithms.perceptrons.internal_coordinates import InternalCoordinates
from separatrix.algorithms.perceptrons.learner import FIRST_PLACE, Learner, ldexp
from separatrix.algorithms.perceptrons.mistake_driven import MistakeDriven
from separatrix.algorithms.perceptrons.row_norms import RowNorms
from separatrix.algorithms.perceptrons.row_order import parse_order
from separatrix.algorithms.perceptrons.stream_units import (
    MAX_EXPONENT,
    OUT_OF_RANGE,
    is_in_safe_range,
    to_common_units,
)
from separatrix.algorithms.perceptrons.training import Plan, train
from separatrix.certificates import Certificates, Undecided
from separatrix.fitting import FitWarning, History, Solution, warn
from separatrix.fitting.rollback import restored_on_error
from separatrix.fitting.validation import is_ready_array, labelled_rows
from separatrix.rows import Block, DataError, Rows, classes_named
from separatrix.rows.block import all_finite, read_only

ROW_BY_ROW = Undecided(
    "Rows seen one by one prove nothing about all of them: call fit, or verify a certificate."
)
MAX_PLAIN_ROWS = 256  # rows: with more, the usual checks are the smaller part
NEGATIVE_SIGN, POSITIVE_SIGN = np.array([-1], np.int8), np.array([1], np.int8)  # of one row


def _not_centred(model: MistakeDriven) -> bool:
    """Rows that come one by one have no middle to move the origin to."""
    return not model.center


class OnlineClassifier(MistakeDriven):
    """A mistake-driven method that visits rows one at a time, and so can learn from a stream."""

    mistakes_: Any
    updates_: Any
    _learners: dict[int, Learner] | None = None
    _published: tuple[Any, Any] = (None, None)
    _active_settings: tuple[Any, ...] | None = None  # the setting that the run goes by
    _exponent = 0  # learners see 2^exponent times the rows
    _has_warned_of_range = False

    def _solve_all(self, rows: Rows, tasks: Sequence[int]) -> list[Solution]:
        self._learners, self._exponent, self._has_warned_of_range = None, 0, False
        self._active_settings = self._settings()
        starts = self._initial_weights(tasks)
        coordinates = InternalCoordinates(
            rows,
            center=self.center,
            is_scale_equivariant=self._can_change_units(),
            degree=self._degree,
            starts=starts.values(),
        )
        learners = {
            k: self._make_learner(rows.n_columns, coordinates.to_internal(start))
            for k, start in starts.items()
        }
        plan = Plan(
            parse_order(self.order),
            self.max_iter,
            self.max_mistakes,
            check_random_state(self.random_state),
            self.track_margin,
        )
        runs, norms = train(coordinates, learners, plan)
        if self.center:
            norms = RowNorms(rows, coordinates.centre).measure_all()
        for positive, error_count in self._count_errors(coordinates, runs).items():
            runs[positive].error_count = error_count
        solutions = [self._make_solution(coordinates, positive, run, norms) for positive, run in runs.items()]
        if not self.center:
            self._exponent = coordinates.exponent
            self._learners = {positive: run.learner.release_row_data() for positive, run in runs.items()}
        return solutions

    @available_if(_not_centred)
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Any:
        """Learn from some rows, once each, in their order; the weights are those a fit would have at that
        row.

        ``classes`` names all labels and is needed in the first call only. A parameter that was changed since
        the last call is gone by from here on; ``fit_intercept`` cannot be.

        Through the origin the first rows settle the units, where a fit looks at all: the weights are the same
        bit for bit while products of weights and rows are doubles in both, as where none is 2^200 times as
        long as another. A warning tells of the first that are not.
        """
        first = not hasattr(self, "classes_")
        self._update_hyperparameters()
        known = self._known_classes(classes)
        if not first and self._learn_few(X, y):
            return self
        with restored_on_error(self):
            if first:
                self._check()
            rows = labelled_rows(self, X, y, n_jobs=self.n_jobs, classes=known, reset=first)
            self.classes_ = np.asarray(rows.require_labels() if known is None else known)
            if len(self.classes_) < 2:
                raise DataError(
                    "The first rows hold one class only: name all classes in the first call (classes=...)."
                )
            learners = {positive: learner.clone() for positive, learner in self._online_learners().items()}
            self._learners = rows.checked().fold(self._learn_block, learners)
            self._publish_online()
        return self

    def _learn_block(self, learners: dict[int, Learner], block: Block) -> dict[int, Learner]:
        places = np.arange(len(block), dtype=np.int32)
        X = self._to_learner_units(block.X, learners)
        for positive, learner in learners.items():
            learner.visit_rows(X, block.signs(positive), places, -1)
        return learners

    def _known_classes(self, named: Any) -> np.ndarray | None:
        """The classes of the first call, or those that it names; None: its rows will tell."""
        if not hasattr(self, "classes_"):
            return None if named is None else classes_named(named)
        if named is not None and not _same_labels(named, self.classes_):
            raise ValueError(
                f"classes={named!r} is not the list of the first call, {self.classes_.tolist()}."
            )
        return self.classes_

    def _learn_few(self, X: Any, y: Any) -> bool:
        """Learn from rows that need no conversion, without the checks that take longer than a few of them.

        False, and nothing is learned: they are no such rows, or something is wrong with them.
        """
        if not (is_ready_array(self, X) and X.flags.c_contiguous and len(X) <= MAX_PLAIN_ROWS):
            return False
        if not (type(y) is np.ndarray and y.ndim == 1 and len(y) == len(X) and y.dtype.kind in "iubU"):
            return False
        classes = self.classes_.tolist()
        try:
            codes = [classes.index(label) for label in y.tolist()]
        except ValueError:
            return False
        X = read_only(X)
        if len(codes) > 1 or not self._is_idle(X, codes[0]):
            if not all_finite(X):
                return False
            self._learn_rows(self._to_learner_units(X, self._online_learners()), codes)
        return True

    def _to_learner_units(self, X: Any, learners: Mapping[int, Learner]) -> Any:
        """A block in the units of the learners, which may change with it."""
        if not self._exponent and (not self._can_change_units() or is_in_safe_range(X)):
            return X
        X, self._exponent, is_in_range = to_common_units(X, learners.values(), self._exponent)
        if not (is_in_range or self._has_warned_of_range):
            self._has_warned_of_range = True
            warn(FitWarning, OUT_OF_RANGE)
        return X

    def _to_user_units(self, weights: np.ndarray) -> np.ndarray:
        """Weights of the learners, as the user has them."""
        return ldexp(weights, -self._degree * self._exponent) if self._exponent else weights

    def _is_idle(self, X: Any, code: int) -> bool:
        """Whether the one row of a block, of this class, changes nothing for certain."""
        if self._exponent:
            return False
        for positive, learner in self._online_learners().items():
            if not learner.is_idle(X, 1.0 if code == positive else -1.0):
                return False
        return self._is_published()

    def _learn_rows(self, X: Any, codes: Sequence[int]) -> None:
        """Have the learners see rows of these classes, and the model tell what has changed by it."""
        is_single_row = len(codes) == 1
        places = FIRST_PLACE if is_single_row else np.arange(len(codes), dtype=np.int32)
        changed = not self._is_published()
        for positive, learner in self._online_learners().items():
            if is_single_row:
                signs = POSITIVE_SIGN if codes[0] == positive else NEGATIVE_SIGN
            else:
                signs = np.array([1 if code == positive else -1 for code in codes], np.int8)
            changed |= learner.visit_rows(X, signs, places, -1) > 0 or learner.is_changed_by_every_row
        if changed:
            self._publish_online()

    def _is_published(self) -> bool:
        """Whether the weights of the model are those that its learners gave it last, not of a fit or a
        user."""
        coef, intercept = self._published
        return coef is not None and self.coef_ is coef and self.intercept_ is intercept

    def _settings(self) -> tuple[Any, ...]:
        """The parameters that a learner is made of, ``fit_intercept`` first."""
        return (self.fit_intercept,)

    def _update_hyperparameters(self) -> None:
        """Have the learners go by the parameters as they are now; the run goes on."""
        settings, active = self._settings(), self._active_settings
        if active is None:
            return
        try:
            if settings == active:
                return
        except ValueError:  # an array of steps, and another one
            pass
        if bool(settings[0]) != bool(active[0]):
            raise ValueError(
                f"fit_intercept={settings[0]!r} cannot be taken up by weights that were learned with "
                f"{active[0]!r}: set it back, or call fit."
            )
        self._check()
        if self._exponent and not self._can_change_units():
            raise ValueError(
                "These parameters have units, and the weights were learned in others: set them back, or call "
                "fit."
            )
        for learner in (self._learners or {}).values():
            learner.update_hyperparameters(self._make_learner(self.n_features_in_, None))
        self._active_settings = settings

    def _online_learners(self) -> dict[int, Learner]:
        """The learners of the last fit or partial_fit, or new ones; a loaded model is taken up again."""
        if self._learners is None:
            self._active_settings = self._settings()
            tasks = self._tasks()
            if hasattr(self, "mistakes_"):
                self._learners = {k: self._resume_learner(place) for place, k in enumerate(tasks)}
            else:
                starts = self._initial_weights(tasks)
                self._learners = {
                    k: self._make_learner(self.n_features_in_, start) for k, start in starts.items()
                }
        return self._learners

    def _fitted_state(self) -> dict[str, Any]:
        learners = (self._learners or {}).values()
        runs = tuple(learner.state() for learner in learners)
        if self._exponent:  # in the user's units the weights may have rounded
            internal = [{"weights": learner.weights, "exponent": self._exponent} for learner in learners]
            runs = tuple(run | extra for run, extra in zip(runs, internal, strict=True))
        return super()._fitted_state() | ({"run_": runs} if any(runs) else {})

    def _restore_state(self, state: dict[str, Any]) -> None:
        state = dict(state)
        runs = state.pop("run_", None)
        super()._restore_state(state)
        self._active_settings = self._settings()
        if runs is None:
            return
        tasks = self._tasks()
        if len(runs) != len(tasks):
            raise ValueError("its runs do not match its classes.")
        self._exponent = runs[0].get("exponent", 0)
        if type(self._exponent) is not int or abs(self._exponent) > MAX_EXPONENT:
            raise ValueError("its runs are in units that make no sense.")
        self._learners = {k: self._resume_learner(place, runs[place]) for place, k in enumerate(tasks)}

    def _resume_learner(self, place: int, run: dict[str, Any] | None = None) -> Learner:
        weights = np.append(self.coef_[place], self.intercept_[place])
        if self._exponent:
            weights = np.asarray((run or {}).get("weights", ldexp(weights, self._degree * self._exponent)))
        learner = self._make_learner(self.n_features_in_, weights)
        if run is not None:
            learner.resume(run)
        elif learner.saved_state:
            raise ValueError(
                f"This {type(self).__name__} was saved by an earlier version, without the run behind its "
                "weights: call fit, or begin anew, to learn from more rows."
            )
        learner.mistakes = int(np.atleast_1d(self.mistakes_)[place])
        learner.updates = int(np.atleast_1d(self.updates_)[place])
        return learner

    def _publish_online(self) -> None:
        learners = list(self._online_learners().values())
        binary = len(learners) == 1
        was_published = self._is_published()
        self._keep_weights([self._to_user_units(learner.prediction_weights()) for learner in learners])
        self._published = getattr(self, "coef_", None), getattr(self, "intercept_", None)
        mistakes, updates = [each.mistakes for each in learners], [each.updates for each in learners]
        self.mistakes_ = mistakes[0] if binary else np.array(mistakes)
        self.updates_ = updates[0] if binary else np.array(updates)
        if was_published:
            return
        for fact in self._facts:  # figures of a fit that these rows have left behind
            if hasattr(self, f"{fact}_") and fact not in ("mistakes", "updates"):
                delattr(self, f"{fact}_")
        self._facts = ()
        self.certificate_ = ROW_BY_ROW if binary else Certificates((ROW_BY_ROW,) * len(learners))
        self.history_ = History() if binary else (History(),) * len(learners)
        self.passes_ = 0 if binary else np.zeros(len(learners), int)


def _same_labels(given: Any, classes: np.ndarray) -> bool:
    if isinstance(given, list | tuple) and list(given) == classes.tolist():  # NumPy takes ten times as long
        return True
    return set(classes_named(given).tolist()) == set(classes.tolist())
