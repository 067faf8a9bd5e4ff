// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"fmt"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/packet"
	"meshwright/internal/input"
	"meshwright/internal/rational"
	"meshwright/router"
)

// BestSplit is the value of Job.Split that splits every message evenly into the
// number of packets that is best for it alone (Tsai, section 5.2).
const BestSplit = "best"

// checkPackets checks how a job wants its messages to be split.
func (t *task) checkPackets() error {
	switch {
	case t.Packets == nil && t.Split == "":
		return nil
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
		if err := t.checkSizes(n, sizes); err != nil {
			return err
		}
	}
	return nil
}

// checkSizes wants the packets of a node to be its message; none given are one.
func (t *task) checkSizes(n int, sizes []int) error {
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

// cut splits every message into packets, and fits the machine to the largest
// one. Depth is by node, in the tree that the messages take.
func (t *task) cut(depth []int32) error {
	t.parts = make([][]int, len(t.Lengths))
	largest, count := 0, int64(0)
	for n, length := range t.Lengths {
		if length == 0 {
			continue
		}
		sizes := []int{length}
		switch {
		case t.Packets != nil && t.Packets[n] != nil:
			sizes = t.Packets[n]
		case t.Split == BestSplit && t.storeForward():
			best, err := packet.Best(int64(length), int64(depth[n]), t.beta())
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
		t.parts[n] = sizes
		if count += int64(len(sizes)); count > maxPackets {
			return tooManyPackets()
		}
		for _, size := range sizes {
			largest = max(largest, size)
		}
	}
	return t.fitPackets(largest)
}

func tooManyPackets() error {
	return input.Errorf(fmt.Sprintf("expected at most %d in a run", maxPackets), "more than %d packets", maxPackets)
}

// fitPackets tells the machine how large packets get.
func (t *task) fitPackets(largest int) (err error) {
	t.Machine, err = t.Machine.FitPackets(largest)
	return err
}

func (t *task) storeForward() bool { return t.Machine.Switching == machine.StoreForward }

// beta is the set-up in times of a flit.
func (t *task) beta() rational.Rational {
	beta, err := rational.New(int64(t.Machine.SetupTicks()), int64(t.Machine.FlitTicks()))
	if err != nil {
		panic("collective: " + err.Error())
	}
	return beta
}

// unit is how many ticks of the machine are one of package packet.
func (t *task) unit() router.Cycle {
	return router.Cycle(t.Machine.FlitTicks()) / router.Cycle(t.beta().Den())
}

// cost is the time of a packet on a link, in ticks.
func (t *task) cost(flits int) router.Cycle {
	return router.Cycle(t.Machine.SetupTicks()) + router.Cycle(flits)*router.Cycle(t.Machine.FlitTicks())
}

// shift is how much later a packet is on each further link of its way, when
// nothing is in its way.
func (t *task) shift(flits int) router.Cycle {
	if t.storeForward() {
		return t.cost(flits)
	}
	return t.cost(1)
}

// chunk is a packet: words of a node's block.
type chunk struct {
	node          router.NodeID
	offset, words int // in t.words
}

// chunks lists the packets of the nodes in an order that has every node once,
// or as often as it has packets.
func (t *task) chunks(order []router.NodeID) []chunk {
	times := make([]int, len(t.parts))
	for _, n := range order {
		times[n]++
	}
	next, offset := make([]int, len(t.parts)), append([]int(nil), t.offset...)
	var list []chunk
	for _, n := range order {
		for {
			size := t.parts[n][next[n]]
			list = append(list, chunk{n, offset[n], size})
			next[n]++
			offset[n] += size
			if times[n] > 1 || next[n] == len(t.parts[n]) {
				break
			}
		}
	}
	return list
}

// checkPacketOrder wants every node with a message once, or as often as the
// message has packets, and no other.
func (t *task) checkPacketOrder() error {
	const want = "expected every node with a message once, or as often as it has packets"
	times := make([]int, len(t.Lengths))
	for _, n := range t.Order {
		switch {
		case n < 0 || int(n) >= len(times):
			return input.Errorf(nodeRange(len(times)), "order: %d is not a node", n)
		case n == t.Root:
			return input.Errorf(want, "order: node %d is the root", n)
		case t.Lengths[n] == 0:
			return input.Errorf(want, "order: node %d has no message", n)
		}
		times[n]++
	}
	for n, sizes := range t.parts {
		switch {
		case len(sizes) > 0 && times[n] == 0:
			return input.Errorf(want, "order: node %d is missing", n)
		case times[n] > 1 && times[n] != len(sizes):
			return input.Errorf(want, "order: node %d stands %d times and has %s", n, times[n], input.Count(len(sizes), "packet"))
		}
	}
	return nil
}

// packetScatter is furthestFirst on machines that switch packets. On trees with
// cut-through it is optimal with a packet a message; with store-forward it need
// not be (Tsai, chapter 4).
func (t *task) packetScatter() (*Plan, error) {
	tree, err := t.tree()
	if err != nil {
		return nil, err
	}
	if err := t.cut(tree.Depth); err != nil {
		return nil, err
	}
	if t.Order != nil {
		if err := t.checkPacketOrder(); err != nil {
			return nil, err
		}
		return t.scatterChunks(t.chunks(t.Order))
	}
	order, err := t.scatterOrder(tree.Depth)
	if err != nil {
		return nil, err
	}
	return t.scatterChunks(t.chunks(order))
}

// scatterChunks plans the scatter that sends packets in the order given.
func (t *task) scatterChunks(chunks []chunk) (*Plan, error) {
	root, leaf := loadRole("scatter-root"), loadRole("scatter-parts")
	p := t.newPlan(root, leaf)
	list := root.parameters()
	list.set("COUNT", len(chunks))
	list.list("LIST")
	base := len(list.words) + len(chunks)*root.at("ENTRY")
	for _, chunk := range chunks {
		e := list.record("ENTRY")
		e.set("NODE", int(chunk.node))
		e.set("ADDRESS", base+chunk.offset)
		e.set("WORDS", chunk.words)
	}
	p.PEs[t.Root] = PE{Role: root.index, Parameters: list.words, Block: Block{Words: t.words, Given: Range{From: 0, To: len(t.words)}}}
	for n, sizes := range t.parts {
		if len(sizes) == 0 {
			continue
		}
		own := leaf.parameters()
		own.set("ROOT", int(t.Root))
		own.set("ADDRESS", len(own.words))
		own.set("COUNT", len(sizes))
		p.PEs[n] = PE{Role: leaf.index, Parameters: own.words, Block: Block{Words: t.block(router.NodeID(n))}}
	}
	p.Messages, p.Flits = len(chunks), len(t.words)
	return p, nil
}

// parents lists the parents of a tree, -1 for the root.
func parents(tree *topology.SpanningTree) []int {
	list := make([]int, len(tree.Parent))
	for n, parent := range tree.Parent {
		list[n] = int(parent)
	}
	return list
}
