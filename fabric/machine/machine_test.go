// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
)

func TestFileOverridesPreset(t *testing.T) {
	f, err := Parse("m.yaml", []byte("buffer: 7\nnic:\n  channels: 1\n  duplex: half\nports: single\ntopology: mesh:4x4\npreset: paragon\n"))
	require.NoError(t, err)
	want, err := Preset("paragon")
	require.NoError(t, err)
	want.Name, want.Buffer, want.Channels, want.Duplex, want.Ports = "m.yaml", 7, 1, Half, SinglePort
	require.Equal(t, want, f.Machine)
	require.Equal(t, "mesh:4x4", f.Topology)
	require.Equal(t, []int{1, 3, 6, 0}, []int{f.Line("buffer"), f.Line("nic.channels"), f.Line("topology"), f.Line("vcs")})
}

// A file may say what reports call its machine. The machine of a report's JSON is such a file.
func TestNameOfAFile(t *testing.T) {
	f, err := Parse("m.json", []byte(`{"name": "narrow", "buffer": "2", "nic.channels": "links", "setup": "0"}`))
	require.NoError(t, err)
	want, err := Preset("wormhole")
	require.NoError(t, err)
	want.Name, want.Buffer = "narrow", 2
	require.Equal(t, want, f.Machine)
}

func TestBadFiles(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"bufferless buffers", "buffer: 4\npreset: bufferless\n", "m.yaml:1: buffer 4: a bufferless chip has no buffers (expected buffer 1)"},
		{"misspelt key", "buffer: 4\nbufer: 5\n", `m.yaml:2: unknown key "bufer" (did you mean buffer?)`},
		{"misspelt nested key", "nic:\n  chanels: 1\n", `m.yaml:2: unknown key "nic.chanels" (did you mean nic.channels?)`},
		{"bad number", "vcs: many\n", `m.yaml:1: vcs: "many" (expected a whole number from 1 to 16)`},
		{"out of range", "\nbuffer: 0\n", `m.yaml:2: buffer: "0" (expected a whole number from 1 to 1024)`},
		{"bad choice", "ports: some\n", `m.yaml:1: ports: "some" (expected all or single)`},
		{"bad channels", "nic: {channels: 3}\n", `m.yaml:1: nic.channels: "3" (expected 1 or links)`},
		{"bad preset", "preset: paragn\n", `m.yaml:1: unknown machine "paragn" (did you mean paragon?)`},
		{"twice", "buffer: 1\nnic.duplex: half\nnic:\n  duplex: full\n", `m.yaml:4: key "nic.duplex" stands in line 2 already (expected each key once)`},
		{"no name", "buffer: 1\nname: ''\n", "m.yaml:2: an empty name (expected a name)"},
		{"list", "- 1\n", "m.yaml:1: not a list of keys (expected key: value)"},
		{"list of values", "buffer: [1, 2]\n", `m.yaml:1: key "buffer" has several (expected one value)`},
		{"empty", "", "m.yaml: no parameters (expected keys such as buffer: 4)"},
		{"not yaml in line 1", "a: b: c\n", "m.yaml:1: mapping values are not allowed in this context (expected YAML, such as key: value)"},
		{"two documents", "buffer: 1\n---\nvcs: 1\n", "m.yaml:2: a second document (expected one machine a file)"},
		{"binary", "buffer: 1\n\xff\xfe\n", "m.yaml:2: not a text (expected keys such as buffer: 4)"},
		{"control bytes", "buffer: 1\x00\n", "m.yaml:1: not a text (expected keys such as buffer: 4)"},
		{"not yaml", "buffer: 1\na: b: c\n", "m.yaml:2: mapping values are not allowed in this context (expected YAML, such as key: value)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Parse("m.yaml", []byte(row.text))
			require.EqualError(t, err, row.want)
		})
	}
}

func TestOpenTellsPresetsFromFiles(t *testing.T) {
	_, err := Open("wurmhole")
	require.EqualError(t, err, `unknown machine "wurmhole" (did you mean wormhole?)`)
	_, err = Open("./nowhere.yaml")
	require.EqualError(t, err, "./nowhere.yaml: no such file or directory (expected a file that can be read)")
	file := filepath.Join(t.TempDir(), "m.yaml")
	require.NoError(t, os.WriteFile(file, []byte("startup: 12\n"), 0o644))
	f, err := Open(file)
	require.NoError(t, err)
	require.Equal(t, 12, f.Machine.Startup)
}

func TestResolve(t *testing.T) {
	for _, row := range []struct {
		name, topology, preset, key, value string
		want                               string // error
		vcs                                int
		routing                            Routing
	}{
		{name: "mesh", topology: "mesh:3x3", preset: "wormhole", vcs: 1, routing: DimensionOrder},
		{name: "torus gets a dateline pair", topology: "torus:3x3", preset: "wormhole", vcs: 2, routing: DimensionOrder},
		{name: "torus of two is a mesh", topology: "torus:2x2", preset: "wormhole", vcs: 1, routing: DimensionOrder},
		{name: "odd channels on a ring", topology: "ring:5", preset: "wormhole", key: "vcs", value: "3", want: "vcs 3: rings and tori use them in dateline pairs (expected 1 or an even number)"},
		{name: "bufferless with channels", topology: "ring:5", preset: "bufferless", key: "vcs", value: "2", want: "vcs 2: a bufferless chip has no virtual channels (expected vcs 1)"},
		{name: "bufferless ring", topology: "ring:5", preset: "bufferless", vcs: 1, routing: DimensionOrder},
	} {
		t.Run(row.name, func(t *testing.T) {
			topo, err := topology.Parse(row.topology)
			require.NoError(t, err)
			m, err := Preset(row.preset)
			require.NoError(t, err)
			if row.key != "" {
				require.NoError(t, m.Set(row.key, row.value))
			}
			m, err = m.Resolve(topo)
			if row.want != "" {
				require.EqualError(t, err, row.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, row.vcs, m.VCs)
			require.Equal(t, row.routing, m.Routing)
		})
	}
}

func TestEveryKeyReadsBackWhatWasSet(t *testing.T) {
	values := map[string]string{
		"switching": "bufferless", "buffer": "9", "vcs": "4", "vc.choice": "free", "ports": "single", "nic.channels": "1", "nic.duplex": "half", "buffer.code": "secded", "buffer.store": "ram", "header": "flit",
		"startup": "5", "hop": "2", "claim": "1", "flit": "3", "routing": "source", "width": "16", "watchdog": "77", "setup": "3/2", "packet": "6",
		"links": "0-1,hop=4 dim:0,flit=5",
	}
	m, err := Preset("wormhole")
	require.NoError(t, err)
	require.Len(t, values, len(Keys()))
	for _, k := range Keys() {
		require.NoError(t, m.Set(k.Name, values[k.Name]))
		require.Equal(t, values[k.Name], k.Get(&m))
	}
}

func FuzzParse(f *testing.F) {
	f.Add("buffer: 4\nnic:\n  channels: 1\n")
	f.Add("preset: paragon\nstartup: 10\n")
	f.Add("a: b: c")
	f.Add("? [x]\n: &a {*a : 1}")
	f.Fuzz(func(t *testing.T, text string) {
		f, err := Parse("m.yaml", []byte(text))
		if err == nil {
			require.True(t, f.Machine.Buffer >= 1 || f.Machine.PacketSwitched())
		}
	})
}

func ExampleMachine_Set() {
	m, _ := Preset("wormhole")
	fmt.Println(m.Set("buffer", "16"), m.Buffer)
	fmt.Println(m.Set("bufer", "16"))
	// Output:
	// <nil> 16
	// unknown key "bufer" (did you mean buffer?)
}

func TestTitlesTellAnotherSwitching(t *testing.T) {
	for _, row := range []struct{ preset, switching, want string }{
		{"wormhole", "wormhole", "wormhole"},
		{"wormhole", "bufferless", "wormhole, switching bufferless"},
		{"bufferless", "wormhole", "bufferless, switching wormhole"},
	} {
		m, err := Preset(row.preset)
		require.NoError(t, err)
		require.NoError(t, m.Set("switching", row.switching))
		require.Equal(t, row.want, m.Title())
	}
	m := Machine{Name: "mine", Switching: Bufferless}
	require.Equal(t, "mine", m.Title())
}

func TestDifferencesAreInTheOrderOfTheKeys(t *testing.T) {
	base, err := Preset("wormhole")
	require.NoError(t, err)
	fitted, other := base, base
	fitted.VCs = 2
	require.Empty(t, other.Differences(&base))
	for _, setting := range [][2]string{{"startup", "40"}, {"ports", "single"}, {"vcs", "2"}} {
		require.NoError(t, other.Set(setting[0], setting[1]))
	}
	require.Equal(t, "vcs 2, ports single, startup 40", other.Differences(&base))
	require.Equal(t, "ports single, startup 40", other.Differences(&base, &fitted))
}
