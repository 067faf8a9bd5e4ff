// SPDX-License-Identifier: Apache-2.0

// Package serve answers HTTP requests by running a program: a request names a verb, its
// arguments, its options and small files, and the answer is the JSON that the program prints.
// Every request has a folder and a process of its own, which is confined
// to the folder (package confine). Size, time and number of requests are bounded.
package serve

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"meshwright/internal/confine"
)

// schema is the JSON schema of requests and answers.
//
//go:embed schema.json
var schema []byte

// Config says what a server runs, and its bounds. All fields are needed.
type Config struct {
	Program  string   // path of the program
	Verbs    []string // that may be run; each prints JSON with --json
	Version  string
	MaxBody  int64         // bytes of a request
	MaxReply int64         // bytes of what a program prints, and of the files that are returned
	Timeout  time.Duration // of one run
	Jobs     int           // runs at a time; more requests are refused
}

// request is a run.
type request struct {
	Arguments []string           `json:"arguments"`
	Options   map[string]any     `json:"options"`
	Files     map[string]content `json:"files"`  // by name, with folders: files in the folder of the run
	Return    returned           `json:"return"` // files that the run writes
}

// answer is what came of a run.
type answer struct {
	ExitCode int                `json:"exit_code"` // 0; 1 when a check failed
	Result   json.RawMessage    `json:"result"`
	Files    map[string]content `json:"files,omitempty"`
}

// failure is the form of all errors.
type failure struct {
	Error fault `json:"error"`
}

// fault says what is wrong with a request.
type fault struct {
	Kind     string `json:"kind"`                // request, input, busy, timeout, tool, memory, internal
	Message  string `json:"message"`             // a line for each error
	ExitCode int    `json:"exit_code,omitempty"` // of the program, if it ran
}

// refusal is an error with its HTTP status.
type refusal struct {
	status int
	fault  fault
}

func (r *refusal) Error() string { return r.fault.Message }

func refuse(status int, kind, format string, args ...any) error {
	return &refusal{status, fault{Kind: kind, Message: fmt.Sprintf(format, args...)}}
}

// server is a Config with the places of its runs.
type server struct {
	Config
	places chan struct{}
}

// Handler returns the handler of a server:
//
//	GET  /v1/version  {"version": …, "verbs": […]}
//	GET  /v1/schema   the JSON schema
//	POST /v1/VERB     a request; answered by an answer or a failure
func Handler(c Config) http.Handler {
	s := &server{Config: c, places: make(chan struct{}, c.Jobs)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/version", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]any{"version": c.Version, "verbs": c.Verbs})
	})
	mux.HandleFunc("GET /v1/schema", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/schema+json")
		_, _ = w.Write(schema)
	})
	mux.HandleFunc("POST /v1/{verb}", func(w http.ResponseWriter, r *http.Request) {
		answer, err := s.answer(w, r)
		if err != nil {
			fail(w, err)
			return
		}
		reply(w, http.StatusOK, answer)
	})
	mux.HandleFunc("/v1/{verb}", func(w http.ResponseWriter, r *http.Request) {
		allowed := http.MethodPost
		switch r.PathValue("verb") {
		case "schema":
			allowed = http.MethodGet
		case "version":
			allowed = "GET, POST"
		}
		w.Header().Set("Allow", allowed)
		fail(w, refuse(http.StatusMethodNotAllowed, "request", "%s %s (expected %s)", r.Method, r.URL.Path, allowed))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, refuse(http.StatusNotFound, "request", "%s %s (expected GET /v1/version, GET /v1/schema or POST /v1/VERB)", r.Method, r.URL.Path))
	})
	return local(mux)
}

// local refuses requests whose Host is not this computer: a page of the web that a browser shows must not
// reach the server through a name of its own.
func local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		ip := net.ParseIP(strings.Trim(host, "[]"))
		if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			fail(w, refuse(http.StatusForbidden, "request", "host %q (expected localhost)", r.Host))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func reply(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":{"kind":"internal","message":"no JSON"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}

// fail answers with an error.
func fail(w http.ResponseWriter, err error) {
	var r *refusal
	if !errors.As(err, &r) {
		r = &refusal{http.StatusInternalServerError, fault{Kind: "internal", Message: err.Error()}}
	}
	reply(w, r.status, failure{r.fault})
}

// answer reads a request and runs it.
func (s *server) answer(w http.ResponseWriter, r *http.Request) (*answer, error) {
	verb := r.PathValue("verb")
	if !slices.Contains(s.Verbs, verb) {
		return nil, refuse(http.StatusNotFound, "request", "verb %q (expected one of %s)", verb, strings.Join(s.Verbs, ", "))
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, refuse(http.StatusUnsupportedMediaType, "request", "content type %q (expected application/json)", r.Header.Get("Content-Type"))
	}
	request, err := s.read(w, r)
	if err != nil {
		return nil, err
	}
	args, err := request.commandLine(verb)
	if err != nil {
		return nil, err
	}
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	default:
		return nil, refuse(http.StatusTooManyRequests, "busy", "%d runs are under way (expected a request when one of them has ended)", s.Jobs)
	}
	return s.run(r.Context(), args, request)
}

// read decodes the body, within its bound. It takes what the schema allows: unlike package json it tells upper
// from lower case, and takes no null.
func (s *server) read(w http.ResponseWriter, r *http.Request) (*request, error) {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, s.MaxBody))
	var body json.RawMessage
	err := decoder.Decode(&body)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, refuse(http.StatusRequestEntityTooLarge, "request", "a body of more bytes (expected at most %d)", s.MaxBody)
	case err != nil:
		return nil, notRequest(plain(err))
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, refuse(http.StatusBadRequest, "request", "more behind the object (expected the end of the body)")
	}
	return parse(body)
}

// notRequest refuses a body.
func notRequest(why string) error {
	return refuse(http.StatusBadRequest, "request", "%s (expected an object with arguments, options, files and return)", why)
}

// parse reads a body that is JSON.
func parse(body []byte) (*request, error) {
	for tokens := json.NewDecoder(bytes.NewReader(body)); ; {
		token, err := tokens.Token()
		if err == io.EOF {
			break
		}
		if err == nil && token == nil {
			return nil, notRequest("a value is null")
		}
		if err != nil {
			return nil, notRequest(plain(err))
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	var request request
	if err := decoder.Decode(&request); err != nil {
		return nil, notRequest(plain(err))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, notRequest(plain(err))
	}
	for name := range fields {
		if name != strings.ToLower(name) { // a field that is known, in other letters
			return nil, notRequest(fmt.Sprintf("unknown field %q", name))
		}
	}
	if key, is := repeatedKey(json.NewDecoder(bytes.NewReader(body))); is {
		return nil, refuse(http.StatusBadRequest, "request", "key %q twice in one object (expected each key once)", key)
	}
	return &request, nil
}

// repeatedKey finds a key that an object within the next value has twice: decoders take the last one silently. The JSON is valid.
func repeatedKey(tokens *json.Decoder) (key string, is bool) {
	begin, err := tokens.Token()
	if err != nil || begin != json.Delim('{') && begin != json.Delim('[') {
		return "", false
	}
	known := map[any]bool{}
	for tokens.More() {
		if begin == json.Delim('{') {
			name, _ := tokens.Token()
			if known[name] {
				return fmt.Sprint(name), true
			}
			known[name] = true
		}
		if key, is := repeatedKey(tokens); is {
			return key, true
		}
	}
	_, _ = tokens.Token() // the end of the value
	return "", false
}

// plain is what a decoder of JSON says, without the names of Go's types.
func plain(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return "the body is of type " + kind.Value
	case errors.As(err, &kind):
		return fmt.Sprintf("%s is of type %s", kind.Field, kind.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the body ends too early"
	}
	return strings.TrimPrefix(oneLine(err.Error()), "json: ")
}

var (
	optionName = regexp.MustCompile(`^[a-z][a-z0-9.-]*$`)
	fileName   = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$`)
	outside    = regexp.MustCompile(`(^|[:=@,])[/~]|(^|[:=@,/])\.\.(/|$)`)
)

// refusedOptions reach beyond the folder of a run or its process.
var refusedOptions = []string{"json", "help", "memory", "payload", "serve"}

// commandLine returns the arguments of the program. No text may name a file outside the folder of the run.
func (q *request) commandLine(verb string) ([]string, error) {
	args := []string{verb}
	for _, a := range q.Arguments {
		if strings.HasPrefix(a, "-") {
			return nil, refuse(http.StatusBadRequest, "request", "argument %q (expected options in the object options)", a)
		}
		if err := inside("argument", a); err != nil {
			return nil, err
		}
		args = append(args, a)
	}
	names := make([]string, 0, len(q.Options))
	for name := range q.Options {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !optionName.MatchString(name) || slices.Contains(refusedOptions, name) {
			return nil, refuse(http.StatusBadRequest, "request", "option %q (expected the long name of a flag; %s are not for requests)", name, strings.Join(refusedOptions, ", "))
		}
		values, ok := q.Options[name].([]any)
		if !ok {
			values = []any{q.Options[name]}
		}
		for _, value := range values {
			text, err := optionText(name, value)
			if err != nil {
				return nil, err
			}
			args = append(args, "--"+name+"="+text)
		}
	}
	return append(args, "--json"), nil
}

// optionText is the value of an option on the command line.
func optionText(name string, value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, inside("option "+name, v)
	case json.Number:
		return v.String(), nil
	case bool:
		return fmt.Sprint(v), nil
	}
	return "", refuse(http.StatusBadRequest, "request", "option %q (expected a text, a number, true, false, or a list of them)", name)
}

// inside refuses texts that name files outside the folder of the run.
func inside(what, text string) error {
	if outside.MatchString(text) || strings.ContainsRune(text, 0) {
		return refuse(http.StatusBadRequest, "request", "%s %q (expected names of files in the object files)", what, text)
	}
	return nil
}

// temporaryName is the folder of the program's temporary files in the folder of a run. No file of a request has such a name.
const temporaryName = ".temporary"

// run runs the program in a new folder, to which it is confined.
func (s *server) run(ctx context.Context, args []string, q *request) (*answer, error) {
	dir, err := os.MkdirTemp("", "meshwright-serve-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.Abs(dir); err != nil { // TMPDIR may be a relative name
		return nil, err
	}
	temporary := filepath.Join(dir, temporaryName)
	if err := os.Mkdir(temporary, 0o700); err != nil {
		return nil, err
	}
	if err := q.place(dir); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.Program, args...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	cmd.Env = append(cmd.Environ(), confine.Mark+"="+dir, "TMPDIR="+temporary)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	stdout, stderr := &bounded{left: s.MaxReply}, &bounded{left: 1 << 16}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, refuse(http.StatusGatewayTimeout, "timeout", "the run took longer than %s", s.Timeout)
	case err != nil && !errors.As(err, &exit):
		return nil, err
	case stdout.over:
		return nil, refuse(http.StatusRequestEntityTooLarge, "request", "the result has more bytes (expected at most %d)", s.MaxReply)
	}
	code := cmd.ProcessState.ExitCode()
	if code > 1 || code < 0 || !json.Valid(stdout.text.Bytes()) {
		return nil, ended(code, stderr.text.String())
	}
	answer := &answer{ExitCode: code, Result: bytes.TrimSpace(stdout.text.Bytes())}
	return answer, s.collect(dir, q, answer)
}

// linePrefix is how the program begins the line of an error.
var linePrefix = regexp.MustCompile(`(?m)^meshwright: `)

// ended is the error of a run without a result.
func ended(code int, stderr string) error {
	message := linePrefix.ReplaceAllString(strings.TrimSpace(stderr), "")
	status, kind := http.StatusBadRequest, "input"
	switch code {
	case 2:
	case 3:
		status, kind = http.StatusNotImplemented, "tool"
	case 4:
		status, kind = http.StatusUnprocessableEntity, "memory"
	default:
		status, kind = http.StatusInternalServerError, "internal"
	}
	return &refusal{status, fault{kind, message, code}}
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// bounded is a buffer that drops what is too much.
type bounded struct {
	text bytes.Buffer // not embedded: its ReadFrom would pass Write by
	left int64
	over bool
}

// Write keeps what there is room for.
func (b *bounded) Write(text []byte) (int, error) {
	if int64(len(text)) > b.left {
		b.over = true
		return len(text), nil
	}
	b.left -= int64(len(text))
	return b.text.Write(text)
}
