// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// program is a shell script in place of the program: the verb is what it does.
const program = `#!/bin/sh
case $1 in
args) for a; do printf '%s\n' "$a"; done | sed 's/.*/"&"/' | paste -sd, | sed 's/.*/[&]/' ;;
fails) echo '{"ok":false}'; exit 1 ;;
bad) echo 'meshwright: flag: wrong (expected right)' >&2; exit 2 ;;
twice) printf 'meshwright: x.s:1: wrong\nmeshwright: x.s:2: meshwright: odd\n  x\n  ^\n' >&2; exit 2 ;;
tool) echo 'meshwright: no tool' >&2; exit 3 ;;
large) exit 4 ;;
slow) exec sleep 60 ;;
long) head -c 100000 /dev/zero | tr '\0' 1 ;;
copy) cat in.txt > out.txt; echo '{}' ;;
many) mkdir -p out "$TMPDIR/x"; cat a/in.txt b/in.txt > out/both.txt; printf '\377' > bytes; printf more >> b/in.txt; echo > "$TMPDIR/x/t"; echo '{}' ;;
esac
`

func start(t *testing.T) *httptest.Server { return startFor(t, 500*time.Millisecond) }

// startFor starts a server whose runs may take some time.
func startFor(t *testing.T, timeout time.Duration) *httptest.Server {
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, []byte(program), 0o755))
	s := httptest.NewServer(Handler(Config{
		Program: path, Verbs: []string{"args", "fails", "bad", "tool", "large", "slow", "long", "copy", "many", "twice"}, Version: "1",
		MaxBody: 4096, MaxReply: 4096, Timeout: timeout, Jobs: 1,
	}))
	t.Cleanup(s.Close)
	return s
}

func post(t *testing.T, url, body string) (int, string) {
	reply, err := http.Post(url, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer reply.Body.Close()
	var text strings.Builder
	var v json.RawMessage
	require.NoError(t, json.NewDecoder(reply.Body).Decode(&v))
	text.Write(v)
	return reply.StatusCode, text.String()
}

func TestAnswers(t *testing.T) {
	s := start(t)
	for _, row := range []struct {
		name, verb, body string
		status           int
		want             string
	}{
		{"command line", "args", `{"arguments":["a","b:c"],"options":{"n":3,"k":[1.5,"x"],"t":true,"nic.channels":"links"}}`, 200,
			`{"exit_code":0,"result":["args","a","b:c","--k=1.5","--k=x","--n=3","--nic.channels=links","--t=true","--json"]}`},
		{"nothing given", "args", `{}`, 200, `{"exit_code":0,"result":["args","--json"]}`},
		{"a check that failed", "fails", `{}`, 200, `{"exit_code":1,"result":{"ok":false}}`},
		{"files", "copy", `{"files":{"in.txt":"hello"},"return":["out.txt"]}`, 200, `{"exit_code":0,"result":{},"files":{"out.txt":"hello"}}`},
		{"bad input", "bad", `{}`, 400, `{"error":{"kind":"input","message":"flag: wrong (expected right)","exit_code":2}}`},
		{"no tool", "tool", `{}`, 501, `{"error":{"kind":"tool","message":"no tool","exit_code":3}}`},
		{"no memory", "large", `{}`, 422, `{"error":{"kind":"memory","message":"","exit_code":4}}`},
		{"too slow", "slow", `{}`, 504, `{"error":{"kind":"timeout","message":"the run took longer than 500ms"}}`},
		{"too long", "long", `{}`, 413, `{"error":{"kind":"request","message":"the result has more bytes (expected at most 4096)"}}`},
		{"unknown verb", "rm", `{}`, 404, `{"error":{"kind":"request","message":"verb \"rm\" (expected one of args, fails, bad, tool, large, slow, long, copy, many, twice)"}}`},
		{"no JSON", "args", `{`, 400, `{"error":{"kind":"request","message":"the body ends too early (expected an object with arguments, options, files and return)"}}`},
		{"unknown field", "args", `{"args":[]}`, 400, `{"error":{"kind":"request","message":"unknown field \"args\" (expected an object with arguments, options, files and return)"}}`},
		{"empty body", "args", ``, 400, `{"error":{"kind":"request","message":"the body ends too early (expected an object with arguments, options, files and return)"}}`},
		{"no object", "args", `[]`, 400, `{"error":{"kind":"request","message":"the body is of type array (expected an object with arguments, options, files and return)"}}`},
		{"field of another type", "args", `{"arguments":"a"}`, 400, `{"error":{"kind":"request","message":"arguments is of type string (expected an object with arguments, options, files and return)"}}`},
		{"field in other letters", "args", `{"Arguments":["a"]}`, 400, `{"error":{"kind":"request","message":"unknown field \"Arguments\" (expected an object with arguments, options, files and return)"}}`},
		{"null", "args", `{"arguments":[null]}`, 400, `{"error":{"kind":"request","message":"a value is null (expected an object with arguments, options, files and return)"}}`},
		{"a key twice", "args", `{"arguments":["a"],"options":{"a":[1,2]},"arguments":["b"]}`, 400, `{"error":{"kind":"request","message":"key \"arguments\" twice in one object (expected each key once)"}}`},
		{"an option twice", "args", `{"options":{"a":1,"b":[2],"a":1}}`, 400, `{"error":{"kind":"request","message":"key \"a\" twice in one object (expected each key once)"}}`},
		{"a file twice", "args", `{"files":{"x":"a","y":{"base64":"","base64":""}}}`, 400, `{"error":{"kind":"request","message":"key \"base64\" twice in one object (expected each key once)"}}`},
		{"two objects", "args", `{}{}`, 400, `{"error":{"kind":"request","message":"more behind the object (expected the end of the body)"}}`},
		{"large body", "args", `{"arguments":["` + strings.Repeat("x", 5000) + `"]}`, 413, `{"error":{"kind":"request","message":"a body of more bytes (expected at most 4096)"}}`},
		{"flag as argument", "args", `{"arguments":["--trace"]}`, 400, `{"error":{"kind":"request","message":"argument \"--trace\" (expected options in the object options)"}}`},
		{"option name", "args", `{"options":{"A b":1}}`, 400, `{"error":{"kind":"request","message":"option \"A b\" (expected the long name of a flag; json, help, memory, payload, serve are not for requests)"}}`},
		{"option value", "args", `{"options":{"a":{}}}`, 400, `{"error":{"kind":"request","message":"option \"a\" (expected a text, a number, true, false, or a list of them)"}}`},
		{"file name", "args", `{"files":{"../x":""}}`, 400, `{"error":{"kind":"request","message":"file \"../x\" (expected a name of letters, digits, _ . and -, in folders with such names or in none)"}}`},
		{"hidden folder", "args", `{"files":{".temporary/x":""}}`, 400, `{"error":{"kind":"request","message":"file \".temporary/x\" (expected a name of letters, digits, _ . and -, in folders with such names or in none)"}}`},
		{"file and folder", "args", `{"files":{"a":"","a/b/c":""}}`, 400, `{"error":{"kind":"request","message":"file \"a/b/c\" (expected no file with the name of its folder)"}}`},
		{"returned name", "args", `{"return":["a/../b"]}`, 400, `{"error":{"kind":"request","message":"return \"a/../b\" (expected a name of letters, digits, _ . and -, in folders with such names or in none)"}}`},
		{"return of another type", "args", `{"return":"some"}`, 400, `{"error":{"kind":"request","message":"return is neither a list of names nor \"all\" (expected an object with arguments, options, files and return)"}}`},
		{"content of another type", "args", `{"files":{"a":1}}`, 400, `{"error":{"kind":"request","message":"a file is neither a text nor an object with base64 (expected an object with arguments, options, files and return)"}}`},
		{"content that is not in base64", "args", `{"files":{"a":{"base64":"?"}}}`, 400, `{"error":{"kind":"request","message":"a file is neither a text nor an object with base64 (expected an object with arguments, options, files and return)"}}`},
		{"files in folders", "many", `{"files":{"a/in.txt":"1","b/in.txt":"2"},"return":["out/both.txt"]}`, 200, `{"exit_code":0,"result":{},"files":{"out/both.txt":"12"}}`},
		{"all files that a run writes", "many", `{"files":{"a/in.txt":"1","b/in.txt":"2"},"return":"all"}`, 200, `{"exit_code":0,"result":{},"files":{"b/in.txt":"2more","bytes":{"base64":"/w=="},"out/both.txt":"12"}}`},
		{"bytes", "copy", `{"files":{"in.txt":{"base64":"/wA="}},"return":["out.txt"]}`, 200, `{"exit_code":0,"result":{},"files":{"out.txt":{"base64":"/wA="}}}`},
		{"several errors", "twice", `{}`, 400, `{"error":{"kind":"input","message":"x.s:1: wrong\nx.s:2: meshwright: odd\n  x\n  ^","exit_code":2}}`},
		{"no such file", "args", `{"return":["x"]}`, 400, `{"error":{"kind":"request","message":"return \"x\" (expected a file that the run writes)"}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			status, text := post(t, s.URL+"/v1/"+row.verb, row.body)
			require.Equal(t, row.status, status, text)
			require.JSONEq(t, row.want, text)
		})
	}
}

// No request names a file outside its folder.
func TestOutside(t *testing.T) {
	for text, refused := range map[string]bool{
		"/etc/passwd": true, "tree:/etc/passwd": true, "../x": true, "a/../../x": true, "tree:../x": true, "@/x": true, "@../x": true, "~/x": true, "0=/x": true, "..": true, "a,/b": true,
		"3/2": false, "a.csv": false, "tree:a.csv": false, "mesh:4x4": false, "1@0.5,8@0.5": false, "a..b": false, "1..2": false,
	} {
		require.Equal(t, refused, inside("option", text) != nil, text)
	}
}

func TestOtherRequests(t *testing.T) {
	s := start(t)
	reply, err := http.Get(s.URL + "/v1/version")
	require.NoError(t, err)
	require.Equal(t, 200, reply.StatusCode)
	require.NoError(t, reply.Body.Close())
	reply, err = http.Get(s.URL + "/v1/schema")
	require.NoError(t, err)
	var schema map[string]any
	require.NoError(t, json.NewDecoder(reply.Body).Decode(&schema))
	require.NoError(t, reply.Body.Close())
	require.Contains(t, schema, "$defs")
	reply, err = http.Get(s.URL + "/")
	require.NoError(t, err)
	require.Equal(t, 404, reply.StatusCode)
	require.NoError(t, reply.Body.Close())
	reply, err = http.Post(s.URL+"/v1/args", "text/plain", strings.NewReader("{}"))
	require.NoError(t, err)
	require.Equal(t, 415, reply.StatusCode)
	require.NoError(t, reply.Body.Close())
}

func TestWrongMethods(t *testing.T) {
	s := start(t)
	for _, row := range []struct{ method, path, allow string }{{"GET", "/v1/args", "POST"}, {"PUT", "/v1/args", "POST"}, {"DELETE", "/v1/version", "GET, POST"}, {"DELETE", "/v1/schema", "GET"}} {
		request, err := http.NewRequest(row.method, s.URL+row.path, nil)
		require.NoError(t, err)
		reply, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, reply.Body.Close())
		require.Equal(t, []any{http.StatusMethodNotAllowed, row.allow}, []any{reply.StatusCode, reply.Header.Get("Allow")}, row)
	}
}

// A client that goes away ends its run, and makes room for another one.
func TestAClientThatGoesAway(t *testing.T) {
	s := startFor(t, time.Hour)
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		for { // the request may be refused as long as the others have the place
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/slow", strings.NewReader("{}"))
			if err == nil {
				request.Header.Set("Content-Type", "application/json")
				var reply *http.Response
				if reply, err = http.DefaultClient.Do(request); err == nil {
					_ = reply.Body.Close()
					continue
				}
			}
			gone <- err
			return
		}
	}()
	require.Eventually(t, func() bool {
		status, _ := post(t, s.URL+"/v1/args", "{}")
		return status == http.StatusTooManyRequests
	}, proctest.Limit, time.Millisecond)
	leave()
	require.ErrorIs(t, <-gone, context.Canceled)
	require.Eventually(t, func() bool {
		status, _ := post(t, s.URL+"/v1/args", "{}")
		return status == http.StatusOK
	}, proctest.Limit, time.Millisecond)
}

// A page of the web whose name leads to this computer is refused.
func TestForeignHost(t *testing.T) {
	s := start(t)
	request, err := http.NewRequest(http.MethodGet, s.URL+"/v1/version", nil)
	require.NoError(t, err)
	request.Host = "evil.example:8731"
	reply, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.Equal(t, 403, reply.StatusCode)
	require.NoError(t, reply.Body.Close())
}

// While all places are taken, a request is refused at once.
func TestBusy(t *testing.T) {
	s := start(t)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for { // a slow request may itself be refused
			reply, err := http.Post(s.URL+"/v1/slow", "application/json", strings.NewReader("{}"))
			if err == nil {
				_ = reply.Body.Close()
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	require.Eventually(t, func() bool {
		status, _ := post(t, s.URL+"/v1/args", "{}")
		return status == http.StatusTooManyRequests
	}, proctest.Limit, time.Millisecond)
	close(stop)
	<-done
}
