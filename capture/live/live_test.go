// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"meshwright/capture/live"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/browsertest"
	"meshwright/router"
)

var shots = flag.String("shots", "", "folder for the screenshots")

// rounds lets every node send messages, the next as soon as the channel is free.
type rounds struct {
	left []int // messages, by node
}

func (r *rounds) Evaluate(s fabric.Signals) {
	for n := range r.left {
		to := router.NodeID((5*n + 7*r.left[n] + 3) % len(r.left))
		for ; r.left[n] > 0 && (int(to) == n || s.CanSend(router.NodeID(n), to, nil)); r.left[n]-- {
			if int(to) == n {
				break
			}
			if _, err := s.Send(fabric.Message{Source: router.NodeID(n), Destination: to, Length: 5}); err != nil {
				return
			}
			to = router.NodeID((5*n + 7*(r.left[n]-1) + 3) % len(r.left))
		}
		if int(to) == n && r.left[n] > 0 {
			r.left[n]--
		}
	}
}

func (r *rounds) Update(fabric.Signals) {}
func (r *rounds) OnlySends()            {}
func (r *rounds) Finished() bool {
	for _, left := range r.left {
		if left > 0 {
			return false
		}
	}
	return true
}

// network returns a network whose nodes send some messages each.
func network(t testing.TB, spec string, messages int) *fabric.Network {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m, err = m.Resolve(topo)
	require.NoError(t, err)
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	r := &rounds{make([]int, topo.Nodes())}
	for v := range r.left {
		r.left[v] = messages
	}
	n.Attach(r)
	return n
}

// served runs a network under a watch, in the background.
type served struct {
	server  *live.Server
	net     *fabric.Network
	ended   chan error
	stopped atomic.Int32
}

func serve(t *testing.T, n *fabric.Network, paused bool) *served {
	s := &served{net: n, ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	var err error
	s.server, err = live.Listen("127.0.0.1:0", "secret", func() { s.stopped.Add(1); cancel() })
	require.NoError(t, err)
	w, err := live.New(n, "a run", paused)
	require.NoError(t, err)
	s.server.Serve(w)
	t.Cleanup(func() { s.server.Close() })
	go func() {
		err := n.Run(ctx, 10_000_000)
		if ctx.Err() == nil {
			w.End(n)
		}
		s.ended <- err
	}()
	return s
}

// ask sends a question, and returns the answer's code and body.
func (s *served) ask(t *testing.T, method, question, token string) (int, string) {
	base, _, _ := strings.Cut(s.server.URL(), "?")
	request, err := http.NewRequestWithContext(t.Context(), method, base+question, nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(body)
}

func (s *served) state(t *testing.T, method, question string) (state live.State) {
	code, body := s.ask(t, method, question, "secret")
	require.Equal(t, http.StatusOK, code, body)
	require.NoError(t, json.Unmarshal([]byte(body), &state))
	return state
}

// A run that is looked at, held, stepped and let go on at random times has the results of a run that nobody watches.
func TestWatchingChangesNothing(t *testing.T) {
	for seed := range uint64(3) {
		plain := network(t, "mesh:6x5", 40)
		require.NoError(t, plain.Run(t.Context(), 10_000_000))
		s := serve(t, network(t, "mesh:6x5", 40), seed != 0)
		r := rand.New(rand.NewPCG(seed, 1))
		steps := 0
		for i := range 60 {
			switch before := s.state(t, "GET", "state"); {
			case before.Ended:
			case before.Paused && i > 10 && r.IntN(4) == 0:
				s.state(t, "POST", "resume")
			case before.Paused:
				by := 1 + r.IntN(7)
				s.state(t, "POST", fmt.Sprintf("step?by=%d", by))
				steps++
			default:
				s.state(t, "POST", "pause")
			}
		}
		s.state(t, "POST", "resume")
		for !s.state(t, "GET", "state").Ended {
			time.Sleep(time.Millisecond)
		}
		require.NoError(t, <-s.ended)
		require.Equal(t, []any{plain.Now(), plain.Delivered(), plain.LinkUse()}, []any{s.net.Now(), s.net.Delivered(), s.net.LinkUse()})
		require.True(t, steps > 0 || seed == 0)
	}
}

// A step goes on by so many cycles, and its record has them.
func TestStepsAreExact(t *testing.T) {
	s := serve(t, network(t, "mesh:4x4", 40), true)
	require.Zero(t, s.state(t, "GET", "state").Tick)
	for _, by := range []int64{1, 1, 5, 20} {
		before := s.state(t, "GET", "state")
		s.state(t, "POST", fmt.Sprintf("step?by=%d", by))
		after := s.state(t, "GET", "state")
		for after.Tick < before.Tick+by { // questions are answered in the middle of a step, too
			after = s.state(t, "GET", "state")
		}
		after = s.state(t, "GET", "state")
		require.Equal(t, before.Tick+by, after.Tick)
		require.Greater(t, len(after.Record), len(before.Record))
		held := 0
		for _, buffer := range after.Full {
			held += buffer[1]
		}
		require.Equal(t, occupied(s.net), held, "the run waits, so that the test may look")
	}
	before := s.state(t, "GET", "state")
	rest := s.state(t, "GET", fmt.Sprintf("state?part=%d&have=%d", before.Part, len(before.Record)-3))
	require.Equal(t, before.Record[len(before.Record)-3:], rest.Record, "only what the page does not have")
}

func occupied(n *fabric.Network) (flits int) {
	for _, link := range n.Topology.Links() {
		flits += n.Bank().Occupancy(link.To, link.ToPort, 0)
	}
	return flits
}

func TestOnlyWhoKnowsTheTokenIsAnswered(t *testing.T) {
	s := serve(t, network(t, "mesh:4x4", 1000), true)
	for _, question := range []string{"", "state", "?token=wrong", "state?token="} {
		code, body := s.ask(t, "GET", question, "wrong")
		require.Equal(t, http.StatusForbidden, code, question)
		require.Contains(t, body, "wrong token")
	}
	code, page := s.ask(t, "GET", "", "secret")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, page, `"live":true`)
	for _, bad := range []string{"step?by=0", "step?by=x", "step?by=100001"} {
		code, body := s.ask(t, "POST", bad, "secret")
		require.Equal(t, http.StatusBadRequest, code)
		require.Contains(t, body, "by: expected 1 to 100000")
	}
	code, _ = s.ask(t, "GET", "stop", "secret")
	require.Equal(t, http.StatusMethodNotAllowed, code)
	require.Zero(t, s.stopped.Load())
	code, _ = s.ask(t, "POST", "stop", "secret")
	require.Equal(t, http.StatusNoContent, code)
	require.ErrorIs(t, <-s.ended, context.Canceled)
}

func TestAddressesThatCannotBeHad(t *testing.T) {
	taken, err := live.Listen("127.0.0.1:0", "x", nil)
	require.NoError(t, err)
	defer taken.Close()
	at := strings.TrimSuffix(strings.TrimPrefix(taken.URL(), "http://"), "/?token=x")
	for address, want := range map[string]string{
		at:             at + " is in use (expected a free port, or 0 for any)",
		"127.0.0.1":    "cannot listen at 127.0.0.1 (expected HOST:PORT, such as 127.0.0.1:8080)",
		"127.0.0.1:-1": "cannot listen at 127.0.0.1:-1 (expected HOST:PORT, such as 127.0.0.1:8080)",
		"192.0.2.1:0":  "cannot listen at 192.0.2.1:0 (expected an address of this computer)",
	} {
		_, err := live.Listen(address, "x", nil)
		require.EqualError(t, err, want)
	}
}

// A page of all addresses is opened by the name of this computer.
func TestThePageOfAllAddresses(t *testing.T) {
	s, err := live.Listen("0.0.0.0:0", "x", nil)
	require.NoError(t, err)
	defer s.Close()
	require.Regexp(t, `^http://localhost:\d+/\?token=x$`, s.URL())
}

// until waits until a JavaScript expression holds.
func until(t *testing.T, ctx context.Context, expression string) {
	_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`new Promise((done, fail) => { let left = 400; const look = () => { if (`+expression+`) done(true); else if (left-- > 0) setTimeout(look, 25); else fail(new Error("waited too long")); }; look(); })`, chromedp.EvalAwaitPromise))
	require.NoError(t, err, expression)
}

// A reader steps a run, lets it go on, pauses it again, and sees its end.
func TestALiveRunInABrowser(t *testing.T) {
	s := serve(t, network(t, "torus:6x6", 300), true)
	ctx := browsertest.Start(t)
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(1400, 860), chromedp.Navigate(s.server.URL()), chromedp.WaitReady(chromedp.CSS(`html[data-ready="yes"]`))))
	until(t, ctx, `window.live && live.paused && !document.getElementById("once").disabled`)
	for range 12 {
		require.NoError(t, chromedp.Do(ctx, chromedp.Click(chromedp.CSS("#once"))))
	}
	until(t, ctx, `live.tick === 12 && player.state().events > 0`)
	shot(t, ctx, "stepped")
	require.NoError(t, chromedp.Do(ctx, chromedp.Click(chromedp.CSS("#pause"))))
	until(t, ctx, `live.tick > 12 || live.ended`)
	until(t, ctx, `document.documentElement.dataset.ended === "yes"`)
	require.NoError(t, <-s.ended)
	until(t, ctx, fmt.Sprintf(`live.done === %d`, s.net.Delivered()))
	shot(t, ctx, "ended")
}

func shot(t *testing.T, ctx context.Context, name string) {
	if *shots == "" {
		return
	}
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(*shots, name+".png"), picture, 0o644))
}

// The cost of being watched, by a page that asks twice a second and by none.
func BenchmarkWatched(b *testing.B) {
	for _, name := range []string{"off", "on"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				n := network(b, "mesh:16x16", 200)
				if name == "on" {
					w, err := live.New(n, "a run", false)
					require.NoError(b, err)
					server, err := live.Listen("127.0.0.1:0", "x", nil)
					require.NoError(b, err)
					server.Serve(w)
					ctx, cancel := context.WithCancel(b.Context())
					go asks(ctx, server.URL())
					require.NoError(b, n.Run(b.Context(), 10_000_000))
					cancel()
					server.Close()
					continue
				}
				require.NoError(b, n.Run(b.Context(), 10_000_000))
			}
		})
	}
}

// asks is a page.
func asks(ctx context.Context, page string) {
	for address := strings.Replace(page, "/?", "/state?", 1); ctx.Err() == nil; {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return
		}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(400 * time.Millisecond):
		}
	}
}
