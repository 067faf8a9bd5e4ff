// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// badLine is a command line (” is an empty argument) and the one line that it
// gets on standard error, behind "meshwright: ".
type badLine struct{ args, want string }

var badInput = []badLine{
	// The command line.
	{"frobnicate", `unknown verb "frobnicate" (expected one of asm, bench, check, cosim, deadlock, disasm, dissector, draw, export, extcap, import, list, man, mutate, plan, report, run, serve, sweep, synth, traffic, version, watch, work)`},
	{"rnu", `unknown verb "rnu" (did you mean run?)`},
	{"rnu -t path:6", `unknown verb "rnu" (did you mean run?)`},
	{"gossip -t path:6", `unknown verb "gossip" (did you mean run gossip?)`},
	{"Allgather", `unknown verb "Allgather" (did you mean run Allgather?)`},
	{"moves.csv -t path:6", `unknown verb "moves.csv" (did you mean run moves.csv?)`},
	{"mesh:2x2", `unknown verb "mesh:2x2" (did you mean run COLLECTIVE --topology mesh:2x2?)`},
	{"compare a.db b.db", `unknown verb "compare" (did you mean plan COLLECTIVE, or report STORE.db --compare OTHER.db?)`},
	{"simulate gossip", `unknown verb "simulate" (did you mean run?)`},
	{"Verilog", `unknown verb "Verilog" (did you mean export?)`},
	{"bound gossip", `unknown verb "bound" (did you mean plan bound?)`},
	{"topologies", `unknown verb "topologies" (did you mean list topologies?)`},
	{"help verify", `unknown verb "verify" (did you mean check?)`},
	{"rnu --help", `unknown verb "rnu" (did you mean run?)`},
	{"rnu -t path:6 -h", `unknown verb "rnu" (did you mean run?)`},
	{"''", `unknown verb "" (expected one of asm, bench, check, cosim, deadlock, disasm, dissector, draw, export, extcap, import, list, man, mutate, plan, report, run, serve, sweep, synth, traffic, version, watch, work)`},
	{"--bogus", `unknown flag --bogus (meshwright --help lists the flags)`},
	{"help frob", `unknown verb "frob" (expected one of asm, bench, check, cosim, deadlock, disasm, dissector, draw, export, extcap, import, list, man, mutate, plan, report, run, serve, sweep, synth, traffic, version, watch, work)`},
	{"run", `run: 0 arguments (expected meshwright run COLLECTIVE|FILE --topology T [flags])`},
	{"run mesh:2x2", `topology "mesh:2x2" in place of a collective (expected run COLLECTIVE --topology mesh:2x2)`},
	{"plan mesh:2x2 gossip", `topology "mesh:2x2" in place of a collective (expected plan gossip --topology mesh:2x2)`},
	{"run mesh:2x2 gossip", `topology "mesh:2x2" in place of a collective (expected run gossip --topology mesh:2x2)`},
	{"plan bound mesh:2x2 gossip", `topology "mesh:2x2" in place of a collective (expected plan bound gossip --topology mesh:2x2)`},
	{"sweep faults mesh:2x2", `topology "mesh:2x2" in place of a collective (expected sweep faults COLLECTIVE --topology mesh:2x2)`},
	{"sweep around torus:4x4", `topology "torus:4x4" in place of a collective (expected sweep around COLLECTIVE --topology torus:4x4)`},
	{"export mesh:2x2 gossip", `no topology (did you mean --topology mesh:2x2?)`},
	{"deadlock mesh:2x2", `deadlock: topology "mesh:2x2" in place of a file (did you mean --topology mesh:2x2?)`},
	{"deadlock hypercube:3 -t ring:4", `deadlock: topology "hypercube:3" in place of a file (expected meshwright deadlock [SCHEDULE.csv] --topology T [flags])`},
	{"check mesh:2x2", `check: topology "mesh:2x2" in place of a file (did you mean --topology mesh:2x2?)`},
	{"run graph:x.csv gossip", `topology "graph:x.csv" in place of a collective (expected run gossip --topology graph:x.csv)`},
	{"check tree:x.csv", `check: topology "tree:x.csv" in place of a file (did you mean --topology tree:x.csv?)`},
	{"run scatter -t nodes.csv", `topology "nodes.csv" has no kind (expected graph:nodes.csv for a list of links, or tree:nodes.csv for a list of nodes and their parents)`},
	{"run scatter -t path:3 --lengths l.csv", `--lengths: length "l.csv" (did you mean @l.csv?)`},
	{"run allreduce -t ring:4 -m cut-through", `unknown machine "cut-through" (expected store-forward, with key switching cut-through)`},
	{"run gossip -t mesh:4x4 --root 99", "--root: a gossip has no root (expected none: every node gets every node's block (all-gather))"},
	{"run scatter -t mesh:2x2 --set buffer=4", `--set: "buffer" is a flag, no option of an algorithm (did you mean --buffer 4?)`},
	{"synth .", `.: a folder (expected FILE.v; make synth in an exported folder measures its network, --unit emulator an emulator)`},
	{"synth gossip -t mesh:2x2", `gossip: no such file (expected FILE.v, or no argument)`},
	{"run plain -t path:4", `plain: a file whose name does not tell its format (expected --format pcapng, chakra, msccl, json, firmware, csv or tdm)`},
	{"synth 2x2", `synth: topology "2x2" in place of a file (did you mean --topology mesh:2x2?)`},
	{"import mesh:2x2", `import: topology "mesh:2x2" in place of a file (did you mean --topology mesh:2x2?)`},
	{"report mesh:2x2", `report: topology "mesh:2x2" in place of a file (expected meshwright report STORE.db [flags])`},
	{"export chip 2x2", `topology "2x2" in place of a collective (expected export chip COLLECTIVE --topology mesh:2x2)`},
	{"run barrier -t path:6", `unknown collective "barrier" (expected one of scatter, gather, gossip, broadcast, reduce, allreduce, reduce-scatter, exchange, random, FILE.csv, FILE.xml, FILE.tdm, FILE.et, FILE.json, FILE.pcapng, FILE.s, FILE.mem)`},
	{"run altoall -t path:6", `unknown collective "altoall" (did you mean alltoall?)`},
	{"plan allgater", `unknown collective or topic "allgater" (did you mean allgather?)`},
	{"run allgather -t path:6 -a bogus", `unknown gossip algorithm "bogus" (expected one of auto, approach2, highdimgos, approach1, circgos, torgos, cubgos, strides, crosses, vendor, recursive-doubling, swing, bine, bucket, ring, dissemination, balanced-trees, staggered, greedy, rounds, symmetric, refined, edst, rerouted)`},
	{"run allreduce -t path:6 -a rabenseifer", `unknown allreduce algorithm "rabenseifer" (did you mean rabenseifner?)`},
	{"run scater -t path:6", `unknown collective "scater" (did you mean scatter?)`},
	{"run '' -t path:6", `run: argument 1 is empty (expected meshwright run COLLECTIVE|FILE --topology T [flags])`},
	{"run scatter gather -t path:6", `run: argument "gather" is one too many (expected meshwright run COLLECTIVE|FILE --topology T [flags])`},
	{"check", `check: 0 arguments (expected meshwright check SCHEDULE.csv --topology T [flags])`},
	{"check good.csv -t ring:6 --vcs 3", `vcs 3: rings and tori use them in dateline pairs (expected 1 or an even number)`},
	{"check good.csv -t path:6 -m bufferless --claim 1", `claim 1: not on a machine of switching bufferless (expected 0)`},
	{"check good.csv -t path:6 --header flit --faults corrupt:0.1", `header flit, and faults that flip bits: a header would lead astray (expected header wires, or faults that lose whole messages)`},
	{"plan packets --nodes 3-7 --distance 3 --flits 2 --setup 1", `--nodes and --distance (expected one of --nodes, --distance)`},
	{"check good.csv good.csv -t path:6", `check: argument "good.csv" is one too many (expected meshwright check SCHEDULE.csv --topology T [flags])`},
	{"check '' -t path:6", `check: argument 1 is empty (expected meshwright check SCHEDULE.csv --topology T [flags])`},
	{"cosim", `cosim: 0 arguments (expected meshwright cosim COLLECTIVE|FILE --topology T [flags])`},
	{"cosim bogus -t path:4", `unknown collective "bogus" (expected one of scatter, gather, gossip, broadcast, reduce, allreduce, reduce-scatter, exchange, random, FILE.csv, FILE.xml, FILE.tdm, FILE.et, FILE.json, FILE.pcapng, FILE.s, FILE.mem)`},
	{"export", `export: 0 arguments (expected meshwright export DIR COLLECTIVE|FILE --topology T [flags])`},
	{"export chip", `export: 1 argument (expected meshwright export DIR COLLECTIVE|FILE --topology T [flags])`},
	{"export /proc/x gossip -t path:3", `/proc/x: the folder cannot be made`},
	{"export chip bogus -t path:4", `unknown collective "bogus" (expected one of scatter, gather, gossip, broadcast, reduce, allreduce, reduce-scatter, exchange, random, FILE.csv, FILE.xml, FILE.tdm, FILE.et, FILE.json, FILE.pcapng, FILE.s, FILE.mem)`},
	{"export '' scatter -t path:4", `export: argument 1 is empty (expected meshwright export DIR COLLECTIVE|FILE --topology T [flags])`},
	{"export chip gossip -t ring:4 --word 16", `--word: given without --emulator (expected --emulator, too)`},
	{"export chip gossip -t ring:4 --emulator --word 12", `--word: words of 12 bits (expected 8, 16, 24 or 32)`},
	{"export chip gossip -t ring:4 --emulator --word 16", `--word: words of 16 bits (expected at least the 32 bits of a flit's payload)`},
	{"export chip gossip -t ring:4 --emulator --width 16 --word 16 --startup 20000", `--word: a run of 40013 cycles with words of 16 bits (expected a larger --word)`},
	{"export chip gossip -t ring:4 --emulator --stress 10", `--stress: given with --emulator (expected 0: PEs send what their programs send)`},
	{"export chip gossip -t ring:4 --emulator --interface axis", `--interface: given with --emulator (expected none: the PEs are in the network)`},
	{"export chip gossip -t ring:4 --trim --stress 10", `--stress: given with --trim (expected 0: chips have only the turns of the run)`},
	{"export chip gossip -t ring:4 --emulator --name noc", `--name: given with --emulator (expected none: an emulator is no part of a design)`},
	{"export chip gossip -t ring:4 --name 2noc", `--name: "2noc" (expected a name of Verilog: a letter, then letters, digits and _)`},
	{"export chip gossip -t ring:4 --trim --interface axis", `--interface: given with --trim (expected none: streams go everywhere)`},
	{"export chip gather -t path:4 -m store-forward --trim", `trimmed chips with switching store-forward (expected bufferless or wormhole)`},
	{"synth -t mesh:2x2 --routing o1turn --schedule s.csv", `trimmed chips with routing o1turn (expected dor, yx, table, updown or source)`},
	{"synth -t path:4 --schedule missing.csv", `missing.csv: no such file or directory (expected a file that can be read)`},
	{"export chip gossip -t ring:4 --emulator --width 64 --word 32", `--word: words of 32 bits (expected the 64 bits of a flit's payload, or no --word)`},
	{"cosim good.csv -t path:6 --emulator", `an emulator of a schedule, which has no firmware (expected a collective or a program)`},
	{"asm", `asm: 0 arguments (expected meshwright asm FILE.s [flags])`},
	{"disasm", `disasm: 0 arguments (expected meshwright disasm IMAGE [flags])`},
	{"list all", `unknown topic "all" (expected one of collectives, algorithms, options, presets, keys, routings, topologies, patterns, trees, covers, instructions, or the name of a collective or an algorithm)`},
	{"bench", `bench: 0 arguments (expected meshwright bench saturated-8x8|network [flags])`},
	{"deadlock", `no topology (expected --topology mesh:8x8, or a machine file that names one)`},
	{"deadlock a.csv b.csv -t ring:4", `deadlock: argument "b.csv" is one too many (expected meshwright deadlock [SCHEDULE.csv] --topology T [flags])`},
	{"deadlock none.csv -t ring:4", `none.csv: no such file or directory (expected a file that can be read)`},
	{"deadlock -t ring:4 -m bufferless", `switching bufferless: no flit waits (expected a machine with buffers)`},
	{"deadlock -t ring:4 --routing adaptive --vcs 2", `vcs 2: routing adaptive needs 2 escape channels and an adaptive channel (expected at least 3)`},
	{"deadlock -t mesh:4x4 --routing adaptive --vcs 1", `vcs 1: routing adaptive needs 1 escape channel and an adaptive channel (expected at least 2)`},
	{"deadlock -t mesh:4x4 --routing o1turn --vcs 3", `vcs 3: routing o1turn has two classes of channels (expected a multiple of 2)`},
	{"deadlock -t torus:4x4 --routing valiant --vcs 6", `vcs 6: routing valiant has two classes of dateline pairs (expected a multiple of 4)`},
	{"run gather -t mesh:4x4 -m bufferless --buffer 4", `buffer 4: a bufferless chip has no buffers (expected buffer 1)`},
	{"run gather -t mesh:4x4 --switching bufferless --buffer 4", `buffer 4: a bufferless chip has no buffers (expected buffer 1)`},
	{"run gather -t mesh:4x4 -m bufferless --routing valiant", `routing valiant: bufferless chips have no virtual channels (expected dor, yx, table or source)`},
	{"run gather -t star:3 --routing yx", `routing yx has no dimensions to order on star:3 (expected table, updown or source)`},
	{"run gossip -t mesh:4x4 --routing updown --algorithm highdimgos", `gossip highdimgos does not run on mesh:4x4 with routing updown, which follows no dimensions (expected dor, yx, table or source)`},
	{"run gossip -t mesh:4x4 --routing table:", `routing: "table:" (expected table:FILE)`},
	{"run gossip -t path:3 --routing table:nothing.csv", `nothing.csv: no such file or directory (expected a file that can be read)`},
	{"traffic -t path:3 --routing table:routes-columns.csv --rate 0.1", `routes-columns.csv:2: 4 columns (expected node,destination,next)`},
	{"run random -t path:3 --routing table:routes-node.csv", `routes-node.csv:3: node 7 is not a node of path:3 (expected 0 to 2)`},
	{"deadlock -t path:3 --routing table:routes-far.csv", `routes-far.csv:2: next 2 is not a neighbour of node 0 (expected 1)`},
	{"check good.csv -t path:3 -m bufferless --routing table:routes-missing.csv", `routes-missing.csv:6: the table ends without a row for node 2 and destination 1 (expected one row for each pair of nodes)`},
	{"cosim random -t path:3 --routing table:routes-circle.csv", `routes-circle.csv:3: messages from node 0 to node 2 go round in a circle: 0>1>0 (expected a route that arrives)`},
	{"export dir random -t path:3 --routing table:routes-twice.csv", `routes-twice.csv:8: node 0 has a row for destination 1 already, in line 2 (expected one row for each pair)`},
	{"run gossip -t ring:3 --routing table:routes.csv", `routes.csv:3: node 0 sends to its neighbour 2 by way of 1 (expected the link between them, on which plans of collectives rely)`},
	{"traffic -t path:3 --routing table:routes.csv --faults random:1 --faults known --rate 0.1", `routing table:routes.csv and known faults (expected routing updown or table, which go around them)`},
	{"run random -m routes.yaml", `routes-far.csv:2: next 2 is not a neighbour of node 0 (expected 1)`},
	{"traffic -t path:3 --routing table:routes.csv --rate 0.1 --out routes.csv", `routes.csv: named by --routing and by --out (expected a file of its own for each)`},
	{"plan routes -t mesh:4x4 --routing o1turn", `--routing: routing o1turn has several routes for two nodes (expected dor, yx, table, updown or source)`},
	{"plan routes -t mesh:4x4 --routing table:routes.csv --out routes.csv", `routes.csv: named by --routing and by --out (expected a file of its own for each)`},
	{"plan routes -t path:1", `--topology: path:1 has no routes (expected two nodes or more)`},
	{"plan routes -t path:5000", `a routing table for path:5000 with 5000 nodes (expected at most 4096 nodes)`},
	{"traffic -t mesh:100x100 --routing updown --rate 0.1", `mesh:100x100 has 10000 nodes: too many for next-hop tables (expected at most 4096 nodes, or routes without tables)`},
	{"run gather -t mesh:4x4 --routing o1turn", `routing o1turn: a plan needs to know the routes (expected dor, yx, table, updown or source)`},
	{"deadlock -t torus:4x4 --routing west-first", `routing west-first is for meshes of two dimensions, not for torus:4x4 (expected dor, yx, o1turn, valiant, adaptive, table, updown or source)`},
	{"deadlock -t mesh:3x3x3 --routing odd-even", `routing odd-even is for meshes of two dimensions, not for mesh:3x3x3 (expected dor, yx, o1turn, valiant, adaptive, negative-first, table, updown or source)`},
	{"deadlock -t ring:5 --routing negative-first", `routing negative-first is for meshes, not for ring:5 (expected dor, yx, o1turn, valiant, adaptive, table, updown or source)`},
	{"deadlock -t debruijn:3 --routing north-last", `routing north-last is for meshes of two dimensions, not for debruijn:3 (expected table, updown or source)`},
	{"run gather -t mesh:4x4 -m bufferless --routing odd-even", `routing odd-even: bufferless chips have no virtual channels (expected dor, yx, table or source)`},
	{"run gather -t mesh:4x4 --routing west-first", `routing west-first: a plan needs to know the routes (expected dor, yx, table, updown or source)`},
	{"synth -t mesh:2x2 --routing negative-first --schedule s.csv", `trimmed chips with routing negative-first (expected dor, yx, table, updown or source)`},
	{"run gather -t mesh:4x4 --routing zigzag", `routing: "zigzag" (expected dor, yx, o1turn, valiant, adaptive, west-first, north-last, negative-first, odd-even, table, updown or source)`},
	{"bench network --topology path:1", `--topology: traffic among 1 node (expected 2 to 4194304)`},
	{"synth", `no topology (expected --topology mesh:8x8, or a machine file that names one)`},
	{"synth -t path:1", `--topology: path:1 has no links, so its chip has no cells (expected at least 2 nodes)`},
	{"synth -t mesh:8x8 --unit core", `--unit: unknown unit "core" (expected router, fabric or emulator)`},
	{"synth --unit emulator", `--unit: emulator, and 0 arguments (expected one folder that export --emulator wrote)`},
	{"synth --unit emulator .", `.: no file emulator.v (expected a folder that export --emulator wrote)`},
	{"synth --unit emulator . -t mesh:2x2", `--topology: given with --unit emulator (expected none: the folder says all)`},
	{"synth good.csv --module core --vcs 4", `--vcs: given with files (expected none: files have modules, not chips of a network)`},
	{"synth -t mesh:8x8 --target asic", `--target: unknown target "asic" (expected ice40, generic, ecp5 or xilinx)`},
	{"synth -t mesh:8x8 --seeds 3-1", `--seeds: "3-1" (expected a range such as 1-3 of at most 1000 seeds, or one seed)`},
	{"synth -t mesh:8x8 --target ecp5 --seeds 1", `--seeds: "1" with target ecp5 (expected none: only the target ice40 has a clock)`},
	{"synth -t mesh:8x8 --node 64", `--node: 64 is not a node of mesh:8x8 (expected 0 to 63)`},
	{"synth -t mesh:8x8 --node 6 --unit fabric", `--node: 6 with --unit fabric (expected --unit router)`},
	{"synth -t mesh:9x8 --unit fabric", `--unit: fabric: mesh:9x8 has 72 chips (expected at most 64 chips, or --unit router)`},
	{"synth -t mesh:8x8 --module core", `--module: given without files (expected files of Verilog as arguments)`},
	{"synth core.v -t mesh:8x8", `--topology: given with files (expected none: files have modules, not chips of a network)`},
	{"synth core.v", `core.v: no such file or directory (expected a file that can be read)`},
	{"synth good.csv", `--module: missing (expected the name of the module to measure)`},
	{"synth good.csv --module 7", `--module: "7" (expected a plain name of Verilog)`},
	{"synth good.csv --module core --clock 7", `--clock: "7" (expected a plain name of Verilog)`},
	{"synth core.v --module core", `core.v: no such file or directory (expected a file that can be read)`},
	{"synth good.csv --module core --parameter depth", `--parameter: "depth" (expected NAME=NUMBER, such as depth=4 or mode=2'b01)`},
	{"synth -t mesh:8x8 --faults random:1", `--faults: "random:1" (expected none: links with faults are no hardware)`},
	{"bench bogus", `unknown benchmark "bogus" (expected one of saturated-8x8, network, schedules, scoreboard)`},
	{"bench scoreboard allreduce --side 5", `--side: side 5 (expected 2, 4, 8, 16, 32 or 64)`},
	{"bench scoreboard allreduce --bytes 32,0", `--bytes: 0 (expected 1 to 134217728000)`},
	{"run allreduce -t torus:8x8 --length 10000000", `640000000 words in all PEs together (expected at most 2^28; meshwright plan gives the time of longer vectors)`},
	{"bench scoreboard bogus", `unknown group "bogus" (expected one of tacos, te-ccl, allreduce, reduce-scatter, broadcast, gossip, exchange)`},
	{"bench saturated-8x8 --cycles 0", `--cycles: 0 (expected at least 1)`},
	{"run scatter -t path:6 --bogus", `unknown flag --bogus (meshwright run --help lists the flags)`},
	{"run scatter -t path:6 --lenght 4", `unknown flag --lenght (did you mean --length?)`},
	{"run scatter -t path:6 --sim icarus", `unknown flag --sim (expected --simulator, a flag of cosim)`},
	{"cosim scatter -t path:6 --sim icarus", `unknown flag --sim (did you mean --simulator?)`},
	{"run scatter -t path:6 --size 1KB", `unknown flag --size (did you mean --bytes?)`},
	{"run scatter -t path:6 -v", `unknown flag -v (expected --json, which has all figures, or meshwright version)`},
	{"run scatter -t path:6 --verbose", `unknown flag --verbose (expected --json, which has all figures, or meshwright version)`},
	{"run scatter -t mesh:4,4", `topology "mesh:4,4": "4,4" is not a size (did you mean mesh:4x4?)`},
	{"run scatter -t torus:4,,4", `topology "torus:4,,4": "4,,4" is not a size (expected torus:AxB[xC..])`},
	{"cosim scatter -t path:6 --trace x.pcapng", `unknown flag --trace (a flag of import, run, traffic, watch; meshwright cosim --help lists the flags)`},
	{"plan scatter -t path:6 --seeds 1-3", `unknown flag --seeds (a flag of synth, traffic; meshwright plan --help lists the flags)`},
	{"draw -t path:6 --output x.svg", `unknown flag --output (did you mean --out?)`},
	{"check x.csv -t path:6 -o y.csv", `unknown flag -o (files are written by --messages)`},
	{"cosim scatter -t path:6 --csv x.csv", `unknown flag --csv (files are written by --table, --messages, --wave)`},
	{"export scatter -t path:6 --out x", `unknown flag --out (expected meshwright export DIR COLLECTIVE|FILE --topology T [flags])`},
	{"plan scatter -t path:6 --out x", `unknown flag --out (expected > FILE: the result goes to standard output)`},
	{"run scatter -t path:6 -z", `unknown flag -z (meshwright run --help lists the flags)`},
	{"run scatter -t path:6 --length", `--length: no value (expected a whole number of flits such as 16)`},
	{"run scatter --topology", `--topology: no value (expected path:N ring:N mesh:AxB[xC..] torus:AxB[xC..] twisted-torus:AxB[,T] hypercube:D star:N hub:N binary:D comb:AxB random-tree:N[,SEED] recursive-tree:N[,SEED] tree:FILE complete:N debruijn:D random:N,D[,SEED] graph:FILE)`},
	{"traffic -t mesh:4x4 --rate 0.1 --pattern", `--pattern: no value (expected uniform transpose bitcomp bitrev shuffle tornado neighbor hotspot:NODE[,NODE..][@SHARE] permutation:FILE matrix:FILE trace:FILE)`},
	{"run scatter -t path:6 --json=maybe", `--json: "maybe" (expected true or false)`},

	// Traffic.
	{"traffic -t mesh:4x4 --rate 0.1 --reply", `--reply: no value (expected flits such as 1 or 1@0.5,8@0.5)`},
	{"traffic -t mesh:4x4 --rate 0.1 --reply ''", `--reply: empty (expected flits such as 1 or 1@0.5,8@0.5)`},
	{"traffic -t mesh:4x4 --rate 0.1 --flits", `--flits: no value (expected flits such as 1 or 1@0.5,8@0.5)`},
	{"traffic -t mesh:4x4 --rate", `--rate: no value (expected a rate such as 0.1, a list 0.1,0.2, or FROM:TO:STEP)`},
	{"traffic -t mesh:4x4 --rate 0.1 --warmup", `--warmup: no value (expected cycles such as 1000, or auto)`},
	{"traffic -t mesh:4x4 --rate 0.1 -p trace:t.csv", `--rate: given with a trace (expected none: the trace says which packets there are, and all of them are measured)`},
	{"traffic", `--rate: no rate (expected a rate, a list 0.1,0.2, or FROM:TO:STEP)`},
	{"traffic -t mesh:4x4", `--rate: no rate (expected a rate, a list 0.1,0.2, or FROM:TO:STEP)`},
	{"traffic -t mesh:4x4 --rate 0.1 --packet-size 5", `unknown flag --packet-size (did you mean --flits?)`},
	{"traffic -t mesh:4x4 --injection-rate 0.1", `unknown flag --injection-rate (did you mean --rate, in flits per source and cycle?)`},
	{"traffic -t mesh:4x4 --rate 0.1 --threads 2", `unknown flag --threads (the environment variable GOMAXPROCS says on how many cores a verb runs)`},
	{"traffic -t mesh:4x4 --rate 0.1 --routing dor,odd-even", `routing: "dor,odd-even" (expected dor, yx, o1turn, valiant, adaptive, west-first, north-last, negative-first, odd-even, table, updown or source; for several values write a study: docs/studies.md)`},
	{"traffic -t mesh:4x4 --rate 0.1 --pattern hotspot:(3,3)", `--pattern: a hotspot at "(3,3)" (expected numbers of nodes: (x,y) of mesh:8x8 is node 8*y + x)`},
	{"traffic -t mesh:4x4 --rate 1.1", `--rate: a rate of 1.1 (expected more than 0, at most 1 flit per source and cycle)`},
	{"traffic -t mesh:4x4 --rate 0", `--rate: a rate of 0 (expected more than 0, at most 1 flit per source and cycle)`},
	{"traffic -t mesh:4x4 --rate 0.1:0.5", `--rate: rates "0.1:0.5" (expected a rate, a list 0.1,0.2, or FROM:TO:STEP)`},
	{"traffic -t mesh:4x4 --rate 0.1 --saturation", `--rate and --saturation (expected one of them)`},
	{"traffic -t mesh:4x4 --saturation --resolution 0", `--resolution: 0 (expected 0.0001 to 0.5)`},
	{"traffic uniform -t mesh:4x4 --rate 0.1", `traffic: argument "uniform" is one too many (expected meshwright traffic --topology T --rate R [--pattern P] [flags])`},
	{"traffic -t mesh:4x4 --rate 0.1 -p hotspot:16", `--pattern: "16" is not a node (expected 0 to 15)`},
	{"traffic -t mesh:4x4 --rate 0.1 -p tornadoo", `--pattern: unknown pattern "tornadoo" (expected uniform transpose bitcomp bitrev shuffle tornado neighbor hotspot:NODE[,NODE..][@SHARE] permutation:FILE matrix:FILE trace:FILE; did you mean tornado?)`},
	{"traffic -t mesh:4x8 --rate 0.1 -p transpose", `--pattern: transpose on mesh:4x8 (expected a square: mesh:AxA, torus:AxA, a hypercube of even dimension)`},
	{"traffic -t mesh:3x4 --rate 0.1 -p bitrev", `--pattern: bitrev on mesh:3x4 with 12 nodes (expected a power of two)`},
	{"traffic -t star:4 --rate 0.1 -p neighbor", `--pattern: neighbor on star:4 (expected a path, ring, mesh, torus or hypercube)`},
	{"traffic -t mesh:4x4 --rate 0.1 -p permutation:none.csv", `none.csv: no such file or directory (expected a file that can be read)`},
	{"traffic -t mesh:4x4 --rate 0.1 -p matrix:none.csv", `none.csv: no such file or directory (expected a file that can be read)`},
	{"traffic -t mesh:4x4 --rate 0.1 -p matrix", `--pattern: a matrix without a file (expected matrix:FILE)`},
	{"traffic -t mesh:4x4 --rate 0.1 -p matrix:matrix-node.csv", `matrix-node.csv:3: "16" is not a node (expected 0 to 15)`},
	{"traffic -t mesh:4x4 --rate 0.1 -p matrix:matrix-negative.csv", `matrix-negative.csv:2: weight "-0.5" (expected a number of at least 0)`},
	{"traffic -t mesh:4x4 --rate 0.1 -p matrix:matrix-nan.csv", `matrix-nan.csv:1: weight "NaN" (expected a number of at least 0)`},
	{"traffic -t mesh:4x4 --rate 0.1 -p matrix:matrix-twice.csv", `matrix-twice.csv:4: source 0 has a row for destination 1 already, in line 2 (expected one row for each pair)`},
	{"traffic -t mesh:4x4 --rate 0.1 -p matrix:matrix-itself.csv", `matrix-itself.csv:1: node 3 sends to itself (expected two nodes, or the weight 0)`},
	{"traffic -t mesh:4x4 --rate 0.1 -p matrix:matrix-zero.csv", `matrix-zero.csv: no weight above 0 (expected at least one)`},
	{"traffic -t mesh:4x4 --rate 0.1 -p matrix:matrix-header.csv", `matrix-header.csv: no rows (expected rows of source,destination,weight)`},
	{"traffic -t mesh:4x4 --rate 0.1 -p matrix:gap.csv", `gap.csv:1: 2 columns (expected source,destination,weight)`},
	{"traffic -t mesh:4x4 -p trace:none.csv", `none.csv: no such file or directory (expected a file that can be read)`},
	{"traffic -t mesh:4x4 --rate 0.1 --flits 0", `--flits: a packet of "0" flits (expected FLITS, or FLITS@WEIGHT,FLITS@WEIGHT.., flits from 1 to 1048576)`},
	{"traffic -t mesh:4x4 --rate 0.1 --reply 4@x", `--reply: weight "x" (expected FLITS, or FLITS@WEIGHT,FLITS@WEIGHT.., weights above 0)`},
	{"traffic -t mesh:4x4 --rate 0.5 --burst 0.5", `--burst: 0.5 (expected at least 1)`},
	{"traffic -t mesh:4x4 --rate 0.5 --burst 10 --burst-rate 0.5", `--burst: bursts of 10 cycles at 0.5 flits per cycle for a mean rate of 0.5 leave pauses of less than a cycle (expected a lower rate, longer bursts, or a higher rate in bursts)`},
	{"traffic -t mesh:4x4 --rate 0.1 --warmup soon", `--warmup: "soon" (expected 0 to 1000000000, or auto)`},
	{"traffic -t mesh:4x4 --rate 0.1 --cycles 0", `--cycles: 0 (expected 1 to 1000000000)`},
	{"traffic -t mesh:4x4 --rate 0.1 --drain -1", `--drain: -1 (expected 0 to 1000000000)`},
	{"traffic -t mesh:4x4 --rate 0.1 --seeds 0", `--seeds: 0 (expected 1 to 1000)`},
	{"traffic -t mesh:4x4 -m bufferless --rate 0.1", `--machine: packets of random traffic collide on machine bufferless (expected a machine with buffers: wormhole, cut-through or store-forward)`},
	{"traffic -t mesh:4x4 --rate 0.1,0.2 --trace a.csv", `--trace: a trace is of one run (expected one rate and one seed)`},
	{"traffic -t mesh:4x4 --rate 0.1 --trace a.doc", `--trace: a.doc (expected FILE.csv, FILE.html, FILE.pcapng, FILE.pftrace or FILE.svg)`},
	{"traffic -t mesh:4x4 --rate 0.1 --nodes 3", `--nodes: no file to show a part of (expected --trace)`},
	{"traffic -t mesh:4x4 --rate 0.1 --nodes 16 --trace a.csv", `--nodes: node 16 is not in mesh:4x4 (expected nodes from 0 to 15)`},
	{"traffic -t mesh:4x4 --rate 0.1 --out a.txt", `--out: a.txt (expected FILE.csv, FILE.svg or FILE.pdf)`},
	{"traffic -t mesh:4x4 --rate 0.1 --out a.png", `--out: a.png (expected FILE.csv, FILE.svg or FILE.pdf)`},
	{"traffic -t mesh:4x4 --rate 0.1 --out none/a.csv", `none/a.csv: there is no directory none (expected a directory that exists)`},
	{"traffic -t mesh:4x4 --rate 0.1 --cycles 1e5", `--cycles: "1e5" (expected it in digits: 100000)`},
	{"traffic -t mesh:4x4 --rate 0.1 --cycles 10k", `--cycles: "10k" (expected it in digits: 10000)`},
	{"traffic -t mesh:4x4 --rate 0.1 --cycles 1.5", `--cycles: "1.5" (expected a whole number)`},
	{"traffic -t mesh:4x4 --rate 0.1 --out a.csv --per-node a.csv", `a.csv: named by --out and by --per-node (expected a file of its own for each)`},
	{"traffic -t mesh:4x4 --rate 0.1 --histogram a.svg", `--histogram: a.svg (expected FILE.csv)`},
	{"traffic -t mesh:4x4 --rate 0.1 --per-pair a.csv --histogram a.csv", `a.csv: named by --per-pair and by --histogram (expected a file of its own for each)`},
	{"traffic -t path:1 --rate 0.1", `--pattern: traffic among 1 node (expected at least 2)`},
	{"traffic -t mesh:4x4 --rate 0.1 -m store-forward --packet 4", `packet 4: the largest packet has 8 flits (expected at least as many, or 0)`},
	{"traffic -t mesh:4x4 --rate 0.5 --burst-rate 0.5", `--burst-rate: given without bursts (expected --burst)`},

	// Topologies.
	{"run scatter", `no topology (expected --topology mesh:8x8, or a machine file that names one)`},
	{"run scatter -t ''", `--topology: empty (expected path:N ring:N mesh:AxB[xC..] torus:AxB[xC..] twisted-torus:AxB[,T] hypercube:D star:N hub:N binary:D comb:AxB random-tree:N[,SEED] recursive-tree:N[,SEED] tree:FILE complete:N debruijn:D random:N,D[,SEED] graph:FILE)`},
	{"run scatter -t blob:6", `unknown topology "blob" (expected path:N ring:N mesh:AxB[xC..] torus:AxB[xC..] twisted-torus:AxB[,T] hypercube:D star:N hub:N binary:D comb:AxB random-tree:N[,SEED] recursive-tree:N[,SEED] tree:FILE complete:N debruijn:D random:N,D[,SEED] graph:FILE)`},
	{"run scatter -t mash:3x3", `unknown topology "mash" (expected path:N ring:N mesh:AxB[xC..] torus:AxB[xC..] twisted-torus:AxB[,T] hypercube:D star:N hub:N binary:D comb:AxB random-tree:N[,SEED] recursive-tree:N[,SEED] tree:FILE complete:N debruijn:D random:N,D[,SEED] graph:FILE; did you mean mesh?)`},
	{"run scatter -t path", `topology "path" has no size (expected path:N)`},
	{"run scatter -t path:", `topology "path:" has no size (expected path:N)`},
	{"run scatter -t path:0", `topology "path:0": size 0 (expected at least 1)`},
	{"run scatter -t mesh:4x0", `topology "mesh:4x0": size 0 (expected at least 1)`},
	{"run scatter -t path:-1", `topology "path:-1": size -1 (expected at least 1)`},
	{"run scatter -t path:x", `topology "path:x": "x" is not a size (expected path:N)`},
	{"run scatter -t path:NaN", `topology "path:NaN": "NaN" is not a size (expected path:N)`},
	{"run scatter -t path:3x3", `topology "path:3x3" has 2 sizes (expected path:N)`},
	{"run scatter -t mesh:4x", `topology "mesh:4x": "" is not a size (expected mesh:AxB[xC..])`},
	{"run scatter -t mesh:3000x3000", `topology "mesh:3000x3000" is too large (expected at most 4194304 nodes)`},
	{"run scatter -t path:99999999999999999999", `topology "path:99999999999999999999": "99999999999999999999" is not a size (expected path:N)`},
	{"run scatter -t hypercube:0", `topology "hypercube:0": size 0 (expected at least 1)`},
	{"run scatter -t hypercube:23", `topology "hypercube:23" is too large (expected at most 22 dimensions)`},
	{"run scatter -t tree:none.csv", `none.csv: no such file or directory (expected a file that can be read)`},
	{"run scatter -t tree:empty", `empty: is a directory (expected a file that can be read)`},
	{"run scatter -t tree:cycle.csv", `cycle.csv:4: a cycle: node 1 is its own ancestor (expected a tree)`},
	{"run scatter -t tree:two-roots.csv", `two-roots.csv:3: two roots: nodes 0 and 2 have no parent (expected one root)`},
	{"run scatter -t tree:no-root.csv", `no-root.csv:1: a cycle: every node has a parent (expected a node with an empty parent)`},
	{"run scatter -t tree:own-parent.csv", `own-parent.csv:2: node 1 is its own parent: a cycle (expected a tree)`},
	{"run scatter -t tree:gap.csv", `gap.csv: node 1 is missing (expected nodes 0 to 2 without gaps)`},
	{"run scatter -t tree:empty.csv", `empty.csv: no nodes (expected rows of node,parent)`},
	{"run scatter -t tree:comments.csv", `comments.csv: no nodes (expected rows of node,parent)`},
	{"run scatter -t tree:binary.dat", `binary.dat:2: not a text (expected a text file)`},
	{"run scatter -t tree:three-columns.csv", `three-columns.csv:1: 3 columns (expected node,parent)`},
	{"run scatter -t graph:blanks.csv", `blanks.csv:1: 1 column (expected node,node, separated by commas)`},
	{"run scatter -t graph:loop.csv", `loop.csv:2: edge 1,1 is a loop (expected two different nodes)`},
	{"run scatter -t graph:two-parts.csv", `two-parts.csv: node 2 cannot be reached from node 0 (expected a connected network)`},
	{"run scatter -t graph:quote.csv", `quote.csv:1: a field that begins with a quotation mark does not end with one (expected node,node)`},
	{"run exchange -t torus:4x4 -m store-forward --algorithm edst", `exchange edst needs a machine on which every link works by itself (expected ports all and nic.channels links)`},
	{"run exchange -t torus:4x4 -m store-forward", `no exchange takes this job: exchange edst needs a machine on which every link works by itself (expected ports all and nic.channels links)`},

	// Machines.
	{"run scatter -t path:6 -m bogus", `unknown machine "bogus" (expected one of bufferless, wormhole, paragon, store-forward, or a YAML file such as ./chip.yaml)`},
	{"run scatter -t path:6 -m wormhol", `unknown machine "wormhol" (did you mean wormhole?)`},
	{"run scatter -t path:6 -m ''", `--machine: empty (expected a value)`},
	{"run scatter -t path:6 -m none.yaml", `none.yaml: no such file or directory (expected a file that can be read)`},
	{"run scatter -t path:6 -m ./empty", `./empty: is a directory (expected a file that can be read)`},
	{"run scatter -t path:6 -m unknown-key.yaml", `unknown-key.yaml:2: unknown key "bufer" (did you mean buffer?)`},
	{"run scatter -t path:6 -m unknown-nested.yaml", `unknown-nested.yaml:2: unknown key "nic.chanels" (did you mean nic.channels?)`},
	{"run scatter -t path:6 -m bad-value.yaml", `bad-value.yaml:2: buffer: "lots" (expected a whole number from 1 to 1024)`},
	{"run scatter -t path:6 -m not.yaml", `not.yaml:1: mapping values are not allowed in this context (expected YAML, such as key: value)`},
	{"run scatter -t path:6 -m twice.yaml", `twice.yaml:3: key "buffer" stands in line 1 already (expected each key once)`},
	{"run scatter -t path:6 -m two.yaml", `two.yaml:2: a second document (expected one machine a file)`},
	{"run scatter -t ring:4 -m odd-channels.yaml", `odd-channels.yaml:2: vcs 3: rings and tori use them in dateline pairs (expected 1 or an even number)`},
	{"run scatter -t ring:4 -m odd-channels.yaml --vcs 5", `vcs 5: rings and tori use them in dateline pairs (expected 1 or an even number)`},
	{"run scatter -m far-graph.yaml", `far-graph.yaml:1: topology graph:nowhere.csv: no such file (expected its file in the current folder, or a path from there)`},
	{"run scatter -t path:6 -m empty.yaml", `empty.yaml: no parameters (expected keys such as buffer: 4)`},
	{"run scatter -t path:6 -m binary.dat", `binary.dat:2: not a text (expected a text file)`},
	{"run scatter -t path:6 --buffer 0", `buffer: "0" (expected a whole number from 1 to 1024)`},
	{"run scatter -t path:6 --buffer ''", `--buffer: empty (expected a value)`},
	{"run scatter -t path:6 --header tail", `header: "tail" (expected wires or flit)`},
	{"run scatter -t mesh:32x32 --width 16 --header flit", `width 16: too small for the header of a message on mesh:32x32 (expected 23 bits or more, and further ones for tags above 1, or header wires)`},
	{"run exchange -t path:600 --length 1 -a greedy", `exchange greedy on path:600: all blocks together go over 71999800 links (expected at most 33554432)`},
	{"run exchange -t random:2049,3,5 --length 1 -a greedy", `exchange greedy for 2049 nodes (expected at most 2048)`},
	{"run scatter -t path:300 --width 23 --header flit -a furthest-first", `width 23: too small for the header of a message on path:300 (expected 29 bits or more, or header wires)`},
	{"run scatter -t path:4 --header flit --faults corrupt:0.1", `header flit, and faults that flip bits: a header would lead astray (expected header wires, or faults that lose whole messages)`},
	{"run gather -t path:6 -m bufferless --header flit -a shoulder-tap", `shoulder-tap on a bufferless machine with header flit (expected header wires, or nearest-first)`},
	{"run scatter -t path:6 --width NaN", `width: "NaN" (expected a whole number from 8 to 32, or 64, 128, 256 or 512)`},
	{"run scatter -t path:6 --startup 99999999999", `startup: "99999999999" (expected a whole number from 0 to 1073741824)`},
	{"run scatter -t path:6 --switching bogus", `switching: "bogus" (expected bufferless, wormhole, store-forward or cut-through)`},
	{"run scatter -t path:6 --switching cut-through", `buffer 4: the largest packet has 8 flits (expected room for a packet, or 0)`},
	{"run scatter -t path:6 --nic.channels 2", `nic.channels: "2" (expected 1 or links)`},
	{"run scatter -t path:6 -m bufferless --vcs 2", `vcs 2: a bufferless chip has no virtual channels (expected vcs 1)`},
	{"run scatter -t ring:6 --vcs 3", `vcs 3: rings and tori use them in dateline pairs (expected 1 or an even number)`},
	{"run scatter -t tree:tree.csv --routing dor", `routing dor has no dimensions to order on tree:tree.csv (expected table, updown or source)`},

	// What moves.
	{"run scatter -t path:6 -a bogus", `unknown scatter algorithm "bogus" (expected one of auto, furthest-first, edge-disjoint, shared-edges, search, combining, edst, rerouted)`},
	{"run gather -t path:6 -a shulder-tap", `unknown gather algorithm "shulder-tap" (did you mean shoulder-tap?)`},
	{"run gather -t mesh:3x3 -a shoulder-tap", `gather shoulder-tap does not run on mesh:3x3 (expected a topology of: paths)`},
	{"run scatter -t path:6 -a ''", `--algorithm: empty (expected a value)`},
	{"run scatter -t path:6 --root 6", `--root: 6 is not a node of path:6 (expected 0 to 5)`},
	{"run scatter -t path:6 --root -1", `--root: -1 is not a node of path:6 (expected 0 to 5)`},
	{"run scatter -t path:6 --root 4294967296", `--root: 4294967296 is not a node of path:6 (expected 0 to 5)`},
	{"plan formulas -t ring:9 --startup 1,x", `--startup: "1,x" (expected whole numbers such as 1,10,100)`},
	{"run scatter -t path:6 --root x", `--root: "x" (expected a whole number)`},
	{"run gossip -t path:4 --root 1", `--root: a gossip has no root (expected none: every node gets every node's block (all-gather))`},
	{"run scatter -t path:6 --length -1", `--length: length -1 (expected a whole number of flits from 0 to 268435456)`},
	{"run scatter -t path:6 --length 99999999999", `--length: length 99999999999 (expected a whole number of flits from 0 to 268435456)`},
	{"run scatter -t path:6 --length 99999999999999999999", `--length: "99999999999999999999" is out of range (expected a number of 64 bits)`},
	{"run scatter -t path:6 --length 1e3", `--length: "1e3" (expected it in digits: 1000)`},
	{"run scatter -t path:6 --length 1KiB", `--length: "1KiB" (expected a whole number of flits such as 16)`},
	{"run scatter -t path:6 --length ''", `--length: "" (expected a whole number of flits such as 16)`},
	{"run scatter -t path:6 --length 268435456", `1342177280 words in all PEs together (expected at most 2^28)`},
	{"run exchange -t path:6 --length 9000000", `270000000 words in all PEs together (expected at most 2^28)`},
	{"run broadcast -t ring:4 -a pipelined --parts 999 --length 8", `999 parts of 8 flits on ring:4 (expected 1 to 8)`},
	{"run scatter -t path:6 --length 4 --lengths 1,2,3,4,5", `--length and --lengths (expected one of --length, --bytes, --lengths, --payload)`},
	{"run scatter -t path:6 --lengths 1,2,3,4,5 --payload payload", `--lengths and --payload (expected one of --length, --bytes, --lengths, --payload)`},
	{"run scatter -t path:6 --lengths 1,2", `--lengths: 2 lengths (expected 5, one for each node but the root)`},
	{"run scatter -t path:6 --lengths 1,2,3,4,-5", `--lengths: node 5: length "-5" (expected a whole number of flits from 0 to 268435456)`},
	{"run scatter -t path:6 --lengths 1,2,3,4,NaN", `--lengths: node 5: length "NaN" (expected a whole number of flits from 0 to 268435456)`},
	{"run scatter -t path:6 --lengths 1,2,3,4,", `--lengths: node 5: length "" (expected a whole number of flits from 0 to 268435456)`},
	{"run scatter -t path:6 --lengths ''", `--lengths: empty (expected a value)`},
	{"run gossip -t path:3 --lengths 1,2", `--lengths: 2 lengths (expected 3, one for each node)`},
	{"run gossip -t path:30000", `240000 words, all of them in each of 30000 PEs (expected at most 2^28 in all PEs together)`},
	{"run scatter -t path:6 --lengths @", `--lengths: no file name behind @ (expected @FILE)`},
	{"run scatter -t path:6 --lengths @none.csv", `none.csv: no such file or directory (expected a file that can be read)`},
	{"run scatter -t path:6 --lengths @empty", `empty: is a directory (expected a file that can be read)`},
	{"run scatter -t path:6 --lengths @empty.csv", `empty.csv: no lengths (expected rows of node,flits)`},
	{"run scatter -t path:6 --lengths @lengths-negative.csv", `lengths-negative.csv:3: length "-3" (expected a whole number of flits from 0 to 268435456)`},
	{"run scatter -t path:6 --lengths @lengths-node.csv", `lengths-node.csv:2: "9" is not a node (expected 0 to 5)`},
	{"run scatter -t path:6 --lengths @lengths-twice.csv", `lengths-twice.csv:2: node 1 has a row already, in line 1 (expected one row a node)`},
	{"run scatter -t path:6 --lengths @lengths-root.csv", `lengths-root.csv:1: node 0 is the root (expected no row for it)`},
	{"run scatter -t path:6 --lengths @lengths-columns.csv", `lengths-columns.csv:1: 1 column (expected node,flits)`},
	{"run scatter -t path:6 --order 1,2,3,4", `order: node 5 is missing (expected every node with a message once)`},
	{"run scatter -t path:6 --order 1,2,3,4,9", `--order: "9" is not a node (expected nodes from 0 to 5)`},
	{"run scatter -t path:6 --order 1,2,3,4,4", `order: node 4 stands twice (expected every node with a message once)`},
	{"run scatter -t path:6 --order 0,1,2,3,4,5", `order: node 0 is the root (expected every node with a message once)`},
	{"run scatter -t path:6 --order 1,2,3,4,x", `--order: "x" is not a node (expected nodes from 0 to 5)`},
	{"run scatter -t path:6 --order ''", `--order: empty (expected a value)`},
	{"run gather -t path:6 --order 1,2,3,4,5", `order 1,2,3,4,5 for gather auto (expected none: nearest-first has it, on store-forward and cut-through machines)`},
	{"run scatter -t path:6 --payload none", `none: no such file or directory (expected a directory with a file for each PE)`},
	{"run scatter -t path:6 --payload empty", `empty: the directory has no files (expected files with the blocks of PEs)`},
	{"run scatter -t path:6 --payload many", `many: 7 files (expected at most one file for each of the 5 PEs but the root)`},
	{"run scatter -t path:6 --payload good.s", `good.s: a file (expected a directory)`},
	{"run scatter -t path:6 --payload ''", `--payload: empty (expected a value)`},
	{"run scatter -t path:6 --payload payload --width 12", `width 12: a payload's words are whole bytes (expected width 8, 16, 24, 32, 64, 128, 256 or 512)`},
	{"run scatter -t path:6 --seed x", `--seed: "x" (expected a whole number from 0 to 18446744073709551615)`},
	{"run scatter -t path:6 --seed -1", `--seed: "-1" (expected a whole number from 0 to 18446744073709551615)`},

	// Schedules.
	{"check numbered.csv -t path:6 --header flit --width 9", `width 9: too small for the header of a message on path:6 (expected 11 bits or more, or header wires)`},
	{"check none.csv -t path:6", `none.csv: no such file or directory (expected a file that can be read)`},
	{"check empty -t path:6", `empty: is a directory (expected a file that can be read)`},
	{"check empty.csv -t path:6", `empty.csv: no messages (expected rows of message,source,destination,flits,dispatch[,route][,blocks])`},
	{"check comments.csv -t path:6", `comments.csv: no messages (expected rows of message,source,destination,flits,dispatch[,route][,blocks])`},
	{"check binary.dat -t path:6", `binary.dat:1: 1 column (expected message,source,destination,flits,dispatch[,route][,blocks])`},
	{"check short.csv -t path:6", `short.csv:2: 4 columns (expected message,source,destination,flits,dispatch[,route][,blocks])`},
	{"check slip.csv -t path:6", `slip.csv:1: unknown column "flit" (did you mean flits?)`},
	{"check short-names.csv -t path:6", `short-names.csv:1: unknown column "src" (did you mean source?)`},
	{"check header.csv -t path:6", `header.csv:1: unknown column "from" (expected one of message, source, destination, flits, dispatch, route, blocks)`},
	{"check no-link.csv -t path:6", `no-link.csv:2: message 1: no link from 0 to 2 (expected a route along the links of path:6)`},
	{"check ends-elsewhere.csv -t path:6", `ends-elsewhere.csv:1: message 0: the route ends at 1 (expected the destination, 2)`},
	{"check no-node.csv -t path:6", `no-node.csv:1: message 0: destination 9 (expected a node from 0 to 5)`},
	{"check to-itself.csv -t path:6", `to-itself.csv:1: message 0: source and destination are both 3 (expected two different nodes)`},
	{"check number-twice.csv -t path:6", `number-twice.csv:2: message 4: the number is taken, by line 1 (expected each number once)`},
	{"check no-flits.csv -t path:6", `no-flits.csv:1: message 0: flits 0 (expected at least 1)`},
	{"check before-time.csv -t path:6", `before-time.csv:1: message 0: dispatch -1 (expected 0 or more)`},
	{"check word.csv -t path:6", `word.csv:1: flits "three" (expected a whole number)`},
	{"check huge.csv -t path:6", `huge.csv:1: flits "99999999999999999999" (expected at most 1073741824)`},
	{"check good.csv", `no topology (expected --topology mesh:8x8, or a machine file that names one)`},
	{"run short.csv -t path:6", `short.csv:2: 4 columns (expected message,source,destination,flits,dispatch[,route][,blocks])`},
	{"run no-link.csv -t path:6 --table out.csv", `no-link.csv:2: message 1: no link from 0 to 2 (expected a route along the links of path:6)`},
	{"run none.csv -t path:6", `none.csv: no such file or directory (expected a file that can be read)`},
	{"run good.csv -t path:6 --length 3", `--length: given with a schedule (expected none: the schedule says everything, unless --collective is given)`},
	{"check good.csv -t path:6 --root 1", `--root: given with a schedule (expected none: the schedule says everything, unless --collective is given)`},
	{"check good.csv -t path:6 --collective gossip", `good.csv: nothing says what the messages carry (expected a column blocks: the nodes whose blocks a message carries, such as 0-3+7)`},
	{"run good.csv -t path:6 --collective gossip", `good.csv: nothing says what the messages carry (expected a column blocks: the nodes whose blocks a message carries, such as 0-3+7)`},
	{"check blocks.csv -t path:6 --collective allgther", `--collective: unknown collective "allgther" (did you mean allgather?)`},
	{"check blocks.csv -t path:6 --collective foo", `--collective: unknown collective "foo" (expected scatter, gather, gossip, broadcast, reduce, allreduce, reduce-scatter or exchange)`},
	{"check pairs.csv -t path:6 --collective allreduce --length 4", `pairs.csv:1: message 1: block 0>1 (expected the node of the block, such as 4; pairs are for an all-to-all)`},
	{"check twice-in-it.csv -t path:6 --collective allreduce --length 4", `twice-in-it.csv:1: message 1: block 1 twice (expected each block once)`},
	{"check sum.csv -t path:6 --collective gossip --length 4", `sum.csv:1: message 1: block * (expected the node of the block, such as 4; * is for a reduce, allreduce or reduce-scatter)`},
	{"check sum.csv -t path:6 --collective reduce --length 4", `sum.csv:2: message 2: * beside other blocks (expected it alone, as it is the whole sum at the source)`},
	{"check blocks.csv -t path:6 --collective gossip --root 1", `--root: a gossip has no root (expected none: every node gets every node's block (all-gather))`},
	{"check blocks.csv -t path:6 --collective gather --root 6", `--root: 6 is not a node of path:6 (expected 0 to 5)`},
	{"check blocks.csv -t path:6 --collective gossip --length 0", `--length: 0 (expected 1 to 1073741824)`},
	{"check blocks.csv -t path:6 --collective gossip --length 4 --bytes 16", `--length and --bytes (expected one of --length, --bytes)`},
	{"check blocks.csv -t path:6 --collective alltoall --length 4", `blocks.csv:1: message 1: block 0-1 (expected the block of a node for another, such as 0>4, in an all-to-all)`},
	{"check pairs.csv -t path:6 --collective gossip --length 4", `pairs.csv:1: message 1: block 0>1 (expected the node of the block, such as 4; pairs are for an all-to-all)`},
	{"check blocks.csv -t path:2", `blocks.csv:2: message 2: blocks: node 5 (expected a node from 0 to 1)`},
	{"check words.csv -t path:6 --collective gossip --length 4", `words.csv:1: message 1: block 0@2-4 (expected words from 0 to 3, in blocks of 4 flits)`},
	{"check twice-in-it.csv -t path:6 --collective gossip --length 4", `twice-in-it.csv:1: message 1: block 1 twice (expected each block once)`},
	{"check no-blocks.csv -t path:6", `no-blocks.csv:1: blocks: "all" (expected nodes joined by +, such as 0-3+7, or pairs, such as 0>4, or * for the sum at the source, and behind @ the words of a part, such as 3@0-7)`},
	{"check blocks-for-route.csv -t path:6", `blocks-for-route.csv:1: route: "0-1" is not a node (expected nodes joined by >, such as 0>1>5; blocks are another column, behind it)`},
	{"run gossip -t path:6 --collective gossip", `--collective: given with a gossip (expected none: schedules in .csv are checked to be one)`},
	{"run good.csv -t path:6 --number 3", `--number: given with good.csv (expected none: only random messages have them)`},
	{"run good.csv -t path:6 --max-cycles 3", `--max-cycles: given with good.csv (expected none: run FILE.s, or --firmware without anything else to run)`},
	{"run good.csv -t path:6 --dump out.csv", `--dump: given with good.csv (expected none, or a program of your own to run)`},
	{"run gossip -t path:6 --dump out.csv", `--dump: given with a gossip (expected none, or a program of your own to run)`},
	{"run random -t path:6 --dump out.csv", `--dump: given with random messages (expected none, or a program of your own to run)`},
	{"run random -t path:6 --xml out.xml", `--xml: given with random messages (expected a collective, or an algorithm in .xml)`},
	{"run random -t path:6 --listing out.lst", `--listing: random messages have no firmware (expected a collective)`},
	{"run random -t path:6 --ranks 0,1", `--ranks: given with random messages (expected none: random messages have none)`},
	{"run random -t path:4 --rate 0", `--rate: 0 (expected more than 0, at most 1)`},
	{"run random -t path:4 --rate 1e-12", `--rate: 1e-12: 120 messages would be spread over more than 1099511627776 cycles (expected at least 1.3e-10)`},
	{"run random -t path:4 --rate 1e-300", `--rate: 1e-300: 120 messages would be spread over more than 1099511627776 cycles (expected at least 1.3e-10)`},
	{"run random -t path:4 -m store-forward --setup 1/3 --rate 1e-12", `--rate: 1e-12: 120 messages would be spread over more than 366503875925 cycles (expected at least 3.9e-10)`},
	{"run --firmware none.s -t path:6 --xml out.xml", `--xml: given with a program (expected a collective, or an algorithm in .xml)`},
	{"run good.csv -t path:6 --listing out.lst", `--listing: a schedule has no firmware (expected a collective)`},
	{"cosim no-link.csv -t path:6 --simulator icarus", `no-link.csv:2: message 1: no link from 0 to 2 (expected a route along the links of path:6)`},
	{"export chip no-link.csv -t path:6", `no-link.csv:2: message 1: no link from 0 to 2 (expected a route along the links of path:6)`},

	// Files to write.
	{"run scatter -t path:6 --trace out.txt", `--trace: out.txt (expected FILE.csv, FILE.html, FILE.pcapng, FILE.pftrace or FILE.svg)`},
	{"run scatter -t path:6 --trace out", `--trace: out (expected FILE.csv, FILE.html, FILE.pcapng, FILE.pftrace or FILE.svg)`},
	{"run scatter -t path:6 --trace ''", `--trace: empty (expected a value)`},
	{"run scatter -t path:6 --trace empty", `empty: is a directory (expected a file to write, for --trace)`},
	{"run scatter -t path:6 --trace out.csv/", `out.csv/: is no file (expected the name of a file)`},
	{"run scatter -t path:6 --trace none/out.csv", `none/out.csv: there is no directory none (expected a directory that exists)`},
	{"run scatter -t path:6 --trace good.s/out.csv", `good.s/out.csv: not a directory (expected the name of a file in a directory that exists)`},
	{"run scatter -t path:6 --trace a.csv --trace a.csv", `a.csv: named by --trace and by --trace (expected a file of its own for each)`},
	{"run scatter -t path:6 --trace a.csv --table ./a.csv", `./a.csv: named by --trace and by --table (expected a file of its own for each)`},
	{"run scatter -t path:6 --table a.csv --schedule a.csv", `a.csv: named by --table and by --schedule (expected a file of its own for each)`},
	{"run scatter -t path:6 --trace a.csv --trace none/b.csv", `none/b.csv: there is no directory none (expected a directory that exists)`},
	{"run scatter -t path:6 --trace a.csv --trace b.txt", `--trace: b.txt (expected FILE.csv, FILE.html, FILE.pcapng, FILE.pftrace or FILE.svg)`},
	{"run scatter -t path:6 --trace a.csv --schedule none/b.csv", `none/b.csv: there is no directory none (expected a directory that exists)`},
	{"run scatter -t path:6 --table none/a.csv", `none/a.csv: there is no directory none (expected a directory that exists)`},
	{"run scatter -t path:6 --table empty", `empty: is a directory (expected a file to write, for --table)`},
	{"run scatter -t path:6 --table ''", `--table: empty (expected a value)`},
	{"run scatter -t path:6 --schedule empty", `empty: is a directory (expected a file to write, for --schedule)`},
	{"run scatter -t path:6 --listing none/a", `none/a: there is no directory none (expected a directory that exists)`},
	{"run scatter -t path:6 --lengths @lengths-columns.csv --table lengths-columns.csv", `lengths-columns.csv: named by --lengths and by --table (expected a file of its own for each)`},
	{"run scatter -t tree:tree.csv --table tree.csv", `tree.csv: named by --topology and by --table (expected a file of its own for each)`},
	{"run scatter -t path:6 --payload payload --schedule payload/x", `payload/x: named by --payload and by --schedule (expected a file of its own for each)`},
	{"run good.csv -t path:6 --table good.csv", `good.csv: named by the schedule and by --table (expected a file of its own for each)`},
	{"export payload scatter -t path:4", `payload: the folder is not empty (expected a new or an empty folder, or an earlier export with --force)`},
	{"export chip scatter -t path:4 --interface pci", `--interface: "pci" (expected flits or axis)`},
	{"export chip scatter -t path:4 -m bufferless --interface axis", `switching bufferless: AXI4-Stream ports may hold flits back, which only buffers of flits bear (expected switching wormhole)`},
	{"export chip gossip -t ring:5 --vcs 1 --algorithm circgos --interface axis", `AXI4-Stream ports: frames of any PE may be in flight at any time, and those on this network may wait for one another in a circle (meshwright deadlock shows it) (expected routes that are free of deadlock; more vcs may help)`},
	{"export good.s scatter -t path:4", `good.s: not a directory (expected a new or an empty folder)`},
	{"export good.s/chip scatter -t path:4", `good.s/chip: not a directory (expected a new or an empty folder)`},
	{"cosim scatter -t path:4 --simulator questa", `--simulator: unknown simulator "questa" (expected found, icarus, verilator or both)`},
	{"cosim scatter -t path:4 --simulator ''", `--simulator: empty (expected a value)`},
	{"cosim scatter -t path:4 --simulator icarus --keep payload", `payload: the folder is not empty (expected a new or an empty folder)`},
	{"cosim scatter -t path:4 --simulator icarus --table none/a.csv", `none/a.csv: there is no directory none (expected a directory that exists)`},

	// Firmware.
	{"asm none.s", `none.s: no such file or directory (expected a file that can be read)`},
	{"asm empty", `empty: is a directory (expected a file that can be read)`},
	{"asm bad.s -o out.hex", `bad.s:2: unknown instruction "lii" (did you mean "li"?)` + "\n" +
		`bad.s:3: add: 2 operands (expected rd, ra, rb)` + "\n" +
		`bad.s:4: jmp: "nowhere" is not defined (expected a label)`},
	{"asm bad.s --listing -o out.lst", `bad.s:2: unknown instruction "lii" (did you mean "li"?)` + "\n" +
		`bad.s:3: add: 2 operands (expected rd, ra, rb)` + "\n" +
		`bad.s:4: jmp: "nowhere" is not defined (expected a label)`},
	{"asm stray.s", `stray.s:1: jmp to address 100, outside the program (expected 0..2)` + "\n" +
		`stray.s:2: bne to address -1, outside the program (expected 0..2)`},
	{"run stray.s -t path:2", `stray.s:1: jmp to address 100, outside the program (expected 0..2)` + "\n" +
		`stray.s:2: bne to address -1, outside the program (expected 0..2)`},
	{"run stray.mem -t path:2", `stray.mem:1: jmp to address 100, outside the program (expected 0..1)`},
	{"asm empty.s", `empty.s: no instructions (expected a program such as: halt)`},
	{"asm binary.dat", `binary.dat:2: not a text (expected a text file)`},
	{"asm good.s -o good.s", `good.s: named by the input and by --out (expected a file of its own for each)`},
	{"asm good.s -o none/out.hex", `none/out.hex: there is no directory none (expected a directory that exists)`},
	{"asm good.s -o empty", `empty: is a directory (expected a file to write, for --out)`},
	{"disasm none.hex", `none.hex: no such file or directory (expected a file that can be read)`},
	{"disasm empty", `empty: is a directory (expected a file that can be read)`},
	{"disasm bad.hex -o out.s", `bad.hex:2: "zz" is not a word (expected hexadecimal words, @address or // comments)` + "\n" +
		`bad.hex:3: "g123" is not a word (expected hexadecimal words, @address or // comments)`},
	{"disasm opcode.hex -o out.s", `opcode.hex:2: word ffffffff: unknown opcode 63 (expected 0..25)` + "\n" +
		`opcode.hex:3: word 00000123: halt: unused bits 0x00000123 are set (expected 0)`},
	{"disasm empty.hex", `empty.hex: no words (expected hexadecimal words, @address or // comments)`},
	{"run good.s -t path:2 --memory-image bad.hex", `bad.hex:2: "zz" is not a word (expected hexadecimal words, @address or // comments)` + "\n" +
		`bad.hex:3: "g123" is not a word (expected hexadecimal words, @address or // comments)`},
	{"run good.s -t path:2 --memory-image wide.hex", `wide.hex:2: a word of more than 32 bits (expected words of up to 8 hex digits)`},
	{"run good.s -t path:2 --memory-image last.hex", `last.hex:2: 536870912 words of data memory in PEs 0 to 1 together (expected at most 2^28)`},
	{"run good.s -t path:2 --memory-image twice.hex", `twice.hex:3: address @1 is set twice (expected each address once; the other word is on line 2)`},
	{"run --firmware 0-5=good.s -t path:2", `--firmware: nodes "0-5": no node 5 in a network of 2 nodes (expected nodes from 0 to 1, such as 0,1, or * for all others)`},
	{"disasm binary.dat", `binary.dat:2: not a text (expected a text file)`},
	{"disasm bad.hex -o bad.hex", `bad.hex: named by the input and by --out (expected a file of its own for each)`},
}

// Bad usage or input: exit code 2, one line that names the file, the line where
// there is one, and what was expected; nothing on standard output, and no file
// made, changed or left.
func TestBadInput(t *testing.T) {
	dir := badInputDir(t)
	before := snapshot(t, dir)
	for _, row := range slices.Concat(badInput, badPlans, badNetworks, badPackets, badImports, misplaced, badTrees, badFaults) {
		t.Run(row.args, func(t *testing.T) {
			args := strings.Fields(row.args)
			for i := range args {
				if args[i] == "''" {
					args[i] = ""
				}
			}
			got := meshwright(t, dir, args...)
			require.Equal(t, spoken{"", complaint(row.want), 2}, got)
			require.Equal(t, before, snapshot(t, dir))
		})
	}
}

// complaint returns the expected text on standard error: each line of want is one error.
func complaint(want string) string {
	return "meshwright: " + strings.ReplaceAll(want, "\n", "\nmeshwright: ") + "\n"
}

// badInputDir is a directory with what the rows read.
func badInputDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"bad-input.txtar", "bad-imports.txtar"} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		require.NotEmpty(t, archive.Files)
		require.NoError(t, txtar.Write(archive, dir))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "many"), 0o755))
	for i := range 7 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "many", fmt.Sprint(i)), []byte("x"), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "binary.dat"), []byte("ok\n\xff\xfe\x00\n"), 0o644))
	return dir
}

// Files that may not be read, and directories that may not be written to.
func TestForbiddenFiles(t *testing.T) {
	dir := openDir(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret.csv"), []byte("0,0,1,1,0\n"), 0o000))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "closed"), 0o555))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "payload"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "payload", "closed"), 0o000))
	for _, row := range []struct{ args, want string }{
		{"check secret.csv -t path:2", "secret.csv: permission denied (expected a file that can be read)"},
		{"run scatter -t tree:secret.csv", "secret.csv: permission denied (expected a file that can be read)"},
		{"run scatter -t path:2 -m ./secret.csv", "./secret.csv: permission denied (expected a file that can be read)"},
		{"run scatter -t path:2 --lengths @secret.csv", "secret.csv: permission denied (expected a file that can be read)"},
		{"run scatter -t path:2 -m store-forward --packets @secret.csv", "secret.csv: permission denied (expected a file that can be read)"},
		{"run scatter -t path:2 --payload payload", "payload/closed: permission denied (expected a directory with a file for each PE)"},
		{"asm secret.csv", "secret.csv: permission denied (expected a file that can be read)"},
		{"disasm secret.csv", "secret.csv: permission denied (expected a file that can be read)"},
		{"run scatter -t path:2 --table closed/a.csv", "closed/a.csv: permission denied"},
		{"run scatter -t path:2 --trace a.csv --schedule closed/a.csv", "closed/a.csv: permission denied"},
		{"export closed/chip scatter -t path:2", "closed/chip: permission denied"},
	} {
		t.Run(row.args, func(t *testing.T) {
			cmd := proctest.Command(t, binary, strings.Fields(row.args)...)
			cmd.Dir = dir
			if os.Geteuid() == 0 { // root may do everything, nobody may not
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			}
			got := speak(t, cmd)
			require.Equal(t, spoken{"", "meshwright: " + row.want + "\n", 2}, got)
			require.NoFileExists(t, filepath.Join(dir, "a.csv"))
		})
	}
}

// openDir is a temporary directory that everybody may use.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "meshwright-open-*")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o777))
	require.NoError(t, os.Chmod(filepath.Dir(binary), 0o755))
	return dir
}

// A file that cannot be completed, on a full disk or by its size, is an error;
// what would have been written beside it is not.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	for _, row := range []struct{ args, want string }{
		{"run scatter -t path:4 --trace a.csv --schedule /dev/full", "/dev/full: no space left on device"},
		{"run scatter -t path:4 --trace a.csv --listing /dev/full", "/dev/full: no space left on device"},
		{"run scatter -t path:4 --table /dev/full --schedule a.csv", "/dev/full: no space left on device"},
		{"run scatter -t path:4 --trace a.csv --trace a.pcapng --table /dev/full --schedule s.csv", "/dev/full: no space left on device"},
		{"run late.csv -t path:4 --trace a.csv --trace a.svg --table t.csv --schedule s.csv",
			"t.csv: a table of 100000002 cycles and 4 nodes is too large (expected at most 2^28 cells: a window of cycles or nodes, or a trace of crossings)"},
		{"asm halt.s -o /dev/full", "/dev/full: no space left on device"},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "halt.s"), []byte("\thalt\n"), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "late.csv"), []byte("1,0,1,1,0\n2,0,1,1,100000000\n"), 0o644))
		before := snapshot(t, dir)
		got := meshwright(t, dir, strings.Fields(row.args)...)
		require.Equal(t, spoken{"", "meshwright: " + row.want + "\n", 2}, got)
		require.Equal(t, before, snapshot(t, dir))
	}
}
