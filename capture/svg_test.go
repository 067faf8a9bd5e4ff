// SPDX-License-Identifier: Apache-2.0

package capture_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/internal/proctest"
	"meshwright/router"
)

// picture runs a script with an .svg capture and returns the file.
func picture(t *testing.T, sc scenario, opts capture.Options) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.svg")
	net := network(t, sc.topology, sc.preset, sc.change)
	c, err := capture.Open(path, net, opts)
	require.NoError(t, err)
	net.Attach(c)
	run(t, net, sc.lines)
	require.NoError(t, c.Close())
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	requireWellFormed(t, got)
	return got
}

func requireWellFormed(t *testing.T, picture []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(picture))
	for {
		_, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
	}
	require.NotContains(t, string(picture), "NaN")
	require.NotContains(t, string(picture), "Inf")
}

// adjacency writes a tree or graph file and returns its spec.
func adjacency(t *testing.T, kind, rows string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), kind+".csv")
	require.NoError(t, os.WriteFile(path, []byte(rows), 0o644))
	return kind + ":" + path
}

// Pictures are looked at when they change: see the .svg files in testdata.
func TestPictures(t *testing.T) {
	contended := func(m *machine.Machine) { m.Channels = 1 }
	tests := []struct {
		name string
		scenario
		opts capture.Options
	}{
		{"fig1a", scenarios()[0], capture.Options{Title: "Scatter of 7 flits, farthest first"}},
		{"fig4", scenarios()[1], capture.Options{}},
		{"ring", scenario{"", "ring:12", "wormhole", contended, randomScript(12, 14, 6, 14, 5)}, capture.Options{}},
		{"collisions", scenario{"", "path:10", "bufferless", nil, randomScript(10, 14, 6, 30, 5)}, capture.Options{}},
		{"merged", scenario{"", "ring:60", "wormhole", contended, randomScript(60, 60, 40, 600, 5)}, capture.Options{}},
		{"mesh", scenario{"", "mesh:8x6", "wormhole", nil, randomScript(48, 200, 9, 100, 5)}, capture.Options{Title: "Random traffic"}},
		{"torus", scenario{"", "torus:6x5", "wormhole", nil, randomScript(30, 200, 9, 100, 5)}, capture.Options{}},
		{"hypercube", scenario{"", "hypercube:4", "wormhole", nil, randomScript(16, 100, 9, 100, 5)}, capture.Options{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			golden(t, "testdata/"+test.name+".svg", picture(t, test.scenario, test.opts))
		})
	}
}

// With the program's names the detailed diagram shows the same cells as the table.
func TestSpaceTimeHasTheTablesCells(t *testing.T) {
	text := regexp.MustCompile(`<text( class="b")? x="[^"]*" y="[^"]*">(m\d+\.\d+|\(\d+\)|\[\*\]|&lt;\d+&gt;)</text>`)
	for figure, lines := range figures {
		var drawn []string
		for _, m := range text.FindAllStringSubmatch(string(picture(t, scenario{"", "path:6", "bufferless", nil, lines}, capture.Options{Label: capture.ByTag})), -1) {
			drawn = append(drawn, strings.NewReplacer("&lt;", "<", "&gt;", ">").Replace(m[2]))
		}
		var cells []string
		for _, row := range readCSV(t, "../tests/testdata/golden/"+figure+".csv")[1:] {
			for _, cell := range row[1:] {
				if cell != "" {
					cells = append(cells, cell)
				}
			}
		}
		require.ElementsMatch(t, cells, drawn, figure)
	}
}

// The picture's busy counts are the network's own.
func TestLoadCounts(t *testing.T) {
	title := regexp.MustCompile(`<title>(\d+) &gt; (\d+): busy (\d+) of (\d+) cycles \([^)]*\), blocked (\d+)</title>`)
	for _, change := range []func(*machine.Machine){
		nil,
		func(m *machine.Machine) { m.VCs = 2 },
		func(m *machine.Machine) { m.Flit, m.Hop = 2, 2 },
		func(m *machine.Machine) { m.Ports, m.Channels, m.Duplex = machine.SinglePort, 1, machine.Half },
		func(m *machine.Machine) { m.Switching = machine.Bufferless },
	} {
		path := filepath.Join(t.TempDir(), "run.svg")
		net := network(t, "mesh:4x4", "wormhole", change)
		c, err := capture.Open(path, net, capture.Options{})
		require.NoError(t, err)
		net.Attach(c)
		run(t, net, randomScript(16, 120, 9, 100, 5))
		require.NoError(t, c.Close())
		data, err := os.ReadFile(path)
		require.NoError(t, err)

		got := map[string]string{}
		for _, m := range title.FindAllStringSubmatch(strings.ReplaceAll(string(data), "\u2009", ""), -1) {
			got[m[1]+">"+m[2]] = fmt.Sprintf("%s of %s, %s", m[3], m[4], m[5])
		}
		want := map[string]string{}
		blocked := uint64(0)
		for i, link := range net.Topology.Links() {
			u := net.LinkUse()[i]
			blocked += u.Blocked
			want[fmt.Sprintf("%d>%d", link.From, link.To)] = fmt.Sprintf("%d of %d, %d", u.Busy, net.Quiet(), u.Blocked)
		}
		require.Equal(t, want, got)
		require.Equal(t, net.Machine.Switching != machine.Bufferless, blocked > 0)
	}
}

func TestPicturesOfEveryShape(t *testing.T) {
	var deep, wide, ring strings.Builder
	deep.WriteString("node,parent\n0,\n")
	wide.WriteString("node,parent\n0,\n")
	ring.WriteString("node,node\n")
	for n := 1; n < 3000; n++ {
		fmt.Fprintf(&deep, "%d,%d\n", n, n-1)
		fmt.Fprintf(&wide, "%d,%d\n", n, (n-1)/50)
		fmt.Fprintf(&ring, "%d,%d\n", n-1, n)
	}
	tests := []struct {
		topology string
		nodes    int
		opts     capture.Options
		contains string
	}{
		{"path:1", 1, capture.Options{}, "node"},
		{"path:2", 2, capture.Options{Picture: capture.LinkLoad}, "Busiest links"},
		{"path:1000", 1000, capture.Options{Picture: capture.LinkLoad}, "Busiest links"},
		{"ring:64", 64, capture.Options{Picture: capture.LinkLoad}, "Busiest links"},
		{"ring:5000", 5000, capture.Options{Picture: capture.LinkLoad}, "a tile is up to"},
		{"mesh:1x1", 1, capture.Options{}, "No flit crossed a link."},
		{"mesh:5x1", 5, capture.Options{}, "Busiest links"},
		{"mesh:3x3x3x2", 54, capture.Options{}, "Busiest links"},
		{"mesh:64x64", 4096, capture.Options{}, "Busiest links"},
		{"mesh:65x64", 4160, capture.Options{}, "a tile is up to 1 × 1 nodes"},
		{"mesh:200x200", 40000, capture.Options{}, "a tile is up to 3 × 3 nodes"},
		{"torus:3x3", 9, capture.Options{}, "Busiest links"},
		{"hypercube:8", 256, capture.Options{}, "Busiest links"},
		{"hypercube:13", 8192, capture.Options{}, "a tile is up to"},
		{adjacency(t, "tree", "node,parent\n0,\n1,0\n2,0\n3,1\n"), 4, capture.Options{}, "Busiest links"},
		{adjacency(t, "graph", "node,node\n0,1\n1,2\n2,0\n"), 3, capture.Options{}, "Busiest links"},
		{adjacency(t, "tree", deep.String()), 3000, capture.Options{}, "nearest to node 0, of 3\u2009000, are shown"},
		{adjacency(t, "tree", wide.String()), 3000, capture.Options{}, "nearest to node 0, of 3\u2009000, are shown"},
		{adjacency(t, "graph", ring.String()), 3000, capture.Options{}, "nearest to node 0, of 3\u2009000, are shown"},
	}
	for _, test := range tests {
		t.Run(filepath.Base(test.topology), func(t *testing.T) {
			var lines []send
			if test.nodes > 1 {
				lines = randomScript(test.nodes, 20, 5, 10, 3)
			}
			got := picture(t, scenario{"", test.topology, "wormhole", nil, lines}, test.opts)
			require.Contains(t, string(got), test.contains)
			require.Less(t, len(got), 4<<20)
		})
	}
}

// A diagram of many messages stays small, and its note counts the messages left out.
func TestLargeSpaceTime(t *testing.T) {
	var lines []send
	for i := range uint32(45000) {
		lines = append(lines, data(router.Cycle(i), router.NodeID(i%199), router.NodeID(i%199+1), i, 1+int(i%3)))
	}
	got := string(picture(t, scenario{"", "path:200", "wormhole", nil, lines}, capture.Options{}))
	require.Less(t, len(got), 4<<20)
	require.Regexp(t, `Left out: [\d\x{2009}]+ of 45\x{2009}000 messages, the smallest ones\.`, got)
	require.Contains(t, got, "Large run")
}

func TestSpaceTimeWindow(t *testing.T) {
	sc := scenario{"", "path:300", "wormhole", nil, randomScript(300, 60, 60, 300, 5)}
	got := string(picture(t, sc, capture.Options{From: 100, Until: 130, Nodes: []router.NodeID{115, 100}}))
	require.NotContains(t, got, "Large run")
	require.Contains(t, got, "shown: cycles 100 to 129, nodes 100 to 115")
	require.Contains(t, got, ">P100<")
	require.Contains(t, got, ">P115<")
	require.NotContains(t, got, ">P116<")
	require.Contains(t, got, ">129<")
	require.NotContains(t, got, ">130<")
	require.NotContains(t, got, ">99<")
}

func TestTitlesAreEscaped(t *testing.T) {
	got := picture(t, scenarios()[0], capture.Options{Title: `<script>"&`})
	require.NotContains(t, string(got), "<script>")
	require.Contains(t, string(got), "&lt;script&gt;&#34;&amp;")
}

// A real renderer accepts the pictures.
func TestRenderers(t *testing.T) {
	tool, err := exec.LookPath("rsvg-convert")
	if err != nil {
		t.Fatal("this test needs rsvg-convert: apt-get install librsvg2-bin (Debian, Ubuntu), brew install librsvg (macOS)")
	}
	files, err := filepath.Glob("testdata/*.svg")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		png := filepath.Join(t.TempDir(), "picture.png")
		out, err := proctest.Command(t, tool, file, "-o", png).CombinedOutput()
		require.NoError(t, err, string(out))
		require.Empty(t, string(out))
		image, err := os.ReadFile(png)
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(image, []byte("\x89PNG")))
	}
}

// Pictures and pages of a run with faults name what is dead, and the picture of load what its links lost.
func TestPicturesNameWhatIsDead(t *testing.T) {
	for name, spec := range map[string]string{"space-time": "path:4", "load": "mesh:2x2", "page": "path:4"} {
		file := filepath.Join(t.TempDir(), "dead.csv")
		require.NoError(t, os.WriteFile(file, []byte("link,0-1,2\nnode,3,500\n"), 0o644))
		path := filepath.Join(t.TempDir(), map[bool]string{true: "run.html", false: "run.svg"}[name == "page"])
		net := network(t, spec, "wormhole", nil, losing(t, file))
		c, err := capture.Open(path, net, capture.Options{})
		require.NoError(t, err)
		net.Attach(c)
		run(t, net, []send{{0, fabric.Message{Source: 0, Destination: 1, Words: []uint32{1}}}, {20, fabric.Message{Source: 0, Destination: 1, Words: []uint32{1, 2}}}})
		require.NoError(t, c.Close())
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		text := string(got)
		if name != "page" {
			requireWellFormed(t, got)
		}
		require.Contains(t, text, "Dead: node 3 from cycle 500 on; link 0-1 from cycle 2 on.", name)
		require.Equal(t, name == "load", strings.Contains(text, "Messages lost on links: 0&gt;1 (1)."), name)
		require.Equal(t, name == "load", strings.Contains(text, "0 → 1, dead"), name)
	}
}
