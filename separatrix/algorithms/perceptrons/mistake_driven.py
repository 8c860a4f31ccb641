"""`MistakeDriven`: the estimator around a `Learner`; its fit, and rows that come one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from separatrix.algorithms.perceptrons.centred_weights import to_centred
from separatrix.algorithms.perceptrons.conclusion import conclude
from separatrix.algorithms.perceptrons.learner import Learner
from separatrix.algorithms.perceptrons.measured_margins import RowNorms
from separatrix.algorithms.perceptrons.online import OnlineRun, factor_of_states
from separatrix.algorithms.perceptrons.training import Plan, parse_order, train
from separatrix.certificates import Certificates, Undecided
from separatrix.fitting import History, LinearClassifier, Solution
from separatrix.fitting.common_factor import NO_FACTOR, CommonFactor, find_common_factor
from separatrix.fitting.parameters import as_doubles, require_count
from separatrix.fitting.rollback import restored_on_error
from separatrix.fitting.validation import is_ready_array, labelled_rows
from separatrix.messages import Message, Parameter
from separatrix.rows import DataError, Rows, classes_named
from separatrix.rows.block import all_finite, read_only
from separatrix.rows.views.centred import mean_of

ROW_BY_ROW = Undecided(
    "Rows seen one by one prove nothing about all of them: call fit, or verify a certificate."
)
MAX_PLAIN_ROWS = 256  # rows: with more, the usual checks are the smaller part


def _learns_row_by_row(model: MistakeDriven) -> bool:
    """Rows that come one by one have no middle to move the origin to."""
    return model._learner_class.learns_row_by_row and not model.center


class MistakeDriven(LinearClassifier):
    """A method that learns from mistakes and stops at the first pass that changes nothing.

    A subclass names its `Learner` and the parameters that the learner is made of; all that differs between
    methods is in the learner.
    """

    _learner_class: type[Learner]
    _learner_parameters: tuple[str, ...] = ()

    max_iter: int
    passes_: Any
    mistakes_: Any
    updates_: Any
    order: Any = "cyclic"
    max_mistakes: int | None = None
    center: bool = False
    random_state: Any = None
    track_margin: bool = False
    warm_start: bool = False
    _online: OnlineRun | None = None
    _active_settings: dict[str, Any] | None = None  # what ``_method`` is made of

    @property
    def n_iter_(self) -> Any:
        """``passes_``, under the name it has in scikit-learn."""
        return self.passes_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.center
        return tags

    def _make_learner(self) -> Learner:
        return self._learner_class(**{name: getattr(self, name) for name in self._learner_parameters})

    def _settings(self) -> dict[str, Any]:
        """The parameters that a run goes by."""
        return {name: getattr(self, name) for name in ("fit_intercept", *self._learner_parameters)}

    def _check(self) -> None:
        super()._check()
        require_count("max_iter", self.max_iter)
        require_count("max_mistakes", self.max_mistakes, optional=True)
        if self.center and not self.fit_intercept:
            parameters = Parameter("center", True), Parameter("fit_intercept", False)
            raise ValueError(Message("{} cannot be combined with {}.", *parameters))
        order = parse_order(self.order)
        visits_violators = isinstance(order, str) and order in ("first", "worst")
        if visits_violators and not self._learner_class.visits_violators:
            orders = Parameter("order", self.order), Parameter("order", "cyclic")
            raise ValueError(Message("{} visits one row per pass; use {} here.", *orders))
        self._method = self._make_learner()

    def _starts(self, tasks: Sequence[int]) -> dict[int, np.ndarray | None]:
        """Where each task starts: at zero, at ``start``, or for a warm start where the last fit ended."""
        if self.warm_start and hasattr(self, "coef_") and len(self.coef_) == len(tasks):
            if self.coef_.shape[1] != self.n_features_in_:
                raise DataError(
                    f"warm_start needs the columns of the last fit: it had {self.coef_.shape[1]}, "
                    f"X has {self.n_features_in_}."
                )
            intercept = self.intercept_ if self.fit_intercept else 0.0 * self.intercept_
            return dict(zip(tasks, np.column_stack([self.coef_, intercept]), strict=True))
        start = getattr(self, "start", None)
        if start is None:
            return dict.fromkeys(tasks)
        n_expected = self.n_features_in_ + bool(self.fit_intercept)
        values = as_doubles(start)
        given = np.empty(0) if values is None else values.ravel()
        if len(given) != n_expected or not np.isfinite(given).all():
            raise ValueError(
                f"start must hold {n_expected} finite numbers, one per column and the intercept last."
            )
        return dict.fromkeys(tasks, given if self.fit_intercept else np.append(given, 0.0))

    def _degree(self) -> int | None:
        """The power of a common factor of the rows that the answer grows with; None: it changes more."""
        if self.fit_intercept:
            return None
        return 0 if self._method.is_direction else self._method.degree

    def _new_learner(self, start: np.ndarray | None) -> Learner:
        return self._method.for_task(self.n_features_in_, intercept=self.fit_intercept, start=start)

    def _solve_all(self, rows: Rows, tasks: Sequence[int]) -> list[Solution]:
        self._online, self._active_settings = None, self._settings()
        starts = self._starts(tasks)
        factor = find_common_factor(rows, self._degree(), starts.values())
        plan = self._plan(rows, factor)
        learners = {}
        for positive, start in starts.items():
            seen = None if start is None else factor.scaled_weights(start)
            if seen is not None and plan.centre is not None:
                seen = to_centred(seen, plan.centre)
            learners[positive] = self._new_learner(seen)
        runs, norms = train(factor.scaled_rows(rows), learners, plan)
        if plan.centre is not None:
            norms = RowNorms(rows, plan.centre).measure_all()
        solutions = zip(tasks, conclude(runs, norms), strict=True)
        norm_degree = self._method.degree or 1
        restored = [factor.restored(solution, rows, k, norm_degree) for k, solution in solutions]
        finished = {positive: learner.release_row_data() for positive, learner in learners.items()}
        if plan.centre is None and self._method.learns_row_by_row:
            self._online = OnlineRun(finished, factor, can_be_scaled=self._degree() is not None)
        return restored

    def _plan(self, rows: Rows, factor: CommonFactor) -> Plan:
        return Plan(
            parse_order(self.order) if self._method.learns_row_by_row else "together",
            self.max_iter,
            self.max_mistakes,
            check_random_state(self.random_state),
            self.track_margin,
            mean_of(rows) if self.center else None,
            factor,
        )

    @available_if(_learns_row_by_row)
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Any:
        """Learn from some rows, once each, in their order; the weights are those a fit would have at that
        row.

        ``classes`` names all labels and is needed in the first call only. A parameter that was changed since
        the last call is gone by from here on; ``fit_intercept`` cannot be.

        Through the origin the first row that is not zero settles the units, where a fit looks at all: the
        weights are the same bit for bit. A row may be refused if it has a value that is more than 2^200 times
        as large or small as others.
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
            self._online = rows.checked().fold(OnlineRun.learn_block, self._online_run().clone())
            self._publish_online()
        return self

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
        X, online = read_only(X), self._online_run()
        if len(codes) > 1 or not online.is_idle(self, X, codes[0]):
            if not all_finite(X):
                return False
            self._learn_rows(online.scaled(X), codes)
        return True

    def _learn_rows(self, X: Any, codes: Sequence[int]) -> None:
        """Have the learners see rows of these classes, and the model tell what has changed by it."""
        online = self._online_run()
        if online.learn(X, codes) or not online.is_published(self):
            self._publish_online()

    def _update_hyperparameters(self) -> None:
        """Have the learners go by the parameters as they are now; the run goes on."""
        active = self._active_settings
        if active is None:
            return
        try:
            if active.items() <= vars(self).items():
                return
        except ValueError:  # an array of steps, and another one
            pass
        learned = active["fit_intercept"]
        if bool(self.fit_intercept) != bool(learned):
            given = Parameter("fit_intercept", self.fit_intercept)
            raise ValueError(
                Message("The weights were learned with {!r}; set {} back, or call fit.", learned, given)
            )
        self._check()
        if self._online is not None:
            self._online.update_hyperparameters(self._method, self._degree())
        self._active_settings = self._settings()

    def _online_run(self) -> OnlineRun:
        """The learners of the last fit or partial_fit, or new ones; those of a loaded model go on."""
        if self._online is None:
            if self._active_settings is None:
                self._begin_online()
            tasks = self._tasks()
            is_new = not hasattr(self, "mistakes_")
            if is_new:
                learners = {k: self._new_learner(start) for k, start in self._starts(tasks).items()}
            else:
                learners = {k: self._resume_learner(place) for place, k in enumerate(tasks)}
            is_new &= all(learner.start is None for learner in learners.values())
            degree = self._degree()
            self._online = OnlineRun(
                learners,
                CommonFactor(0, degree or 0),
                can_be_scaled=degree is not None,
                is_fixed=not is_new,
            )
        return self._online

    def _begin_online(self) -> None:
        self._active_settings, self._method = self._settings(), self._make_learner()

    def _fitted_state(self) -> dict[str, Any]:
        runs = () if self._online is None else self._online.states()
        return super()._fitted_state() | ({"run_": runs} if any(runs) else {})

    def _restore_state(self, state: dict[str, Any]) -> None:
        state = dict(state)
        runs = state.pop("run_", None)
        super()._restore_state(state)
        self._begin_online()
        if runs is None:
            return
        tasks, degree = self._tasks(), self._degree()
        if len(runs) != len(tasks):
            raise ValueError("its runs do not match its classes.")
        factor = factor_of_states(runs, degree or 0)
        learners = {k: self._resume_learner(place, factor, runs[place]) for place, k in enumerate(tasks)}
        self._online = OnlineRun(learners, factor, can_be_scaled=degree is not None)

    def _resume_learner(
        self, place: int, factor: CommonFactor = NO_FACTOR, state: dict[str, Any] | None = None
    ) -> Learner:
        """The learner of a task, at the weights of the model, with what `OnlineRun.states` has told."""
        learner = self._learner_at(place, factor)
        if state is not None:
            learner.resume(state)
        elif learner.saved_state:
            raise ValueError(
                f"This {type(self).__name__} was saved by an earlier version, without the run behind its "
                "weights: call fit, or begin anew, to learn from more rows."
            )
        learner.mistakes = int(np.atleast_1d(self.mistakes_)[place])
        learner.updates = int(np.atleast_1d(self.updates_)[place])
        return learner

    def _learner_at(self, place: int, factor: CommonFactor) -> Learner:
        """A learner that begins with what a task predicts with now."""
        weights = np.append(self.coef_[place], self.intercept_[place])
        return self._new_learner(factor.scaled_weights(weights))

    def _publish_online(self) -> None:
        """Have the model tell what its learners know now."""
        online = self._online_run()
        learners = list(online.learners.values())
        binary = len(learners) == 1
        was_published = online.is_published(self)
        self._publish_answers(learners, online.factor)
        online.published = getattr(self, "coef_", None), getattr(self, "intercept_", None)
        mistakes, updates = [each.mistakes for each in learners], [each.updates for each in learners]
        self.mistakes_ = mistakes[0] if binary else np.array(mistakes)
        self.updates_ = updates[0] if binary else np.array(updates)
        if was_published:
            return
        for fact in self._facts:  # figures of a fit that these rows have left behind
            if hasattr(self, f"{fact}_") and fact not in ("mistakes", "updates", *self._method.answers):
                delattr(self, f"{fact}_")
        self._facts = ()
        if self._method.is_halfspace:
            self.certificate_ = ROW_BY_ROW if binary else Certificates((ROW_BY_ROW,) * len(learners))
        self.history_ = History() if binary else (History(),) * len(learners)
        self.passes_ = 0 if binary else np.zeros(len(learners), int)

    def _publish_answers(self, learners: Sequence[Learner], factor: CommonFactor) -> None:
        """Set the attributes that `predict` goes by."""
        self._keep_weights([factor.given_weights(learner.prediction_weights()) for learner in learners])


def _same_labels(given: Any, classes: np.ndarray) -> bool:
    if isinstance(given, list | tuple) and list(given) == classes.tolist():  # NumPy takes ten times as long
        return True
    return set(classes_named(given).tolist()) == set(classes.tolist())
