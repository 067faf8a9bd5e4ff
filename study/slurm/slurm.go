// SPDX-License-Identifier: Apache-2.0

// Package slurm sweeps a study as arrays of jobs of Slurm. Each task of the arrays sweeps a part of the points into a store
// of its own, and a last job merges these stores. The folder beside the store of the study, store.db.slurm, has all files:
//
//	submission.json   which jobs there are
//	study.yaml        the study as it was submitted, by its own name
//	points            the places of the points that the tasks run
//	7.db              the results of task 7
//	101-6.log         what task 6 of array 101 printed
//	merge.log         what the merge printed
//
// Only the task that owns a store opens it while the task may run: SQLite's locks do not hold between computers.
package slurm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"meshwright/internal/input"
	"meshwright/rtl/tool"
)

// Here returns a *tool.Missing where Slurm is not installed.
func Here() error {
	return tool.Find([]string{"sbatch", "squeue", "scontrol", "scancel"}, []string{"slurm-client"})
}

// run runs a command of Slurm, and returns what it prints. The error says in one line what the command complains of.
func run(ctx context.Context, stdin string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &complaint
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		said := strings.ReplaceAll("\n"+strings.TrimSpace(complaint.String()), "\n"+name+": ", "\n")
		said = strings.ReplaceAll(said, "\nerror: ", "\n")
		if strings.TrimSpace(said) == "" {
			said = err.Error()
		}
		return "", input.At(name, 0, "", "%s", strings.ReplaceAll(strings.TrimSpace(said), "\n", "; "))
	}
	return out.String(), nil
}

// arraySize matches the line of Slurm's configuration that bounds arrays.
var arraySize = regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*([0-9]+)`)

// mostTasks asks Slurm how many tasks an array may have.
func mostTasks(ctx context.Context) (int, error) {
	text, err := run(ctx, "", "scontrol", "show", "config")
	if err != nil {
		return 0, err
	}
	m := arraySize.FindStringSubmatch(text)
	if m == nil {
		return 0, input.At("scontrol show config", 0, "expected a line MaxArraySize = 1001", "no size of arrays")
	}
	most, err := strconv.Atoi(m[1])
	if err != nil || most < 1 {
		return 0, input.At("scontrol show config", 0, "expected a cluster with job arrays", "MaxArraySize %s", m[1])
	}
	return most, nil
}

// submit submits a script, and returns the number of the job.
func submit(ctx context.Context, script string, args ...string) (string, error) {
	text, err := run(ctx, script, "sbatch", append([]string{"--parsable"}, args...)...)
	if err != nil {
		return "", err
	}
	job, _, _ := strings.Cut(strings.TrimSpace(text), ";") // the name of the cluster may follow
	if _, err := strconv.Atoi(job); err != nil {
		return "", input.At("sbatch", 0, "expected the number of a job", "%q", input.Clip(text))
	}
	return job, nil
}

// cancel cancels jobs, whether or not the context has ended.
func cancel(ctx context.Context, jobs []string) error {
	if len(jobs) == 0 {
		return nil
	}
	_, err := run(context.WithoutCancel(ctx), "", "scancel", jobs...)
	return err
}

// state is where a task of an array is in Slurm's queue.
type state int

const (
	ended state = iota // Slurm has it no more
	waiting
	running
)

// queue is what Slurm has of the user's jobs: the state of each task, by job and index.
type queue map[string]map[int]state

// alone is the index of a job that is no array.
const alone = -1

// ask asks Slurm for the user's jobs.
func ask(ctx context.Context) (queue, error) {
	text, err := run(ctx, "", "squeue", "--noheader", "--array", "--user="+strconv.Itoa(os.Getuid()), "--format=%F %K %T")
	if err != nil {
		return nil, err
	}
	q := queue{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, input.At("squeue", 0, "expected job, index and state", "%q", input.Clip(line))
		}
		index, err := strconv.Atoi(fields[1])
		if err != nil {
			index = alone
		}
		if q[fields[0]] == nil {
			q[fields[0]] = map[int]state{}
		}
		q[fields[0]][index] = running
		if fields[2] == "PENDING" {
			q[fields[0]][index] = waiting
		}
	}
	return q, nil
}

// words splits options as a shell does: at blanks outside of quotes.
func words(text string) ([]string, error) {
	var list []string
	var word strings.Builder
	var quote rune
	inside := false // a word has begun
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inside = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if inside {
				list = append(list, word.String())
			}
			word.Reset()
			inside = false
		default:
			word.WriteRune(r)
			inside = true
		}
	}
	if quote != 0 {
		return nil, input.Errorf(fmt.Sprintf("expected another %c", quote), "%q", input.Clip(text))
	}
	if inside {
		list = append(list, word.String())
	}
	return list, nil
}
