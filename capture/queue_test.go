// SPDX-License-Identifier: Apache-2.0

package capture_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/router"
)

// occupancy is the plain twin of what tables and pictures say of buffers: it asks each buffer in each cycle.
type occupancy struct {
	held    map[[2]int64]int // by cycle and node: flits in the buffers of the node
	arrived map[[2]int64]int // flits that arrive in them in the cycle
}

func newOccupancy() *occupancy {
	return &occupancy{held: map[[2]int64]int{}, arrived: map[[2]int64]int{}}
}

func (o *occupancy) Evaluate(s fabric.Signals) {
	net := s.Network()
	for n := range router.NodeID(net.Topology.Nodes()) {
		for port := range router.Port(net.Topology.Ports(n)) {
			for vc := range router.VC(net.Machine.VCs) {
				o.held[[2]int64{int64(s.Now()), int64(n)}] += net.Bank().Occupancy(n, port, vc)
			}
		}
	}
}

func (o *occupancy) Update(s fabric.Signals) {
	net := s.Network()
	for offer := range s.Offers() {
		if offer.Fired && int(offer.Port) < net.Topology.Ports(offer.Node) && !net.Bank().Loses(offer) {
			to := net.Topology.Neighbor(offer.Node, offer.Port)
			if net.Machine.Switching != machine.Wormhole && s.Worm(offer.Flit).Destination == to {
				continue // it lands in an ejection register
			}
			o.arrived[[2]int64{int64(s.Now()) + int64(net.Machine.Hop), int64(to)}]++
		}
	}
}

// waiting is the number of flits in buffers that have not arrived in the cycle.
func (o *occupancy) waiting(cycle, node int64) int {
	return o.held[[2]int64{cycle, node}] - o.arrived[[2]int64{cycle, node}]
}

func (o *occupancy) count() (all int) {
	for at := range o.held {
		all += o.waiting(at[0], at[1])
	}
	return all
}

var queueOfCell = regexp.MustCompile(`\+(\d+)$`)

// Tables say how many flits wait in the buffers of a node: those that the buffers hold, but for those that arrive.
func TestQueuesAreWhatBuffersHold(t *testing.T) {
	machines := []struct {
		preset string
		change func(*machine.Machine)
	}{
		{"wormhole", nil},
		{"wormhole", func(m *machine.Machine) { m.Buffer, m.Channels = 2, 1 }},
		{"wormhole", func(m *machine.Machine) { m.Hop, m.Flit, m.VCs, m.Buffer, m.Channels = 3, 2, 2, 3, 1 }},
		{"wormhole", func(m *machine.Machine) { m.Ports, m.Channels = machine.SinglePort, 1 }},
		{"store-forward", func(m *machine.Machine) { m.Packet = 8 }},
		{"store-forward", func(m *machine.Machine) { m.Switching, m.Packet = machine.CutThrough, 8 }},
	}
	for seed := range uint64(60) {
		kind := machines[int(seed)%len(machines)]
		faults := ""
		if seed%4 == 3 {
			faults = "drop:0.05"
		}
		tables := map[bool]string{}
		twin := newOccupancy()
		for _, asked := range []bool{true, false} { // a clock that nobody asks skips cycles
			net := network(t, []string{"path:6", "mesh:3x3", "binary:2"}[seed/2%3], kind.preset, kind.change, losing(t, faults))
			table, err := capture.NewTable(net, capture.Options{})
			require.NoError(t, err)
			net.Attach(table)
			if asked {
				net.Attach(twin)
			}
			run(t, net, randomScript(net.Topology.Nodes(), 15, 8, 20, seed))
			tables[asked] = written(t, table)
		}
		require.Equal(t, tables[true], tables[false])
		require.Equal(t, twin.count(), requireQueues(t, twin, tables[true], fmt.Sprintf("seed %d", seed)))
	}
}

// requireQueues compares each cell with what the buffers held; it returns the sum of all.
func requireQueues(t *testing.T, twin *occupancy, table, of string) (all int) {
	t.Helper()
	for _, row := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		cells := strings.Split(row, ",")
		cycle, err := strconv.ParseInt(cells[0], 10, 64)
		require.NoError(t, err)
		for n, cell := range cells[1:] {
			flits := 0
			if m := queueOfCell.FindStringSubmatch(cell); m != nil {
				flits, err = strconv.Atoi(m[1])
				require.NoError(t, err)
			}
			require.Equal(t, twin.waiting(cycle, int64(n)), flits, "%s, cycle %d, node %d: %s", of, cycle, n, cell)
			all += flits
		}
	}
	return all
}

// losing is an option of a network with a fault; "": none.
func losing(t *testing.T, spec string) fabric.Option {
	t.Helper()
	if spec == "" {
		return fabric.WithFaults(nil)
	}
	list, err := fault.Parse([]string{spec}, 1)
	require.NoError(t, err)
	return fabric.WithFaults(list)
}

// A picture shows the same queues as the table, a window of cycles and nodes the same as the whole.
func TestQueuesInPicturesAndWindows(t *testing.T) {
	count := regexp.MustCompile(`>\+(\d+)</text>`)
	narrow := func(m *machine.Machine) { m.Buffer, m.Channels = 3, 1 }
	for seed := range uint64(10) {
		sc := scenario{"", "path:6", "wormhole", narrow, randomScript(6, 12, 8, 20, seed)}
		for _, opts := range []capture.Options{{}, {From: 5, Until: 20}, {Nodes: []router.NodeID{1, 2, 3}}} {
			net := network(t, sc.topology, sc.preset, sc.change)
			table, err := capture.NewTable(net, opts)
			require.NoError(t, err)
			twin := newOccupancy()
			net.Attach(table)
			net.Attach(twin)
			run(t, net, sc.lines)
			var cells, drawn []string
			for _, row := range strings.Split(strings.TrimSpace(written(t, table)), "\n")[1:] {
				at := strings.Split(row, ",")
				cycle, err := strconv.ParseInt(at[0], 10, 64)
				require.NoError(t, err)
				for k, cell := range at[1:] {
					node := int64(k)
					if opts.Nodes != nil {
						node = int64(opts.Nodes[k])
					}
					flits := "0"
					if m := queueOfCell.FindStringSubmatch(cell); m != nil {
						flits = m[1]
						cells = append(cells, flits)
					}
					require.Equal(t, strconv.Itoa(twin.waiting(cycle, node)), flits, "cycle %d, node %d", cycle, node)
				}
			}
			for _, m := range count.FindAllStringSubmatch(string(picture(t, sc, opts)), -1) {
				drawn = append(drawn, m[1])
			}
			require.ElementsMatch(t, cells, drawn)
		}
	}
}
