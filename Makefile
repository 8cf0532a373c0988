# On a fresh machine: `make gates` sets everything up and certifies the embedded vendor, `make test` runs the tests.
# Needs Python 3.11+, a C++20 compiler, cmake and ninja; the Python packages come into .venv.

VENV   := .venv
PYTHON ?= python3
PY     := $(VENV)/bin/python
PYTEST := $(PY) -m pytest
JOBS   ?= $(shell nproc)
VENDOR ?= host
OPERATORS ?= onednn
FORCE  ?= a library for CPUs, over the memory of the simulated device
export PATH := $(abspath $(VENV))/bin:$(PATH)

.PHONY: gates port route native test mutants full perf setup build sdks lint format generate check-generated wheel clean help

help:            ## this list
	@sed -nE 's/^([a-z-]+):[^#]*## +/\1\t/p' $(MAKEFILE_LIST) | expand -t 18

gates: build     ## set up, build, and prove a vendor: make gates [VENDOR=cuda]
	$(PYTEST) gates/runtime --vendor $(VENDOR) --junitxml=build/gates.xml

port: setup      ## prove the installed torch line, or another: make port [TORCH_LINE=2.14.1]
	$(PYTEST) -m version_port $(if $(TORCH_LINE),--torch $(TORCH_LINE)) --junitxml=build/port.xml

route: build     ## prove the CUDA route of a vendor: make route [VENDOR=cuda VENDOR_TORCH=DIR_OR_WHEEL]
	$(PYTEST) gates/cuda_compat --vendor $(VENDOR) $(if $(VENDOR_TORCH),--vendor-torch $(VENDOR_TORCH)) --junitxml=build/route.xml

native: build    ## prove a library of operators, after its runtime: make native [OPERATORS=onednn FORCE="why this route"]
	$(PYTEST) gates/native_op --vendor $(OPERATORS) --force-route "$(FORCE)" -n $(JOBS) --junitxml=build/native.xml

test: build      ## set up, build, and run the tests (the mutants: a sample)
	$(PYTEST) tests/unit tests/integration -n $(JOBS) --dist loadfile --junitxml=build/test.xml
	ctest --test-dir build/cpp --output-on-failure -j $(JOBS)
	$(PYTEST) tests/mutation -m sample -n $(JOBS) --junitxml=build/mutation.xml

mutants: build   ## every mutant: the table of what kills it
	$(PYTEST) tests/mutation -n $(JOBS)

full: test mutants perf   ## the long versions of everything

perf: build      ## ratios of tests/perf, taken in this run
	$(PYTEST) tests/perf -q

setup: $(VENV)/.ready   ## the virtual environment

# PyPI's Linux wheel of torch is a CUDA build of several GB. PyTorch's CPU index is asked only where pip would not find a
# CPU wheel without it. (torchgen comes inside torch; the PyPI package of that name is another thing.)
TORCH := torch==2.13.*
$(VENV)/.ready: pyproject.toml
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	index=$$($(PY) -m pip install --dry-run --no-deps --ignore-installed '$(TORCH)' 2>/dev/null | grep -q '+cpu' \
	  || echo --index-url https://download.pytorch.org/whl/cpu); $(PY) -m pip install -q '$(TORCH)' $$index
	$(PY) -m pip install -q scikit-build-core
	$(PY) -m pip install -q --no-build-isolation -e '.[dev]'
	touch $@

build: setup     ## the torch side, the embedded vendor and the C++ tests (a second time: nothing to do)
	test -f build/torch/build.ninja || cmake -S . -B build/torch -G Ninja -DPython_EXECUTABLE=$(abspath $(PY))
	cmake --build build/torch -j $(JOBS)
	$(PY) -m generators.build --vendor host
	test -f build/cpp/build.ninja || cmake -S tests/cpp -B build/cpp -G Ninja
	cmake --build build/cpp -j $(JOBS)

sdks: setup      ## simulated SDKs, in build/sdks; ACL's needs a network once, for the headers
	-$(PY) -m tests.sdks.acl
	$(PY) -m tests.sdks.build

generate: setup  ## every generated file of the tree
	$(PY) -m generators.reports --write
	$(PY) -m generators.runtime
	$(PY) -m generators.aten

check-generated: setup   ## the same, and fail if anything differs
	$(PY) -m generators.reports --check
	$(PY) -m generators.runtime --check
	$(PY) -m generators.aten --check

lint: setup      ## what CI checks of style and types
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	git ls-files '*.h' '*.cc' | xargs $(VENV)/bin/clang-format --dry-run --Werror

format: setup    ## the same, repaired
	$(VENV)/bin/ruff check --fix -q . ; $(VENV)/bin/ruff format -q .
	git ls-files '*.h' '*.cc' | xargs $(VENV)/bin/clang-format -i

wheel: setup     ## a wheel in dist/
	$(PY) -m pip wheel -q --no-deps --no-build-isolation -w dist .

clean:           ## everything that was built, not the virtual environment
	rm -rf build dist torch_fl/lib torch_fl/_C.*
