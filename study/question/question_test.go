// SPDX-License-Identifier: Apache-2.0

package question_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/input"
	"meshwright/study/point"
	"meshwright/study/question"
)

const good = `name: buffers
parameters: {side: 4, first: 1}
axes:
  buffer: [2, 4]
  load: {from: 0.1, to: 0.3, step: 0.1}
  way:
    - {routing: dor, vcs: 1}
    - {name: turned, routing: o1turn, vcs: 2}
set: {topology: "mesh:${side}x${side}", rate: "${load}"}
where: ['buffer * vcs <= 4', 'load != 0.2']
measure: [accepted, per_buffer: accepted / buffer, twice: 2 * per_buffer]
repeats: 2
`

func TestPoints(t *testing.T) {
	s, err := question.Parse("b.yaml", []byte(good), map[string]string{"side": "8"})
	require.NoError(t, err)
	require.Equal(t, 24, s.Count())
	var got []string
	for p, err := range s.Points() {
		require.NoError(t, err)
		require.Equal(t, "mesh:8x8", p.Settings["topology"])
		require.Equal(t, p.Labels[1], p.Settings["rate"])
		got = append(got, fmt.Sprint(strings.Join(p.Labels, " "), " ", p.Settings["vcs"], " ", p.Settings["seed"]))
	}
	require.Equal(t, []string{
		"2 0.1 dor 1 1 1", "2 0.1 dor 1 1 2", "2 0.1 turned 2 1", "2 0.1 turned 2 2",
		"2 0.3 dor 1 1 1", "2 0.3 dor 1 1 2", "2 0.3 turned 2 1", "2 0.3 turned 2 2",
		"4 0.1 dor 1 1 1", "4 0.1 dor 1 1 2", "4 0.3 dor 1 1 1", "4 0.3 dor 1 1 2",
	}, got)
	for p, err := range s.Points() {
		require.NoError(t, err)
		values, ok, err := s.Values(&p, point.Figures{"accepted": point.Number(0.5)})
		require.NoError(t, err)
		require.Equal(t, []bool{true, true, true}, ok)
		require.Equal(t, []point.Figure{point.Number(0.5), point.Number(0.25), point.Number(0.5)}, values)
		break
	}
}

func TestRanges(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"{from: 1, to: 9, step: 4}", "1 5 9"},
		{"{from: 0.02, to: 0.1, step: 0.02}", "0.02 0.04 0.06 0.08 0.1"},
		{"{from: 1, to: 1000, times: 10}", "1 10 100 1000"},
		{"{from: 1, to: 3, times: 1.5}", "1 1.5 2.25"},
		{"{from: 0.1, to: 0.1, step: 1e-300}", "0.1"},
		{"{from: 0.1, to: 0.3, step: 0.1}", "0.1 0.2 0.3"},
		{"7", "7"},
	} {
		s, err := question.Parse("r.yaml", []byte("axes: {length: "+row.text+"}\nset: {collective: gossip}\nmeasure: [cycles]\n"), nil)
		require.NoError(t, err)
		var labels []string
		for _, c := range s.Axes[0].Values {
			labels = append(labels, c.Label)
		}
		require.Equal(t, row.want, strings.Join(labels, " "))
	}
}

func TestBadStudies(t *testing.T) {
	const rest = "\nset: {collective: gossip}\nmeasure: [cycles]\n"
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", "s.yaml: no keys (expected axes and measure)"},
		{"misspelt section", "axis: {buffer: [1]}\n", `s.yaml:1:1: unknown key "axis" (did you mean axes?)`},
		{"misspelt key", "axes:\n  bufer: [1, 2]" + rest, `s.yaml:2:3: unknown key "bufer" (did you mean buffer?)`},
		{"misspelt axis of a report", "axes:\n  bufer: [1, 2]\nreport: [{plot: lines, x: length, y: cycles, by: buffer}]" + rest, `s.yaml:2:3: unknown key "bufer" (did you mean buffer?)`},
		{"misspelt setting", "set: {colective: gossip}\n", `s.yaml:1:7: unknown key "colective" (did you mean collective?)`},
		{"axis without use", "axes: {side: [1, 2]}" + rest, "s.yaml:1:8: unknown key \"side\" (expected a key, or ${side} in the study)"},
		{"empty axis", "axes: {buffer: []}" + rest, `s.yaml:1:8: axis "buffer" is empty (expected one value or more)`},
		{"empty range", "axes: {buffer: {from: 5, to: 1, step: 1}}" + rest, "s.yaml:1:16: the range from 5 to 1 is empty (expected to at or above from)"},
		{"no range", "axes: {buffer: {from: 5, to: 1}}" + rest, "s.yaml:1:16: not a range (expected {from: 1, to: 9, step: 2} or {from: 1, to: 1024, times: 2})"},
		{"step 0", "axes: {buffer: {from: 1, to: 5, step: 0}}" + rest, "s.yaml:1:16: step 0 (expected a step above 0)"},
		{"times 1", "axes: {buffer: {from: 1, to: 5, times: 1}}" + rest, "s.yaml:1:16: from 1 times 1 (expected from above 0 and times above 1)"},
		{"endless", "axes: {buffer: {from: 0, to: 1e9, step: 1}}" + rest, "s.yaml:1:16: a range of 1000000001 values (expected at most 100000)"},
		{"twice", "axes: {buffer: [1, 1]}" + rest, `s.yaml:1:20: "1" twice (expected each value once)`},
		{"key twice", "axes: {buffer: [1]}\naxes: {buffer: [1]}\n", `s.yaml:2:1: key "axes" stands in line 1 already (expected each key once)`},
		{"nothing to measure", "set: {collective: gossip}\n", "s.yaml:1:1: nothing to measure (expected measure: [cycles])"},
		{"unknown measure", "set: {collective: gossip}\nmeasure: [cicles]\n", `s.yaml:2:11: unknown measure "cicles" (did you mean cycles?)`},
		{"formula in quotes", "set: {collective: gossip}\nmeasure: [\"time: cycles / 5\"]\n", `s.yaml:2:11: unknown measure "time: cycles / 5" (expected time: cycles / 5 without quotes around both)`},
		{"formula without a name", "set: {collective: gossip}\nmeasure: [cycles / 5]\n", `s.yaml:2:11: unknown measure "cycles / 5" (expected a formula with a name of its own, such as time: cycles / mhz)`},
		{"half a measure", "set: {collective: gossip}\nmeasure: [hottest_link]\n", `s.yaml:2:11: unknown measure "hottest_link" (expected hottest_link.flits or hottest_link.busy_fraction)`},
		{"key as a measure", "set: {collective: gossip}\nmeasure: [algorithm]\n", `s.yaml:2:11: unknown measure "algorithm" (expected chosen: the algorithm that ran)`},
		{"measure of another job", "set: {collective: gossip}\nmeasure: [accepted]\n", `s.yaml:2:10: a study without a rate of random traffic has no measure "accepted" (expected rate: 0.1, or another, or pattern: trace:FILE, in the study)`},
		{"no collective", "set: {rate: 0.1}\nmeasure: [time: cycles / 2]\n", `s.yaml:2:10: a study without a collective has no measure "cycles" (expected collective: gossip, or another, in the study)`},
		{"bad constraint", "axes: {buffer: [1]}\nwhere: [bufer < 2]" + rest, `s.yaml:2:9: unknown name "bufer" (did you mean buffer?)`},
		{"bad formula", "where: ['1 +']" + rest, `s.yaml:1:9: "1 +" (expected a formula such as buffer * vcs <= 32)`},
		{"seeds instead of repeats", "seeds: 3" + rest, "s.yaml:1:1: unknown key \"seeds\" (did you mean repeats?)"},
		{"saturation as a key", "set: {saturation: true}", `s.yaml:1:7: unknown key "saturation" (expected resolution, and measure: [saturation.highest_stable_rate])`},
		{"another tool's key", "axes: {num_vcs: [1, 2]}" + rest, `s.yaml:1:8: unknown key "num_vcs" (did you mean vcs?)`},
		{"comma without quotes", "set: {flits: 1@0.5,5@0.5}", `s.yaml:1:20: unknown key "5@0.5" (expected quotes around a value with a comma, such as flits: "1@0.5,5@0.5")`},
		{"range of the command line", "axes: {rate: 0.1:0.3:0.1}" + rest, `s.yaml:1:14: rate: "0.1:0.3:0.1" (expected {from: 0.1, to: 0.3, step: 0.1})`},
		{"label of nothing", "axes: {length: [1]}\nlabels: {lenth: flits}" + rest, `s.yaml:2:10: unknown column "lenth" (did you mean length?)`},
		{"empty label", "axes: {length: [1]}\nlabels: {length: ' '}" + rest, `s.yaml:2:18: label " " of length (expected a text)`},
		{"labels as a list", "labels: [a]" + rest, "s.yaml:1:9: not key: value (expected name: text)"},
		{"bad repeats", "repeats: 0" + rest, `s.yaml:1:10: repeats: "0" (expected a whole number from 1 to 1000)`},
		{"unknown parameter", "parameters: {side: 4}\nset: {topology: '${sid}', collective: gossip}\nmeasure: [cycles]\n", `s.yaml:2:17: unknown parameter "sid" (did you mean side?)`},
		{"unknown parameter beside an axis", "axes: {side: [2, 3]}\nset: {topology: 'mesh:${sid}x${side}', collective: gossip}\nmeasure: [cycles]\n", `s.yaml:2:17: unknown parameter "sid" (did you mean side?)`},
		{"axis and measure", "axes: {ratio: [1, 2]}\nset: {length: '${ratio}', collective: gossip}\nmeasure: [ratio]\n", `s.yaml:3:11: "ratio" is a measure and an axis (expected another name of the axis)`},
		{"open brace", "set: {topology: '${side'}\n", "s.yaml:1:17: \"${side\" (expected ${NAME})"},
		{"bad plot", "report: [{plot: lins}]" + rest, `s.yaml:1:17: unknown plot "lins" (did you mean lines?)`},
		{"plot of nothing", "report: [{plot: lines, x: buffer, y: cycles}]" + rest, `s.yaml:1:27: unknown column "buffer" (expected cycles)`},
		{"map over a measure", "axes: {length: [1, 2]}\nreport: [{plot: map, x: cycles, y: length, value: cycles}]" + rest, "s.yaml:2:10: plot map over cycles and length (expected two axes as x and y)"},
		{"lines by a measure", "axes: {length: [1, 2]}\nreport: [{plot: lines, x: length, y: cycles, by: cycles}]" + rest, "s.yaml:2:10: plot lines by cycles (expected an axis)"},
		{"alias", "set: {topology: &t 'ring:4', collective: gossip}\nabout: *t\nmeasure: [cycles]\n", `s.yaml:2:8: alias *t (expected the value itself: study files have no aliases)`},
		{"alias of keys", "axes: {chip: [&a {vcs: 1}, {<<: *a}]}" + rest, `s.yaml:1:33: alias *a (expected the value itself: study files have no aliases)`},
		{"list in set", "set: {topology: ['ring:4', 'ring:5'], collective: gossip}\nmeasure: [cycles]\n", `s.yaml:1:17: a list (expected one value: several belong in axes)`},
		{"range in set", "set: {length: {from: 1, to: 4, step: 1}}\n", `s.yaml:1:15: keys and values (expected one value: several belong in axes)`},
		{"list as a name", "name: [a, b]" + rest, `s.yaml:1:7: a list (expected a text or a number)`},
		{"nothing as a name", "name:" + rest, `s.yaml:1:6: no value (expected a text or a number)`},
		{"constraint without a list", "where: length > 1" + rest, `s.yaml:1:8: not a list (expected [length > 1])`},
		{"constraints as keys", "where: {length: 1}" + rest, `s.yaml:1:8: not a list (expected a list of formulas such as [length > 1])`},
		{"no name", "name: ''" + rest, `s.yaml:1:7: name: "" (expected a name that a file may have)`},
		{"name of a folder", "name: ..\n" + rest, `s.yaml:1:7: name: ".." (expected a name that a file may have)`},
		{"name of a folder below", "name: a/.\n" + rest, `s.yaml:1:7: name: "a/." (expected a name that a file may have)`},
		{"axis named error", "axes: {length: [1], error: [1, 2]}\nset: {collective: gossip, startup: '${error}'}\nmeasure: [cycles]\n", `s.yaml:1:21: "error" is the column of errors (expected another name)`},
		{"formula named error", "set: {collective: gossip}\nmeasure: [cycles, error: cycles - 3]\n", `s.yaml:2:26: "error" is the column of errors (expected another name)`},
		{"formula named as an interval", "set: {collective: gossip}\nmeasure: [cycles, cycles_half: cycles / 2]\nrepeats: 2\n", `s.yaml:2:32: "cycles_half" is the column of the intervals of cycles (expected another name)`},
		{"axis named as an interval", "axes: {cycles_half: [1, 2]}\nset: {collective: gossip, startup: '${cycles_half}'}\nmeasure: [cycles]\n", `s.yaml:1:8: "cycles_half" is the column of the intervals of cycles (expected another name)`},
		{"unknown best", "axes: {length: [1, 2]}\nreport: [{plot: lines, x: length, y: cycles, best: more}]" + rest, `s.yaml:2:52: best: "more" (expected least or most)`},
		{"best of a map", "axes: {length: [1, 2], startup: [0, 1]}\nreport: [{plot: map, x: length, y: startup, value: cycles, best: most}]" + rest, "s.yaml:2:10: plot map shows no best cycles (expected best with lines, speedup, fastest, pareto or a table of numbers, and best-x with pareto)"},
		{"fastest by an axis below it", "axes: {length: [1, 2], startup: [0, 1]}\nreport: [{plot: fastest, x: length, y: startup, by: startup, value: cycles}]" + rest, "s.yaml:2:53: plot fastest by startup (expected an axis other than x and y)"},
		{"a range of bytes without end", "axes: {bytes: {from: 64, to: 1MB2, times: 4}}" + rest, `s.yaml:1:30: to: "1MB2" (expected a number)`},
		{"best x of lines", "axes: {length: [1, 2]}\nreport: [{plot: lines, x: length, y: cycles, best-x: most}]" + rest, "s.yaml:2:10: plot lines shows no best length (expected best with lines, speedup, fastest, pareto or a table of numbers, and best-x with pareto)"},
		{"plot without x", "report: [{plot: lines, y: cycles}]" + rest, "s.yaml:1:10: plot lines without x (expected x)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := question.Parse("s.yaml", []byte(row.text), nil)
			require.EqualError(t, err, row.want)
		})
	}
	_, err := question.Parse("s.yaml", []byte(good), map[string]string{"sid": "4"})
	require.EqualError(t, err, `-P: unknown parameter "sid" (did you mean side?)`)
}

// Names that mean nothing are refused before a point runs. What a point alone can judge is not.
func TestNamesAreChecked(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"topology", "axes: {buffer: [1]}\nset: {topology: 'torsu:4x4', collective: gossip}\n", `s.yaml:2:17: unknown topology "torsu"`},
		{"size", "axes:\n  topology: ['mesh:4x4', 'mesh:4xx4']\nset: {collective: gossip}\n", `s.yaml:2:26: topology "mesh:4xx4": "" is not a size`},
		{"machine", "set: {machine: wormhloe, topology: 'ring:4', collective: gossip}\n", `s.yaml:1:16: unknown machine "wormhloe" (did you mean wormhole?)`},
		{"collective", "axes:\n  collective:\n    - gosip\nset: {topology: 'ring:4'}\n", `s.yaml:3:7: unknown collective "gosip" (did you mean gossip?)`},
		{"algorithm", "axes:\n  algorithm: [bukcet, circgos]\nset: {topology: 'ring:4', collective: gossip}\n", `s.yaml:2:15: unknown algorithm "bukcet" (did you mean bucket?)`},
		{"part of an algorithm", "set: {topology: 'ring:4', collective: gossip, algorithm: halving}\n", `s.yaml:1:58: unknown algorithm "halving" (did you mean recursive-halving?)`},
		{"parts of algorithms", "set: {topology: 'ring:4', collective: gossip, algorithm: doubling}\n", ""},
		{"tied algorithm", "axes:\n  case: [{algorithm: bukcet, length: 3}]\nset: {topology: 'ring:4', collective: gossip}\n", `s.yaml:2:22: unknown algorithm "bukcet" (did you mean bucket?)`},
		{"another topology", "set: {topology: 'mesh:4x4', algorithm: circgos, collective: gossip}\n", ""},
		{"no tree", "set: {topology: 'tree:none.csv', collective: gossip}\n", `s.yaml:1:17: none.csv: no such file or directory (expected a file that can be read)`},
		{"no machine file", "set: {topology: 'ring:4', machine: ./none.yaml, collective: gossip}\n", `s.yaml:1:36: ./none.yaml: no such file or directory (expected a file that can be read)`},
		{"no lengths", "set: {topology: 'ring:4', lengths: '@none.csv', collective: gossip}\n", `s.yaml:1:36: none.csv: no such file or directory (expected a file that can be read)`},
		{"no trace", "set: {topology: 'ring:4', pattern: 'trace:none.csv', collective: gossip}\n", `s.yaml:1:36: none.csv: no such file or directory (expected a file that can be read)`},
		{"files", "set: {topology: 'tree:question_test.go', machine: ../question, packets: '@question_test.go', collective: gossip}\n", ""},
		{"of an axis", "axes: {side: [2, 3]}\nset: {topology: 'torus:${side}x4', collective: gossip}\n", ""},
		{"topology of axes", "axes: {kind: [mesh, torsu], side: [2, 3]}\nset: {topology: '${kind}:${side}x4', collective: gossip}\n", `s.yaml:2:17: kind torsu, side 2: unknown topology "torsu"`},
		{"size of an axis", "axes:\n  side: [2, 3y]\n  length: [1, 2]\nset:\n  topology: 'mesh:${side}x4'\n  collective: gossip\n", `s.yaml:5:13: side 3y: topology "mesh:3yx4": "3y" is not a size`},
		{"machine of an axis", "axes: {chip: [wormhole, wormhloe]}\nset: {machine: '${chip}', topology: 'ring:4', collective: gossip}\n", `s.yaml:2:16: chip wormhloe: unknown machine "wormhloe" (did you mean wormhole?)`},
		{"machine file of an axis", "axes: {chip: [small, large]}\nset: {machine: './${chip}.yaml', topology: 'ring:4', collective: gossip}\n", `s.yaml:2:16: chip small: ./small.yaml: no such file or directory (expected a file that can be read)`},
		{"collective of an axis", "axes: {what: [gossip, gosip]}\nset: {topology: 'ring:4', collective: '${what}'}\n", `s.yaml:2:39: what gosip: unknown collective "gosip" (did you mean gossip?)`},
		{"algorithm of an axis", "axes: {first: [circ, bukc], last: [gos]}\nset: {topology: 'ring:4', collective: gossip, algorithm: '${first}${last}'}\n", `s.yaml:2:58: first bukc, last gos: unknown algorithm "bukcgos"`},
		{"tied to an axis", "axes:\n  side: [2, y]\n  chip: [{name: a, topology: 'ring:4'}, {name: b, topology: 'ring:${side}'}]\nset: {collective: gossip}\n", `s.yaml:3:61: side y: topology "ring:y": "y" is not a size`},
		{"of no point", "axes: {side: [2, 0], length: [1, 2]}\nset: {topology: 'ring:${side}', collective: gossip}\nwhere: [side == 2]\n", ""},
		{"overridden", "axes:\n  side: [2, 3]\n  chip: [{name: a, topology: 'ring:4'}, {name: b, topology: 'ring:5'}]\nset: {topology: 'rign:${side}', collective: gossip}\n", "s.yaml:4:17: topology: each value of axis chip sets it, too (line 3) (expected it in axes or in set)"},
		{"set and some values", "axes:\n  side: [2, 3]\n  chip: [{name: a, topology: 'ring:4'}, {name: b, vcs: 2}]\nset: {topology: 'ring:${side}', collective: gossip}\n", ""},
		{"set and tied", "axes:\n  chip: [{name: a, startup: 5}, {name: b, startup: 9}]\nset: {topology: 'ring:4', collective: gossip, startup: 30}\n", "s.yaml:3:56: startup: each value of axis chip sets it, too (line 2) (expected it in axes or in set)"},
		{"two axes", "axes:\n  startup: [1, 2]\n  chip: [{name: slow, vcs: 2}, {name: fast, startup: 1000}]\nset: {topology: 'ring:4', collective: gossip}\n", "s.yaml:3:54: startup: axis startup sets it, too (line 2) (expected it in one axis)"},
		{"tied twice", "axes:\n  a: [{vcs: 2}, {hop: 3}]\n  b: [{buffer: 3}, {hop: 5}]\nset: {topology: 'ring:4', collective: gossip}\n", "s.yaml:3:26: hop: axis a sets it, too (line 2) (expected it in one axis)"},
		{"of a point alone", "axes: {start: [0, -1], to: [3, 400]}\nset: {topology: 'ring:4', trees: '${start}', root: '${to}', collective: gather}\n", ""},
		{"value of a machine's axis", "axes:\n  buffer: [1, x, 4]\nset: {topology: 'ring:4', collective: gossip}\n", `s.yaml:2:15: buffer: "x" (expected a whole number from 1 to 1024)`},
		{"choice of a machine's axis", "axes:\n  nic.duplex: [full, hafl]\nset: {topology: 'ring:4', collective: gossip}\n", `s.yaml:2:22: nic.duplex: "hafl" (expected full or half; did you mean half?)`},
		{"value of the machine", "set: {hop: -1, topology: 'ring:4', collective: gossip}\n", `s.yaml:1:12: hop: "-1" (expected`},
		{"value of an axis", "axes: {start: [0, -1]}\nset: {topology: 'ring:4', startup: '${start}', collective: gossip}\n", `s.yaml:2:36: start -1: startup: "-1" (expected`},
		{"range of a machine's axis", "axes:\n  buffer: {from: 0, to: 4, step: 1}\nset: {topology: 'ring:4', collective: gossip}\n", `s.yaml:2:11: buffer: "0" (expected a whole number from 1 to 1024)`},
		{"buffer of packets", "axes: {buffer: [0, 40]}\nset: {machine: store-forward, topology: 'ring:4', collective: gather}\n", ""},
		{"buffer of one kind of switching", "axes: {buffer: [0, 4], switching: [wormhole, cut-through]}\nset: {topology: 'ring:4', collective: gather}\n", ""},
		{"buffer of one case", "axes:\n  case: [{buffer: 4}, {machine: store-forward, buffer: 0}]\nset: {topology: 'ring:4', collective: gather}\n", ""},
		{"buffer of a machine of an axis", "axes: {buffer: [0, 4], chip: [store-forward]}\nset: {machine: '${chip}', topology: 'ring:4', collective: gather}\n", ""},
		{"switching", "axes:\n  switching: [wormhole, wrmhole]\nset: {topology: 'ring:4', collective: gather}\n", `s.yaml:2:25: switching: "wrmhole" (expected`},
		{"length", "axes:\n  length: [1, 2o]\nset: {topology: 'ring:4', collective: gather}\n", `s.yaml:2:15: length: "2o" (expected a whole number from 0 to 268435456)`},
		{"seed", "set: {topology: 'ring:4', collective: gather, seed: -1}\n", `s.yaml:1:53: seed: "-1" (expected a whole number`},
		{"rate", "axes: {rate: [0.1, 0..2]}\nset: {topology: 'ring:4', collective: gather}\n", `s.yaml:1:20: rate: "0..2" (expected a number)`},
		{"both lengths", "axes: {bytes: [16, 4096]}\nset: {topology: 'ring:4', collective: gossip, lengths: '1,2,3,4'}\n", "s.yaml:2:56: both bytes and lengths (expected one of length, bytes and lengths)"},
		{"lengths of two cases", "axes:\n  case: [{length: 4}, {bytes: 64}]\nset: {topology: 'ring:4', collective: gossip}\n", ""},
		{"no traffic", "set: {topology: 'ring:4', collective: gossip, pattern: uniform}\n", "s.yaml:1:56: pattern: nothing measured depends on it (expected a measure of traffic such as accepted)"},
		{"no hardware", "set: {topology: 'ring:4', collective: gossip, target: ice40}\n", "s.yaml:1:55: target: nothing measured depends on it (expected a measure of hardware such as lut4)"},
		{"no packets", "axes: {startup: [0, 5]}\nset: {topology: 'ring:4', collective: gossip, setup: 3}\n", "s.yaml:2:54: setup 3: switching wormhole has no packets (expected 0, or switching store-forward or cut-through)"},
		{"packets of some points", "axes: {switching: [wormhole, store-forward]}\nset: {topology: 'ring:4', collective: gather, setup: 3}\n", ""},
		{"no root", "axes: {collective: [gossip, allreduce]}\nset: {topology: 'ring:4', root: 3}\n", "s.yaml:2:33: root: no collective of the study has one (expected none)"},
		{"some roots", "axes: {collective: [gossip, reduce]}\nset: {topology: 'ring:4', root: 3}\n", ""},
		{"axis and set", "axes: {length: [1, 2]}\nset: {topology: 'ring:4', collective: gossip, length: 3}\n", "s.yaml:2:55: length: it is an axis, too (expected it in axes or in set)"},
		{"large", "set: {topology: 'mesh:2000x2000', collective: gossip}\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			q, err := question.Parse("s.yaml", []byte(row.text+"measure: [cycles]\n"), nil)
			require.NoError(t, err)
			err = q.Valid()
			if row.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, row.want)
		})
	}
}

// A trace needs no rate, and takes no key of random traffic at any of its points.
func TestTraces(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("t.csv", []byte("0,0,5,4\n"), 0o600))
	for _, row := range []struct{ name, text, want string }{
		{"alone", "set: {topology: 'mesh:4x4', pattern: 'trace:T'}\nmeasure: [accepted]\n", ""},
		{"beside a rate of its own", "axes: {load: [{name: a, pattern: 'trace:T'}, {name: b, rate: 0.1}]}\nset: {topology: 'mesh:4x4'}\nmeasure: [accepted]\n", ""},
		{"with a rate", "set: {rate: 0.1, topology: 'mesh:4x4', pattern: 'trace:T'}\nmeasure: [accepted]\n",
			"s.yaml:1:13: rate: given with a trace (expected none: the trace says which packets there are, and all of them are measured)"},
		{"with cycles at the last point", "axes: {load: [{name: b, rate: 0.1, cycles: 9}, {name: a, pattern: 'trace:T', cycles: 9}]}\nset: {topology: 'mesh:4x4'}\nmeasure: [accepted]\n",
			"s.yaml:1:90: cycles: given with a trace (expected none: the trace says which packets there are, and all of them are measured)"},
		{"a search", "set: {topology: 'mesh:4x4', pattern: 'trace:T'}\nmeasure: [saturation.highest_accepted]\n",
			`s.yaml:1:38: "trace:t.csv" is a list of packets (expected a pattern: a trace has no rate to search for)`},
		{"a pattern without a rate", "axes: {load: ['trace:T', shuffle]}\nset: {topology: 'mesh:4x4', pattern: '${load}'}\nmeasure: [accepted]\n",
			"s.yaml:2:38: pattern shuffle without a rate (expected rate: 0.1, or another)"},
		{"no pattern and no rate", "axes: {load: [{name: a, pattern: 'trace:T'}, {name: b, vcs: 2}]}\nset: {topology: 'mesh:4x4'}\nmeasure: [accepted]\n",
			"s.yaml: pattern uniform without a rate (expected rate: 0.1, or another)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := question.Parse("s.yaml", []byte(strings.ReplaceAll(row.text, "trace:T", "trace:t.csv")), nil)
			require.NoError(t, err)
			err = s.Valid()
			if row.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, row.want)
		})
	}
}

// A pattern or a trace that no network of the study can have is refused at its place; one that fits some networks stays.
func TestPatternsFitSomeNetwork(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("far.csv", []byte("0,0,16,4\n"), 0o600))
	require.NoError(t, os.WriteFile("columns.csv", []byte("from,to\n"), 0o600))
	for _, row := range []struct{ name, topology, pattern, want string }{
		{"a hotspot with coordinates", "mesh:4x4", "hotspot:(1,1)@0.1", `s.yaml:2:12: a hotspot at "(1,1)" (expected numbers of nodes: (x,y) of mesh:8x8 is node 8*y + x)`},
		{"a trace with a node that is not there", "mesh:4x4", "trace:far.csv", `s.yaml:2:12: far.csv:1: "16" is not a node (expected 0 to 15)`},
		{"a trace that is a directory", "mesh:4x4", "trace:.", "s.yaml:2:12: .: is a directory (expected a file that can be read)"},
		{"a trace that one of two networks can have", "mesh:4x4, mesh:5x5", "trace:far.csv", ""},
		{"a matrix with other columns", "mesh:4x4, ring:9", "matrix:columns.csv", `s.yaml:2:12: columns.csv:1: unknown column "from" (expected one of source, destination, weight)`},
		{"a pattern of squares on none", "mesh:4x3, ring:9", "transpose", "s.yaml:2:12: transpose on mesh:4x3 (expected a square: mesh:AxA, torus:AxA, a hypercube of even dimension)"},
		{"a pattern of squares on one", "mesh:4x3, mesh:3x3", "transpose", ""},
		{"a network that is not made to look", "mesh:9x999", "transpose", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			rate := ""
			if !strings.HasPrefix(row.pattern, "trace:") {
				rate = "set: {rate: 0.1}\n"
			}
			s, err := question.Parse("s.yaml", fmt.Appendf(nil, "axes: {topology: [%s],\n pattern: ['%s']}\n%smeasure: [accepted]\n", row.topology, row.pattern, rate), nil)
			require.NoError(t, err)
			if err = s.Valid(); row.want != "" {
				require.EqualError(t, err, row.want)
				return
			}
			require.NoError(t, err)
		})
	}
}

// An error at a place of the file shows the line, and a caret below the place.
func TestErrorsPoint(t *testing.T) {
	_, err := question.Parse("s.yaml", []byte("axes:\n\tbufer: [1]\n"), nil)
	require.Error(t, err)
	_, err = question.Parse("s.yaml", []byte("axes: {bufer: [1]}\nmeasure: [cycles]\nset: {collective: gossip}\n"), nil)
	var fault *input.Error
	require.True(t, errors.As(err, &fault))
	require.Equal(t, []string{"axes: {bufer: [1]}", "       ^"}, fault.Pointer())
}

func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := question.Parse("f.yaml", []byte(text), nil)
		if err != nil {
			var fault *input.Error
			require.True(t, errors.As(err, &fault), "%v", err)
			return
		}
		n := 0
		for range s.Points() {
			if n++; n > 100 {
				break
			}
		}
	})
}

var update = flag.Bool("update", false, "write the schema that is shipped")

// The schema for editors is shipped as it is printed.
func TestSchemaIsShipped(t *testing.T) {
	const path = "../../examples/studies/study.schema.json"
	text, err := question.Schema()
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(path, append(text, '\n'), 0o644))
	}
	shipped, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(shipped), string(text)+"\n", "go test ./study/question -update")
}

// The studies that are shipped can be read.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/studies/*.yaml")
	require.NoError(t, err)
	require.Len(t, files, 9)
	for _, file := range files {
		s, err := question.Read(file, nil)
		require.NoError(t, err)
		require.NoError(t, s.Valid())
	}
}

// Formulas are tried before anything runs: those that are no numbers, do not take what they get, or have no value anywhere.
func TestFormulasAreTried(t *testing.T) {
	for _, row := range []struct{ name, rest, want string }{
		{"sum of a text", "measure: [x: chosen + 1]", `s.yaml:2:14: "chosen + 1": + does not take these values (expected two numbers, or two texts to compare)`},
		{"text", "measure: [who: chosen]", `s.yaml:2:16: "chosen" is a text (expected a number, or a comparison such as chosen == "greedy")`},
		{"text of an axis", "axes: {startup: [1, 2]}\nmeasure: [cycles, s: topology]", `s.yaml:3:22: "topology" is a text (expected a number, or a comparison such as chosen == "greedy")`},
		{"key that nothing sets", "measure: [x: buffer * cycles]", "s.yaml:2:14: x: buffer has no value (expected it in axes or in set)"},
		{"constraint of a key that nothing sets", "where: [vcs <= 1]\nmeasure: [cycles]", `s.yaml:2:9: "vcs <= 1": vcs has no value (expected it in axes or in set)`},
		{"constraint of a text and a number", "where: [topology < 1]\nmeasure: [cycles]", `s.yaml:2:9: "topology < 1": < does not take these values (expected two numbers, or two texts to compare)`},
		{"constraint with a division by 0", "axes: {hop: [1, 2]}\nwhere: [4 / (hop - 1) > 1]\nmeasure: [cycles]", `s.yaml:3:9: hop 1: "4 / (hop - 1) > 1": a division by 0, or another number that does not exist (expected a finite number)`},
		{"constraint around a division by 0", "axes: {hop: [1, 2]}\nwhere: [hop == 1 || 4 / (hop - 1) > 1]\nmeasure: [cycles]", ""},
		{"functions", "axes: {hop: [1, 2], buffer: [1, 8]}\nwhere: ['max(hop, buffer) <= 8']\nmeasure: [x: 'min(cycles, flits) / log2(buffer)', y: 'pow(x, hop)']", ""},
		{"functions of texts", "measure: [x: 'min(cycles, topology)']", `s.yaml:2:14: "min(cycles, topology)": min does not take a text (expected numbers)`},
		{"comparisons", "axes: {nic.channels: [1, links]}\nwhere: [nic.channels == \"links\" || nic.channels == 1]\nmeasure: [q: chosen == \"greedy\", c: q * cycles, d: (chosen != \"greedy\") * cycles, e: q && cycles < 5]", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := question.Parse("s.yaml", []byte("set: {topology: 'ring:4', collective: gossip}\n"+row.rest+"\n"), nil)
			require.NoError(t, err)
			if err := s.Valid(); row.want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, row.want)
			}
		})
	}
	_, err := question.Parse("s.yaml", []byte("set: {topology: 'ring:4', collective: gossip}\nwhere: ['chosen == \"greedy\"']\nmeasure: [chosen]\n"), nil)
	require.EqualError(t, err, `s.yaml:2:9: unknown name "chosen" (expected an axis or a key: a constraint does not know what is measured)`)
}

// An axis may have the name of a measure that the study does not measure.
func TestAxesComeBeforeMeasures(t *testing.T) {
	s, err := question.Parse("s.yaml", []byte("axes: {chosen: [auto, bucket], startup: [0, 9]}\nset: {topology: 'ring:4', collective: allreduce, algorithm: '${chosen}'}\nmeasure: [cycles, free: chosen == \"auto\"]\nreport: [{plot: lines, x: startup, y: cycles, by: chosen}]\n"), nil)
	require.NoError(t, err)
	require.NoError(t, s.Valid())
	for p := range s.Points() {
		values, _, err := s.Values(&p, point.Figures{"cycles": point.Number(3), "chosen": point.Text("bucket")})
		require.NoError(t, err)
		require.Equal(t, p.Labels[0] == "auto", values[1].Number == 1)
	}
}

// A value with a unit is a number to formulas, constraints and plots, by the key whose value it is.
func TestValuesWithUnits(t *testing.T) {
	s, err := question.Parse("s.yaml", []byte(`axes: {bytes: [4096, 16KiB], extra: [1, 3/2], time: [{limit: 2s}, {limit: 500ms}], chip: [{name: 7KiB, vcs: 2}]}
set: {topology: 'ring:4', collective: gather, machine: store-forward, setup: '${extra}'}
where: [bytes > 5000 || extra == 1, setup < 2]
measure: [cycles, bw: bytes / cycles, total: setup + extra + limit]
report: [{plot: lines, x: bytes, y: cycles, by: extra}]
`), nil)
	require.NoError(t, err)
	require.NoError(t, s.Valid())
	var got []string
	for p, err := range s.Points() {
		require.NoError(t, err)
		values, _, err := s.Values(&p, point.Figures{"cycles": point.Number(64)})
		require.NoError(t, err)
		got = append(got, fmt.Sprint(p.Labels[0], " ", p.Labels[1], " ", values[1].Number, " ", values[2].Number))
	}
	require.Equal(t, []string{"4096 1 64 4", "4096 1 64 2.5", "16KiB 1 256 4", "16KiB 1 256 2.5", "16KiB 3/2 256 5", "16KiB 3/2 256 3.5"}, got)
	for _, row := range []struct {
		axis, label string
		want        float64
		ok          bool
	}{{"bytes", "1MB", 1e6, true}, {"extra", "7/4", 1.75, true}, {"chip", "7KiB", 0, false}, {"time", "1m", 60, true}, {"none", "5", 5, true}, {"bytes", "inf", 0, false}} {
		x, ok := s.Number(row.axis, row.label)
		require.Equal(t, row.ok, ok, row.axis)
		require.InDelta(t, row.want, x, 1e-9, row.axis)
	}
}

// The best figure is that of the measure, unless the plot says another; of formulas and axes it is the least.
func TestBest(t *testing.T) {
	for _, row := range []struct {
		view     string
		best, x  question.Best
		crossing bool
	}{
		{"plot: lines, x: rate, y: accepted, by: buffer", question.Most, question.Least, false},
		{"plot: lines, x: rate, y: accepted, by: buffer, best: most", question.Most, question.Least, true},
		{"plot: lines, x: rate, y: packet_latency.mean, by: buffer", question.Least, question.Least, true},
		{"plot: lines, x: rate, y: packet_latency.mean, by: buffer, best: most", question.Most, question.Least, true},
		{"plot: lines, x: rate, y: per_cell, by: buffer", question.Least, question.Least, false},
		{"plot: lines, x: rate, y: per_cell, by: buffer, best: least", question.Least, question.Least, true},
		{"plot: pareto, x: lut4, y: mhz", question.Most, question.Least, true},
		{"plot: pareto, x: mhz, y: lut4", question.Least, question.Most, true},
		{"plot: pareto, x: mhz, y: lut4, best-x: least, best: most", question.Most, question.Least, true},
		{"plot: map, x: rate, y: buffer, value: fairness", question.Most, question.Least, false},
		{"plot: table, x: rate, y: buffer, value: accepted, best: least", question.Least, question.Least, true},
	} {
		s, err := question.Parse("s.yaml", []byte("axes: {buffer: [1, 4], rate: [0.1, 0.2]}\nset: {topology: 'ring:4'}\nmeasure: [accepted, fairness, packet_latency.mean, lut4, mhz, per_cell: accepted / lut4]\nreport: [{"+row.view+"}]\n"), nil)
		require.NoError(t, err)
		v := &s.Views[0]
		require.Equal(t, []question.Best{row.best, row.x}, []question.Best{s.Best(v), s.BestX(v)}, row.view)
		require.Equal(t, row.crossing, s.Crosses(v), row.view)
	}
}

// A plot that has nothing to draw, whatever is measured, is refused before anything runs.
func TestPlotsOfNothing(t *testing.T) {
	for _, row := range []struct{ name, plot, want string }{
		{"lines over names", "{plot: lines, x: chip, y: cycles}", `s.yaml:4:27: x: the value "small" of chip is no number (expected an axis of numbers, or a measure; plot bars takes names)`},
		{"lines over some names", "{plot: lines, y: cycles, x: nic.channels, by: chip}", `s.yaml:4:38: x: the value "links" of nic.channels is no number (expected an axis of numbers, or a measure; plot bars takes names)`},
		{"speed-up over names", "{plot: speedup, x: chip, y: cycles, by: buffer, base: 1}", `s.yaml:4:29: x: the value "small" of chip is no number (expected an axis of numbers, or a measure)`},
		{"names against a measure", "{plot: pareto, x: cycles, y: chip}", `s.yaml:4:39: y: the value "small" of chip is no number (expected an axis of numbers, or a measure)`},
		{"per name", "{plot: lines, x: buffer, y: cycles, per: chip}", `s.yaml:4:51: per: the value "small" of chip is no number (expected an axis of numbers, or a measure)`},
		{"base of another axis", "{plot: speedup, x: buffer, y: cycles, by: chip, base: 4}", `s.yaml:4:64: base: "4" is no value of chip (expected small or large)`},
		{"base", "{plot: speedup, x: buffer, y: cycles, by: buffer, base: 3}", `s.yaml:4:66: base: "3" is no value of buffer (expected 1 or 4)`},
		{"maps of names", "{plot: map, x: chip, y: nic.channels, value: cycles}", ""},
		{"by names", "{plot: lines, x: buffer, y: cycles, by: chip}", ""},
		{"bars of names", "{plot: bars, title: bars, x: chip, y: cycles, by: nic.channels}", ""},
		{"bars of numbers", "{plot: bars, x: buffer, y: cycles}", ""},
		{"bars of nothing", "{plot: bars, x: chip}", "s.yaml:4:10: plot bars without y (expected y)"},
		{"bars over a measure", "{plot: bars, x: cycles, y: cycles}", "s.yaml:4:26: plot bars over cycles (expected an axis)"},
		{"bars of an axis", "{plot: bars, x: chip, y: buffer}", "s.yaml:4:35: plot bars of buffer (expected a measure)"},
		{"bars of texts", "{plot: bars, x: chip, y: chosen}", `s.yaml:4:35: y: "chosen" has texts (expected it as value of a map or a table)`},
		{"bars by a measure", "{plot: bars, x: chip, y: cycles, by: cycles}", "s.yaml:4:47: plot bars by cycles (expected an axis other than x)"},
		{"bars by their axis", "{plot: bars, x: chip, y: cycles, by: chip}", "s.yaml:4:47: plot bars by chip (expected an axis other than x)"},
		{"labels of a table", "{plot: table, x: buffer, y: chip, value: cycles, x-label: flits}", "s.yaml:4:10: plot table has no labels of axes (expected a picture, such as lines)"},
		{"labels of bars", "{plot: bars, x: chip, y: cycles, y-label: time}", ""},
		{"logarithmic bars", "{plot: bars, log: y, x: chip, y: cycles}", "s.yaml:4:23: plot bars takes no log (expected plot, title, x, y, by, x-label or y-label)"},
		{"best bars", "{plot: bars, x: chip, y: cycles, best: least}", "s.yaml:4:43: plot bars takes no best (expected plot, title, x, y, by, x-label or y-label)"},
		{"bars of one thing per another", "{plot: bars, x: chip, y: cycles, per: buffer}", "s.yaml:4:43: plot bars takes no per (expected plot, title, x, y, by, x-label or y-label)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := question.Parse("s.yaml", []byte("axes: {buffer: [1, 4], chip: [{name: small, vcs: 1}, {name: large, vcs: 2}], nic.channels: [1, links]}\nset: {topology: 'ring:4', collective: gather}\nmeasure: [cycles, chosen]\nreport: ["+row.plot+"]\n"), nil)
			if err == nil {
				err = s.Valid()
			}
			if row.want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, row.want)
			}
		})
	}
}
