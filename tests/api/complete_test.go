// SPDX-License-Identifier: Apache-2.0

package api

import (
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// complete are the packages of which the list has all exported functions and methods.
var complete = []string{
	"fabric/topology", "fabric/traffic", "firmware/collective", "firmware/image", "firmware/loader",
	"schedule", "schedule/check", "study",
}

// uncalled are what the list leaves out of these packages, each with the reason.
var uncalled = map[string]string{
	"fabric/topology.Axis.Coordinate":    "for the axes of a Topology, as its comment says",
	"fabric/topology.Axis.Move":          "for the axes of a Topology, as its comment says",
	"fabric/topology.Survivors.Dead":     "of what Without returns",
	"fabric/traffic.Source.Evaluate":     "called by the clock",
	"fabric/traffic.Source.OnlyMessages": "does nothing",
	"fabric/traffic.Source.OnlySends":    "does nothing",
	"fabric/traffic.Source.Update":       "called by the clock",
	"fabric/traffic.Uniform.Evaluate":    "called by the clock",
	"fabric/traffic.Uniform.OnlySends":   "does nothing",
	"fabric/traffic.Uniform.Update":      "called by the clock",
	"schedule.Player.Evaluate":           "called by the clock",
	"schedule.Player.OnlyMessages":       "does nothing",
	"schedule.Player.Update":             "called by the clock",
}

// A function that is new in one of these packages is called with wrong arguments, too.
func TestListOfFunctionsIsComplete(t *testing.T) {
	called := map[string]bool{}
	for _, list := range functions {
		for _, f := range list {
			called[strings.NewReplacer("(*", "", "(", "", ")", "").Replace(nameOf(f))] = true
		}
	}
	e := newExported(load(t))
	var missing []string
	for name, o := range e.objects {
		if _, ok := o.(*types.Func); ok && slices.Contains(complete, roomOf(name)) && !called[name] && uncalled[name] == "" {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	require.Empty(t, missing, "not in the list of functions_test.go")
	for name := range uncalled {
		assert.NotNil(t, e.objects[name], "%s is no exported name", name)
		assert.False(t, called[name], "%s is in the list", name)
	}
}

// roomOf returns the package of package.Name or package.Type.Method.
func roomOf(name string) string {
	base := strings.LastIndexByte(name, '/') + 1
	room, _, _ := strings.Cut(name[base:], ".")
	return name[:base] + room
}
