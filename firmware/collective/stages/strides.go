// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"fmt"
	"slices"
	"strings"

	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Strides is an all-gather on rings and tori in which all nodes do the same. In a round
// every node sends all words that it knows to the nodes one stride away on both sides of
// it along an axis. Then it passes on the words that it received, stride by stride, until
// it knows the words of Factor nodes at that distance. Then the stride is divided by the
// next factor. The long strides come first, when messages are short. A round with factor a
// from stride n/m to n/(m·a) carries m blocks over n/(m·a) links ⌊a/2⌋ times, so it takes
//
//	⌊a/2⌋ startups and (a-1)/2 · n/a blocks' time on the links
//
// whatever m is. If all factors are 3, a ring of n = 3^k nodes takes k(r + n/3), while
// concentrating and spreading takes 2kr and more. One round with a = n is approach 2. In
// the last message of a round with an even a, half of each block goes to either side. In d
// dimensions the rounds of the axes take turns; in d colours (parts of each block) all
// axes work at the same time.
//
// A message over D links keeps other messages off these links, so the D messages that
// cross the same link go one after the other. The nodes start in the order in which they
// stand, upstream first, each when its neighbour's worm has passed. Then the links are
// idle only during the startups. With Buckets of B > 1, the nodes whose positions are b
// modulo B start together, delayed by b B-ths of the step. While the worms of one bucket
// are on the links, the next bucket is in its startup. A node has the words that it needs
// for its next step B-1 buckets before its turn. By the timetable no two worms ever meet.
//
// On tori of unequal sides, axes that take turns have to wait for each other: see [Legs].
type Strides struct {
	Buckets int        // divides the sides of all rings
	Axes    [][]Stride // rounds by axis
}

// Stride is a round: every node gets the words of Factor-1 other nodes, at multiples of
// Distance.
type Stride struct{ Factor, Distance int }

// String lists the rounds of every axis, factors and strides, once for equal axes; and the
// buckets if there are several.
func (s Strides) String() string {
	var axes []string
	for _, rounds := range s.Axes {
		axes = append(axes, roundsText(rounds))
	}
	text := strings.Join(slices.Compact(axes), "; ")
	if s.Buckets > 1 {
		text += fmt.Sprintf("; %d buckets", s.Buckets)
	}
	return "(" + text + ")"
}

func roundsText(rounds []Stride) string {
	var list []string
	for _, r := range rounds {
		list = append(list, fmt.Sprintf("%d·%d", r.Factor, r.Distance))
	}
	return strings.Join(list, " ")
}

// right and left are the ways along an axis.
const (
	right = iota
	left
)

// axisStep is one step along an axis: which offsets (own place less the block's)
// a node gets, by half of the blocks and way.
type axisStep struct {
	distance int
	news     [2][2][]int
}

// axisPlan is the rounds along one axis.
type axisPlan struct {
	Axis
	rounds [][]axisStep
	known  [][2][]int // by round, before it, and after the last: offsets by half
}

// halves tells whether blocks are cut in two, which even factors ask for.
func (s Strides) halves() int {
	for _, rounds := range s.Axes {
		for _, r := range rounds {
			if r.Factor%2 == 0 {
				return 2
			}
		}
	}
	return 1
}

// axisPlans works out the messages along each axis. Its error is an *input.Error.
func (s Strides) axisPlans(g Grid) ([]*axisPlan, error) {
	if len(s.Axes) != len(g) {
		return nil, input.Errorf("expected one for each dimension of more than one node", "strides for %s", input.Count(len(s.Axes), "dimension"))
	}
	var list []*axisPlan
	for i, a := range g {
		if !a.Ring && a.Size > 2 {
			return nil, input.Errorf("expected rings and tori", "strides along a path of %d nodes", a.Size)
		}
		if a.Ring && (s.Buckets < 1 || a.Size%s.Buckets != 0) {
			return nil, input.Errorf("expected a number that divides all sides", "%s on a side of %d", input.Count(s.Buckets, "bucket"), a.Size)
		}
		c := newAxisPlan(a)
		for _, r := range s.Axes[i] {
			if a.Ring && (r.Factor < 2 || r.Distance < 1 || 2*r.Distance >= a.Size) || !a.Ring && r != (Stride{2, 1}) {
				return nil, input.Errorf("expected a factor of at least 2, and less than half a ring", "factor %d with a stride of %d round %d nodes", r.Factor, r.Distance, a.Size)
			}
			c.add(r)
		}
		if last := c.known[len(c.known)-1]; len(last[0]) < a.Size {
			return nil, input.Errorf("expected all of them", "strides that reach %d of %d places", len(last[0]), a.Size)
		}
		list = append(list, c)
	}
	return list, nil
}

func newAxisPlan(a Axis) *axisPlan {
	return &axisPlan{Axis: a, known: [][2][]int{{{0}, {0}}}}
}

// add enters a round.
func (c *axisPlan) add(r Stride) {
	before := c.known[len(c.known)-1]
	axisSteps := make([]axisStep, r.Factor/2)
	after := before
	for half := range before {
		reach := [2]int{r.Factor / 2, (r.Factor - 1) / 2}
		if half == 1 {
			reach[right], reach[left] = reach[left], reach[right]
		}
		if !c.Ring {
			reach = [2]int{1, 1}
		}
		have := make([]bool, c.Size)
		for _, o := range before[half] {
			have[o] = true
		}
		for i := range axisSteps {
			axisSteps[i].distance = r.Distance
			fresh := have
			if !c.Ring {
				fresh = append([]bool(nil), have...) // either way is for another node
			}
			for way, sign := range [2]int{1, -1} {
				if i >= reach[way] {
					continue
				}
				for _, o := range before[half] {
					if o = c.wrap(o + sign*(i+1)*r.Distance); !fresh[o] {
						axisSteps[i].news[half][way] = append(axisSteps[i].news[half][way], o)
						if c.Ring {
							fresh[o] = true
						}
					}
				}
			}
		}
		var list []int
		for _, b := range axisSteps {
			for way := range b.news[half] {
				for _, o := range b.news[half][way] {
					have[o] = true
				}
			}
		}
		for o, is := range have {
			if is {
				list = append(list, o)
			}
		}
		after[half] = list
	}
	c.rounds = append(c.rounds, axisSteps)
	c.known = append(c.known, after)
}

// round returns the axisSteps of a round, none behind the last.
func (c *axisPlan) round(level int) []axisStep {
	if level < len(c.rounds) {
		return c.rounds[level]
	}
	return nil
}

// knownAt returns the offsets that are known before a round.
func (c *axisPlan) knownAt(level, half int) []int {
	return c.known[min(level, len(c.known)-1)][half]
}

// jointStep is one step of all colours.
type jointStep struct {
	level, turn int
	axisSteps   []*axisStep // by colour; nil: it rests
	span        span
}

// span is how a step lies in time.
type span struct {
	buckets int
	base    router.Cycle   // start of the first bucket
	width   router.Cycle   // of a bucket
	between []router.Cycle // by colour: from one start in a bucket to the next
}

// stridesPlan is a Strides at work: a colour for every axis.
type stridesPlan struct {
	Strides
	grid      Grid
	axisPlans []*axisPlan
	steps     []jointStep
}

func (s Strides) plan(g Grid) (*stridesPlan, error) {
	axisPlans, err := s.axisPlans(g)
	if err != nil {
		return nil, err
	}
	m := &stridesPlan{Strides: s, grid: g, axisPlans: axisPlans}
	levels := 0
	for _, c := range axisPlans {
		levels = max(levels, len(c.rounds))
	}
	for level := range levels {
		for turn := range g {
			for i, more := 0, true; more; i++ {
				t := jointStep{level: level, turn: turn, axisSteps: make([]*axisStep, len(g))}
				more = false
				for colour := range g {
					if axisSteps := axisPlans[m.axis(turn, colour)].round(level); i < len(axisSteps) {
						t.axisSteps[colour], more = &axisSteps[i], true
					}
				}
				if more {
					m.steps = append(m.steps, t)
				}
			}
		}
	}
	return m, nil
}

// axis is the one along which a colour goes in a turn.
func (m *stridesPlan) axis(turn, colour int) int { return (turn + colour) % len(m.grid) }

// offsets returns, along every axis, the offsets of the blocks that a message of a jointStep
// brings.
func (m *stridesPlan) offsets(t *jointStep, colour, half, way int) [][]int {
	axis := m.axis(t.turn, colour)
	list := make([][]int, len(m.grid))
	for a, c := range m.axisPlans {
		turn := (a - colour + len(m.grid)) % len(m.grid) // in which the colour goes along a
		level := t.level
		if turn < t.turn {
			level++
		}
		list[a] = c.knownAt(level, half)
	}
	list[axis] = t.axisSteps[colour].news[half][way]
	return list
}

// part returns the share of half a colour in a block of so many words.
func (m *stridesPlan) part(words, colour, half int) (from, to int) {
	i, of := colour*m.halves()+half, len(m.grid)*m.halves()
	return words * i / of, words * (i + 1) / of
}

// words is the size of the largest message of a colour, for equal blocks.
func (m *stridesPlan) words(t *jointStep, colour, words int) int {
	most := 0
	for way := range 2 {
		sum := 0
		for half := range m.halves() {
			from, to := m.part(words, colour, half)
			blocks := 1
			for _, o := range m.offsets(t, colour, half, way) {
				blocks *= len(o)
			}
			sum += blocks * (to - from)
		}
		most = max(most, sum)
	}
	return most
}

// List returns the transfers for blocks of the given lengths, with the cycles
// in which they start. Errors are *input.Error.
func (s Strides) List(g Grid, lengths []int, p Pace) (*transfer.List, error) {
	l := &transfer.List{Nodes: len(lengths)}
	if err := g.check(lengths, 1); err != nil || len(g) == 0 {
		return l, err
	}
	m, err := s.plan(g)
	if err != nil {
		return nil, err
	}
	w := newWriter(m, lengths)
	w.fill()
	m.pace(p, func(t *jointStep, colour int) int { return w.largest[t][colour] })
	for i := range w.groups {
		w.start(&w.groups[i])
	}
	l.Transfers = w.list
	return l, nil
}

// Time is the time of the operation for blocks of so many words each, exactly.
// Errors are *input.Error.
func (s Strides) Time(g Grid, words int, p Pace) (router.Cycle, error) {
	if len(g) == 0 || words == 0 {
		return 0, nil
	}
	m, err := s.plan(g)
	if err != nil {
		return 0, err
	}
	return m.pace(p, func(t *jointStep, colour int) int { return m.words(t, colour, words) }), nil
}
