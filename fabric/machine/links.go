// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Uneven says which links of a machine are slower than its keys hop and flit say. It is read-only once made.
type Uneven struct {
	specs []string // as the user wrote it
	rules []linkRule
}

// linkRule gives some links times of their own.
type linkRule struct {
	links     linkSet
	hop, flit int    // 0: those of the machine
	file      string // where it stands; "" in a spec
	line      int
}

// LinkForms says how the value of the key links is written.
const LinkForms = "LINKS,hop=H,flit=F with LINKS 3-4, 3>4, dim:1, blocks:4x4 or all; FILE (CSV link,hop,flit)"

// LinksKey is the key of the links' own times, and even its value without any.
const (
	LinksKey = "links"
	even     = "even"
)

// setLinks reads the value of the key links: specs with blanks between.
func setLinks(m *Machine, value string) error {
	specs := strings.Fields(value)
	if len(specs) == 0 {
		return input.Errorf("expected "+even+", or links such as 3-4,hop=8,flit=2", "%s: %q", LinksKey, input.Clip(value))
	}
	if m.Links = nil; len(specs) == 1 && specs[0] == even {
		return nil
	}
	u := &Uneven{specs: specs}
	for _, spec := range specs {
		if err := u.add(spec); err != nil {
			return err
		}
	}
	m.Links = u
	return nil
}

// String returns the specs, as the key has them.
func (u *Uneven) String() string {
	if u == nil {
		return even
	}
	return strings.Join(u.specs, " ")
}

// LinkFiles lists the files that a value of the key links names.
func LinkFiles(value string) []string {
	return slices.DeleteFunc(strings.Fields(value), func(spec string) bool { return !isLinkFile(spec) })
}

// isLinkFile tells a file from links with their times.
func isLinkFile(spec string) bool {
	return !strings.Contains(spec, ",") && strings.ContainsAny(spec, "./")
}

// add reads a spec: a file, or links and their times.
func (u *Uneven) add(spec string) error {
	if spec == input.Stdin || isLinkFile(spec) {
		return u.addFile(spec)
	}
	where, times, _ := strings.Cut(spec, ",")
	refuse := func(err *input.Error) error { return input.Errorf(err.Want, "%s: %s", LinksKey, err.What) }
	set, bad := parseLinkSet(where)
	if bad != nil {
		return refuse(bad)
	}
	r := linkRule{links: set}
	for _, part := range strings.Split(times, ",") {
		key, value, _ := strings.Cut(part, "=")
		switch {
		case key == "hop" && r.hop == 0:
			r.hop, bad = linkTime(key, value)
		case key == "flit" && r.flit == 0:
			r.flit, bad = linkTime(key, value)
		default:
			bad = input.Errorf("expected hop=CYCLES, flit=CYCLES, or both, such as "+input.Clip(where)+",hop=8,flit=2", "%q", input.Clip(spec))
		}
		if bad != nil {
			return refuse(bad)
		}
	}
	u.rules = append(u.rules, r)
	return nil
}

// linkTime reads the hop or the flit of a link.
func linkTime(key, value string) (int, *input.Error) {
	low, high := limits[key][0], limits[key][1]
	n, err := strconv.ParseUint(value, 10, 16) // takes no sign
	if err != nil || int(n) < low || int(n) > high {
		return 0, input.Errorf(wholeNumber(low, high), "%s %q", key, input.Clip(value))
	}
	return int(n), nil
}

// LinkTimes are the times of all links of a network, by port: those of node v's outgoing links stand in a row, behind those of lower
// nodes. Ports without a link have the machine's.
type LinkTimes struct {
	Hop, Flit []uint8
	Slowest   LinkTime // the longest hop, and the longest flit

	base []int32 // by node: its first port
}

// LinkTime is the time of a link.
type LinkTime struct{ Hop, Flit int }

// Of returns the times of the link that leaves a node by a port.
func (l *LinkTimes) Of(from router.NodeID, p router.Port) LinkTime {
	at := l.base[from] + int32(p)
	return LinkTime{int(l.Hop[at]), int(l.Flit[at])}
}

// LinkTimes returns the times of the links of a topology; nil if all are the machine's keys hop and flit. A later rule replaces an
// earlier one. Its errors are *input.Error.
func (m *Machine) LinkTimes(t *topology.Topology) (*LinkTimes, error) {
	if m.Links == nil {
		return nil, nil
	}
	l := &LinkTimes{
		Hop: slices.Repeat([]uint8{uint8(m.Hop)}, t.AllPorts()), Flit: slices.Repeat([]uint8{uint8(m.Flit)}, t.AllPorts()),
		base: make([]int32, t.Nodes()+1),
	}
	for v := range t.Nodes() {
		l.base[v+1] = l.base[v] + int32(t.Ports(router.NodeID(v)))
	}
	whole, place := t.Whole(), placing(t)
	for i := range m.Links.rules {
		r := &m.Links.rules[i]
		err := m.allowed(r)
		if err == nil {
			err = r.links.each(whole, func(v router.NodeID, p router.Port) {
				if v, p, ok := place(v, p); ok {
					at := l.base[v] + int32(p)
					l.Hop[at], l.Flit[at] = uint8(max(r.hop, m.Hop)), uint8(max(r.flit, m.Flit))
				}
			})
		}
		if err != nil {
			return nil, r.locate(err)
		}
	}
	l.Slowest = LinkTime{int(slices.Max(append(l.Hop, uint8(m.Hop)))), int(slices.Max(append(l.Flit, uint8(m.Flit))))}
	return l, nil
}

// placing returns the function that finds a link of the whole network in what faults leave of it, which numbers nodes and ports anew;
// ok is false of a dead link.
func placing(t *topology.Topology) func(router.NodeID, router.Port) (v router.NodeID, p router.Port, ok bool) {
	left := t.Survivors()
	if left == nil {
		return func(v router.NodeID, p router.Port) (router.NodeID, router.Port, bool) { return v, p, true }
	}
	return func(v router.NodeID, p router.Port) (router.NodeID, router.Port, bool) {
		from, to := left.Place[v], left.Place[left.Whole.Neighbor(v, p)]
		if from == router.None || to == router.None {
			return from, p, false
		}
		p, ok := t.PortTo(from, to)
		return from, p, ok
	}
}

// SlowestLink returns the longest hop and the longest time of a flit of all links, on whatever network: as the keys say.
func (m *Machine) SlowestLink() LinkTime {
	slowest := LinkTime{m.Hop, m.Flit}
	if m.Links != nil {
		for i := range m.Links.rules {
			r := &m.Links.rules[i]
			slowest.Hop, slowest.Flit = max(slowest.Hop, r.hop), max(slowest.Flit, r.flit)
		}
	}
	return slowest
}

// locate names the row of a rule, or else the key.
func (r *linkRule) locate(err *input.Error) error {
	if r.file != "" {
		return input.Locate(err, r.file, r.line)
	}
	return input.Errorf(err.Want, "%s %s: %s", LinksKey, r.links, err.What)
}

// allowed refuses times below those of the machine: its keys are the times of its fastest links, and so of all lower bounds.
func (m *Machine) allowed(r *linkRule) *input.Error {
	for _, x := range []struct {
		key         string
		time, least int
	}{{"hop", r.hop, m.Hop}, {"flit", r.flit, m.Flit}} {
		if x.time != 0 && x.time < x.least {
			return input.Errorf(fmt.Sprintf("expected at least %d: the machine's %s is that of its fastest links", x.least, x.key), "%s %d", x.key, x.time)
		}
	}
	return nil
}

// validLinks refuses links with times of their own on machines that have none, and links that the topology does not have.
func (m *Machine) validLinks(t *topology.Topology) error {
	if m.Links == nil {
		return nil
	}
	if m.Switching != Wormhole {
		return input.Errorf("expected switching wormhole, or all links alike", "%s %s: not on a machine of switching %s", LinksKey, m.Links, m.Switching)
	}
	_, err := m.LinkTimes(t)
	return err
}
