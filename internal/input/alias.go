// SPDX-License-Identifier: Apache-2.0

package input

import (
	"slices"
	"strings"
)

// Word is a kind of word that users write.
type Word int

// The kinds of words that other tools and papers have other words for.
const (
	KeyWord Word = iota // flags, and keys of studies
	SectionWord
	PatternWord
	RoutingWord
	TopologyWord
)

const anyNetwork = "graph:FILE describes any network"

// aliases is the one list of words of other tools and papers, for hints: no verb takes them.
var aliases = []struct {
	of    Word
	words string // in small letters, without dashes and underscores
	name  string // what it is called here; "": nothing
	says  string // what stands behind the name, or alone
}{
	{KeyWord, "packetsize packetlength pktsize pktlen length", "flits", ""},
	{KeyWord, "injectionrate injrate", "rate", ", in flits per source and cycle"},
	{KeyWord, "numvcs vcspervnet virtualchannels", "vcs", ""},
	{KeyWord, "vcbufsize bufsize buffersize bufferdepth buffers", "buffer", ""},
	{KeyWord, "simcycles simulationcycles sampleperiod", "cycles", ""},
	{KeyWord, "warmupperiod warmupperiods warmupcycles", "warmup", ""},
	{KeyWord, "trafficpattern synthetic", "pattern", ""},
	{KeyWord, "routingfunction routingalgorithm", "routing", ""},
	{KeyWord, "sim", "simulator", ""},
	{KeyWord, "size", "bytes", ""},
	{KeyWord, "saturation", "", "expected resolution, and measure: [saturation.highest_stable_rate]"},
	{KeyWord, "workers threads jobs cores numthreads", "", "the environment variable GOMAXPROCS says on how many cores a verb runs"},

	{SectionWord, "seeds runs repetitions", "repeats", ""},
	{SectionWord, "saturation", "", "expected resolution in set, and measure: [saturation.highest_stable_rate]"},

	{PatternWord, "bitcomplement complement", "bitcomp", ""},
	{PatternWord, "bitreverse bitreversal", "bitrev", ""},
	{PatternWord, "uniformrandom random", "uniform", ""},

	{RoutingWord, "dimensionorder dimorder xyrouting", "dor", ""},
	{RoutingWord, "wf", "west-first", ""},
	{RoutingWord, "nl", "north-last", ""},
	{RoutingWord, "nf", "negative-first", ""},
	{RoutingWord, "oe", "odd-even", ""},
	{RoutingWord, "minadapt minadaptive minimaladaptive", "adaptive", ""},

	{TopologyWord, "cmesh concentratedmesh fattree dragonfly butterfly fly flatfly flattenedbutterfly clos slimfly", "", anyNetwork},
	{TopologyWord, "kncube karyncube", "torus", ", or mesh"},
}

// Meant says what a word of another tool is called here: "did you mean NAME?" with a prefix of the name, if that is known, or what there is
// instead; "" of other words.
func Meant(of Word, word, prefix string, known []string) string {
	for _, a := range aliases {
		switch {
		case a.of != of || !slices.Contains(strings.Fields(a.words), bare(word)):
		case a.name == "":
			return a.says
		case slices.Contains(known, a.name):
			return "did you mean " + prefix + a.name + a.says + "?"
		}
	}
	return ""
}

// Called returns what a word of another tool is called here; "" of other words.
func Called(of Word, word string) string {
	for _, a := range aliases {
		if a.of == of && slices.Contains(strings.Fields(a.words), bare(word)) {
			return a.name
		}
	}
	return ""
}

// bare is a word in small letters, without dashes and underscores.
func bare(word string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(word))
}
