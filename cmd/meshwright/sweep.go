// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"

	"github.com/spf13/cobra"

	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/study/question"
)

func newSweep() *cobra.Command {
	var f studyFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:        "sweep STUDY.yaml",
		SuggestFor: []string{"study", "explore", "experiment"},
		Short:      "Run the points of a study",
		Long: `Runs all points of a study on all cores, or on as many as the environment variable
GOMAXPROCS says: docs/studies.md explains the file, which may also be JSON; - is standard input. The results go to a store, a SQLite file. A sweep
that is ended in any way loses at most the points in hand, and another one goes on from there.
A point that fails is kept with its error, and the others go on; the exit code is 1 then.
meshwright report shows the results.`,
		Example: `  meshwright sweep examples/studies/startup.yaml --store small.db -P side=3
  meshwright sweep examples/studies/paragon.yaml -P to=8 --out paragon.csv`,
		Args: func(cmd *cobra.Command, args []string) error { return f.sweepable(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.schema {
				return printSchema(cmd.OutOrStdout())
			}
			return f.run(cmd, args[0], asJSON)
		},
	}
	f.add(cmd)
	addJSON(cmd, &asJSON)
	cmd.AddCommand(newSweepFaults())
	cmd.AddCommand(newSweepAround())
	return cmd
}

// sweepable demands a study file.
func (f *studyFlags) sweepable(cmd *cobra.Command, args []string) error {
	if f.schema {
		return arguments(0)(cmd, args)
	}
	if err := arguments(1)(cmd, args); err != nil {
		return err
	}
	if !isStudy(args[0]) {
		return input.Errorf("expected STUDY.yaml, STUDY.json, faults or around", "%s is no study", escape.Line(args[0]))
	}
	return nil
}

// printSchema prints the JSON schema of study files.
func printSchema(w io.Writer) error {
	text, err := question.Schema()
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
