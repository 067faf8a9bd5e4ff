// SPDX-License-Identifier: Apache-2.0

// Package player is the HTML page that shows a run, cycle by cycle: the network with its flits, buffers and loads, a
// diagram of space and time, and the routes of messages. The page needs no other file and no network.
//
// The page has the record of a run (package capture says its form), compressed with DEFLATE and written as lines of
// base64, and behind it an [About]. So a [Writer] keeps nothing of a run. A page of [Live] has no record, and asks its
// server for the state of a run that goes on.
package player

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"meshwright/capture/svg"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/escape"
	"meshwright/router"
)

//go:embed player.css
var style string

//go:embed player.html
var body string

//go:embed player.js
var script string

// About says what a record is of.
type About struct {
	Title    string `json:"title"`
	Subtitle string `json:"subtitle"`
	Topology string `json:"topology"`
	Ticks    int    `json:"ticks"` // of a cycle
	Hop      int    `json:"hop"`   // ticks from node to node; of the slowest link
	Flit     int    `json:"flit"`  // ticks for which a flit holds a link
	VCs      int    `json:"vcs"`
	Depth    int    `json:"depth"` // flits of a buffer; 0: there are none
	From     int64  `json:"from"`  // first tick
	End      int64  `json:"end"`   // tick behind the last one
	Cut      int64  `json:"cut"`   // tick at which the record ends because it is full; -1: it is not
	Nodes    []int  `json:"nodes"` // of interest; null: all
	Dims     []int  `json:"dims"`  // of a grid, and of a twisted torus
	Parents  []int  `json:"parents"`
	Live     bool   `json:"live"`

	Layout Layout   `json:"layout"`
	Links  Links    `json:"links"`
	Kinds  []string `json:"kinds"` // of flits
	Marks  []Mark   `json:"marks"`
}

// Layout is a svg.Layout in rounded numbers.
type Layout struct {
	Width  float64            `json:"width"`
	Height float64            `json:"height"`
	X      []float64          `json:"x"`
	Y      []float64          `json:"y"`
	Layers []Layer            `json:"layers"`
	Stubs  map[int][2]float64 `json:"stubs"`
	Bows   map[int]float64    `json:"bows"`
}

// Layer is a caption above a node.
type Layer struct {
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Name string  `json:"name"`
}

// Links are the columns of the list of links.
type Links struct {
	From []int    `json:"from"`
	To   []int    `json:"to"`
	Port []string `json:"port"`          // at the receiver
	Hop  []int    `json:"hop,omitempty"` // where links are not alike
	Flit []int    `json:"flit,omitempty"`
}

// Mark is an event that a reader looks for.
type Mark struct {
	Tick     int64   `json:"tick"`
	What     string  `json:"what"` // collision or deadlock
	Text     string  `json:"text"`
	Nodes    []int   `json:"nodes"`
	Messages []int64 `json:"messages"`
}

// NewAbout describes a network and its machine.
func NewAbout(t *topology.Topology, m *machine.Machine) *About {
	a := &About{Topology: t.String(), Ticks: m.Ticks(), Hop: m.Hop, Flit: m.FlitTicks(), VCs: m.VCs, Depth: m.Buffer, Dims: t.Dims, Cut: -1, Marks: []Mark{}}
	if m.Switching == machine.Bufferless {
		a.Depth = 0
	}
	for _, k := range []router.Kind{router.Data, router.Order, router.Token, router.Certificate} {
		a.Kinds = append(a.Kinds, k.String())
	}
	for _, link := range t.Links() {
		a.Links.From = append(a.Links.From, int(link.From))
		a.Links.To = append(a.Links.To, int(link.To))
		a.Links.Port = append(a.Links.Port, t.PortName(link.To, link.ToPort))
	}
	a.timeLinks(t, m)
	if twisted := t.Twisted(); twisted != nil {
		sides := twisted.Sides()
		a.Dims = sides[:]
	}
	if !t.IsGrid() {
		for _, p := range topology.BreadthFirst(t, t.Root).Parent {
			a.Parents = append(a.Parents, int(p))
		}
	}
	a.layOut(svg.LayOut(t))
	return a
}

// timeLinks enters the times of links that are not alike.
func (a *About) timeLinks(t *topology.Topology, m *machine.Machine) {
	times, err := m.LinkTimes(t)
	if times == nil || err != nil { // a machine that does not fit has no network to show
		return
	}
	a.Hop = times.Slowest.Hop
	for link := range t.EachLink() {
		own := times.Of(link.From, link.FromPort)
		a.Links.Hop, a.Links.Flit = append(a.Links.Hop, own.Hop), append(a.Links.Flit, own.Flit)
	}
}

func (a *About) layOut(l *svg.Layout) {
	a.Layout = Layout{Width: rounded(l.Width), Height: rounded(l.Height), Stubs: map[int][2]float64{}, Bows: map[int]float64{}, Layers: []Layer{}}
	for _, at := range l.Nodes {
		a.Layout.X, a.Layout.Y = append(a.Layout.X, rounded(at.X)), append(a.Layout.Y, rounded(at.Y))
	}
	for _, c := range l.Layers {
		a.Layout.Layers = append(a.Layout.Layers, Layer{rounded(c.At.X), rounded(c.At.Y), c.Name})
	}
	for i, way := range l.Stubs {
		a.Layout.Stubs[i] = [2]float64{rounded(way.X), rounded(way.Y)}
	}
	for i, bow := range l.Bows {
		a.Layout.Bows[i] = rounded(bow)
	}
}

// rounded returns a coordinate in thousandths.
func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }

// Writer writes a page.
type Writer struct {
	out     io.Writer
	packed  bytes.Buffer
	deflate *flate.Writer
	err     error
}

// lineBytes of the compressed record are a line. It is a multiple of 3, so that only the last line of a part is padded.
const lineBytes = 48 << 10

// NewWriter begins a page.
func NewWriter(out io.Writer, title string) *Writer {
	w := &Writer{out: out}
	w.deflate, w.err = flate.NewWriter(&w.packed, flate.DefaultCompression)
	w.print("%s<script id=\"record\" type=\"text/plain\">\n", head(title))
	return w
}

// head is the page up to its data.
func head(title string) string {
	return fmt.Sprintf("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n%s",
		escape.XML(title), style, body)
}

func (w *Writer) print(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.out, format, args...)
	}
}

// Add adds a part of the record, which is compressed by itself and written. So another Writer may go on behind it, and the page does not depend on which one wrote
// what. Close returns the first error.
func (w *Writer) Add(record []byte) {
	if w.err == nil {
		_, w.err = w.deflate.Write(record)
	}
	if w.err == nil {
		w.err = w.deflate.Flush()
	}
	w.drain()
	w.deflate.Reset(&w.packed)
}

// drain writes what is compressed.
func (w *Writer) drain() {
	for w.packed.Len() > 0 {
		w.print("%s\n", base64.StdEncoding.EncodeToString(w.packed.Next(lineBytes)))
	}
}

// Close completes the page.
func (w *Writer) Close(a *About) error {
	if w.err == nil {
		w.err = w.deflate.Close()
	}
	w.drain()
	w.print("</script>\n")
	w.end(a)
	return w.err
}

func (w *Writer) end(a *About) {
	text, err := json.Marshal(a)
	if w.err == nil {
		w.err = err
	}
	w.print("<script id=\"about\" type=\"application/json\">%s</script>\n<script>\n%s</script>\n</body>\n</html>\n", text, script)
}

// Live writes a page that asks its server for the state of a run.
func Live(out io.Writer, a *About) error {
	w := &Writer{out: out}
	a.Live = true
	w.print("%s<script id=\"record\" type=\"text/plain\"></script>\n", head(a.Title))
	w.end(a)
	return w.err
}
