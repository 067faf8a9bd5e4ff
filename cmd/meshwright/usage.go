// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/confine"
	"meshwright/internal/input"
)

// arguments demands count arguments, and that none is empty.
func arguments(count int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > count {
			want := "expected " + cmd.UseLine()
			if flag := cmd.Flag("topology"); flag != nil && !flag.Changed {
				want = meantTopology(args[count:count+1], want)
			}
			return input.Errorf(want, "%s: argument %q is one too many", cmd.Name(), input.Clip(args[count]))
		}
		if len(args) < count {
			return input.Errorf("expected "+cmd.UseLine(), "%s: %s", cmd.Name(), input.Count(len(args), "argument"))
		}
		if i := slices.Index(args, ""); i >= 0 {
			return input.Errorf("expected "+cmd.UseLine(), "%s: argument %d is empty", cmd.Name(), i+1)
		}
		return nil
	}
}

// noneIsTopology refuses a topology where a file stands.
func noneIsTopology(cmd *cobra.Command, args []string) error {
	for i, arg := range args {
		if _, err := confine.Stat(arg); err == nil || meant(arg) == "" {
			continue
		}
		want := "expected " + cmd.UseLine()
		if flag := cmd.Flag("topology"); flag != nil && !flag.Changed {
			want = meantTopology(args[i:], want)
		}
		return input.Errorf(want, "%s: topology %q in place of a file", cmd.Name(), input.Clip(arg))
	}
	return nil
}

// meant is the spec of the network that an argument means, also of one from a file; "" if it is none.
func meant(arg string) string {
	for _, kind := range []topology.Kind{topology.Tree, topology.Graph} {
		if strings.HasPrefix(arg, string(kind)+":") {
			return arg
		}
	}
	return topology.Meant(arg)
}

// meantTopology is what a user is told who gave a topology without its flag; otherwise it is what is wanted.
func meantTopology(args []string, want string) string {
	for _, arg := range args {
		if spec := meant(arg); spec != "" {
			return "did you mean --topology " + spec + "?"
		}
	}
	return want
}

// eachOf wants known names.
func eachOf(kind string, names []string, aliases ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		for i := range args {
			if err := oneOf(i, kind, names, aliases...)(cmd, args); err != nil {
				return err
			}
		}
		return nil
	}
}

// oneOf demands that argument i is one of the names of a kind of thing, or one of
// the aliases. Collectives answer to other spellings of their names, too.
func oneOf(i int, kind string, names []string, aliases ...string) cobra.PositionalArgs {
	all := slices.Concat(names, aliases)
	return func(_ *cobra.Command, args []string) error {
		switch {
		case slices.Contains(all, args[i]), slices.Contains(names, ownName(args[i])):
			return nil
		case input.Nearest(args[i], all) != "":
			return input.Errorf(input.Suggest(args[i], all), "unknown %s %q", kind, args[i])
		}
		return input.Errorf(input.Suggest(args[i], names), "unknown %s %q", kind, args[i])
	}
}

// runnable demands a collective or a file to run as argument i; none is
// needed where --firmware names programs.
func runnable(f *jobFlags, i int) cobra.PositionalArgs {
	names, aliases := collectives()
	named := oneOf(i, "collective", append(names, randomMessages, "FILE.csv", "FILE.xml", "FILE.tdm", "FILE.et", "FILE.json", "FILE.pcapng", "FILE.s", "FILE.mem"), aliases...)
	return func(cmd *cobra.Command, args []string) error {
		if len(f.programs) > 0 && len(args) == i {
			return arguments(i)(cmd, args)
		}
		if err := noTopology(cmd, args, i); err != nil {
			return err
		}
		if err := arguments(i+1)(cmd, args); err != nil {
			return err
		}
		if err := f.checkFormat(args[i], runFormats()...); err != nil {
			return err
		}
		if f.formatOf(args[i]) != noFormat {
			return nil
		}
		if err := named(cmd, args); err != nil {
			if info, missing := confine.Stat(args[i]); missing == nil && info.Mode().IsRegular() {
				return input.At(args[i], 0, "expected --format "+input.Or(runFormats()), "a file whose name does not tell its format")
			}
			return err
		}
		return nil
	}
}

// noTopology refuses a topology as argument i, where a collective stands.
func noTopology(cmd *cobra.Command, args []string, i int) error {
	if len(args) <= i || slices.Contains(args, "") || meant(args[i]) == "" {
		return nil
	}
	what := "COLLECTIVE"
	if len(args) > i+1 {
		what = args[i+1]
	}
	_, verb, _ := strings.Cut(cmd.CommandPath(), " ")
	want := fmt.Sprintf("expected %s %s --topology %s", verb, strings.Join(append(slices.Clone(args[:i]), what), " "), meant(args[i]))
	return input.Errorf(want, "topology %q in place of a collective", args[i])
}

// argument is argument i, "" when there is none.
func argument(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}

// subject returns the thing to run that argument i names: a file, or a collective. A
// collective has its own name, even if the argument gives its name in MPI.
func (f *jobFlags) subject(args []string, i int) string {
	what := argument(args, i)
	if f.formatOf(what) != noFormat {
		return what
	}
	return ownName(what)
}

// ownName is the name of a collective that may have been given by another.
func ownName(name string) string {
	if kind, err := plan.KindOf(name); err == nil {
		return kind.Name
	}
	return name
}

// verb demands the name of a verb; without one, meshwright prints its help.
func verb(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			names = append(names, cmd.Name())
		}
	}
	if slices.Contains(names, args[0]) {
		return nil
	}
	if meant := meantVerb(root, args[0]); meant != "" {
		return input.Errorf("did you mean "+meant+"?", "unknown verb %q", args[0])
	}
	return oneOf(0, "verb", names)(root, args)
}

// meantVerb is the verb that a word stands for: by what other tools call it, by the name of a verb below another, or by what can be run or listed. It is "" where the word says nothing.
func meantVerb(root *cobra.Command, word string) string {
	switch {
	case word == "":
		return ""
	case slices.Contains(collectiveNames(), ownName(word)), (&jobFlags{}).formatOf(word) != noFormat:
		return "run " + input.Clip(word)
	case meant(word) != "":
		return "run COLLECTIVE --topology " + meant(word)
	case strings.EqualFold(word, "compare"):
		return "plan COLLECTIVE, or report STORE.db --compare OTHER.db"
	case topicOfList(root, []string{word}) == nil:
		return "list " + word
	}
	for _, cmd := range root.Commands() {
		if slices.ContainsFunc(cmd.SuggestFor, func(other string) bool { return strings.EqualFold(other, word) }) {
			return cmd.Name()
		}
	}
	for _, cmd := range root.Commands() {
		for _, below := range cmd.Commands() {
			if strings.EqualFold(below.Name(), word) && below.IsAvailableCommand() {
				return cmd.Name() + " " + below.Name()
			}
		}
	}
	return ""
}

// newHelp is cobra's help, except that a verb that does not exist is an error.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB]",
		Short: "Show the help of a verb",
		Example: `  meshwright help run
  meshwright help plan packets`,
		ValidArgsFunction: completeArgument,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := verb(root, args); err != nil {
				return err
			}
			cmd, _, err := root.Find(args)
			if err != nil {
				return err
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		},
	}
}

// helpOfNothing refuses a command line that asks for the help of a verb that does not exist: cobra would show that of meshwright.
func helpOfNothing(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], "__") || !slices.Contains(args, "--help") && !slices.Contains(args, "-h") {
		return nil
	}
	root.InitDefaultHelpCmd()
	if cmd, _, err := root.Find(args); err != nil || cmd != root {
		return nil
	}
	return verb(root, args[:1])
}

// mendCompletion makes cobra's completion refuse shells that it does not know.
// It comes after SetOut: completion keeps the writer that is set here.
func mendCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	cmd, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	var shells []string
	for _, shell := range cmd.Commands() {
		shells = append(shells, shell.Name())
		shell.Args = arguments(0)
		if shell.Name() == "bash" {
			addBashWords(shell)
		}
	}
	cmd.Use = "completion SHELL"
	cmd.Args = cobra.MatchAll(arguments(1), oneOf(0, "shell", shells))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// notEmpty rejects flags with an empty value: a shell variable that is not
// set must not become a default.
func notEmpty(cmd *cobra.Command, _ []string) error {
	var err error
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		list, many := flag.Value.(pflag.SliceValue)
		if flag.Value.String() == "" || many && slices.Contains(list.GetSlice(), "") {
			err = input.At("--"+flag.Name, 0, expectedOf(flag), "empty")
		}
	})
	return err
}

// flagError says what is wrong with a flag in the words of all other errors.
func flagError(cmd *cobra.Command, err error) error {
	if args := cmd.Flags().Args(); !cmd.HasParent() && len(args) > 0 {
		if err := verb(cmd, args); err != nil {
			return err
		}
	}
	var unknown *pflag.NotExistError
	var bad *pflag.InvalidValueError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return unknownShorthand(cmd, unknown.GetSpecifiedShortnames())
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown.GetSpecifiedName())
	case errors.As(err, &bad) && errors.Is(err, errTwice):
		return input.At("--"+bad.GetFlag().Name, 0, "expected once", "%v", errTwice)
	case errors.As(err, &bad) && errors.Is(err, strconv.ErrRange):
		return input.At("--"+bad.GetFlag().Name, 0, "expected a number of 64 bits", "%q is out of range", bad.GetValue())
	case errors.As(err, &bad):
		return input.At("--"+bad.GetFlag().Name, 0, cmp.Or(inDigits(bad.GetFlag(), bad.GetValue()), expectedOf(bad.GetFlag())), "%q", bad.GetValue())
	case errors.As(err, &bare) && bare.GetFlag().Name == "algorithm":
		return input.At("--algorithm", 0, "expected "+algorithmsFor(cmd.Flags().Args()), "no value")
	case errors.As(err, &bare):
		return input.At("--"+bare.GetFlag().Name, 0, expectedOf(bare.GetFlag()), "no value")
	}
	return input.Errorf("expected "+cmd.UseLine(), "%v", err)
}

// oneDash returns the error of a long flag that a command line has with one dash, as a flag of Go's own flags; otherwise err. (-algorithm is -a with the value
// lgorithm, and what follows is an argument: the error of that does not help.)
func oneDash(cmd *cobra.Command, line []string, err error) error {
	for i, word := range line {
		name, _, _ := strings.Cut(strings.TrimPrefix(word, "-"), "=")
		switch {
		case word == "--":
			return err
		case i > 0 && takesNext(cmd, line[i-1]):
		case strings.HasPrefix(word, "-") && len(name) > 1 && cmd.Flag(name) != nil:
			return input.Errorf("did you mean --"+name+"?", "unknown flag -%s", name)
		}
	}
	return err
}

// takesNext reports whether a word of a command line is a flag whose value is the next word, or may be one.
func takesNext(cmd *cobra.Command, word string) bool {
	var flag *pflag.Flag
	switch long, ok := strings.CutPrefix(word, "--"); {
	case ok && strings.Contains(word, "="):
		return false
	case ok:
		flag = cmd.Flag(long)
		return flag == nil || flag.NoOptDefVal == ""
	case len(word) == 2 && word[0] == '-':
		flag = cmd.Flags().ShorthandLookup(word[1:])
	}
	return flag != nil && flag.NoOptDefVal == ""
}

// algorithmsFor lists the algorithms of the collective that is named first.
func algorithmsFor(args []string) string {
	if len(args) > 0 {
		if names := collective.Algorithms(args[0]); len(names) > 0 {
			return strings.Join(names, ", ") + ", or list"
		}
	}
	return "a name; meshwright list shows them"
}

func unknownShorthand(cmd *cobra.Command, names string) error {
	want := cmd.CommandPath() + " --help lists the flags"
	switch names[0] {
	case 'o':
		want = whereFilesGo(cmd)
	case 'v':
		want = saysMore(cmd, want)
	}
	return input.Errorf(want, "unknown flag -%s", names)
}

func unknownFlag(cmd *cobra.Command, name string) error {
	var known []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { known = append(known, flag.Name) })
	want := cmd.CommandPath() + " --help lists the flags"
	if slices.Contains([]string{"out", "output", "csv", "svg"}, name) {
		return input.Errorf(whereFilesGo(cmd), "unknown flag --%s", name)
	}
	if meant := input.Meant(input.KeyWord, name, "--", known); meant != "" {
		want = meant
	} else if name == "verbose" {
		want = saysMore(cmd, want)
	} else if full := endingIn(name, known); len(full) > 0 {
		want = "did you mean " + input.Or(full) + "?"
	} else if others := verbsWith(name); len(others) > 0 {
		want = "a flag of " + strings.Join(others, ", ") + "; " + want // a name that exists is no slip
	} else if other := input.Called(input.KeyWord, name); other != "" && len(verbsWith(other)) > 0 {
		want = "expected --" + other + ", a flag of " + strings.Join(verbsWith(other), ", ")
	} else if near := input.Nearest(name, known); near != "" {
		want = "did you mean --" + near + "?"
	}
	var below []string
	for _, verb := range cmd.Commands() {
		if verb.Flags().Lookup(name) != nil {
			below = append(below, verb.CommandPath())
		}
	}
	switch {
	case len(below) == 1:
		want = "did you mean " + below[0] + " --" + name + "?"
	case len(below) > 1 && !cmd.HasParent():
		want = "expected a verb before it: " + input.Or(verbsWith(name))
	case len(below) > 1 && cmd.Name() == "sweep":
		want = "expected in the study, as a key under set"
	}
	return input.Errorf(want, "unknown flag --%s", name)
}

// saysMore names what is there for who wants to read more; want: nothing is.
func saysMore(cmd *cobra.Command, want string) string {
	if cmd.Flags().Lookup("json") == nil {
		return want
	}
	return "expected --json, which has all figures, or meshwright version"
}

// endingIn lists the flags whose last part is a name, as nic.duplex for duplex.
func endingIn(name string, known []string) (full []string) {
	for _, flag := range known {
		if dot := strings.LastIndexByte(flag, '.'); dot >= 0 && strings.EqualFold(flag[dot+1:], name) {
			full = append(full, "--"+flag)
		}
	}
	return full
}

// whereFilesGo says how a verb is told which files to write. Who looks for them by the names that other verbs
// and tools use would not find the folder of export, or the views of run.
func whereFilesGo(cmd *cobra.Command) string {
	if strings.Contains(cmd.Use, " DIR") {
		return "expected " + cmd.UseLine()
	}
	if cmd.Flags().Lookup("out") != nil {
		return "did you mean --out?"
	}
	var names []string
	for _, s := range flagSets(cmd) {
		if s.group != groupOutput {
			continue
		}
		s.flags.VisitAll(func(flag *pflag.Flag) {
			if value, usage := pflag.UnquoteUsage(flag); strings.HasPrefix(value, "FILE") && strings.Contains(usage, "write ") {
				names = append(names, "--"+flag.Name)
			}
		})
	}
	if names == nil {
		return "expected > FILE: the result goes to standard output"
	}
	return "files are written by " + strings.Join(names, ", ")
}

// verbsWith lists the verbs that have a flag.
func verbsWith(name string) []string {
	var list []string
	for _, verb := range newRoot().Commands() {
		if !verb.Hidden && verb.Flags().Lookup(name) != nil {
			list = append(list, verb.Name())
		}
	}
	return list
}

// inDigits says how to write a value such as 1e5 or 10k of a flag that takes a whole number; "" of other values.
func inDigits(flag *pflag.Flag, text string) string {
	factor := 1.0
	if last := len(text) - 1; last > 0 {
		if f, ok := map[byte]float64{'k': 1e3, 'K': 1e3, 'M': 1e6}[text[last]]; ok {
			factor, text = f, text[:last]
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if x *= factor; err != nil || x != math.Trunc(x) || x < 0 || x > 1e15 || !slices.Contains([]string{"int", "int64", "uint64"}, flag.Value.Type()) {
		return ""
	}
	return "expected it in digits: " + strconv.FormatFloat(x, 'f', 0, 64)
}

func expectedOf(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "int", "int64":
		if flag.Name == "length" || flag.Name == "flits" {
			return "expected a whole number of flits such as 16"
		}
		return "expected a whole number"
	case "intSlice":
		return "expected whole numbers such as 1,10,100"
	case "uint64":
		return "expected a whole number from 0 to 18446744073709551615"
	case "duration":
		return "expected a time such as 10s"
	case "float64":
		return "expected a number"
	case "bool":
		return "expected true or false"
	}
	switch flag.Name {
	case "topology":
		return "expected " + topology.Forms
	case "pattern":
		return "expected " + traffic.PatternForms()
	case "flits", "reply":
		return "expected flits such as 1 or 1@0.5,8@0.5"
	case "rate":
		return "expected a rate such as 0.1, a list 0.1,0.2, or FROM:TO:STEP"
	case "warmup":
		return "expected cycles such as 1000, or auto"
	}
	return "expected a value"
}

// exclusive demands that at most one of the flags is given.
func exclusive(cmd *cobra.Command, names ...string) error {
	var given []string
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) > 1 {
		return input.Errorf("expected one of --"+strings.Join(names, ", --"), "%s", strings.Join(given, " and "))
	}
	return nil
}
