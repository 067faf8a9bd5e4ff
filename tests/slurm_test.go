// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// slurmStudy has 200 points, of which a quarter fails, and the last take longest. Its network is a file.
const slurmStudy = `
parameters: {longest: 1}
axes: {length: {from: 1, to: "${longest}", step: 5000}, root: [0, 1, 2, 99]}
set: {topology: "graph:net.csv", collective: scatter}
measure: [cycles, ratio]
`

// A study of 200 points runs as arrays of a real Slurm, a task is killed in the middle, and it resumes. Every row equals that of
// a local sweep.
func TestSlurm(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "it's 100%")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "q.yaml"), []byte(slurmStudy), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "net.csv"), []byte(completeGraph(12)), 0o644))
	study := []string{"sweep", "q.yaml", "-P", "longest=246000"}
	local := meshwright(t, dir, append(study, "--store", "local.db", "--out", "local.json")...)
	require.Equal(t, 1, local.code, local.stderr)

	c := startSlurm(t)
	defer c.clear()
	onSlurm := func(args ...string) spoken {
		return c.meshwright(dir, append(append(study, "--on", "slurm"), args...)...)
	}
	lost := false
	for range 5 { // a task may end just before it is killed
		said := onSlurm("--points-per-task", "25", "--json")
		require.Zero(t, said.code, said.stderr)
		require.Contains(t, said.stdout, `"points_submitted": 200`)
		require.Equal(t, 2, strings.Count(said.stdout, `"first_task"`), "arrays of five and three tasks")
		killTask(t, c, dir)
		require.Equal(t, spoken{"", "meshwright: q.db: submitted already (expected --status, --wait or --resume)\n", 2}, onSlurm())
		said = onSlurm("--wait")
		require.Equal(t, 1, said.code, said.stderr)
		if lost = strings.Contains(said.stdout, "LOST"); lost {
			require.Regexp(t, `(?m)^LOST task \d \(job \d+_\d\): \d+ points? missing; q.db.slurm/\d+-\d.log: an empty log`, said.stdout)
			break
		}
		require.NoError(t, os.RemoveAll(filepath.Join(dir, "q.db.slurm")))
		require.NoError(t, os.Remove(filepath.Join(dir, "q.db")))
	}
	require.True(t, lost)

	said := onSlurm("--status", "--json")
	require.Zero(t, said.code, said.stderr)
	var status struct {
		Points int `json:"points_done"`
		Lost   []struct {
			Missing int `json:"points_missing"`
		} `json:"tasks_lost"`
	}
	require.NoError(t, json.Unmarshal([]byte(said.stdout), &status))
	require.Len(t, status.Lost, 1)
	require.Equal(t, 200, status.Points+status.Lost[0].Missing)

	for range 2 { // the second time there is nothing to do
		said = onSlurm("--resume", "--wait", "--points-per-task", "20", "--out", "slurm.json")
		require.Equal(t, 1, said.code, said.stderr)
		require.Regexp(t, `were there │ 200`, said.stdout)
		require.NotContains(t, said.stdout, "missing")
	}
	require.Equal(t, string(read(t, dir, "local.json")), string(read(t, dir, "slurm.json")))

	interruptWait(t, c, dir, append(study, "--on", "slurm", "--wait", "--points-per-task", "25", "--store", "waited.db"))
	said = onSlurm("--wait", "--store", "waited.db", "--out", "waited.json")
	require.Equal(t, 1, said.code, said.stderr)
	require.Equal(t, string(read(t, dir, "local.json")), string(read(t, dir, "waited.json")))

	said = onSlurm("--store", "other.db", "--slurm-args", "--partition=none --comment='a b'")
	require.Equal(t, spoken{"", "meshwright: sbatch: invalid partition specified: none; Batch job submission failed: Invalid partition name specified\n", 2}, said)
	require.NotContains(t, strings.Join(names(t, dir), " "), "other", "nothing is left of a job that is refused")
}

// interruptWait interrupts a command that waits for its tasks. It says how far they are.
func interruptWait(t *testing.T, c *slurmCluster, dir string, args []string) {
	var said bytes.Buffer
	cmd := c.command(binary, args...)
	cmd.Dir, cmd.Stderr = dir, &said
	require.NoError(t, cmd.Start())
	c.await("a submission", func() bool {
		_, err := os.Stat(filepath.Join(dir, "waited.db.slurm", "submission.json"))
		return err == nil
	})
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.Error(t, cmd.Wait())
	require.Regexp(t, `^meshwright: \d+ points? of 200 done by tasks that have ended; the others go on, and --wait waits for them again\nmeshwright: interrupted\n$`, said.String())
}

func read(t testing.TB, dir, name string) []byte {
	text, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return text
}

// completeGraph is a file of a network in which all nodes are neighbours.
func completeGraph(nodes int) string {
	var b strings.Builder
	b.WriteString("node,node\n")
	for i := range nodes {
		for j := range i {
			b.WriteString(strconv.Itoa(i) + "," + strconv.Itoa(j) + "\n")
		}
	}
	return b.String()
}

// killTask kills a task that has some results, and not all.
func killTask(t *testing.T, c *slurmCluster, dir string) {
	c.await("a task that has some results", func() bool {
		journals, err := filepath.Glob(filepath.Join(dir, "q.db.slurm", "*.db-wal"))
		require.NoError(t, err)
		for _, journal := range journals {
			info, err := os.Stat(journal)
			if err == nil && info.Size() > 64<<10 && killUser(t, strings.TrimSuffix(journal, "-wal")) {
				return true
			}
		}
		return false
	})
}

// killUser kills the process with a file on its command line.
func killUser(t *testing.T, file string) bool {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, path := range lines {
		line, err := os.ReadFile(path)
		if err == nil && bytes.Contains(line, []byte(file)) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			require.NoError(t, err)
			return syscall.Kill(pid, syscall.SIGKILL) == nil
		}
	}
	return false
}
