// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/input"
	"meshwright/internal/listen"
	"meshwright/internal/serve"
)

// servedVerbs are the verbs that requests may name.
var servedVerbs = []string{"check", "deadlock", "import", "list", "plan", "run", "traffic", "version"}

// apiFlags describe the server of requests.
type apiFlags struct {
	listen   string
	timeout  time.Duration
	jobs     int
	megabyte int
}

// The bounds of the flags.
const (
	mostJobs      = 1024
	mostMegabytes = 256
)

func newServe() *cobra.Command {
	f := apiFlags{listen: "127.0.0.1:0", timeout: time.Minute, jobs: 2, megabyte: 16}
	cmd := &cobra.Command{
		Use:        "serve",
		SuggestFor: []string{"server", "http", "api"},
		Short:      "Answer requests of other programs: JSON over HTTP on this computer",
		Long: `Runs until it is interrupted, and answers requests of notebooks and other programs on this computer:

  POST /v1/VERB     {"arguments": ["gossip"], "options": {"topology": "mesh:4x4"}}
  GET  /v1/version  the version and the verbs
  GET  /v1/schema   the JSON schema of requests and answers

VERB is check, deadlock, import, list, plan, run, traffic or version. The result is what the verb
prints with --json. Each request is a process in a folder of its own, and names no
file outside it. The address must be one of this computer; whoever may open it may run jobs.`,
		Example: `  meshwright serve
  meshwright serve --timeout 10m --jobs 4`,
		Args: arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.listen, "listen", f.listen, "`HOST:PORT` of this computer (port 0: any)")
		flags.DurationVar(&f.timeout, "timeout", f.timeout, "longest `time` of a run")
		flags.IntVar(&f.jobs, "jobs", f.jobs, "runs at a time; more requests are refused")
		flags.IntVar(&f.megabyte, "megabytes", f.megabyte, "most megabytes of a request, and of an answer")
	})
	return cmd
}

func (f *apiFlags) run(cmd *cobra.Command) error {
	host, _, err := net.SplitHostPort(f.listen)
	ip := net.ParseIP(host)
	switch {
	case err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()):
		return input.At("--listen", 0, "expected an address of this computer, such as 127.0.0.1:0", "%q", input.Clip(f.listen))
	case f.timeout < time.Millisecond:
		return input.At("--timeout", 0, "expected at least 1ms", "%s", f.timeout)
	case f.jobs < 1 || f.jobs > mostJobs:
		return input.At("--jobs", 0, "expected 1 to "+itoa(mostJobs), "%d", f.jobs)
	case f.megabyte < 1 || f.megabyte > mostMegabytes:
		return input.At("--megabytes", 0, "expected 1 to "+itoa(mostMegabytes), "%d", f.megabyte)
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	listener, err := listen.TCP(f.listen)
	if err != nil {
		return input.Locate(err, "--listen", 0)
	}
	bytes := int64(f.megabyte) << 20
	server := &http.Server{
		Handler: serve.Handler(serve.Config{
			Program: program, Verbs: servedVerbs, Version: version(), MaxBody: bytes, MaxReply: bytes, Timeout: f.timeout, Jobs: f.jobs,
		}),
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, MaxHeaderBytes: 1 << 16,
	}
	if _, err := fmt.Fprintf(cmd.ErrOrStderr(), "serving http://%s/v1\n", listener.Addr()); err != nil {
		return err
	}
	stop := context.AfterFunc(cmd.Context(), func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return cmd.Context().Err()
}
