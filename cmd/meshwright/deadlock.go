// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/capture/svg"
	"meshwright/fabric"
	"meshwright/fabric/deadlock"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// deadlockFlags ask whether messages may wait for one another in a circle.
type deadlockFlags struct {
	machineFlags
	output string
	json   bool
}

// deadlockAnswer is the verdict; its JSON names are a contract.
type deadlockAnswer struct {
	Free         bool              `json:"deadlock_free"`
	Routing      string            `json:"routing"`
	Channels     int               `json:"channels"`
	Dependencies int               `json:"dependencies"`
	*avoidance                     // nil: routes go around nothing
	Cycle        []cycleChannel    `json:"cycle,omitempty"`
	Topology     string            `json:"topology"`
	Machine      map[string]string `json:"machine"`
	Version      string            `json:"version"`
	name         string            // of the machine
	topology     *topology.Topology
}

// cycleChannel is a virtual channel of a link on a cycle.
type cycleChannel struct {
	Node int `json:"node"`
	Port int `json:"port"`
	VC   int `json:"vc"`
	To   int `json:"to"`
}

// waitingChannel is a channel in the cycle of a deadlock that has happened. A virtual channel of a link has the fields of a
// cycleChannel, an injection channel has its node and number.
type waitingChannel struct {
	Node      int    `json:"node"`
	Port      *int   `json:"port,omitempty"`
	VC        *int   `json:"vc,omitempty"`
	To        *int   `json:"to,omitempty"`
	Injection *int   `json:"injection_channel,omitempty"`
	Message   int64  `json:"message"`
	WaitsFor  string `json:"waits_for"`
}

// waitReasons are the words of JSON for what a channel waits for.
var waitReasons = map[router.Reason]string{router.ForClaim: "output", router.ForRoom: "room", router.ForTurn: "turn"}

// newWaitingChannels lists the cycle of a run that ended in a deadlock; nil of any other error.
func newWaitingChannels(t *topology.Topology, err error) []waitingChannel {
	var locked *router.Deadlock
	if !errors.As(err, &locked) {
		return nil
	}
	var list []waitingChannel
	for _, w := range locked.Chain {
		c := waitingChannel{Node: int(w.Node), Message: w.Message, WaitsFor: waitReasons[w.For]}
		if w.Port == router.NoPort {
			number := int(w.Channel)
			c.Injection = &number
		} else { // the buffer behind a link
			port, vc, to := int(t.BackPort(w.Node, w.Port)), int(w.VC), int(w.Node)
			c.Node, c.Port, c.VC, c.To = int(t.Neighbor(w.Node, w.Port)), &port, &vc, &to
		}
		list = append(list, c)
	}
	return list
}

func newDeadlock() *cobra.Command {
	var f deadlockFlags
	cmd := &cobra.Command{
		Use:        "deadlock [SCHEDULE.csv] --topology T",
		SuggestFor: []string{"dependencies", "deadlocks"},
		Short:      "Prove that routes are free of deadlock, or show channels that may wait in a circle",
		Long: `Builds the channel-dependency graph of a machine on a network. Its nodes are the virtual
channels of all links. It has an edge from a channel to each channel for which a message may wait
while it holds the first one. If the graph has no cycle, messages cannot deadlock, whatever
the PEs send. Otherwise the verb prints a shortest cycle, and the exit code is 1: messages
that are long enough or many enough may wait for one another in this cycle. --out draws it.

Every node may send to every other node at any time. With a schedule, only its messages are
sent, on their routes, each at any time. The verb looks at chips and routes, not at PEs that
wait for messages before they send.`,
		Example: `  meshwright deadlock --topology torus:8x8
  meshwright deadlock --topology random-tree:100 --json
  meshwright deadlock gather.csv --topology torus:8x8 --json`,
		Args: cobra.MatchAll(func(cmd *cobra.Command, args []string) error { return arguments(min(1, len(args)))(cmd, args) }, noneIsTopology),
		RunE: f.run,
	}
	f.simulates = true
	f.add(cmd)
	addJSON(cmd, &f.json)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.output, "out", "o", "", "draw the network, and the cycle on it: `FILE`.svg")
	})
	return cmd
}

func (f *deadlockFlags) run(cmd *cobra.Command, args []string) error {
	t, m, err := f.load(cmd)
	if err != nil {
		return err
	}
	if err := m.KnowsFaults(t); err != nil {
		return input.Locate(err, "--faults", 0)
	}
	file := strings.Join(args, "")
	if err := f.checkOutput(file, t); err != nil {
		return err
	}
	v, n, err := judgeRoutes(cmd.Context(), file, t, m)
	if err != nil {
		return err
	}
	a := newDeadlockAnswer(v, n)
	a.name = f.named
	if f.output != "" {
		if err := writeTo(cmd.OutOrStdout(), f.output, a.picture(n).Write); err != nil {
			return err
		}
	}
	print := a.print
	if f.json {
		print = func(w io.Writer) error { return printJSON(w, a) }
	}
	if err := print(cmd.OutOrStdout()); err != nil {
		return err
	}
	if !a.Free {
		return errFailed
	}
	return nil
}

// checkOutput judges the file of the picture, and whether the network has room in it: the check may take long.
func (f *deadlockFlags) checkOutput(schedule string, t *topology.Topology) error {
	if f.output == "" {
		return nil
	}
	var paths input.Paths
	f.inputs(&paths)
	if schedule != "" {
		paths.Read("schedule", schedule)
	}
	if err := paths.WriteAs(outFlag, f.output, ".svg"); err != nil {
		return err
	}
	return input.Locate(svg.Room(t), outFlag, 0)
}

// judgeRoutes builds the network and checks the routes of all messages, or those of a schedule's.
func judgeRoutes(ctx context.Context, file string, t *topology.Topology, m machine.Machine) (*deadlock.Verdict, *fabric.Network, error) {
	if file != "" {
		return judgeSchedule(ctx, file, t, m)
	}
	m, err := m.FitPackets(1)
	if err != nil {
		return nil, nil, err
	}
	n, err := fabric.New(t, m)
	if err != nil {
		return nil, nil, err
	}
	v, err := deadlock.Check(ctx, n)
	return v, n, err
}

func judgeSchedule(ctx context.Context, file string, t *topology.Topology, m machine.Machine) (*deadlock.Verdict, *fabric.Network, error) {
	s, err := readSchedule(ctx, file)
	if err != nil {
		return nil, nil, err
	}
	if err := s.Validate(t); err != nil {
		return nil, nil, err
	}
	if s.HasRoutes() {
		m.Routing = machine.Source
	}
	if m, err = m.FitPackets(s.Longest()); err != nil {
		return nil, nil, err
	}
	n, err := fabric.New(t, m)
	if err != nil {
		return nil, nil, err
	}
	v, err := deadlock.CheckMessages(ctx, n, s.Messages(t))
	return v, n, err
}

func newDeadlockAnswer(v *deadlock.Verdict, n *fabric.Network) *deadlockAnswer {
	a := &deadlockAnswer{
		Free: v.Cycle == nil, Routing: n.Machine.RoutingName(), Channels: v.Channels, Dependencies: v.Dependencies,
		Topology: n.Topology.String(), Machine: machineSettings(n.Machine), Version: version(), topology: n.Topology,
	}
	if around := n.Around(); around != nil {
		a.avoidance = newAvoidance(n.Topology.Nodes(), around)
	}
	for _, c := range v.Cycle {
		a.Cycle = append(a.Cycle, cycleChannel{int(c.Node), int(c.Port), int(c.VC), int(c.To)})
	}
	return a
}

func (a *deadlockAnswer) title() string {
	return fmt.Sprintf("channel dependencies on %s, machine %s", a.Topology, a.name)
}

// says is the verdict in words.
func (a *deadlockAnswer) says() string {
	if a.Free {
		return "free of deadlock: no cycle"
	}
	return fmt.Sprintf("may deadlock: a cycle of %s", input.Count(len(a.Cycle), "channel"))
}

// picture draws the cycle on its network, and what is dead there.
func (a *deadlockAnswer) picture(n *fabric.Network) *svg.Network {
	t := n.Topology
	p := &svg.Network{Title: a.title(), Subtitle: "routing " + a.Routing + ": " + a.says(), Topology: t, Root: t.Root}
	for _, c := range a.Cycle {
		p.Arrows = append(p.Arrows, svg.Arrow{From: router.NodeID(c.Node), To: router.NodeID(c.To), Words: fmt.Sprintf("virtual channel %d", c.VC)})
	}
	if f := n.Faults(); f != nil && len(f.Broken()) > 0 {
		p.Faults = svg.FaultsOf(f.Broken())
		p.Subtitle += ", " + fault.BrokenCounts(f.Broken())
	}
	if !a.Free {
		p.Notes = []string{"An arrow is a virtual channel of its link. Each channel waits for the next, the last for the first."}
	}
	return p
}

func (a *deadlockAnswer) print(w io.Writer) error {
	err := printRows(w, a.title(), nil, append([][]string{{"routing", a.Routing}, {"verdict", a.says()}, {"channels", itoa(a.Channels)}, {"dependencies", itoa(a.Dependencies)}}, a.rows()...))
	if err != nil || a.Free {
		return err
	}
	var rows [][]string
	for _, c := range a.Cycle {
		rows = append(rows, []string{a.topology.LinkText(router.NodeID(c.Node), router.NodeID(c.To), ">"), itoa(c.Node), itoa(c.Port), itoa(c.VC)})
	}
	return printRows(w, "each channel waits for the next, the last for the first", []string{"link", "node", "port", "vc"}, rows)
}
