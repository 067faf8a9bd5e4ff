// SPDX-License-Identifier: Apache-2.0

package listed

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Message is a message whose words are known.
type Message struct {
	From, To router.NodeID
	Words    int
	Route    []router.Port
	After    []int32 // the messages that have to be whole at its sender before it is handed over
}

// Times are the times of the messages of a list.
type Times struct {
	Handed, Whole []router.Cycle // by message
	Cycles        router.Cycle
}

// List is messages that get times.
type List struct {
	Messages []Message
	Work     int // that has been done: resources looked at

	topology *topology.Topology
	machine  machine.Machine
	waiting  [][]int32 // by message: those that wait for it
	random   *rand.Rand
}

// New returns a list. A message comes behind those for which it waits. The machine is resolved, and does not switch packets.
func New(t *topology.Topology, m machine.Machine, messages []Message, seed uint64) *List {
	l := &List{Messages: messages, topology: t, machine: m, waiting: make([][]int32, len(messages)), random: rand.New(rand.NewPCG(seed, 0x6c697374))}
	for i := range messages {
		for _, before := range messages[i].After {
			l.waiting[before] = append(l.waiting[before], int32(i))
		}
	}
	return l
}

// InOrder gives the messages times in an order, each the earliest. A message comes behind those for which it waits.
func (l *List) InOrder(order []int32) *Times {
	return l.place(booking.NewBook(l.topology, l.machine).Stalling(), order, func(i int32) []int32 { return l.Messages[i].After })
}

// fromTheEnd gives them times backwards, each the latest. A message comes behind those that wait for it.
func (l *List) fromTheEnd(order []int32) *Times {
	t := l.place(booking.NewBackwards(l.topology, l.machine).Stalling(), order, func(i int32) []int32 { return l.waiting[i] })
	for i := range t.Handed {
		t.Handed[i], t.Whole[i] = t.Cycles-1-t.Whole[i], t.Cycles-1-t.Handed[i]
	}
	return t
}

func (l *List) place(b *booking.Book, order []int32, behind func(i int32) []int32) *Times {
	t := l.newTimes()
	for _, i := range order {
		m, from := &l.Messages[i], router.Cycle(0)
		for _, before := range behind(i) {
			from = max(from, t.Whole[before])
		}
		t.Handed[i], t.Whole[i] = b.Reserve(m.From, m.Route, m.Words, from)
		t.Cycles = max(t.Cycles, t.Whole[i]+1)
		l.Work += l.effort(m)
	}
	return t
}

// effort is the work of finding a time for a message: its resources, which are the more crowded the more messages there are.
func (l *List) effort(m *Message) int { return (3 + len(m.Route)) * (1 + len(l.Messages)/crowd) }

// crowd is the number of messages that double the work for each.
const crowd = 1024

func (l *List) newTimes() *Times {
	both := make([]router.Cycle, 2*len(l.Messages))
	return &Times{Handed: both[:len(l.Messages)], Whole: both[len(l.Messages):]}
}

// Tighten goes backwards and forwards as long as that helps, but not more than so many times. It returns the fastest times, at the slowest the given ones.
func (l *List) Tighten(t *Times, rounds int) *Times {
	best := t
	for range rounds {
		late := l.fromTheEnd(l.lastFirst(t))
		early := l.InOrder(l.firstFirst(late))
		best = faster(faster(best, late), early)
		if early.Cycles >= t.Cycles {
			break
		}
		t = early
	}
	return best
}

// faster returns the faster of two, the first if they take as long.
func faster(a, b *Times) *Times {
	if b.Cycles < a.Cycles {
		return b
	}
	return a
}

// firstFirst orders messages by the time at which they are handed over, lastFirst by the time at which they are whole, from the end.
func (l *List) firstFirst(t *Times) []int32 {
	return l.sorted(func(a, b int32) int { return cmp.Compare(t.Handed[a], t.Handed[b]) })
}

func (l *List) lastFirst(t *Times) []int32 {
	return l.sorted(func(a, b int32) int { return cmp.Compare(t.Whole[b], t.Whole[a]) })
}

func (l *List) sorted(compare func(a, b int32) int) []int32 {
	order := make([]int32, len(l.Messages))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, compare)
	return order
}

// Limits end a search for better times.
type Limits struct {
	Least router.Cycle // no times are better
	Work  int          // may be done
	Ended func() bool  // the search is over
}

// strengths are by how much messages are moved in an order, as parts of the time.
var strengths = [...]float64{0.02, 0.05, 0.1, 0.2}

// shares are the parts of the messages that are moved.
var shares = [...]float64{0.05, 0.2, 1}

// Shake looks for better times: it moves some messages in the order in which they go, forwards or from the end, and tightens what comes out. It goes on with times that are
// as good as those before, or a little slower at first.
func (l *List) Shake(best *Times, to Limits) *Times {
	now := best
	for start := l.Work; l.Work-start < to.Work && best.Cycles > to.Least && !to.Ended(); {
		strength, share := strengths[l.random.IntN(len(strengths))]*float64(now.Cycles), shares[l.random.IntN(len(shares))]
		t := now
		if l.random.IntN(2) == 0 {
			t = l.fromTheEnd(l.moved(now.Whole, -1, share, strength, func(i int32) []int32 { return l.waiting[i] }))
		} else {
			t = l.InOrder(l.moved(now.Handed, 1, share, strength, func(i int32) []int32 { return l.Messages[i].After }))
			t = faster(l.fromTheEnd(l.lastFirst(t)), t)
		}
		t = faster(l.InOrder(l.firstFirst(t)), t)
		left := 1 - float64(l.Work-start)/float64(to.Work)
		if float64(t.Cycles) <= float64(now.Cycles)*(1+slack*left) && float64(t.Cycles) <= float64(best.Cycles)*(1+2*slack*left) {
			now = t
		}
		best = faster(best, t)
	}
	return best
}

// slack is by how much slower times may be, as a part, when the work begins.
const slack = 0.005

// moved sorts messages by times, forwards or backwards, of which some are changed at random by up to strength. No message comes before those behind which it has to be.
func (l *List) moved(at []router.Cycle, sign, share, strength float64, behind func(i int32) []int32) []int32 {
	key := make([]float64, len(at))
	for i := range key {
		key[i] = sign * float64(at[i])
		if l.random.Float64() < share {
			key[i] += (2*l.random.Float64() - 1) * strength
		}
	}
	order := make([]int32, 0, len(at))
	put := make([]bool, len(at))
	var add func(i int32)
	add = func(i int32) {
		if put[i] {
			return
		}
		put[i] = true
		for _, before := range behind(i) {
			add(before)
		}
		order = append(order, i)
	}
	for _, i := range l.sorted(func(a, b int32) int { return cmp.Compare(key[a], key[b]) }) {
		add(i)
	}
	return order
}
