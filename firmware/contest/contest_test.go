// SPDX-License-Identifier: Apache-2.0

package contest_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/contest"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/router"
)

// plan is a plan whose time a test knows.
type plan struct {
	name      string
	time      router.Cycle
	estimate  contest.Estimate
	floor     router.Cycle
	fails     bool
	simulated *[]string
}

func (p *plan) Estimate() contest.Estimate { return p.estimate }

func (p *plan) Floor() router.Cycle { return p.floor }

func (p *plan) Simulate(ctx context.Context, limit router.Cycle) (router.Cycle, bool, error) {
	*p.simulated = append(*p.simulated, p.name)
	return min(p.time, limit+1), !p.fails, ctx.Err()
}

// exactly is a plan whose time is predicted, about one that has to be simulated.
func exactly(name string, time router.Cycle) *plan {
	return &plan{name: name, time: time, estimate: contest.Estimate{Least: time, Exact: true}}
}

func about(name string, time, least router.Cycle) *plan {
	return &plan{name: name, time: time, estimate: contest.Estimate{Least: least}}
}

// hold holds a contest and returns which plans it made and simulated, too.
func hold(t *testing.T, floor router.Cycle, tooLong []string, plans ...*plan) (best *plan, o *contest.Outcome, made, simulated []string) {
	t.Helper()
	var entries []contest.Entry[*plan]
	for _, p := range plans {
		p.floor, p.simulated = floor, &simulated
		entries = append(entries, contest.Entry[*plan]{Name: p.name, TooLong: slices.Contains(tooLong, p.name), Plan: func() (*plan, error) {
			made = append(made, p.name)
			return p, nil
		}})
	}
	best, o, err := contest.Run(t.Context(), entries, contest.Options{Keep: true})
	require.NoError(t, err)
	require.Equal(t, best.name, o.Weighed[0].Name)
	return best, o, made, simulated
}

func TestTheFirstOfTheFastestWins(t *testing.T) {
	best, o, _, simulated := hold(t, 1, nil, exactly("a", 9), exactly("b", 7), exactly("c", 7), about("d", 7, 0))
	require.Equal(t, "b", best.name)
	require.Equal(t, []string{"d"}, simulated)
	require.Equal(t, []contest.Weighed{{"b", 7, contest.Predicted}, {"c", 7, contest.Predicted}, {"a", 9, contest.Predicted}, {"d", 7, contest.Bounded}}, o.Weighed)
}

func TestAnEarlierEntryWinsATieWhenItIsSimulated(t *testing.T) {
	best, o, _, _ := hold(t, 7, nil, about("a", 7, 0), exactly("b", 7), exactly("c", 6))
	require.Equal(t, "a", best.name)
	require.True(t, o.AtFloor)
	require.Equal(t, []contest.Weighed{{"a", 7, contest.Simulated}, {"b", 7, contest.Predicted}}, o.Weighed)
}

func TestTheFloorEndsTheContest(t *testing.T) {
	best, o, made, simulated := hold(t, 5, nil, exactly("a", 9), exactly("b", 5), exactly("c", 5), about("d", 5, 0))
	require.Equal(t, "b", best.name)
	require.True(t, o.AtFloor)
	require.Equal(t, []string{"a", "b"}, made)
	require.Empty(t, simulated)
}

func TestWhoCannotWinIsNotSimulated(t *testing.T) {
	_, o, _, simulated := hold(t, 1, nil, exactly("a", 9), about("b", 12, 9), about("c", 8, 8))
	require.Equal(t, []string{"c"}, simulated)
	require.Equal(t, []contest.Weighed{{"c", 8, contest.Simulated}, {"a", 9, contest.Predicted}, {"b", 9, contest.Bounded}}, o.Weighed)
}

// TestTheMostPromisingIsSimulatedFirst: so that the others need not be.
func TestTheMostPromisingIsSimulatedFirst(t *testing.T) {
	best, o, _, simulated := hold(t, 1, nil, about("a", 9, 8), about("b", 7, 6))
	require.Equal(t, "b", best.name)
	require.Equal(t, []string{"b"}, simulated)
	require.Equal(t, []contest.Weighed{{"b", 7, contest.Simulated}, {"a", 8, contest.Bounded}}, o.Weighed)
}

func TestWhatFailsDoesNotWin(t *testing.T) {
	bad := about("a", 3, 0)
	bad.fails = true
	best, o, _, _ := hold(t, 1, nil, bad, about("b", 8, 0))
	require.Equal(t, "b", best.name)
	require.Len(t, o.Weighed, 1)
}

func TestWhatTakesTooLongIsForNeed(t *testing.T) {
	best, o, made, _ := hold(t, 1, []string{"a", "c"}, exactly("a", 3), exactly("b", 8), exactly("c", 2))
	require.Equal(t, "b", best.name)
	require.Equal(t, []string{"b"}, made)
	require.Equal(t, []contest.Weighed{{"b", 8, contest.Predicted}, {"a", 0, contest.LeftOut}, {"c", 0, contest.LeftOut}}, o.Weighed)
	best, o, made, _ = hold(t, 1, []string{"a", "c"}, exactly("a", 3), exactly("c", 2))
	require.Equal(t, "a", best.name)
	require.Equal(t, []string{"a"}, made)
	require.Equal(t, []contest.Weighed{{"a", 3, contest.Predicted}, {"c", 0, contest.LeftOut}}, o.Weighed)
}

// Searches are behind the other costly plans, whatever their times could be, and those that cannot win are left out.
func TestSearchesAreMadeLast(t *testing.T) {
	var made []string
	entry := func(name string, least, time router.Cycle, searches bool) contest.Entry[*plan] {
		e := contest.Entry[*plan]{Name: name, Searches: searches, Plan: func() (*plan, error) {
			made = append(made, name)
			return exactly(name, time), nil
		}}
		if least > 0 {
			e.Least = func() router.Cycle { return least }
		}
		return e
	}
	best, o, err := contest.Run(t.Context(), []contest.Entry[*plan]{
		entry("search", 1, 7, true), entry("late search", 9, 9, true), entry("slow", 5, 8, false), entry("quick", 4, 12, false), entry("cheap", 0, 20, false),
	}, contest.Options{})
	require.NoError(t, err)
	require.Equal(t, "search", best.name)
	require.Equal(t, []string{"cheap", "quick", "slow", "search"}, made)
	require.Equal(t, contest.Weighed{"late search", 9, contest.Bounded}, o.Weighed[4])
}

func TestWhoDoesNotFitIsNotListed(t *testing.T) {
	unfit := func(name string) contest.Entry[*plan] {
		return contest.Entry[*plan]{Name: name, Plan: func() (*plan, error) { return nil, input.Errorf("", "%s is no use", name) }}
	}
	good := contest.Entry[*plan]{Name: "c", Plan: func() (*plan, error) { return exactly("c", 4), nil }}
	_, o, err := contest.Run(t.Context(), []contest.Entry[*plan]{unfit("a"), unfit("b"), good}, contest.Options{})
	require.NoError(t, err)
	require.Equal(t, []contest.Weighed{{"c", 4, contest.Predicted}}, o.Weighed)
	_, _, err = contest.Run(t.Context(), []contest.Entry[*plan]{unfit("a"), unfit("b")}, contest.Options{})
	require.EqualError(t, err, "a is no use")
	huge := contest.Entry[*plan]{Name: "e", Plan: func() (*plan, error) { return nil, &memory.TooLarge{} }}
	_, o, err = contest.Run(t.Context(), []contest.Entry[*plan]{huge, unfit("a"), good}, contest.Options{})
	require.NoError(t, err)
	require.Equal(t, []contest.Weighed{{"c", 4, contest.Predicted}, {"e", 0, contest.TooLarge}}, o.Weighed)
	_, _, err = contest.Run(t.Context(), []contest.Entry[*plan]{unfit("a"), huge}, contest.Options{})
	require.ErrorAs(t, err, new(*memory.TooLarge))
	broken := contest.Entry[*plan]{Name: "d", Plan: func() (*plan, error) { return nil, errors.New("broken") }}
	_, _, err = contest.Run(t.Context(), []contest.Entry[*plan]{good, broken}, contest.Options{})
	require.EqualError(t, err, "broken")
}

// TestTheOnlyOneIsNotSimulated: also when all others take too long.
func TestTheOnlyOneIsNotSimulated(t *testing.T) {
	_, o, _, simulated := hold(t, 1, nil, about("a", 9, 0))
	require.Empty(t, simulated)
	require.Equal(t, []contest.Weighed{{"a", 0, contest.Only}}, o.Weighed)
	_, o, _, simulated = hold(t, 1, []string{"a", "b"}, about("a", 9, 0), about("b", 8, 0))
	require.Empty(t, simulated)
	require.Equal(t, []contest.Weighed{{"a", 0, contest.Only}, {"b", 0, contest.LeftOut}}, o.Weighed)
	_, o, _, simulated = hold(t, 1, []string{"b"}, about("a", 9, 0), about("b", 8, 0))
	require.Empty(t, simulated)
	require.Equal(t, []contest.Weighed{{"a", 0, contest.Only}, {"b", 0, contest.LeftOut}}, o.Weighed)
}

func TestAContestEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	good := contest.Entry[*plan]{Name: "a", Plan: func() (*plan, error) { cancel(); return exactly("a", 4), nil }}
	_, _, err := contest.Run(ctx, []contest.Entry[*plan]{good, good}, contest.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestWhatIsCostlyComesLast: it is planned when it can still win, even by a tie.
func TestWhatIsCostlyComesLast(t *testing.T) {
	for _, row := range []struct {
		costly, others router.Cycle
		made           []string
	}{{4, 9, []string{"b", "a"}}, {9, 9, []string{"b", "a"}}, {10, 9, []string{"b"}}, {4, 2, []string{"b"}}} {
		var made, simulated []string
		var entries []contest.Entry[*plan]
		for _, p := range []*plan{exactly("a", row.costly), about("b", row.others, 0)} {
			p.floor, p.simulated = 2, &simulated
			e := contest.Entry[*plan]{Name: p.name, Plan: func() (*plan, error) { made = append(made, p.name); return p, nil }}
			if p.name == "a" {
				e.Least = func() router.Cycle { return row.costly }
			}
			entries = append(entries, e)
		}
		best, _, err := contest.Run(t.Context(), entries, contest.Options{Keep: true})
		require.NoError(t, err)
		require.Equal(t, min(row.costly, row.others), best.time)
		require.Equal(t, row.made, made)
		require.Equal(t, []string{"b"}, simulated)
	}
}

// TestNoEntryIsFaster: whatever is known of the plans, the first of the fastest
// wins, kept or made again.
func TestNoEntryIsFaster(t *testing.T) {
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 4))
		floor := 1 + router.Cycle(random.IntN(4))
		var plans []*plan
		var entries []contest.Entry[*plan]
		var simulated []string
		first := -1
		for i := range 1 + random.IntN(6) {
			time := floor + router.Cycle(random.IntN(6))
			p := exactly(string(rune('a'+i)), time)
			if random.IntN(2) == 0 {
				p = about(p.name, time, router.Cycle(random.IntN(int(time)+1)))
			}
			p.floor, p.simulated, p.fails = floor, &simulated, !p.estimate.Exact && random.IntN(4) == 0
			plans = append(plans, p)
			entries = append(entries, contest.Entry[*plan]{Name: p.name, Plan: func() (*plan, error) { return p, nil }})
			if !p.fails && (first < 0 || time < plans[first].time) {
				first = i
			}
		}
		best, o, err := contest.Run(t.Context(), entries, contest.Options{Keep: seed%2 == 0})
		require.NoError(t, err)
		if first < 0 || o.Weighed[0].How == contest.Only { // all fail: one is returned, for its run to show why
			require.NotNil(t, best)
			continue
		}
		require.Equal(t, plans[first].name, best.name, "seed %d: %v", seed, o)
		require.Equal(t, best.time, o.Weighed[0].Cycles)
		require.LessOrEqual(t, len(simulated), len(plans))
	}
}
