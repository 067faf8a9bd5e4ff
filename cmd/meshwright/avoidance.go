// SPDX-License-Identifier: Apache-2.0

package main

import "meshwright/fabric"

// avoidance is what routes around known faults leave out; its names are a contract.
type avoidance struct {
	Live  int `json:"live_nodes"`
	Nodes int `json:"avoided_nodes"`
	Links int `json:"avoided_links"`
}

func newAvoidance(nodes int, around *fabric.Around) *avoidance {
	dead, links := around.Dead()
	return &avoidance{nodes - dead, dead, links}
}

// rows are those of a report; none of nil.
func (a *avoidance) rows() [][]string {
	if a == nil {
		return nil
	}
	return [][]string{{"live nodes", itoa(a.Live)}, {"dead nodes, avoided", itoa(a.Nodes)}, {"dead links, avoided (one way)", itoa(a.Links)}}
}
