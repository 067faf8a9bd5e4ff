// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/bound"
	"meshwright/schedule/check"
	"meshwright/study/point"
)

// verdict is a checker's report; its JSON names are a contract.
type verdict struct {
	OK         bool     `json:"ok"`
	Collisions int      `json:"collisions"`
	More       bool     `json:"more_collisions"`
	Unlisted   int      `json:"collisions_not_listed"`
	Cycles     duration `json:"cycles"`
	LowerBound duration `json:"lower_bound"`
	Ratio      quotient `json:"ratio"`
	Messages   int      `json:"messages"`
	*packetFacts
	*deadParts
	Lost     *int              `json:"lost_messages,omitempty"`
	Losses   []loss            `json:"first_losses,omitempty"`
	BoundBy  bound.Proof       `json:"lower_bound_by,omitempty"`
	Flow     *dataFlow         `json:"data_flow,omitempty"`
	Hottest  *hottest          `json:"hottest_link,omitempty"`
	First    []conflict        `json:"first_collisions,omitempty"`
	Topology string            `json:"topology"`
	Given    string            `json:"machine_given"`
	Checked  string            `json:"machine_checked"`
	others   string            // ", " and the keys that differ from its preset
	Machine  map[string]string `json:"machine"`
	Version  string            `json:"version"`
	early    int               // collisions that are messages too early for their startups
	claims   bool              // the machine takes a cycle for each claim, which the check leaves out
	byItself bool              // a schedule file of which no collective is named
}

// conflict is a pair of messages that want the same thing.
type conflict struct {
	Cycle    router.Cycle `json:"cycle"`
	Conflict string       `json:"conflict"`
	Place    string       `json:"place"`
	First    int32        `json:"first_message"`
	Second   int32        `json:"second_message"`
	Delay    router.Cycle `json:"smallest_delay"`

	at string // the place, for people
}

// shown bounds the collisions that are printed; JSON has all that are known.
const shown = 10

func newCheck() *cobra.Command {
	var f jobFlags
	var asJSON bool
	var messages string
	cmd := &cobra.Command{
		Use:        "check SCHEDULE.csv --topology T",
		SuggestFor: []string{"validate", "verify", "audit", "collisions"},
		Short:      "Check a schedule without simulation: collisions without buffers, or times of packets",
		Long: `Checks a schedule for collisions on a machine without buffers: no two messages may need
the same link, or the same port or channel of a node, in the same cycle. The schedule is a CSV file
(message,source,destination,flits,dispatch[,route][,blocks]), the table of a time-division network
(TABLE.tdm), or the capture of a run (RUN.pcapng). Prints the first collisions, each with the
smallest delay of its second message that clears it. The exit code is 1 when there are collisions.

With --collective it also follows the blocks that the column blocks of a schedule file names:
every node must have what it sends, and at the end what the collective demands. In a reduce,
an allreduce or a reduce-scatter no block may count twice in a sum. The lower
bound and the ratio are then those of the collective. The exit code is 1 when the schedule is
not the collective.

A wormhole machine, the default of run, cosim and check, is checked as if it had no
buffers and no claims, and the first line says so. A schedule without collisions takes the same
cycles with buffers for the full rate, unless heads pay for claims (--claim 1). A schedule with collisions may still be delivered in a
run, since worms wait. JSON names both machines: machine_given and machine_checked.

With links that are slower than others (--links) the machine keeps its buffers and virtual channels, because worms
wait for slow links in buffers. A schedule collides if a message would wait for another one.

On store-forward and cut-through machines check finds when the last message arrives, and
which packets wait where. The exit code is 1 when messages never arrive, or when a buffer
holds more than the largest packet.`,
		Example: `  meshwright check exchange.csv --topology torus:8x8 --nic.channels 1
  meshwright check examples/schedules/allgather-mesh2x2.csv --topology mesh:2x2 --collective allgather --length 4
  meshwright check packets.csv --topology mesh:4x4 --machine store-forward --setup 3/2
  meshwright check packets.csv --topology mesh:4x4 --machine store-forward --messages times.csv`,
		Args: cobra.MatchAll(arguments(1), noneIsTopology),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.demands = "a check looks at chips without buffers: "
			if err := f.checkFormat(args[0], checkFormats()...); err != nil {
				return err
			}
			var out standardOutput
			defer out.end()
			if messages == toStdout && asJSON {
				return input.At("--messages", 0, "expected a file, or no --json", "%q", messages)
			}
			if err := out.take("--messages", &messages); err != nil {
				return err
			}
			if err := f.outputs(args[0], messages); err != nil {
				return err
			}
			v, err := f.check(cmd, args[0], messages)
			if err != nil {
				return f.guess(err, args[0])
			}
			print := v.printTable
			if asJSON {
				print = func(w io.Writer) error { return printJSON(w, v) }
			}
			if err := out.send(cmd.OutOrStdout()); err != nil {
				return err
			}
			if err := print(out.table(cmd)); err != nil {
				return err
			}
			if !v.OK {
				return errFailed
			}
			return nil
		},
	}
	f.machineFlags.add(cmd)
	f.addMeant(cmd)
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVarP(&f.root, "root", "r", 0, "--collective: root node (default: 0, or the root of the tree)")
		flags.IntVarP(&f.length, "length", "l", point.DefaultLength, "--collective: flits of every block")
		flags.StringVar(&f.bytes, "bytes", "", "--collective: bytes of every block instead of its flits, such as 4096, 64KiB or 1MB, in whole flits of the machine's width")
	})
	f.addFormat(cmd, checkFormats()...)
	addJSON(cmd, &asJSON)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&messages, "messages", "", "write when each message is sent and arrives, and how long it waits: `FILE.csv`")
	})
	return cmd
}

// check judges the schedule in a file, and writes its messages' times to
// another, "" for none.
func (f *jobFlags) check(cmd *cobra.Command, file, messages string) (*verdict, error) {
	if f.formatOf(file) != scheduleFormat {
		if err := cmp.Or(f.meansNone(cmd, file), refuse(cmd, "it says everything", f.givenWith(file), ofMeant)); err != nil {
			return nil, err
		}
	}
	packets, given, claims := false, "", false
	s, t, m, err := f.loadSchedule(cmd, file, func(m *machine.Machine) {
		given, claims = m.Name, m.Claim > 0
		if packets = m.PacketSwitched(); !packets {
			withoutWaiting(m)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"setup", "packet"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed && !packets {
			return nil, input.At("--"+name, 0, "expected none, or --machine store-forward: worms have no packets", "%q", flag.Value)
		}
	}
	var meant *collectiveMeant
	byItself := s == nil
	if byItself {
		if meant, err = f.meantOn(cmd, t, &m); err != nil {
			return nil, err
		}
		if s, err = readSchedule(cmd.Context(), file); err != nil {
			return nil, err
		}
	}
	c, err := collective.CheckSchedule(cmd.Context(), s, t, m, meant.meant())
	if err != nil {
		return nil, err
	}
	v := newVerdict(c, t, given)
	v.others, v.byItself, v.claims = f.others, byItself && meant == nil, claims
	v.follow(c, meant)
	times := wormTimes
	if packets {
		times = packetTimes
	}
	return v, writeCheckedMessages(messages, &c.Machine, times(s, c))
}

// follow adds what became of the blocks of a schedule that is meant to be a collective; nil: of none.
func (v *verdict) follow(c *collective.Checked, meant *collectiveMeant) {
	if meant == nil {
		return
	}
	v.Flow = meant.dataFlow(c.Flow)
	v.LowerBound, v.BoundBy = duration{c.Flow.Bound.Cycles, c.Machine.Ticks()}, c.Flow.Bound.Proof
	if v.Ratio = quotient(c.Ratio); !c.OK || c.LowerBound == 0 {
		v.Ratio = quotient(math.NaN())
	}
	v.OK = c.OK
}

// loadSchedule loads network and machine; the schedule only where these depend
// on it: a table.
func (f *machineFlags) loadSchedule(cmd *cobra.Command, file string, demand func(*machine.Machine)) (*schedule.Schedule, *topology.Topology, machine.Machine, error) {
	switch f.formatOf(file) {
	case tableFormat:
		return f.loadTable(cmd, file, demand)
	case captureFormat:
		return f.loadCapture(cmd, file, demand)
	case algorithmFormat, traceFormat, jsonFormat:
		return nil, nil, machine.Machine{}, input.At(file, 0, "expected SCHEDULE.csv, TABLE.tdm or RUN.pcapng; meshwright import checks and runs others", "not a schedule")
	}
	t, m, err := f.load(cmd, demand)
	return nil, t, m, err
}

// withoutWaiting is the machine that a check of one that does not switch packets
// asks about: worms that wait for one another are beyond a check, so the same
// machine as if it had no buffers. Where links are slower than others, worms wait for
// links in buffers, though not for one another. Its name says so.
func withoutWaiting(m *machine.Machine) {
	uneven := m.Links != nil && m.Switching == machine.Wormhole
	switch {
	case m.Switching == machine.Bufferless:
	case uneven && m.Claim > 0:
		m.Name += " as if without claims, and no message waited for another"
	case uneven:
		m.Name += " as if no message waited for another"
	case m.Claim > 0:
		m.Name += " as if without buffers and claims"
	default:
		m.Name += " as if without buffers"
	}
	*m = m.WithoutWaiting()
}

func newVerdict(c *collective.Checked, t *topology.Topology, given string) *verdict {
	if c.Packets != nil {
		return newPacketVerdict(c.Packets, t, c.Machine, given)
	}
	r, m := c.Worms, c.Machine
	v := &verdict{
		OK: r.OK, Collisions: r.Collisions, More: r.More, Unlisted: r.Collisions - len(r.First), Given: given, Checked: m.Name, Cycles: duration{r.Cycles, 1}, LowerBound: duration{r.LowerBound, 1},
		Ratio: quotient(r.Ratio), Messages: r.Messages, Topology: t.String(), Machine: machineSettings(m), Version: version(), early: r.Early,
	}
	if !r.OK { // what collides does not do the job
		v.Ratio = quotient(math.NaN())
	}
	links := t.Links()
	v.lose(m, t, r.Losses, r.Lost)
	v.Hottest = hottestOf(t, r.Links, r.Hottest, r.Quiet)
	for _, c := range r.First {
		place, at := "node "+itoa(int(c.Node)), "node "+t.NodeText(c.Node)
		if c.Link >= 0 {
			link := links[c.Link]
			place, at = "link "+linkName(link), "link "+t.LinkText(link.From, link.To, ">")
		}
		v.First = append(v.First, conflict{c.Cycle, string(c.Conflict), place, c.First, c.Second, c.Delay, at})
	}
	return v
}

// hottestOf describes the link that is busy for longest; nil when none is.
func hottestOf(t *topology.Topology, use []check.LinkUse, hot int, cycles router.Cycle) *hottest {
	links := t.Links()
	if len(links) == 0 || use[hot].Flits == 0 {
		return nil
	}
	return newHottest(t, links[hot], use[hot].Flits, fabric.Share(use[hot].Busy, cycles))
}

func linkName(l topology.Link) string { return fmt.Sprintf("%d>%d", l.From, l.To) }

// ratioText is the ratio, or why there is none.
func (v *verdict) ratioText() string {
	switch {
	case !math.IsNaN(float64(v.Ratio)) && v.byItself:
		return v.Ratio.String() + ofMessages
	case !math.IsNaN(float64(v.Ratio)) && v.Ratio == 1:
		return v.Ratio.String() + optimalText(v.BoundBy)
	case !math.IsNaN(float64(v.Ratio)):
		return v.Ratio.String()
	case v.Collisions > 0:
		return "none: the schedule collides"
	case v.Flow.failed():
		return v.Flow.none()
	case v.packetFacts != nil && v.Failure != "" || v.Lost != nil && *v.Lost > 0:
		return "none: not every message arrives in time"
	}
	return "none: nothing was to do"
}

// flowRows are what the table says of the blocks.
func (v *verdict) flowRows() [][]string {
	if !v.byItself && v.Flow == nil {
		return nil
	}
	rows := v.Flow.rows()
	if v.Flow != nil && v.Flow.OK && v.Collisions > 0 {
		rows[0][1] += ", if nothing collided"
	}
	if v.Flow != nil && v.claims {
		rows[0][1] += ", without the cycles of claims"
	}
	return rows
}

func (v *verdict) printTable(w io.Writer) error {
	if v.packetFacts != nil {
		return v.printPackets(w)
	}
	rows := [][]string{
		{"messages", itoa(v.Messages)}, {"collisions", v.collisionsText()}, {"cycles", v.Cycles.String()},
		{"lower bound", v.LowerBound.String()}, {"ratio", v.ratioText()},
	}
	if v.Hottest != nil {
		rows = append(rows, []string{"hottest link", v.Hottest.String()})
	}
	rows = append(append(rows, v.lostRows()...), v.flowRows()...)
	if err := printRows(w, "schedule on "+v.Topology+", machine "+v.Checked+v.others, nil, rows); err != nil {
		return err
	}
	if err := v.printLosses(w); err != nil {
		return err
	}
	if err := v.Flow.print(w); err != nil {
		return err
	}
	if v.Flow != nil && v.claims {
		if _, err := fmt.Fprintf(w, "machine %s has claim 1: blocks arrive later than here; run compares the blocks with the times of claims\n", v.Given); err != nil {
			return err
		}
	}
	return v.printCollisions(w)
}

// collisionsText counts the pairs of messages that collide, and the messages that are too early to collide with others.
func (v *verdict) collisionsText() string {
	if v.More {
		return "more than " + input.Count(v.Collisions, "pair") + " of messages"
	}
	var parts []string
	if v.early > 0 {
		parts = append(parts, input.Count(v.early, "message")+" too early for its startup")
		if v.early > 1 {
			parts[0] = input.Count(v.early, "message") + " too early for their startups"
		}
	}
	if pairs := v.Collisions - v.early; pairs > 0 {
		parts = append(parts, input.Count(pairs, "pair")+" of messages")
	}
	if parts == nil {
		return "0"
	}
	return strings.Join(parts, "; ")
}

// printCollisions prints the first collisions, how many are left out, and what they
// mean on a machine with buffers.
func (v *verdict) printCollisions(w io.Writer) error {
	if err := printFirst(w, v.First, v.Collisions, v.More); err != nil {
		return err
	}
	if v.Collisions > 0 && v.Given != v.Checked {
		_, err := fmt.Fprintf(w, "machine %s has buffers: in a run the messages wait instead\n", v.Given)
		return err
	}
	return nil
}

// printFirst prints the first of some collisions, and how many are left out.
func printFirst[T fmt.Stringer](w io.Writer, known []T, all int, more bool) error {
	first := known[:min(shown, len(known))]
	for _, c := range first {
		if _, err := fmt.Fprintln(w, c.String()); err != nil {
			return err
		}
	}
	left := all - len(first)
	if left == 0 {
		return nil
	}
	text := input.Count(left, "more collision")
	if more {
		text = "more than " + text
	}
	_, err := fmt.Fprintln(w, "and "+text)
	return err
}

// String names the cycle and place of a collision, the two messages, and the delay that
// clears it.
func (c conflict) String() string {
	delay := input.Count(int(c.Delay), "cycle")
	if c.First < 0 {
		return fmt.Sprintf("collision in cycle %d at %s (%s): the startup of message %d would begin before cycle 0; delay it by %s",
			c.Cycle, c.at, c.Conflict, c.Second, delay)
	}
	text := fmt.Sprintf("collision in cycle %d at %s (%s): messages %d and %d", c.Cycle, c.at, c.Conflict, c.First, c.Second)
	if c.Delay > 0 {
		return text + fmt.Sprintf("; delay message %d by %s", c.Second, delay)
	}
	return text + "; no delay clears them"
}
