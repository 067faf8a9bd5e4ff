// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// Write prints an algorithm in the form that Parse reads.
func (a *Algorithm) Write(w io.Writer) error {
	out := bufio.NewWriter(w) // keeps the first error
	fmt.Fprintf(out, `<algo name="%s" proto="%s" nchannels="%d" nchunksperloop="%d" ngpus="%d" coll="%s" inplace="%d" outofplace="%d" minBytes="%d" maxBytes="%d">`+"\n",
		quoteText(a.Name), a.Protocol, a.Channels, a.ChunksPerLoop, a.Ranks, a.Collective, bit(a.InPlace), bit(a.OutOfPlace), a.MinBytes, a.MaxBytes)
	for id := range a.GPUs {
		g := &a.GPUs[id]
		fmt.Fprintf(out, `  <gpu id="%d" i_chunks="%d" o_chunks="%d" s_chunks="%d">`+"\n", id, g.Input, g.Output, g.Scratch)
		for k := range g.Blocks {
			b := &g.Blocks[k]
			fmt.Fprintf(out, `    <tb id="%d" send="%d" recv="%d" chan="%d">`+"\n", k, b.Send, b.Receive, b.Channel)
			for i := range b.Steps {
				s := &b.Steps[i]
				fmt.Fprintf(out, `      <step s="%d" type="%s" srcbuf="%c" srcoff="%d" dstbuf="%c" dstoff="%d" cnt="%d" depid="%d" deps="%d" hasdep="%d"/>`+"\n",
					i, s.Kind, s.Source.Buffer, s.Source.Offset, s.Target.Buffer, s.Target.Offset, s.Count, s.DependsBlock, s.DependsOn, bit(s.HasDependents))
			}
			out.WriteString("    </tb>\n")
		}
		out.WriteString("  </gpu>\n")
	}
	out.WriteString("</algo>\n")
	return out.Flush()
}

// quoteText makes a text fit for an attribute.
func quoteText(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err) // a builder takes everything
	}
	return b.String()
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
