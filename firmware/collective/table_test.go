// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"meshwright/fabric"
	"meshwright/router"
)

// tableMonitor notes which flit is at which node in which cycle, in the form
// of the golden tables. It is for hop 1, flit 1.
type tableMonitor struct {
	arrived map[[2]int]string // by cycle, node
	waiting map[[2]int]string
}

func newTableMonitor() *tableMonitor {
	return &tableMonitor{map[[2]int]string{}, map[[2]int]string{}}
}

func (m *tableMonitor) Evaluate(fabric.Signals) {}

func (m *tableMonitor) Update(s fabric.Signals) {
	now := int(s.Now())
	t := s.Network().Topology
	for _, p := range s.Placed() {
		if w := s.Worm(p.Flit); w.Kind == router.Data {
			m.waiting[[2]int{now, int(p.Node)}] = fmt.Sprintf("m%d.%d", w.Tag, p.Flit.Seq+1)
		}
	}
	for o := range s.Offers() {
		if !o.Fired || int(o.Port) >= t.Ports(o.Node) {
			continue
		}
		w := s.Worm(o.Flit)
		cell := fmt.Sprintf("m%d.%d", w.Tag, o.Flit.Seq+1)
		if form := map[router.Kind]string{router.Order: "(%d)", router.Certificate: "<%d>"}[w.Kind]; form != "" {
			cell = fmt.Sprintf(form, s.Word(o.Flit)[0])
		}
		if w.Kind == router.Token {
			cell = "[*]"
		}
		if w.Kind != router.Data && w.Destination != t.Neighbor(o.Node, o.Port) {
			continue
		}
		m.arrived[[2]int{now + 1, int(t.Neighbor(o.Node, o.Port))}] = cell
	}
}

func (m *tableMonitor) Wakes() router.Cycle { return fabric.Never }

// text returns the table as CSV.
func (m *tableMonitor) text(nodes int) string {
	first, last := -1, 0
	cell := func(t, n int) string {
		if c, ok := m.arrived[[2]int{t, n}]; ok {
			return c
		}
		return m.waiting[[2]int{t, n}]
	}
	for key := range m.waiting {
		m.arrived[[2]int{key[0], -1}] = ""
	}
	for key := range m.arrived {
		if first < 0 || key[0] < first {
			first = key[0]
		}
		last = max(last, key[0])
	}
	var b strings.Builder
	b.WriteString("step")
	for n := range nodes {
		fmt.Fprintf(&b, ",P%d", n)
	}
	for t := first; t <= last; t++ {
		fmt.Fprintf(&b, "\n%d", t)
		for n := range nodes {
			b.WriteString("," + cell(t, n))
		}
	}
	return b.String() + "\n"
}

// golden returns a table of the papers, normalised.
func golden(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join("..", "..", "tests", "testdata", "golden", name))
	if err != nil {
		return "", err
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(strings.Join(row, ",") + "\n")
	}
	return b.String(), nil
}
