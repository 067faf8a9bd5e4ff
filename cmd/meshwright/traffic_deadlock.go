// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/fabric/deadlock"
	"meshwright/internal/input"
	"meshwright/study"
)

// mostJudged bounds the nodes of a network whose routes are judged beside a measurement: it takes less time than the measurement.
const mostJudged = 256

// mayDeadlock reports whether packets of a load may wait in a circle of channels; known is false where that cannot be found out in short time.
func mayDeadlock(ctx context.Context, s *study.LoadStudy) (may, known bool) {
	if s.Topology.Nodes() > mostJudged {
		return false, false
	}
	n, err := fabric.New(s.Topology, s.Machine)
	if err != nil {
		return false, false // the runs say it
	}
	pairs := s.Load.Pairs()
	if s.Trace != nil {
		pairs = s.Trace.Pairs()
	}
	var v *deadlock.Verdict
	if pairs == nil {
		v, err = deadlock.Check(ctx, n)
	} else {
		v, err = deadlock.CheckMessages(ctx, n, func(yield func(fabric.Message) bool) {
			for _, p := range pairs {
				if !yield(fabric.Message{Source: p.Source, Destination: p.Destination, Length: 1}) {
					return
				}
			}
		})
	}
	if err != nil {
		return false, false
	}
	return v.Cycle != nil, true
}

// deadlockCommand is the command line that judges the machine and network of another one.
func deadlockCommand(cmd *cobra.Command) string {
	words := []string{"meshwright", "deadlock"}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Changed || groupOf(flag) != groupMachine {
			return
		}
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			words = append(words, "--"+flag.Name, input.Clip(value))
		}
	})
	if seed := cmd.Flags().Lookup("seed"); seed.Changed && cmd.Flags().Changed("faults") && !slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, "seed:") }) {
		words = append(words, "--faults", "seed:"+seed.Value.String()) // of random faults
	}
	return strings.Join(words, " ")
}
