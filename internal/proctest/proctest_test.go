// SPDX-License-Identifier: Apache-2.0

package proctest

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sleeper in the environment makes the test's own program one that does not end.
const sleeper = "PROCTEST_SLEEPER"

func TestMain(m *testing.M) {
	if os.Getenv(sleeper) != "" {
		fmt.Println("begun")
		time.Sleep(24 * time.Hour)
	}
	os.Exit(m.Run())
}

// recorded is a test that only notes what is wrong with it.
type recorded struct {
	testing.TB
	errors []string
}

func (r *recorded) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestProgramsThatEnd(t *testing.T) {
	r := &recorded{TB: t}
	out, err := Command(r, "sh", "-c", "echo said; exit 3").Output()
	require.Equal(t, "said\n", string(out))
	require.EqualError(t, err, "exit status 3")
	require.Empty(t, r.errors)
}

func TestProgramThatDoesNotEnd(t *testing.T) {
	r := &recorded{TB: t}
	require.Error(t, within(r, time.Millisecond, "sleep", "86400").Run())
	require.Equal(t, []string{"sleep 86400 has not ended after 1ms"}, r.errors)
}

func TestGoProgramsPrintTheirGoroutines(t *testing.T) {
	cmd := Command(t, os.Args[0])
	cmd.Env = append(os.Environ(), sleeper+"=1")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "begun\n", line)
	go GiveUp(cmd.Process)
	require.Error(t, cmd.Wait())
	require.Contains(t, complaints.String(), "goroutine 1 ")
}
