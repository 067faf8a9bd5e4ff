// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"meshwright/fabric"
	"meshwright/fabric/code"
	"meshwright/fabric/fault"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/rtl/verilog"
)

// This file is what an export of a network with faults has besides: a module
// link_fault in each link that goes wrong, and a driver that tells these modules
// from a file when. Exports without faults have neither.

// faultSources are the modules of faults: link_fault of the library, fault_driver of the bench.
//
//go:embed fault/*.v
var faultSources embed.FS

// Where the two modules are put.
const (
	linkFault   = "lib/link_fault.v"
	faultDriver = "bench/fault_driver.v"
)

// faultEvent is a line of faults.mem.
type faultEvent struct {
	cycle      router.Cycle // in which a flit comes to the end of the link
	link       int          // index in Design.faulty or Design.struck
	dead, drop bool
	flip       code.Bits
}

// compareEvents orders events as the driver reads them.
func compareEvents(a, b faultEvent) int {
	return cmp.Or(cmp.Compare(a.cycle, b.cycle), cmp.Compare(a.link, b.link))
}

// recordStrikes keeps what faults do to the flits of a cycle.
func (r *Recorder) recordStrikes(s fabric.Signals) {
	for _, strike := range s.Strikes() {
		if strike.Lost == fault.Dropped || strike.Flips.Any() || strike.Upset.Any() {
			r.strikes = append(r.strikes, struck{s.Now(), strike})
		}
	}
}

// struck is a strike and its cycle.
type struck struct {
	cycle router.Cycle
	fabric.Strike
}

// IdleFaults reports whether the machine has faults, but nothing is dead, and no flit was struck in the run.
func (r *Recorder) IdleFaults() bool {
	faults := r.net.Faults()
	if faults == nil || len(r.strikes) > 0 {
		return false
	}
	return !slices.ContainsFunc(r.net.Topology.Links(), func(l topology.Link) bool { return len(faults.Dead(l.From, l.To)) > 0 })
}

// addFaults notes which links of a design go wrong during the run, and the lines of faults.mem.
func (r *Recorder) addFaults(d *Design) {
	faults := r.net.Faults()
	if faults == nil {
		return
	}
	d.faultOf = map[int]int{}
	at := map[faultKey]*faultEvent{}
	event := func(link int, cycle router.Cycle) *faultEvent {
		k, known := d.faultOf[link]
		if !known {
			k = len(d.faulty)
			d.faultOf[link], d.faulty = k, append(d.faulty, link)
		}
		key := faultKey{cycle, k}
		if at[key] == nil {
			at[key] = &faultEvent{cycle: cycle + router.Cycle(d.hop(link)) - 1, link: k, dead: isDead(faults.Dead(d.Links[link].From, d.Links[link].To), cycle)}
		}
		return at[key]
	}
	for i, l := range d.Links {
		for _, span := range faults.Dead(l.From, l.To) {
			for _, edge := range []router.Cycle{span.Start, span.End} {
				if edge < r.end {
					event(i, edge)
				}
			}
		}
	}
	for i := range r.strikes {
		s := &r.strikes[i]
		if s.Lost != fault.Dropped && !s.Flips.Any() {
			continue
		}
		e := event(d.linkFrom(s.Offer.Node, s.Offer.Port), s.cycle)
		e.drop, e.flip = e.drop || s.Lost == fault.Dropped, e.flip.Xor(s.Flips)
	}
	for _, e := range at {
		d.faultEvents = append(d.faultEvents, *e)
	}
	slices.SortFunc(d.faultEvents, compareEvents)
}

// losing follows what faults do to links through the cycles of a run.
type losing struct {
	design  *Design
	rest    [][]faultEvent // by place in Design.faulty, as all that follows
	dead    map[int]bool
	dropped map[int]router.Cycle // the last cycle in which a head is lost at the end of the link
}

func newLosing(d *Design) losing {
	rest := make([][]faultEvent, len(d.faulty))
	for _, e := range d.faultEvents {
		rest[e.link] = append(rest[e.link], e)
	}
	return losing{design: d, rest: rest, dead: map[int]bool{}, dropped: map[int]router.Cycle{}}
}

// head reports whether a link loses a message whose head crosses it in a cycle, no earlier than the last one.
func (l *losing) head(link int, cycle router.Cycle) bool {
	k, faulty := l.design.faultOf[link]
	if !faulty {
		return false
	}
	end := cycle + router.Cycle(l.design.hop(link)) - 1
	for ; len(l.rest[k]) > 0 && l.rest[k][0].cycle <= end; l.rest[k] = l.rest[k][1:] {
		e := &l.rest[k][0]
		l.dead[k] = e.dead
		if e.drop {
			l.dropped[k] = e.cycle
		}
	}
	at, drops := l.dropped[k]
	return l.dead[k] || drops && at == end
}

// faultKey is a cycle and a link with faults.
type faultKey struct {
	cycle router.Cycle
	link  int
}

func isDead(spans []fault.Span, cycle router.Cycle) bool {
	return slices.ContainsFunc(spans, func(s fault.Span) bool { return s.Start <= cycle && cycle < s.End })
}

// writeFaults writes the modules of faults and faults.mem; only link_fault if an extension drives it.
func (d *Design) writeFaults(dir string) error {
	if len(d.faulty) == 0 {
		return nil
	}
	if err := copySources(dir, linkFault); err != nil || d.extended {
		return err
	}
	if err := copySources(dir, faultDriver); err != nil {
		return err
	}
	return writeFaultEvents(filepath.Join(dir, "faults.mem"), d.faultEvents, d.Width)
}

// copySources writes modules that only some exports have.
func copySources(dir string, paths ...string) error {
	for _, path := range paths {
		text, err := fs.ReadFile(faultSources, "fault/"+filepath.Base(path))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, path), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// writeFaultEvents writes what fault_driver reads; words to invert have so many bits.
func writeFaultEvents(path string, events []faultEvent, width int) error {
	return writeFile(path, func(w io.Writer) error {
		v := newVectorFile(w, 64+width)
		for i := range events {
			e, b := &events[i], v.start()
			b.putBits(&e.flip, width)
			b.put(bit(e.drop), 1)
			b.put(bit(e.dead), 1)
			b.put(uint64(e.link), 30)
			b.put(uint64(e.cycle), 32)
			v.end()
		}
		v.last(32 + width)
		return v.close()
	})
}

// faultPorts are the ports of top by which faults are driven.
func (d *Design) faultPorts() []verilog.Port {
	if len(d.faulty) == 0 {
		return nil
	}
	return []verilog.Port{
		{Name: "lose_i", Width: fmt.Sprint(len(d.faulty)), Comment: "links with faults: the message whose head comes is lost"},
		{Name: "flip_i", Width: fmt.Sprint(len(d.faulty) * d.Width), Comment: "payload bits to invert"},
	}
}

// faultNets declares what links with faults show before them; between packet
// chips, which have no link modules, what they show behind them, too.
func (d *Design) faultNets() []verilog.Item {
	var items []verilog.Item
	for _, i := range d.faulty {
		if d.Packets {
			items = append(items, verilog.Wire{Name: d.linkNet(i, "arrival")}, verilog.Wire{Width: "FlitWidth", Name: d.linkNet(i, "flit")})
			continue
		}
		items = append(items, verilog.Wire{Name: d.linkNet(i, "end")}, verilog.Wire{Width: "FlitWidth", Name: d.linkNet(i, "end_flit")})
	}
	return items
}

// faultModules instantiates the faults of links.
func (d *Design) faultModules() []verilog.Item {
	if len(d.faulty) == 0 {
		return nil
	}
	items := []verilog.Item{verilog.Note(""), verilog.Note("Faults of links.")}
	for k, i := range d.faulty {
		valid, flit := d.linkNet(i, "end"), d.linkNet(i, "end_flit")
		if d.Packets {
			valid, flit = d.senderNet("valid")(i), d.senderFlit(i)
		}
		items = append(items, verilog.Instance{
			Module: "link_fault", Name: d.linkNet(i, "fault"),
			Parameters: []verilog.Connection{
				{Name: "FlitWidth", Value: "FlitWidth"}, {Name: "Width", Value: fmt.Sprint(d.Width)}, {Name: "Vcs", Value: fmt.Sprint(d.VCs)},
				{Name: "Mark", Value: fmt.Sprint(bit(d.Packets && d.SinglePort))},
			},
			Ports: []verilog.Connection{
				{Name: "clk_i", Value: "clk_i"}, {Name: "rst_i", Value: "rst_i"}, {Name: "tick_i", Value: "tick_i"},
				{Name: "lose_i", Value: fmt.Sprintf("lose_i[%d]", k)}, {Name: "flip_i", Value: slice("flip_i", k*d.Width, d.Width, "")},
				{Name: "valid_i", Value: valid}, {Name: "flit_i", Value: flit},
				{Name: "valid_o", Value: d.linkNet(i, "arrival")}, {Name: "flit_o", Value: d.linkNet(i, "flit")},
			},
		})
	}
	return items
}

// linkEnd names the nets at the end of link i: those of the receiver, or those
// before its faults.
func (d *Design) linkEnd(i int) (valid, flit string) {
	if _, faulty := d.faultOf[i]; faulty {
		return d.linkNet(i, "end"), d.linkNet(i, "end_flit")
	}
	return d.linkNet(i, "arrival"), d.linkNet(i, "flit")
}

// arrival names the bit of a link between packet chips that tells its receiver of a flit.
func (d *Design) arrival(link int) string {
	if _, faulty := d.faultOf[link]; faulty {
		return d.linkNet(link, "arrival")
	}
	return d.senderNet("valid")(link)
}

// arrivalFlit names the flit that the receiver of a link between packet chips sees.
func (d *Design) arrivalFlit(link int) string {
	if _, faulty := d.faultOf[link]; faulty {
		return d.linkNet(link, "flit")
	}
	return d.senderFlit(link)
}

// senderFlit names the flit that the sender of a link between packet chips shows.
func (d *Design) senderFlit(link int) string {
	l := d.Links[link]
	name := fmt.Sprintf("n%d_flit", l.From)
	if d.SinglePort {
		return name
	}
	return slice(name, int(l.FromPort), 1, "FlitWidth")
}

// benchFaults joins the driver of faults to the network; nothing without faults.
func (d *Design) benchFaults(top *verilog.Instance) []verilog.Item {
	if len(d.faulty) == 0 {
		return nil
	}
	top.Ports = append(top.Ports, verilog.Connection{Name: "lose_i", Value: "lose"}, verilog.Connection{Name: "flip_i", Value: "flip"})
	driver := faultDriverOf{name: "i_faults", links: len(d.faulty), width: d.Width, events: len(d.faultEvents), lose: "lose", flip: "flip"}
	return driver.items()
}

// faultDriverOf is a driver of faults, and the nets that it drives.
type faultDriverOf struct {
	name, file           string // file: that of its events, "" is faults.mem
	links, width, events int
	lose, flip           string
}

// items declares the nets and instantiates the driver.
func (f *faultDriverOf) items() []verilog.Item {
	links := fmt.Sprint(f.links)
	driver := verilog.Instance{
		Module: "fault_driver", Name: f.name,
		Parameters: []verilog.Connection{
			{Name: "Width", Value: fmt.Sprint(f.width)}, {Name: "Links", Value: links}, {Name: "Events", Value: fmt.Sprint(f.events + 1)},
		},
		Ports: []verilog.Connection{
			{Name: "drive_i", Value: "i_bench.drive"}, {Name: "cycle_i", Value: "i_bench.cycle"},
			{Name: "lose_o", Value: f.lose}, {Name: "flip_o", Value: f.flip},
		},
	}
	if f.file != "" {
		driver.Parameters = append(driver.Parameters, verilog.Connection{Name: "File", Value: strconv.Quote(f.file)})
	}
	return []verilog.Item{verilog.Wire{Name: f.lose, Width: links}, verilog.Wire{Name: f.flip, Width: fmt.Sprint(f.links * f.width)}, driver}
}

// library lists the modules of the library that an export has, as the library calls them.
func (d *Design) library() []string {
	if len(d.faulty) == 0 {
		return sourceFiles()
	}
	return append(sourceFiles(), linkFault)
}

// benches lists the modules of the bench.
func (d *Design) benches() string {
	text := benchFiles()
	if len(d.faulty)+len(d.struck) > 0 {
		text += " " + faultDriver
	}
	if d.coded() {
		text += " " + errorCheck + " " + codeCheck
	}
	return text
}
