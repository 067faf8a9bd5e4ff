// SPDX-License-Identifier: Apache-2.0

// Package api holds a test of all exported functions at once.
package api

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/schedule"
	"meshwright/study"
)

// Whatever a function is given, it returns: an error, or what its comment says.
func TestNoArgumentsMakeAFunctionPanic(t *testing.T) {
	t.Chdir(t.TempDir()) // for what is written under the names of the generator
	for _, room := range slices.Sorted(maps.Keys(functions)) {
		for _, f := range functions[room] {
			name := nameOf(f)
			t.Run(name, func(t *testing.T) {
				calls := soak.Number(20, 60)
				if name == nameOf((*study.Scoreboard).Run) { // it runs all algorithms
					calls = soak.Number(4, 60)
				}
				g := generator{rand.New(rand.NewPCG(1, uint64(len(name)))), t.TempDir()}
				v := reflect.ValueOf(f)
				for k := range calls {
					args := make([]reflect.Value, v.Type().NumIn())
					for i := range args {
						kind := v.Type().In(i)
						if v.Type().IsVariadic() && i == len(args)-1 {
							args[i] = reflect.Zero(kind)
							continue
						}
						args[i] = g.value(kind, 0, k == 0)
						if i == 0 && strings.Contains(name, ".(*") && args[i].IsNil() { // a receiver
							args[i] = reflect.New(kind.Elem())
						}
					}
					if fault := call(v, args); fault != "" {
						t.Fatalf("call %d of %s: %s", k, name, fault)
					}
				}
			})
		}
	}
}

func nameOf(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return strings.TrimPrefix(name, "meshwright/")
}

// call says how a call failed to return. A call that does not end is left to the
// time limit of go test, which names it.
func call(f reflect.Value, args []reflect.Value) (fault string) {
	text := make([]string, len(args))
	for i, a := range args {
		text[i] = fmt.Sprintf("%s(%.300s)", a.Type(), describe(a))
	}
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Sprintf("%v\n%s\narguments %s", r, where(), strings.Join(text, ", "))
		}
	}()
	if f.Type().IsVariadic() {
		f.CallSlice(args)
	} else {
		f.Call(args)
	}
	return ""
}

func describe(v reflect.Value) (text string) {
	defer func() {
		if recover() != nil {
			text = "?"
		}
	}()
	if v.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().Kind() == reflect.Struct {
		if t, ok := v.Interface().(*topology.Topology); ok {
			return t.Spec
		}
		return "&" + describe(v.Elem())
	}
	return fmt.Sprintf("%+v", v.Interface())
}

// where is the part of the stack that is the project's.
func where() string {
	var lines []string
	for line := range strings.Lines(string(debug.Stack())) {
		if strings.Contains(line, ".go:") && !strings.Contains(line, "/go/src/") && !strings.Contains(line, "tests/api") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines[:min(len(lines), 4)], "\n")
}

// generator makes arguments: zero values, wrong ones, and some that are right.
type generator struct {
	*rand.Rand
	dir string
}

var specs = []string{"path:1", "path:4", "ring:5", "mesh:2x3", "torus:3x3", "torus:4x4", "hypercube:3", "hub:4", "binary:3", "debruijn:3", "complete:4", "star:3", "star:4"}

func (g *generator) value(t reflect.Type, depth int, zero bool) reflect.Value {
	switch t {
	case reflect.TypeFor[context.Context]():
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		context.AfterFunc(ctx, cancel)
		return reflect.ValueOf(ctx)
	case reflect.TypeFor[io.Reader]():
		return reflect.ValueOf(strings.NewReader([]string{"", "x", "0,1\n", "1,0,1,2,0\n", "\tli r1, 2\n"}[g.IntN(5)]))
	case reflect.TypeFor[io.Writer]():
		return reflect.ValueOf(io.Discard)
	case reflect.TypeFor[*fabric.Network](): // no other package can make one
		return reflect.ValueOf(g.network())
	case reflect.TypeFor[*rtl.Recorder]():
		return reflect.ValueOf(rtl.NewRecorder(g.network()))
	}
	if zero || g.IntN(8) == 0 {
		return reflect.Zero(t)
	}
	switch t {
	case reflect.TypeFor[*topology.Topology]():
		if g.IntN(4) > 0 {
			topo, _ := topology.Parse(specs[g.IntN(len(specs))])
			return reflect.ValueOf(topo)
		}
	case reflect.TypeFor[machine.Machine]():
		if g.IntN(4) > 0 {
			m, _ := machine.Preset(machine.PresetNames()[g.IntN(len(machine.PresetNames()))])
			if g.IntN(2) == 0 {
				m.Startup = g.IntN(5)
			}
			return reflect.ValueOf(m)
		}
	case reflect.TypeFor[*topology.SpanningTree]():
		if g.IntN(2) > 0 {
			topo, _ := topology.Parse(specs[g.IntN(len(specs))])
			return reflect.ValueOf(topology.BreadthFirst(topo, 0))
		}
	case reflect.TypeFor[*schedule.Schedule]():
		if g.IntN(2) > 0 {
			return reflect.ValueOf(&schedule.Schedule{Rows: []schedule.Row{{Message: 1, Source: 0, Destination: 1, Flits: 2}, {Message: 2, Source: 1, Destination: router.NodeID(g.IntN(4)), Flits: g.IntN(3), Dispatch: router.Cycle(g.IntN(9))}}})
		}
	case reflect.TypeFor[traffic.Pattern]():
		topo, _ := topology.Parse(specs[g.IntN(len(specs))])
		if p, err := traffic.ParsePattern("uniform", topo); err == nil {
			return reflect.ValueOf(p)
		}
		return reflect.Zero(t)
	case reflect.TypeFor[traffic.Sizes]():
		sizes, _ := traffic.ParseSizes([]string{"1", "4", "1@0.6,8@0.4"}[g.IntN(3)])
		return reflect.ValueOf(sizes)
	}
	return g.some(t, depth)
}

// network is a network, of which no flit has been sent.
func (g *generator) network() *fabric.Network {
	topo, _ := topology.Parse(specs[g.IntN(len(specs))])
	m, _ := machine.Preset([]string{"wormhole", "bufferless"}[g.IntN(2)])
	net, err := fabric.New(topo, m)
	if err != nil {
		panic(err)
	}
	return net
}

var words = []string{"", "x", "scatter", "gossip", "gather", "broadcast", "exchange", "reduce", "allreduce", "auto", "wormhole", "bufferless", "1,2", "path:3", "torgos", "search", "edge-disjoint"}

func (g *generator) some(t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(g.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, 2, 3, 4, 5, 7, 9, 64, -1 << 31, 1000}[g.IntN(12)])
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint([]uint64{0, 1, 2, 3, 4, 7, 64, 255, 1<<32 - 1}[g.IntN(9)])
	case reflect.Float64:
		v.SetFloat([]float64{0, 0.5, 1, -1, 2}[g.IntN(5)])
	case reflect.String:
		v.SetString(words[g.IntN(len(words))])
	case reflect.Slice:
		if depth < 4 {
			n := []int{0, 1, 2, 3, 4, 5, 6, 8, 9, 16}[g.IntN(10)]
			v.Set(reflect.MakeSlice(t, n, n))
			for i := range n {
				v.Index(i).Set(g.value(t.Elem(), depth+1, false))
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(g.value(t.Elem(), depth+1, false))
		}
	case reflect.Pointer:
		if depth < 4 {
			v.Set(reflect.New(t.Elem()))
			v.Elem().Set(g.value(t.Elem(), depth+1, false))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(g.value(t.Field(i).Type, depth+1, false))
			}
		}
	case reflect.Func:
		v.Set(reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value {
			out := make([]reflect.Value, t.NumOut())
			for i := range out {
				out[i] = g.value(t.Out(i), depth+1, false)
			}
			return out
		}))
	}
	return v
}
