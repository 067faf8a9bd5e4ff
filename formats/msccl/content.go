// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// content is the content of a chunk: a sum of inputs, rising by rank and chunk; nil: nothing
// yet. It does not change once it is made.
type content []term

// term is an input chunk and how often it went into a sum.
type term struct {
	source
	times int32
}

func compareSources(a, b source) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.chunk, b.chunk))
}

// plus returns the sum of two contents.
func (c content) plus(d content) content {
	sum := make(content, 0, len(c)+len(d))
	for len(c) > 0 && len(d) > 0 {
		switch order := compareSources(c[0].source, d[0].source); {
		case order < 0:
			sum, c = append(sum, c[0]), c[1:]
		case order > 0:
			sum, d = append(sum, d[0]), d[1:]
		default:
			sum = append(sum, term{c[0].source, c[0].times + d[0].times})
			c, d = c[1:], d[1:]
		}
	}
	return append(append(sum, c...), d...)
}

// is reports whether a content is the sum of the sources, each once.
func (c content) is(sources []source) bool {
	return slices.EqualFunc(c, sources, func(t term, s source) bool { return t.source == s && t.times == 1 })
}

// difference names the sources that a content lacks, has more than once, or has
// without being wanted. The sources rise.
func (c content) difference(sources []source) string {
	if len(c) == 0 {
		return "is empty, expected " + some("", names(sources))
	}
	var missing, twice, foreign []string
	for _, t := range c {
		switch _, wanted := slices.BinarySearchFunc(sources, t.source, compareSources); {
		case !wanted:
			foreign = append(foreign, t.source.String())
		case t.times > 1:
			twice = append(twice, fmt.Sprintf("%s (%d times)", t.source, t.times))
		}
	}
	for _, s := range sources {
		if _, has := slices.BinarySearchFunc(c, s, func(t term, s source) int { return compareSources(t.source, s) }); !has {
			missing = append(missing, s.String())
		}
	}
	var parts []string
	for _, p := range []string{some("lacks ", missing), some("holds more than once ", twice), some("holds wrongly ", foreign)} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ", ")
}

// String names an input chunk.
func (s source) String() string { return fmt.Sprintf("i[%d] of rank %d", s.chunk, s.rank) }

func names(sources []source) []string {
	list := make([]string, len(sources))
	for i, s := range sources {
		list[i] = s.String()
	}
	return list
}

// some prints the first few of a list behind a verb; nothing for an empty one.
func some(verb string, list []string) string {
	const most = 3
	if len(list) == 0 {
		return ""
	}
	text := verb + strings.Join(list[:min(most, len(list))], ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
