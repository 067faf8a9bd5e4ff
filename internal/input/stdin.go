// SPDX-License-Identifier: Apache-2.0

package input

import (
	"os"
	"sync"
)

// Stdin is the name under which ReadFile reads standard input. A file of that
// name is ./-.
const Stdin = "-"

// standard returns the content of standard input. It can be read only once, and a verb may
// look at a file twice.
var standard = sync.OnceValues(func() ([]byte, error) { return ReadAll(Stdin, os.Stdin, LongLines()) })

// Name returns the name of a file in errors: its path, or standard input.
func Name(path string) string {
	if path == Stdin {
		return "standard input"
	}
	return path
}
