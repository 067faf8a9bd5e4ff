// SPDX-License-Identifier: Apache-2.0

package readback_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"meshwright/capture"
	"meshwright/capture/flitlayer"
	"meshwright/capture/readback"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/schedule"
)

// network makes a topology and a machine; settings are keys and values.
func network(t testing.TB, spec, preset string, settings ...string) (*topology.Topology, machine.Machine) {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	return topo, m
}

// captured runs a schedule and returns its result and its capture.
func captured(t testing.TB, s *schedule.Schedule, topo *topology.Topology, m machine.Machine, opts capture.Options) (*schedule.Result, []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.pcapng")
	var c capture.Capture
	r, err := schedule.Execute(context.Background(), s, topo, m, func(n *fabric.Network) (err error) {
		c, err = capture.Open(path, n, opts)
		n.Attach(c)
		return err
	})
	require.NoError(t, err)
	require.NoError(t, c.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return r, data
}

// random is a schedule of random messages; along gives each of them a random route.
func random(topo *topology.Topology, messages, longest int, spread router.Cycle, seed uint64, along bool) *schedule.Schedule {
	r := rand.New(rand.NewPCG(seed, 3))
	s := &schedule.Schedule{File: "random"}
	for k := range messages {
		from := router.NodeID(r.IntN(topo.Nodes()))
		row := schedule.Row{Message: int32(7 * k), Source: from, Flits: 1 + r.IntN(longest), Dispatch: router.Cycle(r.Int64N(int64(spread)))}
		if along {
			row.Route = walk(topo, from, r)
			row.Destination = row.Route[len(row.Route)-1]
		} else if row.Destination = router.NodeID(r.IntN(topo.Nodes() - 1)); row.Destination >= from {
			row.Destination++
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// walk is a random route that visits no node twice.
func walk(topo *topology.Topology, from router.NodeID, r *rand.Rand) []router.NodeID {
	way, seen := []router.NodeID{from}, map[router.NodeID]bool{from: true}
	for tries := 0; tries < 5 || len(way) == 1; tries++ {
		at := way[len(way)-1]
		next := topo.Neighbor(at, router.Port(r.IntN(topo.Ports(at))))
		if next < 0 || seen[next] {
			continue
		}
		way, seen[next] = append(way, next), true
	}
	return way
}

// byNumber are the rows of a schedule without what no capture tells.
func byNumber(s *schedule.Schedule) map[int32]schedule.Row {
	rows := map[int32]schedule.Row{}
	for _, r := range s.Rows {
		r.Line = 0
		rows[r.Message] = r
	}
	return rows
}

// packets are the flits of a capture with their times, without their content.
func packets(t testing.TB, data []byte) (list []string) {
	t.Helper()
	r, err := pcapgo.NewNgReader(bytes.NewReader(data), pcapgo.DefaultNgReaderOptions)
	require.NoError(t, err)
	for p := range gopacket.NewPacketSource(r, r.LinkType()).Packets() {
		f := *p.Layer(flitlayer.LayerTypeFlit).(*flitlayer.Flit)
		f.BaseLayer, f.Value, f.Upper = layers.BaseLayer{}, 0, nil
		list = append(list, fmt.Sprint(p.Metadata().Timestamp.UnixNano(), f))
	}
	return list
}

// A run, its capture, the schedule that is read from it, and the run of that schedule: the rows are those of the
// run's log, and every flit crosses every link in the same cycle, in busy networks, too.
func TestRunsReadBackAreTheSame(t *testing.T) {
	for _, row := range []struct {
		topology, preset string
		settings         []string
		along            bool
	}{
		{"path:6", "bufferless", nil, false},
		{"mesh:4x4", "bufferless", []string{"ports", "all"}, true},
		{"mesh:4x4", "wormhole", nil, false},
		{"mesh:4x4", "wormhole", []string{"header", "flit", "width", "64", "buffer", "280"}, true},
		{"torus:4x4", "wormhole", []string{"vcs", "4", "buffer", "3"}, false},
		{"torus:4x4", "wormhole", []string{"claim", "1", "startup", "5"}, false},
		{"mesh:3x3x2", "wormhole", []string{"hop", "3", "flit", "2", "width", "128"}, false},
		{"hypercube:4", "paragon", nil, false},
		{"mesh:4x4", "wormhole", []string{"links", "blocks:2x2,hop=7,flit=2 0>1,hop=3"}, false},
		{"star:7", "wormhole", []string{"ports", "single", "nic.channels", "1"}, false},
		{"debruijn:4", "wormhole", []string{"nic.channels", "1"}, false},
		{"torus:4x4", "wormhole", []string{"routing", "source"}, false},
		{"binary:4", "store-forward", []string{"setup", "3/2", "buffer", "400"}, false},
		{"mesh:3x3", "store-forward", []string{"switching", "cut-through", "ports", "all"}, false},
	} {
		t.Run(fmt.Sprint(row.topology, " ", row.preset, " ", row.settings), func(t *testing.T) {
			for seed := range soak.Number[uint64](1, 40) {
				topo, m := network(t, row.topology, row.preset, row.settings...)
				s := random(topo, 40, 6, 60, seed, row.along)
				if m.Switching == machine.Bufferless {
					s = apart(s, topo)
				}
				requireSameRun(t, s, topo, m)
			}
		})
	}
}

// apart puts the messages of a schedule behind each other, so that none collide.
func apart(s *schedule.Schedule, topo *topology.Topology) *schedule.Schedule {
	for i := range s.Rows {
		s.Rows[i].Dispatch = router.Cycle(i * (topo.Nodes() + 6))
	}
	return s
}

func requireSameRun(t *testing.T, s *schedule.Schedule, topo *topology.Topology, m machine.Machine) {
	t.Helper()
	first, data := captured(t, s, topo, m, capture.Options{})
	require.True(t, first.Delivered, "%v", first.Failure)
	run, err := readback.Parse(t.Context(), "run.pcapng", bytes.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, first.Network.Topology.String(), run.About.Topology)
	require.Equal(t, first.Network.Machine, run.About.Machine)
	got, err := run.Schedule(topo, run.About.Machine)
	require.NoError(t, err)
	require.Equal(t, byNumber(schedule.FromLog(first.Network, got.HasRoutes())), byNumber(got))
	second, again := captured(t, got, topo, run.About.Machine, capture.Options{})
	require.True(t, second.Delivered)
	require.Equal(t, first.Cycles, second.Cycles)
	require.Equal(t, packets(t, data), packets(t, again))
}

// small is the capture of two messages that want one link; the second waits.
func small(t testing.TB) []byte {
	topo, m := network(t, "path:4", "wormhole")
	s := &schedule.Schedule{Rows: []schedule.Row{{Message: 1, Source: 0, Destination: 3, Flits: 2}, {Message: 2, Source: 1, Destination: 3, Flits: 3, Dispatch: 1}}}
	_, data := captured(t, s, topo, m, capture.Options{})
	return data
}

// A message whose first flit finds the link taken was dispatched before it crossed.
func TestDispatchIsBeforeTheWait(t *testing.T) {
	run, err := readback.Parse(t.Context(), "run.pcapng", bytes.NewReader(small(t)))
	require.NoError(t, err)
	topo, m := network(t, "path:4", "wormhole")
	s, err := run.Schedule(topo, m)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, s.Write(&text))
	require.Equal(t, "message,source,destination,flits,dispatch\n1,0,3,2,0\n2,1,3,3,1\n", text.String())
}

// A window of the cycles has the same packets as the whole capture, with the cycles that first flits waited before it.
func TestWindowsKnowTheWaits(t *testing.T) {
	topo, m := network(t, "mesh:4x4", "wormhole")
	s := random(topo, 80, 6, 20, 5, false)
	_, whole := captured(t, s, topo, m, capture.Options{})
	_, part := captured(t, s, topo, m, capture.Options{From: 15, Until: 30})
	var want []string
	for _, p := range packets(t, whole) {
		var at int
		_, err := fmt.Sscan(p, &at)
		require.NoError(t, err)
		if at >= 15 && at < 30 {
			want = append(want, p)
		}
	}
	require.NotEmpty(t, want)
	require.Equal(t, want, packets(t, part))
}

// flit is a packet of a capture that a test makes.
type flit struct {
	at int64
	f  flitlayer.Flit
}

// message are the packets of a message of so many flits along some nodes.
func message(number int64, at int64, length uint32, way ...router.NodeID) (list []flit) {
	for k := range length {
		for hop, from := range way[:len(way)-1] {
			list = append(list, flit{at + int64(k) + int64(hop), flitlayer.Flit{
				Message: number, Source: way[0], Destination: way[len(way)-1], Head: k == 0, Tail: k == length-1,
				Index: k + 1, Length: length, From: from, To: way[hop+1],
			}})
		}
	}
	return list
}

// written writes packets as a capture, in the order of their times.
func written(t testing.TB, hardware string, list []flit) []byte {
	var out bytes.Buffer
	described := pcapgo.NgInterface{LinkType: flitlayer.LinkType, TimestampResolution: 9}
	w, err := pcapgo.NewNgWriterInterface(&out, described, pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Hardware: hardware}})
	require.NoError(t, err)
	last := int64(0)
	for _, p := range list {
		last = max(last, p.at)
	}
	for now := range last + 1 {
		for _, p := range list {
			if p.at != now {
				continue
			}
			data := make([]byte, p.f.Size())
			p.f.Put(data)
			require.NoError(t, w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(0, now), CaptureLength: len(data), Length: len(data)}, data))
		}
	}
	require.NoError(t, w.Flush())
	return out.Bytes()
}

// what no capture of a whole run says, and what is no capture.
func TestOtherCapturesAreRefused(t *testing.T) {
	good := small(t)
	topo, m := network(t, "path:4", "wormhole")
	two := &schedule.Schedule{Rows: []schedule.Row{{Message: 1, Source: 0, Destination: 3, Flits: 2}}}
	_, window := captured(t, two, topo, m, capture.Options{Nodes: []router.NodeID{1}})
	change := func(list []flit, f func(*flit)) []flit {
		f(&list[len(list)-1])
		return list
	}
	put := func(at int, bytes ...byte) []byte {
		data := append([]byte{}, good...)
		copy(data[at:], bytes)
		return data
	}
	idb := int(binary.LittleEndian.Uint32(good[4:])) // where the first interface begins
	for _, row := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "run.pcapng: the file is empty (expected a capture in the form pcapng)"},
		{"text", []byte("cycle,from,to"), "run.pcapng: the file begins with the bytes 63 79 63 6c (expected a capture in the form pcapng, which begins with a section header)"},
		{"pcap", []byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0}, "run.pcapng: a capture of the format pcap (expected pcapng, which editcap -F pcapng makes of it)"},
		{"pcap of nanoseconds", []byte{0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0}, "run.pcapng: a capture of the format pcap (expected pcapng, which editcap -F pcapng makes of it)"},
		{"pcap of nanoseconds, highest byte first", []byte{0xa1, 0xb2, 0x3c, 0x4d, 0, 2, 0, 4}, "run.pcapng: a capture of the format pcap (expected pcapng, which editcap -F pcapng makes of it)"},
		{"cut in the section", good[:20], "run.pcapng: the block at byte 0 is cut off (expected whole blocks of pcapng)"},
		{"cut in a packet", good[:len(good)-3], fmt.Sprintf("run.pcapng: the block at byte %d is cut off (expected whole blocks of pcapng)", len(good)-72)},
		{"cut between packets", good[:len(good)-72], "run.pcapng: message 2, of 3 flits over 2 links, has 5 packets (expected all flits on all links: a capture of the whole run, in which no flit was lost)"},
		{"byte order", put(8, 1, 2, 3, 4), "run.pcapng: the section begins with the bytes 01 02 03 04 (expected the byte-order magic 1a2b3c4d)"},
		{"version", put(12, 2, 0), "run.pcapng: the file is of version 2.0 of pcapng (expected version 1.0)"},
		{"length beyond all", put(4, 0, 0, 0, 0x7f), "run.pcapng: the block at byte 0 has a length of 2130706432 (expected a multiple of 4 from 12 to 1048576)"},
		{"length in two ways", put(idb-4, 4, 0), fmt.Sprintf("run.pcapng: the block at byte 0 begins with a length of %d and ends with 4 (expected the same length twice)", idb)},
		{"option beyond its block", put(idb+18, 0xff, 0xff), fmt.Sprintf("run.pcapng: an option of the block at byte %d goes beyond it (expected options within their block)", idb)},
		{"link type", put(idb+8, 1, 0), "run.pcapng: packets of link type 1 (expected 147, the flits of a run of meshwright)"},
		{"type of block", put(len(good)-72, 3), fmt.Sprintf("run.pcapng: the block at byte %d is of type 3 (expected enhanced packet blocks)", len(good)-72)},
		{"two sections", append(append([]byte{}, good...), good...), fmt.Sprintf("run.pcapng: a second section at byte %d (expected the capture of one run)", len(good))},
		{"no packets", written(t, "", nil), "run.pcapng: no packets (expected the flits of a run)"},
		{"microseconds", put(bytes.Index(good, []byte{9, 0, 1, 0, 9})+4, 6), fmt.Sprintf("run.pcapng: the interface at byte %d has times of resolution 6 (expected 9, nanoseconds: a cycle is a nanosecond)", idb)},
		{"some links", window, "run.pcapng: the capture has a window of the run, and not all messages (expected a capture without --from, --until and --nodes)"},
		{"some links, not said", written(t, "", message(5, 3, 2, 0, 1, 2)[1:]), "run.pcapng: packet 1: message 5, from 0, begins with flit 1 at node 1 (expected the capture of a whole run, in which each message begins with its first flit at its source)"},
		{"a link in between", written(t, "", append(message(5, 3, 1, 0, 1, 2, 3)[:1], message(5, 3, 1, 0, 1, 2, 3)[2])), "run.pcapng: packet 2: the first flit of message 5 leaves node 2, and was last at node 1 (expected every link of its route)"},
		{"lost in flight", written(t, "", message(5, 3, 1, 0, 1, 2)[:1]), "run.pcapng: the first flit of message 5 was last at node 1, and its destination is node 2 (expected all flits on all links: a capture of the whole run, in which no flit was lost)"},
		{"a flit twice for another", written(t, "", append(message(5, 3, 4, 0, 1)[:2], append(message(5, 3, 4, 0, 1)[1:2], message(5, 3, 4, 0, 1)[3])...)), "run.pcapng: message 5, of 4 flits over 1 link, has 4 packets (expected all flits on all links: a capture of the whole run, in which no flit was lost)"},
		{"number of two messages", written(t, "", append(message(5, 0, 1, 0, 1), message(5, 9, 1, 2, 3)...)), "run.pcapng: packet 2: message 5 is data 2 -> 3 of 1 flit, and was data 0 -> 1 of 1 flit (expected the capture of one run, in which a number is one message)"},
		{"negative number", written(t, "", message(-1, 0, 1, 0, 1)), "run.pcapng: packet 1: message number -1 (expected 0 to 2147483647)"},
		{"flags", written(t, "", change(message(1, 0, 2, 0, 1), func(p *flit) { p.f.Tail = false })), "run.pcapng: packet 2: flit 2 of 2 of message 1 has other flags (expected the flag head on the first flit alone, and tail on the last)"},
		{"has waited since before the run", written(t, "", change(message(1, 4, 1, 0, 1), func(p *flit) { p.f.Waited = 5 })), "run.pcapng: packet 1: message 1 has waited for 5 cycles (expected at most 4)"},
		{"kind", written(t, "", change(message(1, 4, 1, 0, 1), func(p *flit) { p.f.Kind = 7 })), "run.pcapng: packet 1: flit packet has a field out of range: kind 7 (expected a flit as --trace FILE.pcapng writes it)"},
		{"unknown machine", written(t, "meshwright; switching=magic", message(1, 4, 1, 0, 1)), `run.pcapng: switching: "magic" (expected bufferless, wormhole, store-forward or cut-through)`},
		{"another key", written(t, "meshwright; colour=red", message(1, 4, 1, 0, 1)), `run.pcapng: the network is described by "colour=red" (expected switching=…)`},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := readback.Parse(t.Context(), "run.pcapng", bytes.NewReader(row.data))
			require.EqualError(t, err, row.want)
		})
	}
}

// Times that go back are refused: packets of several files in one.
func TestPacketsOutOfOrderAreRefused(t *testing.T) {
	late, early := written(t, "", message(1, 9, 1, 0, 1)), written(t, "", message(2, 1, 1, 0, 1))
	const packet = 72
	_, err := readback.Parse(t.Context(), "run.pcapng", bytes.NewReader(append(late, early[len(early)-packet:]...)))
	require.EqualError(t, err, "run.pcapng: packet 2: time 1 comes after time 9 (expected packets in the order of their times)")
}

// A snap length of 4 GB, of which no packet has any use, takes no memory.
func TestLongSnapLengthTakesNoMemory(t *testing.T) {
	data := small(t)
	idb := int(binary.LittleEndian.Uint32(data[4:]))
	binary.LittleEndian.PutUint32(data[idb+12:], 1<<32-1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := readback.Parse(t.Context(), "run.pcapng", bytes.NewReader(data))
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
}

// The capture of another program has no word of machine and topology, and is read none the less.
func TestCaptureWithoutDescription(t *testing.T) {
	run, err := readback.Parse(t.Context(), "run.pcapng", bytes.NewReader(written(t, "Some computer", message(4, 5, 3, 0, 1, 2))))
	require.NoError(t, err)
	require.Nil(t, run.About)
	for _, row := range []struct {
		topology string
		settings []string
		want     string
	}{
		{"path:4", nil, "4,0,2,3,5\n"},
		{"path:4", []string{"header", "flit"}, "4,0,2,2,5\n"},
		{"ring:4", nil, "4,0,2,3,5\n"},
		{"torus:3x3", nil, "4,0,2,3,5,0>1>2\n"},
	} {
		topo, m := network(t, row.topology, "wormhole", row.settings...)
		m, err := m.Resolve(topo)
		require.NoError(t, err)
		s, err := run.Schedule(topo, m)
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, s.Write(&text))
		_, rows, _ := bytes.Cut(text.Bytes(), []byte("\n"))
		require.Equal(t, row.want, string(rows))
	}
	topo, m := network(t, "path:2", "wormhole")
	_, err = run.Schedule(topo, m)
	require.EqualError(t, err, "run.pcapng: message 4: destination 2 (expected a node from 0 to 1)")
}

// FuzzParse reads any bytes: a schedule, or one line that says why not.
func FuzzParse(f *testing.F) {
	f.Add(small(f))
	f.Add(small(f)[:200])
	f.Add(written(f, "meshwright; switching=wormhole", message(1, 0, 2, 0, 1, 2)))
	f.Fuzz(func(t *testing.T, data []byte) {
		run, err := readback.Parse(t.Context(), "run.pcapng", bytes.NewReader(data))
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		topo, m := network(t, "mesh:4x4", "wormhole")
		if m, err = m.Resolve(topo); err != nil {
			return
		}
		s, err := run.Schedule(topo, m)
		if err == nil {
			require.NoError(t, s.Validate(topo))
		}
	})
}
