// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/internal/rational"
)

// with returns a preset with some keys set, in pairs.
func with(t *testing.T, preset string, settings ...string) Machine {
	m, err := Preset(preset)
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	return m
}

func TestTicksAreTheSetupsDenominator(t *testing.T) {
	m := with(t, "store-forward", "setup", "3/2", "flit", "4", "startup", "5")
	require.Equal(t, []int{2, 3, 8, 10}, []int{m.Ticks(), m.SetupTicks(), m.FlitTicks(), m.StartupTicks()})
	m = with(t, "store-forward")
	require.Equal(t, []int{1, 1, 1, 0}, []int{m.Ticks(), m.SetupTicks(), m.FlitTicks(), m.StartupTicks()})
	m = with(t, "wormhole", "flit", "4", "startup", "5")
	require.Equal(t, []int{1, 0, 4, 5}, []int{m.Ticks(), m.SetupTicks(), m.FlitTicks(), m.StartupTicks()})
}

func TestBadSetupAndPacket(t *testing.T) {
	m := with(t, "store-forward")
	for _, row := range []struct{ key, value, want string }{
		{"setup", "-1", `setup: "-1" is negative (expected 0 or more)`},
		{"setup", "NaN", `setup: "NaN" is not a number (expected a number such as 2, 1.5 or 3/2)`},
		{"setup", "1/0", `setup: "1/0" divides by zero (expected a denominator of at least 1)`},
		{"setup", "1/1001", `setup: "1/1001" (expected a denominator of at most 1000)`},
		{"setup", "1048577", `setup: "1048577" (expected at most 1048576)`},
		{"packet", "-1", `packet: "-1" (expected a whole number from 0 to 268435456)`},
		{"buffer", "-1", `buffer: "-1" (expected a whole number from 0 to 536870912)`},
	} {
		require.EqualError(t, m.Set(row.key, row.value), row.want)
	}
	require.Equal(t, rational.One(), m.Setup)
}

func TestResolveRejectsWhatPacketsDoNotHave(t *testing.T) {
	path, err := topology.Parse("path:4")
	require.NoError(t, err)
	for _, row := range []struct {
		preset   string
		settings []string
		want     string
	}{
		{"store-forward", []string{"vcs", "2"}, "vcs 2: not on a machine of switching store-forward (expected 1, as in the preset store-forward)"},
		{"store-forward", []string{"ports", "all", "nic.channels", "1"}, "nic.channels 1 with ports all on a machine of switching store-forward (expected nic.channels links)"},
		{"store-forward", []string{"switching", "cut-through", "nic.channels", "links"}, "nic.channels links with ports single on a machine of switching cut-through (expected nic.channels 1)"},
		{"store-forward", []string{"nic.duplex", "half"}, "nic.duplex half: not on a machine of switching store-forward (expected full, as in the preset store-forward)"},
		{"store-forward", []string{"hop", "2"}, "hop 2: not on a machine of switching store-forward (expected 1, as in the preset store-forward)"},
		{"store-forward", []string{"packet", "9", "buffer", "8"}, "buffer 8: the largest packet has 9 flits (expected room for a packet, or 0)"},
		{"wormhole", []string{"setup", "3/2"}, "setup 3/2: switching wormhole has no packets (expected 0, or switching store-forward or cut-through)"},
		{"bufferless", []string{"packet", "4"}, "packet 4: switching bufferless has no packets (expected 0, or switching store-forward or cut-through; flits is the length of packets of random traffic)"},
		{"store-forward", []string{"setup", "0", "switching", "wormhole"}, "buffer 0 on a machine of switching wormhole (expected a whole number from 1 to 1024)"},
	} {
		_, err := with(t, row.preset, row.settings...).Resolve(path)
		require.EqualError(t, err, row.want)
	}
	torus, err := topology.Parse("torus:4x4")
	require.NoError(t, err)
	m, err := with(t, "store-forward", "packet", "9").Resolve(torus)
	require.NoError(t, err)
	require.Equal(t, []int{1, 18, 9}, []int{m.VCs, m.Buffer, m.Packet}, "no dateline pairs, buffers of two packets")
}

func TestFitPackets(t *testing.T) {
	fit := func(largest int, preset string, settings ...string) (Machine, error) {
		return with(t, preset, settings...).FitPackets(largest)
	}
	m, err := fit(7, "store-forward")
	require.NoError(t, err)
	require.Equal(t, []int{7, 14}, []int{m.Packet, m.Buffer})
	m, err = fit(7, "store-forward", "packet", "9", "buffer", "9")
	require.NoError(t, err)
	require.Equal(t, []int{9, 9}, []int{m.Packet, m.Buffer})
	m, err = fit(0, "store-forward")
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, []int{m.Packet, m.Buffer}, "no messages at all")
	_, err = fit(7, "store-forward", "packet", "6")
	require.EqualError(t, err, "packet 6: the largest packet has 7 flits (expected at least as many, or 0)")
	_, err = fit(7, "store-forward", "buffer", "6")
	require.EqualError(t, err, "buffer 6: the largest packet has 7 flits (expected room for a packet, or 0)")
	wormhole := with(t, "wormhole")
	m, err = wormhole.FitPackets(5000)
	require.NoError(t, err)
	require.Equal(t, wormhole, m)
}

// What buffer may be depends on the switching, in whatever line that stands.
func TestFileOfPackets(t *testing.T) {
	f, err := Parse("m.yaml", []byte("buffer: 0\npacket: 8\nsetup: 1.5\npreset: store-forward\nswitching: cut-through\n"))
	require.NoError(t, err)
	require.Equal(t, "cut-through buffer=0 ports=single nic.channels=1 setup=3/2 packet=8", f.Machine.Describe())
	f, err = Parse("m.yaml", []byte("buffer: 0\nswitching: cut-through\n"))
	require.NoError(t, err)
	require.Zero(t, f.Machine.Buffer)
	_, err = Parse("m.yaml", []byte("setup: fast\n"))
	require.EqualError(t, err, `m.yaml:1: setup: "fast" is not a number (expected a number such as 2, 1.5 or 3/2)`)
}

// Of chips that switch packets the ports decide how many channels a PE has, if nobody says it.
func TestChannelsFollowPorts(t *testing.T) {
	path, err := topology.Parse("path:4")
	require.NoError(t, err)
	for _, row := range []struct {
		settings []string
		want     int
	}{
		{nil, 1},
		{[]string{"ports", "all"}, Links},
		{[]string{"ports", "all", "ports", "single"}, 1},
		{[]string{"nic.channels", "links", "ports", "single"}, 1},
	} {
		m, err := with(t, "store-forward", row.settings...).Resolve(path)
		require.NoError(t, err)
		require.Equal(t, row.want, m.Channels, row.settings)
	}
	file, err := Parse("m.yaml", []byte("nic.channels: 1\nports: all\npreset: store-forward\n"))
	require.NoError(t, err)
	_, err = file.Machine.Resolve(path)
	require.ErrorContains(t, err, "expected nic.channels links", "a value that a file gives is kept, whatever the order of its lines")
}
