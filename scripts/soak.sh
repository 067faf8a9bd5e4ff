#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The long campaigns. SEED moves all of them to other random machines.
set -eu
seed=${SEED:-1}
export SOAK=1 # tests take all their cases

go test ./... -timeout 24h -count=1
go test ./rtl -run 'Random|Collectives|Gossips|Wide|StressPhases' -timeout 24h -seed "$seed" -stress.icarus 100 -icarus 200 -verilator 50 \
	-packets.icarus 200 -packets.verilator 50 -faulty.icarus 200 -faulty.verilator 30 -collectives.icarus 200 -collectives.verilator 50 -wide.icarus 9 -wide.verilator 9 -routing.icarus 100 -routing.verilator 20 -gossips.icarus 300 -gossips.verilator 50
go test ./rtl/emulator -run Random -timeout 24h -seed "$seed" -icarus 100 -verilator 30
# What users install: the same bytes twice, and used in a clean Debian. That takes root.
make dist
rm -rf build/soak-dist.first
mv build/dist build/soak-dist.first
make dist
diff -r build/soak-dist.first build/dist
rm -r build/soak-dist.first
if [ "$(id -u)" = 0 ]; then
	scripts/clean-root.sh image
else
	echo "not root: the packages are not tried in a clean Debian (sudo scripts/clean-root.sh image)" >&2
fi
rm -rf build/soak-user
go run ./cmd/meshwright export build/soak-user gossip --topology mesh:2x2 --interface axis
make -C examples/ip verilator FABRIC="$PWD/build/soak-user" BUILD="$PWD/build/soak-user/build"
# A router that is not one of the library, in both simulators, and its score.
mkdir -p build/soak-router
go run ./cmd/meshwright run random --topology mesh:3x3 --number 200 --length 4 --schedule build/soak-router/random.csv
for target in icarus verilator mutants; do
	make -C examples/your-router $target COLUMNS=3 ROWS=3 MUTANTS=200 SCHEDULE="$PWD/build/soak-router/random.csv" BUILD="$PWD/build/soak-router"
done
# Frames from Python: cocotb is not in Debian, so the bench of TestFramesArrive stands in for it where it is missing.
if command -v cocotb-config >/dev/null 2>&1; then
	rm -rf build/soak-axis
	go run ./cmd/meshwright export build/soak-axis gossip --topology mesh:3x2 --length 4 --interface axis
	make -C build/soak-axis/axis cocotb FRAMES=10000 SEED="$seed"
else
	echo "cocotb is not installed: frames are not sent from Python (pip install cocotb)" >&2
fi
go test -tags soak ./internal/parquet -timeout 24h
go test ./capture/wave -run Agree -timeout 24h -seed "$seed" -icarus 200 -verilator 20
go test ./rtl/mutate -timeout 24h -network mesh:3x3 -mutants 1000 -icarus 20 -least 0.95
scripts/scores.sh mesh:3x3 scatter gossip exchange
scripts/scores.sh mesh:8x8 scatter
go test ./firmware/collective -run 'Random|OneBoundAJob|AutoIsNeverSlower' -timeout 24h -seeds 50000 -first "$seed"
go test ./firmware/collective/rerouted -timeout 24h -jobs 20000 -first "$seed"
around="go run ./cmd/meshwright sweep around --topology torus:8x8 --machine bufferless --ports all --nic.channels links"
$around --length 1
$around --length 16
$around broadcast allreduce --length 1024
go test ./schedule/check -run Agrees -timeout 24h -runs 50000 -packet-runs 50000
go test ./fabric -run RestoredRuns -timeout 24h -restored 3000
go test ./fabric -run WormsFly -timeout 24h -flights 40000
go test ./study/point -run Predictions -timeout 24h -to 8192
go test ./tests/docs -run 'Areas|Modules' -timeout 24h -areas .
go test ./tests -run Random -timeout 24h -commands 10000 -first "$seed"

# The race detector, where make test does not use it.
CGO_ENABLED=1 go test -race -timeout 24h ./router ./fabric/... ./firmware/pe ./capture ./cmd/...
CGO_ENABLED=1 go test -race -timeout 24h ./study -run 'Campaign|LoadCurves'
CGO_ENABLED=1 go test -race -timeout 24h ./study/queue ./study/sweep
CGO_ENABLED=1 go test -race -timeout 24h ./firmware/collective -run 'Random|AutoIsNeverSlower' -seeds 100

# FUZZTIME for each fuzz target of each package.
go list ./... | while read -r package; do
	for target in $(go test -timeout 24h -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		go test "$package" -timeout 24h -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-60s}" -fuzzminimizetime 20x
	done
done
# Completion in the other shells.
(
	PATH="$PWD/bin:$PATH"
	fish -c 'meshwright completion fish | source; complete -C "meshwright run gossip -t toru"' | grep -q '^torus:'
	zsh -f -c 'autoload -Uz compinit && compinit -u -D && source <(meshwright completion zsh) && [[ $_comps[meshwright] == _meshwright ]]'
)
# Types of the Python package, its tests and its example.
(
	cd python
	mypy --strict --cache-dir=/dev/null meshwright tests ../examples/python/allgather.py
)
# Manual pages, in the other formatter.
mandoc -Tlint -W warning build/man/*.1
