// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/flow"
)

// dataFlow is what became of the blocks of a schedule; its JSON names are a contract.
type dataFlow struct {
	Collective string      `json:"collective"`
	Root       *int        `json:"root,omitempty"`
	Length     int         `json:"length"`
	Blocks     int         `json:"blocks"`
	OK         bool        `json:"ok"`
	Violations int         `json:"violations"`
	Unlisted   int         `json:"violations_not_listed"`
	First      []violation `json:"first_violations,omitempty"`

	name string // for people: all-gather
	done string // what holds when OK
	hint string // what may be meant when not OK; ""
}

// violation is what contradicts the collective. Times are in cycles.
type violation struct {
	Line    int       `json:"line,omitempty"`
	Message *int32    `json:"message,omitempty"`
	Node    int       `json:"node"`
	Block   string    `json:"block"`
	Sent    *duration `json:"sent,omitempty"`
	Has     *duration `json:"has,omitempty"`
	Text    string    `json:"text"`
}

// String is the line of the violation.
func (v violation) String() string { return v.Text }

// ofMeant are the flags that say more of the collective that a schedule is meant to be.
var ofMeant = []string{"length", "bytes", "root"}

// addMeant adds the flag of the collective that a schedule is meant to be.
func (f *jobFlags) addMeant(cmd *cobra.Command) {
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.meant, "collective", "", "schedules with a column blocks: check that the messages make this `collective`, with --length, and --root")
	})
}

// meansNone refuses the collective of what is no schedule file.
func (f *jobFlags) meansNone(cmd *cobra.Command, what string) error {
	return refuse(cmd, "schedules in .csv are checked to be one", f.givenWith(what), []string{"collective"})
}

// collectiveMeant is the collective that a schedule is meant to be, on a network; nil without --collective.
type collectiveMeant struct {
	collective.Meant
	byDefault map[string]bool // the flags of it that are not given
}

// meant is the collective; none without --collective.
func (c *collectiveMeant) meant() collective.Meant {
	if c == nil {
		return collective.Meant{}
	}
	return c.Meant
}

// meantOn reads the flags about the collective.
func (f *jobFlags) meantOn(cmd *cobra.Command, t *topology.Topology, m *machine.Machine) (*collectiveMeant, error) {
	if !cmd.Flags().Changed("collective") {
		return nil, refuse(cmd, "the schedule says everything, unless --collective is given", "given with a schedule", ofMeant)
	}
	if err := exclusive(cmd, "length", "bytes"); err != nil {
		return nil, err
	}
	kind, err := plan.KindOf(f.meant)
	if err != nil {
		return nil, input.Locate(err, "--collective", 0)
	}
	root := t.Root
	if cmd.Flags().Changed("root") {
		if !kind.Rooted {
			return nil, input.At("--root", 0, "expected none: "+kind.Does, "%s has no root", article(kind.Name))
		}
		if root, err = rootOf(t, f.root); err != nil {
			return nil, err
		}
	}
	flag := "--length"
	if cmd.Flags().Changed("bytes") {
		if err := f.readBytes(m); err != nil {
			return nil, err
		}
		flag = "--bytes"
	}
	if f.length < 1 || f.length > schedule.MaxFlits {
		return nil, input.At(flag, 0, "expected 1 to "+itoa(schedule.MaxFlits), "%d", f.length)
	}
	c := &collectiveMeant{collective.Meant{Collective: kind.Name, Root: root, Length: f.length}, make(map[string]bool)}
	for _, name := range ofMeant {
		c.byDefault[name] = !cmd.Flags().Changed(name)
	}
	return c, nil
}

// dataFlow is the answer about a schedule whose blocks have been followed.
func (c *collectiveMeant) dataFlow(r *collective.Followed) *dataFlow {
	d := &dataFlow{
		Collective: r.Kind.Name, Length: r.Length, Blocks: r.Goal.Blocks(), OK: r.OK, Violations: r.Violations, Unlisted: r.Violations - len(r.First),
		name: r.Goal.Kind.String(), done: r.Goal.Done(),
	}
	if r.Kind.Rooted {
		root := int(r.Goal.Root)
		d.Root = &root
		if !r.OK && c.byDefault["root"] {
			d.hint = rootHint(r)
		}
	}
	for i := range r.First {
		d.First = append(d.First, c.violation(r, &r.First[i]))
	}
	return d
}

// rootHint says what a collective does with its root, where a schedule does something else; "" if it is not about the root.
func rootHint(r *collective.Followed) string {
	root := r.Goal.Root
	names := func(does string, is func(v flow.Violation) bool) string {
		if !slices.ContainsFunc(r.First, is) {
			return ""
		}
		return does + "; --root names another root"
	}
	switch r.Kind.Name {
	case plan.Broadcast:
		return names(fmt.Sprintf("a broadcast from node %d moves block %d only", root, root), func(v flow.Violation) bool {
			block, _, _ := strings.Cut(v.Block, "@")
			return v.Row >= 0 && v.Fault != flow.Flits && block != itoa(int(root))
		})
	case plan.Scatter:
		return names(fmt.Sprintf("a scatter from node %d begins with all blocks at node %d", root, root), func(v flow.Violation) bool { return v.Fault == flow.Missing })
	default:
		return names(fmt.Sprintf("%s to node %d ends there", article(r.Kind.Name), root), func(v flow.Violation) bool { return v.Fault == flow.Lacking && v.Node == root })
	}
}

func (c *collectiveMeant) violation(r *collective.Followed, v *flow.Violation) violation {
	time := func(t router.Cycle) *duration { return &duration{t, r.Ticks()} }
	out := violation{Node: int(v.Node), Block: v.Block, Text: r.Text(*v)}
	if v.Row < 0 {
		return out
	}
	row := r.Row(*v)
	out.Line, out.Message, out.Sent = row.Line, &row.Message, time(v.Sent)
	switch v.Fault {
	case flow.Early, flow.Twice:
		out.Has = time(v.Has)
	case flow.Flits:
		if c.byDefault["length"] && c.byDefault["bytes"] {
			out.Text += " (--length, the default)"
		}
	}
	return out
}

// rows are what a table says of the blocks. Without a collective of that name it says that nobody has looked.
func (d *dataFlow) rows() [][]string {
	if d == nil {
		return [][]string{{"not checked", "who knows what: see --collective"}}
	}
	if d.OK {
		return [][]string{{"collective", d.name + ": " + d.done}}
	}
	return [][]string{{"collective", d.violated()}}
}

// violated says that the schedule is not the collective.
func (d *dataFlow) violated() string {
	return "no " + d.name + ": " + input.Count(d.Violations, "violation")
}

// print prints the first violations, and how many are left out.
func (d *dataFlow) print(w io.Writer) error {
	if d == nil {
		return nil
	}
	first := d.First[:min(shown, len(d.First))]
	for _, v := range first {
		if _, err := fmt.Fprintln(w, escape.Line(v.Text)); err != nil {
			return err
		}
	}
	if left := d.Violations - len(first); left > 0 {
		if _, err := fmt.Fprintf(w, "and %s\n", input.Count(left, "more violation")); err != nil {
			return err
		}
	}
	if d.hint == "" {
		return nil
	}
	_, err := fmt.Fprintln(w, d.hint)
	return err
}

// none says that there is no ratio.
func (d *dataFlow) none() string { return "none: the schedule is no " + d.name }

// failed reports whether there is a collective that a schedule is not.
func (d *dataFlow) failed() bool { return d != nil && !d.OK }

// ofMessages is what stands behind the ratio of a schedule that no one has compared with a collective.
const ofMessages = ", of these messages, each by itself"
