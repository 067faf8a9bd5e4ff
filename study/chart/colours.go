// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"slices"

	"meshwright/study"
	"meshwright/study/tables"
)

// colours are the places of names among the colours, in the order in which the charts of a report show the names: a name has the same
// colour in all of them.
type colours map[string]int

// of returns the places for the names of a chart. Where two of them would have the same colour the later one has the next
// colour that is free in the chart, while there is one.
func (c colours) of(names []string) map[string]int {
	places := map[string]int{}
	var taken [study.Colours]bool
	for _, name := range names {
		if _, twice := places[name]; twice {
			continue
		}
		place, known := c[name]
		if !known {
			place = len(c)
			c[name] = place
		}
		place %= study.Colours
		for range study.Colours {
			if !taken[place] {
				break
			}
			place = (place + 1) % study.Colours
		}
		places[name], taken[place] = place, true
	}
	return places
}

// styles returns the styles of the series of a chart. Series of one name have the same colour; where there are other axes,
// other dashes and points tell their groups apart.
func (c colours) styles(list []*tables.Series) []int {
	var names, groups []string
	for _, s := range list {
		names, groups = append(names, nameOf(s)), append(groups, s.Group)
	}
	places := c.of(names)
	groups = firsts(groups)
	taken := map[int]bool{}
	styles := make([]int, len(list))
	for i, s := range list {
		style := places[names[i]]
		if s.By != "" {
			style += study.Hues * slices.Index(groups, s.Group)
		}
		for taken[style] {
			style += study.Hues
		}
		styles[i], taken[style] = style, true
	}
	return styles
}

// nameOf is the name that has a colour: the value of the axis by, or without that axis the group.
func nameOf(s *tables.Series) string {
	if s.By == "" {
		return s.Group
	}
	return s.By
}

// firsts leaves out names that stand before.
func firsts(names []string) []string {
	var list []string
	for _, name := range names {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
