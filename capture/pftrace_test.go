// SPDX-License-Identifier: Apache-2.0

package capture_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/isa"
	"meshwright/firmware/pe"
	"meshwright/internal/proctest"
	"meshwright/router"
	"meshwright/schedule/workload"
)

// packet is a packet of a trace as protoc prints it: the values of each field, by its path.
type packet map[string][]string

func (p packet) text(field string) string {
	if len(p[field]) == 0 {
		return ""
	}
	if plain, err := strconv.Unquote(p[field][0]); err == nil {
		return plain
	}
	return p[field][0]
}

func (p packet) number(t *testing.T, field string) int64 {
	n, err := strconv.ParseInt(p.text(field), 10, 64)
	require.NoError(t, err, "%s of %v", field, p)
	return n
}

// decoded reads a trace with protoc, which knows nothing of the writer.
func decoded(t *testing.T, path string) (list []packet) {
	protoc, err := exec.LookPath("protoc")
	if err != nil {
		t.Fatal("this test needs protoc: apt-get install protobuf-compiler (Debian)")
	}
	in, err := os.Open(path)
	require.NoError(t, err)
	defer in.Close()
	cmd := proctest.Command(t, protoc, "--decode=perfetto.protos.Trace", "--proto_path=perfetto/testdata", "perfetto/testdata/trace.proto")
	cmd.Stdin = in
	out, err := cmd.Output()
	require.NoError(t, err)
	var prefix []string
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		name, value, field := strings.Cut(line, ": ")
		require.NotRegexp(t, `^\d`, line, "a field that the schema does not have")
		switch {
		case line == "packet {":
			list = append(list, packet{})
		case strings.HasSuffix(line, " {"):
			prefix = append(prefix, strings.TrimSuffix(line, " {"))
		case line == "}" && len(prefix) > 0:
			prefix = prefix[:len(prefix)-1]
		case field:
			key := strings.Join(append(slices.Clone(prefix), name), ".")
			list[len(list)-1][key] = append(list[len(list)-1][key], value)
		}
	}
	return list
}

// slice is an interval of a track.
type slice struct {
	track, name string
	from, until int64
	flow        string
	of          packet // its begin
}

// slicesOf returns the slices, and the values of counters by their track: at, value.
func slicesOf(t *testing.T, packets []packet) (list []slice, counters map[string][][2]int64) {
	names, parents := map[string]string{}, map[string]string{}
	open := map[string]*slice{}
	type event struct {
		at int64
		packet
	}
	var events []event
	for i, p := range packets {
		require.Equal(t, "1", p.text("trusted_packet_sequence_id"))
		require.Equal(t, i == 0, p.text("sequence_flags") == "1")
		if id := p.text("track_descriptor.uuid"); id != "" {
			require.NotContains(t, names, id, "described once")
			names[id], parents[id] = p.text("track_descriptor.name"), p.text("track_descriptor.parent_uuid")
			continue
		}
		require.Contains(t, names, p.text("track_event.track_uuid"), "described before its events")
		events = append(events, event{p.number(t, "timestamp"), p})
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) }) // as Perfetto does
	counters = map[string][][2]int64{}
	for _, e := range events {
		id := e.text("track_event.track_uuid")
		track := strings.Fields(names[parents[id]])[0] + " " + names[id]
		switch e.text("track_event.type") {
		case "TYPE_SLICE_BEGIN":
			require.Nil(t, open[id], "slices of %s do not overlap", track)
			open[id] = &slice{track, e.text("track_event.name"), e.at, 0, e.text("track_event.flow_ids"), e.packet}
		case "TYPE_SLICE_END":
			require.NotNil(t, open[id], track)
			open[id].until = e.at
			list = append(list, *open[id])
			open[id] = nil
		case "TYPE_COUNTER":
			counters[track] = append(counters[track], [2]int64{e.at, e.number(t, "track_event.counter_value")})
		default:
			t.Fatal(e)
		}
	}
	for id, s := range open {
		require.Nil(t, s, "slice of %s ends", names[id])
	}
	return list, counters
}

// occupancies watches the buffers: the reference for the counters.
type occupancies struct {
	net    *fabric.Network
	values map[string]map[int64]int64
}

func (o *occupancies) Update(fabric.Signals) {}
func (o *occupancies) Evaluate(s fabric.Signals) {
	for _, link := range o.net.Topology.Links() {
		for vc := range o.net.Machine.VCs {
			name := fmt.Sprintf("buffers %d from %d", link.To, link.From)
			if o.net.Machine.VCs > 1 {
				name += fmt.Sprintf(" vc %d", vc)
			}
			if o.values[name] == nil {
				o.values[name] = map[int64]int64{}
			}
			o.values[name][int64(s.Now())] = int64(o.net.Bank().Occupancy(link.To, link.ToPort, router.VC(vc)))
		}
	}
}

// stalls watches the PEs: the reference for their slices.
type stalls struct {
	array *pe.Array
	waits map[string][]string // by track: what the PE waits for, in each cycle that is evaluated
	at    []int64             // these cycles
}

func (o *stalls) Evaluate(fabric.Signals) {}
func (o *stalls) Update(s fabric.Signals) {
	o.at = append(o.at, int64(s.Now()))
	for n := range o.array.Nodes() {
		name, text := fmt.Sprintf("PEs PE %d", n), ""
		if w, waits := o.array.WaitOf(router.NodeID(n)); waits {
			text = w.For + " " + w.Position
		}
		o.waits[name] = append(o.waits[name], text)
	}
}

// The slices of links say the same as the rows of a CSV trace, those of PEs the same as the PEs, and the counters the
// same as the buffers.
func TestPerfettoSaysWhatHappened(t *testing.T) {
	for _, c := range []struct{ collective, topology, preset, key, value string }{
		{"gossip", "mesh:4x4", "wormhole", "", ""},
		{"gather", "torus:4x3", "wormhole", "vcs", "4"},
		{"gather", "path:5", "bufferless", "", ""},
		{"scatter", "binary:3", "store-forward", "setup", "3/2"},
		{"exchange", "ring:5", "wormhole", "hop", "3"},
		{"gather", "mesh:3x3", "wormhole", "links", "dim:1,hop=5,flit=2 0>1,flit=3"},
	} {
		t.Run(c.collective+" "+c.topology+" "+c.preset, func(t *testing.T) {
			dir := t.TempDir()
			o := &occupancies{values: map[string]map[int64]int64{}}
			w := &stalls{waits: map[string][]string{}}
			var opened []capture.Capture
			p := planned(t, c.collective, c.topology, c.preset, c.key, c.value)
			r, err := collective.Execute(t.Context(), p, func(n *fabric.Network) error {
				o.net = n
				n.Attach(o)
				for _, c := range n.Components() {
					if array, ok := c.(*pe.Array); ok {
						w.array = array
					}
				}
				n.Attach(w)
				for _, name := range []string{"run.pftrace", "run.csv"} {
					f, err := capture.Open(filepath.Join(dir, name), n, capture.Options{})
					require.NoError(t, err)
					n.Attach(f)
					opened = append(opened, f)
				}
				return nil
			})
			require.NoError(t, err)
			require.NoError(t, r.Failure)
			for _, f := range opened {
				require.NoError(t, f.Close())
			}
			list, counters := slicesOf(t, decoded(t, filepath.Join(dir, "run.pftrace")))
			ofLinks, hops := compareCrossings(t, list, filepath.Join(dir, "run.csv"))
			require.Equal(t, hops, ofLinks, "a slice for each hop of each worm")
			compareFlows(t, list)
			comparePEs(t, list, w)
			if c.preset == "bufferless" {
				require.Empty(t, counters)
				return
			}
			compareCounters(t, counters, o)
		})
	}
}

// compareCrossings demands that every crossing is in exactly one slice of its message on its link, and that no slice is
// without one. It returns how many slices there are, and how many first flits crossed a link: the hops of all worms.
func compareCrossings(t *testing.T, list []slice, path string) (slices, hops int) {
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	require.NoError(t, err)
	used := map[int]bool{}
	for _, r := range rows[1:] {
		at, err := strconv.ParseInt(r[0], 10, 64)
		require.NoError(t, err)
		found := 0
		for i, s := range list {
			name := strings.Fields(s.name)
			of, isLink := strings.CutPrefix(s.track, "links ")
			if !isLink || strings.Fields(of)[0] != r[1]+">"+r[2] || name[len(name)-2] != "m"+r[5] {
				continue
			}
			require.Equal(t, r[3]+"→"+r[4], name[len(name)-1])
			if s.from <= at && at < s.until {
				found++
				used[i] = true
			}
		}
		require.Equal(t, 1, found, "%v", r)
		if r[6] == "1" {
			hops++
		}
	}
	for i, s := range list {
		if strings.HasPrefix(s.track, "links ") {
			slices++
			require.True(t, used[i], "%v", s)
		}
	}
	return slices, hops
}

// compareFlows demands that the slices of each flow go from the source of a message to its destination, link by link,
// and that flows join nothing else.
func compareFlows(t *testing.T, list []slice) {
	flows := map[string][]slice{}
	for _, s := range list {
		if !strings.HasPrefix(s.track, "links ") {
			require.Empty(t, s.flow, "%v", s)
			continue
		}
		require.NotEmpty(t, s.flow)
		flows[s.flow] = append(flows[s.flow], s)
	}
	require.NotEmpty(t, flows)
	for flow, hops := range flows {
		slices.SortStableFunc(hops, func(a, b slice) int { return cmp.Compare(a.from, b.from) }) // as Perfetto joins them
		note := func(k int) string { return hops[0].of["track_event.debug_annotations.int_value"][k] }
		at, destination := note(1), note(2)
		for _, s := range hops {
			require.Equal(t, hops[0].of["track_event.debug_annotations.int_value"], s.of["track_event.debug_annotations.int_value"], "flow %s is of one message", flow)
			from, to, _ := strings.Cut(strings.Fields(s.track)[1], ">")
			require.Equal(t, at, from, "flow %s: %v", flow, hops)
			at = to
		}
		require.Equal(t, destination, at, "flow %s: %v", flow, hops)
	}
}

// comparePEs demands in every cycle that has been evaluated the slice that says what each PE waits for.
func comparePEs(t *testing.T, list []slice, w *stalls) {
	waits := 0
	for name, texts := range w.waits {
		for k, at := range w.at {
			got := ""
			for _, s := range list {
				if s.track == name && s.from <= at && at < s.until {
					got += s.name + " " + s.of.text("track_event.debug_annotations.string_value")
					waits++
				}
			}
			require.Equal(t, texts[k], got, "%s in %d", name, at)
		}
	}
	require.NotZero(t, waits)
	for _, s := range list {
		if strings.HasPrefix(s.track, "PEs PE ") {
			require.Regexp(t, `^(send|sendw|recv|recvw|wait|probe)\b`, s.name)
			require.Less(t, s.from, s.until)
		}
	}
}

// compareCounters demands in every cycle that has been evaluated the number of flits that each buffer had at its start.
func compareCounters(t *testing.T, counters map[string][][2]int64, o *occupancies) {
	seen := int64(0)
	for name, values := range o.values {
		for at, want := range values {
			got := int64(0)
			for _, c := range counters[name] {
				if c[0] <= at {
					got = c[1]
				}
			}
			require.Equal(t, want, got, "%s at %d", name, at)
			seen += want
		}
	}
	require.NotZero(t, seen)
}

// planned plans a collective with blocks of three flits.
func planned(t *testing.T, name, spec, preset, key, value string) *collective.Plan {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	if key != "" {
		require.NoError(t, m.Set(key, value))
	}
	m, err = m.Resolve(topo)
	require.NoError(t, err)
	absent := router.None
	if name == "gather" || name == "scatter" {
		absent = topo.Root
	}
	lengths, err := workload.EqualLengths(3, topo.Nodes(), absent)
	require.NoError(t, err)
	p, err := collective.Generate(t.Context(), name, "", collective.Job{Topology: topo, Machine: m, Seed: 1, Root: topo.Root, Lengths: lengths})
	require.NoError(t, err)
	return p
}

// A trace of some cycles and nodes has the slices of these alone, and none begins or ends elsewhere.
func TestPerfettoOfAWindow(t *testing.T) {
	dir := t.TempDir()
	opts := capture.Options{From: 6, Until: 24, Nodes: []router.NodeID{0, 1, 5}}
	var opened []capture.Capture
	_, err := collective.Execute(t.Context(), planned(t, "gossip", "mesh:4x4", "wormhole", "", ""), func(n *fabric.Network) error {
		for _, name := range []string{"run.pftrace", "run.csv"} {
			f, err := capture.Open(filepath.Join(dir, name), n, opts)
			require.NoError(t, err)
			n.Attach(f)
			opened = append(opened, f)
		}
		return nil
	})
	require.NoError(t, err)
	for _, f := range opened {
		require.NoError(t, f.Close())
	}
	list, counters := slicesOf(t, decoded(t, filepath.Join(dir, "run.pftrace")))
	ofLinks, _ := compareCrossings(t, list, filepath.Join(dir, "run.csv"))
	require.NotZero(t, ofLinks)
	require.NotEmpty(t, counters)
	for _, s := range list {
		require.GreaterOrEqual(t, s.from, int64(opts.From), "%v", s)
		require.LessOrEqual(t, s.until, int64(opts.Until), "%v", s)
		if of, isPE := strings.CutPrefix(s.track, "PEs PE "); isPE {
			require.Contains(t, []string{"0", "1", "5"}, of)
		}
	}
	for track, values := range counters {
		require.Contains(t, []string{"0", "1", "5"}, strings.Fields(track)[1], track)
		for _, v := range values {
			require.True(t, v[0] >= int64(opts.From) && v[0] < int64(opts.Until), "%s at %d", track, v[0])
		}
	}
}

// A PE that stalls in the same instruction again and again has a slice for each time.
func TestPerfettoHasEveryStall(t *testing.T) {
	program := func(name, text string) *pe.Program {
		source, err := isa.Assemble(name, strings.NewReader(text))
		require.NoError(t, err)
		p, err := pe.Decode(source)
		require.NoError(t, err)
		return p
	}
	give := program("give.s", "li r1, 1\nli r2, 3\nnext: send r1, r0, r2, r0\naddi r5, r5, 1\nblt r5, r2, next\nhalt\n")
	take := program("take.s", "li r2, 3\nnext: recv r6, r3, r0\naddi r5, r5, 1\nblt r5, r2, next\nhalt\n")
	array, err := pe.New(pe.Load{Programs: []*pe.Program{give, take}, Runs: []int32{0, 1}, Memory: [][]uint32{make([]uint32, 4), make([]uint32, 4)}})
	require.NoError(t, err)
	topo, err := topology.Parse("path:2")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m, err = m.Resolve(topo)
	require.NoError(t, err)
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	n.Attach(array)
	path := filepath.Join(t.TempDir(), "run.pftrace")
	f, err := capture.Open(path, n, capture.Options{})
	require.NoError(t, err)
	n.Attach(f)
	require.NoError(t, n.Run(t.Context(), 1000))
	require.NoError(t, f.Close())
	list, _ := slicesOf(t, decoded(t, path))
	count := map[string]int{}
	for _, s := range list {
		count[s.track+" "+s.name]++
	}
	require.Equal(t, map[string]int{
		"PEs PE 0 send to 1": 2, "PEs PE 1 recv from 0": 3, "links 0>1 m1 0→1": 1, "links 0>1 m2 0→1": 1, "links 0>1 m3 0→1": 1,
	}, count)
}
