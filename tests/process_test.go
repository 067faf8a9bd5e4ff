// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// underWay is the program while it runs.
type underWay struct {
	t              testing.TB
	cmd            *exec.Cmd
	mark, tmp      string // in the environment: a mark that descendants inherit, and TMPDIR
	stdout, stderr bytes.Buffer
	ended          chan struct{}
}

const pollEvery = 10 * time.Millisecond

// eventually waits until ready; after the limit of programs it is false.
func eventually(ready func() bool) bool {
	for end := time.Now().Add(proctest.Limit); !ready(); time.Sleep(pollEvery) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// begin starts a command line in a directory, with an empty folder for
// temporary files. What is left of it and its descendants ends with the test.
func begin(t testing.TB, dir, args string) *underWay {
	t.Helper()
	return beginCommand(t, dir, binary, strings.Fields(args)...)
}

func beginCommand(t testing.TB, dir, name string, args ...string) *underWay {
	t.Helper()
	return beginWith(t, dir, func(*exec.Cmd) {}, name, args...)
}

// beginWith changes a command before it starts.
func beginWith(t testing.TB, dir string, change func(*exec.Cmd), name string, args ...string) *underWay {
	t.Helper()
	p := &underWay{t: t, tmp: t.TempDir(), ended: make(chan struct{})}
	p.mark = "MESHWRIGHT_TEST_MARK=" + p.tmp
	p.cmd = exec.Command(name, args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, &p.stdout, &p.stderr
	p.cmd.Env = append(os.Environ(), "TMPDIR="+p.tmp, p.mark)
	change(p.cmd)
	require.NoError(t, p.cmd.Start())
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // the exit code says it
	}()
	late := time.AfterFunc(proctest.Limit, func() { proctest.GiveUp(p.cmd.Process) })
	t.Cleanup(func() {
		if !late.Stop() {
			<-p.ended
			t.Errorf("it did not end: %q\n%s", p.cmd.Args, p.stderr.String())
		}
		_ = p.cmd.Process.Kill()
		<-p.ended
		p.killDescendants()
	})
	return p
}

// await waits until ready; a process that ends before that, or is given up, fails the test.
func (p *underWay) await(ready func() bool) {
	p.t.Helper()
	for !ready() {
		select {
		case <-p.ended:
			p.t.Fatalf("it ended too early\n%s%s", p.stdout.String(), p.stderr.String())
		case <-time.After(pollEvery):
		}
	}
}

func (p *underWay) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// signal sends a signal, waits for the end and returns what was said.
func (p *underWay) signal(s os.Signal) spoken {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(s))
	return p.end()
}

// end waits for the end of the process.
func (p *underWay) end() spoken {
	<-p.ended
	return spoken{p.stdout.String(), p.stderr.String(), p.cmd.ProcessState.ExitCode()}
}

// working tells whether the process has computed for a while.
func (p *underWay) working() bool { return computed(p.cmd.Process.Pid) }

// childWorking tells that of a descendant.
func (p *underWay) childWorking() bool {
	for pid := range p.descendants() {
		if computed(pid) {
			return true
		}
	}
	return false
}

func computed(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return true // a system without /proc
	}
	_, fields, _ := strings.Cut(string(stat), ") ") // the state is first
	ticks, _ := strconv.Atoi(strings.Fields(fields)[11])
	return ticks >= 10
}

// reads tells whether the process has opened a named pipe to read it.
func (p *underWay) reads(pipe string) bool {
	f, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	p.t.Cleanup(func() { f.Close() })
	return true
}

// descendants lists the commands that the process has started, by process.
func (p *underWay) descendants() map[int]string {
	found := map[int]string{}
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(p.t, err)
	for _, path := range environments {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		environment, err := os.ReadFile(path)
		if err != nil || pid == p.cmd.Process.Pid || !bytes.Contains(environment, []byte(p.mark)) {
			continue // ended meanwhile, or another's
		}
		if name, err := os.ReadFile(filepath.Join(filepath.Dir(path), "comm")); err == nil {
			found[pid] = strings.TrimSpace(string(name))
		}
	}
	return found
}

// runs tells whether a descendant runs one of some commands.
func (p *underWay) runs(names ...string) func() bool {
	return func() bool {
		for _, running := range p.descendants() {
			for _, name := range names {
				if running == name {
					return true
				}
			}
		}
		return false
	}
}

func (p *underWay) killDescendants() {
	for pid := range p.descendants() {
		if child, err := os.FindProcess(pid); err == nil {
			_ = child.Kill()
		}
	}
}

// requireClean demands that no descendant runs and no temporary file is left.
func (p *underWay) requireClean() {
	p.t.Helper()
	eventually(func() bool { return len(p.descendants()) == 0 }) // killed, not gone yet
	require.Empty(p.t, p.descendants(), "children that are left")
	said := p.end()
	require.Equal(p.t, map[string]string{".": "directory"}, snapshot(p.t, p.tmp), "temporary files that are left; exit code %d\n%s", said.code, said.stderr)
}
