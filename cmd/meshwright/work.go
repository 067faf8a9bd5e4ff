// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/internal/parallel"
	"meshwright/internal/scratch"
	"meshwright/study/queue"
)

// workFlags describe a worker.
type workFlags struct {
	tokenFlags
	authorities string
	patience    time.Duration
	workers     int
}

// defaultPatience is how long a worker waits for a server that is gone.
const defaultPatience = 10 * time.Minute

func newWork() *cobra.Command {
	f := workFlags{}
	cmd := &cobra.Command{
		Use:   "work ADDRESS",
		Short: "Run points of a study that another computer sweeps",
		Long: `Runs points that meshwright sweep STUDY.yaml --serve gives, on all cores, until all points of the
study are done: docs/clusters.md explains it. ADDRESS is HOST:PORT, as the server has printed it. The study and the
files that it names come from the server. A server that is gone is waited for as long as --patience says.
Both sides need the same version of meshwright.`,
		Example: `  meshwright work cluster.example:4222 --token-file token
  meshwright work cluster.example:4222 --token-file token --workers 4 --patience 1h`,
		Args: arguments(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	groupCluster.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		f.tokenFlags.add(flags, "none")
		flags.StringVar(&f.authorities, "tls-ca", "", "encrypt, and trust only servers with certificates that stand in `FILE.pem` or are signed by them")
		flags.DurationVar(&f.patience, "patience", defaultPatience, "`time` to wait for a server that is gone")
		flags.IntVar(&f.workers, "workers", parallel.Workers(), "points to run at the same time")
		flags.Lookup("workers").DefValue = "all cores"
	})
	return cmd
}

func (f *workFlags) run(cmd *cobra.Command, address string) (err error) {
	host, port, err := queue.ParseAddress(address)
	if err != nil {
		return err
	}
	if f.workers < 1 {
		return input.At("--workers", 0, "expected at least 1", "%d", f.workers)
	}
	w := queue.Worker{Address: net.JoinHostPort(host, strconv.Itoa(port)), Version: version(), Patience: f.patience, Workers: f.workers}
	if w.Token, err = f.read(cmd); err != nil {
		return err
	}
	if w.TLS, err = authorities(f.authorities); err != nil {
		return err
	}
	if err := w.Join(cmd.Context()); err != nil {
		return err
	}
	defer w.Close()
	temporary, err := filepath.Abs(os.TempDir())
	if err != nil {
		return err
	}
	folder, err := scratch.NewFolder(temporary, "work", 0o700)
	if err != nil {
		return err
	}
	defer folder.Remove()
	if err := w.Fetch(cmd.Context(), folder.Path); err != nil {
		return err
	}
	if err := os.Chdir(folder.Path); err != nil { // the points name files as in the folder of the sweep
		return err
	}
	defer os.Chdir(temporary)
	if err := w.Run(cmd.Context()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), escape.Line(fmt.Sprintf("%s of %s", input.Count(w.Done(), "point"), w.Study())))
	return err
}
