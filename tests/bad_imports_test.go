// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// badImports are command lines about files of other tools, see badInput.
var badImports = []badLine{
	{"import", `import: 0 arguments (expected meshwright import FILE [flags])`},
	{"import ''", `import: argument 1 is empty (expected meshwright import FILE [flags])`},
	{"import none.xml -t path:2", `none.xml: no such file or directory (expected a file that can be read)`},
	{"import binary.dat", `binary.dat: the content does not tell its format (expected --format pcapng, chakra, msccl, json, csv or tdm)`},
	{"import binary.dat --format tdm", `binary.dat:2: not a text (expected a text file)`},
	{"import none -t path:2", `none: no such file or directory (expected a file that can be read)`},
	{"import empty -t path:2", `empty: is a directory (expected a file that can be read)`},
	{"import pair.xml", `no topology (expected --topology mesh:8x8, or a machine file that names one)`},
	{"import good.s -t path:2", `good.s: a file of the format firmware (expected --format pcapng, chakra, msccl, json, csv or tdm)`},
	{"import good.mem -t path:2", `good.mem: a file of the format firmware (expected --format pcapng, chakra, msccl, json, csv or tdm)`},
	{"import pair.xml -t path:3", `pair.xml: an algorithm for 2 ranks on path:3, which has 3 (expected a topology of 2 nodes)`},
	{"import pair.xml -t path:2 --format sccl", `--format: unknown format "sccl" (expected pcapng, chakra, msccl, json, csv or tdm)`},
	{"import pair.xml -t path:2 --format ''", `--format: empty (expected a value)`},
	{"import pair.xml -t path:2 --length 0", `--length: 0 (expected 1 to 1048576 flits of a chunk)`},
	{"import pair.xml -t path:2 --length x", `--length: "x" (expected a whole number of flits such as 16)`},
	{"import pair.xml -t path:2 --length 99999999", `--length: 99999999 (expected 1 to 1048576 flits of a chunk)`},
	{"import pair.xml -t path:2 --bytes 64MB", `--bytes: 16000000 (expected 1 to 1048576 flits of a chunk)`},
	{"import pair.xml -t path:2 --bytes 4x", `--bytes: "4x" (expected bytes such as 4096, 64KiB or 1MB)`},
	{"import pair.xml -t path:2 --bytes 4 -l 1", `--length and --bytes (expected one of --length, --bytes)`},
	{"import pair.xml -t path:2 --root 1", `--root: an allreduce has no root (expected none)`},
	{"import pair.xml -t path:2 --width 1", `width: "1" (expected a whole number from 8 to 32, or 64, 128, 256 or 512)`},
	{"import pair.xml -t path:2 --lenght 4", `unknown flag --lenght (did you mean --length?)`},
	{"import pair.xml -t path:2 --format csv", `pair.xml:1: 1 column (expected message,source,destination,flits,dispatch[,route][,blocks])`},
	{"import pair.xml -t path:2 --format tdm", `pair.xml:1: "<algo name=" (expected nothing before the quote)`},
	{"import torn.xml -t path:2", `torn.xml:13: element <gpu> closed by </algo> (expected well-formed XML)`},
	{"import no-rank.xml -t path:2", `no-rank.xml:3: tb send="2": there is no rank 2 (expected -1, or 0 to 1)`},
	{"import no-gpu.xml -t path:2", `no-gpu.xml:8: gpu id="2": there is no rank 2 (expected 0 to 1, by ngpus)`},
	{"import unknown-attribute.xml -t path:2", `unknown-attribute.xml:1: unknown attribute "speed" of <algo> (expected one of name, proto, nchannels, nchunksperloop, ngpus, coll, inplace, outofplace, minBytes, maxBytes, maxcount, nthreadblocks, nthreads, redop)`},
	{"import unknown-step.xml -t path:2", `unknown-step.xml:5: step type="rrx" (expected s, r, rcs, rrs, rrc, rrcs, cpy, re or nop)`},
	{"import no-chunk.xml -t path:2", `no-chunk.xml:4: chunk i[1] (expected chunks of buffer i, which has 1)`},
	{"import one-way.xml -t path:2", `one-way.xml:9: rank 1 sends 1 time to rank 0 on channel 0, which receives 0 (expected as many receives)`},
	{"import no-step.xml -t path:2", `no-step.xml:4: step deps 7: tb 0 of gpu 0 has no such step (expected 0 to 1)`},
	{"import other-reduction.xml -t path:2", `other-reduction.xml:1: algo redop="max" (expected sum or nop)`},
	{"import circle.xml -t path:2", `circle.xml:4: rank 0 tb 0 step 0 waits for rank 1 tb 0 step 1 (line 11), which waits for rank 1 tb 0 step 0 (line 10), which waits for rank 0 tb 0 step 1 (line 5), which waits for rank 0 tb 0 step 0 (line 4) (expected an order without circles)`},
	{"import binary.dat --format msccl -t path:2", `binary.dat:2: not a text (expected a text file)`},
	{"run torn.xml -t path:2", `torn.xml:13: element <gpu> closed by </algo> (expected well-formed XML)`},
	{"cosim torn.xml -t path:2 --simulator icarus", `torn.xml:13: element <gpu> closed by </algo> (expected well-formed XML)`},
	{"export chip torn.xml -t path:2", `torn.xml:13: element <gpu> closed by </algo> (expected well-formed XML)`},
	{"run pair.xml -t path:2 --algorithm ring", `--algorithm: given with an algorithm (expected none: the file says everything else)`},
	{"run pair.xml -t path:2 --lengths 3,4", `--lengths: given with an algorithm (expected none: the file says everything else)`},
	{"check pair.xml -t path:2", `pair.xml: not a schedule (expected SCHEDULE.csv, TABLE.tdm or RUN.pcapng; meshwright import checks and runs others)`},
	{"check none.et -t path:2", `none.et: not a schedule (expected SCHEDULE.csv, TABLE.tdm or RUN.pcapng; meshwright import checks and runs others)`},
	{"run gossip -t ring:4 -a approach2 --xml x.xml", `--xml: gossip approach2: its programs decide what they send (expected an algorithm that is a list of transfers; run … --algorithm list shows others)`},
	{"run gather -t path:2 --xml x.xml", `--xml: MSCCL's format has no gather (expected gossip, allreduce, reduce-scatter, broadcast, reduce or exchange)`},
	{"import short.tdm", `short.tdm: 2 messages (expected 3, 8, 15 …: one to every other node of a square torus)`},
	{"import letter.tdm", `letter.tdm:2: unknown letter "u", 2 characters in (expected links n, e, s, w and l at the end)`},
	{"import end.tdm", `end.tdm:2: message "n" does not end with l (expected l at the end, the cycle of delivery)`},
	{"import twice.tdm", `twice.tdm:3: message "s" goes 0 east and 1 south, as that of line 2 does (expected one for each offset; none goes 1 east and 0 south)`},
	{"import plain", `plain:3: unknown letter "u", 3 characters in (expected links n, e, s, w and l at the end; format tdm is a guess by the content: --format names another)`},
	{"import empty.csv", `no topology (expected --topology mesh:8x8, or a machine file that names one)`},
	{"import good.tdm -t torus:3x3", `good.tdm: a table for 2x2 nodes on torus:3x3 (expected torus:2x2)`},
	{"import good.tdm --length 3", `--length: given with a table (expected none: the table says everything)`},
	{"import good.tdm --listing out.lst", `--listing: a schedule has no firmware (expected a collective)`},
	{"check twice.tdm", `twice.tdm:3: message "s" goes 0 east and 1 south, as that of line 2 does (expected one for each offset; none goes 1 east and 0 south)`},
	{"run twice.tdm", `twice.tdm:3: message "s" goes 0 east and 1 south, as that of line 2 does (expected one for each offset; none goes 1 east and 0 south)`},
	{"import pair.xml -t path:2 --table pair.xml", `pair.xml: named by the algorithm and by --table (expected a file of its own for each)`},
	{"import good.tdm --schedule good.tdm", `good.tdm: named by the table and by --schedule (expected a file of its own for each)`},
	{"import good.tdm --trace out.txt", `--trace: out.txt (expected FILE.csv, FILE.html, FILE.pcapng, FILE.pftrace or FILE.svg)`},
	{"import pair.xml -t path:2 --ranks 0", `--ranks: 1 node (expected one for each of 2 ranks)`},
	{"import pair.xml -t path:2 --ranks 0,0", `--ranks: node 0 again, for rank 1 (expected each node once)`},
	{"import pair.xml -t path:2 --ranks 0,2", `--ranks: "2" is not a node (expected nodes from 0 to 1)`},
	{"import pair.xml -t path:2 --inplace yes", `--inplace: "yes" (expected 0 or 1)`},
	{"import good.tdm --ranks 1,0,2,3", `--ranks: given with a table (expected none: the table says everything)`},
	{"import plan -t path:2", `plan:1: an object of another form (expected a schedule of TE-CCL, an execution plan of MSCCL++, or a list of events of a chip's network; format json is a guess by the content: --format names another)`},
	{"import good.tdm --inplace 1", `--inplace: given with a table (expected none: the table says everything)`},
	{"run gossip -t path:4 --ranks 0,1,2,3", `--ranks: given with a gossip (expected none: only imported files have ranks)`},
	{"cosim scatter -t path:4 --inplace 1 --simulator icarus", `--inplace: given with a scatter (expected none: only imported files have ranks)`},
	{"run scatter -t ring:5 --xml a.xml", `--xml: MSCCL's format has no scatter (expected gossip, allreduce, reduce-scatter, broadcast, reduce or exchange)`},
	{"run gossip -t ring:5 --lengths 1,2,3,4,5 -a circgos --xml a.xml", `--xml: node 0 has 1 word, and others 3 (expected blocks of one length)`},
	{"run reduce-scatter -t ring:5 --length 12 --xml a.xml", `--xml: a vector of 12 words on 5 nodes (expected a length that the nodes divide)`},
	{"run exchange -t hypercube:3 --length 2 -a logarithmic --xml a.xml", `--xml: node 0 has other words than its own and those for it (expected blocks of one length, and an algorithm that sends each by itself, such as timetable)`},
	{"run gossip -t ring:5 --xml a.txt", `--xml: a.txt (expected FILE.xml)`},
	{"run good.tdm --xml a.xml", `--xml: given with good.tdm (expected a collective, or an algorithm in .xml)`},
	{"extcap", `extcap: 0 questions (expected one of --extcap-interfaces, --extcap-dlts, --extcap-config and --capture)`},
	{"extcap --extcap-interfaces --extcap-dlts", `extcap: 2 questions (expected one of --extcap-interfaces, --extcap-dlts, --extcap-config and --capture)`},
	{"extcap --extcap-config --extcap-interface eth0", `--extcap-interface: "eth0" (expected meshwright)`},
	{"extcap --capture --extcap-interface meshwright", `--fifo: missing with --capture (expected a named pipe)`},
	{"extcap --capture --extcap-interface meshwright --fifo good.tdm", `--fifo: good.tdm (expected a named pipe)`},
	{"extcap --capture --extcap-interface meshwright --fifo none", `--fifo: none (expected a named pipe)`},
	{"import good.tdm --every-rank", `--every-rank: given with a table (expected none: the table says everything)`},
	{"import pair.xml -t path:2 --cycles-per-us 5", `--cycles-per-us: given with an algorithm (expected none: the file says everything else)`},
	{"import none.0.et -t path:2", `none.0.et: no such file or directory (expected a file that can be read)`},
	{"import none.0.et -t path:2 --cycles-per-us 1000001", `--cycles-per-us: 1000001 (expected 0 to 1000000)`},
	{"run gossip -t path:4 --ctrl-deps", `--ctrl-deps: given with a gossip (expected none: only imported files have ranks)`},
	{"run gossip -t path:4 --skip-missing", `--skip-missing: given with a gossip (expected none: only imported files have ranks)`},
	{"run gossip -t path:4 --every-rank", `--every-rank: given with a gossip (expected none: only imported files have ranks)`},
	{"run gossip -t path:4 --cycles-per-us 5", `--cycles-per-us: given with a gossip (expected none: only imported files have ranks)`},
	{"run gossip -t path:4 --noc NOC_0", `--noc: given with a gossip (expected none: only imported files have ranks)`},
}

// A pipe with a name cannot be looked at before it is read: its format has to be named.
func TestNamedPipes(t *testing.T) {
	for _, row := range []struct {
		args, stderr string
		code         int
	}{
		{"import /dev/stdin -t ring:8", "meshwright: /dev/stdin: a pipe, which can be read only once (expected --format pcapng, chakra, msccl, json, csv or tdm, or - for standard input)\n", 2},
		{"import /dev/stdin --format msccl -t ring:8", "", 0},
		{"import - -t ring:8", "", 0},
	} {
		got := speak(t, proctest.Command(t, "sh", append([]string{"-c", `cat ../examples/imports/ring-allreduce-8.xml | "$0" "$@"`, binary}, strings.Fields(row.args)...)...))
		require.Equal(t, row.code, got.code, got.stderr)
		require.Equal(t, row.stderr, got.stderr)
	}
}
