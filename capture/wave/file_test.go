// SPDX-License-Identifier: Apache-2.0

package wave_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/capture/wave"
	"meshwright/internal/proctest"
	"meshwright/router"
	"meshwright/rtl"
)

// write puts a waveform and its views at a path.
func write(t *testing.T, d *wave.Dump, path string) {
	files, err := d.Create(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, files.Finish())
	require.NoError(t, files.Commit())
}

// A file holds the changes of all its sides, in both forms; FST is read by GTKWave's own reader.
func TestFilesAreReadBack(t *testing.T) {
	for _, extension := range []string{".vcd", ".fst"} {
		r, _ := randomRun(t, 3)
		d, err := r.Design()
		require.NoError(t, err)
		w := d.Waves(nil)
		window := rtl.Window{First: 5, Last: 50}
		other := slices.Collect(w.Model(r, window))
		other = other[:len(other)/2] // a side that ends early
		dump := &wave.Dump{Title: "a $run", Probes: w.Probes, Mark: 9, Sides: []wave.Side{
			wave.Modelled(w, r, window), {Name: "other", Changes: slices.Values(other)},
		}}
		path := filepath.Join(t.TempDir(), "run"+extension)
		write(t, dump, path)
		vcd := path
		if extension == ".fst" {
			vcd += ".vcd"
			out, err := proctest.Command(t, "fst2vcd", path, "-o", vcd).CombinedOutput()
			require.NoError(t, err, string(out))
		}
		require.Equal(t, bare(slices.Collect(w.Model(r, window))), bare(changes(t, vcd, rtl.WaveModel, w)))
		require.Equal(t, bare(other), bare(changes(t, vcd, "other", w)))
	}
}

// bare are changes of values: files have no labels, and a flit may follow one of the same bits.
func bare(list []rtl.Change) []rtl.Change {
	last := map[int]string{}
	var bare []rtl.Change
	for _, c := range list {
		if last[c.Probe] != c.Value {
			bare = append(bare, rtl.Change{Cycle: c.Cycle, Probe: c.Probe, Value: c.Value})
		}
		last[c.Probe] = c.Value
	}
	return bare
}

func changes(t *testing.T, path, tree string, w *rtl.Waves) []rtl.Change {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	list, err := wave.Read(f, tree, w.Probes)
	require.NoError(t, err)
	return list
}

// gtkRows are the signals of a view of GTKWave: an alias, the side, the rest of the name, the bits.
var gtkRows = regexp.MustCompile(`(?m)^(\+\{[^}]*\} )?(model|icarus)(\.[\w.]+)(\[\d+:0\])?$`)

// namesByGTKWave lists the signals of a .vcd file that went through a .fst file, as name[highest:lowest].
func namesByGTKWave(t *testing.T, path string) []string {
	packed, unpacked := path+".fst", path+".again"
	for _, args := range [][]string{{"vcd2fst", path, packed}, {"fst2vcd", packed, "-o", unpacked}} {
		out, err := proctest.Command(t, args[0], args[1:]...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	var names, scopes []string
	for line := range strings.Lines(read(t, unpacked)) {
		switch words := strings.Fields(line); {
		case len(words) < 2:
		case words[0] == "$scope":
			scopes = append(scopes, words[2])
		case words[0] == "$upscope":
			scopes = scopes[:len(scopes)-1]
		case words[0] == "$var":
			names = append(names, strings.Join(scopes, ".")+"."+strings.Join(words[4:len(words)-1], ""))
		}
	}
	return names
}

// Every signal of a view is in the waveform, as GTKWave's own programs read it: through a .vcd and a .fst file. Rows of
// several sides say which side they are. Views that a viewer saved stay as they are.
func TestViewsNameSignalsOfTheFile(t *testing.T) {
	r, _ := randomRun(t, 3)
	d, err := r.Design()
	require.NoError(t, err)
	w := d.Waves(nil)
	dump := &wave.Dump{Probes: w.Probes, Mark: 9, Sides: []wave.Side{wave.Modelled(w, r, rtl.Window{Last: math.MaxInt64}), {Name: "icarus", Changes: slices.Values([]rtl.Change(nil))}}}
	path := filepath.Join(t.TempDir(), "run.vcd")
	gtkwave, surfer := strings.Replace(path, ".vcd", ".gtkw", 1), strings.Replace(path, ".vcd", ".sucl", 1)
	require.NoError(t, os.WriteFile(surfer, []byte("# meshwright\nold\n"), 0o644))
	write(t, dump, path)
	names := namesByGTKWave(t, path)
	seen := 0
	for _, row := range gtkRows.FindAllStringSubmatch(read(t, gtkwave), -1) {
		alias, side, name, bits := row[1], row[2], row[3], row[4]
		require.Contains(t, names, side+name+bits)
		if strings.Contains(name, ".n") {
			require.Equal(t, "+{"+side+name[strings.LastIndex(name, "."):]+"} ", strings.Replace(alias, " ", ".", 1), name)
		}
		seen++
	}
	for line := range strings.Lines(read(t, surfer)) {
		if name, found := strings.CutPrefix(strings.TrimSpace(line), "variable_add "); found {
			require.True(t, slices.ContainsFunc(names, func(n string) bool { return n == name || strings.HasPrefix(n, name+"[") }), name)
			seen++
		}
	}
	require.Equal(t, 2*(2*len(w.Probes)-2), seen, "the signals of both sides in both views, but cycle and reset only once")
	require.Contains(t, read(t, surfer), "cursor_set 9\n")

	require.NoError(t, os.WriteFile(gtkwave, []byte("[*] GTKWave Analyzer\n"), 0o644))
	write(t, dump, path)
	require.Equal(t, "[*] GTKWave Analyzer\n", read(t, gtkwave))
}

func read(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestReaderRefuses(t *testing.T) {
	probes := []rtl.Probe{{Name: "cycle", Width: 3}, {Chip: 1, Port: "p0", Name: "valid", Width: 1}}
	const head = "$scope module rtl $end $var reg 3 ! cycle [2:0] $end $scope begin n1 $end $scope begin p0 $end $var reg 1 # valid $end $upscope $end $upscope $end $upscope $end $enddefinitions $end "
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "the file ends in its declarations (expected $enddefinitions)"},
		{"no declaration", "hello", `"hello" (expected a declaration such as $var)`},
		{"no signal", "$scope module rtl $end $var reg 3 ! cycle $end $enddefinitions $end", "no signal rtl.n1.p0.valid (expected the signals of the bench)"},
		{"another width", strings.Replace(head, "reg 3", "reg 4", 1), "4 bits of cycle (expected 3)"},
		{"too many scopes end", "$upscope $end", "$upscope (expected a scope before)"},
		{"short variable", "$var reg $end", "$var reg (expected a kind, a width, a code and a name)"},
		{"too many bits", head + "#0 b1111 !", `"1111" (expected 3 bits)`},
		{"no code", head + "#0 b111", `the file ends behind "b111" (expected a code)`},
		{"no value", head + "#0 ?", `"?" (expected a value or a time)`},
		{"no number", head + "#0 bx1 !", "cycle xx1 (expected a number)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := wave.Read(strings.NewReader(test.text), "rtl", probes)
			require.EqualError(t, err, test.want)
		})
	}
}

func FuzzReader(f *testing.F) {
	f.Add("$scope module rtl $end $var reg 3 ! cycle [2:0] $end $upscope $end $enddefinitions $end #0 b101 ! #10 bx !")
	f.Fuzz(func(t *testing.T, text string) {
		list, _ := wave.Read(strings.NewReader(text), "rtl", []rtl.Probe{{Name: "cycle", Width: 3}})
		for _, c := range list {
			require.Len(t, c.Value, 3)
		}
	})
}

// A picture marks the values of a side that differ from those of the first, and says what it leaves out.
// A flit is written as its message and its place in it where a simulator shows the model's flit.
func TestPictureNamesFlits(t *testing.T) {
	probes := []rtl.Probe{{Name: "cycle", Width: 8}, {Port: "p0", Name: "valid", Width: 1}, {Port: "p0", Name: "flit", Width: 8}}
	flit := func(cycle int, value string, number uint32) rtl.Change {
		return rtl.Change{Cycle: router.Cycle(cycle), Probe: 2, Value: value, Label: rtl.FlitLabel{Message: 7, Flit: number}}
	}
	valid := rtl.Change{Cycle: 0, Probe: 1, Value: "1"}
	model := []rtl.Change{valid, flit(0, "11", 1), flit(1, "11", 2), flit(2, "1010", 3)}
	other := []rtl.Change{valid, {Cycle: 0, Probe: 2, Value: "11"}, {Cycle: 2, Probe: 2, Value: "1011"}}
	path := filepath.Join(t.TempDir(), "run.svg")
	write(t, &wave.Dump{Title: "run", Probes: probes, Sides: []wave.Side{{Name: "model", Changes: slices.Values(model)}, {Name: "icarus", Changes: slices.Values(other)}}}, path)
	text := read(t, path)
	require.Equal(t, 2, strings.Count(text, ">m7.1<"))
	require.Equal(t, 2, strings.Count(text, ">m7.2<"))
	require.Equal(t, 1, strings.Count(text, ">m7.3<"), "the model's own flit")
	require.Equal(t, 1, strings.Count(text, ">0b<"), "the other one")
}

// A picture has the signals that show something on one of its sides, and says how many others there are.
func TestPictureLeavesIdleSignalsOut(t *testing.T) {
	probes := []rtl.Probe{{Name: "cycle", Width: 8}}
	for port := range 3 {
		for _, name := range []string{"valid", "inj_ready", "count"} {
			probes = append(probes, rtl.Probe{Port: fmt.Sprint("p", port), Name: name, Width: 1})
		}
	}
	model := []rtl.Change{{Cycle: 0, Probe: 0, Value: "0"}, {Cycle: 0, Probe: 2, Value: "1"}, {Cycle: 0, Probe: 5, Value: "1"}, {Cycle: 1, Probe: 0, Value: "1"}, {Cycle: 1, Probe: 4, Value: "1"}, {Cycle: 2, Probe: 0, Value: "10"}}
	path := filepath.Join(t.TempDir(), "run.svg")
	write(t, &wave.Dump{Title: "run", Probes: probes, Sides: []wave.Side{{Name: "model", Changes: slices.Values(model)}}}, path)
	text := read(t, path)
	require.Regexp(t, `(?s)>Signals that.*[ >]8\.<`, text)
	for _, name := range []string{">cycle<", ">n0.p1<", ">valid<"} {
		require.Equal(t, 1, strings.Count(text, name), name)
	}
	require.NotContains(t, text, "p0")
	require.NotContains(t, text, "model")
	other := append(slices.Clone(model[:1]), append([]rtl.Change{{Cycle: 0, Probe: 9, Value: "1"}}, model[1:]...)...)
	write(t, &wave.Dump{Title: "run", Probes: probes, Sides: []wave.Side{{Name: "model", Changes: slices.Values(model)}, {Name: "icarus", Changes: slices.Values(other)}}}, path)
	text = read(t, path)
	require.Contains(t, text, ">model count<", "beside the one that differs")
	require.Contains(t, text, ">icarus count<")
}

func TestPictureMarksDifferences(t *testing.T) {
	probes := []rtl.Probe{{Name: "cycle", Width: 8}, {Port: "p0", Name: "valid", Width: 1}, {Port: "p0", Name: "flit", Width: 8}}
	for i := range 40 {
		probes = append(probes, rtl.Probe{Chip: 1, Port: "p0", Name: fmt.Sprint("count", i), Width: 2})
	}
	model := []rtl.Change{{Cycle: 3, Probe: 1, Value: "1"}, {Cycle: 3, Probe: 2, Value: "10100101"}, {Cycle: 5, Probe: 1, Value: "0"}, {Cycle: 90, Probe: 1, Value: "1"}}
	shown := []rtl.Change{{Cycle: 3, Probe: 0, Value: "11"}} // on both sides: signals that show nothing are not drawn
	for i := range 40 {
		shown = append(shown, rtl.Change{Cycle: 3, Probe: 3 + i, Value: "01"})
	}
	for _, test := range []struct {
		name  string
		other []rtl.Change
		marks int
	}{
		{"equal", model, 0},
		{"another flit", []rtl.Change{model[0], {Cycle: 3, Probe: 2, Value: "10100100"}, model[2], model[3]}, 2},
		{"valid for longer", []rtl.Change{model[0], model[1], {Cycle: 6, Probe: 1, Value: "0"}, model[3]}, 2}, // and its flit
		{"unknown", []rtl.Change{model[0], {Cycle: 3, Probe: 2, Value: "1010010x"}, model[2], model[3]}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			dump := &wave.Dump{Title: "<run>", Probes: probes, Sides: []wave.Side{{Name: "model", Changes: slices.Values(slices.Concat(shown, model))}, {Name: "icarus", Changes: slices.Values(slices.Concat(shown, test.other))}}}
			path := filepath.Join(t.TempDir(), "run.svg")
			write(t, dump, path)
			text := read(t, path)
			require.Equal(t, test.marks, strings.Count(text, `class="x"`))
			require.Contains(t, text, ">a5<")
			require.Contains(t, text, "27 rows more are left out.")
			require.Contains(t, text, "Cycles after 50 are left out.")
			entries, err := os.ReadDir(filepath.Dir(path))
			require.NoError(t, err)
			require.Len(t, entries, 1, "a picture has no views")
		})
	}
}
