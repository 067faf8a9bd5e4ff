// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	runsTests = regexp.MustCompile(`(\$\(GO\)|\bgo) test\b`)
	ofTests   = regexp.MustCompile(`-timeout (\S+)`)
	ofMake    = regexp.MustCompile(`(?m)^TIMEOUT *:= *(\S+)$`)
)

// No test fails because the machine is slow: every command that runs tests gives
// a package an hour at least.
func TestTimeoutsAreGenerous(t *testing.T) {
	files, err := filepath.Glob("../scripts/*.sh")
	require.NoError(t, err)
	commands := 0
	for _, file := range append(files, "../Makefile", "../.ci/run") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		value := ofMake.FindSubmatch(text)
		for line := range strings.Lines(string(text)) {
			if !runsTests.MatchString(line) || strings.HasPrefix(line, "#") {
				continue
			}
			commands++
			timeout := ofTests.FindStringSubmatch(line)
			require.NotNil(t, timeout, "%s: %s", file, line)
			if timeout[1] == "$(TIMEOUT)" {
				require.NotNil(t, value, file)
				timeout[1] = string(value[1])
			}
			long, err := time.ParseDuration(timeout[1])
			require.NoError(t, err, line)
			require.GreaterOrEqual(t, long, time.Hour, "%s: %s", file, line)
		}
	}
	require.Greater(t, commands, 5)
}
