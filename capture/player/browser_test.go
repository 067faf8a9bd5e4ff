// SPDX-License-Identifier: Apache-2.0

package player_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/browsertest"
	"meshwright/internal/soak"
	"meshwright/router"
)

var shots = flag.String("shots", "", "folder for the screenshots")

// The screen of the tests, in pixels.
const wide, high = 1400, 860

// message is sent by its source in its cycle, or as soon as the channel is free.
type message struct {
	at                  router.Cycle
	source, destination router.NodeID
	flits               int
}

// script sends messages.
type script struct{ left []message }

func (c *script) Evaluate(s fabric.Signals) {
	var later []message
	for _, m := range c.left {
		if m.at > s.Now() || !s.CanSend(m.source, m.destination, nil) {
			later = append(later, m)
			continue
		}
		if _, err := s.Send(fabric.Message{Source: m.source, Destination: m.destination, Length: m.flits}); err != nil {
			later = append(later, m)
		}
	}
	c.left = later
}

func (c *script) Update(fabric.Signals) {}
func (c *script) Finished() bool        { return len(c.left) == 0 }

// played runs messages and returns the page of the run, beside the network.
func played(t *testing.T, spec, preset string, settings map[string]string, messages []message, others ...string) (path string, n *fabric.Network, err error) {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	for key, value := range settings {
		require.NoError(t, m.Set(key, value))
	}
	m, err = m.Resolve(topo)
	require.NoError(t, err)
	n, err = fabric.New(topo, m)
	require.NoError(t, err)
	n.Attach(&script{messages})
	dir := t.TempDir()
	var files []capture.Capture
	for _, name := range append([]string{"run.html"}, others...) {
		c, err := capture.Open(filepath.Join(dir, name), n, capture.Options{Title: "messages on " + spec})
		require.NoError(t, err)
		n.Attach(c)
		files = append(files, c)
	}
	err = n.Run(t.Context(), 1_000_000)
	for _, c := range files {
		require.NoError(t, c.Close())
	}
	return filepath.Join(dir, "run.html"), n, err
}

// open opens a page and waits for its first picture.
func open(t *testing.T, ctx context.Context, address string) {
	browsertest.Do(t, ctx, chromedp.EmulateViewport(wide, high), chromedp.Navigate(address), chromedp.WaitReady(chromedp.CSS(`html[data-ready="yes"]`)))
}

// state is what the page says of the cycle that it shows.
type state struct {
	Now, End, Count, Taken, Lost, Events, Messages, Nodes, Links, Way, Row int
	ChosenNode, ChosenMessage                                              int
	Load                                                                   []float64
}

func stateOf(t *testing.T, ctx context.Context) state {
	return browsertest.Of[state](t, ctx, `player.state()`)
}

// press presses a key.
func press(t *testing.T, ctx context.Context, key string) {
	browsertest.Of[bool](t, ctx, fmt.Sprintf(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true}))`, key))
}

func text(t *testing.T, ctx context.Context, selector string) string {
	settle(t, ctx)
	return browsertest.Of[string](t, ctx, fmt.Sprintf(`document.querySelector(%q).innerText`, selector))
}

// settle waits for the picture of the page's state.
func settle(t *testing.T, ctx context.Context) {
	browsertest.Of[bool](t, ctx, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
}

// shot takes a picture of the page, and keeps it where -shots says.
func shot(t *testing.T, ctx context.Context, name string) image.Image {
	settle(t, ctx)
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	if *shots != "" {
		require.NoError(t, os.WriteFile(filepath.Join(*shots, name+".png"), data, 0o644))
	}
	picture, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	return picture
}

func scheme(t *testing.T, ctx context.Context, name string) {
	browsertest.Do(t, ctx, func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return chromedp.Void{}, err
	})
}

// crowd sends a message from every node, so that worms wait for one another.
func crowd(nodes, flits int) (list []message) {
	for n := range nodes {
		if to := (7*n + 3) % nodes; to != n {
			list = append(list, message{router.Cycle(n % 5), router.NodeID(n), router.NodeID(to), flits})
		}
	}
	return list
}

// What a reader does with a run: step, jump, choose nodes and messages, look at loads.
func TestARunInABrowser(t *testing.T) {
	path, n, err := played(t, "mesh:8x8", "wormhole", nil, crowd(64, 6))
	require.NoError(t, err)
	ctx := browsertest.Start(t)
	open(t, ctx, "file://"+path)
	require.Zero(t, browsertest.Of[int](t, ctx, `performance.getEntriesByType("resource").filter((r) => !r.name.startsWith("blob:")).length`), "the page needs nothing else")
	s := stateOf(t, ctx)
	require.Equal(t, []int{64, n.Topology.AllPorts() - 32, 64}, []int{s.Nodes, s.Links, s.Messages})
	require.Equal(t, int(n.Now()), s.End)
	t.Run("time", func(t *testing.T) { goesThroughTime(t, ctx, n) })
	t.Run("choice", func(t *testing.T) { choosesNodesAndMessages(t, ctx, "file://"+path) })
	t.Run("load", func(t *testing.T) { showsLoads(t, ctx, n) })
	for _, name := range []string{"light", "dark"} {
		t.Run(name, func(t *testing.T) { isLegible(t, ctx, name) })
	}
}

func goesThroughTime(t *testing.T, ctx context.Context, n *fabric.Network) {
	press(t, ctx, "End")
	s := stateOf(t, ctx)
	require.Equal(t, []int{int(n.Now()) - 1, 0, int(n.Delivered())}, []int{s.Now, s.Count, s.Taken}, "all flits have been taken")
	press(t, ctx, "Home")
	for range 12 {
		press(t, ctx, "ArrowRight")
	}
	forward := stateOf(t, ctx)
	require.Equal(t, 12, forward.Now)
	require.NotZero(t, forward.Count)
	press(t, ctx, "End")
	browsertest.Of[bool](t, ctx, `(player.go(12), true)`)
	back := stateOf(t, ctx)
	require.Equal(t, []int{forward.Count, forward.Taken}, []int{back.Count, back.Taken}, "the state does not depend on the way to it")
	require.Equal(t, "12", text(t, ctx, "#cycle"))
	browsertest.Of[bool](t, ctx, `(document.getElementById("speed").value = "8", document.getElementById("play").click(), true)`)
	browsertest.Of[bool](t, ctx, `new Promise((done) => { const wait = () => (player.state().now > 13 ? done(true) : setTimeout(wait, 20)); wait(); })`)
	press(t, ctx, " ")
	at := stateOf(t, ctx).Now
	browsertest.Of[bool](t, ctx, `new Promise((done) => setTimeout(() => done(true), 100))`)
	require.Equal(t, at, stateOf(t, ctx).Now, "pause")
}

func choosesNodesAndMessages(t *testing.T, ctx context.Context, page string) {
	browsertest.Of[bool](t, ctx, `(player.go(14), player.chooseNode(27), true)`)
	s := stateOf(t, ctx)
	require.Equal(t, []int{27, 8}, []int{s.ChosenNode, s.Row}, "the diagram has the node's row")
	require.Equal(t, 5, browsertest.Of[int](t, ctx, `document.querySelectorAll("#buffers .port").length`), "four inputs and the injection")
	browsertest.Do(t, ctx, chromedp.SetValue(chromedp.CSS("#message"), "1"))
	browsertest.Of[bool](t, ctx, `document.getElementById("message").dispatchEvent(new Event("change"))`)
	require.Contains(t, text(t, ctx, "#way"), "data, 6 flits, from 0 to 3")
	require.Equal(t, 3, stateOf(t, ctx).Way, "links from 0 to 3")
	browsertest.Do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(page+"#cycle=9&node=5&message=2"), chromedp.WaitReady(chromedp.CSS(`html[data-ready="yes"]`)))
	s = stateOf(t, ctx)
	require.Equal(t, []int{9, 5, 1}, []int{s.Now, s.ChosenNode, s.ChosenMessage}, "what the address asks for")
	// A click on a node in the picture chooses it.
	browsertest.Of[bool](t, ctx, `(document.getElementById("node").value = 0, document.getElementById("node").dispatchEvent(new Event("change")))`)
	require.Zero(t, stateOf(t, ctx).ChosenNode)
}

// showsLoads compares the loads of the whole run with the network's own counts.
func showsLoads(t *testing.T, ctx context.Context, n *fabric.Network) {
	browsertest.Of[bool](t, ctx, `(document.getElementById("load").value = "whole", document.getElementById("load").dispatchEvent(new Event("change")))`)
	settle(t, ctx)
	got := stateOf(t, ctx).Load
	for i, use := range n.LinkUse() {
		require.InDelta(t, float64(use.Busy)/float64(n.Now()), got[i], 1e-9, "link %d", i)
	}
}

// isLegible measures the contrast of the texts, and that the picture has strong colours.
func isLegible(t *testing.T, ctx context.Context, name string) {
	scheme(t, ctx, name)
	browsertest.Of[bool](t, ctx, `(player.go(14), true)`)
	settle(t, ctx)
	for _, e := range browsertest.Of[[]struct {
		Of, Ink, Paper string
		Size           float64
	}](t, ctx, `[...document.querySelectorAll("h1, h2, p, label, dt, dd, th, td, button, output, option, .slot:not(.empty)")].filter((e) => e.offsetParent).map((e) => {
  let ground = e;
  while (ground.parentElement && getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") ground = ground.parentElement;
  const style = getComputedStyle(e);
  return {Of: e.tagName + " " + e.className, Ink: style.color, Paper: getComputedStyle(ground).backgroundColor, Size: parseFloat(style.fontSize)};
})`) {
		require.GreaterOrEqual(t, e.Size, 10.0, "%s: pixels of the font", e.Of)
		require.GreaterOrEqual(t, contrast(parsed(t, e.Ink), parsed(t, e.Paper)), 4.5, "%s: %s on %s (WCAG)", e.Of, e.Ink, e.Paper)
	}
	require.Zero(t, browsertest.Of[int](t, ctx, `[...document.querySelectorAll("button, input, select, canvas[tabindex]")].filter((e) => !(e.getAttribute("aria-label") || e.innerText?.trim() || e.labels?.length)).length`), "everything has a name")
	require.True(t, browsertest.Of[bool](t, ctx, `document.documentElement.scrollWidth <= innerWidth`), "nothing sticks out")
	picture := shot(t, ctx, name)
	require.Equal(t, image.Pt(wide, high), picture.Bounds().Size())
	paper, drawn := picture.At(1, 1), 0
	for y := range high {
		for x := range wide {
			if contrast(picture.At(x, y), paper) > 3 {
				drawn++
			}
		}
	}
	require.Greater(t, drawn, 10000, "pixels that are seen")
}

// Collisions and deadlocks are in a list, and the page goes to them.
func TestCollisionsAndDeadlocks(t *testing.T) {
	ctx := browsertest.Start(t)
	path, n, err := played(t, "path:5", "bufferless", nil, []message{{0, 0, 4, 3}, {1, 4, 0, 2}, {2, 1, 4, 2}})
	require.NoError(t, err)
	collisions, all := n.Collisions()
	require.NotZero(t, all)
	open(t, ctx, "file://"+path)
	require.Equal(t, all, stateOf(t, ctx).Lost, "the record has every flit that was lost")
	press(t, ctx, "n")
	require.Equal(t, int(collisions[0].Cycle), stateOf(t, ctx).Now)
	require.Contains(t, text(t, ctx, "#marks"), fmt.Sprintf("at node %d: %s conflict", collisions[0].Node, collisions[0].Conflict))
	require.True(t, browsertest.Of[bool](t, ctx, `document.querySelector("#events").offsetParent !== null`))
	shot(t, ctx, "collision")

	ring := []message{{0, 0, 2, 8}, {0, 1, 3, 8}, {0, 2, 0, 8}, {0, 3, 1, 8}}
	path, n, err = played(t, "ring:4", "wormhole", map[string]string{"vcs": "1", "buffer": "1"}, ring)
	require.Error(t, err)
	require.NotNil(t, n.Deadlock())
	open(t, ctx, "file://"+path)
	press(t, ctx, "n")
	require.Contains(t, text(t, ctx, "#marks"), "channels wait in a circle")
	require.Contains(t, text(t, ctx, "#subtitle"), fmt.Sprintf("deadlock in cycle %d", n.Deadlock().Cycle))
	require.NotZero(t, stateOf(t, ctx).Count, "flits that wait")
	shot(t, ctx, "deadlock")
}

// Networks of every shape are drawn, and the rows that a reader can choose; the first of them is shown.
func TestShapesOfNetworks(t *testing.T) {
	ctx := browsertest.Start(t)
	const x, y, z, root, way = "through the node, along x", "through the node, along y", "through the node, along z", "from the root to the node", "route of the message"
	for _, c := range []struct {
		spec string
		wide int // nodes of a row along x; 0: there is none
		rows []string
	}{
		{"path:6", 6, []string{x, way}}, {"torus:4x4", 4, []string{x, y, way}}, {"mesh:3x3x3", 3, []string{x, y, z, way}},
		{"hypercube:4", 2, []string{x, y, z, "through the node, along d3", way}}, {"twisted-torus:6x3", 6, []string{x, y, root, way}},
		{"star:4", 0, []string{root, way}}, {"binary:4", 0, []string{root, way}}, {"hub:8", 0, []string{root, way}}, {"complete:6", 0, []string{root, way}}, {"random:20,3", 0, []string{root, way}},
	} {
		topo, err := topology.Parse(c.spec)
		require.NoError(t, err)
		path, n, err := played(t, c.spec, "wormhole", nil, crowd(topo.Nodes(), 3))
		require.NoError(t, err)
		open(t, ctx, "file://"+path)
		browsertest.Of[bool](t, ctx, `(player.go(6), true)`)
		s := stateOf(t, ctx)
		require.Equal(t, []int{topo.Nodes(), len(topo.Links()), int(n.Now())}, []int{s.Nodes, s.Links, s.End}, c.spec)
		require.Equal(t, c.rows, browsertest.Of[[]string](t, ctx, `[...document.querySelectorAll("#row option")].map((o) => o.textContent)`), c.spec)
		require.NotZero(t, s.Row, c.spec)
		if c.wide > 0 {
			require.Equal(t, c.wide, s.Row, c.spec)
		}
		shot(t, ctx, "shape-"+string(topo.Kind)+fmt.Sprint(topo.Nodes()))
	}
}

// A page of a thousand nodes and, in a soak, a hundred thousand flits: what a picture looks at does not grow with the run.
// The frames per second that are logged are those of docs/see.md.
func TestLargeRunsAreFluid(t *testing.T) {
	rounds, pictures := 3, 8 // a quarter of the flits
	if soak.On() {
		rounds, pictures = 13, 240
	}
	var list []message
	for round := range rounds {
		for _, m := range crowd(1024, 8) {
			m.at += router.Cycle(25 * round)
			m.destination = router.NodeID((int(m.destination) + 131*round) % 1024)
			if m.destination != m.source {
				list = append(list, m)
			}
		}
	}
	path, n, err := played(t, "torus:32x32", "wormhole", nil, list)
	require.NoError(t, err)
	require.Greater(t, int(n.Delivered()), 8000*rounds)
	ctx := browsertest.Start(t)
	open(t, ctx, "file://"+path)
	t.Logf("%d flits; the page is ready after %.0f ms", n.Delivered(), browsertest.Of[float64](t, ctx, `performance.now()`))
	s := stateOf(t, ctx)
	require.Greater(t, s.Events, 100_000*rounds)
	third := fmt.Sprintf(`player.go(%d);`, s.End/3)
	browsertest.Of[bool](t, ctx, third+`true`)
	shot(t, ctx, "large")
	for _, act := range []struct{ name, begin, each, end string }{
		{"play", third + click("play"), ``, click("play")},
		{"play from the start on", `player.go(0);` + click("play"), ``, click("play")},
		{"slider", fmt.Sprintf(`player.go(%d);`, s.End), fmt.Sprintf(`const s = document.getElementById("slider"); s.value = k * 37 %% 120 / 120 * %d; s.dispatchEvent(new Event("input"))`, s.End), ``},
		{"zoom", third, `document.getElementById("net").dispatchEvent(new WheelEvent("wheel", {deltaY: k % 60 < 30 ? -60 : 60, clientX: 500, clientY: 300, cancelable: true}))`, ``},
		{"messages", ``, `player.chooseMessage(k)`, `player.chooseMessage(-1);`},
	} {
		f := browsertest.Of[frames](t, ctx, fmt.Sprintf(`new Promise((done) => {
  %s
  const began = performance.now(), pictures = painted.pictures;
  let work = 0;
  const next = (k) => {
    work = Math.max(work, k < 2 ? 0 : painted.work);
    if (painted.pictures - pictures >= %d) { %s return done({Work: work, Rate: (painted.pictures - pictures) / (performance.now() - began) * 1000}); }
    %s;
    requestAnimationFrame(() => next(k + 1));
  };
  next(0);
})`, act.begin, pictures, act.end, act.each))
		t.Logf("%s: %.1f frames a second, at most %d events looked at for one", act.name, f.Rate, f.Work)
		require.NotZero(t, f.Work)
		require.Less(t, f.Work, 200_000, "%s: of %d events", act.name, s.Events)
	}
}

// frames are what a browser drew: the pictures a second, and the most events that it looked at for one.
type frames struct {
	Work int
	Rate float64
}

// click is the script of a click on a button.
func click(id string) string { return fmt.Sprintf("document.getElementById(%q).click();", id) }

func parsed(t *testing.T, css string) color.Color {
	var r, g, b uint8
	_, err := fmt.Sscanf(css, "rgb(%d, %d, %d)", &r, &g, &b)
	require.NoError(t, err, css)
	return color.RGBA{r, g, b, 255}
}

// contrast is the ratio of two colours' luminances as WCAG 2 defines it.
func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		if x := float64(v) / 0xffff; x > 0.04045 {
			return math.Pow((x+0.055)/1.055, 2.4)
		} else {
			return x / 12.92
		}
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}
