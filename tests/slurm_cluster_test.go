// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// slurmCluster is a Slurm of one node with two processors. All its files are in a folder of its own.
type slurmCluster struct {
	t     testing.TB
	dir   string
	ended atomic.Value // the name of a daemon that ended by itself, or nil
}

// arraySize is how many tasks the cluster allows in an array: few, so that a sweep needs several arrays.
const arraySize = 5

// startSlurm starts munged, slurmctld and slurmd. They end with the test.
func startSlurm(t testing.TB) *slurmCluster {
	dir, err := os.MkdirTemp("", "meshwright-slurm-*") // short, since sockets have short names
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	c := &slurmCluster{t: t, dir: dir}
	for _, sub := range []string{"state", "spool"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, sub), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "munge.key"), bytes.Repeat([]byte("meshwright"), 100), 0o400))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "slurm.conf"), []byte(c.configuration()), 0o644))
	c.daemon("munged", "--foreground", "--force", "--key-file="+dir+"/munge.key", "--socket="+dir+"/munge.socket",
		"--pid-file="+dir+"/munged.pid", "--log-file="+dir+"/munged.log", "--seed-file="+dir+"/munged.seed")
	c.await("munged", func() bool { _, err := os.Stat(dir + "/munge.socket"); return err == nil })
	c.daemon("slurmctld", "-D")
	c.daemon("slurmd", "-D")
	c.await("an idle node", func() bool {
		out, _ := c.command("sinfo", "--noheader", "--format=%T").Output()
		return strings.TrimSpace(string(out)) == "idle"
	})
	return c
}

func (c *slurmCluster) configuration() string {
	host, err := os.Hostname()
	require.NoError(c.t, err)
	host, _, _ = strings.Cut(host, ".")
	me, err := user.Current()
	require.NoError(c.t, err)
	return fmt.Sprintf(`ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
SlurmUser=%[5]s
SlurmdUser=%[5]s
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
SlurmctldLogFile=%[2]s/slurmctld.log
SlurmdLogFile=%[2]s/slurmd.log
ReturnToService=2
MaxArraySize=%[6]d
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=%[1]s Default=YES MaxTime=INFINITE State=UP
`, host, c.dir, freePort(c.t), freePort(c.t), me.Username, arraySize)
}

// freePort returns a port that nobody listens at.
func freePort(t testing.TB) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// command is a command that knows the cluster.
func (c *slurmCluster) command(name string, args ...string) *exec.Cmd {
	cmd := proctest.Command(c.t, name, args...)
	cmd.Env = c.environment()
	return cmd
}

func (c *slurmCluster) environment() []string {
	return append(os.Environ(), "SLURM_CONF="+c.dir+"/slurm.conf")
}

func (c *slurmCluster) daemon(name string, args ...string) {
	cmd := exec.Command(name, args...)
	cmd.Env = c.environment()
	require.NoError(c.t, cmd.Start(), "make test installs it: scripts/tools.sh %s", name)
	gone := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		c.ended.Store(name)
		close(gone)
	}()
	c.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-gone
	})
}

// await waits for something; the logs of the daemons say why it does not come. Nothing comes when one of them has ended.
func (c *slurmCluster) await(what string, ready func() bool) {
	c.t.Helper()
	came := false
	eventually(func() bool {
		came = ready()
		return came || c.ended.Load() != nil
	})
	if came {
		return
	}
	logs, err := filepath.Glob(c.dir + "/*.log")
	require.NoError(c.t, err)
	for _, path := range logs {
		text, err := os.ReadFile(path)
		require.NoError(c.t, err)
		c.t.Logf("%s:\n%s", filepath.Base(path), text[max(0, len(text)-2000):])
	}
	if name := c.ended.Load(); name != nil {
		c.t.Fatalf("%s does not come: %s has ended", what, name)
	}
	c.t.Fatalf("%s does not come", what)
}

// meshwright runs the program in a directory, on the cluster.
func (c *slurmCluster) meshwright(dir string, args ...string) spoken {
	c.t.Helper()
	cmd := c.command(binary, args...)
	cmd.Dir = dir
	return speak(c.t, cmd)
}

// clear ends all jobs, whose processes are no children of the daemons.
func (c *slurmCluster) clear() {
	_ = c.command("scancel", "--state=PENDING", "--user="+fmt.Sprint(os.Getuid())).Run()
	_ = c.command("scancel", "--signal=KILL", "--full", "--user="+fmt.Sprint(os.Getuid())).Run()
	c.await("an empty queue", func() bool {
		out, err := c.command("squeue", "--noheader").Output()
		return err != nil || len(out) == 0
	})
}
