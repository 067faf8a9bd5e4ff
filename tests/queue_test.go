// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
	"meshwright/internal/soak"
	"meshwright/study/store"
)

// queueStudy has points of some milliseconds, of which a quarter fails. Its machine is a file, which names another one.
const queueStudy = `
axes: {length: {from: 1, to: %d, step: 1}, root: [0, 1, 2, 99]}
set: {machine: below/chip.yaml, collective: scatter}
measure: [cycles, ratio]
`

// queued is a study that a server gives to workers.
type queued struct {
	t       *testing.T
	dir     string
	points  int
	address string
}

const queueToken = "kXWcD2-7"

func newQueued(t *testing.T, lengths int) *queued {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "below"), 0o755))
	for name, text := range map[string]string{
		"q.yaml": fmt.Sprintf(queueStudy, lengths), "below/chip.yaml": "topology: graph:net.csv\nbuffer: 2\n", "net.csv": completeGraph(10), "token": queueToken + "\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return &queued{t, dir, 4 * lengths, fmt.Sprintf("127.0.0.1:%d", freePort(t))}
}

// local returns the rows of a local sweep.
func (q *queued) local() string {
	local := meshwright(q.t, q.dir, "sweep", "q.yaml", "--store", "local.db", "--out", "local.json")
	require.Equal(q.t, 1, local.code, local.stderr)
	return string(read(q.t, q.dir, "local.json"))
}

// serve starts the server.
func (q *queued) serve() *underWay {
	return begin(q.t, q.dir, "sweep q.yaml --lease 500ms --token-file token --out served.json --serve "+q.address)
}

// work starts a worker in a folder without the study.
func (q *queued) work() *underWay {
	return begin(q.t, q.t.TempDir(), "work --workers 1 --patience 2m --token "+queueToken+" "+q.address)
}

// done counts the points in the store.
func (q *queued) done() int {
	s, err := store.OpenForReading(q.t.Context(), filepath.Join(q.dir, "q.db"))
	if err != nil {
		return 0
	}
	defer s.Close()
	ids, err := s.IDs(q.t.Context())
	require.NoError(q.t, err)
	return len(ids)
}

// await waits until so many points are done.
func (q *queued) await(points int) {
	q.t.Helper()
	require.True(q.t, eventually(func() bool { return q.done() >= points }), "%d points of %d are done", q.done(), points)
}

// Of four workers two are stopped with a point in hand, and two are killed again and again. The server is killed as well. No row is
// lost, none is there twice, and every row equals that of a local sweep.
func TestKilledWorkers(t *testing.T) {
	t.Parallel()
	kills := soak.Number(6, 100)
	q := newQueued(t, soak.Number(25, 400))
	rows := q.local()
	server := q.serve()
	steady := []*underWay{q.work(), q.work()}
	q.await(2)
	for _, w := range steady {
		require.NoError(t, w.cmd.Process.Signal(syscall.SIGSTOP))
	}
	for killed := 0; killed < kills; killed += 2 {
		before := q.done()
		require.Less(t, before, q.points, "after %d kills", killed)
		pair := []*underWay{q.work(), q.work()}
		q.await(before + 1)
		for _, w := range pair {
			w.signal(syscall.SIGKILL)
		}
	}
	server.signal(syscall.SIGKILL)
	before := q.done()
	require.Less(t, before, q.points, "before the server is killed")
	t.Logf("%d of %d points after %d kills", before, q.points, kills)
	server = q.serve()
	for _, w := range steady {
		require.NoError(t, w.cmd.Process.Signal(syscall.SIGCONT))
	}
	said := server.end()
	require.Equal(t, 1, said.code, said.stderr)
	require.Equal(t, "workers: meshwright work "+q.address+" --token-file token\n", said.stderr)
	require.Contains(t, said.stdout, fmt.Sprintf("were there │ %d", before))
	require.Equal(t, q.points, q.done())
	require.Equal(t, rows, string(read(t, q.dir, "served.json")))
	dismissed := 0
	for _, w := range steady {
		said := w.end()
		if said.code != 0 { // on a slow computer the other one was done before this one had found the server
			require.Contains(t, said.stderr, "no server for")
			w.requireClean()
			continue
		}
		w.requireClean()
		require.Regexp(t, `^\d+ points? of q\n$`, said.stdout)
		dismissed++
	}
	require.NotZero(t, dismissed)
	server.requireClean()
}

// An interrupt ends either side, and leaves nothing behind. A worker that is interrupted gives its point back.
func TestInterruptedQueue(t *testing.T) {
	t.Parallel()
	q := newQueued(t, 500) // so many that a slow computer sees the first ones before the last
	server, worker := q.serve(), q.work()
	q.await(2)
	require.Equal(t, interrupted, worker.signal(syscall.SIGINT))
	worker.requireClean()
	said := server.signal(syscall.SIGTERM)
	require.Equal(t, 130, said.code)
	require.Regexp(t, fmt.Sprintf(`(?m)^meshwright: \d+ points of %d in q\.db; the same command goes on from there\nmeshwright: interrupted$`, q.points), said.stderr)
	require.Contains(t, said.stderr, fmt.Sprintf("meshwright: %d points of %d in", q.done(), q.points))
	server.requireClean()
	require.Less(t, q.done(), q.points)
}

// What is wrong on either side is one line.
func TestBadQueues(t *testing.T) {
	t.Parallel()
	q := newQueued(t, 1)
	certificate(t, q.dir)
	server := begin(t, q.dir, "sweep q.yaml --token-file token --tls-cert cert.pem --tls-key key.pem --serve "+q.address)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer tcp.Close()
	go func() {
		for {
			c, err := tcp.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
			c.Close()
		}
	}()
	for _, row := range []struct{ args, want string }{
		{"work --token-file token --tls-ca cert.pem --workers 0 " + q.address, "--workers: 0 (expected at least 1)"},
		{"work --token " + queueToken + "x --tls-ca cert.pem " + q.address, q.address + ": the server refuses the token (expected the token that meshwright sweep --serve has printed)"},
		{"work --tls-ca cert.pem " + q.address, q.address + ": the server refuses the token (expected the token that meshwright sweep --serve has printed)"},
		{"work --token-file token " + q.address, q.address + ": certificate signed by unknown authority (expected --tls-ca with the certificate of the server)"},
		{"work --token-file none " + q.address, "none: no such file or directory (expected a file that can be read)"},
		{"work --token-file token --tls-ca key.pem " + q.address, "key.pem: no certificate (expected certificates in PEM)"},
		{"work --token-file token --patience 100ms 127.0.0.1:1", "127.0.0.1:1: no server for 100ms (expected meshwright sweep --serve, or more --patience)"},
		{"work --patience 5 " + q.address, `--patience: "5" (expected a time such as 10s)`},
		{"work a/b:1", `"a/b:1" (expected HOST:PORT)`},
		{"work " + tcp.Addr().String(), tcp.Addr().String() + ": another kind of server (expected the address of meshwright sweep --serve)"},
		{"sweep q.yaml --store x.db --serve 127.0.0.1:x", `--serve: "127.0.0.1:x" (expected HOST:PORT)`},
		{"sweep q.yaml --store x.db --serve " + q.address, q.address + ": bind: address already in use (expected an address of this computer with a free port)"},
		{"sweep q.yaml --store x.db --serve 0 --tls-cert cert.pem", "--tls-cert: given without --tls-key (expected both)"},
		{"sweep q.yaml --store x.db --serve 0 --tls-cert cert.pem --tls-key cert.pem", "cert.pem: found a certificate rather than a key in the PEM for the private key (expected a certificate, and its key in cert.pem)"},
		{"sweep q.yaml --store x.db --serve 0 --lease 1ms", "--lease: 1ms (expected at least 100ms)"},
		{"sweep q.yaml --store x.db --serve 0 --on slurm", "--on: given with --serve (expected none: workers run the points)"},
		{"sweep q.yaml --store x.db --token x", "--token: given without --serve (expected none: only --serve has it)"},
	} {
		got := meshwright(t, q.dir, strings.Fields(row.args)...)
		require.Equal(t, spoken{"", "meshwright: " + row.want + "\n", 2}, got, row.args)
	}
	require.Zero(t, q.done())
	require.Zero(t, meshwright(t, q.dir, "work", "--token-file", "token", "--tls-ca", "cert.pem", q.address).code)
	require.Equal(t, 1, server.end().code)
	require.Equal(t, q.points, q.done())
}

// certificate writes a certificate for this computer, and its key.
func certificate(t *testing.T, dir string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	made, err := x509.CreateCertificate(rand.Reader, form, form, key.Public(), key)
	require.NoError(t, err)
	text, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: made}, "key.pem": {Type: "PRIVATE KEY", Bytes: text}} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600))
	}
}

// A file that cannot grow ends the sweep with one line. What is in the store can be read, and the next sweep goes on.
func TestStoreThatCannotGrow(t *testing.T) {
	q := newQueued(t, 20)
	rows := q.local()
	limited := proctest.Command(t, "sh", "-c", "ulimit -f 80; exec \"$0\" sweep q.yaml", binary)
	limited.Dir = q.dir
	require.Equal(t, spoken{"", "meshwright: q.db: the file cannot grow (what was swept before is in it)\n", 2}, speak(t, limited))
	before := q.done()
	require.Positive(t, before)
	require.Zero(t, meshwright(t, q.dir, "report", "q.db").code)
	require.Contains(t, meshwright(t, q.dir, "sweep", "q.yaml", "--out", "q.json").stdout, fmt.Sprintf("were there │ %d ", before))
	require.True(t, rows == string(read(t, q.dir, "q.json")))
}
