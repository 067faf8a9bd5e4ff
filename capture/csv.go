// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"

	"meshwright/fabric"
)

const csvHeader = "cycle,from,to,source,destination,message,flit,value,kind\n"

// csvTrace writes crossings as rows.
type csvTrace struct {
	*observer
	out *bufio.Writer `snapshot:"-"` // keeps the first error
	row []byte        `snapshot:"-"`
}

func newCSV(o *observer, w io.Writer) (sink, error) {
	t := &csvTrace{observer: o, out: bufio.NewWriterSize(w, 1<<16)}
	_, err := t.out.WriteString(csvHeader)
	return t, err
}

// Update writes the crossings of the cycle. A failed write is reported by finish.
func (t *csvTrace) Update(s fabric.Signals) {
	t.lookAtLinks(s)
	if !t.opts.inWindow(s.Now()) {
		return
	}
	for i := range t.crossings {
		c := &t.crossings[i]
		row := t.row[:0]
		for _, v := range [...]int64{
			int64(s.Now()), int64(c.From), int64(c.To), int64(c.Source), int64(c.Destination), c.Message, int64(c.Flit),
		} {
			row = append(strconv.AppendInt(row, v, 10), ',')
		}
		row = append(c.appendValue(row), ',')
		t.row = append(append(row, c.Kind.String()...), '\n')
		if _, err := t.out.Write(t.row); err != nil {
			return // bufio.Writer keeps it for Flush
		}
	}
}

// appendValue appends the payload: a decimal number, of more than 32 bits all digits of a hexadecimal one.
func (f *flitView) appendValue(row []byte) []byte {
	if len(f.Upper) == 0 {
		return strconv.AppendUint(row, uint64(f.Value), 10)
	}
	row = append(row, "0x"...)
	for _, element := range slices.Backward(f.Upper) {
		row = fmt.Appendf(row, "%08x", element)
	}
	return fmt.Appendf(row, "%08x", f.Value)
}

func (t *csvTrace) flush() error { return t.out.Flush() }

func (t *csvTrace) finish() error { return t.flush() }
