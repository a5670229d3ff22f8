# The front door of Vincolo.
#   make            build the command: build/vincolo
#   make demo       build it, run the pendulum, show where its output is
#   make gallery    draw the figure of every example, and docs/gallery.md with all of them
#   make test       the test suite, with address and undefined-behaviour sanitizers (under 4 minutes)
#   make test-threads  runs of one model in several threads, and one run shared by threads, under the thread sanitizer
#   make test-methods  every method by every formulation on every small model, loose and tight (some minutes)
#   make test-clang the suite built by clang, with its sanitizers
#   make test-faults  every command under full disks, closed outputs, signals, limits of memory and stack; every failed
#                   allocation of every command
#   make test-full  also clang, long fuzzing, valgrind, AArch64 under qemu, all examples
#   make test-report  the report in headless Chromium, which it installs
#   make test-live  a live page in headless Chromium, which it installs
#   make browser-page  the live page as one file with the engine as WebAssembly: build-browser/vincolo.html
#   make test-browser-page  ... in headless Chromium, and its numbers held against the command's
#   make test-python  the Python package (python/): built, tested, its notebooks run
#   make fuzz       each fuzzer for FUZZ_SECONDS (default 600)
#   make fuzz-differential  MODELS (default 10000) random models, each solved in several ways that must agree
#   make mutants    MUTANTS (default 100000) changed models through everything, counted; SEED (default 1)
#   make bench-...  measurements: bench-parse, bench-flatten, bench-tape, bench-ladder, bench-sparse, bench-size, bench-krylov, bench-chain,
#                   bench-start, bench-events, bench-ivp, bench-auto, bench-honest, bench-sweep, bench-threads
#   make deb        Debian packages in build-deb: command, library, headers, plug-ins
#   make test-deb   ... installed, used and removed on a bare Debian (needs root)
#   make site       the manual as pages for a browser: build-site/index.html
#   make install    PREFIX=... (default ~/.local); no root needed
#   make format     clang-format over all sources
# SPDX-License-Identifier: BSD-3-Clause
PREFIX ?= $(HOME)/.local
FUZZ_SECONDS ?= 600
MUTANTS ?= 100000
MODELS ?= 10000
SEED ?= 1
SHELL := /bin/sh
.DEFAULT_GOAL := all
.PHONY: all demo gallery test test-threads test-methods test-faults test-clang test-full test-report test-live browser-page test-browser-page test-python fuzz fuzz-differential mutants install deb test-deb site format clean help

build/build.ninja:
	@scripts/setup build
	@cmake -S . -B build -G Ninja -DVINCOLO_TESTS=OFF -DCMAKE_INSTALL_PREFIX="$(PREFIX)" >build.log 2>&1 || { cat build.log; exit 1; }

all: build/build.ninja
	@ninja -C build --quiet

demo: all
	@scripts/demo

gallery: all
	@scripts/gallery

build-test/build.ninja:
	@scripts/setup test
	@cmake -S . -B build-test -G Ninja -DVINCOLO_SANITIZE=ON -DCMAKE_C_COMPILER=gcc >build-test.log 2>&1 || { cat build-test.log; exit 1; }

test: build-test/build.ninja
	@ninja -C build-test --quiet
	@scripts/run-tests build-test
build-threads/build.ninja:
	@scripts/setup test
	@cmake -S . -B build-threads -G Ninja -DVINCOLO_SANITIZE_THREADS=ON -DCMAKE_C_COMPILER=gcc >build-threads.log 2>&1 || { cat build-threads.log; exit 1; }

test-threads: build-threads/build.ninja
	@ninja -C build-threads --quiet api_threads numeric_fit unit_base_crew unit_la_shared
	@build-threads/tests/unit/base/unit_base_crew
	@build-threads/tests/unit/la/unit_la_shared
	@build-threads/tests/numeric/numeric_fit
	@build-threads/tests/api/api_threads

test-methods: build-test/build.ninja
	@ninja -C build-test --quiet numeric_every_method
	@build-test/tests/numeric/numeric_every_method long

test-clang:
	@scripts/setup test
	@scripts/test-clang

build-faults/build.ninja:
	@scripts/setup test
	@cmake -S . -B build-faults -G Ninja >build-faults.log 2>&1 || { cat build-faults.log; exit 1; }

test-faults: build-faults/build.ninja
	@ninja -C build-faults --quiet vincolo_tool faults memory_every_command
	@build-faults/tests/memory/memory_every_command 1
	@build-faults/tests/fault/faults build-faults/vincolo

test-full: test test-threads
	@scripts/setup full
	@scripts/test-full

test-report: all
	@scripts/setup browser
	@tests/report/browser "$(CURDIR)/build/vincolo" "$(CURDIR)"

test-live: all
	@scripts/setup plugin
	@scripts/setup browser
	@cmake -S . -B build >build.log 2>&1 && ninja -C build --quiet
	@tests/live/browser "$(CURDIR)/build/vincolo" "$(CURDIR)"

build-browser/build.ninja:
	@scripts/setup wasm
	@cmake -S src/browser -B build-browser -G Ninja -DCMAKE_TOOLCHAIN_FILE="$(CURDIR)/src/browser/wasi.cmake" >build-browser.log 2>&1 || { cat build-browser.log; exit 1; }

browser-page: build-browser/build.ninja
	@ninja -C build-browser --quiet
	@echo "build-browser/vincolo.html"

test-browser-page: all browser-page
	@cmake -S . -B build >build.log 2>&1 && ninja -C build --quiet
	@tests/browser/browser "$(CURDIR)/build/vincolo" "$(CURDIR)"

test-python: all
	@scripts/setup python
	@scripts/test-python

fuzz:
	@scripts/setup test
	@scripts/fuzz $(FUZZ_SECONDS)

fuzz-differential:
	@scripts/setup test
	@scripts/differential $(MODELS) $(SEED)

mutants:
	@scripts/setup test
	@scripts/mutants $(MUTANTS) $(SEED)

install: all
	@ninja -C build --quiet vincolo_shared vincolo_archive
	@cmake --install build --prefix "$(PREFIX)" >install.log && echo "installed in $(PREFIX)"

deb:
	@scripts/setup deb
	@scripts/deb

test-deb: deb
	@scripts/test-deb

site: all
	@scripts/site build-site

bench-%:
	@scripts/setup bench
	@scripts/bench $*

format:
	@find src tool tests include bench examples -name '*.[ch]' | xargs clang-format -i

clean:
	@rm -rf build build-* *.log

help:
	@sed -n 's/^#   //p' Makefile
