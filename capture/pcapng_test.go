// SPDX-License-Identifier: Apache-2.0

package capture_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"meshwright/capture"
	"meshwright/capture/flitlayer"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/internal/proctest"
	"meshwright/router"
)

// flitOf is the packet that a crossing must become.
func flitOf(r record) flitlayer.Flit {
	return flitlayer.Flit{
		Kind: r.Worm.Kind, Head: r.Head, Tail: r.Tail, VC: r.VC, Source: r.Source, Destination: r.Destination,
		Message: r.number(), Index: r.Flit, Length: r.Worm.Length, From: r.From, To: r.To, Value: r.Value,
		Waited: uint64(r.Waited),
	}
}

func TestPcapngHasEveryCrossing(t *testing.T) {
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.pcapng")
			net, seen := capturedRun(t, sc, path, capture.Options{})
			f, err := os.Open(path)
			require.NoError(t, err)
			defer f.Close()
			r, err := pcapgo.NewNgReader(f, pcapgo.DefaultNgReaderOptions)
			require.NoError(t, err)
			require.Equal(t, flitlayer.LinkType, r.LinkType())

			at := 0
			for p := range gopacket.NewPacketSource(r, r.LinkType()).Packets() {
				require.Nil(t, p.ErrorLayer())
				require.Less(t, at, len(seen), "a packet too many")
				want := seen[at]
				got := *p.Layer(flitlayer.LayerTypeFlit).(*flitlayer.Flit)
				got.BaseLayer = layers.BaseLayer{}
				require.Equal(t, flitOf(want), got)
				require.Equal(t, int64(want.Cycle), p.Metadata().Timestamp.UnixNano())
				link := net.Topology.Links()[p.Metadata().InterfaceIndex]
				require.Equal(t, want.From, link.From)
				require.Equal(t, want.To, link.To)
				at++
			}
			require.Equal(t, len(seen), at)
			requireInterfaces(t, net, r)
		})
	}
}

func requireInterfaces(t *testing.T, net *fabric.Network, r *pcapgo.NgReader) {
	t.Helper()
	links := net.Topology.Links()
	require.Equal(t, len(links), r.NInterfaces())
	for i, link := range links {
		described, err := r.Interface(i)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("%d>%d", link.From, link.To), described.Name)
		require.Equal(t, gopacket.TimestampResolutionNanosecond, described.Resolution())
	}
}

// fields that tshark is asked for, in the order of tsharkRow.
var fields = []string{
	"frame.time_epoch", "frame.interface_name", "frame.len", "frame.protocols", "_ws.col.Protocol", "_ws.col.Info",
	"meshwright.version", "meshwright.kind", "meshwright.head", "meshwright.tail", "meshwright.vc",
	"meshwright.source", "meshwright.destination", "meshwright.message", "meshwright.flit", "meshwright.length",
	"meshwright.from", "meshwright.to", "meshwright.value", "meshwright.waited",
}

func tsharkRow(r record) []string {
	bit := func(b bool) string {
		if b {
			return "1"
		}
		return "0"
	}
	whole := func(v int64) string { return strconv.FormatInt(v, 10) }
	at := time.Duration(r.Cycle)
	size, waited := flitlayer.Size, ""
	if r.Waited > 0 {
		size, waited = flitlayer.Size+flitlayer.WaitedSize, whole(int64(r.Waited))
	}
	cell := capture.Event{Kind: r.Worm.Kind, Message: r.number(), Flit: r.Flit, Value: r.Value}.Cell()
	link := fmt.Sprintf("%d>%d", r.From, r.To)
	return []string{
		fmt.Sprintf("%d.%09d", at/time.Second, at%time.Second), link, strconv.Itoa(size), "meshwright", "meshwright",
		fmt.Sprintf("%s %s %d -> %d on %s", cell, r.Worm.Kind, r.Source, r.Destination, link),
		"1", whole(int64(r.Worm.Kind)), bit(r.Head), bit(r.Tail), whole(int64(r.VC)),
		whole(int64(r.Source)), whole(int64(r.Destination)), whole(r.number()), whole(int64(r.Flit)), whole(int64(r.Worm.Length)),
		whole(int64(r.From)), whole(int64(r.To)), whole(int64(r.Value)), waited,
	}
}

// tshark runs the real one on a capture.
func tshark(t *testing.T, path string, args ...string) [][]string {
	t.Helper()
	tool, err := exec.LookPath("tshark")
	if err != nil {
		t.Fatal("this test needs tshark: apt-get install tshark (Debian, Ubuntu), brew install wireshark (macOS)")
	}
	args = append([]string{"-r", path, "-X", "lua_script:wireshark/meshwright.lua"}, args...)
	command := proctest.Command(t, tool, args...)
	// No settings of whoever runs the test.
	command.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(), "LC_ALL=C")
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	require.NoError(t, command.Run(), complaints.String())
	require.NotContains(t, complaints.String(), "lua")
	r := csv.NewReader(&out)
	r.Comma = '\t'
	rows, err := r.ReadAll()
	require.NoError(t, err)
	return rows
}

func fieldArguments() []string {
	args := []string{"-T", "fields", "-E", "separator=/t"}
	for _, f := range fields {
		args = append(args, "-e", f)
	}
	return args
}

func TestTsharkShowsEveryCrossing(t *testing.T) {
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.pcapng")
			_, seen := capturedRun(t, sc, path, capture.Options{})
			var want [][]string
			for _, r := range seen {
				want = append(want, tsharkRow(r))
			}
			require.Equal(t, want, tshark(t, path, fieldArguments()...))
		})
	}
}

// Words of more than 32 bits make longer packets, and long numbers in CSV.
func TestTsharkShowsWideWords(t *testing.T) {
	sc := scenario{"", "path:3", "wormhole", func(m *machine.Machine) { m.Width = 128 }, []send{
		{0, fabric.Message{Source: 0, Destination: 2, Words: []uint32{1, 2, 3, 0xdeadbeef, 5, 6, 7, 8}}}, control(0, router.Order, 1, 2, 9),
	}}
	path := filepath.Join(t.TempDir(), "run.pcapng")
	_, seen := capturedRun(t, sc, path, capture.Options{})
	require.Len(t, seen, 5)
	payload := map[string]string{
		"m1.1": "deadbeef000000030000000200000001", "m1.2": "00000008000000070000000600000005", "(9)": "00000000000000000000000000000009",
	}
	var want [][]string
	for _, r := range seen {
		cell := capture.Event{Kind: r.Worm.Kind, Message: r.number(), Flit: r.Flit, Value: r.Value}.Cell()
		want = append(want, []string{"56", "2", "16", payload[cell], strconv.FormatInt(int64(r.To), 10)})
	}
	got := tshark(t, path, "-T", "fields", "-E", "separator=/t", "-e", "frame.len", "-e", "meshwright.version", "-e", "meshwright.size", "-e", "meshwright.payload", "-e", "meshwright.to")
	for _, row := range got {
		row[3] = strings.ReplaceAll(row[3], ":", "")
	}
	require.Equal(t, want, got)

	path = filepath.Join(t.TempDir(), "run.csv")
	capturedRun(t, sc, path, capture.Options{})
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), ",1,0xdeadbeef000000030000000200000001,data\n")
	require.Contains(t, string(text), ",1,0x00000000000000000000000000000009,order\n")
}

// The header flit of a message is its first flit and shows 0; the words follow.
func TestTsharkShowsHeaderFlits(t *testing.T) {
	sc := scenario{"", "path:3", "wormhole", headerFlits, []send{{0, fabric.Message{Source: 0, Destination: 2, Words: []uint32{70, 80}}}}}
	path := filepath.Join(t.TempDir(), "run.pcapng")
	capturedRun(t, sc, path, capture.Options{})
	got := tshark(t, path, "-T", "fields", "-E", "separator=/t", "-e", "frame.time_epoch", "-e", "frame.interface_name", "-e", "meshwright.flit",
		"-e", "meshwright.length", "-e", "meshwright.head", "-e", "meshwright.tail", "-e", "meshwright.destination", "-e", "meshwright.value")
	require.ElementsMatch(t, [][]string{
		{"0.000000000", "0>1", "1", "3", "1", "0", "2", "0"},
		{"0.000000001", "0>1", "2", "3", "0", "0", "2", "70"},
		{"0.000000002", "0>1", "3", "3", "0", "1", "2", "80"},
		{"0.000000001", "1>2", "1", "3", "1", "0", "2", "0"},
		{"0.000000002", "1>2", "2", "3", "0", "0", "2", "70"},
		{"0.000000003", "1>2", "3", "3", "0", "1", "2", "80"},
	}, got)
}

// Thousands of interfaces, and a filter by the dissector's fields.
func TestTsharkOnManyLinks(t *testing.T) {
	sc := scenario{"", "mesh:32x32", "wormhole", nil, randomScript(1024, 50, 8, 10, 7)}
	path := filepath.Join(t.TempDir(), "run.pcapng")
	net, seen := capturedRun(t, sc, path, capture.Options{})
	require.Len(t, net.Topology.Links(), 3968)
	var all, heads [][]string
	number := seen[0].number()
	for _, r := range seen {
		all = append(all, tsharkRow(r))
		if r.Head && r.number() == number {
			heads = append(heads, tsharkRow(r))
		}
	}
	require.Equal(t, all, tshark(t, path, fieldArguments()...))
	require.NotEmpty(t, heads)
	require.Equal(t, heads, tshark(t, path, append(fieldArguments(), "-Y", fmt.Sprintf("meshwright.head == 1 && meshwright.message == %d", number))...))
}

// The dissector says so when a packet is no flit.
func TestTsharkOnOtherPackets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd.pcapng")
	f, err := os.Create(path)
	require.NoError(t, err)
	w, err := pcapgo.NewNgWriter(f, flitlayer.LinkType)
	require.NoError(t, err)
	good := flitlayer.Flit{Index: 1, Length: 1, Message: -1 << 63}
	packet := make([]byte, flitlayer.Size)
	good.Put(packet)
	wrong := bytes.Clone(packet)
	wrong[0] = 9
	for _, data := range [][]byte{packet, wrong, packet[:39]} {
		require.NoError(t, w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(0, 0), CaptureLength: len(data), Length: len(data)}, data))
	}
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())
	got := tshark(t, path, "-T", "fields", "-E", "separator=/t", "-e", "_ws.col.Info", "-e", "meshwright.message", "-e", "_ws.expert.message")
	require.Equal(t, [][]string{
		{"m-9223372036854775808.1 data 0 -> 0 on 0>0", "-9223372036854775808", ""},
		{"", "", "Unknown version"},
		{"", "", "Shorter than a flit"},
	}, got)
}

func TestPcapngOfOneNodeHasNoPackets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.pcapng")
	net := network(t, "path:1", "wormhole", nil)
	c, err := capture.Open(path, net, capture.Options{})
	require.NoError(t, err)
	net.Attach(c)
	run(t, net, nil)
	require.NoError(t, c.Close())
	require.Empty(t, tshark(t, path))
}

// The same run is the same file, byte for byte.
func TestCapturesAreReproducible(t *testing.T) {
	dir := t.TempDir()
	for _, sc := range scenarios()[:3] {
		for _, extension := range capture.Extensions() {
			var files []string
			for _, name := range []string{"a", "b"} {
				path := filepath.Join(dir, name+extension)
				capturedRun(t, sc, path, capture.Options{})
				got, err := os.ReadFile(path)
				require.NoError(t, err)
				files = append(files, string(got))
			}
			require.True(t, files[0] == files[1], "%s %s", sc.name, extension)
			require.False(t, strings.Contains(files[0], os.TempDir()))
		}
	}
}
