# demo, test, bench and install; everything else is CMake's and cargo's.
#
#   make demo                    the heat-flux job on 4 ranks
#   make demo-loop STEPS=3600    the model of demo with ten times the steps: memory and time of each schedule of a time loop
#   make demo-map                the parameters of a population from 59 children: jobs of a map over threads and 4 ranks
#   make demo-pmap               a network learns handwritten digits on 4 ranks, by four plans
#   make demo-fortran            the mantle under some stations, by a model in Fortran on 4 ranks
#   make quick                   the tests that a developer runs, under one MPI: some 3 minutes
#   make test                    the tests of every program, under Open MPI, MPICH and without MPI
#   make full                    every test in all three builds, under valgrind too: more than an hour
#   make renew                   writes every generated file anew, and the lists of symbols and of the ABI
#   make test-random             random programs for DURATION=3600 seconds, under Open MPI and MPICH, on 1 to 6 ranks
#   make test-maps               100000 calls of a map on 3 ranks in memory that does not grow: some minutes
#   make test-large              counts past 2^31 at real size: up to 9 GiB of memory, some minutes
#   make test-flang              installs flang, 100 MB, and tests the Fortran modules with it: some minutes
#   make test-wheels             the tests under the newest Open MPI and MPICH from PyPI: half an hour each
#   make bench                   the table of figures
#   make bench-large             those of counts past 2^31: up to 9 GiB of memory, some minutes
#   make install PREFIX=/path    library, headers, CMake package, admpi.pc, documents
#   make uninstall               what make install put there
#   make dist                    build/admpi-<version>.tar.gz: the source with all crates, for machines without a network
#   make test-dist               installs from that without a network: some minutes
#
# MPI=openmpi or MPI=mpich, or MPICC=<wrapper>, chooses the MPI of all but quick, test and full; MPI=none installs without.

MAKEFLAGS += --no-print-directory
# Where rustup puts cargo, for shells that were opened before.
export PATH := $(PATH):$(or $(CARGO_HOME),$(HOME)/.cargo)/bin
PREFIX ?= /usr/local
BUILD ?= build
DURATION ?= 3600
STEPS ?= 3600
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)

.PHONY: demo demo-loop demo-map demo-pmap demo-fortran quick test full renew test-random test-maps test-large test-flang test-wheels bench bench-large install uninstall dist test-dist

demo:
	scripts/bootstrap demo $(MPI)
	scripts/configure "$(BUILD)/demo" $(MPI) -DBUILD_TESTING=OFF -DADMPI_BENCHES=OFF
	cmake --build "$(BUILD)/demo" --target demo --parallel $(JOBS)

demo-loop:
	scripts/bootstrap demo $(MPI)
	scripts/configure "$(BUILD)/demo" $(MPI) -DBUILD_TESTING=OFF -DADMPI_BENCHES=OFF -DADMPI_DEMO_STEPS=$(STEPS)
	cmake --build "$(BUILD)/demo" --target demo-loop --parallel $(JOBS)

demo-map:
	scripts/bootstrap demo $(MPI)
	scripts/configure "$(BUILD)/demo" $(MPI) -DBUILD_TESTING=OFF -DADMPI_BENCHES=OFF
	cmake --build "$(BUILD)/demo" --target demo-map --parallel $(JOBS)

demo-pmap:
	scripts/bootstrap demo $(MPI)
	scripts/configure "$(BUILD)/demo" $(MPI) -DBUILD_TESTING=OFF -DADMPI_BENCHES=OFF
	cmake --build "$(BUILD)/demo" --target demo-pmap --parallel $(JOBS)

demo-fortran:
	scripts/bootstrap demo $(MPI)
	scripts/configure "$(BUILD)/demo" $(MPI) -DBUILD_TESTING=OFF -DADMPI_BENCHES=OFF -DADMPI_WITH_FORTRAN=ON
	cmake --build "$(BUILD)/demo" --target demo-fortran --parallel $(JOBS)

quick:
	scripts/bootstrap test
	BUILD="$(BUILD)" scripts/test quick

test:
	scripts/bootstrap test
	BUILD="$(BUILD)" scripts/test

full:
	scripts/bootstrap test
	BUILD="$(BUILD)" scripts/test full

renew:
	scripts/renew

test-random:
	scripts/bootstrap test
	BUILD="$(BUILD)" DURATION="$(DURATION)" scripts/test-random

test-maps:
	scripts/bootstrap test
	scripts/configure "$(BUILD)/maps" $(MPI) -DADMPI_EXAMPLES=OFF -DADMPI_BENCHES=OFF
	cmake --build "$(BUILD)/maps" --target test-maps --parallel $(JOBS)

test-large:
	scripts/bootstrap test
	scripts/configure "$(BUILD)/large" $(MPI) -DADMPI_EXAMPLES=OFF -DADMPI_BENCHES=OFF
	cmake --build "$(BUILD)/large" --target test-large --parallel $(JOBS)

test-flang:
	scripts/bootstrap flang none
	scripts/configure "$(BUILD)/flang" none -DBUILD_TESTING=OFF -DADMPI_EXAMPLES=OFF -DADMPI_BENCHES=OFF
	cmake --build "$(BUILD)/flang" --target admpi --parallel $(JOBS)
	cpp_tests/fortran/check_flang "$(BUILD)/flang/modules" "$(abspath $(BUILD))/flang/libadmpi.so" -DWITH_TANGENTS=ON

test-wheels:
	scripts/bootstrap wheels
	BUILD="$(BUILD)" scripts/test-wheels

bench:
	scripts/bootstrap bench $(MPI)
	scripts/configure "$(BUILD)/bench" $(MPI) -DBUILD_TESTING=OFF -DADMPI_EXAMPLES=OFF
	cmake --build "$(BUILD)/bench" --target bench --parallel $(JOBS)
	cargo bench --locked --no-default-features --target-dir "$(BUILD)/cargo"

bench-large:
	scripts/bootstrap bench $(MPI)
	scripts/configure "$(BUILD)/bench" $(MPI) -DBUILD_TESTING=OFF -DADMPI_EXAMPLES=OFF
	cmake --build "$(BUILD)/bench" --target bench-large --parallel $(JOBS)

# What cannot be installed is not built first.
install:
	@mkdir -p "$(DESTDIR)$(PREFIX)" && test -w "$(DESTDIR)$(PREFIX)" || \
	  { echo "PREFIX=$(PREFIX) cannot be written to; take another, such as PREFIX=$$HOME/admpi" >&2; exit 1; }
	scripts/bootstrap install $(MPI)
	scripts/configure "$(BUILD)/install" $(MPI) -DCMAKE_INSTALL_PREFIX="$(PREFIX)" \
	  -DBUILD_TESTING=OFF -DADMPI_EXAMPLES=OFF -DADMPI_BENCHES=OFF
	cmake --build "$(BUILD)/install" --parallel $(JOBS)
	cmake --install "$(BUILD)/install"

uninstall:
	cmake --build "$(BUILD)/install" --target uninstall

dist:
	scripts/dist "$(BUILD)"

test-dist:
	scripts/bootstrap install $(MPI)
	MPI="$(MPI)" scripts/test-dist "$(BUILD)/dist" whole
