"""Change one operator, constant or condition of the checker at a time and see that a test vector notices.

``python tests/mutate_checker.py [MODULE ...] > survivors`` takes about an hour on two cores for all of
``separatrix/certificates/check``. A change survives if every vector that runs its line is judged as before.
"""

from __future__ import annotations

import ast
import builtins
import copy
import importlib.abc
import importlib.util
import io
import os
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from separatrix.certificates.check.vectors import vectors

FOLDER = Path(__file__).resolve().parents[1] / "separatrix" / "certificates" / "check"
VECTORS = Path(__file__).with_name("vectors")
SKIPPED = ("vectors", "__init__")  # what runs the vectors, and no code
PROCESSES = 2
LONG_SECONDS = 0.3  # a vector that takes longer is run for few mutants only
LONG_MODULES = ("csv_text", "limits")
SWAPS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}


class Mutant(NamedTuple):
    """A module with one change, on some lines of it."""

    module: str
    lines: range
    function: str
    what: str
    source: str


class Case(NamedTuple):
    """A vector whose files are kept in memory."""

    name: str
    certificate: str
    data: str
    label: str | None
    leaves: bool
    limits: list[str]
    expected: str


def mutants(module: str) -> Iterator[Mutant]:
    tree = ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8"))
    places = list(_places(tree))
    for place, (node, statement, function) in enumerate(places):
        for what, change in _changes(node):
            changed = copy.deepcopy(tree)
            target = list(_places(changed))[place][0]
            before = ast.unparse(node if not isinstance(node, ast.If | ast.While) else node.test)
            change(target)
            after = ast.unparse(target if not isinstance(node, ast.If | ast.While) else target.test)  # type: ignore[attr-defined]
            source = ast.unparse(ast.fix_missing_locations(_RemoveRaise().visit(changed)))
            shown = f"{before} -> {after}" if after != before else f"{what}: {before}"
            lines = range(statement.lineno, (node.end_lineno or node.lineno) + 1)
            if isinstance(node, ast.If | ast.While):
                lines = range(node.lineno, (node.test.end_lineno or node.lineno) + 1)
            yield Mutant(module, lines, function, " ".join(shown.split())[:150], source)


def _places(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.stmt, str]]:
    """Nodes that may be changed, each with its statement and function; annotations and texts are not."""

    def walk(node: ast.AST, statement: Any, function: str) -> Iterator[tuple[ast.AST, ast.stmt, str]]:
        statement = node if isinstance(node, ast.stmt) else statement
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            function = f"{function}.{node.name}".lstrip(".")
        if statement is not None:
            yield node, statement, function
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "format_spec"):
                continue
            # The words of a refusal are left alone.
            if isinstance(node, ast.Raise):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from walk(child, statement, function)

    yield from walk(tree, None, "")


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], None]]]:
    if isinstance(node, ast.Compare):
        for k, op in enumerate(node.ops):
            for other in SWAPS[type(op)]:
                yield "compare", lambda n, k=k, other=other: n.ops.__setitem__(k, other())  # type: ignore[misc]
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
        for other in SWAPS.get(type(node.op), ()):
            yield "operator", lambda n, other=other: setattr(n, "op", other())  # type: ignore[misc]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield "sign or not", _drop_operator
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield "constant", lambda n: setattr(n, "value", not n.value)
        elif isinstance(node.value, int | float):
            yield "constant", lambda n: setattr(n, "value", n.value + 1)
            yield "constant", lambda n: setattr(n, "value", n.value - 1)
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "condition", lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))
    elif isinstance(node, ast.Raise):
        yield "raise removed", lambda n: setattr(n, "removed", True)


def _drop_operator(node: Any) -> None:
    node.op = ast.UAdd() if isinstance(node.op, ast.USub) else node.op
    if isinstance(node.op, ast.Not):
        node.operand = ast.UnaryOp(ast.Not(), node.operand)


class _RemoveRaise(ast.NodeTransformer):
    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return ast.copy_location(ast.Pass(), node) if getattr(node, "removed", False) else node


class Modules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The checker as a package ``mutant``, from compiled code in memory."""

    def __init__(self, codes: dict[str, Any], files: dict[str, bytes]) -> None:
        self.codes, self.files = codes, files

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.split(".")[0] != "mutant":
            return None
        return importlib.util.spec_from_loader(name, self, is_package=name == "mutant")

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: Any) -> None:
        module.__dict__["open"] = self.open
        exec(self.codes[module.__name__.partition(".")[2] or "__init__"], module.__dict__)

    def open(self, path: str, mode: str = "r", **options: Any) -> Any:
        if path not in self.files:
            return builtins.open(path, mode, **options)
        raw = io.BytesIO(self.files[path])
        return raw if "b" in mode else io.TextIOWrapper(raw, **options)


class Trial:
    """All vectors, and which of them run which lines."""

    def __init__(self, folder: Path) -> None:
        self.files: dict[str, bytes] = {}
        self.cases: list[Case] = []
        names: dict[bytes, str] = {}
        for vector in vectors(str(VECTORS)):
            paths = []
            for content in (vector.certificate, vector.data):
                path = names.setdefault(content, str(folder / str(len(names))))
                if path not in self.files:
                    Path(path).write_bytes(content)  # gzip opens files itself
                    self.files[path] = content
                paths.append(path)
            self.cases.append(
                Case(vector.name, *paths, vector.label, vector.leaves, vector.limits, vector.expected)
            )
        self.codes = {
            path.stem: _compiled(path.stem, path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.py")
        }
        self.times = [0.0] * len(self.cases)
        self.by_line: dict[tuple[str, int], set[int]] = defaultdict(set)

    def load(self, codes: dict[str, Any]) -> Any:
        sys.meta_path.insert(0, Modules(codes, self.files))
        return importlib.import_module("mutant.__main__")

    def outcome(self, main: Any, case: Case) -> str:
        limits = sys.modules["mutant.limits"]
        try:
            with limits.changed(case.limits):
                main.verdict(case.certificate, case.data, case.label, case.leaves)
            return "holds"
        except main.Refused:
            return "refused"
        except main.Unreadable:
            return "unreadable"
        except Exception:
            return "broken"

    def trace(self) -> None:
        """Run the vectors as they are, in this process, and note what they run."""
        main = self.load(self.codes)
        seen: set[tuple[str, int]] = set()

        def local(frame: Any, event: str, _: Any) -> Any:
            if event == "line":
                seen.add((frame.f_code.co_filename, frame.f_lineno))
            return local

        def enter(frame: Any, event: str, _: Any) -> Any:
            seen.add((frame.f_code.co_filename, frame.f_lineno))
            return local if frame.f_code.co_filename in self.codes else None

        for place, case in enumerate(self.cases):
            start = time.perf_counter()
            assert self.outcome(main, case) == case.expected, case.name
            self.times[place] = time.perf_counter() - start
            seen.clear()
            if self.times[place] < LONG_SECONDS:
                sys.settrace(enter)
                self.outcome(main, case)
                sys.settrace(None)
                for line in seen:
                    self.by_line[line].add(place)

    def chosen(self, mutant: Mutant) -> list[int]:
        hit = {place for line in mutant.lines for place in self.by_line.get((mutant.module, line), ())}
        if not mutant.function:
            hit = set(range(len(self.cases)))
        short = sorted(
            (place for place in hit if self.times[place] < LONG_SECONDS), key=self.times.__getitem__
        )
        long_ = [place for place in range(len(self.cases)) if self.times[place] >= LONG_SECONDS]
        return short + (long_ if mutant.module in LONG_MODULES else [])

    def judge(self, mutant: Mutant) -> str:
        """ "killed", "timeout" or "survived", from a process of its own."""
        places = self.chosen(mutant)
        if not places:
            return "not run"
        child = os.fork()
        if child == 0:
            signal.alarm(round(20 + 20 * sum(self.times[place] for place in places)))
            os._exit(self._first_difference(mutant, places))
        _, status = os.waitpid(child, 0)
        return {0: "survived", 1: "killed"}.get(os.waitstatus_to_exitcode(status), "timeout")

    def _first_difference(self, mutant: Mutant, places: list[int]) -> int:
        try:
            for name in [name for name in sys.modules if name.split(".")[0] == "mutant"]:
                del sys.modules[name]
            sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, Modules)]
            main = self.load(self.codes | {mutant.module: _compiled(mutant.module, mutant.source)})
        except BaseException:
            return 1
        limit = max(2.0, 50 * max(self.times[place] for place in places))
        for place in places:
            signal.setitimer(signal.ITIMER_REAL, limit)
            if self.outcome(main, self.cases[place]) != self.cases[place].expected:
                return 1
        return 0


def _compiled(name: str, source: str) -> Any:
    return compile(source, name, "exec")


def main(modules: list[str]) -> None:
    names = modules or sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in SKIPPED)
    with TemporaryDirectory() as folder:
        trial = Trial(Path(folder))
        trial.trace()
        print(f"{len(trial.cases)} vectors, {sum(trial.times):.1f} s", file=sys.stderr)
        counts: Counter[str] = Counter()
        with ThreadPoolExecutor(PROCESSES) as pool:
            for name in names:
                every = list(mutants(name))
                for mutant, said in zip(every, pool.map(trial.judge, every), strict=True):
                    counts[said] += 1
                    if said not in ("killed", "timeout"):
                        place = f"{mutant.module}.{mutant.function or 'module'}:{mutant.lines.start}"
                        print(f"{said}: {place}: {mutant.what}", flush=True)
                print(f"{name}: {len(every)} mutants; {dict(counts)}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
