// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/firmware/collective"
	"meshwright/study/question"
)

// A shell asks the hidden verb __complete what may stand at the end of a command line. The answers come from the lists that
// the verbs themselves read: words from the lists of topologies, patterns, keys, options and algorithms; the kinds of
// files from the synopsis of the verb and from the help of the flag.

// choices are what may stand at a place: words, and files with some extensions.
type choices struct {
	words      []string
	extensions []string // of files; folders stand beside them
	folders    bool     // only folders
	anyFile    bool
	open       bool // a word goes on, as mesh: does
}

// addCompletions lets the shells complete the arguments and flags of a verb, and of all below it.
func addCompletions(cmd *cobra.Command) {
	if cmd.ValidArgs == nil && cmd.HasParent() {
		cmd.ValidArgsFunction = completeArgument
	}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		complete := func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return flagChoices(cmd, flag, args, typed).matching(typed)
		}
		_ = cmd.RegisterFlagCompletionFunc(flag.Name, complete) // the flag is there
	})
	for _, below := range cmd.Commands() {
		addCompletions(below)
	}
}

// completeArgument completes an argument by the synopsis of the verb.
func completeArgument(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	return argumentChoices(cmd, len(args)).matching(typed)
}

// argumentChoices are what the synopsis of a verb has at the place of an argument. The last place may be repeated.
func argumentChoices(cmd *cobra.Command, place int) *choices {
	c := &choices{}
	synopsis, _, _ := strings.Cut(cmd.Use, " --")
	places := strings.Fields(strings.NewReplacer("[", "", "]", "", " | ", "|").Replace(synopsis))[1:]
	repeated := strings.Contains(synopsis, "...")
	places = slices.DeleteFunc(places, func(p string) bool { return p == "..." })
	if repeated && len(places) > 0 {
		place = min(place, len(places)-1)
	}
	if place >= len(places) {
		return c
	}
	for _, word := range strings.Split(places[place], "|") {
		c.add(cmd, strings.TrimSuffix(word, "..."))
	}
	return c
}

// add adds what a word of a synopsis stands for.
func (c *choices) add(cmd *cobra.Command, word string) {
	switch {
	case word == "COLLECTIVE":
		c.words = append(c.words, collectivesOf(cmd)...)
	case word == "ALGORITHM":
		c.words = append(c.words, algorithmNames()...)
	case word == "TOPIC":
		c.words = append(c.words, topics()...)
	case word == "VERB":
		for _, verb := range shownBelow(cmd.Root()) {
			c.words = append(c.words, verb.Name())
		}
	case word == "DIR":
		c.folders = true
	case word == "FILE":
		c.extensions = append(c.extensions, ".csv", ".xml", ".tdm", ".et", ".json", ".s", ".mem")
	case word == "IMAGE":
		c.extensions = append(c.extensions, ".mem")
	case filepath.Ext(word) != "":
		c.extensions = append(c.extensions, filepath.Ext(word))
		if isStudy(word) {
			c.extensions = append(c.extensions, ".yml", ".json")
		}
	case word == strings.ToLower(word):
		c.words = append(c.words, word)
	}
}

// collectivesOf are the collectives that a verb takes, and the topics of plan that stand beside them.
func collectivesOf(cmd *cobra.Command) []string {
	switch cmd.CommandPath() {
	case "meshwright sweep":
		return nil // it takes studies
	case "meshwright sweep faults":
		return inCopies()
	}
	names, aliases := collectives()
	names = append(names, aliases...)
	if strings.HasSuffix(cmd.Use, whatToRun) {
		names = append(names, randomMessages)
	}
	return names
}

// filesOfFlag finds the extensions of a file in the help of a flag: FILE.csv, .pcapng or .svg.
var (
	fileOfFlag = regexp.MustCompile("`[^`]*FILE`?(\\.[a-z]+)?((, | or )\\.[a-z]+)*")
	extension  = regexp.MustCompile(`\.[a-z]+`)
)

// flagChoices are the values of a flag.
func flagChoices(cmd *cobra.Command, flag *pflag.Flag, args []string, typed string) *choices {
	switch flag.Name {
	case "topology":
		return topologyChoices(typed)
	case "machine":
		return &choices{words: machine.PresetNames(), extensions: []string{".yaml", ".yml"}}
	case "pattern":
		return patternChoices(cmd, typed)
	case "faults":
		return faultChoices()
	case machine.LinksKey:
		return &choices{words: []string{"even"}, extensions: []string{".csv"}}
	case "algorithm":
		return &choices{words: append(algorithmsOf(args), "list")}
	case "collective":
		return &choices{words: inCopies()}
	case "set":
		return settingChoices(args, typed)
	case "keys":
		return listChoices(keysOfPlan(), typed)
	case "parameter":
		return parameterChoices(args)
	case "simulator":
		return &choices{words: simulatorNames()}
	case "target":
		return &choices{words: targetNames()}
	case "format":
		return &choices{words: runFormats()}
	}
	for _, k := range machine.Keys() {
		if k.Name == flag.Name {
			return &choices{words: k.Values}
		}
	}
	for _, o := range collective.Options() {
		if o.Name == flag.Name {
			return optionChoices(&o)
		}
	}
	name, _ := pflag.UnquoteUsage(flag)
	switch {
	case name == "DIR":
		return &choices{folders: true}
	case strings.Contains(name, "FILE"):
		return &choices{extensions: extension.FindAllString(fileOfFlag.FindString(flag.Usage), -1), anyFile: !strings.Contains(fileOfFlag.FindString(flag.Usage), ".")}
	}
	return &choices{}
}

// optionChoices are the values of an option of algorithms.
func optionChoices(o *collective.Option) *choices {
	if o.Type == collective.Truth {
		return &choices{words: []string{"true", "false"}}
	}
	return &choices{words: o.Values}
}

// topologyChoices are the kinds of topologies, or files behind tree: and graph:.
func topologyChoices(typed string) *choices {
	c := &choices{open: true}
	for _, f := range topology.Listed() {
		if f.Arguments == "FILE" && strings.HasPrefix(typed, f.Kind+":") {
			return filesBehind(f.Kind+":", typed)
		}
		c.words = append(c.words, f.Kind+":")
	}
	return c
}

// patternChoices are the patterns of traffic, or files behind permutation:, matrix: and trace:. Only the verb traffic replays traces.
func patternChoices(cmd *cobra.Command, typed string) *choices {
	c := &choices{}
	for _, f := range traffic.Patterns() {
		word := f.Name
		if f.Arguments != "" {
			word += ":"
		}
		_, isTrace := traffic.TraceFile(word)
		switch {
		case isTrace && cmd.Name() != "traffic":
			continue
		case f.Arguments == "FILE" && strings.HasPrefix(typed, word):
			return filesBehind(word, typed)
		}
		c.words = append(c.words, word)
		c.open = c.open || f.Arguments != "" && strings.HasPrefix(word, typed)
	}
	return c
}

// filesBehind are CSV files behind a prefix such as tree:.
func filesBehind(prefix, typed string) *choices {
	c := &choices{}
	file := &choices{extensions: []string{".csv"}}
	for _, path := range file.files(strings.TrimPrefix(typed, prefix)) {
		c.words = append(c.words, prefix+path)
	}
	c.open = allFolders(c.words)
	return c
}

// faultChoices are the forms of faults, up to their values, and files.
func faultChoices() *choices {
	c := &choices{extensions: []string{".csv"}}
	for _, form := range strings.Fields(fault.Forms) {
		kind, _, valued := strings.Cut(strings.TrimSuffix(form, ","), ":")
		switch {
		case valued:
			c.words = append(c.words, kind+":")
			c.open = true
		case kind == strings.ToLower(kind) && !strings.ContainsAny(kind, "(,"):
			c.words = append(c.words, kind)
		}
	}
	return c
}

// algorithmsOf are the algorithms of the collective among some arguments, or all.
func algorithmsOf(args []string) []string {
	for _, arg := range args {
		if list := collective.Algorithms(ownName(arg)); list != nil {
			return list
		}
	}
	return algorithmNames()
}

// settingChoices are the options for --set, key by key and then value by value.
func settingChoices(args []string, typed string) *choices {
	c := &choices{}
	key, _, valued := strings.Cut(typed, "=")
	for _, o := range collective.Options() {
		switch {
		case !valued:
			c.words, c.open = append(c.words, o.Name+"="), true
		case o.Name == key:
			for _, value := range optionChoices(&o).words {
				c.words = append(c.words, key+"="+value)
			}
		}
	}
	return c
}

// listChoices completes the last item of a list with commas.
func listChoices(words []string, typed string) *choices {
	c := &choices{}
	before := typed[:strings.LastIndex(typed, ",")+1]
	for _, word := range words {
		if !slices.Contains(strings.Split(before, ","), word) {
			c.words = append(c.words, before+word)
		}
	}
	return c
}

// parameterChoices are the parameters of the study file among some arguments.
func parameterChoices(args []string) *choices {
	c := &choices{open: true}
	for _, arg := range args {
		if !isStudy(arg) {
			continue
		}
		if q, err := question.Read(arg, nil); err == nil {
			for name := range q.Parameters {
				c.words = append(c.words, name+"=")
			}
		}
	}
	slices.Sort(c.words)
	return c
}

// matching returns the choices that begin as the user has typed.
func (c *choices) matching(typed string) ([]string, cobra.ShellCompDirective) {
	if c.anyFile || strings.HasPrefix(typed, "~") { // which the shell knows
		return nil, cobra.ShellCompDirectiveDefault
	}
	var list []string
	for _, word := range c.words {
		if strings.HasPrefix(word, typed) {
			list = append(list, word)
		}
	}
	words := len(list)
	if c.folders || c.extensions != nil {
		list = append(list, c.files(typed)...)
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if c.open && words > 0 || allFolders(list) {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return list, directive
}

// allFolders reports whether each path of a list goes on.
func allFolders(list []string) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(path string) bool { return !strings.HasSuffix(path, "/") })
}

// files are the files with the extensions, and the folders, whose paths begin as the user has typed.
func (c *choices) files(typed string) []string {
	dir, base := filepath.Split(typed)
	entries, err := os.ReadDir(filepath.Join(".", dir))
	if filepath.IsAbs(dir) {
		entries, err = os.ReadDir(dir)
	}
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || base == "" && strings.HasPrefix(name, ".") {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, name))
		switch {
		case err != nil:
		case info.IsDir():
			list = append(list, dir+name+"/")
		case !c.folders && slices.Contains(c.extensions, strings.ToLower(filepath.Ext(name))):
			list = append(list, dir+name)
		}
	}
	return list
}
