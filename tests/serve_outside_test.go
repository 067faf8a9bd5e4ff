// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/confine"
	"meshwright/internal/proctest"
)

// A request reads no file outside its folder, whichever of its files names one, and its answer shows nothing of such a file.
func TestRequestsNameNoOtherFiles(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("halt ; hush 42\n"), 0o600))
	up := strings.Repeat("../", 20) + strings.TrimPrefix(secret, "/")
	absent := secret + "-absent"
	graph := filepath.Join(t.TempDir(), "graph")
	require.NoError(t, os.WriteFile(graph, []byte("0,1\n"), 0o600))
	dir := t.TempDir()
	require.Zero(t, meshwright(t, dir, "run", "gossip", "-t", "graph:"+graph, "-l", "2", "--trace", "run.pcapng").code)
	address := served(t, "--listen", "127.0.0.1:0")
	type options = map[string]any
	for _, row := range []struct {
		name, verb, argument string
		options              options
		file                 string
		content              any
		names                string
	}{
		{"include", "run", "x.s", options{"topology": "path:2", "listing": "l.txt"}, "x.s", ".include \"" + secret + "\"\n", secret},
		{"include by a relative name", "run", "x.s", options{"topology": "path:2"}, "x.s", ".include \"" + up + "\"\n", up},
		{"include of no file", "run", "x.s", options{"topology": "path:2"}, "x.s", ".include \"" + absent + "\"\n", absent},
		{"include of a device", "run", "x.s", options{"topology": "path:2"}, "x.s", ".include \"/dev/stdin\"\n", "/dev/stdin"},
		{"firmware that includes", "run", "x.s", options{"topology": "path:2", "firmware": "0=x.s"}, "x.s", ".include \"" + secret + "\"\n", secret},
		{"machine on a graph", "deadlock", "", options{"machine": "m.yaml"}, "m.yaml", "topology: graph:" + secret + "\n", secret},
		{"machine on a graph by a relative name", "deadlock", "", options{"machine": "m.yaml"}, "m.yaml", "topology: graph:" + up + "\n", up},
		{"machine on a tree", "run", "gossip", options{"machine": "m.yaml"}, "m.yaml", "topology: tree:" + secret + "\n", secret},
		{"machine with a routing table", "deadlock", "", options{"machine": "m.yaml", "topology": "ring:4"}, "m.yaml", "routing: table:" + secret + "\n", secret},
		{"machine with a routing table by a relative name", "run", "random", options{"machine": "m.yaml", "topology": "ring:4"}, "m.yaml", "routing: table:" + up + "\n", up},
		{"machine with faults", "run", "gossip", options{"machine": "m.yaml", "topology": "ring:4"}, "m.yaml", "faults: " + secret + "\n", secret},
		{"machine with faults of no file", "run", "gossip", options{"machine": "m.yaml", "topology": "ring:4"}, "m.yaml", "faults: " + absent + "\n", absent},
		{"machine with a list of faults", "plan", "gossip", options{"machine": "m.yaml", "topology": "ring:4"}, "m.yaml", "faults: [known, " + secret + "]\n", secret},
		{"machine with faults in traffic", "traffic", "", options{"machine": "m.yaml", "topology": "ring:4", "rate": 0.1}, "m.yaml", "faults: " + up + "\n", up},
		{"capture of a run on a graph", "import", "run.pcapng", nil, "run.pcapng", map[string][]byte{"base64": read(t, dir, "run.pcapng")}, graph},
	} {
		t.Run(row.name, func(t *testing.T) {
			body := map[string]any{"files": map[string]any{row.file: row.content}}
			if row.options != nil {
				body["options"] = row.options
			}
			if row.argument != "" {
				body["arguments"] = []string{row.argument}
			}
			text, err := json.Marshal(body)
			require.NoError(t, err)
			reply, err := http.Post(address+"/"+row.verb, "application/json", strings.NewReader(string(text)))
			answer := valueOf(t, reply, err).(map[string]any)
			require.Contains(t, answer, "error")
			fault := answer["error"].(map[string]any)
			require.Equal(t, "input", fault["kind"], fault)
			message := fault["message"].(string)
			require.Contains(t, message, "outside the folder of the request (expected a file of the request)")
			require.Contains(t, message, row.names[:min(len(row.names), 40)])
			require.NotContains(t, message, "hush")
		})
	}
}

// What stays in the folder of a request works as on the command line.
func TestRequestsOfSeveralFiles(t *testing.T) {
	t.Parallel()
	address := served(t, "--listen", "127.0.0.1:0")
	for _, row := range []struct{ name, verb, body, field string }{
		{"include", "run", `{"arguments": ["x.s"], "options": {"topology": "path:2", "listing": "l.txt"}, "files": {"x.s": ".include \"y.inc\"\n", "y.inc": "halt\n"}, "return": ["l.txt"]}`, "cycles"},
		{"graph", "run", `{"arguments": ["broadcast"], "options": {"machine": "m.yaml", "length": 4}, "files": {"m.yaml": "topology: graph:g.csv\nfaults: [f.csv]\n", "g.csv": "0,1\n1,2\n2,0\n", "f.csv": "link,0-1\n"}}`, "cycles"},
		{"waveform", "run", `{"arguments": ["gossip"], "options": {"topology": "ring:4", "length": 4, "wave": "w.vcd"}, "return": ["w.vcd"]}`, "cycles"},
		{"checkpoint", "run", `{"arguments": ["gossip"], "options": {"topology": "ring:4", "length": 4, "checkpoint": "c", "every": 10}}`, "cycles"},
		{"lengths", "run", `{"arguments": ["scatter"], "options": {"topology": "path:3", "lengths": "@l.csv"}, "files": {"l.csv": "0,0\n1,3\n2,4\n"}}`, "cycles"},
	} {
		t.Run(row.name, func(t *testing.T) {
			reply, err := http.Post(address+"/"+row.verb, "application/json", strings.NewReader(row.body))
			answer := valueOf(t, reply, err).(map[string]any)
			require.Contains(t, answer, "result", answer)
			require.Contains(t, answer["result"], row.field)
		})
	}
}

// A process that is confined to a folder takes no name outside it for any flag, whether it reads or writes there.
func TestConfinedFlags(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	dir := filepath.Join(top, "dir")
	require.NoError(t, os.MkdirAll(filepath.Join(top, "folder"), 0o777))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "temporary"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(top, "file"), []byte("0,1\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.s"), []byte("halt\n"), 0o666))
	for _, line := range []string{
		"run ../file -t path:2 --format csv", "run ../file.xml -t path:2", "run gossip -t graph:../file", "run gossip -t tree:../file", "run gossip -t path:2 -m ../file",
		"run gossip -t path:2 --faults ../file", "run scatter -t path:2 --lengths @../file", "run gossip -t path:2 --payload ../folder", "run gossip -t path:2 --restore ../file",
		"run scatter -t path:2 -m store-forward --length 4 --packets @../file",
		"run x.s -t path:2 --memory-image ../file", "run x.s -t path:2 --memory-image ../folder", "run x.s -t path:2 --expect ../file", "run --firmware ../file -t path:2",
		"run gossip -t path:2 --trace ../new.csv", "run gossip -t path:2 --table ../new.csv", "run gossip -t path:2 --messages ../new.csv", "run gossip -t path:2 --schedule ../new.csv",
		"run gossip -t path:2 --et ../new.et", "run gossip -t path:2 --xml ../new.xml", "run gossip -t path:2 --listing ../new", "run gossip -t path:2 --wave ../new.vcd",
		"run gossip -t path:2 --checkpoint ../new --every 9", "run x.s -t path:2 --dump ../new.csv", "run x.s -t path:2 --dump ../new", "run x.s -t path:2 --dump ../folder",
		"import ../file --format csv -t path:2", "import ../file.0.et -t path:2", "check ../file -t path:2 --format csv", "deadlock ../file -t path:2",
		"traffic -t path:2 -p trace:../file", "traffic -t path:2 --rate 0.1 -p permutation:../file", "traffic -t path:2 --rate 0.1 -p matrix:../file", "traffic -t path:2 --rate 0.1 --out ../new.csv",
		"traffic -t path:2 --rate 0.1 --per-node ../new.csv", "traffic -t path:2 --rate 0.1 --histogram ../new.csv", "plan gossip -t graph:../file", "plan scatter -t path:2 --lengths @../file",
	} {
		t.Run(line, func(t *testing.T) {
			cmd := proctest.Command(t, binary, strings.Fields(line)...)
			cmd.Dir = dir
			cmd.Env = append(cmd.Environ(), confine.Mark+"="+dir, "TMPDIR="+filepath.Join(dir, "temporary"))
			said := speak(t, cmd)
			require.Equal(t, 2, said.code, said)
			require.Contains(t, said.stderr, "outside the folder of the request (expected a file of the request)")
			require.NoFileExists(t, filepath.Join(top, "new"))
		})
	}
	entries, err := os.ReadDir(top)
	require.NoError(t, err)
	require.Len(t, entries, 3)
}
