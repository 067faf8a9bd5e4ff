// SPDX-License-Identifier: Apache-2.0

package wave

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"meshwright/internal/confine"
	"meshwright/rtl"
)

// ours begins the views that we write: viewers begin theirs in another way.
const (
	oursGTKWave = "[*] meshwright"
	oursSurfer  = "# meshwright"
)

// mostViewed bounds the rows of a view.
const mostViewed = 400

// mayReplace reports whether a view may be written: there is none, or one of ours.
func mayReplace(path string) bool {
	f, err := confine.Open(path)
	if err != nil {
		return os.IsNotExist(err)
	}
	defer f.Close()
	line, _ := bufio.NewReader(f).ReadString('\n')
	line = strings.TrimSpace(line)
	return line == oursGTKWave || line == oursSurfer
}

// row is a row of a view: a headline, or a signal.
type row struct {
	headline string
	side     string
	probe    *rtl.Probe
}

// signal is the full name of a signal.
func (r row) signal() string { return r.side + "." + strings.Join(r.probe.Path(), ".") }

// rows lists the signals port by port; the sides of a signal stand below each other.
func (d *Dump) rows() []row {
	var rows []row
	port := ""
	for _, p := range d.viewed() {
		path := p.Path()
		if len(rows) >= mostViewed {
			break
		}
		if at := strings.Join(path[:len(path)-1], "."); at != port {
			port = at
			rows = append(rows, row{headline: at})
		}
		sides := d.Sides
		if p.Port == "" {
			sides = sides[:1] // all sides have the same
		}
		for _, side := range sides {
			rows = append(rows, row{side: side.Name, probe: p})
		}
	}
	return rows
}

// viewed lists the probes in the order of views: those of the whole network, then the node in focus, then the others.
func (d *Dump) viewed() []*rtl.Probe {
	list := make([]*rtl.Probe, len(d.Probes))
	for i := range list {
		list[i] = &d.Probes[i]
	}
	if d.Focus == nil {
		return list
	}
	rank := func(p *rtl.Probe) int {
		switch {
		case p.Port == "":
			return 0
		case p.Chip == *d.Focus:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b *rtl.Probe) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

// Flags of a row of GTKWave: the form of its values, and headlines.
const (
	gtkDecimal  = 0x24
	gtkHex      = 0x22
	gtkBinary   = 0x28
	gtkHeadline = 0x200
)

// The window of GTKWave: the cycles before the marker, and a zoom at which a cycle has room for the digits of a flit. The signals
// of simulators have another colour than those of the model, and their side as a part of their name: GTKWave shows no scopes.
const (
	gtkBefore = 4
	gtkZoom   = -1
	gtkYellow = 3
)

// writeGTKWave writes a save file of GTKWave for a waveform.
func (d *Dump) writeGTKWave(w io.Writer, path string) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n[dumpfile] \"%s\"\n[timestart] %d\n[size] 1280 800\n[signals_width] 240\n*%d %d -1\n[sst_expanded] 0\n",
		oursGTKWave, filepath.Base(path), max(0, int64(d.Mark)-gtkBefore), gtkZoom, d.Mark)
	flags := 0
	for _, r := range d.rows() {
		want, text := gtkHeadline, "-"+r.headline
		if r.headline == "" {
			want, text = gtkForm(r.probe), r.signal()+bits(r.probe)
			if len(d.Sides) > 1 && r.probe.Port != "" {
				text = fmt.Sprintf("+{%s %s} %s", r.side, r.probe.Name, text)
			}
		}
		if want != flags {
			flags = want
			fmt.Fprintf(out, "@%x\n", flags)
		}
		if r.headline == "" && r.side != d.Sides[0].Name {
			fmt.Fprintln(out, "[color]", gtkYellow)
		}
		fmt.Fprintln(out, text)
	}
	return out.Flush()
}

// gtkForm is the form in which GTKWave writes a probe's values.
func gtkForm(p *rtl.Probe) int {
	switch {
	case p.Width == 1:
		return gtkBinary
	case strings.HasSuffix(p.Name, "flit"):
		return gtkHex
	}
	return gtkDecimal
}

// writeSurfer writes a command file of Surfer.
func (d *Dump) writeSurfer(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, oursSurfer)
	for _, r := range d.rows() {
		if r.headline != "" {
			fmt.Fprintln(out, "divider_add", r.headline)
			continue
		}
		fmt.Fprintln(out, "variable_add", r.signal())
	}
	if d.Mark > 0 {
		fmt.Fprintln(out, "cursor_set", d.Mark)
	}
	fmt.Fprintln(out, "zoom_fit")
	return out.Flush()
}
