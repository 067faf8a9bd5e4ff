// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/capture/live"
	"meshwright/fabric"
	"meshwright/internal/input"
)

// watchFlags serve the page of a run that goes on. Without an address there is none.
type watchFlags struct {
	address, browser string
	paused           bool
	tokenFlags

	cmd    *cobra.Command
	title  string
	opener string // path of the browser
	server *live.Server
	watch  *live.Watch
	net    *fabric.Network
}

// anyPort is the address without --listen: this computer, and a port that is free.
const anyPort = "127.0.0.1:0"

func newWatch() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:        "watch " + whatToRun,
		SuggestFor: []string{"animate", "view", "viewer", "gui", "browser"},
		Short:      "Run, and show the run in a browser while it goes on",
		Long: `Does as run does, with the same arguments and flags, and serves a page while the run goes on:
progress, rate and time left, the load of each link, the fullest buffers, and buttons to pause,
step and stop. The address of the page is printed when the run begins. Only this computer can reach it
unless --listen says otherwise, and only who knows its token is answered.

` + whatRuns(),
		Example: `  meshwright watch gossip --topology torus:8x8 --length 64
  meshwright watch gather --topology mesh:8x8 --listen 127.0.0.1:0 --token 3fGq
  meshwright watch traffic --topology mesh:8x8 --rate 0.1 --cycles 20000`,
		Args: runnable(&f.jobFlags, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, f.subject(args, 0)) },
	}
	f.jobFlags.add(cmd, 0)
	f.addMeant(cmd)
	f.addFormat(cmd, runFormats()...)
	f.addViews(cmd)
	f.addDump(cmd)
	f.watch.add(cmd)
	cmd.AddCommand(newWatchTraffic())
	return cmd
}

func newWatchTraffic() *cobra.Command {
	cmd, f := trafficCommand()
	cmd.Short = "Measure one load of traffic, and show the run in a browser while it goes on"
	cmd.Long = "Does as traffic does, with the same flags, for one rate and one seed, and serves a page as watch does."
	cmd.Example = "  meshwright watch traffic --topology mesh:8x8 --rate 0.1 --cycles 20000"
	f.watch.add(cmd)
	return cmd
}

func (f *watchFlags) add(cmd *cobra.Command) {
	f.address = anyPort
	groupWatch.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.address, "listen", anyPort, "serve the page at `HOST:PORT`; port 0 is any")
		f.tokenFlags.addFor(flags, "pages", "a new one, which is printed")
		flags.BoolVar(&f.paused, "paused", false, "wait before the first cycle")
		flags.StringVar(&f.browser, "browser", "", "open the page with this `PROGRAM`")
	})
}

// on reports whether the run is to be watched.
func (f *watchFlags) on() bool { return f.address != "" }

// listen takes the address before any work is done.
func (f *watchFlags) listen(cmd *cobra.Command, title string) error {
	if !f.on() {
		return nil
	}
	if f.browser != "" {
		var err error
		if f.opener, err = exec.LookPath(f.browser); err != nil {
			return input.At("--browser", 0, "expected a program", "%s is not there", input.Clip(f.browser))
		}
	}
	token, err := f.readOrMake(cmd)
	if err != nil {
		return err
	}
	f.cmd, f.title = cmd, title
	f.server, err = live.Listen(f.address, token, interruptSelf)
	return input.Locate(err, "--listen", 0)
}

// announce prints the address of a page that has something to show, and opens it.
func (f *watchFlags) announce() error {
	fmt.Fprintln(f.cmd.ErrOrStderr(), "meshwright: watch at "+f.server.URL())
	if f.opener == "" {
		return nil
	}
	opened := exec.Command(f.opener, f.server.URL())
	if err := opened.Start(); err != nil {
		return input.At("--browser", 0, "expected a program", "%v", err)
	}
	go opened.Wait() //nolint:errcheck // the browser may stay, or end as it likes
	return nil
}

// interruptSelf ends the run as Ctrl-C does.
func interruptSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(os.Interrupt)
	}
}

// open puts the network under the watch. All arguments have been checked by then.
func (f *watchFlags) open(n *fabric.Network) (err error) {
	if f.server == nil {
		return nil
	}
	if f.watch, err = live.New(n, f.title, f.paused); err != nil {
		return err
	}
	f.net = n
	f.server.Serve(f.watch)
	return f.announce()
}

// close tells the page that the run has ended, and ends the service.
func (f *watchFlags) close() {
	if f.server == nil {
		return
	}
	if f.watch != nil && f.cmd.Context().Err() == nil {
		f.watch.End(f.net)
	}
	_ = f.server.Close() // the run has its result
	f.server = nil
}
