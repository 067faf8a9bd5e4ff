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
	cmd := exec.Command(protoc, "--decode=perfetto.protos.Trace", "--proto_path=perfetto/testdata", "perfetto/testdata/trace.proto")
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
			open[id] = &slice{track, e.text("track_event.name"), e.at, 0, e.text("track_event.flow_ids") + e.text("track_event.terminating_flow_ids")}
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

// The slices of links say the same as the rows of a CSV trace, and the counters the same as the buffers.
func TestPerfettoSaysWhatHappened(t *testing.T) {
	for _, c := range []struct{ collective, topology, preset, key, value string }{
		{"gossip", "mesh:4x4", "wormhole", "", ""},
		{"gather", "torus:4x3", "wormhole", "vcs", "4"},
		{"gather", "path:5", "bufferless", "", ""},
		{"scatter", "binary:3", "store-forward", "setup", "3/2"},
		{"exchange", "ring:5", "wormhole", "hop", "3"},
	} {
		t.Run(c.collective+" "+c.topology+" "+c.preset, func(t *testing.T) {
			dir := t.TempDir()
			o := &occupancies{values: map[string]map[int64]int64{}}
			var opened []capture.Capture
			p := planned(t, c.collective, c.topology, c.preset, c.key, c.value)
			r, err := collective.Execute(t.Context(), p, func(n *fabric.Network) error {
				o.net = n
				n.Attach(o)
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
			compareCrossings(t, list, filepath.Join(dir, "run.csv"))
			comparePEs(t, list)
			if c.preset == "bufferless" {
				require.Empty(t, counters)
				return
			}
			compareCounters(t, counters, o)
		})
	}
}

// compareCrossings demands that every crossing is in exactly one slice of its message on its link, and that no slice is without one.
func compareCrossings(t *testing.T, list []slice, path string) {
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
			require.NotEmpty(t, s.flow)
			if s.from <= at && at < s.until {
				found++
				used[i] = true
			}
		}
		require.Equal(t, 1, found, "%v", r)
	}
	for i, s := range list {
		require.True(t, used[i] || !strings.HasPrefix(s.track, "links "), "%v", s)
	}
}

// comparePEs demands waits of PEs that say what they wait for.
func comparePEs(t *testing.T, list []slice) {
	waits := 0
	for _, s := range list {
		if strings.HasPrefix(s.track, "PEs PE ") {
			require.Regexp(t, `^(send|sendw|recv|recvw|wait|probe)\b`, s.name)
			require.Less(t, s.from, s.until)
			waits++
		}
	}
	require.NotZero(t, waits)
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
