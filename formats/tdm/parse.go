// SPDX-License-Identifier: Apache-2.0

package tdm

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"meshwright/internal/input"
	"meshwright/router"
)

// Read reads a table from a file. Its errors are *input.Error.
func Read(path string) (*Table, error) {
	text, err := input.ReadFileWithin(path, input.LongLines())
	if err != nil {
		return nil, err
	}
	return parse(path, text)
}

// Parse reads a table; file is for errors, which are *input.Error. A table that
// is returned has exactly one message for every other node of its torus; whether
// messages collide is for package check to say.
func Parse(file string, r io.Reader) (*Table, error) {
	text, err := input.ReadAll(file, r, input.LongLines())
	if err != nil {
		return nil, err
	}
	return parse(file, text)
}

func parse(file string, text []byte) (*Table, error) {
	p := parser{table: &Table{File: file}}
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		p.line++
		if err := p.parseLine(strings.TrimRight(string(line), "\r")); err != nil {
			return nil, err
		}
	}
	if err := p.checkEnds(); err != nil {
		return nil, err
	}
	if err := p.measure(); err != nil {
		return nil, err
	}
	return p.table, p.checkOffsets()
}

// parser is the state between lines.
type parser struct {
	table     *Table
	line      int
	delivered []bool // by message: it ends with l
}

func (p *parser) fault(line int, want, format string, args ...any) error {
	return input.At(p.table.File, line, want, format, args...)
}

// parseLine reads the messages of a line, which | divides.
func (p *parser) parseLine(line string) error {
	line, _, _ = strings.Cut(line, "#")
	line, err := p.unquote(line)
	if err != nil {
		return err
	}
	for text := range strings.SplitSeq(line, "|") {
		if err := p.parseMessage(strings.TrimRight(text, " ")); err != nil {
			return err
		}
	}
	return nil
}

// unquote returns the text between the quotes of a line that has quotes.
func (p *parser) unquote(line string) (string, error) {
	before, rest, quoted := strings.Cut(line, `"`)
	if !quoted {
		return line, nil
	}
	text, after, closed := strings.Cut(rest, `"`)
	if !closed {
		return "", p.fault(p.line, `expected "nel|" + or a bare nel`, "a quote without its second")
	}
	if strings.TrimSpace(before) != "" {
		return "", p.fault(p.line, "expected nothing before the quote", "%q", strings.TrimSpace(before))
	}
	if after = strings.TrimSpace(after); after != "" && after != "+" && after != `\` && after != "," {
		return "", p.fault(p.line, `expected +, \ or nothing`, "%q behind the quoted line", after)
	}
	return text, nil
}

// parseMessage reads one message; its position is where the text begins.
func (p *parser) parseMessage(text string) error {
	hops := strings.TrimLeft(text, " ")
	if hops == "" {
		return nil
	}
	for i := range len(hops) {
		at := input.Count(len(text)-len(hops)+i, "character") + " in"
		switch hops[i] {
		case 'n', 'e', 's', 'w':
		case 'l':
			if i != len(hops)-1 {
				return p.fault(p.line, "expected nothing behind l: the flit has left the network", "%q goes on behind l", hops)
			}
		case ' ':
			return p.fault(p.line, "expected a link for every cycle: no router keeps a flit", "%q has a gap, %s", hops, at)
		default:
			return p.fault(p.line, "expected links n, e, s, w and l at the end", "unknown letter %q, %s", letterAt(hops, i), at)
		}
	}
	m := Message{Dispatch: router.Cycle(len(text) - len(hops)), Hops: strings.TrimSuffix(hops, "l"), Line: p.line}
	if m.Hops == "" {
		return p.fault(p.line, "expected links before l", "%q takes no link", hops)
	}
	p.table.Messages = append(p.table.Messages, m)
	p.delivered = append(p.delivered, strings.HasSuffix(hops, "l"))
	return nil
}

// letterAt is the whole character that begins at byte i.
func letterAt(text string, i int) string {
	for _, r := range text[i:] {
		return string(r)
	}
	return ""
}

// checkEnds demands that all messages end with l, or none.
func (p *parser) checkEnds() error {
	count := 0
	for _, ok := range p.delivered {
		if ok {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	for i, ok := range p.delivered {
		if m := &p.table.Messages[i]; !ok {
			return p.fault(m.Line, "expected l at the end, the cycle of delivery", "message %q does not end with l", m.Hops)
		}
	}
	return nil
}

// measure finds N.
func (p *parser) measure() error {
	count := len(p.table.Messages)
	if count == 0 {
		return p.fault(0, "expected a message a line, such as nel", "no messages")
	}
	n := 2
	for n*n-1 < count {
		n++
	}
	if n*n-1 != count {
		want := fmt.Sprintf("expected %d or %d: one to every other node of a square torus", (n-1)*(n-1)-1, n*n-1)
		if n == 2 {
			want = "expected 3, 8, 15 …: one to every other node of a square torus"
		}
		return p.fault(0, want, "%s", input.Count(count, "message"))
	}
	if n > maxSize {
		return p.fault(0, "expected at most "+strconv.Itoa(maxSize)+"x"+strconv.Itoa(maxSize), "a table for %dx%d nodes", n, n)
	}
	p.table.Size = n
	return nil
}

// checkOffsets demands one message for every offset but none.
func (p *parser) checkOffsets() error {
	t := p.table
	first := make([]*Message, t.Size*t.Size)
	var again *Message
	for i := range t.Messages {
		m := &t.Messages[i]
		at := t.offsetOf(m)
		switch {
		case at == 0:
			return p.fault(m.Line, "expected another node", "message %q comes back to its source on %s", m.Hops, t.Topology())
		case first[at] == nil:
			first[at] = m
		case again == nil:
			again = m
		}
	}
	if again == nil {
		return nil // N²-1 different offsets are all of them
	}
	missing := 1
	for first[missing] != nil {
		missing++
	}
	at := t.offsetOf(again)
	return p.fault(again.Line, "expected one for each offset; none goes "+t.name(missing),
		"message %q goes %s, as that of line %d does", again.Hops, t.name(at), first[at].Line)
}

// offsetOf numbers the offset of a message like the node it leads to from node 0.
func (t *Table) offsetOf(m *Message) int {
	x, y := m.offset()
	return wrap(y, t.Size)*t.Size + wrap(x, t.Size)
}

// name says where offset at leads.
func (t *Table) name(at int) string {
	return fmt.Sprintf("%d east and %d south", at%t.Size, at/t.Size)
}
