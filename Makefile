# SPDX-License-Identifier: Apache-2.0
#
#   make demo     the main job, from sources to Verilog simulators
#   make test     all tests
#   make soak     the long campaigns: hundreds of random chips, fuzzing, every peer schedule
#   make prove    proofs of the Verilog modules, a few minutes
#   make bench    the benchmarks
#   make lint     gofmt, vet, staticcheck; make test has the first two
#   make site     the documentation as HTML, in build/site
#   make man      a manual page for each verb, in build/man
#   make dist     Debian packages and tar.gz for users, in build/dist
#   make install  puts meshwright into Go's bin directory
#
# demo, test, soak, prove, site and dist install the tools that are missing (apt-get).

GO      ?= go
BIN     := bin/meshwright
# Of each package: more than a machine ten times slower needs. A test that hangs is named then.
TIMEOUT := 60m
SOURCES := $(shell find . -name '*.go' -not -path './build/*') $(shell find rtl -type f -not -name '*.go') go.mod go.sum

# Without C all of Go's own packages are compiled once for programs, tests and linters.
export CGO_ENABLED := 0

# What is compiled does not have the name of its folder, so that one clone finds in Go's cache what another has compiled.
export GOFLAGS := $(strip $(shell $(GO) env GOFLAGS) -trimpath)

# Compiler, linker, linters and tests take from a seventh to a quarter less time when they collect garbage less often.
# Programs that tests start, and jobs whose memory they measure, have Go's own setting, as users' have.
BUILDING := GOGC=400

.PHONY: all demo test race soak prove bench vet lint site man dist install clean
all: $(BIN)

$(BIN): $(SOURCES)
	$(BUILDING) $(GO) build -o $@ ./cmd/meshwright

demo: $(BIN)
	@scripts/tools.sh iverilog verilator g++
	@examples/demo/demo.sh $(abspath $(BIN)) build/demo

# The packages that take longest start first, so that none of them runs alone at the end. Everything has been vetted.
# Without symbols for debuggers the test binaries are linked faster.
LONGEST := ./tests ./rtl ./tests/docs ./firmware/collective ./schedule/check

test: $(BIN) vet
	@scripts/tools.sh python3 iverilog verilator g++ zlib.h yosys z3 nextpnr-ice40 icepack tshark rsvg-convert pdftotext vcd2fst groff hugo chromium-headless-shell protoc munged sbatch slurmctld slurmd
	$(BUILDING) $(GO) test -timeout $(TIMEOUT) -count=1 -vet=off -ldflags='-s -w' $(LONGEST) ./...
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target race demo

# The race detector watches the packages below internal that share memory between goroutines, and the engine and the PEs that work on all cores. make soak runs the others that way.
SHARING = $(shell grep -rlE '\bgo func|\bsync\.|\batomic\.' internal --include='*.go' | xargs -n1 dirname | sort -u | sed 's:^:./:')
race:
	$(BUILDING) CGO_ENABLED=1 $(GO) test -race -timeout $(TIMEOUT) -vet=off -ldflags='-s -w' $(SHARING)
	$(BUILDING) CGO_ENABLED=1 $(GO) test -race -timeout $(TIMEOUT) -vet=off -ldflags='-s -w' -run 'StreamingAndReference/several' ./router
	$(BUILDING) CGO_ENABLED=1 $(GO) test -race -timeout $(TIMEOUT) -vet=off -ldflags='-s -w' -run Turns ./firmware/pe

soak: $(BIN) man lint
	@scripts/tools.sh python3 iverilog verilator g++ zlib.h yosys z3 nextpnr-ice40 icepack tshark rsvg-convert pdftotext vcd2fst groff mandoc mypy zsh fish hugo chromium chromium-headless-shell protoc munged sbatch slurmctld slurmd
	@scripts/tools.sh debootstrap buildah
	scripts/soak.sh

prove:
	@scripts/tools.sh yosys z3
	$(GO) test ./rtl/proof -timeout 180m -count=1 -v -prove

bench: $(BIN)
	$(GO) test -timeout 180m -run '^$$' -bench . -benchmem -cpu 1 ./...
	$(BIN) bench saturated-8x8

vet:
	@test -z "$$(gofmt -l .)" || { echo "not formatted:" >&2; gofmt -l . >&2; exit 1; }
	$(BUILDING) $(GO) vet ./...

# staticcheck reads the sources of all libraries, Go's own among them, which takes as long as compiling half of them.
lint: vet
	$(BUILDING) $(GO) tool staticcheck ./...

site:
	@scripts/tools.sh hugo
	@mkdir -p build
	hugo --config docs/site/hugo.yaml --noBuildLock --cleanDestinationDir >build/site.log 2>&1 || { grep -i '^error' build/site.log >&2; exit 1; }

man: $(BIN)
	rm -rf build/man
	$(BIN) man build/man

dist: $(BIN) site man
	@scripts/tools.sh dpkg-deb git
	scripts/dist.sh

install:
	$(GO) install ./cmd/meshwright

clean:
	rm -rf bin build
