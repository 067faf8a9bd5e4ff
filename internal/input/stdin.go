// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bufio"
	"errors"
	"io"
	"os"
	"sync"
)

// Stdin is the name under which ReadFile reads standard input. A file of that
// name is ./-.
const Stdin = "-"

// headBytes is how much of a file tells its format.
const headBytes = 1 << 16

// standard is standard input, whose first bytes can be looked at before it is read.
var standard = sync.OnceValue(func() *bufio.Reader { return bufio.NewReaderSize(&finite{Reader: os.Stdin}, headBytes) })

// finite is a reader that is not asked again behind its end: what is typed on a terminal may go on there.
type finite struct {
	io.Reader
	end error
}

func (f *finite) Read(p []byte) (n int, err error) {
	if f.end != nil {
		return 0, f.end
	}
	n, f.end = f.Reader.Read(p)
	return n, f.end
}

// standardText returns the content of standard input. It can be read only once, and a verb may
// look at a file twice.
var standardText = sync.OnceValues(func() ([]byte, error) { return ReadAll(Stdin, standard(), LongLines()) })

// Head returns the first bytes of a file that the user named, or of Stdin, which can be read
// from its start nevertheless. Its errors are *Error.
func Head(path string) ([]byte, error) {
	var head []byte
	var err error
	if path == Stdin {
		head, err = standard().Peek(headBytes)
	} else {
		var f io.ReadCloser
		if f, err = Open(path); err != nil {
			return nil, err
		}
		defer f.Close()
		head, err = bufio.NewReaderSize(f, headBytes).Peek(headBytes)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, Unreadable(path, err)
	}
	return head, nil
}

// OpenOnce is [Open] for files that need not be texts. Stdin is read as it comes, once.
func OpenOnce(path string) (io.ReadCloser, error) {
	if path == Stdin {
		return io.NopCloser(standard()), nil
	}
	return Open(path)
}

// Name returns the name of a file in errors: its path, or standard input.
func Name(path string) string {
	if path == Stdin {
		return "standard input"
	}
	return path
}
