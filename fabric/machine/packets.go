// SPDX-License-Identifier: Apache-2.0

package machine

import "meshwright/internal/input"

// PacketSwitched reports whether the chips switch whole packets:
// store-forward or cut-through.
func (m *Machine) PacketSwitched() bool {
	return m.Switching == StoreForward || m.Switching == CutThrough
}

// Ticks returns how many ticks of the clock are a cycle: the denominator of
// the set-up, so that it too is a whole number of ticks; 1 on machines that do
// not switch packets.
func (m *Machine) Ticks() int {
	if !m.PacketSwitched() {
		return 1
	}
	return int(m.Setup.Den())
}

// SetupTicks returns the set-up of a packet on a link in ticks.
func (m *Machine) SetupTicks() int {
	if !m.PacketSwitched() {
		return 0
	}
	return int(m.Setup.Num())
}

// FlitTicks returns the time of a flit on a link in ticks.
func (m *Machine) FlitTicks() int { return m.Flit * m.Ticks() }

// StartupTicks returns the startup of a message in ticks.
func (m *Machine) StartupTicks() int { return m.Startup * m.Ticks() }

// FitPackets fills in what Packet and Buffer leave to the messages of a run:
// the largest packet, in flits of data, and buffers of two such packets. Machines that
// do not switch packets stay as they are. Its error, when a parameter that was
// given is too small, is an *input.Error.
func (m Machine) FitPackets(largest int) (Machine, error) {
	if !m.PacketSwitched() {
		return m, nil
	}
	if m.Packet == 0 {
		m.Packet = max(1, largest)
	}
	if m.Packet < largest {
		return m, input.Errorf("expected at least as many, or 0", "packet %d: the largest packet has %s", m.Packet, input.Count(largest, "flit"))
	}
	return m.fitBuffer()
}

// LargestPacket returns the flits of the largest packet on the links, its header flit included; 0 on machines without
// packets, and as long as Packet is not known.
func (m *Machine) LargestPacket() int {
	if m.Packet == 0 {
		return 0
	}
	return m.WithHeader(m.Packet)
}

// fitBuffer makes the buffer hold two of the largest packet when it is not given.
func (m Machine) fitBuffer() (Machine, error) {
	largest := m.LargestPacket()
	if m.Buffer == 0 {
		m.Buffer = 2 * largest
	}
	if m.Buffer < largest {
		return m, input.Errorf("expected room for a packet, or 0", "buffer %d: the largest packet has %s", m.Buffer, input.Count(largest, "flit"))
	}
	return m, nil
}

// resolvePackets rejects keys that a chip that switches packets does not have.
func (m Machine) resolvePackets() (Machine, error) {
	for _, rule := range []struct {
		broken    bool
		key, want string
	}{
		{m.VCs > 1, "vcs", "1"},
		{m.Duplex != Full, "nic.duplex", string(Full)},
		{m.Hop != 1, "hop", "1"},
	} {
		if rule.broken {
			return m, input.Errorf("expected "+rule.want+", as in the preset store-forward",
				"%s %s: not on a machine of switching %s", rule.key, m.valueOf(rule.key), m.Switching)
		}
	}
	if want := m.packetChannels(); m.Channels != want {
		return m, input.Errorf("expected nic.channels "+channelsName(want),
			"nic.channels %s with ports %s on a machine of switching %s", channelsName(m.Channels), m.Ports, m.Switching)
	}
	m.VCs = 1
	if m.Packet == 0 {
		return m, nil
	}
	return m.fitBuffer()
}

// packetChannels returns the channels of a PE whose chip switches packets: one
// for its single port, or one for each of all ports.
func (m *Machine) packetChannels() int {
	if m.Ports == SinglePort {
		return 1
	}
	return Links
}

// packetKeys are keys of machines that switch packets alone, and what else may be meant by them.
var packetKeys = []struct{ name, more string }{{"setup", ""}, {"packet", "; flits is the length of packets of random traffic"}}

// RefusesPacketKey refuses the value of a key that is about packets, on a machine that switches none; other keys pass.
func (m *Machine) RefusesPacketKey(name string) error {
	for _, key := range packetKeys {
		if value := m.valueOf(name); key.name == name && !m.PacketSwitched() && value != "0" {
			return input.Errorf("expected 0, or switching store-forward or cut-through"+key.more, "%s %s: switching %s has no packets", name, value, m.Switching)
		}
	}
	return nil
}

// refusePackets rejects parameters of packets on a machine that has none.
func (m *Machine) refusePackets() error {
	for _, key := range packetKeys {
		if err := m.RefusesPacketKey(key.name); err != nil {
			return err
		}
	}
	if low, high := m.limitsOf("buffer"); m.Switching == Wormhole && (m.Buffer < low || m.Buffer > high) {
		return input.Errorf(wholeNumber(low, high), "buffer %d on a machine of switching %s", m.Buffer, m.Switching)
	}
	return nil
}

// valueOf returns the value of a key as users write it.
func (m *Machine) valueOf(key string) string {
	for _, k := range keys {
		if k.Name == key {
			return k.get(m)
		}
	}
	return ""
}
