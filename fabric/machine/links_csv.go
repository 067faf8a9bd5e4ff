// SPDX-License-Identifier: Apache-2.0

package machine

import "meshwright/internal/input"

const (
	linkForm     = "link,hop,flit"
	maxLinksFile = 64 << 20 // bytes
	maxLinksLine = 1 << 10
)

// addFile reads a file of links:
//
//	link,hop,flit
//	3-4,8,2        both directions
//	3>4,8,         one direction; an empty time is that of the machine
//	dim:1,4,       all links of a dimension, as in a spec
func (u *Uneven) addFile(file string) error {
	text, err := input.ReadFileWithin(file, input.Bounds{Bytes: maxLinksFile, Line: maxLinksLine})
	if err != nil {
		return err
	}
	before := len(u.rules)
	err = input.Rows(file, text, linkForm, func(fields []string, line int) error {
		set, bad := parseLinkSet(fields[0])
		if bad != nil {
			return bad
		}
		r := linkRule{links: set, file: file, line: line}
		for i, time := range []*int{&r.hop, &r.flit} {
			if fields[i+1] == "" {
				continue
			}
			if *time, bad = linkTime([]string{"hop", "flit"}[i], fields[i+1]); bad != nil {
				return bad
			}
		}
		if r.hop == 0 && r.flit == 0 {
			return input.Errorf("expected a hop, a flit, or both", "%s without times", set)
		}
		u.rules = append(u.rules, r)
		return nil
	})
	if err == nil && len(u.rules) == before {
		return input.At(file, 0, "expected rows of "+linkForm, "no links")
	}
	return err
}
