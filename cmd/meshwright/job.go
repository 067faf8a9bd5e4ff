// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/router"
	"meshwright/schedule/workload"
	"meshwright/study/point"
)

// machineFlags are --topology, --machine and a flag for every machine key.
type machineFlags struct {
	topology, machine string
	implied           string // topology when neither flags nor machine file name one
	simulates         bool   // the verb builds the network
	faults            []string
	keys              *pflag.FlagSet // the flags of the keys; nil: the verb has no machine
	format            string         // of the file to run or check; "": by its extension
	guessed           bool           // the content has told the format
	demands           string         // what the verb demands of the machine that is given, as the beginning of an error

	file   *machine.File // once it has been read
	named  string        // the machine, for headings: its name, and others
	others string        // ", " and the keys that differ from its preset
}

func (f *machineFlags) add(cmd *cobra.Command) {
	groupMachine.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.topology, "topology", "t", "", "`network`: "+topology.Forms)
	})
	f.addMachine(cmd)
}

// addMachine adds all but --topology; a machine that is set already is the default.
func (f *machineFlags) addMachine(cmd *cobra.Command) {
	groupMachine.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.machine, "machine", "m", cmp.Or(f.machine, string(machine.Wormhole)), "`preset` ("+strings.Join(machine.PresetNames(), ", ")+"; meshwright list presets shows them) or YAML file")
		for _, k := range machine.Keys() {
			flags.String(k.Name, "", k.Help)
		}
		f.keys = flags
		flags.StringArrayVar(&f.faults, "faults", nil, "what goes wrong: "+fault.Forms+" (may be repeated)")
	})
}

// load resolves the flags: preset or file first, then the flags of single
// keys, then what the verb itself demands.
func (f *machineFlags) load(cmd *cobra.Command, demands ...func(*machine.Machine)) (*topology.Topology, machine.Machine, error) {
	m, err := f.unresolved(cmd, "", "")
	if err != nil {
		return nil, m, err
	}
	if m.Faults, err = f.faultList(cmd, m.Faults); err != nil {
		return nil, m, err
	}
	base, err := machine.Preset(m.Name)
	if err != nil {
		base = f.file.Machine
	}
	name, asked, links := m.Name, m, base.Links
	base.Links = m.Links // demands look at them, and the two machines shall still be compared
	for _, demand := range demands {
		demand(&base)
		demand(&m) // the last one, since demands may look at the machine, too
	}
	base.Links = links
	given := m
	spec := f.topology
	if spec == "" {
		spec = cmp.Or(f.file.Topology, f.implied)
	}
	if spec == "" {
		return nil, m, input.Errorf(meantTopology(cmd.Flags().Args(), "expected --topology mesh:8x8, or a machine file that names one"), "no topology")
	}
	if f.simulates {
		if err := memory.Need(cmd.Context(), "the network "+spec, fabric.MemoryOf(spec, m)); err != nil {
			return nil, m, err
		}
	}
	t, err := topology.ParseWithin(cmd.Context(), spec)
	if err != nil && f.topology == "" && f.file.Topology != "" {
		err = f.ofTopology(err)
	}
	if err != nil {
		return nil, m, err
	}
	if _, err := resolve(asked, t); len(demands) > 0 && err != nil {
		return t, m, f.ofKey(cmd, err)
	}
	if m, err = resolve(m, t); err != nil {
		return t, m, because(f.demands, f.ofKey(cmd, err))
	}
	f.name(name, given, base, &m, t)
	return t, m, nil
}

// because puts a reason in front of what is wrong.
func because(reason string, err error) error {
	var e *input.Error
	if reason == "" || !errors.As(err, &e) {
		return err
	}
	with := *e
	with.What = reason + e.What
	return &with
}

// ofTopology names the machine file whose topology is wrong. The file of a graph is looked for in the current folder.
func (f *machineFlags) ofTopology(err error) error {
	line := f.file.Line("topology")
	if errors.Is(err, fs.ErrNotExist) {
		return input.At(f.machine, line, "expected its file in the current folder, or a path from there", "topology %s: no such file", f.file.Topology)
	}
	return input.Locate(err, f.machine, line)
}

// ofKey names the line of the machine file whose key does not fit the network or other keys: the error begins with the key.
func (f *machineFlags) ofKey(cmd *cobra.Command, err error) error {
	var wrong *input.Error
	if !errors.As(err, &wrong) {
		return err
	}
	key, _, _ := strings.Cut(wrong.What, " ")
	flag, line := cmd.Flags().Lookup(key), f.file.Line(key)
	if line == 0 || flag != nil && flag.Changed {
		return err
	}
	return input.Locate(err, f.machine, line)
}

// name keeps the name of a machine, with the keys that differ from those of its base: of its preset, or else of its file. A key whose
// value the base would have on the network does not differ. The virtual channels that another routing needs do.
func (f *machineFlags) name(name string, given, base machine.Machine, resolved *machine.Machine, t *topology.Topology) {
	if given.VCs == 0 && given.Routing != base.Routing && resolved.VCs > 1 {
		given.VCs = resolved.VCs
	}
	fitted, err := base.Resolve(t)
	if err != nil {
		fitted = base
	}
	f.named, f.others = name, given.Differences(&base, &fitted)
	if f.others != "" {
		f.others = ", " + f.others
	}
	f.named += f.others
}

// withFaults names a machine with its faults, in titles of reports that do not list what is dead.
func withFaults(name string, m *machine.Machine) string {
	if faults := m.Faults.String(); faults != "" {
		name += ", faults " + faults
	}
	return name
}

// unresolved is the machine of the flags; its faults are those of the file. A key that is named has another value.
func (f *machineFlags) unresolved(cmd *cobra.Command, key, value string) (machine.Machine, error) {
	if f.file == nil {
		file, err := machine.Open(f.machine)
		if err != nil {
			return machine.Machine{}, err
		}
		f.file = &file
	}
	m := f.file.Machine
	for _, k := range machine.Keys() {
		flag := cmd.Flags().Lookup(k.Name)
		text, given := flag.Value.String(), flag.Changed
		if k.Name == key {
			text, given = value, true
		}
		if !given {
			continue
		}
		set := m.SetGiven
		if key != "" { // another machine than the user's, whose flags stay
			set = m.Set
		}
		if err := set(k.Name, text); err != nil {
			return m, err
		}
	}
	return m, nil
}

// resolve fits a machine and its faults to a network.
func resolve(m machine.Machine, t *topology.Topology) (machine.Machine, error) {
	m, err := m.Resolve(t)
	if err == nil {
		_, err = fabric.FaultsOn(t, &m, m.Faults)
	}
	return m, err
}

// faultList returns the faults of the flag --faults if it is given, and otherwise the
// faults of the machine file. The seed comes from the flag --seed if the verb has it.
func (f *machineFlags) faultList(cmd *cobra.Command, ofFile *fault.List) (*fault.List, error) {
	seed := uint64(fault.DefaultSeed)
	if flag := cmd.Flags().Lookup("seed"); flag != nil {
		if given, err := strconv.ParseUint(flag.Value.String(), 10, 64); err == nil {
			seed = given
		}
	}
	specs := f.faults
	if specs == nil && ofFile != nil {
		specs = ofFile.Specs
	}
	list, err := fault.Parse(specs, seed)
	return list, input.Locate(err, "--faults", 0)
}

// filesOfKeys lists the files that values of keys name, each with its flag.
func (f *machineFlags) filesOfKeys() (list [][2]string) {
	if f.keys == nil {
		return nil
	}
	if file, ok := machine.TableFile(f.keys.Lookup("routing").Value.String()); ok {
		list = append(list, [2]string{"--routing", file})
	}
	for _, file := range machine.LinkFiles(f.keys.Lookup(machine.LinksKey).Value.String()) {
		list = append(list, [2]string{"--" + machine.LinksKey, file})
	}
	return list
}

// inputs notes the files that load reads.
func (f *machineFlags) inputs(paths *input.Paths) {
	paths.Read("--machine", f.machine)
	if _, file, ok := strings.Cut(f.topology, ":"); ok {
		paths.Read("--topology", file)
	}
	for _, file := range f.filesOfKeys() {
		paths.Read(file[0], file[1])
	}
	for _, spec := range f.faults {
		if fault.IsFile(spec) {
			paths.Read("--faults", spec)
		}
	}
}

// jobFlags describe the job.
type jobFlags struct {
	machineFlags
	algorithm, lengths, payload, packets string
	bytes                                string
	root, length                         int
	inPlace, ranks                       string // of an imported file
	perMicro                             int    // of imported traces
	everyRank, skipMissing, control      bool
	noc                                  string // of traces of chips
	seed                                 uint64
	limit                                time.Duration
	effort                               float64
	keepList                             bool   // the plan is to be written as an algorithm
	nameBlocks                           bool   // a file is to say which blocks messages carry
	meant                                string // the collective that a schedule is meant to be
	optionFlags
	firmwareFlags
	random randomFlags
}

// add adds the flags to a verb that runs what argument i names.
func (f *jobFlags) add(cmd *cobra.Command, i int) {
	f.addCollective(cmd)
	f.addImported(cmd)
	f.addFirmware(cmd)
	f.random.add(cmd)
}

// addBlocks adds the flags of a collective's job: the machine, the root, and the blocks.
func (f *jobFlags) addBlocks(cmd *cobra.Command) {
	f.machineFlags.add(cmd)
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVarP(&f.root, "root", "r", 0, "root node of the collective (default: 0, or the root of the tree)")
		flags.IntVarP(&f.length, "length", "l", point.DefaultLength, "flits of every message: of a node's block; exchange: of the block for each other node; reduce, allreduce, reduce-scatter: of each node's whole vector")
		flags.StringVar(&f.bytes, "bytes", "", "bytes of every message instead of its flits, such as 4096, 64KiB or 1MB, in whole flits of the machine's width")
		flags.StringVar(&f.lengths, "lengths", "", "flits of each node's message, by node number and without the root: 0,0,4,3; or @FILE (CSV node,flits)")
		flags.StringVar(&f.packets, "packets", "", "scatter and gather on store-forward or cut-through machines: number of packets of each message, such as 3; a list by node, 1,0,2+1 (a number, or the flits of the packets joined by +); @FILE (CSV node,packets); or best")
		flags.StringVar(&f.payload, "payload", "", "send the bytes of files instead of random words: `DIR` with a file for each PE that has a block. A number at the start of all names is the node; a mixture is refused")
	})
}

// addCollective adds the flags of collectives and of their algorithms.
func (f *jobFlags) addCollective(cmd *cobra.Command) {
	f.addBlocks(cmd)
	f.simulates = true
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.Uint64Var(&f.seed, "seed", 1, "seed of the random words and of searches")
	})
	groupAlgorithm.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.algorithm, "algorithm", "a", "", "`name` of an algorithm, or several between commas, of which the fastest is taken; run … --algorithm list shows the algorithms of a collective (default: auto, the fastest that fits)")
		flags.DurationVar(&f.limit, "limit", 0, "limit on the time of a search for a plan, such as 10s: it then ends with the best plan that it found; auto as a whole has that time, and so has each algorithm in the table of plan, which leaves out what else takes longer; runs by which plans are compared come on top (default: none)")
		flags.Float64Var(&f.effort, "effort", 1, "how much searches for a plan do, in times of what they usually do: 0.1 plans about five times faster, 10 may find a faster plan; from 0.01 to 100. Unlike with --limit, every computer finds the same plan")
	})
	f.optionFlags.add(cmd)
}

// checkLimit refuses a --limit in which nothing can be found.
func checkLimit(cmd *cobra.Command, limit time.Duration) error {
	if limit <= 0 && cmd.Flags().Changed("limit") {
		return input.At("--limit", 0, "expected more than 0", "%s", limit)
	}
	return nil
}

// checkEffort refuses an --effort out of bounds.
func checkEffort(cmd *cobra.Command, effort float64) error {
	if cmd.Flags().Changed("effort") && plan.CheckEffort(effort) != nil {
		return input.At("--effort", 0, plan.EffortWants(), "%g", effort)
	}
	return nil
}

// load makes the job of a collective; files is nil without --payload.
func (f *jobFlags) load(cmd *cobra.Command, name string) (collective.Job, []workload.File, error) {
	if err := exclusive(cmd, "length", "bytes", "lengths", "payload"); err != nil {
		return collective.Job{}, nil, err
	}
	if err := checkLimit(cmd, f.limit); err != nil {
		return collective.Job{}, nil, err
	}
	if err := checkEffort(cmd, f.effort); err != nil {
		return collective.Job{}, nil, err
	}
	t, m, err := f.machineFlags.load(cmd)
	if err != nil {
		return collective.Job{}, nil, err
	}
	j := collective.Job{Topology: t, Machine: m, Seed: f.seed, Limit: f.limit, Effort: f.effort, Root: t.Root, KeepList: f.keepList || f.nameBlocks}
	kind, err := plan.KindOf(name)
	if err != nil {
		return j, nil, err
	}
	if err := f.apply(cmd, &j, name, f.algorithm); err != nil {
		return j, nil, err
	}
	if cmd.Flags().Changed("root") {
		if !kind.Rooted {
			return j, nil, input.At("--root", 0, "expected none: "+kind.Does, "%s has no root", article(name))
		}
		if j.Root, err = rootOf(t, f.root); err != nil {
			return j, nil, err
		}
	}
	if cmd.Flags().Changed("bytes") {
		if err := f.readBytes(&m); err != nil {
			return j, nil, err
		}
	}
	files, err := f.loadLengths(&j, kind)
	if err != nil {
		return j, nil, err
	}
	return j, files, f.loadPackets(&j, without(kind, j.Root))
}

// article is a word behind a or an.
func article(word string) string {
	if strings.ContainsAny(word[:1], "aeiou") {
		return "an " + word
	}
	return "a " + word
}

// without is the node that has no block of its own: the root, or router.None.
func without(kind plan.Kind, root router.NodeID) router.NodeID {
	if kind.Holders == plan.AllButRoot {
		return root
	}
	return router.None
}

// rootOf is the node that --root names.
func rootOf(t *topology.Topology, root int) (router.NodeID, error) {
	if root < 0 || root >= t.Nodes() {
		return router.None, input.At("--root", 0, "expected 0 to "+itoa(t.Nodes()-1), "%d is not a node of %s", root, t)
	}
	return router.NodeID(root), nil
}

// inputs are the files that a run of what, a collective or a file, reads.
func (f *jobFlags) inputs(what string) *input.Paths {
	var paths input.Paths
	switch f.formatOf(what) {
	case tableFormat:
		paths.Read("the table", what)
	case algorithmFormat:
		paths.Read("the algorithm", what)
	case jsonFormat:
		paths.Read("the schedule", what)
	case traceFormat:
		paths.Read("the trace", what)
	case scheduleFormat:
		paths.Read("the schedule", what)
	case captureFormat:
		paths.Read("the capture", what)
	case firmwareFormat:
		f.files(what, paths.Read)
	}
	f.machineFlags.inputs(&paths)
	if file, ok := strings.CutPrefix(f.lengths, "@"); ok {
		paths.Read("--lengths", file)
	}
	if file, ok := strings.CutPrefix(f.packets, "@"); ok {
		paths.Read("--packets", file)
	}
	if f.payload != "" {
		paths.ReadFolder("--payload", f.payload)
	}
	return &paths
}

func (f *jobFlags) loadLengths(j *collective.Job, kind plan.Kind) (files []workload.File, err error) {
	nodes, absent := j.Topology.Nodes(), without(kind, j.Root)
	switch {
	case f.payload != "":
		return f.loadPayload(j, kind)
	case f.lengths != "" && kind.Holders == plan.OnlyRoot:
		err = input.At("--lengths", 0, "expected --length", "only the root of %s has a block", article(kind.Name))
	case f.lengths != "":
		j.Lengths, err = workload.ParseLengths(f.lengths, nodes, absent)
		err = input.Locate(err, "--lengths", 0)
	default:
		j.Lengths, err = workload.EqualLengths(f.length, nodes, absent)
		flag := "--length"
		if f.bytes != "" {
			flag = "--bytes"
		}
		err = input.Locate(err, flag, 0)
	}
	return nil, err
}

// loadPayload gives files to the nodes that have blocks.
func (f *jobFlags) loadPayload(j *collective.Job, kind plan.Kind) ([]workload.File, error) {
	nodes, read, root := j.Topology.Nodes(), workload.ReadPayload, without(kind, j.Root)
	if kind.Holders == plan.OnlyRoot {
		read, root = workload.ReadBlock, j.Root
	}
	p, err := read(f.payload, nodes, root, j.Machine.Width)
	if err != nil {
		return nil, err
	}
	switch kind.Holders {
	case plan.Equal:
		p.Even()
	case plan.Each:
		p.Divide(nodes - 1)
	}
	j.Payload, j.Lengths = p.Words, p.Lengths
	return p.Files, nil
}

// loadPackets reads how the messages are split.
func (f *jobFlags) loadPackets(j *collective.Job, root router.NodeID) (err error) {
	switch f.packets {
	case "":
	case plan.BestSplit:
		j.Split = plan.BestSplit
	default:
		j.Packets, err = workload.ParsePackets(f.packets, j.Lengths, root)
		err = input.Locate(err, "--packets", 0)
	}
	return err
}
