// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
)

// scaled is a job of the benchmark: blocks of 4 flits.
type scaled struct{ collective, algorithm, machine string }

var scaledJobs = []scaled{
	{plan.Scatter, "furthest-first", "wormhole"},
	{plan.Gather, "certification", "bufferless"},
	{plan.Broadcast, "pipelined", "wormhole"},
}

// BenchmarkScale measures what a run needs besides its cycles, in nanoseconds and bytes a router: the
// topology, the plan, and the network with the PEs and their memories.
func BenchmarkScale(b *testing.B) {
	for _, spec := range []string{"mesh:32x32", "mesh:128x128", "mesh:512x512", "mesh:1024x1024", "torus:100x100x100"} {
		for _, job := range scaledJobs {
			b.Run(spec+"/"+job.collective+"/"+job.algorithm, func(b *testing.B) {
				for range b.N {
					job.measure(b, spec)
				}
			})
		}
	}
}

func (j scaled) measure(b *testing.B, spec string) {
	m, err := machine.Preset(j.machine)
	require.NoError(b, err)
	before, last := heap(), processorTime(b)
	var topo *topology.Topology
	lap := func(what string) {
		took := processorTime(b) - last
		b.ReportMetric(float64(took.Nanoseconds())/float64(topo.Nodes()), what+"-ns/router")
		b.ReportMetric(float64(heap()-before)/float64(topo.Nodes()), what+"-B/router")
		last = processorTime(b)
	}
	topo, err = topology.Parse(spec)
	require.NoError(b, err)
	lap("topology")
	lengths := make([]int, topo.Nodes())
	for n := range lengths {
		lengths[n] = 4
	}
	p, err := collective.Generate(b.Context(), j.collective, j.algorithm, plan.Job{Topology: topo, Machine: m, Lengths: lengths})
	require.NoError(b, err)
	lap("plan")
	network, array, err := p.Network(b.Context())
	require.NoError(b, err)
	lap("network")
	b.ReportMetric(0, "ns/op")
	runtime.KeepAlive(network)
	runtime.KeepAlive(array)
}

// processorTime returns what the process has used, since other work on the machine does not matter.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// heap returns the bytes in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
