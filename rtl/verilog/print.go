// SPDX-License-Identifier: Apache-2.0

package verilog

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/tabwriter"

	"meshwright/internal/escape"
)

// Print writes the module as Verilog-2005. The same module gives the same bytes.
func Print(w io.Writer, m *Module) error {
	p := printer{}
	p.head(m)
	for _, item := range m.Items {
		p.item(item)
	}
	p.flush()
	p.line("endmodule")
	p.line("")
	p.line("`default_nettype wire")
	_, err := w.Write(blanks.ReplaceAll(p.out.Bytes(), nil))
	return err
}

// blanks at the end of a line, which columns without text leave.
var blanks = regexp.MustCompile(`(?m)[ \t]+$`)

// printer lays out lines; rows between two flushes are aligned with each other.
type printer struct {
	out  bytes.Buffer
	rows *tabwriter.Writer
	kind string // of the rows collected
}

func (p *printer) line(format string, args ...any) {
	p.flush()
	fmt.Fprintf(&p.out, format+"\n", args...)
}

// row adds an aligned row; rows of one kind that follow each other share columns.
func (p *printer) row(kind, format string, args ...any) {
	if kind != p.kind {
		p.flush()
		p.rows, p.kind = tabwriter.NewWriter(&p.out, 0, 1, 1, ' ', 0), kind
	}
	fmt.Fprintf(p.rows, format+"\n", args...)
}

// flush ends an aligned block. Writing to a buffer cannot fail.
func (p *printer) flush() {
	if p.rows != nil {
		_ = p.rows.Flush()
		p.rows, p.kind = nil, ""
	}
}

func (p *printer) head(m *Module) {
	p.line("// SPDX-License-Identifier: Apache-2.0")
	for _, text := range m.Comment {
		p.line("%s", comment(text))
	}
	p.line("`default_nettype none")
	p.line("")
	if len(m.Ports) == 0 && len(m.Locals) == 0 {
		p.line("module %s;", m.Name)
		return
	}
	if len(m.Locals) == 0 {
		p.line("module %s (", m.Name)
	} else {
		p.line("module %s #(", m.Name)
		for i, c := range m.Locals {
			p.row("constant", "  parameter\t%s\t= %s%s\t%s", c.Name, c.Value, comma(i, len(m.Locals)), comment(c.Comment))
		}
		p.line(") (")
	}
	for i, port := range m.Ports {
		direction := "input  wire"
		if port.Output {
			direction = "output wire"
		}
		p.row("port", "  %s\t%s\t%s%s\t%s", direction, vector(port.Width), port.Name, comma(i, len(m.Ports)), comment(port.Comment))
	}
	p.line(");")
}

func (p *printer) item(item Item) {
	switch it := item.(type) {
	case Note:
		if it == "" {
			p.line("")
		} else {
			p.line("  %s", comment(string(it)))
		}
	case Wire:
		p.row("wire", "  wire %s\t%s;", vector(it.Width), it.Name)
	case Always:
		p.line("  initial forever begin")
		p.line("    @(%s);", it.Event)
		for _, line := range it.Lines {
			p.line("    %s", line)
		}
		p.line("  end")
	case Assign:
		p.row("assign", "  assign %s\t= %s;", it.Target, it.Value)
	case Instance:
		p.instance(it)
	}
}

func (p *printer) instance(it Instance) {
	if len(it.Parameters) > 0 {
		p.line("  %s #(", it.Module)
		p.connections("parameter", it.Parameters)
		p.line("  ) %s (", it.Name)
	} else {
		p.line("  %s %s (", it.Module, it.Name)
	}
	p.connections("connection", it.Ports)
	p.line("  );")
}

func (p *printer) connections(kind string, list []Connection) {
	for i, c := range list {
		p.row(kind, "    .%s\t(%s)%s", c.Name, c.Value, comma(i, len(list)))
	}
}

func comma(i, n int) string {
	if i == n-1 {
		return ""
	}
	return ","
}

func vector(width string) string {
	if width == "" {
		return ""
	}
	return "[" + width + "-1:0]"
}

// comment is a line of its own whatever the text is.
func comment(text string) string {
	if text == "" {
		return ""
	}
	text = escape.Line(text)
	if strings.HasSuffix(text, `\`) {
		text += "." // so that nothing takes the next line for part of this one
	}
	return "// " + text
}
