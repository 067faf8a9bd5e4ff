// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/rtl/tool"
	"meshwright/study/point"
)

// Worker runs points that a server gives.
type Worker struct {
	Address  string // host:port
	Token    string
	TLS      *tls.Config // nil: as the server wants, with the authorities that the system knows
	Version  string
	Patience time.Duration // how long the server may be gone
	Workers  int           // points that are run at the same time

	connect *nats.Conn
	welcome welcome
	runner  point.Runner
	done    atomic.Int64
	heard   atomic.Int64  // when the server answered last, in nanoseconds
	over    chan struct{} // closed when all points are done
	dismiss func()        // closes over, however often the server says it
}

// Study is the study that the server sweeps.
func (w *Worker) Study() string { return w.welcome.Study }

// Done is how many points the worker has run.
func (w *Worker) Done() int { return int(w.done.Load()) }

// Close ends the connection.
func (w *Worker) Close() { w.connect.Close() }

// How soon and how late a worker tries again what has failed, and how long an answer may take.
const (
	soon   = 50 * time.Millisecond
	late   = 2 * time.Second
	within = 5 * time.Second
)

// backoff is the pause before the next attempt.
func backoff(attempts int) time.Duration { return min(late, soon<<min(attempts, 10)) }

// Join connects to the server, and compares versions. Errors are the context's or *input.Error.
func (w *Worker) Join(ctx context.Context) error {
	phase := progress.Begin(ctx, "wait for "+w.Address, 0)
	defer phase.End()
	w.over = make(chan struct{})
	w.dismiss = sync.OnceFunc(func() { close(w.over) })
	w.hear()
	for attempts := 0; ; attempts++ {
		err := w.dial(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			return nil
		case !passing(err):
			return w.refusal(err)
		case w.silent():
			return gone(w.Address, w.Patience)
		}
		if err := pause(ctx, backoff(attempts)); err != nil {
			return err
		}
	}
}

func (w *Worker) hear()        { w.heard.Store(time.Now().UnixNano()) }
func (w *Worker) silent() bool { return time.Since(time.Unix(0, w.heard.Load())) > w.Patience }

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// passing reports whether an error may pass by itself: the server is not there, not yet, or has just gone.
func passing(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) ||
		errors.As(err, &timeout) && timeout.Timeout()
}

// refusal says in one line why the server is of no use.
func (w *Worker) refusal(err error) error {
	var fault *input.Error
	switch {
	case errors.As(err, &fault):
		return err
	case errors.Is(err, nats.ErrAuthorization):
		return input.At(w.Address, 0, "expected the token that meshwright sweep --serve has printed", "the server refuses the token")
	case errors.Is(err, nats.ErrSecureConnWanted):
		return input.At(w.Address, 0, "expected none of --tls-ca", "the server does not encrypt")
	case strings.Contains(err.Error(), "INFO not received"):
		return input.At(w.Address, 0, "expected the address of meshwright sweep --serve", "another kind of server")
	case strings.Contains(err.Error(), "x509: "):
		_, what, _ := strings.Cut(err.Error(), "x509: ")
		return input.At(w.Address, 0, "expected --tls-ca with the certificate of the server", "%s", what)
	}
	return input.At(w.Address, 0, "expected the address of meshwright sweep --serve", "%s", strings.TrimPrefix(err.Error(), "nats: "))
}

// dial connects once.
func (w *Worker) dial(ctx context.Context) error {
	options := []nats.Option{
		nats.Token(w.Token), nats.Timeout(within), nats.MaxReconnects(-1), nats.CustomReconnectDelay(backoff), nats.ReconnectBufSize(-1),
		nats.PingInterval(within), nats.MaxPingsOutstanding(2), nats.ReconnectHandler(func(*nats.Conn) { w.hear() }),
	}
	if w.TLS != nil {
		options = append(options, nats.Secure(w.TLS))
	}
	connect, err := nats.Connect("nats://"+w.Address, options...)
	if err != nil {
		return err
	}
	w.connect = connect
	there, err := w.hello(ctx)
	if err == nil && there.Version != w.Version {
		err = input.At(w.Address, 0, "expected the same version", "the server is meshwright %s, and this is %s", there.Version, w.Version)
	}
	if err == nil {
		_, err = connect.Subscribe(overSubject, func(*nats.Msg) { w.dismiss() })
	}
	if err == nil {
		err = connect.Flush()
	}
	if err != nil {
		connect.Close()
		return err
	}
	w.welcome = there
	return nil
}

// request asks the server once.
func (w *Worker) request(ctx context.Context, subject string, text []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	m, err := w.connect.RequestWithContext(ctx, subject, text)
	if err != nil {
		return nil, err
	}
	w.hear()
	return m.Data, nil
}

func (w *Worker) hello(ctx context.Context) (there welcome, err error) {
	text, err := w.request(ctx, helloSubject, nil)
	if err != nil {
		return there, err
	}
	return there, json.Unmarshal(text, &there)
}

// Fetch puts copies of the study's files into a folder. Errors are the context's, the system's or *input.Error.
func (w *Worker) Fetch(ctx context.Context, folder string) error {
	phase := progress.Begin(ctx, "fetch the files of "+w.welcome.Study, len(w.welcome.Files))
	defer phase.End()
	for i, f := range w.welcome.Files {
		if err := phase.Step(); err != nil {
			return err
		}
		if !filepath.IsLocal(f.Path) {
			return input.At(w.Address, 0, "", "the server sends a file for another folder: %s", input.Clip(f.Path))
		}
		text, err := w.file(ctx, i)
		if err != nil {
			return err
		}
		path := filepath.Join(folder, f.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// file fetches a file piece by piece.
func (w *Worker) file(ctx context.Context, i int) ([]byte, error) {
	f := w.welcome.Files[i]
	var text []byte
	for int64(len(text)) < f.Bytes {
		ask, err := json.Marshal(piece{i, int64(len(text))})
		if err != nil {
			return nil, err
		}
		part, err := w.insist(ctx, fileSubject, ask)
		if err != nil {
			return nil, err
		}
		if len(part) == 0 {
			break
		}
		text = append(text, part...)
	}
	if fmt.Sprintf("%x", sha256.Sum256(text)) != f.Digest {
		return nil, input.At(f.Path, 0, "expected a file that does not change during the sweep", "the file has changed")
	}
	return text, nil
}

// insist asks until the server answers, or was gone for too long.
func (w *Worker) insist(ctx context.Context, subject string, text []byte) ([]byte, error) {
	for attempts := 0; ; attempts++ {
		reply, err := w.request(ctx, subject, text)
		if err == nil {
			return reply, nil
		}
		if err := w.endure(ctx, attempts); err != nil {
			return nil, err
		}
	}
}

// endure waits before another attempt. The error says why there is no use in one.
func (w *Worker) endure(ctx context.Context, attempts int) error {
	if attempts == 0 {
		w.hear() // the patience begins
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case w.connect.IsClosed() && w.connect.LastError() != nil:
		return w.refusal(w.connect.LastError())
	case w.silent():
		return gone(w.Address, w.Patience)
	}
	return pause(ctx, backoff(attempts))
}

// errOver ends the work: all points are done.
var errOver = errors.New("all points are done")

// Run runs points until all are done. The files of the study are below the process's folder. Errors are the context's,
// *tool.Missing, or *input.Error.
func (w *Worker) Run(ctx context.Context) error {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-w.over:
			cancel(errOver)
		case <-inner.Done():
		}
	}()
	phase := progress.Begin(ctx, "work on "+w.welcome.Study, 0)
	defer phase.End()
	quiet := progress.With(inner, nil)
	var all sync.WaitGroup
	for range w.Workers {
		all.Go(func() { cancel(w.serve(quiet, phase)) })
	}
	all.Wait()
	_ = w.connect.FlushTimeout(time.Second) // what was given back
	if err := context.Cause(inner); err != errOver {
		return err
	}
	return nil
}

// serve runs one point after another, until the error that ends it.
func (w *Worker) serve(ctx context.Context, phase *progress.Phase) error {
	stream, err := jetstream.New(w.connect)
	if err != nil {
		return err
	}
	var queue jetstream.Consumer
	for attempts := 0; ; attempts++ {
		m, err := w.next(ctx, stream, &queue)
		if err != nil {
			if err := w.endure(ctx, attempts); err != nil {
				return err
			}
			queue = nil
			if err := w.same(ctx); err != nil {
				return err
			}
			continue
		}
		attempts = -1
		w.hear()
		if m == nil {
			continue
		}
		if err := w.do(ctx, m); err != nil {
			_ = m.Nak()
			return err
		}
		phase.Describe(input.Count(w.Done(), "point"))
	}
}

// next returns the next point; nil if there is none for now.
func (w *Worker) next(ctx context.Context, stream jetstream.JetStream, queue *jetstream.Consumer) (jetstream.Msg, error) {
	if *queue == nil {
		limited, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		q, err := stream.Consumer(limited, streamName, consumerName)
		if err != nil {
			return nil, err
		}
		*queue = q
	}
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	m, err := (*queue).Next(jetstream.FetchContext(limited))
	if ctx.Err() == nil && (errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoMessages) || errors.Is(err, context.DeadlineExceeded)) && w.connect.IsConnected() {
		return nil, nil
	}
	return m, err
}

// same demands that a server that has come back sweeps the same study. A server that does not answer is no fault here.
func (w *Worker) same(ctx context.Context) error {
	there, err := w.hello(ctx)
	if err != nil || reflect.DeepEqual(there, w.welcome) {
		return nil
	}
	return input.At(w.Address, 0, "start the worker again", "the server sweeps something else now")
}

// mostDeliveries is how many workers may have had a point, and not answered.
const mostDeliveries = 20

// do runs a point, and gives the result to the server. A point whose workers end again and again has failed.
func (w *Worker) do(ctx context.Context, m jetstream.Msg) error {
	var one work
	if err := json.Unmarshal(m.Data(), &one); err != nil {
		return err
	}
	if about, err := m.Metadata(); err == nil && about.NumDelivered > mostDeliveries {
		return w.deliver(ctx, m, &result{work: one, Error: fmt.Sprintf("%d workers ended while they ran it", mostDeliveries)})
	}
	id, err := w.runner.Identify(one.Settings, w.welcome.Need, w.Version)
	if err != nil {
		return err
	}
	if textOf(id) != one.ID {
		return input.At(w.Address, 0, "expected files that do not change during the sweep, and the same version", "the server has another point")
	}
	end := w.hold(m)
	figures, err := w.runner.Run(ctx, one.Settings, w.welcome.Need)
	end()
	r := result{work: one, Figures: figures}
	var missing *tool.Missing
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &missing):
		return err // another worker may have the tool
	case err != nil:
		r.Error = err.Error()
		var refusal *point.Refusal
		r.Refused = errors.As(err, &refusal)
	}
	return w.deliver(ctx, m, &r)
}

// hold tells the queue that a point is in progress, until end.
func (w *Worker) hold(m jetstream.Msg) (end func()) {
	stop := make(chan struct{})
	go func() {
		every := time.NewTicker(w.welcome.Lease / 3)
		defer every.Stop()
		for {
			select {
			case <-stop:
				return
			case <-every.C:
				_ = m.InProgress() // if the server is gone, the result comes when it is back
			}
		}
	}()
	return func() { close(stop) }
}

// deliver gives a result to the server, and takes the point from the queue when it is kept.
func (w *Worker) deliver(ctx context.Context, m jetstream.Msg, r *result) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	for attempts := 0; ; attempts++ {
		reply, err := w.request(context.WithoutCancel(ctx), resultSubject, text) // the last answer may come after the end
		if err == nil && string(reply) == kept {
			w.done.Add(1)
			_ = m.Ack() // if this is lost, the point is run again, and its result is not kept again
			return nil
		}
		if err := w.endure(ctx, attempts); err != nil {
			return err
		}
	}
}
