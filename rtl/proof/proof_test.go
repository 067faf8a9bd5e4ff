// SPDX-License-Identifier: Apache-2.0

// Package proof proves properties of the Verilog library by induction.
package proof

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
	"meshwright/rtl/tool"
)

var (
	all    = flag.Bool("prove", false, "all proofs, and all faults, and print a table of them")
	update = flag.Bool("update", false, "with -prove: write the tables of docs/proofs.md")
)

// proof is a module with its parameters. Its properties hold in the first Depth cycles after reset, and in every cycle
// that follows Depth cycles in which they hold.
type proof struct {
	Module     string
	Parameters string
	Depth      int
	Slow       bool // not in make test
}

const (
	twoVcs   = "Inputs=3 Vcs=2 Holders=1"
	slowFlit = "Inputs=3 Vcs=1 Holders=1 Flit=2 Mutes=1"
	mesh2x2  = "Width=1 TagWidth=1 NodeWidth=2 Sizes=64'h0000000200000002"
	regime   = mesh2x2 + " SinglePort=1 HalfDuplex=1"
	path3    = "Ports=2 Dims=1 Sizes=32'd3 NodeWidth=2 TagWidth=1 Width=1 Buffer=2"
	packet3  = "Ports=2 Dims=1 Sizes=32'd3 NodeWidth=2 TagWidth=1 Width=1 Packet=2"
	through  = packet3 + " Buffer=4 CutThrough=1"
	tight    = packet3 + " Buffer=2 CutThrough=1"
	oneFlit  = path3 + " SinglePort=1 HalfDuplex=1"
	fastLink = "Inputs=3 Width=2 Paths=3'b101"
	slowLink = "Inputs=3 Width=2 Setup=1 Flit=2"
	someTurn = "Inputs=3 Vcs=2 Holders=1 BodyWidth=3 Paths=3'b011"
	ownLanes = "Inputs=5 Vcs=2 Keeps=4 Holders=1 BodyWidth=3 Paths=5'b11110"
)

// chips are proved whole, from their ports. Of their parts only these have properties then: the buffers show what is stored,
// the outputs of packet_router_all_ports what they sent.
var chips = map[string][]string{
	"wormhole_router":         buffers,
	"packet_router":           buffers,
	"packet_router_all_ports": append([]string{"age_arbiter", "packet_output"}, buffers...),
}

var buffers = []string{"flit_slots", "flit_ram", "flit_memory"}

var proofs = []proof{
	{"round_robin", "Inputs=1", 2, true},
	{"round_robin", "Inputs=4", 2, false},
	{"round_robin", "Inputs=5", 2, true},
	{"round_robin", "Inputs=4 Prefers=1", 2, true},
	{"flit_slots", "Width=2 Buffer=1", 2, true},
	{"flit_slots", "Width=2 Buffer=2", 2, true},
	{"flit_slots", "Width=2 Buffer=4", 2, false},
	{"flit_slots", "Width=2 Buffer=8", 2, true},
	{"flit_ram", "Width=3 Buffer=2 Memory=1", 2, true},
	{"flit_ram", "Width=3 Buffer=4 Memory=1", 2, false},
	{"flit_ram", "Width=4 Buffer=8 Memory=2", 2, true},
	{"flit_memory", "Width=2 Buffer=1", 2, true},
	{"flit_memory", "Width=2 Buffer=3", 2, false},
	{"flit_memory", "Width=2 Buffer=8", 2, true},
	{"flit_encoder", "Width=4 Checks=1", 1, false},
	{"flit_encoder", "Width=4 Checks=4", 1, false},
	{"flit_encoder", "Width=16 Checks=6", 1, true},
	{"input_buffer", "Width=2 Buffer=4", 2, false},
	{"input_buffer", "Width=6 Payload=4 Word=8 Buffer=3 Code=2 Ram=1", 2, true},
	{"rest_timer", "Cycles=3", 2, false},
	{"rest_timer", "Cycles=5", 2, true},
	{"injection_register", "Width=4", 2, false},
	{"output_vc", "Inputs=3", 2, false},
	{"output_vc", "Inputs=5 Mutes=1", 2, true},
	{"output_vc", "Inputs=4 Claim=1", 2, false},
	{"output_port", slowFlit, 2, false},
	{"output_port", twoVcs, 2, true},
	{"output_port", twoVcs + " Claim=1", 2, true},
	{"crossbar_mux", "Inputs=3 Width=2", 2, false},
	{"crossbar_mux", "Inputs=9 Width=2 Paths=9'b110111011", 2, true},
	{"crossbar_mux", "Inputs=9 Width=2 Paths=9'b110111011 Early=1", 2, true},
	{"crossbar_mux", "Inputs=6 Width=2 Early=1", 2, true},
	{"wormhole_output", someTurn, 2, true},
	{"wormhole_output", ownLanes, 2, true},
	{"single_port", "Ports=3 Flit=2", 2, false},
	{"single_port", "Ports=4", 2, true},
	{"bufferless_output", "Inputs=3 Width=2", 2, false},
	{"bufferless_output", "Inputs=5 Width=2 Flit=2 Late=1", 2, true},
	{"bufferless_node", mesh2x2, 2, true},
	{"bufferless_node", "Width=1 TagWidth=1 NodeWidth=4 Sizes=64'h0000000300000004", 2, true},
	{"bufferless_node", regime, 2, true},
	{"age_arbiter", "Inputs=3", 1, false},
	{"age_arbiter", "Inputs=5", 1, true},
	{"packet_timer", "", 1, true},
	{"packet_timer", "Setup=2 Flit=3", 1, false},
	{"packet_output", fastLink, 1, true},
	{"packet_output", slowLink, 1, true},
	{"packet_order", "Ports=2 Depth=3", 2, false},
	{"packet_order", "Ports=4 Depth=4", 2, true},
	{"wormhole_router", path3, 1, true},
	{"wormhole_router", path3 + " Vcs=2", 1, true},
	{"wormhole_router", oneFlit, 1, true},
	{"wormhole_router", path3 + " Claim=1", 1, true},
	{"packet_router", tight, 1, true},
	{"packet_router", tight + " Setup=1 Flit=2", 1, true},
	{"packet_router", packet3 + " Buffer=2", 1, true},
	{"packet_router", packet3 + " Buffer=3 Setup=1", 1, true},
	{"packet_router", "Ports=4 " + mesh2x2 + " Packet=2 Buffer=2 CutThrough=1", 1, true},
	{"packet_router", through, 1, true},
	{"packet_router", through + " Setup=1 Flit=2", 1, true},
	{"packet_router", packet3 + " Buffer=4", 1, true},
	{"packet_router_all_ports", tight, 1, true},
	{"packet_router_all_ports", tight + " Setup=1 Flit=2", 1, true},
	{"packet_router_all_ports", packet3 + " Buffer=2", 1, true},
	{"packet_router_all_ports", packet3 + " Buffer=3 Setup=1", 1, true},
	{"packet_router_all_ports", through, 1, true},
	{"packet_router_all_ports", "Ports=4 " + mesh2x2 + " Packet=2 Buffer=2 CutThrough=1", 1, true},
}

// fault is a fault planted into a file of the library. It breaks the property, which stands in the file Of.
type fault struct {
	Module, Parameters string // of the proof
	Of, Property       string // its beginning
	File, Sound, Wrong string
}

var faults = []fault{
	{"round_robin", "Inputs=4", "round_robin.v", "a grant is one-hot", "round_robin", "request_i[i] & !(|(request_i & first))", "request_i[i]"},
	{"round_robin", "Inputs=4", "rule.v", "every rule", "round_robin", "request_i[i] & !(|(request_i & first))", "request_i[i]"},
	{"round_robin", "Inputs=4", "round_robin.v", "an input that does not request", "round_robin", "request_i[i] & !(|(request_i & first))", "!(|(request_i & first))"},
	{"round_robin", "Inputs=4", "round_robin.v", "some input gets", "round_robin", "request_i[i] & !(|", "request_i[i] & (i != 2) & !(|"},
	{"round_robin", "Inputs=4", "round_robin.v", "the grant goes to the first", "round_robin", "order_d[i*Inputs+j-1]) | grant_o[j-1];", "order_d[i*Inputs+j-1]) | grant_o[j];"},
	{"round_robin", "Inputs=4", "round_robin.v", "a request that stays", "round_robin", "order_q <= order_d", "order_q <= {Inputs * Inputs{1'b0}}"},
	{"flit_slots", "Width=2 Buffer=4", "fifo.vh", "the count", "flit_slots", "count_q ^ change", "count_q + push_i"},
	{"flit_slots", "Width=2 Buffer=4", "fifo.vh", "valid is high", "flit_slots", "push_i | stored | !load", "push_i | !load"},
	{"flit_slots", "Width=2 Buffer=4", "fifo.vh", "every flit leaves", "flit_slots", "oldest = stored ?", "oldest = (stored & !push_i) ?"},
	{"flit_ram", "Width=3 Buffer=4 Memory=1", "fifo.vh", "the count", "flit_ram", "count_q ^ change", "count_q + push_i"},
	{"flit_ram", "Width=3 Buffer=4 Memory=1", "fifo.vh", "valid is high", "flit_ram", "push_i | stored | !load", "push_i | !load"},
	{"flit_ram", "Width=3 Buffer=4 Memory=1", "fifo.vh", "every flit leaves", "flit_ram", "if (load | through_q) word_q", "if (load) word_q"},
	{"flit_ram", "Width=3 Buffer=4 Memory=1", "flit_ram.v", "the highest bit", "flit_ram", "& (push_i | stored) & !rst_i", "& !rst_i"},
	{"flit_ram", "Width=3 Buffer=2 Memory=1", "flit_ram.v", "a word that is read", "flit_ram", "(Low != 0 && Buffer == 2) ? 2 : Buffer - 1", "Buffer - 1"},
	{"flit_slots", "Width=2 Buffer=4", "flit_slots.v", "the highest bit", "flit_slots", "& (push_i | stored) & !rst_i", "& !rst_i"},
	{"flit_memory", "Width=2 Buffer=3", "fifo.vh", "the count", "flit_memory", "count_q ^ change", "count_q + push_i"},
	{"flit_memory", "Width=2 Buffer=3", "fifo.vh", "valid is high", "flit_memory", "count_q ^ change", "count_q + push_i"},
	{"flit_memory", "Width=2 Buffer=3", "fifo.vh", "every flit leaves", "flit_memory", "if (pop_i | recent_q) word_q", "if (pop_i) word_q"},
	{"flit_memory", "Width=2 Buffer=3", "flit_memory.v", "a word that is read", "flit_memory", "!behind & (pop_i | !count_q[0])", "!behind & !count_q[0]"},
	{"flit_encoder", "Width=4 Checks=4", "flit_encoder.v", "a sound word", "flit_encoder", "^{checks, data_i}", "^data_i"},
	{"flit_encoder", "Width=4 Checks=4", "flit_encoder.v", "one wrong bit", "flit_decoder", "of_checks | (|wrong)", "|wrong"},
	{"flit_encoder", "Width=4 Checks=4", "flit_encoder.v", "two wrong bits", "flit_decoder", ": |syndrome", ": 1'b0"},
	{"input_buffer", "Width=2 Buffer=4", "input_buffer.v", "nothing changes", "input_buffer", "pop = tick_i & pop_i", "pop = pop_i"},
	{"rest_timer", "Cycles=3", "rest_timer.v", "rest is high", "rest_timer", "start_i ? Last", "(start_i & !rest_o) ? Last"},
	{"injection_register", "Width=4", "injection_register.v", "a flit is accepted", "injection_register", "ready_o = !full_q", "ready_o = 1'b1"},
	{"injection_register", "Width=4", "injection_register.v", "an accepted flit", "injection_register", "full_q <= valid_o & !leave_i", "full_q <= full_q & !leave_i"},
	{"injection_register", "Width=4", "injection_register.v", "the offered flit", "injection_register", "tick_i & !full_q", "tick_i"},
	{"injection_register", "Width=4", "injection_register.v", "while none can", "injection_register", "kept_o  = flit_q", "kept_o  = flit_i"},
	{"output_vc", "Inputs=3", "output_vc.v", "one input owns", "output_vc", "locked_q ? owner_q : grant;", "owner_q | grant;"},
	{"output_vc", "Inputs=3", "output_vc.v", "the owner keeps", "output_vc", "|(leave_o & tail_i)", "|leave_o"},
	{"output_vc", "Inputs=3", "output_vc.v", "a free channel", "output_vc", "(|request_i)) & !ends", "(|request_i))"},
	{"output_vc", "Inputs=3", "output_vc.v", "the channel wants", "output_vc", "(!locked_q & |request_i)", "!locked_q"},
	{"output_vc", "Inputs=4 Claim=1", "output_vc.v", "with a Claim nothing", "output_vc", "(Claim != 0) ? held_o : locked_q", "locked_q"},
	{"output_vc", "Inputs=3", "output_vc.v", "a flit leaves only", "output_vc", "{Inputs{go_i}} & owner_o & movable_i", "{Inputs{go_i}} & owner_o"},
	{"output_vc", "Inputs=3", "output_vc.v", "the channel says", "output_vc", "held_o  = locked_q ? owner_q : {Inputs{1'b0}}", "held_o  = owner_o"},
	{"output_port", twoVcs, "output_port.v", "one input's flit", "output_port", "vc_o[v] ? owner[v*Inputs+:Inputs] : {Inputs{1'b0}};", "owner[v*Inputs+:Inputs];"},
	{"output_port", twoVcs, "output_port.v", "the offered flit may", "output_port", ".request_i(want)", ".request_i(want | ready_i)"},
	{"output_port", twoVcs, "output_port.v", "it goes to one", "round_robin", "request_i[i] & !(|(request_i & first))", "request_i[i]"},
	{"output_port", twoVcs, "output_port.v", "messages do not mix", "output_vc", "|(leave_o & tail_i)", "|leave_o"},
	{"output_port", twoVcs, "output_port.v", "a message under way", "output_vc", "|(leave_o & tail_i)", "|leave_o"},
	{"output_port", twoVcs, "output_port.v", "a virtual channel with room", "output_port", ".prefer_i (ready_i)", ".prefer_i (~ready_i)"},
	{"output_port", slowFlit, "output_port.v", "the offered flit leaves", "output_port", "go = go_i & !still", "go = go_i"},
	{"output_port", slowFlit, "output_port.v", "a flit occupies", "output_port", "rest | rest_i", "rest_i"},
	{"crossbar_mux", "Inputs=3 Width=2", "crossbar_mux.v", "the selected", "crossbar_mux", "upper ? flit_i[C*", "!upper ? flit_i[C*"},
	{"wormhole_output", someTurn, "wormhole_output.v", "one flit leaves when", "output_vc", "{Inputs{go_i}} & owner_o", "owner_o"},
	{"wormhole_output", someTurn, "wormhole_output.v", "what crosses", "crossbar_mux", "upper ? flit_i[C*", "!upper ? flit_i[C*"},
	{"wormhole_output", someTurn, "wormhole_output.v", "a flit leaves an input only", "wormhole_output", "request_i & Paths", "{request_i[Inputs-2:0], request_i[Inputs-1]}"},
	{"single_port", "Ports=3 Flit=2", "single_port.v", "one link sends", "round_robin", "request_i[i] & !(|(request_i & first))", "request_i[i]"},
	{"single_port", "Ports=3 Flit=2", "single_port.v", "some link may", "single_port", "(|ready) ? ready : offer_i", "ready"},
	{"single_port", "Ports=3 Flit=2", "single_port.v", "a link with room", "single_port", "(|ready) ? ready : offer_i", "offer_i"},
	{"single_port", "Ports=3 Flit=2", "single_port.v", "one flit is taken", "single_port", "take & {Ports{!take_rest}}", "take"},
	{"single_port", "Ports=3 Flit=2", "single_port.v", "some flit is taken", "single_port", ".start_i(take_o)", ".start_i(arrival_i)"},
	{"bufferless_output", "Inputs=3 Width=2", "bufferless_output.v", "one flit leaves", "bufferless_output", "candidates & ~behind", "candidates"},
	{"bufferless_output", "Inputs=3 Width=2", "bufferless_output.v", "valid is high", "bufferless_output", "valid_o = |candidates", "valid_o = |request_i"},
	{"bufferless_output", "Inputs=3 Width=2", "bufferless_output.v", "what leaves", "crossbar_mux", "upper ? flit_i[C*", "!upper ? flit_i[C*"},
	{"bufferless_output", "Inputs=3 Width=2", "bufferless_output.v", "the lowest input", "bufferless_output", "behind[i-1] | candidates[i-1]", "candidates[i-1]"},
	{"bufferless_output", "Inputs=3 Width=2", "bufferless_output.v", "lost is high", "bufferless_output", "Paths & ~leave_o", "Paths & block_i"},
	{"bufferless_node", mesh2x2, "bufferless_node.v", "a link register", "bufferless_input", "held_q <= valid_i;", "held_q <= valid_i | held_q;"},
	{"bufferless_node", mesh2x2, "bufferless_node.v", "the collision flag", "bufferless_node", "|ej_lost | |link_lost |", "|link_lost |"},
	{"bufferless_node", mesh2x2, "bufferless_node.v", "no flit is lost", "bufferless_output", "Paths & ~leave_o", "Paths & block_i"},
	{"bufferless_node", mesh2x2, "bufferless_node.v", "no flit is duplicated", "bufferless_node", "request[Ports] = port[Mine*(Ports+1)+o]", "request[Ports] = |port[Mine*(Ports+1)+:Ports+1]"},
	{"bufferless_node", mesh2x2, "bufferless_node.v", "every flit leaves by", "route_dor", "plus = to > from", "plus = to < from"},
	{"bufferless_node", regime, "bufferless_node.v", "with a single port", "bufferless_regime", "hushed | behind |", "hushed |"},
	{"bufferless_node", regime, "bufferless_node.v", "with half duplex", "bufferless_regime", "hush = eject_i | received", "hush = received"},
	{"age_arbiter", "Inputs=3", "age_arbiter.v", "a grant is one-hot", "age_arbiter", "!(|ahead[j*Inputs+:Inputs])", "1'b1"},
	{"age_arbiter", "Inputs=3", "age_arbiter.v", "an input gets", "age_arbiter", "candidates = request_i & ready_i", "candidates = request_i"},
	{"age_arbiter", "Inputs=3", "age_arbiter.v", "some input gets", "age_arbiter", "ahead[i*Inputs+j] = candidates[j] & behind_q", "ahead[i*Inputs+j] = request_i[j] & behind_q"},
	{"age_arbiter", "Inputs=3", "age_arbiter.v", "the grant goes", "age_arbiter", "(!waiting_d[i] | behind_q)", "!waiting_d[i]"},
	{"age_arbiter", "Inputs=3", "age_arbiter.v", "a ready request", "age_arbiter", "waiting_d[j] & (!waiting_d[i] | behind_q)", "1'b0"},
	{"packet_timer", "Setup=2 Flit=3", "packet_timer.v", "a packet is under way", "packet_timer", "active & !(fire_o & tail_i)", "active & !fire_o"},
	{"packet_timer", "Setup=2 Flit=3", "packet_timer.v", "its first flit", "packet_timer", "First = Setup + Flit - 1", "First = Setup + Flit"},
	{"packet_output", slowLink, "packet_output.v", "a packet starts", "packet_output", "start = ask & room_i", "start = ask"},
	{"packet_output", slowLink, "packet_output.v", "a flit leaves", "packet_output", "leave_o = fire_o ? sent", "leave_o = busy ? sent"},
	{"packet_output", fastLink, "packet_output.v", "what crosses", "crossbar_mux", "upper ? flit_i[C*", "!upper ? flit_i[C*"},
	{"packet_output", slowLink, "packet_output.v", "packets do not mix", "packet_timer", "active & !(fire_o & tail_i)", "active & !fire_o"},
	{"packet_output", slowLink, "packet_output.v", "observers see", "packet_output", "fire_o | (ask & !room_i)", "fire_o | ask"},
	{"packet_output", fastLink, "packet_output.v", "a head waits", "age_arbiter", "waiting_d[j] & (!waiting_d[i] | behind_q)", "1'b0"},
	{"packet_order", "Ports=2 Depth=3", "packet_order.v", "the PE's packet", "packet_order", "(pop & (|ahead))", "(1'b0)"},
	{"packet_order", "Ports=2 Depth=3", "packet_order.v", "some packet", "packet_order", "valid_o = own | queued", "valid_o = queued"},
	{"packet_order", "Ports=2 Depth=3", "packet_order.v", "a packet of the PE", "packet_order", "own ? own_to_i : to;", "to;"},
	{"wormhole_router", path3, "wormhole_router.v", "as many flits", "wormhole_outputs", "left | {{Channels{1'b0}}, ej_leave}", "left"},
	{"wormhole_router", path3, "wormhole_router.v", "every flit leaves its input", "injection_register", "tick_i & !full_q", "tick_i"},
	{"wormhole_router", path3, "wormhole_router.v", "it crosses at once", "crossbar_mux", "upper ? flit_i[C*", "!upper ? flit_i[C*"},
	{"wormhole_router", path3, "wormhole_router.v", "every head", "route_dor", "plus = to > from", "plus = to < from"},
	{"wormhole_router", path3, "wormhole_router.v", "an output is held", "output_vc", "|(leave_o & tail_i)", "|leave_o"},
	{"wormhole_router", path3, "wormhole_router.v", "messages leave whole", "output_vc", "|(leave_o & tail_i)", "|leave_o"},
	{"wormhole_router", path3, "wormhole_router.v", "an output offers", "output_vc", "(!locked_q & |request_i)", "!locked_q"},
	{"wormhole_router", path3, "wormhole_router.v", "a head waits", "round_robin", "order_q <= order_d", "order_q <= {Inputs * Inputs{1'b0}}"},
	{"wormhole_router", oneFlit, "wormhole_router.v", "with a single port", "round_robin", "request_i[i] & !(|(request_i & first))", "request_i[i]"},
	{"wormhole_router", oneFlit, "wormhole_router.v", "with half duplex", "half_duplex", "mute_o = receive_i | received", "mute_o = received"},
	{"packet_router", tight, "packet_router.v", "no flit is missing", "packet_receiver", "room[p] = count <= Roomy", "room[p] = 1'b1"},
	{"packet_router", tight, "packet_router.v", "one packet is received", "packet_receiver", "(room & {Ports{!(|receiving_q)}})", "(room)"},
	{"packet_router", tight, "packet_router.v", "one packet is sent", "packet_sender", "leave_o = fire ?", "leave_o = ask ?"},
	{"packet_router", tight, "packet_router.v", "the PE gets", "packet_receiver", "ej_valid_q <= arrives & home", "ej_valid_q <= arrives"},
	{"packet_router", tight, "packet_router.v", "every other flit", "route_dor", "plus = to > from", "plus = to < from"},
	{"packet_router", tight, "packet_router.v", "behind a flit", "packet_timer", "active & !(fire_o & tail_i)", "active & !fire_o"},
	{"packet_router", tight, "packet_router.v", "packets leave whole", "packet_timer", "active & !(fire_o & tail_i)", "active & !fire_o"},
	{"packet_router", tight, "packet_router.v", "a link is requested", "packet_order", "valid_o = own | queued", "valid_o = queued"},
	{"packet_router", tight, "packet_router.v", "packets go in the order", "packet_order", "(pop & (|ahead))", "(1'b0)"},
	{"packet_router", tight, "packet_router.v", "at most Ports", "packet_receiver", "room[p] = count <= Roomy", "room[p] = 1'b1"},
	{"packet_router", tight, "packet_router.v", "a link that has room", "age_arbiter", "grant_o[j] = candidates[j] & ", "grant_o[j] = candidates[j] & (j != 1) & "},
	{"packet_router", tight, "packet_router.v", "a request with room", "age_arbiter", "waiting_d[j] & (!waiting_d[i] | behind_q)", "1'b0"},
	{"packet_router_all_ports", tight, "packet_router_all_ports.v", "no flit is missing", "packet_router_all_ports", "room_o[p] = count <= Most", "room_o[p] = 1'b1"},
	{"packet_router_all_ports", tight, "packet_router_all_ports.v", "as many flits", "packet_output", "leave_o = fire_o ? sent", "leave_o = ask ? sent"},
	{"packet_router_all_ports", tight, "packet_router_all_ports.v", "the PE gets", "packet_input", "ej_valid_q <= valid_i & home", "ej_valid_q <= valid_i"},
	{"packet_router_all_ports", tight, "packet_router_all_ports.v", "every other flit", "route_dor", "plus = to > from", "plus = to < from"},
	{"packet_router_all_ports", tight, "packet_router_all_ports.v", "behind a flit", "packet_timer", "active & !(fire_o & tail_i)", "active & !fire_o"},
	{"packet_router_all_ports", tight, "packet_router_all_ports.v", "packets leave whole", "packet_timer", "active & !(fire_o & tail_i)", "active & !fire_o"},
}

// reach is the number of cycles in which a fault shows.
const reach = 7

// All properties hold in the first cycles after reset, and in each cycle that follows such cycles.
func TestProofs(t *testing.T) {
	spent := make([]time.Duration, len(proofs))
	t.Run("each", func(t *testing.T) {
		for i, p := range proofs {
			if p.Slow && !everything() {
				continue
			}
			t.Run(p.Module+" "+p.Parameters, func(t *testing.T) {
				t.Parallel()
				dir := prepare(t, p, nil)
				began := time.Now()
				text, passed := prove(t, dir, p)
				require.True(t, passed, "%s", text)
				spent[i] = time.Since(began)
			})
		}
	})
	if !*all || t.Failed() {
		return
	}
	rows := []string{"| module | parameters | depth | time |", "|---|---|---|---|"}
	for i, p := range proofs {
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %d | %.1f s |", p.Module, code(p.Parameters), p.Depth, spent[i].Seconds()))
	}
	report(t, "proofs", rows, func(row string) string { return row[:strings.LastIndex(strings.TrimSuffix(row, " |"), "|")] })
}

// Every property is broken by a fault in the module, so that none holds for want of a case.
func TestFaultsBreakProofs(t *testing.T) {
	cases := soak.Some(9, faults)
	if everything() {
		cases = faults
	}
	for _, f := range cases {
		if !everything() && (f.Module == "bufferless_node" || chips[f.Module] != nil || f.Parameters == twoVcs || f.Parameters == someTurn) {
			continue
		}
		t.Run(f.Module+" "+f.Property, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(proofs, func(p proof) bool { return p.Module == f.Module && p.Parameters == f.Parameters })
			require.GreaterOrEqual(t, i, 0, "no such proof")
			text, passed := search(t, prepare(t, proofs[i], &f), proofs[i], reach)
			require.False(t, passed, "the fault breaks nothing")
			require.Regexp(t, "Assert failed|model found", text)
		})
	}
}

// Every property has a fault. The page lists both.
func TestPropertiesAreListed(t *testing.T) {
	rows := []string{"| module | property | broken by, in | a fault |", "|---|---|---|---|"}
	used := 0
	for _, module := range modules() {
		names := []string{module + ".v"}
		if strings.Contains(read(t, names[0]), `"fifo.vh"`) {
			names = append(names, "fifo.vh")
		}
		for _, name := range names {
			for _, line := range strings.Split(read(t, name), "\n") {
				property, is := strings.CutPrefix(strings.TrimSpace(line), "//: ")
				if !is {
					continue
				}
				i := slices.IndexFunc(faults, func(f fault) bool {
					return f.Of == name && strings.HasPrefix(property, f.Property) && (f.Module == module || module == "rule")
				})
				require.GreaterOrEqual(t, i, 0, "no fault breaks %q of %s", property, module)
				used++
				f := faults[i]
				rows = append(rows, fmt.Sprintf("| `%s` | %s | `%s` | `%s` for `%s` |", module, property, f.File, cell(f.Wrong), cell(f.Sound)))
			}
		}
	}
	require.Equal(t, len(faults), used, "a fault for no property")
	report(t, "properties", rows, func(row string) string { return row })
}

// code is text as code in a table, empty where there is none.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func everything() bool { return *all || soak.On() }

// modules are those that have properties, in the order of proofs.
func modules() []string {
	list := []string{"rule"}
	for _, p := range proofs {
		if !slices.Contains(list, p.Module) {
			list = append(list, p.Module)
		}
	}
	return list
}

// prepare writes the module and its parts as a transition system. The properties stand inside the modules, as if bound to
// them. What the module under proof expects of its inputs is assumed; what a part expects is asserted. With a fault only
// its property is left.
func prepare(t *testing.T, p proof, f *fault) string {
	dir := t.TempDir()
	paths, err := filepath.Glob("../lib/*.v")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var parts []string
	for _, path := range paths {
		name := filepath.Base(path)
		text := read(t, path)
		if f != nil && name == f.File+".v" {
			require.Equal(t, 1, strings.Count(text, f.Sound), "%q in %s", f.Sound, name)
			text = strings.Replace(text, f.Sound, f.Wrong, 1)
		}
		switch module := strings.TrimSuffix(name, ".v"); {
		case module == "rule":
			text = only(f, name, "", read(t, name))
		case slices.Contains(modules(), module) && (!p.whole() || module == p.Module || slices.Contains(chips[p.Module], module)):
			text = strings.Replace(text, "\nendmodule", "\n`include \"properties_"+name+"\"\nendmodule", 1)
			write(t, dir, "properties_"+name, only(f, name, p.Module, read(t, name)))
		}
		write(t, dir, name, text)
		if name != p.Module+".v" {
			parts = append(parts, name)
		}
	}
	included, err := filepath.Glob("*.vh")
	require.NoError(t, err)
	for _, name := range included {
		write(t, dir, name, only(f, name, p.Module, read(t, name)))
	}
	var settings []string
	for _, s := range strings.Fields(p.Parameters) {
		name, value, _ := strings.Cut(s, "=")
		settings = append(settings, "-chparam "+name+" "+value)
	}
	model := "write_smt2 -wires model.smt2"
	if p.whole() {
		model = "write_rtlil model.il"
	}
	write(t, dir, "script.ys", strings.Join([]string{
		"read_verilog -formal -defer -DEXPECT=assert " + strings.Join(parts, " "),
		"read_verilog -formal -defer -DEXPECT=assume " + p.Module + ".v",
		"hierarchy -check -top " + p.Module + " " + strings.Join(settings, " "),
		"proc; flatten; opt_clean; memory -nordff -nomap; memory_map; opt -fast; async2sync; dffunmap; opt_clean",
		model,
	}, "\n")+"\n")
	text, err := tool.Output(t.Context(), filepath.Join(dir, "none"), "yosys", "-q", "-s", "script.ys")
	require.NoError(t, err, "%s", text)
	return dir
}

// assertion matches a line that asserts.
var assertion = regexp.MustCompile(`^\s*(if \(.*\) )?assert \(.*\);`)

// only leaves of a file's assertions the one that a fault breaks; nil: all.
func only(f *fault, name, module, text string) string {
	if f == nil {
		return text
	}
	var out []string
	kept := false
	// What the module under proof expects; the fifo's text is of parts, too.
	ours := name == module+".v" || strings.HasSuffix(name, ".vh") && (name != "fifo.vh" || strings.HasPrefix(module, "flit_"))
	for _, line := range strings.Split(text, "\n") {
		if property, is := strings.CutPrefix(strings.TrimSpace(line), "//: "); is {
			kept = name == f.Of && strings.HasPrefix(property, f.Property)
		}
		expects := strings.Contains(line, "`EXPECT") && !ours
		if assertion.MatchString(line) && !kept || expects {
			line = ""
		}
		kept = kept && !assertion.MatchString(line)
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// whole reports whether the module is a chip.
func (p proof) whole() bool { return chips[p.Module] != nil }

// prove asks for the first cycles and for the step of the induction. The cycle of the reset, in which nothing is asserted,
// is one more.
func prove(t *testing.T, dir string, p proof) (string, bool) {
	if p.whole() {
		return solve(t, dir, "Induction step proven", "-tempinduct", "-maxsteps", strconv.Itoa(p.Depth))
	}
	text, passed := check(t, dir, p.Depth+1)
	if !passed {
		return text, false
	}
	return check(t, dir, p.Depth, "-i")
}

// search looks for a run of the first cycles that breaks a property.
func search(t *testing.T, dir string, p proof, depth int) (string, bool) {
	if p.whole() {
		return solve(t, dir, "Reached maximum number of time steps", "-tempinduct", "-tempinduct-baseonly", "-maxsteps", strconv.Itoa(depth))
	}
	return check(t, dir, depth)
}

// check runs yosys-smtbmc with z3.
func check(t *testing.T, dir string, depth int, mode ...string) (string, bool) {
	args := append([]string{"-s", "z3", "--unroll", "-t", strconv.Itoa(depth)}, mode...)
	text, err := tool.Output(t.Context(), filepath.Join(dir, "none"), "yosys-smtbmc", append(args, "model.smt2")...)
	passed := bytes.Contains(text, []byte("Status: PASSED"))
	require.Equal(t, passed, err == nil, "%s", text)
	return string(text), passed
}

// solve runs Yosys's own solver, which is faster where much hangs together.
func solve(t *testing.T, dir, proved string, mode ...string) (string, bool) {
	ask := "read_rtlil model.il; sat -prove-asserts -set-assumes -seq 1 " + strings.Join(mode, " ")
	text, err := tool.Output(t.Context(), filepath.Join(dir, "none"), "yosys", "-p", ask)
	require.NoError(t, err, "%s", text)
	return string(text), bytes.Contains(text, []byte(proved))
}

// report compares a table with the page, or writes it there.
func report(t *testing.T, name string, rows []string, compared func(row string) string) {
	const page = "../../docs/proofs.md"
	if *all {
		fmt.Println(strings.Join(rows, "\n"))
	}
	begin, end := "<!-- "+name+" -->\n\n", "\n\n<!-- end of "+name+" -->"
	before, rest, found := strings.Cut(read(t, page), begin)
	require.True(t, found, "%s has no table of %s", page, name)
	old, after, found := strings.Cut(rest, end)
	require.True(t, found, "%s: the table of %s does not end", page, name)
	if *update {
		write(t, "../../docs", "proofs.md", before+begin+strings.Join(rows, "\n")+end+after)
		return
	}
	written := strings.Split(old, "\n")
	require.Len(t, written, len(rows), "go test ./rtl/proof -prove -update")
	for i, row := range rows {
		require.Equal(t, compared(row), compared(written[i]), "go test ./rtl/proof -prove -update")
	}
}

func read(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func write(t *testing.T, dir, name, text string) {
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}
