// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"meshwright/rtl"
)

// vectors are the files of an export that the bench reads, see the parts of bench/vector_bench.v. Each ends with a line whose cycle
// never comes.
type vectors struct {
	stimuli, events, levels []vector
	faults, upsets, errors  []vector // only their last line without faults and without a code
}

// vector is a line: the cycle, a number below it, and what the rest of the line says, the lowest bit first.
type vector struct {
	cycle  uint32
	number uint32
	bits   []bool
}

// never is the cycle of the last line.
const never = math.MaxUint32

// vectorFiles are the names of the files. Every design has the first of them.
var vectorFiles = [...]string{"stimuli.mem", "events.mem", "levels.mem", "faults.mem", "upsets.mem", "errors.mem"}

// compulsory is how many of vectorFiles every design has.
const compulsory = 3

// readVectors reads the files of a design in a folder.
func readVectors(dir string, d *rtl.Design) (*vectors, error) {
	v := &vectors{}
	to := [len(vectorFiles)]struct {
		list  *[]vector
		width int
	}{{&v.stimuli, d.FlitWidth}, {&v.events, d.FlitWidth}, {&v.levels, d.CountWidth}, {&v.faults, d.Width}, {&v.upsets, d.Word}, {&v.errors, d.CounterBits() * 2 / d.Chips}}
	for i, name := range vectorFiles {
		list, err := readLines(filepath.Join(dir, name), to[i].width)
		if errors.Is(err, fs.ErrNotExist) && i >= compulsory {
			list, err = []vector{{cycle: never}}, nil
		}
		if err != nil {
			return nil, err
		}
		*to[i].list = list
	}
	return v, nil
}

// readLines reads a file whose lines are {cycle, number, bits}.
func readLines(path string, width int) ([]vector, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []vector
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		v := vector{bits: make([]bool, width)}
		text := lines.Text()
		for at := range 4 * len(text) {
			digit := strings.IndexByte("0123456789abcdef", text[len(text)-1-at/4])
			if digit < 0 {
				return nil, fmt.Errorf("%s:%d: %q is no hexadecimal number", path, len(list)+1, text)
			}
			switch value := uint32(digit) >> (at % 4) & 1; {
			case at < width:
				v.bits[at] = value == 1
			case at < width+32:
				v.number |= value << (at - width)
			case at < width+64:
				v.cycle |= value << (at - width - 32)
			}
		}
		list = append(list, v)
	}
	return list, lines.Err()
}
