// SPDX-License-Identifier: Apache-2.0

package collectivetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/router"
)

// RandomTree writes a tree of n nodes and returns its spec.
func RandomTree(t testing.TB, random *rand.Rand, n int) string {
	t.Helper()
	var b strings.Builder
	name := random.Perm(n)
	fmt.Fprintf(&b, "node,parent\n%d,\n", name[0])
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "%d,%d\n", name[i], name[random.IntN(i)])
	}
	return WriteSpec(t, "tree", b.String())
}

// randomGraph writes a connected graph of n nodes and returns its spec.
func randomGraph(t testing.TB, random *rand.Rand, n int) string {
	t.Helper()
	seen := map[[2]int]bool{}
	var b strings.Builder
	b.WriteString("node,node\n")
	edge := func(x, y int) {
		key := [2]int{min(x, y), max(x, y)}
		if x != y && !seen[key] {
			seen[key] = true
			fmt.Fprintf(&b, "%d,%d\n", x, y)
		}
	}
	for i := 1; i < n; i++ {
		edge(i, random.IntN(i))
	}
	for range n {
		edge(random.IntN(n), random.IntN(n))
	}
	return WriteSpec(t, "graph", b.String())
}

// RandomSpec picks a topology.
func RandomSpec(t testing.TB, random *rand.Rand) string {
	specs := []string{
		"path:2", "path:7", "path:12", "ring:3", "ring:4", "ring:7", "ring:8", "mesh:3x4", "mesh:5x1x3", "mesh:2x2", "mesh:4x4",
		"torus:3x3", "torus:4x5", "torus:2x5", "torus:3x2x4", "hypercube:1", "hypercube:3", "hypercube:4", "mesh:9",
	}
	switch k := random.IntN(len(specs) + 8); {
	case k < len(specs):
		return specs[k]
	case k%2 == 0:
		return RandomTree(t, random, 2+random.IntN(14))
	default:
		return randomGraph(t, random, 2+random.IntN(14))
	}
}

// RandomMachine picks parameters.
func RandomMachine(random *rand.Rand) machine.Machine {
	pick := func(n ...int) int { return n[random.IntN(len(n))] }
	m := machine.Machine{
		Switching: machine.Wormhole, Buffer: pick(1, 2, 3, 4, 8), VCs: pick(0, 1, 2, 4), Ports: machine.AllPort, Channels: pick(1, machine.Links),
		Duplex: machine.Full, Startup: pick(0, 0, 1, 3, 17), Hop: pick(1, 1, 2, 5), Flit: pick(1, 1, 2, 3), Width: pick(8, 16, 32, 32, 64, 512), Watchdog: 1000,
	}
	if random.IntN(2) == 0 {
		m.Switching, m.VCs = machine.Bufferless, 0
	}
	if random.IntN(2) == 0 {
		m.Ports = machine.SinglePort
	}
	if random.IntN(4) == 0 {
		m.Duplex = machine.Half
	}
	if random.IntN(4) == 0 {
		m.Routing = machine.Source
	}
	if m.Width >= 512 || m.Width >= 32 && m.Routing != machine.Source && random.IntN(2) == 0 { // room for any header
		m.Header = machine.HeadFlit
	}
	return m
}

// RandomLinks makes some links of a machine slower.
func RandomLinks(t testing.TB, random *rand.Rand, topo *topology.Topology, m *machine.Machine) {
	var specs []string
	for link := range topo.EachLink() {
		if random.IntN(3) == 0 {
			specs = append(specs, fmt.Sprintf("%d>%d,hop=%d,flit=%d", link.From, link.To, m.Hop+random.IntN(6), m.Flit+random.IntN(3)))
		}
	}
	require.NoError(t, m.Set("links", cmp.Or(strings.Join(specs, " "), "even")))
}

// RandomLengths has many nulls, and a few long blocks.
func RandomLengths(random *rand.Rand, n int) []int {
	lengths := make([]int, n)
	for i := range lengths {
		switch random.IntN(4) {
		case 0:
		case 1:
			lengths[i] = random.IntN(30)
		default:
			lengths[i] = random.IntN(5)
		}
	}
	return lengths
}

func RandomJob(t testing.TB, random *rand.Rand) collective.Job {
	topo, err := topology.Parse(RandomSpec(t, random))
	require.NoError(t, err)
	j := collective.Job{
		Topology: topo, Machine: RandomMachine(random), Root: router.NodeID(random.IntN(topo.Nodes())),
		Lengths: RandomLengths(random, topo.Nodes()), Seed: random.Uint64(), Effort: Effort(),
	}
	if own := rand.New(rand.NewPCG(j.Seed, 4)); j.Machine.Switching == machine.Wormhole && own.IntN(4) == 0 {
		RandomLinks(t, own, topo, &j.Machine)
	}
	return j
}

// RandomPacketJob has a tree, a root, lengths and packets.
func RandomPacketJob(t testing.TB, random *rand.Rand) collective.Job {
	n := 2 + random.IntN(9)
	j := PacketJob(t, RandomTree(t, random, n), Setups[random.IntN(len(Setups))], make([]int, n)...)
	j.Root = router.NodeID(random.IntN(n))
	for v := range j.Lengths {
		j.Lengths[v] = random.IntN(10)
	}
	j.Lengths[j.Root] = 0
	j.Packets = RandomPackets(random, j.Lengths)
	return j
}

// RandomPackets splits every message at random.
func RandomPackets(random *rand.Rand, lengths []int) [][]int {
	packets := make([][]int, len(lengths))
	for n, left := range lengths {
		for left > 0 {
			size := 1 + random.IntN(left)
			packets[n] = append(packets[n], size)
			left -= size
		}
	}
	return packets
}

// RandomTransferMachine picks a machine with words of 32 bits and more.
func RandomTransferMachine(t *testing.T, random *rand.Rand) machine.Machine {
	preset := []string{"bufferless", "wormhole"}[random.IntN(2)]
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	pick := func(key string, values ...string) {
		require.NoError(t, m.Set(key, values[random.IntN(len(values))]))
	}
	pick("ports", "all", "single")
	pick("nic.channels", "1", "links")
	pick("nic.duplex", "full", "half")
	pick("startup", "0", "1", "7")
	pick("hop", "1", "1", "3")
	pick("flit", "1", "1", "2")
	pick("width", "32", "32", "64", "128")
	pick("header", "wires", "wires", "flit")
	return m
}
