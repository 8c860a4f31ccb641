# make run     builds the environment, trains on built-in data, prints the outcome, draws separatrix-demo.svg
# make test    every check: style, types, import contract, tests, doctests
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INPUTS := pyproject.toml constraints.txt

.PHONY: run test test-deep bench lint docs clean

run: .venv/.plot
	$(BIN)/separatrix demo

test: lint
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest tests/test_kernels.py tests/test_separation_kernels.py \
		tests/test_svm_kernels.py tests/test_svmlight_kernel.py tests/test_zero_one_kernels.py --quiet
	$(BIN)/python -m pytest -n 2

test-deep: .venv/.test
	$(BIN)/python -m pytest -n 2 -m "deep or not deep" --hypothesis-profile=deep

bench: .venv/.bench
	$(BIN)/python -m benchmarks

lint: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/.docs
	rm -rf site docs/api/generated
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet -d build/doctrees docs site

clean:
	rm -rf .venv build dist site docs/api/generated separatrix-demo.svg .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.plot: EXTRAS := plot
.venv/.test: EXTRAS := plot,test
.venv/.docs: EXTRAS := plot,docs
.venv/.bench: EXTRAS := plot,bench

.venv/.plot .venv/.test .venv/.docs .venv/.bench: $(INPUTS) | .venv/bin/python
	$(PIP) install --constraint constraints.txt --editable ".[$(EXTRAS)]"
	@touch $@
