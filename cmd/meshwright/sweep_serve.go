// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/input"
	"meshwright/study/queue"
	"meshwright/study/sweep"
)

// serveFlags describe a sweep by workers.
type serveFlags struct {
	address, certificate, key string
	lease                     time.Duration
	tokenFlags
}

// serveFlagNames are the flags that need --serve.
var serveFlagNames = append([]string{"tls-cert", "tls-key", "lease"}, tokenFlagNames...)

// The default of --lease, and the least.
const (
	defaultLease = 10 * time.Second
	leastLease   = 100 * time.Millisecond
)

func (f *serveFlags) add(cmd *cobra.Command) {
	groupCluster.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.address, "serve", "", "give the points to meshwright work, at `HOST:PORT` (the host by default 127.0.0.1, port 0 any)")
		f.tokenFlags.add(flags, "a new one, which is printed")
		flags.StringVar(&f.certificate, "tls-cert", "", "encrypt, with this certificate: `FILE.pem`")
		flags.StringVar(&f.key, "tls-key", "", "the key of the certificate: `FILE.pem`")
		flags.DurationVar(&f.lease, "lease", defaultLease, "`time` after which the point of a worker that is silent is given to another")
	})
}

// fits refuses flags that do not go together.
func (f *serveFlags) fits(cmd *cobra.Command) error {
	if f.address == "" {
		return refuse(cmd, "only --serve has it", "given without --serve", serveFlagNames)
	}
	if f.lease < leastLease {
		return input.At("--lease", 0, "expected at least "+leastLease.String(), "%s", f.lease)
	}
	return refuse(cmd, "workers run the points", "given with --serve", []string{"on"})
}

// run gives the points that have no results to workers.
func (f *serveFlags) run(cmd *cobra.Command, study *studyFlags, s *sweep.Sweep, asJSON bool) (err error) {
	host, port, err := queue.ParseAddress(f.address)
	if err != nil {
		return input.Locate(err, "--serve", 0)
	}
	server := queue.Server{Study: s.Study.Name, Version: s.Version, Need: s.Study.Need(), Host: host, Port: port, Lease: f.lease}
	if server.TLS, err = identity(cmd, f.certificate, f.key); err != nil {
		return err
	}
	if server.Token, err = f.readOrMake(cmd); err != nil {
		return err
	}
	if err := study.open(cmd, s); err != nil {
		return err
	}
	defer s.Store.Close()
	tasks, summary, err := s.Plan(cmd.Context())
	if err != nil {
		return input.Locate(err, study.points, 0)
	}
	server.Tasks, server.Store = tasks, s.Store
	ended := study.sayHowFar(cmd, func() *sweep.Summary {
		return &sweep.Summary{Points: summary.Points, There: summary.There, Computed: server.Done()}
	})
	defer func() { ended(err) }()
	if len(tasks) > 0 {
		err = server.Run(cmd.Context(), func(address string) error { return f.invite(cmd, address, server.Token) })
		summary.Computed = server.Done()
	}
	if err == nil {
		err = s.Count(cmd.Context(), summary)
	}
	if err != nil {
		return err
	}
	return study.finish(cmd, s, summary, asJSON)
}

// invite says how workers come.
func (f *serveFlags) invite(cmd *cobra.Command, address, token string) error {
	line := "workers: meshwright work " + address
	switch {
	case f.file != "":
		line += " --token-file " + f.file
	case !cmd.Flags().Changed("token"):
		line += " --token " + token
	default:
		line += " --token …"
	}
	if f.certificate != "" {
		line += " --tls-ca " + f.certificate
	}
	_, err := fmt.Fprintln(cmd.ErrOrStderr(), line)
	return err
}
