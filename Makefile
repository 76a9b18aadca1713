# Everything runs inside .venv, which the first target to need it builds from the lock file.
# Needed on the machine: make and Python 3.11 or newer (PYTHON=… chooses which).
PYTHON ?= python3
WORKERS ?= 2
BIN := .venv/bin
STAMP := .venv/.stamp
LOCK := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--custom-compile-command 'make lock' --quiet

# uv may speed the installation up; it may not bring another Python with it.
export UV_PYTHON_DOWNLOADS := never
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: run test lint bench soak clients openapi lock clean

run: $(STAMP)
	$(BIN)/rummy serve --demo

test: $(STAMP) lint
	$(BIN)/pytest -n $(WORKERS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/basedpyright

bench: $(STAMP)
	$(BIN)/python -m benchmarks

soak: $(STAMP)
	$(BIN)/pytest -n $(WORKERS) -m soak

# Needs node and npm beside what the others need: what generators make of the published document, and that it plays.
clients: $(STAMP)
	cd tests/clients && npm ci --silent
	$(BIN)/pytest -m clients tests/clients

openapi: $(STAMP)
	mkdir -p openapi
	$(BIN)/rummy openapi > openapi/openapi.json

# After a change of the dependencies in pyproject.toml. The second file is what the container image installs.
lock: $(STAMP)
	$(BIN)/$(LOCK) --group dev -o requirements.lock
	$(BIN)/$(LOCK) -o requirements-run.lock

clean:
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis build dist tests/clients/node_modules tests/clients/build

# uv installs the same files in a fraction of the time; where it cannot be had, pip does the work alone.
$(STAMP): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed (make PYTHON=...)" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet uv || echo 'going on without uv'
	@if [ -x $(BIN)/uv ] && $(BIN)/uv pip install --python $(BIN)/python --quiet --require-hashes -r requirements.lock; \
	then :; else $(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock; fi
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@
