// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// A page's button stops the run as Ctrl-C does: exit code 130, and no file.
func TestWatchIsStopped(t *testing.T) {
	dir := t.TempDir()
	cmd := proctest.Command(t, binary, "watch", "gather", "-t", "mesh:4x4", "--paused", "--trace", "run.html", "--trace", "run.pftrace", "--token", "abc")
	cmd.Dir = dir
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(stderr)
	require.True(t, lines.Scan())
	page, ok := strings.CutPrefix(lines.Text(), "meshwright: watch at ")
	require.True(t, ok, lines.Text())
	answer, err := http.Post(strings.Replace(page, "/?", "/stop?", 1), "", nil)
	require.NoError(t, err)
	answer.Body.Close()
	require.Equal(t, http.StatusNoContent, answer.StatusCode)
	require.True(t, lines.Scan())
	require.Equal(t, "meshwright: interrupted", lines.Text())
	require.Error(t, cmd.Wait())
	require.Equal(t, 130, cmd.ProcessState.ExitCode())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// What watch and draw cannot do, they say in one line.
func TestWatchAndDrawRefuse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	at := taken.Addr().String()
	dir := t.TempDir()
	for _, c := range []struct{ line, says string }{
		{"watch gather -t mesh:4x4 --listen " + at, "--listen: " + at + " is in use (expected a free port, or 0 for any)"},
		{"watch gather -t mesh:4x4 --listen here", "--listen: cannot listen at here (expected HOST:PORT, such as 127.0.0.1:8080)"},
		{"watch gather -t mesh:4x4 --browser no-such-browser", "--browser: no-such-browser is not there (expected a program)"},
		{"watch gather -t mesh:4x4 --token a --token-file b", "--token and --token-file (expected one of --token, --token-file)"},
		{"watch traffic -t mesh:4x4 --rate 0.1,0.2", "watch is of one run (expected one rate and one seed)"},
		{"watch gather -t mesh:4x4 --trace run.doc", "--trace: run.doc (expected FILE.csv, FILE.html, FILE.pcapng, FILE.pftrace or FILE.svg)"},
		{"draw", "no topology (expected --topology mesh:8x8, or a machine file that names one)"},
		{"draw -t mesh:4x4 -o net.png", "--out: net.png (expected FILE.svg)"},
		{"draw -t mesh:4x4 --tree fdf", `--tree: unknown tree "fdf"`},
		{"draw -t mesh:4x4 --root 3", "--root: no trees to draw (expected --tree)"},
		{"draw -t mesh:4x4 --tree balanced --root 16", "--root: "},
		{"draw -t mesh:4x4 --tree balanced --form tall", `--form: "tall" (expected network or apart)`},
		{"draw -t star:3 --labels letters", `--labels: "letters" (expected numbers or permutations)`},
		{"draw -t mesh:4x4 --labels permutations", "--labels: permutations on mesh:4x4 (expected numbers, or a star graph)"},
		{"draw -t mesh:4x4 --faults random:99", "--faults: random:99 faults on mesh:4x4 (expected at most 40; one less where a root stays alive)"},
		{"draw -t mesh:4x4 --faults randm:2", `--faults: unknown fault "randm:2" (did you mean random:2?)`},
		{"draw -t mesh:4x4 --faults none.csv", "none.csv: no such file or directory (expected a file that can be read)"},
		{"draw -t path:3 --tree breadth-first --faults random:1,links --faults known", "--faults: the faults cut "},
		{"draw -t mesh:4x4 --tree dimension-order --faults random:1 --faults known", "--tree: tree dimension-order on what is left of mesh:4x4 (expected breadth-first)"},
		{"draw -t complete:5 --tree dimension-order", "--tree: tree dimension-order on complete:5 (expected breadth-first)"},
		{"draw -t mesh:4x4 --tree star-trees", "--tree: "},
		{"draw -t mesh:40x40 --tree balanced --form apart", "--form: trees of 1600 nodes in all (expected at most 600)"},
		{"draw -t binary:3 --ring", "--ring: binary:3 (expected a grid, or a network in which a ring through all nodes is found)"},
		{"draw -t mesh:4x4 --ring --bridgeheads 2", "several of them are given (expected one of --tree, --ring and --bridgeheads)"},
		{"draw -t mesh:4x4 --bridgeheads 5", "--bridgeheads: bridgeheads 5 (expected 2 to 4, the nodes along the shortest dimension)"},
		{"draw -t ring:8 --bridgeheads 2", "--bridgeheads: a diagonal in 1 dimension (expected at least 2 dimensions of more than one node)"},
		{"draw -t mesh:4x4 --ring --form apart", "--form: no trees to draw (expected --tree)"},
		{"draw -t mesh:200x2", "mesh:200x2 has no room in a picture (expected at most 100 nodes beside each other)"},
		{"draw -t mesh:4x4 -o /dev/full", "/dev/full: no space left on device"},
	} {
		got := meshwright(t, dir, strings.Fields(c.line)...)
		require.Equal(t, 2, got.code, c.line)
		require.True(t, strings.HasPrefix(got.stderr, "meshwright: "+c.says), "%s: %s", c.line, got.stderr)
		require.Equal(t, 1, strings.Count(got.stderr, "\n"), "%s: %s", c.line, got.stderr)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "nothing half-written")
}

// draw shows the dead nodes and links of a list, and trees on what is left of them if the list is known.
func TestDrawFaults(t *testing.T) {
	dir := t.TempDir()
	for name, rows := range map[string]string{"dead.csv": "node,0\nlink,5>6,100\ndrop,1>2,7\n", "cut.csv": "link,0>5\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(rows), 0o644))
	}
	for _, c := range []struct {
		line, says string
		code       int
	}{
		{"draw -t mesh:4x4 --tree breadth-first --faults dead.csv --faults known", "--root: root 0 is dead (expected a live node)", 2},
		{"draw -t mesh:4x4 --faults cut.csv", "meshwright: cut.csv:1: link 0>5 is not a link of mesh:4x4 (expected a neighbour of 0: 1, 4)", 2},
		{"draw -t mesh:4x4 --faults dead.csv", "16 nodes, 48 links (24 pairs of neighbours), 1 dead node, 1 dead link, one way<", 0},
		{"draw -t mesh:4x4 --faults dead.csv", "5 &gt; 6: dead from cycle 100 on<", 0},
		{"draw -t mesh:4x4 --faults dead.csv", ">dead from cycle 100 on<", 0},
		{"draw -t mesh:4x4 --faults dead.csv", "Lost messages and flipped bits are not drawn.", 0},
		{"draw -t mesh:4x4 --faults random:2 --faults random:1,links", " dead node", 0},
		{"draw -t star:4 --tree breadth-first --form apart --faults random:1,nodes --faults known", "Dead nodes are in none of the trees.", 0},
		{"draw -t star:4 --tree star-trees --form apart --faults random:2,links", ", 0 dead nodes, 2 dead links, both ways<", 0},
		{"draw -t star:3 --labels permutations --faults random:1,nodes", ": dead<", 0},
	} {
		got := meshwright(t, dir, strings.Fields(c.line)...)
		require.Equal(t, c.code, got.code, "%s: %s", c.line, got.stderr)
		require.Contains(t, got.stdout+got.stderr, c.says, c.line)
	}

	arrow := regexp.MustCompile(`<title>tree 1: (\d+) &gt; (\d+)</title>`)
	dead := regexp.MustCompile(`<title>(\d+) &gt; (\d+): dead</title>`)
	for seed := range 8 {
		got := meshwright(t, dir, "draw", "-t", "torus:4x4", "--tree", "breadth-first", "--root", "3", "--faults", "random:1,nodes", "--faults", "random:3,links", "--faults", fmt.Sprint("seed:", seed), "--faults", "known")
		require.Zero(t, got.code, got.stderr)
		cut := map[[2]string]bool{}
		for _, m := range dead.FindAllStringSubmatch(got.stdout, -1) {
			cut[[2]string{m[1], m[2]}], cut[[2]string{m[2], m[1]}] = true, true
		}
		arrows := arrow.FindAllStringSubmatch(got.stdout, -1)
		require.Len(t, arrows, 14, "to all live nodes but the root")
		for _, m := range arrows {
			require.False(t, cut[[2]string{m[1], m[2]}], "seed %d: %s", seed, m[0])
		}
	}
}

// What docs/see.md says of the ring: networks that have one show it, also those that are no grids, and grids without one show a path.
func TestDrawRing(t *testing.T) {
	page, err := os.ReadFile("../docs/see.md")
	require.NoError(t, err)
	for topology, drawn := range map[string]string{
		"mesh:6x4": "ring", "mesh:3x3x2": "ring", "torus:3x3": "ring", "debruijn:3": "ring", "star:4": "ring", "mesh:3x3": "path", "mesh:3x3x3": "path",
	} {
		got := meshwright(t, t.TempDir(), "draw", "-t", topology, "--ring")
		require.Zero(t, got.code, got.stderr)
		require.Contains(t, got.stdout, ", "+drawn+" through all nodes", topology)
	}
	for _, said := range []string{"each mesh with an even side has such a ring", "`debruijn:3` and `star:4`", "such as `mesh:3x3`, shows a path instead"} {
		require.Contains(t, string(page), said)
	}
}

// A disk that is full ends a run with one line, whatever the form of the trace.
func TestTracesOnAFullDisk(t *testing.T) {
	for _, extension := range []string{".html", ".pftrace"} {
		dir := t.TempDir()
		require.NoError(t, os.Symlink("/dev/full", filepath.Join(dir, "run"+extension)))
		got := meshwright(t, dir, "run", "gather", "-t", "mesh:4x4", "--trace", "run"+extension, "--trace", "other.csv")
		require.Equal(t, 2, got.code)
		require.Equal(t, "meshwright: run"+extension+": no space left on device\n", got.stderr)
		require.NoFileExists(t, filepath.Join(dir, "other.csv"), "files of a run appear together")
	}
}

// A run with checkpoints, and one that goes on from a checkpoint, write the trace for Perfetto and the page of a run without.
func TestTracesGoOnFromACheckpoint(t *testing.T) {
	for _, command := range []string{"run gather -t mesh:3x3 -l 20 -a nearest-first", "traffic -t mesh:3x3 --rate 0.1 --warmup 20 --cycles 100"} {
		tracesGoOn(t, strings.Fields(command))
	}
}

func tracesGoOn(t *testing.T, run []string) {
	dir := t.TempDir()
	for _, more := range []string{
		"--trace plain.pftrace --trace plain.html",
		"--trace whole.pftrace --trace whole.html --checkpoint state --every 50",
		"--trace again.pftrace --trace again.html --restore state",
	} {
		got := meshwright(t, dir, append(slices.Clone(run), strings.Fields(more)...)...)
		require.Zero(t, got.code, got.stderr)
	}
	for _, kind := range []string{".pftrace", ".html"} {
		var texts []string
		for _, name := range []string{"plain", "whole", "again"} {
			text, err := os.ReadFile(filepath.Join(dir, name+kind))
			require.NoError(t, err)
			texts = append(texts, string(text))
		}
		require.True(t, texts[0] == texts[1], kind)
		require.True(t, texts[0] == texts[2], kind)
	}
}

// A watch that cannot begin prints its error alone, without an address.
func TestBadWatchesHaveNoAddress(t *testing.T) {
	for _, line := range []string{"watch gossip", "watch gossip -t ring:4 --buffer 0", "watch gossip -t ring:4 -a bukcet", "watch none.csv -t ring:4", "watch traffic -t ring:4 --rate 2"} {
		got := meshwright(t, t.TempDir(), strings.Fields(line)...)
		require.Equal(t, 2, got.code, line)
		require.NotContains(t, got.stderr, "watch at", line)
		require.NotEmpty(t, got.stderr, line)
	}
}
