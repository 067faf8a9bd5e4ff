// SPDX-License-Identifier: Apache-2.0

package chakra

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/proctest"
	"meshwright/router"
	"meshwright/schedule/tasks"
)

// write returns a trace as a file.
func write(t testing.TB, nodes ...Node) []byte {
	var b bytes.Buffer
	require.NoError(t, (&Trace{Nodes: nodes}).Write(&b))
	return b.Bytes()
}

func computation(id, micros uint64, after ...uint64) Node {
	return Node{ID: id, Name: "c", Type: Compute, Micros: micros, Cycles: -1, Self: -1, After: after}
}

func point(kind NodeType, id, peer, bytes uint64, after ...uint64) Node {
	return Node{ID: id, Name: "p", Type: kind, Cycles: -1, Self: -1, Comm: true, Peer: peer, Bytes: bytes, After: after}
}

func collective(id uint64, kind CollectiveType, bytes uint64, after ...uint64) Node {
	return Node{ID: id, Name: kind.String(), Type: Collective, Cycles: -1, Self: -1, Comm: true, Kind: kind, Bytes: bytes, After: after}
}

// folder writes the traces of a workload and returns the name of the first.
func folder(t testing.TB, ranks ...[]byte) string {
	dir := t.TempDir()
	for rank, data := range ranks {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("w.%d.et", rank)), data, 0o644))
	}
	return filepath.Join(dir, "w.0.et")
}

func bind(t testing.TB, w *Workload, spec string) (*tasks.Graph, *Facts, error) {
	net, err := topology.Parse(spec)
	require.NoError(t, err)
	nodes := make([]router.NodeID, len(w.Traces))
	for i := range nodes {
		nodes[i] = router.NodeID(i)
	}
	return w.Graph(net, Binding{Nodes: nodes, BytesPerFlit: 4, CyclesPerMicro: 1000})
}

// What Write wrote Parse reads.
func TestWriteThenParse(t *testing.T) {
	nodes := []Node{
		computation(0, 3), point(Send, 1, 5, 100, 0), point(Receive, 7, 2, 12, 0, 1), collective(9, AllToAll, 4096, 7),
		{ID: 10, Name: "timed", Type: Compute, Cycles: 17, Self: -1, OnCPU: true},
	}
	nodes[1].Tag, nodes[1].Route, nodes[3].Group, nodes[3].Root = 3, "0>1", "a", 2
	trace, err := Parse("f", write(t, nodes...))
	require.NoError(t, err)
	require.Equal(t, nodes, trace.Nodes)
	require.Equal(t, "0.0.4", trace.Version)
}

// Another reader of the wire format finds the same fields.
func TestProtocReads(t *testing.T) {
	protoc, err := exec.LookPath("protoc")
	require.NoError(t, err, "protoc is missing: scripts/tools.sh installs it")
	n := point(Send, 1, 5, 100, 300, 2)
	n.Tag = 3
	cmd := proctest.Command(t, protoc, "--decode=Node", "-Itestdata", "node.proto")
	cmd.Stdin = bytes.NewReader(n.message())
	text, err := cmd.Output()
	require.NoError(t, err)
	fields := strings.Join(strings.Fields(string(text)), " ")
	require.Equal(t, `id: 1 name: "p" type: 5 data_deps: 300 data_deps: 2 attr { name: "is_cpu_op" } attr { name: "comm_size" int64_val: 100 } attr { name: "comm_dst" int32_val: 5 } attr { name: "comm_tag" int32_val: 3 }`, fields)
}

func TestBadTraces(t *testing.T) {
	good := write(t, computation(0, 1))
	send := write(t, point(Send, 0, 1, 8))
	for _, row := range []struct {
		name  string
		ranks [][]byte
		want  string
	}{
		{"empty", [][]byte{{}}, "w.0.et: no version (expected GlobalMetadata with version, or with an attribute schema)"},
		{"cut off", [][]byte{good[:len(good)-1]}, "w.0.et: the message at byte 8 is cut off (expected messages of the Chakra schema, each behind its length)"},
		{"garbage", [][]byte{bytes.Repeat([]byte{0xff}, 4096)}, "w.0.et: the message at byte 0 is cut off (expected messages of the Chakra schema, each behind its length)"},
		{"text", [][]byte{[]byte("hello, this is no trace")}, "w.0.et: the message at byte 0 is cut off (expected messages of the Chakra schema, each behind its length)"},
		{"not of the schema", [][]byte{{2, 0xff, 0x01}}, "w.0.et: the message at byte 0: not of the schema's form (expected messages of the Chakra schema)"},
		{"another version", [][]byte{{5, 0x0a, 3, '2', '.', '0'}}, `w.0.et: Chakra schema version "2.0" (expected 0.x or 1.x, such as 0.0.4)`},
		{"unknown type", [][]byte{write(t, Node{ID: 4, Type: 9, Cycles: -1, Self: -1})}, "w.0.et: node 4: unknown node type 9 (expected 1 to 7: metadata, memory load or store, computation, send, reception, collective)"},
		{"same id", [][]byte{write(t, computation(3, 1), computation(3, 1))}, "w.0.et: node 3: the id is given again (expected each id once)"},
		{"missing node", [][]byte{write(t, computation(3, 1, 8))}, "w.0.et: node 3: depends on node 8, which does not exist (expected the id of a node of the file)"},
		{"circle", [][]byte{write(t, computation(3, 1, 4), computation(4, 1, 3))}, "w.0.et: rank 0 node 3 (c) waits for rank 0 node 4 (c), which waits for rank 0 node 3 (c) (expected an order without circles)"},
		{"no such rank", [][]byte{send}, "w.0.et: node 0: comm_dst 1 (expected 0 to 0, since there are 1 files)"},
		{"no reception", [][]byte{send, good}, "w.0.et: rank 0 node 0 (p) has no other end (expected a reception at rank 1 with the same comm_tag, 0)"},
		{"another size", [][]byte{send, write(t, point(Receive, 0, 0, 12))}, "w.1.et: node 0: comm_size 12 (expected the size that rank 0 node 0 (p) names)"},
		{"its own rank", [][]byte{write(t, point(Send, 0, 0, 8))}, "w.0.et: node 0: comm_dst 0 is its own rank (expected another rank)"},
		{"too large", [][]byte{write(t, point(Send, 0, 1, 1<<40)), good}, "w.0.et: node 0: comm_size 1099511627776 (expected at most 268435456 flits of 4 bytes)"},
		{"no size", [][]byte{write(t, Node{ID: 0, Type: Collective, Cycles: -1, Self: -1})}, "w.0.et: node 0: no attribute comm_size (expected a number of bytes)"},
		{"unknown collective", [][]byte{write(t, collective(0, 12, 8))}, "w.0.et: node 0: unknown comm_type 12 (expected 0 to 9)"},
		{"one rank less", [][]byte{write(t, collective(0, AllReduce, 8), collective(1, AllReduce, 8)), write(t, collective(0, AllReduce, 8))}, "w.1.et: rank 1 has no part in rank 0 node 1 (all_reduce) (expected as many collectives of the group as other ranks have)"},
		{"another collective", [][]byte{write(t, collective(0, AllReduce, 8)), write(t, collective(0, AllGather, 8))}, "w.1.et: node 0: all_gather of 8 bytes, root 0 (expected all_reduce of 8 bytes, root 0, as rank 0 node 0 (all_reduce) names)"},
		{"long time", [][]byte{write(t, computation(0, 1<<62))}, "w.0.et: node 0: 4611686018427387904 microseconds (expected at most 1099511627776 cycles)"},
		{"no such root", [][]byte{write(t, Node{ID: 0, Name: "b", Type: Collective, Cycles: -1, Self: -1, Comm: true, Kind: Broadcast, Bytes: 8, Root: 3})}, "w.0.et: rank 0 node 0 (b): root_rank 3 (expected a rank of the group)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w, err := Read(folder(t, row.ranks...))
			if err == nil {
				_, err = w.Missing(true)
			}
			if err == nil {
				_, _, err = bind(t, w, "mesh:4x4")
			}
			var fault *input.Error
			require.True(t, errors.As(err, &fault), "%v", err)
			fault.File = filepath.Base(fault.File)
			require.EqualError(t, fault, row.want)
		})
	}
}

// In every collective each rank ends after all ranks, or after the root, have begun, or the root
// ends after all; and the messages have the bytes of the algorithm.
func TestCollectives(t *testing.T) {
	const bytes = 960
	for ranks := 1; ranks <= 9; ranks++ {
		n := ranks
		part := (bytes + n - 1) / n
		part = (part + 3) / 4
		for _, row := range []struct {
			kind            CollectiveType
			messages, flits int
			sources         func(rank int) []int // ranks that must have begun before a rank ends
		}{
			{AllReduce, 2 * n * (n - 1), 2 * n * (n - 1) * part, everyone(n)},
			{Barrier, 2 * n * (n - 1), 2 * n * (n - 1), everyone(n)},
			{AllGather, n * (n - 1), n * (n - 1) * bytes / 4, everyone(n)},
			{ReduceScatter, n * (n - 1), n * (n - 1) * part, everyone(n)},
			{AllToAll, n * (n - 1), n * (n - 1) * part, everyone(n)},
			{Broadcast, n - 1, (n - 1) * bytes / 4, only(n / 2)},
			{Scatter, n - 1, (n - 1) * part, only(n / 2)},
			{Reduce, n - 1, (n - 1) * bytes / 4, into(n, n/2)},
			{Gather, n - 1, (n - 1) * part, into(n, n/2)},
		} {
			t.Run(fmt.Sprintf("%s %d", row.kind, n), func(t *testing.T) {
				node := collective(0, row.kind, bytes)
				node.Root = uint64(n / 2)
				w := &Workload{Traces: []Trace{{File: "f", Nodes: []Node{node}}}}
				g, facts, err := bind(t, w.Repeat(n), "mesh:3x3")
				require.NoError(t, err)
				require.Equal(t, 1, facts.Collectives)
				before := sources(g)
				for rank := range n {
					exit := 2*rank + 1 // entry and exit of each rank come first
					for _, source := range row.sources(rank) {
						require.Contains(t, before[exit], source, "rank %d", rank)
					}
				}
				net, err := topology.Parse("mesh:3x3")
				require.NoError(t, err)
				m, err := machine.Preset("wormhole")
				require.NoError(t, err)
				r, err := tasks.Execute(context.Background(), g, net, m)
				require.NoError(t, err)
				require.True(t, r.Delivered, r.Failure)
				require.Equal(t, row.messages, r.Messages)
				require.Equal(t, row.flits, r.Flits)
			})
		}
	}
}

func everyone(n int) func(int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return func(int) []int { return all }
}

func only(root int) func(int) []int { return func(int) []int { return []int{root} } }

func into(n, root int) func(int) []int {
	return func(rank int) []int {
		if rank == root {
			return everyone(n)(rank)
		}
		return nil
	}
}

// sources returns, by task, the nodes whose tasks it waits for, directly or not: a fixed point,
// without any order.
func sources(g *tasks.Graph) []map[int]int {
	sets := make([]map[int]int, len(g.Tasks))
	for i := range sets {
		sets[i] = map[int]int{int(g.Tasks[i].Node): int(g.Tasks[i].Node)}
	}
	for changed := true; changed; {
		changed = false
		for i := range g.Tasks {
			before := g.Tasks[i].After
			if g.Tasks[i].Kind == tasks.Receive {
				before = append(before[:len(before):len(before)], g.Tasks[i].Peer)
			}
			for _, k := range before {
				for node := range sets[k] {
					if _, known := sets[i][node]; !known {
						sets[i][node], changed = node, true
					}
				}
			}
		}
	}
	return sets
}

func FuzzParse(f *testing.F) {
	f.Add(write(f, computation(0, 3), point(Send, 1, 5, 100, 0), point(Receive, 7, 2, 12, 0, 1), collective(9, AllToAll, 4096, 7)))
	f.Add(write(f, computation(3, 1, 8)))
	f.Add([]byte{5, 0x0a, 3, '2', '.', '0'})
	f.Add([]byte{2, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := Parse("f.et", data)
		if err != nil {
			var fault *input.Error
			require.True(t, errors.As(err, &fault), err)
			require.True(t, strings.HasPrefix(err.Error(), "f.et"), err)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		if len(trace.Nodes) > 200 {
			return
		}
		if _, _, err := bind(t, &Workload{Traces: []Trace{*trace, *trace}}, "path:2"); err != nil {
			return
		}
		again, err := Parse("f.et", write(t, trace.Nodes...))
		require.NoError(t, err)
		for i := range again.Nodes {
			again.Nodes[i].Callers, again.Nodes[i].Ops, again.Nodes[i].Self = trace.Nodes[i].Callers, trace.Nodes[i].Ops, trace.Nodes[i].Self
		}
		require.Equal(t, len(trace.Nodes), len(again.Nodes))
	})
}

// A rank whose file is missing is named, also where those before it would do, and a collective without a group is of all ranks.
func TestMissingRanks(t *testing.T) {
	sum := write(t, collective(1, AllReduce, 64))
	file := folder(t, sum, sum, sum, sum)
	w, err := Read(file)
	require.NoError(t, err)
	require.Len(t, w.Traces, 4)
	for _, rank := range []string{"1", "2"} {
		gone := strings.Replace(file, ".0.et", "."+rank+".et", 1)
		require.NoError(t, os.Remove(gone))
		_, err = Read(file)
		require.EqualError(t, err, gone+": no such file or directory (expected a file that can be read)")
		require.NoError(t, os.WriteFile(gone, sum, 0o644))
	}
	w, err = Read(folder(t, sum, sum, write(t, computation(1, 1))))
	require.NoError(t, err)
	_, _, err = bind(t, w, "path:3")
	require.ErrorContains(t, err, "w.2.et: rank 2 has no part in ")
}
