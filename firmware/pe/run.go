// SPDX-License-Identifier: Apache-2.0

package pe

import (
	"fmt"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/firmware/isa"
	"meshwright/router"
)

// maxInstructions bounds the instructions that a PE executes in one cycle, so that a loop
// without a stall is an error.
const maxInstructions = 1 << 24

// execution is one PE's turn in one cycle.
type execution struct {
	*Array
	*core
	*turn
	s           fabric.Signals
	node        router.NodeID
	shared, own []uint32 // the parts of the memory
}

// run executes a PE until it stalls, halts or fails.
func (a *Array) run(t *turn, n router.NodeID) {
	x := execution{Array: a, core: &a.cores[n], turn: t, s: a.signals, node: n}
	x.shared, x.own = a.Parts(n)
	code, wide := a.load.Programs[x.program].code, a.elements > 1
	x.state = running
	for left := maxInstructions; ; left-- {
		if wide {
			left = x.withinWide(code, left)
		} else {
			left = x.within(code, left)
		}
		if left == 0 {
			x.fail("%d instructions in one cycle without a stall: an endless loop", maxInstructions)
			return
		}
		if int(x.pc) == len(code) { // blank ROM
			x.stop()
			return
		}
		if x.pc < 0 || int(x.pc) > len(code) { // only from a spoilt checkpoint: see Decode
			x.fail("jump to address %d, outside the program", x.pc)
			return
		}
		if !x.step(&code[x.pc]) {
			x.moved = left < maxInstructions
			return
		}
	}
}

// step executes an instruction at which within has stopped. It returns false when the PE cannot
// go on in this cycle; a stalled instruction is executed again. An access to memory was
// out of reach: within does it when the memory is in one piece, or it is a fault.
func (x *execution) step(i *isa.Instruction) bool {
	r, done := &x.regs, false
	switch i.Op {
	case isa.Halt:
		return x.stop()
	case isa.Ld, isa.St:
		_, ok := x.block(r[i.Ra]+uint32(i.Imm), 1)
		return ok && x.join()
	case isa.Copy:
		_, source := x.block(r[i.Rb], r[i.Rc])
		if !source {
			return false
		}
		_, target := x.block(r[i.Ra], r[i.Rc])
		return target && x.join()
	case isa.Now:
		r[i.Rd], done = uint32(x.s.Now()), true
	case isa.Wait:
		done = x.wait(r[i.Ra])
	case isa.Send:
		done = x.send(i, i.Imm)
	case isa.Sendv:
		done = x.send(i, int32(r[i.Re]))
	case isa.Sendw:
		done = x.sendWord(i)
	case isa.Recv:
		done = x.recv(i)
	case isa.Poll:
		done = x.poll(i)
	case isa.Recvw:
		done = x.recvWord(i)
	case isa.Probe:
		done = x.probe(i)
	default:
		panic(fmt.Sprintf("pe: instruction %v has no execution", i.Op))
	}
	if done {
		if x.elements > 1 {
			x.widen(i)
		}
		x.pc++
	}
	return done
}

func (x *execution) stop() bool {
	x.state = halted
	x.halts++
	return false
}

func (x *execution) stall(why state) bool {
	x.state = why
	return false
}

// block returns the elements of words of the PE's memory; it fails when the words are not all there.
func (x *execution) block(address, words uint32) ([]uint32, bool) {
	from, count := int64(int32(address)), int64(int32(words))
	if size := len(x.shared) + len(x.own)/x.elements; from < 0 || count < 0 || from+count > int64(size) {
		if count < 0 {
			x.fail("a length of %d words", count)
		} else {
			x.fail("memory words %d to %d do not exist: the PE has %d", from, from+count-1, size)
		}
		return nil, false
	}
	if from < int64(len(x.shared)) {
		x.join()
	}
	return x.ownWords(from, count), true
}

// join makes one piece, of the PE's own, of its memory.
func (x *execution) join() bool {
	if len(x.shared) > 0 {
		x.own = slices.Concat(x.spread(x.shared), x.own)
		x.shared, x.load.Shared[x.node], x.load.Memory[x.node] = nil, nil, x.own
	}
	return true
}

// wait compares modulo 2^32: a cycle that is less than 2^31 ahead is to come.
func (x *execution) wait(until uint32) bool {
	ahead := int32(until - uint32(x.s.Now()))
	if ahead <= 0 {
		return true
	}
	x.waits = append(x.waits, timer{x.s.Now() + router.Cycle(ahead), int32(x.node)})
	return x.stall(inWait)
}

func (x *execution) send(i *isa.Instruction, number int32) bool {
	to, route, ok := x.way(x.regs[i.Rd], number)
	if !ok {
		return false
	}
	words, ok := x.block(x.regs[i.Ra], x.regs[i.Rb])
	if !ok {
		return false
	}
	if len(words) == 0 {
		return true
	}
	return x.hand(fabric.Message{Destination: to, Tag: x.regs[i.Rc], Words: words, Route: route, Ordered: true})
}

func (x *execution) sendWord(i *isa.Instruction) bool {
	to, _, ok := x.way(x.regs[i.Rd], 0)
	if !ok {
		return false
	}
	x.word = append(append(x.word[:0], x.regs[i.Ra]), x.rest(i.Ra)...)
	return x.hand(fabric.Message{Destination: to, Kind: router.Kind(i.Imm), Tag: x.regs[i.Rc], Words: x.word, Ordered: true})
}

// way checks destination and route of a send.
func (x *execution) way(to uint32, route int32) (router.NodeID, []router.Port, bool) {
	switch node := int32(to); {
	case node < 0 || int(node) >= len(x.cores):
		x.fail("send to node %d, which does not exist: nodes are 0 to %d", node, len(x.cores)-1)
	case node == int32(x.node):
		x.fail("send to itself")
	case route == 0:
		return router.NodeID(node), nil, true
	case x.s.Network().Machine.Routing != machine.Source:
		x.fail("send along route %d on a machine without source routing", route)
	case route < 0 || len(x.load.Routes) == 0 || int(route) > len(x.load.Routes[x.node]):
		x.fail("send along route %d, which is not in the PE's route table", route)
	default:
		return router.NodeID(node), x.load.Routes[x.node][route-1], true
	}
	return 0, nil, false
}

// hand gives a message to its channel, or stalls while the channel is busy. A message that the network refuses ends the run behind this
// cycle: its PE does no more.
func (x *execution) hand(m fabric.Message) bool {
	m.Source = x.node
	words, ok := x.outbox.Send(x.s, &m)
	if !ok || words == nil {
		return x.stall(inSend)
	}
	if width := x.s.Network().Machine.Width; width < 32 {
		for i := range words {
			words[i] &= 1<<width - 1
		}
	}
	return true
}

func (x *execution) recv(i *isa.Instruction) bool {
	source, ok := x.sender(i)
	if !ok {
		return false
	}
	k, before := x.inbox.find(&x.data, source, x.wanted(i))
	if k < 0 {
		return x.stall(inRecv)
	}
	return x.take(i, source, k, before)
}

// poll takes a message that is there; it never waits.
func (x *execution) poll(i *isa.Instruction) bool {
	source, ok := x.sender(i)
	if !ok {
		return false
	}
	k, before := x.inbox.find(&x.data, source, x.wanted(i))
	if k < 0 {
		x.regs[i.Rd] = 0
		return true
	}
	return x.take(i, source, k, before)
}

// sender returns the node from which recv and poll want a message, router.None for any.
func (x *execution) sender(i *isa.Instruction) (router.NodeID, bool) {
	source := router.NodeID(x.regs[i.Ra])
	if source < router.None || int(source) >= len(x.cores) {
		x.fail("%v from node %d, which does not exist: nodes are 0 to %d, -1 is any", i.Op, source, len(x.cores)-1)
		return 0, false
	}
	return source, true
}

// take moves message k, which stands behind before, from the inbox into the memory.
func (x *execution) take(i *isa.Instruction, source router.NodeID, k, before int32) bool {
	p := &x.inbox.messages[k]
	count := uint32(x.wordsOf(p))
	words, ok := x.block(x.regs[i.Rb], count)
	if !ok {
		return false
	}
	copy(words, p.words)
	if source == router.None {
		x.regs[i.Ra] = uint32(p.source)
		clear(x.rest(i.Ra))
	}
	x.regs[i.Rd] = count
	x.inbox.unlink(&x.data, k, before)
	x.taken = append(x.taken, k)
	return true
}

// wanted returns the tag that a recv asks for; nil: any. Register 0 is none.
func (x *execution) wanted(i *isa.Instruction) *uint32 {
	if i.Rc == 0 {
		return nil
	}
	return &x.regs[i.Rc]
}

func (x *execution) recvWord(i *isa.Instruction) bool {
	k := x.control.first
	if k < 0 {
		return x.stall(inRecvw)
	}
	p := &x.inbox.messages[k]
	x.label(i, p)
	x.regs[i.Rd] = p.words[0]
	x.setRest(i.Rd, p.words[1:])
	x.inbox.unlink(&x.control, k, -1)
	x.taken = append(x.taken, k)
	return true
}

// probe tells of the oldest message without taking it.
func (x *execution) probe(i *isa.Instruction) bool {
	k := x.data.first
	if k < 0 {
		return x.stall(inRecv)
	}
	p := &x.inbox.messages[k]
	x.label(i, p)
	x.regs[i.Rd] = uint32(x.wordsOf(p))
	return true
}

// label writes a message's source and tag into registers.
func (x *execution) label(i *isa.Instruction, p *message) {
	if i.Rb != 0 {
		x.regs[i.Rb] = p.tag
		clear(x.rest(i.Rb))
	}
	x.regs[i.Ra] = uint32(p.source)
	clear(x.rest(i.Ra))
}
