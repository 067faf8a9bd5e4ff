// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/internal/input"
	"meshwright/study"
)

// trafficReport is the JSON of a measurement under load; its names are a contract.
type trafficReport struct {
	Topology   string            `json:"topology"`
	Nodes      int               `json:"nodes"`
	*avoidance                   // nil: routes go around nothing
	*deadParts                   // nil: no faults
	Pattern    string            `json:"pattern"`
	Flits      string            `json:"flits,omitempty"`
	Reply      string            `json:"reply,omitempty"`
	Burst      float64           `json:"burst,omitempty"`
	BurstRate  float64           `json:"burst_rate,omitempty"`
	Limit      float64           `json:"latency_limit,omitempty"`
	Seed       uint64            `json:"seed"`
	Seeds      int               `json:"seeds"`
	Points     []loadPoint       `json:"points"`
	Saturation *saturation       `json:"saturation,omitempty"`
	Deadlocked bool              `json:"deadlocked"`
	MayLock    *bool             `json:"may_deadlock,omitempty"` // nil: nobody has looked
	Machine    map[string]string `json:"machine"`
	Version    string            `json:"version"`

	title   string
	remedy  string // what avoids deadlocks, if it is known
	judging string // the command that shows a cycle of channels
	slow    string // says that buffers are too small for the full rate; "": they are not
	crowd   string // the lane that all packets are in, if there is one; otherwise ""
	network *topology.Topology
}

// saturation is where the load begins to be too much.
type saturation struct {
	Stable   *float64 `json:"highest_stable_rate"`
	Unstable float64  `json:"lowest_unstable_rate"`
	Accepted *float64 `json:"highest_accepted,omitempty"`

	Mean     *float64     `json:"mean_stable_rate,omitempty"` // this and the following of a search with several seeds
	MeanHalf *float64     `json:"mean_stable_rate_half,omitempty"`
	Seeds    []seedBorder `json:"by_seed,omitempty"`
}

// seedBorder is where the load of one seed begins to be too much.
type seedBorder struct {
	Seed     uint64   `json:"seed"`
	Stable   *float64 `json:"highest_stable_rate"`
	Unstable *float64 `json:"lowest_unstable_rate"`
}

// addSeeds takes the borders of a search with several seeds.
func (s *saturation) addSeeds(c *study.LoadCurve) {
	if len(c.Seeds) == 0 {
		return
	}
	e := c.Border()
	s.Mean, s.MeanHalf = &e.Mean, &e.Half
	for _, b := range c.Seeds {
		s.Seeds = append(s.Seeds, seedBorder{b.Seed, above0(b.Stable), above0(b.Unstable)})
	}
}

// above0 is a rate, nil if there is none.
func above0(rate float64) *float64 {
	if rate == 0 {
		return nil
	}
	return &rate
}

// loadPoint is a point of the curve.
type loadPoint struct {
	Rate         float64          `json:"rate,omitempty"`
	Stable       *bool            `json:"stable"`
	Cause        traffic.Cause    `json:"unstable_cause,omitempty"`
	Why          string           `json:"unstable_because,omitempty"`
	Deadlock     string           `json:"deadlock,omitempty"`
	Circle       []waitingChannel `json:"deadlock_cycle,omitempty"`
	Sources      int              `json:"sources"`
	Packets      uint64           `json:"packets"`
	EmptyRuns    int              `json:"runs_without_packets,omitempty"`
	Undelivered  uint64           `json:"packets_not_delivered"`
	Lost         int              `json:"packets_lost,omitempty"`
	Offered      *float64         `json:"offered,omitempty"`
	Accepted     *float64         `json:"accepted,omitempty"`
	AcceptedHalf *float64         `json:"accepted_half,omitempty"`
	Fewest       *float64         `json:"accepted_of_a_source_min,omitempty"`
	Most         *float64         `json:"accepted_of_a_source_max,omitempty"`
	Fairness     *float64         `json:"fairness,omitempty"`
	Packet       *latencyReport   `json:"packet_latency,omitempty"`
	Network      *latencyReport   `json:"network_latency,omitempty"`
	Head         *latencyReport   `json:"head_latency,omitempty"`
	Request      *latencyReport   `json:"request_latency,omitempty"`
	ReplyLatency *latencyReport   `json:"reply_latency,omitempty"`
	RoundTrip    *latencyReport   `json:"round_trip,omitempty"`
	Links        *linksReport     `json:"links,omitempty"`
	WarmUp       float64          `json:"warm_up_cycles"`
	Measure      float64          `json:"cycles"`
	Drain        float64          `json:"drain_cycles"`

	runs int
}

// linksReport says how busy links were in the measurement.
type linksReport struct {
	Hottest string  `json:"hottest_link"`
	Most    float64 `json:"busy_max"`
	Mean    float64 `json:"busy_mean"`

	name string // of the hottest link, for people
}

// newLinksReport takes the busiest link of all runs; nil if nothing was measured, or no flit crossed a link.
func newLinksReport(p *study.LoadPoint, t *topology.Topology) *linksReport {
	if !p.Measured() {
		return nil
	}
	r := &linksReport{Mean: p.Figure(func(run *study.LoadRun) float64 { return run.Links.Mean }).Mean}
	for i := range p.Runs {
		if l := &p.Runs[i].Links; l.Most > r.Most {
			r.Hottest, r.Most, r.name = linkName(l.Hottest), l.Most, t.LinkText(l.Hottest.From, l.Hottest.To, ">")
		}
	}
	if r.Most == 0 {
		return nil
	}
	return r
}

// String names the busiest link, and how busy it and all links were.
func (r *linksReport) String() string {
	return fmt.Sprintf("%s, %.1f%% busy; all links %.1f%%", r.name, 100*r.Most, 100*r.Mean)
}

// latencyReport is a distribution of latencies.
type latencyReport struct {
	Mean       float64  `json:"mean"`
	MeanHalf   *float64 `json:"mean_half,omitempty"`
	Median     float64  `json:"median"`
	MedianHalf *float64 `json:"median_half,omitempty"`
	P95        float64  `json:"p95"`
	P95Half    *float64 `json:"p95_half,omitempty"`
	P99        float64  `json:"p99"`
	P99Half    *float64 `json:"p99_half,omitempty"`
	Max        float64  `json:"max"`
}

func newTrafficReport(f *trafficFlags, s *study.LoadStudy) *trafficReport {
	r := &trafficReport{
		Topology: s.Topology.String(), Nodes: s.Topology.Nodes(), Pattern: f.pattern, Limit: s.MostLatency, Seed: f.seed, Seeds: f.seeds,
		Machine: machineSettings(s.Machine), Version: version(), Points: []loadPoint{},
		title: fmt.Sprintf("%s on %s, machine %s", f.pattern, s.Topology, f.named), remedy: remedyOf(s.Topology, s.Machine), crowd: crowdOf(s), network: s.Topology,
	}
	if around, _ := s.GoAround(); around != nil {
		r.avoidance = newAvoidance(r.Nodes, around)
	}
	r.deadParts, r.slow = deadOf(s), s.Machine.BelowFullRate(s.Topology)
	if s.Trace == nil {
		r.Flits, r.Reply = f.flits, f.reply
		if f.injection.Burst > 0 {
			r.Burst, r.BurstRate = f.injection.Burst, f.injection.OnRate
		}
	}
	return r
}

// deadOf returns what is dead in the networks of a study, which is the same in all its runs; nil without faults.
func deadOf(s *study.LoadStudy) *deadParts {
	m, err := s.Machine.Resolve(s.Topology)
	if err != nil {
		return nil // the runs say it
	}
	on, err := fabric.FaultsOn(s.Topology, &m, m.Faults)
	if err != nil {
		return nil
	}
	return newDeadParts(on, s.Topology)
}

// judge finds out whether the packets may wait in a circle.
func (r *trafficReport) judge(cmd *cobra.Command, s *study.LoadStudy) {
	if may, known := mayDeadlock(cmd.Context(), s); known {
		r.MayLock, r.judging = &may, deadlockCommand(cmd)
	}
}

// aboutRows are rows about the network, before those of its load.
func (r *trafficReport) aboutRows() [][]string {
	dead := r.deadParts.rows()
	if dead != nil && (r.Seeds > 1 || len(r.Points) > 1) {
		dead[0][1] += ", in all runs"
	}
	return append(r.avoidance.rows(), dead...)
}

// crowdOf says that all packets of a load are in one lane, while the others are empty; "" if they are not.
func crowdOf(s *study.LoadStudy) string {
	vcs, lanes := s.Machine.VCs, s.Machine.Lanes(s.Topology)
	lane, ok := traffic.OneLane(s.Load.Pattern, lanes)
	if !ok {
		return ""
	}
	idle := input.Count(vcs-vcs/lanes, "virtual channel") + " are idle"
	if vcs-vcs/lanes == 1 {
		idle = "1 virtual channel is idle"
	}
	return fmt.Sprintf("all packets are in lane %d of %d: %s; --%s %s lets them choose", lane, lanes, idle, machine.ChoiceKey, machine.Free)
}

// remedyOf says what avoids deadlocks; "" if it is not known.
func remedyOf(t *topology.Topology, m machine.Machine) string {
	ways := m.Switching == machine.Wormhole || m.Ports == machine.AllPort // with a single port, packets of all directions share a queue
	if (m.Tabled() || !t.IsGrid()) && ways && m.Routing != machine.UpDown {
		return "on this network --routing updown never deadlocks, see docs/routing.md"
	}
	return ""
}

// add takes the points of a curve.
func (r *trafficReport) add(c *study.LoadCurve) {
	for i := range c.Points {
		point := newLoadPoint(r.network, &c.Points[i])
		r.Deadlocked = r.Deadlocked || point.Deadlock != ""
		r.Points = append(r.Points, point)
	}
	if c.Unstable > 0 {
		r.Saturation = &saturation{Unstable: c.Unstable}
		if most, ok := c.Accepted(); ok {
			r.Saturation.Accepted = &most
		}
		if c.Stable > 0 {
			r.Saturation.Stable = &c.Stable
		}
		r.Saturation.addSeeds(c)
	}
}

func newLoadPoint(t *topology.Topology, p *study.LoadPoint) loadPoint {
	mean := func(of func(*study.LoadRun) float64) float64 { return p.Figure(of).Mean }
	measured := func(of func(*study.LoadRun) float64) *float64 {
		if !p.Measured() {
			return nil
		}
		return known(mean(of))
	}
	point := loadPoint{
		Rate: p.Rate, Sources: p.Runs[0].Sources, EmptyRuns: p.EmptyRuns(), runs: len(p.Runs), Links: newLinksReport(p, t),
		Offered:  measured(func(r *study.LoadRun) float64 { return r.Offered }),
		Accepted: measured(func(r *study.LoadRun) float64 { return r.Accepted }),
		Fewest:   measured(func(r *study.LoadRun) float64 { return r.Fewest }),
		Most:     measured(func(r *study.LoadRun) float64 { return r.Most }),
		Fairness: measured(func(r *study.LoadRun) float64 { return r.Fairness.Jain }),
		WarmUp:   mean(func(r *study.LoadRun) float64 { return r.WarmUp }),
		Measure:  mean(func(r *study.LoadRun) float64 { return r.Measure }),
		Drain:    mean(func(r *study.LoadRun) float64 { return r.Drain }),
		Packet:   newLatencyReport(p, func(r *study.LoadRun) *study.Latency { return &r.Packet }),
		Network:  newLatencyReport(p, func(r *study.LoadRun) *study.Latency { return &r.Network }),
		Head:     newLatencyReport(p, func(r *study.LoadRun) *study.Latency { return &r.Head }),
		Request:  newLatencyReport(p, func(r *study.LoadRun) *study.Latency { return &r.Request }), ReplyLatency: newLatencyReport(p, func(r *study.LoadRun) *study.Latency { return &r.Reply }),
		RoundTrip: newLatencyReport(p, func(r *study.LoadRun) *study.Latency { return &r.RoundTrip }),
	}
	point.Cause, point.Why = p.Unstable()
	if stable := p.Stable(); !p.Empty() {
		point.Stable = &stable
	}
	if p.Measured() {
		point.AcceptedHalf = known(p.Figure(func(r *study.LoadRun) float64 { return r.Accepted }).Half)
	}
	for i := range p.Runs {
		point.Packets += p.Runs[i].Packets
		point.Undelivered += p.Runs[i].Missing
		point.Lost += p.Runs[i].Lost
	}
	if err := p.Deadlock(); err != nil {
		point.Deadlock, point.Circle = err.Error(), newWaitingChannels(t, err)
	}
	return point
}

// newLatencyReport returns the means over the runs; nil if a run has delivered no such packet, or not all packets.
func newLatencyReport(p *study.LoadPoint, of func(*study.LoadRun) *study.Latency) *latencyReport {
	r := &latencyReport{}
	if !p.Latent() {
		return nil
	}
	for i := range p.Runs {
		l := of(&p.Runs[i])
		if l.Count == 0 {
			return nil
		}
		r.Max = max(r.Max, l.Max)
	}
	for _, figure := range []struct {
		mean *float64
		half **float64
		of   func(*study.Latency) float64
	}{
		{&r.Mean, &r.MeanHalf, func(l *study.Latency) float64 { return l.Mean }},
		{&r.Median, &r.MedianHalf, func(l *study.Latency) float64 { return l.Median }},
		{&r.P95, &r.P95Half, func(l *study.Latency) float64 { return l.P95 }},
		{&r.P99, &r.P99Half, func(l *study.Latency) float64 { return l.P99 }},
	} {
		e := p.Figure(func(run *study.LoadRun) float64 { return figure.of(of(run)) })
		*figure.mean, *figure.half = e.Mean, known(e.Half)
	}
	return r
}

// known is a figure, nil if it is NaN.
func known(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// print prints a point as rows, and several as a table.
func (r *trafficReport) print(w io.Writer) error {
	if len(r.Points) == 1 {
		if err := printRows(w, r.title, nil, append(r.aboutRows(), r.Points[0].rows()...)); err != nil {
			return err
		}
		return r.printNotes(w)
	}
	header := []string{"rate", "accepted", "packet latency", "median", "p95", "p99", "max", "network", "head", "fairness", "stable"}
	var rows [][]string
	for i := range r.Points {
		rows = append(rows, r.Points[i].row())
	}
	title := r.title
	for _, row := range r.aboutRows() {
		title += "; " + row[0] + " " + row[1]
	}
	if err := printRows(w, title, header, rows); err != nil {
		return err
	}
	if err := r.printSaturation(w); err != nil {
		return err
	}
	return r.printNotes(w)
}

// printNotes prints what explains the figures.
func (r *trafficReport) printNotes(w io.Writer) error {
	for _, note := range []string{r.slow, r.crowd} {
		if note == "" {
			continue
		}
		if _, err := fmt.Fprintln(w, note); err != nil {
			return err
		}
	}
	return r.printDeadlocks(w)
}

// printDeadlocks prints the cycles of channels, which are long.
func (r *trafficReport) printDeadlocks(w io.Writer) error {
	for i := range r.Points {
		p := &r.Points[i]
		if p.Deadlock == "" {
			continue
		}
		at := ""
		if p.Rate > 0 { // 0 of a trace
			at = "rate " + rateText(p.Rate) + ": "
		}
		if _, err := fmt.Fprintln(w, at+p.Deadlock); err != nil {
			return err
		}
	}
	switch {
	case r.Deadlocked && r.remedy != "":
		_, err := fmt.Fprintln(w, r.remedy)
		return err
	case !r.Deadlocked && r.MayLock != nil && *r.MayLock:
		_, err := fmt.Fprintln(w, "these routes may deadlock at higher loads: "+r.judging)
		return err
	}
	return nil
}

func (r *trafficReport) printSaturation(w io.Writer) error {
	s := r.Saturation
	if s == nil {
		_, err := fmt.Fprintln(w, "stable at every rate"+r.emptyRates())
		return err
	}
	stable := "no rate"
	if s.Stable != nil {
		stable = rateText(*s.Stable)
	}
	most := ""
	if s.Accepted != nil {
		most = "; the most accepted at a measured rate: " + flitRate(*s.Accepted) + " flits per source and cycle"
	}
	_, err := fmt.Fprintf(w, "stable up to %s, not at %s%s%s\n", stable, rateText(s.Unstable), r.reason(), most)
	if err != nil || s.Mean == nil {
		return err
	}
	_, err = fmt.Fprintf(w, "highest stable rate of each seed: %s; mean %s ± %s\n", s.bySeed(), flitRate(*s.Mean), fixed(*s.MeanHalf, 4))
	return err
}

// bySeed lists the highest stable rates of the seeds.
func (s *saturation) bySeed() string {
	texts := make([]string, len(s.Seeds))
	for i, b := range s.Seeds {
		texts[i] = "none"
		if b.Stable != nil {
			texts[i] = rateText(*b.Stable)
		}
	}
	return strings.Join(texts, ", ")
}

// reason says in parentheses why the lowest rate is not stable that is not.
func (r *trafficReport) reason() string {
	i := slices.IndexFunc(r.Points, func(p loadPoint) bool { return p.Stable != nil && !*p.Stable })
	if i < 0 || r.Points[i].Why == "" {
		return ""
	}
	return " (" + r.Points[i].Why + ")"
}

// emptyRates says at how many rates a run had no packets, so that nothing can be judged.
func (r *trafficReport) emptyRates() string {
	empty, all := 0, true
	for i := range r.Points {
		if p := &r.Points[i]; p.EmptyRuns > 0 {
			empty++
			all = all && p.Packets == 0
		}
	}
	switch {
	case empty == 0:
		return ""
	case !all:
		return fmt.Sprintf(", but at %d of %s runs had no packets", empty, input.Count(len(r.Points), "rate"))
	case empty == len(r.Points):
		return ", but no packets were sent at any"
	}
	return fmt.Sprintf(", but at %d of %s no packets were sent", empty, input.Count(len(r.Points), "rate"))
}

func rateText(rate float64) string { return strconv.FormatFloat(rate, 'g', -1, 64) }

func fixed(x float64, digits int) string { return strconv.FormatFloat(x, 'f', digits, 64) }

// flitRate is a rate of flits: four digits behind the point, or three that count.
func flitRate(x float64) string {
	if x < 0.01 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return fixed(x, 4)
}

// plusMinus is half an interval of confidence, if there is one.
func plusMinus(half *float64, text func(float64) string) string {
	if half == nil {
		return ""
	}
	return " ± " + text(*half)
}

// withHalf is a figure with half its interval.
func withHalf(mean float64, half *float64, digits int) string {
	return fixed(mean, digits) + plusMinus(half, func(x float64) string { return fixed(x, digits) })
}

// state is the last column of a point.
func (p *loadPoint) state() string {
	switch {
	case p.Deadlock != "":
		return "deadlock"
	case p.Stable == nil && p.Packets > 0:
		return fmt.Sprintf("no packets in %d of %s", p.EmptyRuns, input.Count(p.runs, "run"))
	case p.Stable == nil:
		return "no packets"
	case *p.Stable:
		return "yes"
	}
	return "no"
}

// accepted is the throughput; "" if nothing was measured.
func (p *loadPoint) accepted() string {
	if p.Accepted == nil {
		return ""
	}
	return flitRate(*p.Accepted) + plusMinus(p.AcceptedHalf, func(x float64) string {
		if *p.Accepted < 0.01 {
			return flitRate(x)
		}
		return fixed(x, 4)
	})
}

func (p *loadPoint) row() []string {
	row := []string{rateText(p.Rate), p.accepted()}
	if l := p.Packet; l != nil {
		row = append(row, withHalf(l.Mean, l.MeanHalf, 2), inRow(l.Median, l.MedianHalf), inRow(l.P95, l.P95Half), inRow(l.P99, l.P99Half), percentile(l.Max, nil), fixed(p.Network.Mean, 2), fixed(p.Head.Mean, 2))
	} else {
		row = append(row, "", "", "", "", "", "", "")
	}
	fairness := ""
	if p.Fairness != nil {
		fairness = fixed(*p.Fairness, 4)
	}
	return append(row, fairness, p.state())
}

// rows are a point alone.
func (p *loadPoint) rows() [][]string {
	rows := [][]string{{"sources", itoa(p.Sources)}}
	if p.Accepted != nil {
		rows = append(rows,
			[]string{"offered flits per source and cycle", flitRate(*p.Offered)},
			[]string{"accepted flits per source and cycle", p.accepted()},
			[]string{"accepted of a source", flitRate(*p.Fewest) + " to " + flitRate(*p.Most)},
			[]string{"fairness", fixed(*p.Fairness, 4)},
			[]string{"packets", fmt.Sprint(p.Packets)})
	}
	if p.Undelivered > 0 {
		rows = append(rows, []string{"not delivered", fmt.Sprint(p.Undelivered) + " of the measured packets"})
	}
	if p.Lost > 0 {
		rows = append(rows, []string{"lost to faults", input.Count(p.Lost, "packet") + ", measured or not"})
	}
	for _, l := range []struct {
		name string
		of   *latencyReport
	}{
		{"packet latency", p.Packet}, {"network latency", p.Network}, {"head latency", p.Head},
		{"request latency", p.Request}, {"reply latency", p.ReplyLatency}, {"round trip", p.RoundTrip},
	} {
		if l.of != nil {
			rows = append(rows, []string{l.name, l.of.String()})
		}
	}
	if p.Links != nil {
		rows = append(rows, []string{"hottest link", p.Links.String()})
	}
	rows = append(rows,
		[]string{"warm-up, measurement, drain", fmt.Sprintf("%s, %s, %s cycles", fixed(p.WarmUp, 0), fixed(p.Measure, 0), fixed(p.Drain, 0))},
		[]string{"stable", p.state()})
	switch {
	case p.Why != "":
		rows = append(rows, []string{"because", p.Why})
	case p.Stable == nil && p.Packets > 0:
		rows = append(rows, []string{"because", "a run had no packet in its measurement: it needs a higher rate or more --cycles"})
	case p.Packets == 0:
		rows = append(rows, []string{"because", "no packet in the measurement: it needs a higher rate or more --cycles"})
	}
	return rows
}

// String has all figures of a distribution.
func (l *latencyReport) String() string {
	return fmt.Sprintf("mean %s, median %s, p95 %s, p99 %s, max %s", withHalf(l.Mean, l.MeanHalf, 2), percentile(l.Median, l.MedianHalf),
		percentile(l.P95, l.P95Half), percentile(l.P99, l.P99Half), percentile(l.Max, nil))
}

// inRow is a percentile without its interval.
func inRow(x float64, half *float64) string {
	if half != nil {
		return fixed(x, 0)
	}
	return percentile(x, nil)
}

// percentile writes a time that occurred, of which some end within a cycle, or the mean of several runs.
func percentile(x float64, half *float64) string {
	if half == nil && x != math.Trunc(x) {
		return strings.TrimRight(fixed(x, 2), "0")
	}
	return withHalf(x, half, 0)
}
