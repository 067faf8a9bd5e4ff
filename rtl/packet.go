// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"fmt"
	"strings"

	"meshwright/router"
	"meshwright/rtl/verilog"
)

// Packet chips hold packets until they may go on: no link modules between
// them, because nothing of a link has a state of its own. A chip's nets go
// straight to its neighbours, so all of them are declared before the chips.

// netWidth is a net of a chip, "" wide when it is one bit.
type netWidth struct{ name, width string }

// packetNets declares what chip n shows its neighbours, its PE and the bench.
func (d *Design) packetNets(n router.NodeID) []verilog.Item {
	var items []verilog.Item
	ports := fmt.Sprint(d.ports(n))
	nets := []netWidth{
		{"request", ports}, {"grant", ports}, {"valid", ports}, {"flit", "FlitWidth"},
		{"count", fmt.Sprintf("%d*CountWidth", d.ports(n))}, {"ej_flit", "FlitWidth"}, {"lost", ""},
	}
	if !d.SinglePort {
		nets = d.allPortsNets(n)
	}
	for _, w := range nets {
		items = append(items, verilog.Wire{Width: w.width, Name: fmt.Sprintf("n%d_%s", n, w.name)})
	}
	return items
}

// packetParameters lists the parameters that only packet chips have.
func (d *Design) packetParameters(n router.NodeID) []verilog.Connection {
	var list []verilog.Connection
	for _, p := range []struct {
		name  string
		value int
	}{
		{"Ports", d.ports(n)}, {"CutThrough", int(bit(d.CutThrough))}, {"Buffer", d.Buffer}, {"Packet", d.Packet}, {"Setup", d.Setup}, {"Flit", d.Flit},
	} {
		list = append(list, verilog.Connection{Name: p.name, Value: fmt.Sprint(p.value)})
	}
	return list
}

// packetPorts connects a packet chip's links, and what else only it has.
func (d *Design) packetPorts(n router.NodeID) []verilog.Connection {
	if !d.SinglePort {
		return d.allPortsPorts(n)
	}
	out, into := d.portLinks(n)
	to, from := d.receiverNet, d.senderNet
	net := func(name string) string { return fmt.Sprintf("n%d_%s", n, name) }
	return []verilog.Connection{
		{Name: "node_i", Value: fmt.Sprintf("%d'd%d", d.NodeWidth, n)},
		{Name: "request_o", Value: net("request")}, {Name: "grant_i", Value: join(out, "1'b0", to("grant"))},
		{Name: "valid_o", Value: net("valid")}, {Name: "flit_o", Value: net("flit")},
		{Name: "request_i", Value: join(into, "1'b0", from("request"))}, {Name: "grant_o", Value: net("grant")},
		{Name: "valid_i", Value: join(into, "1'b0", d.arrival)},
		{Name: "flit_i", Value: join(into, "{FlitWidth{1'b0}}", d.arrivalFlit)},
		{Name: "lost_o", Value: net("lost")},
	}
}

// receiverNet names the bit of a link in a net of the chip behind it.
func (d *Design) receiverNet(name string) func(link int) string {
	return func(link int) string {
		return fmt.Sprintf("n%d_%s[%d]", d.Links[link].To, name, d.Links[link].ToPort)
	}
}

// senderNet names the bit of a link in a net of the chip before it.
func (d *Design) senderNet(name string) func(link int) string {
	return func(link int) string {
		return fmt.Sprintf("n%d_%s[%d]", d.Links[link].From, name, d.Links[link].FromPort)
	}
}

// unusedPacket lists the parts of chip n's nets that nobody reads.
func (d *Design) unusedPacket(n router.NodeID) []string {
	if !d.SinglePort {
		return d.unusedAllPorts(n)
	}
	parts := []string{fmt.Sprintf("n%d_count", n)}
	out, _ := d.portLinks(n)
	linked := false
	for p, link := range out {
		if link >= 0 {
			linked = true
			continue
		}
		for _, name := range []string{"request", "grant", "valid"} {
			parts = append(parts, fmt.Sprintf("n%d_%s[%d]", n, name, p))
		}
	}
	if !linked {
		parts = append(parts, fmt.Sprintf("n%d_flit", n))
	}
	return parts
}

// samplePacketLink returns the expressions that the bench samples at a link. valid is
// high while a flit crosses, and while its packet requests the link and is not granted; see encodeEvent.
func (d *Design) samplePacketLink(i int) (valid, fire, flit string) {
	l := d.Links[i]
	net := func(name string) string { return fmt.Sprintf("i_top.n%d_%s[%d]", l.From, name, l.FromPort) }
	fire = net("valid")
	valid, flit = net("offer"), slice(fmt.Sprintf("i_top.n%d_flit", l.From), int(l.FromPort)*d.FlitWidth, d.FlitWidth, "")
	if d.SinglePort {
		valid = fmt.Sprintf("%s | %s & ~i_top.n%d_grant[%d]", fire, net("request"), l.To, l.ToPort)
		flit = fmt.Sprintf("i_top.n%d_flit", l.From)
	}
	return valid, fire, fmt.Sprintf("%s ? %s : %d'd0", fire, flit, d.FlitWidth)
}

// join lists a net of each port's link, port 0 last; unconnected ports get the
// idle value. (Assignments to slices of a vector would do the same, but Icarus
// Verilog copies the vector with drive strengths on each of their changes.)
func join(links []int, idle string, net func(link int) string) string {
	parts := make([]string, len(links))
	for p, link := range links {
		part := idle
		if link >= 0 {
			part = net(link)
		}
		parts[len(links)-1-p] = part
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
