// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/internal/scratch"
	"meshwright/study/point"
	"meshwright/study/store"
	"meshwright/study/sweep"
)

// Server gives points to workers, and keeps their results.
type Server struct {
	Study   string
	Version string // of the program: workers have the same
	Need    point.Need
	Tasks   []sweep.Task
	Store   *store.Store

	Host  string
	Port  int           // 0: any
	Token string        // that workers need
	TLS   *tls.Config   // nil: connections are not encrypted
	Lease time.Duration // after which the point of a silent worker is given to another

	files   []file
	connect *nats.Conn
	stream  jetstream.JetStream

	lock    sync.Mutex
	pending map[point.ID]bool
	failure error         // of the store
	changed chan struct{} // pending or failure has changed
}

// readyWithin is how long the server may take to listen.
const readyWithin = 30 * time.Second

// Run serves until all points have results. It tells ready the address once workers may come. Errors are the context's, the
// store's, or *input.Error.
func (s *Server) Run(ctx context.Context, ready func(address string) error) error {
	if err := s.listFiles(); err != nil {
		return err
	}
	pending := map[point.ID]bool{}
	for i := range s.Tasks {
		pending[s.Tasks[i].ID] = true
	}
	s.lock.Lock()
	s.pending, s.changed = pending, make(chan struct{}, 1)
	s.lock.Unlock()
	folder, err := scratch.NewTemporary("queue")
	if err != nil {
		return err
	}
	defer folder.Remove()
	daemon, err := s.listen(folder.Path)
	if err != nil {
		return err
	}
	defer daemon.WaitForShutdown()
	defer daemon.Shutdown()
	if err := s.open(ctx, daemon); err != nil {
		return err
	}
	defer s.connect.Close()
	if err := ready(daemon.Addr().String()); err != nil {
		return err
	}
	start := time.Now()
	if err := s.feed(ctx, daemon); err != nil {
		return err
	}
	s.dismiss(ctx, daemon, start.Add(shortest))
	return nil
}

// listen starts the server of NATS.
func (s *Server) listen(folder string) (*natsd.Server, error) {
	address := net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
	probe, err := net.Listen("tcp", address) // whose error says what is wrong
	if err != nil {
		return nil, unable(address, err)
	}
	if err := probe.Close(); err != nil {
		return nil, err
	}
	port := s.Port
	if port == 0 {
		port = natsd.RANDOM_PORT
	}
	daemon, err := natsd.NewServer(&natsd.Options{
		ServerName: "meshwright", Host: s.Host, Port: port, NoLog: true, NoSigs: true, Authorization: s.Token,
		TLS: s.TLS != nil, TLSConfig: s.TLS, TLSTimeout: 5, AuthTimeout: 5, JetStream: true, StoreDir: folder,
	})
	if err != nil {
		return nil, unable(address, err)
	}
	daemon.Start()
	if !daemon.ReadyForConnections(readyWithin) {
		daemon.Shutdown()
		return nil, unable(address, errors.New("the server does not start"))
	}
	return daemon, nil
}

func unable(address string, err error) error {
	var system *net.OpError
	if errors.As(err, &system) {
		err = system.Err
	}
	return input.At(address, 0, "expected an address of this computer with a free port", "%v", err)
}

// open makes the queue, and answers workers from now on.
func (s *Server) open(ctx context.Context, daemon *natsd.Server) (err error) {
	if s.connect, err = nats.Connect("", nats.InProcessServer(daemon), nats.Token(s.Token)); err != nil {
		return err
	}
	if s.stream, err = jetstream.New(s.connect); err != nil {
		return err
	}
	_, err = s.stream.CreateStream(ctx, jetstream.StreamConfig{
		Name: streamName, Subjects: []string{pointSubject}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage,
	})
	if err != nil {
		return err
	}
	_, err = s.stream.CreateConsumer(ctx, streamName, jetstream.ConsumerConfig{
		Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: s.Lease, MaxAckPending: -1,
	})
	if err != nil {
		return err
	}
	for subject, reply := range map[string]nats.MsgHandler{helloSubject: s.hello, fileSubject: s.part, resultSubject: s.keep} {
		if _, err := s.connect.Subscribe(subject, reply); err != nil {
			return err
		}
	}
	return s.connect.Flush()
}

func (s *Server) hello(m *nats.Msg) {
	answer(m, welcome{Version: s.Version, Study: s.Study, Need: s.Need, Lease: s.Lease, Files: s.files})
}

// part answers with a part of a file; with nothing if it has become shorter.
func (s *Server) part(m *nats.Msg) {
	var p piece
	if json.Unmarshal(m.Data, &p) != nil || p.File < 0 || p.File >= len(s.files) {
		return
	}
	f, err := os.Open(s.files[p.File].Path)
	if err != nil {
		_ = m.Respond(nil)
		return
	}
	defer f.Close()
	text := make([]byte, pieceBytes)
	n, _ := f.ReadAt(text, p.Offset) // short at the end
	_ = m.Respond(text[:n])
}

// keep puts a result into the store. What is in it already, or belongs to no point, is not put there again.
func (s *Server) keep(m *nats.Msg) {
	var r result
	if err := json.Unmarshal(m.Data, &r); err != nil {
		return
	}
	id, ok := idOf(r.ID)
	s.lock.Lock()
	defer s.lock.Unlock()
	if ok && s.pending[id] && s.failure == nil {
		s.failure = s.Store.Add(context.Background(), &store.Row{ID: id, Settings: r.Settings, Figures: r.Figures, Error: r.Error, Refused: r.Refused})
		if s.failure == nil {
			delete(s.pending, id)
		}
		select {
		case s.changed <- struct{}{}:
		default:
		}
	}
	if s.failure == nil {
		_ = m.Respond([]byte(kept))
	}
}

// left returns how many points have no result yet.
func (s *Server) left() (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return len(s.pending), s.failure
}

// Done returns how many points have got results.
func (s *Server) Done() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.pending == nil { // it does not serve yet
		return 0
	}
	return len(s.Tasks) - len(s.pending)
}

// window bounds the points in the queue, which is in memory.
const window = 4096

// feed keeps the queue filled until all points are done.
func (s *Server) feed(ctx context.Context, daemon *natsd.Server) error {
	phase := progress.Begin(ctx, "serve "+s.Study, len(s.Tasks))
	defer phase.End()
	every := time.NewTicker(time.Second)
	defer every.Stop()
	start, next := time.Now(), 0
	for {
		left, err := s.left()
		if err != nil || left == 0 {
			return err
		}
		done := len(s.Tasks) - left
		for ; next < len(s.Tasks) && next-done < window; next++ {
			if err := s.queue(ctx, &s.Tasks[next]); err != nil {
				return err
			}
		}
		phase.Set(done, len(s.Tasks))
		phase.Describe(fmt.Sprintf("%s, %.3g points/s", input.Count(daemon.NumClients()-1, "worker"), float64(done)/time.Since(start).Seconds()))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.changed:
		case <-every.C:
		}
	}
}

func (s *Server) queue(ctx context.Context, t *sweep.Task) error {
	text, err := json.Marshal(work{textOf(t.ID), t.Settings})
	if err != nil {
		return err
	}
	_, err = s.stream.Publish(ctx, pointSubject, text, jetstream.WithMsgID(textOf(t.ID)))
	return err
}

// How long the server waits for its workers to go, how often it tells them, and how long it is there at least: workers that wait
// for it, or for one that was there before, try that often, and would wait on if it had gone meanwhile.
const (
	dismissWithin = 2 * time.Second
	dismissEvery  = 50 * time.Millisecond
	shortest      = late + time.Second
)

// dismiss tells the workers that all is done, and lets them go. Until then it stays for those that are still on their way.
func (s *Server) dismiss(ctx context.Context, daemon *natsd.Server, then time.Time) {
	until := time.Now()
	if until.Before(then) {
		until = then
	}
	until = until.Add(dismissWithin)
	for now := time.Now(); now.Before(then) || now.Before(until) && daemon.NumClients() > 1; now = time.Now() {
		_ = s.connect.Publish(overSubject, nil)
		_ = s.connect.Flush()
		if pause(ctx, dismissEvery) != nil {
			return
		}
	}
}

// listFiles lists the files that the points name. Workers put them into folders of their own, so they are below this folder.
func (s *Server) listFiles() error {
	seen := map[string]bool{}
	for i := range s.Tasks {
		for _, path := range s.Tasks[i].Settings.Files() {
			if seen[path] {
				continue
			}
			seen[path] = true
			if !filepath.IsLocal(path) {
				return input.At(path, 0, "expected files below the folder of the sweep, so that workers can have copies", "the study names a file elsewhere")
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return input.Unreadable(path, err)
			}
			s.files = append(s.files, file{path, int64(len(text)), fmt.Sprintf("%x", sha256.Sum256(text))})
		}
	}
	return nil
}
