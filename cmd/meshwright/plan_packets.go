// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/input"
	"meshwright/internal/rational"
	"meshwright/schedule/packet"
)

// packetFlags ask for a split of equal messages.
type packetFlags struct {
	flits, distance, packets int64
	setup, nodes             string
	json                     bool
}

func newPlanPackets() *cobra.Command {
	var f packetFlags
	cmd := &cobra.Command{
		Use:   "packets --flits M --distance L --setup BETA",
		Short: "Find the best number of packets for a message in a store-forward network, exactly",
		Long: `A packet of b flits takes BETA + b cycles on a link, where BETA is the set-up (--setup), and a
chip passes it on when it has all of it. A message of M flits (--flits) in r even packets
arrives L links away (--distance) after

  M + r*BETA + (L-1)*(BETA + ceil(M/r))

cycles. The best r is found exactly for up to 10^18 flits. Without a set-up the best packets are
single flits, or one packet if there is only one link. With --nodes 3-7 each of these nodes of a
path, counted from the root, gets M flits in a scatter, or sends M flits in a gather: the times
are the same. With --nodes 3-7,9-12 each group has an r of its own.`,
		Example: `  meshwright plan packets --flits 1000 --distance 10 --setup 1.5
  meshwright plan packets --flits 100 --nodes 3-7 --setup 7/2 --json`,
		Args: arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.Int64Var(&f.flits, "flits", 0, "flits of the message, or of every message")
		flags.Int64Var(&f.distance, "distance", 0, "links from source to destination")
		flags.StringVar(&f.nodes, "nodes", "", "instead of a distance: groups of nodes of a path, 3-7 or 3-7,9-12")
		flags.Int64Var(&f.packets, "packets", 0, "compute the time for this number of packets instead of the best number")
	})
	groupMachine.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.setup, "setup", "", "cycles that a packet pays on every link before its first flit: 2, 1.5, 3/2")
	})
	addJSON(cmd, &f.json)
	return cmd
}

// wantMost is the second half of an error about a number of flits or links.
var wantMost = fmt.Sprintf("expected 1 to %d", packet.Most)

func (f *packetFlags) run(cmd *cobra.Command) error {
	for _, name := range []string{"flits", "setup"} {
		if !cmd.Flags().Changed(name) {
			return input.Errorf("expected "+cmd.UseLine(), "packets: no --%s", name)
		}
	}
	beta, err := rational.Parse(f.setup)
	if err != nil {
		return input.Locate(err, "--setup", 0)
	}
	if f.flits < 1 || f.flits > packet.Most {
		return input.At("--flits", 0, wantMost, "%d", f.flits)
	}
	if f.nodes != "" {
		for _, other := range []string{"distance", "packets"} {
			if err := exclusive(cmd, "nodes", other); err != nil {
				return err
			}
		}
		return f.groups(cmd.OutOrStdout(), beta)
	}
	if !cmd.Flags().Changed("distance") {
		return input.Errorf("expected "+cmd.UseLine(), "packets: no --distance")
	}
	if f.distance < 1 || f.distance > packet.Most {
		return input.At("--distance", 0, wantMost, "%d", f.distance)
	}
	choice, err := packet.Best(f.flits, f.distance, beta)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("packets") {
		if choice, err = f.judge(beta); err != nil {
			return input.Locate(err, "--packets", 0)
		}
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), f.answer(choice, beta))
	}
	return f.print(cmd.OutOrStdout(), choice, beta)
}

// judge is the time of a number of packets that the user gives.
func (f *packetFlags) judge(beta rational.Rational) (packet.Choice, error) {
	split, err := packet.EvenSplit(f.flits, f.packets)
	if err != nil {
		return packet.Choice{}, err
	}
	time, err := packet.Alpha(f.distance, f.flits, f.packets, beta)
	return packet.Choice{Packets: f.packets, PacketFlits: split.Flits, Time: time}, err
}

// packetAnswer is a split; its JSON names are a contract.
type packetAnswer struct {
	Flits       int64           `json:"flits"`
	Distance    int64           `json:"distance"`
	Setup       string          `json:"setup"`
	Packets     int64           `json:"packets"`
	PacketFlits int64           `json:"packet_flits"`
	Time        json.RawMessage `json:"time"`
	Exact       string          `json:"time_exact"`
	Version     string          `json:"version"`
}

func (f *packetFlags) answer(c packet.Choice, beta rational.Rational) packetAnswer {
	return packetAnswer{
		Flits: f.flits, Distance: f.distance, Setup: beta.String(), Packets: c.Packets, PacketFlits: c.PacketFlits,
		Time: jsonNumber(c.Time), Exact: c.Time.RatString(), Version: version(),
	}
}

func (f *packetFlags) print(w io.Writer, c packet.Choice, beta rational.Rational) error {
	rows := [][]string{packetRow("best", c)}
	if f.packets > 0 {
		rows[0][0] = "as asked"
	}
	for _, r := range []int64{1, f.flits} {
		other := packetFlags{flits: f.flits, distance: f.distance, packets: r}
		choice, err := other.judge(beta)
		if err != nil {
			return err
		}
		rows = append(rows, packetRow(map[bool]string{true: "one packet", false: "single flits"}[r == 1], choice))
	}
	title := fmt.Sprintf("%d flits over %d links, setup %s", f.flits, f.distance, exactly(beta.Rat()))
	return printRows(w, title, []string{"", "packets", "largest, flits", "cycles"}, rows)
}

func packetRow(name string, c packet.Choice) []string {
	return []string{name, fmt.Sprint(c.Packets), fmt.Sprint(c.PacketFlits), exactly(c.Time)}
}

// groups answers for groups of nodes.
func (f *packetFlags) groups(w io.Writer, beta rational.Rational) error {
	groups, err := parseGroups(f.nodes)
	if err != nil {
		return input.Locate(err, "--nodes", 0)
	}
	choice := packet.GroupsChoice{}
	if len(groups) == 1 { // a formula that holds for any size
		var one packet.Choice
		one, err = packet.ScatterContiguous(f.flits, groups[0].From, groups[0].To, beta)
		choice = packet.GroupsChoice{Packets: []int64{one.Packets}, Time: one.Time}
	} else {
		choice, err = packet.Groups(f.flits, groups, beta)
	}
	if err != nil {
		return input.Locate(err, "--nodes", 0)
	}
	if f.json {
		return printJSON(w, f.groupAnswer(groups, choice, beta))
	}
	var rows [][]string
	for i, g := range groups {
		rows = append(rows, []string{g.String(), fmt.Sprint(choice.Packets[i]), fmt.Sprint(f.largest(choice.Packets[i]))})
	}
	title := fmt.Sprintf("%d flits for each node, setup %s: %s cycles", f.flits, exactly(beta.Rat()), exactly(choice.Time))
	return printRows(w, title, []string{"nodes", "packets", "largest, flits"}, rows)
}

func (f *packetFlags) largest(packets int64) int64 { return (f.flits-1)/packets + 1 }

// groupSplit is how the messages of a group of nodes are split.
type groupSplit struct {
	Nodes       string `json:"nodes"`
	Packets     int64  `json:"packets"`
	PacketFlits int64  `json:"packet_flits"`
}

// groupAnswer is the JSON of --nodes; its names are a contract. Of a single
// group packets and packet_flits stand outside as well.
type groupAnswer struct {
	Flits       int64           `json:"flits"`
	Setup       string          `json:"setup"`
	Packets     int64           `json:"packets,omitempty"`
	PacketFlits int64           `json:"packet_flits,omitempty"`
	Groups      []groupSplit    `json:"groups"`
	Time        json.RawMessage `json:"time"`
	Exact       string          `json:"time_exact"`
	Version     string          `json:"version"`
}

func (f *packetFlags) groupAnswer(groups []packet.Group, c packet.GroupsChoice, beta rational.Rational) groupAnswer {
	answer := groupAnswer{Flits: f.flits, Setup: beta.String(), Time: jsonNumber(c.Time), Exact: c.Time.RatString(), Version: version()}
	for i, g := range groups {
		answer.Groups = append(answer.Groups, groupSplit{g.String(), c.Packets[i], f.largest(c.Packets[i])})
	}
	if len(groups) == 1 {
		answer.Packets, answer.PacketFlits = c.Packets[0], f.largest(c.Packets[0])
	}
	return answer
}

// parseGroups reads 3-7,9-12,15.
func parseGroups(text string) ([]packet.Group, error) {
	var groups []packet.Group
	for _, part := range strings.Split(text, ",") {
		from, to, found := strings.Cut(part, "-")
		if !found {
			to = from
		}
		first, err1 := strconv.ParseInt(from, 10, 64)
		last, err2 := strconv.ParseInt(to, 10, 64)
		if err1 != nil || err2 != nil {
			return nil, input.Errorf("expected node numbers such as 3-7,9-12", "%q", part)
		}
		groups = append(groups, packet.Group{From: first, To: last})
	}
	return groups, nil
}
