// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// endless is firmware that never ends: PE 0 sends words to PE 1.
const endless = `	li	r1, 1
	li	r2, 1
	li	r0, 0
	beq	r15, r1, take
give:	send	r1, r0, r2, r0
	beq	r0, r0, give
take:	li	r3, 0
again:	recv	r6, r3, r0
	beq	r0, r0, again
`

// nobody is a user without rights. Wireshark 4.0 looks into WIRESHARK_EXTCAP_DIR only for users other than root.
const nobody = 65534

// extcapped makes an extcap folder, and returns a function that runs tshark with it.
func extcapped(t *testing.T) (dir string, tshark func(args ...string) spoken) {
	t.Helper()
	need(t, "tshark", "tshark")
	dir, err := os.MkdirTemp(os.TempDir(), "extcap")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	program, err := os.ReadFile(binary)
	require.NoError(t, err)
	dissector := meshwright(t, dir, "dissector")
	for _, f := range []struct {
		name, text string
		mode       os.FileMode
	}{
		{"meshwright", string(program), 0o755}, {"endless.s", endless, 0o644}, {"meshwright.lua", dissector.stdout, 0o644},
		{"extcap/meshwright", "#!/bin/sh\nexec '" + filepath.Join(dir, "meshwright") + "' extcap \"$@\"\n", 0o755},
	} {
		path := filepath.Join(dir, f.name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(f.text), f.mode))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "home"), 0o755))
	require.NoError(t, os.Chmod(dir, 0o755))
	if os.Getuid() == 0 {
		require.NoError(t, os.Chown(filepath.Join(dir, "home"), nobody, nobody))
	}
	return dir, func(args ...string) spoken {
		t.Helper()
		cmd := proctest.Command(t, "tshark", args...)
		cmd.Dir = dir
		home := filepath.Join(dir, "home")
		cmd.Env = append(os.Environ(), "LC_ALL=C", "HOME="+home, "XDG_CONFIG_HOME="+home, "TMPDIR="+home, "WIRESHARK_EXTCAP_DIR="+filepath.Join(dir, "extcap"))
		if os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		var out, complaints bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &complaints
		_ = cmd.Run()
		return spoken{stdout: out.String(), stderr: complaints.String(), code: cmd.ProcessState.ExitCode()}
	}
}

// tshark lists the interface, and shows the flits of a run as it shows those of a file.
func TestTsharkCapturesARun(t *testing.T) {
	dir, tshark := extcapped(t)
	require.Contains(t, tshark("-D").stdout, "meshwright (flits of a run)\n")
	require.Contains(t, tshark("-i", "meshwright", "-L").stdout+tshark("-i", "meshwright", "-L").stderr, "USER0 (Meshwright flit)")

	fields := []string{"-X", "lua_script:meshwright.lua", "-T", "fields", "-e", "frame.time_epoch", "-e", "frame.interface_name", "-e", "_ws.col.Info", "-e", "meshwright.value"}
	const run = `run gossip -t mesh:3x2 -l 3 --algorithm "auto"`
	require.Zero(t, meshwright(t, dir, append(strings.Fields(strings.ReplaceAll(run, `"`, "")), "--trace", "run.pcapng")...).code)
	require.NoError(t, os.Chmod(filepath.Join(dir, "run.pcapng"), 0o644))
	filed := tshark(append(fields, "-r", "run.pcapng")...)
	require.Contains(t, filed.stdout, "m1.1 data", filed.stderr)
	live := tshark(append(fields, "-i", "meshwright", "-o", "extcap.meshwright.command:"+run)...)
	require.Equal(t, filed.stdout, live.stdout, live.stderr)
}

// tshark prints flits of a run that never ends; and when tshark ends, so does the run.
func TestTsharkPrintsFlitsBeforeTheRunEnds(t *testing.T) {
	_, tshark := extcapped(t)
	live := tshark("-i", "meshwright", "-X", "lua_script:meshwright.lua", "-c", "50", "-T", "fields", "-e", "meshwright.message", "-Y", "meshwright.destination == 1",
		"-o", "extcap.meshwright.command:endless.s -t path:2")
	require.Zero(t, live.code, live.stderr)
	var want strings.Builder
	for i := range 50 {
		fmt.Fprintln(&want, i+1)
	}
	require.Equal(t, want.String(), live.stdout)
}

// tshark shows the line that says what is wrong with a run, and ends.
func TestTsharkShowsWhyThereIsNoRun(t *testing.T) {
	_, tshark := extcapped(t)
	for command, says := range map[string]string{
		"gossip -t nonsense":         `meshwright: topology "nonsense" has no size`,
		`gossip "-t mesh:2x2`:        `meshwright: --command: "gossip \"-t mesh:2x2" (expected arguments of meshwright run in one line, with double quotes around whole arguments)`,
		"gossip -t mesh:2x2 -l none": `meshwright: --length: "none" (expected a whole number of flits such as 16)`,
	} {
		got := tshark("-i", "meshwright", "-o", "extcap.meshwright.command:"+command)
		require.Contains(t, got.stderr, says)
		require.Empty(t, got.stdout)
	}
	filtered := tshark("-i", "meshwright", "-f", "tcp")
	require.Contains(t, filtered.stderr, `meshwright: --extcap-capture-filter: "tcp" (expected none; display filters such as meshwright.message == 5 choose flits)`)
}

// Synthetic traffic is captured as a run is, and a capture is what --trace writes.
func TestExtcapTakesTraffic(t *testing.T) {
	dir := t.TempDir()
	const traffic = "traffic -t mesh:3x3 --rate 0.1 --warmup 10 --cycles 50"
	got := meshwright(t, dir, append(strings.Fields(traffic), "--trace", "run.pcapng")...)
	require.Zero(t, got.code, got.stderr)
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	cmd := proctest.Command(t, binary, "extcap", "--capture", "--extcap-interface", "meshwright", "--fifo", "pipe", "--command", traffic)
	cmd.Dir = dir
	require.NoError(t, cmd.Start())
	live, err := os.ReadFile(filepath.Join(dir, "pipe"))
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	filed, err := os.ReadFile(filepath.Join(dir, "run.pcapng"))
	require.NoError(t, err)
	require.Greater(t, len(filed), 10_000)
	require.True(t, bytes.Equal(filed, live))
	require.Equal(t, "meshwright: a capture is of one run (expected one rate and one seed)\n", refusedCapture(t, dir, traffic+" --seeds 2"))
}

// refusedCapture is what a capture says that has no run.
func refusedCapture(t *testing.T, dir, command string) string {
	cmd := proctest.Command(t, binary, "extcap", "--capture", "--extcap-interface", "meshwright", "--fifo", "pipe", "--command", command)
	var complaints bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &complaints
	require.NoError(t, cmd.Start())
	_, err := os.ReadFile(filepath.Join(dir, "pipe"))
	require.NoError(t, err)
	require.Error(t, cmd.Wait())
	return complaints.String()
}

// A reader that goes ends the run, and so does a signal while no reader comes.
func TestExtcapEndsWithItsReader(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "endless.s"), []byte(endless), 0o600))
	begin := func() *exec.Cmd {
		cmd := proctest.Command(t, binary, "extcap", "--capture", "--extcap-interface", "meshwright", "--fifo", pipe, "--command", "endless.s -t path:2")
		cmd.Dir = dir
		require.NoError(t, cmd.Start())
		return cmd
	}
	cmd := begin()
	reader, err := os.Open(pipe)
	require.NoError(t, err)
	start := make([]byte, 4)
	_, err = reader.Read(start)
	require.NoError(t, err)
	require.Equal(t, []byte{0x0a, 0x0d, 0x0d, 0x0a}, start, "a section of pcapng")
	require.NoError(t, reader.Close())
	require.NoError(t, cmd.Wait())

	cmd = begin()
	reader, err = os.Open(pipe) // the run writes until the pipe is full, and waits
	require.NoError(t, err)
	defer reader.Close()
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.Error(t, cmd.Wait())
	require.Equal(t, 130, cmd.ProcessState.ExitCode())
}
