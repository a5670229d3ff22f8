# The front door. `make demo` shows what Vincolo does; `make test` runs the test suite; `make help` lists the rest.
# SPDX-License-Identifier: BSD-3-Clause
.PHONY: all demo test test-full fuzz clean install help setup

all: setup
	@cmake -S . -B build -G Ninja -DVINCOLO_TESTS=OFF >build.log 2>&1 || { cat build.log; exit 1; }
	@ninja -C build --quiet
