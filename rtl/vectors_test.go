// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/rtl/sim"
)

// sizeOf returns a parameter of the bench of an export.
func sizeOf(t *testing.T, dir, name string) int {
	text, err := os.ReadFile(filepath.Join(dir, "bench.v"))
	require.NoError(t, err)
	found := regexp.MustCompile(`\.` + name + ` +\((\d+)\)`).FindSubmatch(text)
	require.NotNil(t, found, name)
	size, err := strconv.Atoi(string(found[1]))
	require.NoError(t, err)
	return size
}

// A line of a vector file that no export has is refused with its place: the bench does not take the low bits of a number
// that names nothing, nor pass over a line whose cycle is gone.
func TestCorruptVectorsAreRefused(t *testing.T) {
	dir := exportLoaded(t, "pair")
	flit, count := sizeOf(t, dir, "FlitWidth"), sizeOf(t, dir, "CountWidth")
	outputs, channels, buffers := sizeOf(t, dir, "Outputs"), sizeOf(t, dir, "Channels"), sizeOf(t, dir, "Buffers")+sizeOf(t, dir, "Chips")
	const line = 4
	for _, row := range []struct {
		name, file string
		change     func(number *big.Int, digits string) string
		says       string // a regular expression
	}{
		{"an output that does not exist", "events.mem", plus(1<<20, flit), fmt.Sprintf(`^FAIL events\.mem line=4 output=1048\d\d\d expected below %d$`, outputs)},
		{"the output behind the last one", "events.mem", field(outputs, flit, 31), fmt.Sprintf(`^FAIL events\.mem line=4 output=%d expected below %[1]d$`, outputs)},
		{"an event of the past", "events.mem", field(0, flit+32, 32), `^FAIL events\.mem line=4 cycle=0 expected above \d+$`},
		{"a digit of an event", "events.mem", func(_ *big.Int, digits string) string { return digits[:len(digits)-1] + "x" }, `^FAIL events\.mem line=4: expected \d+ hexadecimal digits$`},
		{"a digit of an output", "events.mem", func(_ *big.Int, digits string) string {
			at := len(digits) - (flit+3)/4
			return digits[:at-1] + "X" + digits[at:]
		}, `^FAIL events\.mem line=4: expected \d+ hexadecimal digits$`},
		{"a channel that does not exist", "stimuli.mem", plus(1<<20, flit), fmt.Sprintf(`^FAIL stimuli\.mem line=4 channel=1048\d\d\d expected below %d$`, channels)},
		{"the channel behind the last one", "stimuli.mem", field(channels, flit, 32), fmt.Sprintf(`^FAIL stimuli\.mem line=4 channel=%d expected below %[1]d$`, channels)},
		{"a stimulus of the past", "stimuli.mem", field(0, flit+32, 32), `^FAIL stimuli\.mem line=4 cycle=0 expected above \d+$`},
		{"a buffer that does not exist", "levels.mem", plus(1<<20, count), fmt.Sprintf(`^FAIL levels\.mem line=4 buffer=1048\d\d\d expected below %d$`, buffers)},
		{"the buffer behind the last chip", "levels.mem", field(buffers, count, 32), fmt.Sprintf(`^FAIL levels\.mem line=4 buffer=%d expected below %[1]d$`, buffers)},
		{"a level of the past", "levels.mem", field(0, count+32, 32), `^FAIL levels\.mem line=4 cycle=0 expected above \d+$`},
		{"a letter in a stimulus", "stimuli.mem", func(_ *big.Int, digits string) string { return "g" + digits[1:] }, `^FAIL stimuli\.mem line=4: expected \d+ hexadecimal digits$`},
		{"a blank in a level", "levels.mem", func(_ *big.Int, digits string) string { return digits[:2] + " " + digits[3:] }, `^FAIL levels\.mem line=4: expected \d+ hexadecimal digits$`},
		{"a digit of a name", "outputs.mem", func(_ *big.Int, digits string) string { return "z" + digits[1:] }, `^FAIL outputs\.mem line=4: expected 16 hexadecimal digits$`},
	} {
		path := filepath.Join(dir, row.file)
		sound, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := strings.Split(string(sound), "\n")
		number, ok := new(big.Int).SetString(lines[line-1], 16)
		require.True(t, ok)
		changed := row.change(number, lines[line-1])
		require.NotEqual(t, lines[line-1], changed)
		lines[line-1] = changed
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644))
		for _, s := range []sim.Simulator{sim.Icarus, sim.Verilator} {
			t.Run(row.name+"/"+string(s), func(t *testing.T) {
				r, err := sim.Run(t.Context(), s, dir, sim.Options{})
				require.NoError(t, err)
				require.False(t, r.Pass)
				require.Regexp(t, row.says, r.Line)
			})
		}
		require.NoError(t, os.WriteFile(path, sound, 0o644))
	}
}

// plus adds to the field of a number that begins at a bit.
func plus(value int64, at int) func(*big.Int, string) string {
	return func(number *big.Int, digits string) string {
		number.Add(number, new(big.Int).Lsh(big.NewInt(value), uint(at)))
		return fmt.Sprintf("%0*x", len(digits), number)
	}
}

// field sets the bits of a number from one on.
func field(value, at, width int) func(*big.Int, string) string {
	return func(number *big.Int, digits string) string {
		for bit := range width {
			number.SetBit(number, at+bit, uint(value>>bit&1))
		}
		return fmt.Sprintf("%0*x", len(digits), number)
	}
}
