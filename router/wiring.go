// SPDX-License-Identifier: Apache-2.0

package router

// wiring is what does not change in a run: how the inputs and outputs of many chips are numbered
// and joined. The inputs of a chip have consecutive numbers, in the order of its
// arbiters: link ports first, as port*VCs+vc, then injection channels behind all link inputs.
// Outputs are numbered likewise, with ejection channels last.
type wiring struct {
	cfg         Config
	chips       int
	ports       int     // link ports of all chips
	linkInputs  int32   // ports*VCs
	inputs      int     // link inputs and NIC channels
	chipAt      []int32 // chip of each input; nil: perLink and perChannel tell
	perLink     divisor // link inputs of a chip, where all have as many
	perChannel  divisor // NIC channels of a chip
	channelBase []int32 // NIC channels of chip n: channelBase[n] to channelBase[n+1]
	routes      []int8  // port at [chip*chips+destination]; nil: ask Routing
	behind      []int32 // input behind each link output-VC; the peers themselves when there is one VC
	chooser     chooser // nil: each head has one output
	turning     VC      // Valiant's routing: the bit of a virtual channel's number that is set from Via on; 0: other routings
}

func newWiring(cfg Config) wiring {
	w := wiring{cfg: cfg, chips: len(cfg.PortBase) - 1, ports: len(cfg.Peer)}
	w.linkInputs = int32(w.ports * cfg.VCs)
	w.number()
	switch r := cfg.Routing.(type) {
	case chooser:
		w.chooser = r
	case Valiant:
		w.turning = r.Class
	}
	w.routes = tabulate(cfg.Routing, w.chips)
	return w
}

// number gives chips, inputs and channels their numbers.
func (w *wiring) number() {
	w.channelBase = make([]int32, w.chips+1)
	for n := range w.chips {
		w.channelBase[n+1] = w.channelBase[n] + 1
		if w.cfg.PerLink {
			w.channelBase[n+1] = w.channelBase[n] + w.cfg.PortBase[n+1] - w.cfg.PortBase[n]
		}
	}
	w.inputs = int(w.linkInputs + w.channelBase[w.chips])
	w.numberChips()
	vcs := int32(w.cfg.VCs)
	w.behind = w.cfg.Peer
	if vcs > 1 {
		w.behind = make([]int32, w.linkInputs)
		for o := range w.linkInputs {
			w.behind[o] = w.cfg.Peer[o/vcs]*vcs + o%vcs
		}
	}
}

// numberChips prepares chipOf.
func (w *wiring) numberChips() {
	vcs := int32(w.cfg.VCs)
	if w.alike() {
		w.perLink, w.perChannel = newDivisor(w.cfg.PortBase[1]*vcs), newDivisor(w.channelBase[1])
		if w.perLink.exact(w.linkInputs) && w.perChannel.exact(w.channelBase[w.chips]) {
			return
		}
	}
	w.chipAt = make([]int32, w.inputs)
	for n := range int32(w.chips) {
		for i := w.cfg.PortBase[n] * vcs; i < w.cfg.PortBase[n+1]*vcs; i++ {
			w.chipAt[i] = n
		}
		for k := w.channelBase[n]; k < w.channelBase[n+1]; k++ {
			w.chipAt[w.linkInputs+k] = n
		}
	}
}

// alike reports whether all chips have the same number of link ports, at least one.
func (w *wiring) alike() bool {
	for n := range w.chips {
		if w.cfg.PortBase[n+1]-w.cfg.PortBase[n] != w.cfg.PortBase[1] {
			return false
		}
	}
	return w.chips > 0 && w.cfg.PortBase[1] > 0
}

// chipOf returns the chip of an input.
func (w *wiring) chipOf(i int32) int32 {
	switch {
	case w.chipAt != nil:
		return w.chipAt[i]
	case i < w.linkInputs:
		return w.perLink.of(i)
	}
	return w.perChannel.of(i - w.linkInputs)
}

// divisor divides by a number with a multiplication.
type divisor struct{ by, inverse uint64 }

func newDivisor(n int32) divisor { return divisor{uint64(n), 1<<32/uint64(n) + 1} }

// exact reports whether of is right for the numbers below n: their errors, which are at most
// by/2^32 each, do not add up to a whole.
func (d divisor) exact(n int32) bool { return uint64(n)*d.by < 1<<32 }

func (d divisor) of(i int32) int32 { return int32(uint64(i) * d.inverse >> 32) }

// vcAt returns the virtual channel of input i, which worm w goes through.
func (w *wiring) vcAt(i int32, worm *Worm) VC {
	switch {
	case w.cfg.VCs == 1:
		return 0
	case i >= w.linkInputs:
		return worm.Lane
	}
	return VC(int(i) % w.cfg.VCs)
}

// portChip returns the chip of a link port.
func (w *wiring) portChip(port int32) int32 { return w.chipOf(port * int32(w.cfg.VCs)) }

// local returns an input's place in its chip's arbiters: link ports and their
// virtual channels first, then injection channels.
func (w *wiring) local(i, chip int32) int32 {
	first := w.cfg.PortBase[chip] * int32(w.cfg.VCs)
	if i < w.linkInputs {
		return i - first
	}
	links := w.cfg.PortBase[chip+1]*int32(w.cfg.VCs) - first
	return links + i - w.linkInputs - w.channelBase[chip]
}

// outputFor returns the output-VC by which a flit of worm w leaves the chip of input i.
func (w *wiring) outputFor(i int32, worm *Worm, hop uint32, vc VC) int32 {
	chip := w.chipOf(i)
	p := w.next(chip, worm, hop)
	if w.turning != 0 && hop == worm.Turn && p != Here {
		g := w.cfg.PortBase[chip] + int32(p)
		return g*int32(w.cfg.VCs) + int32(w.vcAnew(vc|w.turning, g))
	}
	return w.outputBy(i, chip, p, vc)
}

// outputBy returns the output-VC of port p, or of an ejection channel, for a flit that comes from
// input i of a chip on a virtual channel.
func (w *wiring) outputBy(i, chip int32, p Port, vc VC) int32 {
	vcs := int32(w.cfg.VCs)
	if p == Here {
		channel := w.channelBase[chip]
		if w.cfg.PerLink {
			channel += i/vcs - w.cfg.PortBase[chip]
		}
		return w.linkInputs + channel*vcs + int32(vc)
	}
	g := w.cfg.PortBase[chip] + int32(p)
	return g*vcs + int32(w.vcFor(i, chip, vc, g))
}

// appendChoices appends the link output-VCs of which the head of a worm that goes on from input i
// takes the first that is free; the last is the one for which it waits.
func (w *wiring) appendChoices(list []int32, i int32, worm *Worm) []int32 {
	chip := NodeID(w.chipOf(i))
	in := NoPort
	if i < w.linkInputs {
		in = Port(i/int32(w.cfg.VCs) - w.cfg.PortBase[chip])
	}
	var room [maxUsualDims]Port
	for _, p := range w.chooser.appendPorts(room[:0], chip, worm.Destination, in) {
		first := (w.cfg.PortBase[chip] + int32(p)) * int32(w.cfg.VCs)
		for vc := int32(w.chooser.escapes()); vc < int32(w.cfg.VCs); vc++ {
			list = append(list, first+vc)
		}
	}
	p := w.chooser.Next(chip, worm, 0)
	vc := w.chooser.class(chip, worm.Destination, p)
	return append(list, (w.cfg.PortBase[chip]+int32(p))*int32(w.cfg.VCs)+int32(vc))
}

// chooses reports whether heads choose among several output-VCs.
func (w *wiring) chooses() bool { return w.chooser != nil || w.cfg.Classes > 0 }

// appendClass appends the output-VCs of a link of which a head takes the first that is free, as appendChoices does: those of
// the class of output-VC o.
func (w *wiring) appendClass(list []int32, o int32) []int32 {
	vcs, classes := int32(w.cfg.VCs), int32(w.cfg.Classes)
	port := o / vcs * vcs
	lowest := port + (o-port)%classes
	for c := lowest; c < port+vcs; c += classes {
		list = append(list, c)
	}
	return append(list, lowest)
}

// next returns the port by which worm w leaves a chip.
func (w *wiring) next(chip int32, worm *Worm, hop uint32) Port {
	if w.routes != nil {
		return Port(w.routes[int(chip)*w.chips+int(worm.Destination)])
	}
	return w.cfg.Routing.Next(NodeID(chip), worm, hop)
}

// vcAnew returns the virtual channel of output port g for a worm that begins a route there.
func (w *wiring) vcAnew(vc VC, g int32) VC {
	switch {
	case w.cfg.CrossesRim == nil:
		return vc
	case w.cfg.CrossesRim[g]:
		return vc | 1
	}
	return vc &^ 1
}

// vcFor applies the dateline rule: the class (lowest bit) is 0 on entering a
// dimension and 1 from the link that closes the ring on.
func (w *wiring) vcFor(i, chip int32, vc VC, g int32) VC {
	if w.cfg.CrossesRim != nil && !w.cfg.CrossesRim[g] && i < w.linkInputs {
		in := i/int32(w.cfg.VCs) - w.cfg.PortBase[chip]
		if in/2 == (g-w.cfg.PortBase[chip])/2 {
			return vc
		}
	}
	return w.vcAnew(vc, g)
}

// view describes the flit that output-VC out shows, which comes from input in.
func (w *wiring) view(out, in int32, f Flit, fired bool) Offer {
	chip := w.chipOf(in)
	vcs := int32(w.cfg.VCs)
	port := out / vcs
	f.VC = VC(out - port*vcs)
	o := Offer{Node: NodeID(chip), Input: w.local(in, chip), Flit: f, Fired: fired}
	if out < w.linkInputs {
		o.Port = Port(port - w.cfg.PortBase[chip])
	} else {
		o.Port = Port(port - int32(w.ports) - w.channelBase[chip] + w.cfg.PortBase[chip+1] - w.cfg.PortBase[chip])
	}
	return o
}
