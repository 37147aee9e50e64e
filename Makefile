# The thin front of the CMake project. `make` lists what can be done; every target installs the packages
# it misses (Debian), configures and builds on its own, so each works on a fresh checkout.
.DEFAULT_GOAL := help
.NOTPARALLEL:
.SUFFIXES:

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
# ON: warnings stop the release build, too (they always stop the sanitizer build).
WERROR ?= OFF
# OFF: a test that is skipped fails.
SKIP ?= ON
FUZZ_SECONDS ?= 30

export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export CTEST_PARALLEL_LEVEL := $(JOBS)

# One line per stage, so that the output of a long run can be read.
say = @printf '\n==> %s\n'
configure = cmake --preset $(1) --log-level=WARNING
compile = cmake --build --preset $(1) --parallel $(JOBS)

.PHONY: help
help:
	@echo 'make demo          build, simulate a four-bar for 100 s, turn a satellite optimally, make their pages'
	@echo 'make build         the command build/actio and the libraries'
	@echo 'make test          build and run the tests, plain and under the sanitizers'
	@echo 'make test-long     the tests that take minutes'
	@echo 'make test-targets  the same bits: other compilers, static musl, WebAssembly, 64-bit ARM'
	@echo 'make bench         build and run the benchmarks'
	@echo 'make lint          check format and run static analysis'
	@echo 'make format        format the sources in place'
	@echo 'make fuzz          run each fuzz target for FUZZ_SECONDS (30)'
	@echo 'make coverage      tests with coverage, report in build-coverage/report/'
	@echo 'make docs          build the manual as a site, build/docs/index.html'
	@echo 'make deb           build a Debian package in build-deb/'
	@echo 'make install       install below PREFIX (/usr/local), DESTDIR honoured'
	@echo 'make clean         remove all build folders'
	@echo
	@echo 'Missing Debian packages are installed first (as root, or with sudo).'

.PHONY: build
build:
	@scripts/install-packages build
	$(say) 'building in build/'
	@$(call configure,release) -DACTIO_WERROR=$(WERROR)
	@$(call compile,release)

# The command alone: a first look does not wait for the tests.
.PHONY: demo
demo:
	@scripts/install-packages build
	$(say) 'building build/actio'
	@$(call configure,release) -DACTIO_WERROR=$(WERROR)
	@$(call compile,release) --target actio
	$(say) 'simulating examples/linkages/four-bar.yaml for 100 s'
	@mkdir -p build/demo
	@build/actio run examples/linkages/four-bar.yaml -o build/demo/four-bar.h5
	$(say) 'optimal reorientation of a satellite: examples/control/satellite.yaml'
	@build/actio run examples/control/satellite.yaml -o build/demo/satellite.h5
	$(say) 'making their pages'
	@build/actio report build/demo/four-bar.h5 -o build/demo/four-bar.html
	@build/actio report build/demo/satellite.h5 -o build/demo/satellite.html
	@echo
	@printf 'Open in a browser: %s\n' "$(CURDIR)/build/demo/four-bar.html" "$(CURDIR)/build/demo/satellite.html"
	@printf 'Results:           %s\n' "$(CURDIR)/build/demo/four-bar.h5" "$(CURDIR)/build/demo/satellite.h5"
	@echo 'Look inside:       build/actio info build/demo/four-bar.h5'
	@echo 'As a table:        build/actio export build/demo/four-bar.h5'
	@echo 'In motion:         build/actio live examples/track/arm.yaml'

.PHONY: test
test:
	@scripts/install-packages build test
	$(say) 'building in build/'
	@$(call configure,release) -DACTIO_WERROR=$(WERROR) -DACTIO_SKIP=$(SKIP)
	@$(call compile,release)
	$(say) 'tests of the release build'
	@scripts/run-tests release build
	$(say) 'building with sanitizers in build-debug/'
	@$(call configure,debug) -DACTIO_SKIP=$(SKIP)
	@$(call compile,debug)
	$(say) 'tests under the sanitizers'
	@scripts/run-tests debug build-debug build

.PHONY: test-long
test-long: build
	$(say) 'long tests'
	@ctest --preset long

# What cannot be installed is skipped, target by target; with SKIP=OFF it fails.
.PHONY: test-targets
test-targets:
	@scripts/install-packages build
	@scripts/install-packages targets || [ $(SKIP) = ON ]
	$(say) 'the same bits on all targets'
	@SKIP=$(SKIP) scripts/test-targets

.PHONY: bench
bench:
	@scripts/install-packages build bench
	$(say) 'building the benchmarks in build/bench/'
	@$(call configure,release)
	@$(call compile,release) --target all bench_all
	@scripts/run-benchmarks build

.PHONY: lint
lint:
	@scripts/install-packages build dev
	@$(call configure,release)
	@scripts/lint build

.PHONY: format
format:
	@scripts/install-packages dev
	@scripts/c-files | xargs -0 -r clang-format -i

.PHONY: fuzz
fuzz:
	@scripts/install-packages build dev
	$(say) 'building the fuzz targets in build-fuzz/'
	@$(call configure,fuzz)
	@$(call compile,fuzz)
	@scripts/run-fuzzers build-fuzz $(FUZZ_SECONDS)

.PHONY: coverage
coverage:
	@scripts/install-packages build coverage
	$(say) 'building for coverage in build-coverage/'
	@$(call configure,coverage)
	@$(call compile,coverage)
	@find build-coverage -name '*.gcda' -delete
	@ctest --preset coverage
	@mkdir -p build-coverage/report
	@gcovr build-coverage --root . --filter src/ --html-details build-coverage/report/index.html --txt -
	@printf '\nReport: %s\n' "$(CURDIR)/build-coverage/report/index.html"

.PHONY: install
install:
	@scripts/install-packages build
	$(say) 'installing below $(DESTDIR)$(PREFIX)'
	@$(call configure,release) -DCMAKE_INSTALL_PREFIX='$(PREFIX)'
	@$(call compile,release)
	@DESTDIR='$(DESTDIR)' cmake --install build

.PHONY: docs
docs:
	@scripts/install-packages docs
	$(say) 'building the manual'
	@scripts/make-docs build/docs
	@printf 'Open in a browser: %s\n' "$(CURDIR)/build/docs/index.html"

.PHONY: docs-refresh
docs-refresh: build
	$(say) 'writing the pages that are made from sources, headers and help'
	@scripts/refresh-docs build

.PHONY: deb
deb:
	@scripts/install-packages build package
	@scripts/make-deb build-deb

.PHONY: clean
clean:
	rm -rf build build-debug build-coverage build-fuzz build-deb build-targets
