// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/rational"
	"meshwright/router"
	"meshwright/schedule/packet"
)

// BestSplit is the value of Job.Split that splits every message evenly into the
// number of packets that is best for it alone (Tsai, section 5.2).
const BestSplit = "best"

// checkPackets checks how a job wants its messages to be split.
func checkPackets(t *Task) error {
	switch {
	case t.Packets == nil && t.Split == "":
		return nil
	case t.Kind.Name != Scatter && t.Kind.Name != Gather:
		return input.Errorf("expected none: only scatter and gather split messages into packets", "packets for %s", t.Kind.Name)
	case !t.Machine.PacketSwitched():
		return input.Errorf("expected switching store-forward or cut-through, or no packets",
			"packets on a machine of switching %s, which does not switch packets", t.Machine.Switching)
	case t.Packets != nil && t.Split != "":
		return input.Errorf("expected one of the two", "packets are given, and split %q", t.Split)
	case t.Split != "":
		if t.Split != BestSplit {
			return input.Errorf("expected best", "unknown split %q", t.Split)
		}
		return nil
	case len(t.Packets) != len(t.Lengths):
		return input.Errorf("expected one for each node", "packets of %d nodes for %d nodes", len(t.Packets), len(t.Lengths))
	}
	for n, sizes := range t.Packets {
		if err := checkSizes(t, n, sizes); err != nil {
			return err
		}
	}
	return nil
}

// checkSizes wants the packets of a node to be its message; none given are one.
func checkSizes(t *Task, n int, sizes []int) error {
	if sizes == nil || n == int(t.Root) && t.Lengths[n] == 0 {
		return nil
	}
	sum := 0
	for _, size := range sizes {
		if size < 1 || size > t.Lengths[n] {
			return input.Errorf("expected at least 1, all together the message's length", "node %d: a packet of %s of a message of %s",
				n, input.Count(size, "flit"), input.Count(t.Lengths[n], "flit"))
		}
		sum += size
	}
	if sum != t.Lengths[n] {
		return input.Errorf("expected as many as the message's length", "node %d: packets of %s for a message of %s",
			n, input.Count(sum, "flit"), input.Count(t.Lengths[n], "flit"))
	}
	return nil
}

// maxPackets bounds the packets of a run: every one is in the lists of PEs.
const maxPackets = 1 << 22

// CutPackets splits every message into packets, and fits the machine to the largest
// one. Depth is by node, in the tree that the messages take.
func (t *Task) CutPackets(depth []int32) error {
	t.PacketSizes = make([][]int, len(t.Lengths))
	largest, count := 0, int64(0)
	for n, length := range t.Lengths {
		if length == 0 {
			continue
		}
		sizes := []int{length}
		switch {
		case t.Packets != nil && t.Packets[n] != nil:
			sizes = t.Packets[n]
		case t.Split == BestSplit && t.StoreForward():
			best, err := packet.Best(int64(length), int64(depth[n]), t.Beta())
			if err != nil {
				return err
			}
			if count+best.Packets > maxPackets {
				return tooManyPackets()
			}
			split, err := packet.EvenSplit(int64(length), best.Packets)
			if err != nil {
				return err
			}
			sizes = split.Sizes()
		}
		t.PacketSizes[n] = sizes
		if count += int64(len(sizes)); count > maxPackets {
			return tooManyPackets()
		}
		for _, size := range sizes {
			largest = max(largest, size)
		}
	}
	return t.FitPackets(largest)
}

func tooManyPackets() error {
	return input.Errorf(fmt.Sprintf("expected at most %d in a run", maxPackets), "more than %d packets", maxPackets)
}

// FitPackets tells the machine how large packets get.
func (t *Task) FitPackets(largest int) (err error) {
	if t.Machine, err = t.Machine.FitPackets(largest); err != nil || t.Whole == nil {
		return err
	}
	t.Whole.Machine, err = t.Whole.Machine.FitPackets(largest)
	return err
}

func (t *Task) StoreForward() bool { return t.Machine.Switching == machine.StoreForward }

// Beta is what a packet that is stored and forwarded costs on a link besides its data, in times of a flit: the set-up, and the header flit.
func (t *Task) Beta() rational.Rational {
	beta, err := rational.New(int64(t.Timing().Overhead()), int64(t.Machine.FlitTicks()))
	if err != nil {
		panic("plan: " + err.Error())
	}
	return beta
}

// PacketTime is the time of a packet on a link, in ticks.
func (t *Task) PacketTime(flits int) router.Cycle {
	return t.Timing().Work(flits)
}

// RelayTime is the time of a packet from one PE to the next, in ticks.
func (t *Task) RelayTime(flits int) router.Cycle {
	return router.Cycle(t.Machine.StartupTicks()) + t.PacketTime(flits)
}

func (t *Task) LargestPacket() int {
	largest := 0
	for _, sizes := range t.PacketSizes {
		for _, size := range sizes {
			largest = max(largest, size)
		}
	}
	return largest
}

// parents lists the parents of a tree, -1 for the root.
func parents(tree *topology.SpanningTree) []int {
	list := make([]int, len(tree.Parent))
	for n, parent := range tree.Parent {
		list[n] = int(parent)
	}
	return list
}
