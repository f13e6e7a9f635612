package simulation

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// World describes what happens. Chances are 0–1.
type World struct {
	Memories, Topics, Days, Sessions, Agents int // Sessions is for a day

	Feedback float64 // chance that an agent says whether a memory that it saw helped
	Outcomes float64 // chance that the outcome of a session is known
	Helps    float64 // chance that a good memory helps
	Misleads float64 // chance that a bad memory helps all the same
	Luck     float64 // part of a session's success that has nothing to do with memories, and succeeds in 7 of 10
	Hostile  int     // agents that always say the opposite
	Learning confidence.Learning
}

// Sparse is the world of the documents: 200 memories, 90 days, feedback about one in
// twenty memories shown. Of a topic's five memories, each is good or bad by chance.
func Sparse() World {
	return World{
		Memories: 200, Topics: 40, Days: 90, Sessions: 40, Agents: 8,
		Feedback: 0.05, Outcomes: 0.5, Helps: 0.85, Misleads: 0.25, Luck: 0.4, Learning: confidence.LearnPresent,
	}
}

const (
	shown = 3 // memories in an answer
	// confidenceShare is that of search, see search.Options.
	confidenceShare = 0.5
	// minConfidence is that of search: less is not shown.
	minConfidence = 0.5
)

// Day is the state at the end of a day.
type Day struct {
	Good, Bad [3]float64 // confidence: 10th percentile, mean, 90th percentile
	AUC       float64
}

// Result is what came of a world.
type Result struct {
	Days    []Day
	AUC     float64 // chance that a good memory has more confidence than a bad one
	Shown   float64 // share of good memories among those shown in the last 30 days
	Weights confidence.Weights
	// Pruned counts the good and the bad memories that would be archived.
	PrunedGood, PrunedBad int
}

// Run plays the world.
func Run(w World, seed uint64) Result {
	s := &play{World: w, random: rand.New(rand.NewPCG(seed, 1)), config: confidence.DefaultConfig(), weights: confidence.PriorWeights("project:sim")}
	s.config.Learning = w.Learning
	for i := range w.Memories {
		s.worth = append(s.worth, s.random.IntN(2) == 0)
		initial := []float64{0.6, 0.7, 0.8}[s.random.IntN(3)]
		s.ledgers = append(s.ledgers, &confidence.Ledger{Memory: memory.Memory{
			ID: fmt.Sprint("mem_", i), Scope: "project:sim", State: memory.StateActive, Confidence: initial,
		}})
	}
	var r Result
	for day := range w.Days {
		s.now = time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC).AddDate(0, 0, day)
		for range w.Sessions {
			s.session(day)
		}
		s.upkeep()
		r.Days = append(r.Days, s.measure())
	}
	r.AUC, r.Weights = r.Days[len(r.Days)-1].AUC, confidence.ComputeWeights(s.weights)
	r.Shown = float64(s.seenGood) / float64(max(s.seen, 1))
	for i, l := range s.ledgers {
		switch {
		case !s.config.Prunable(l):
		case s.good(i):
			r.PrunedGood++
		default:
			r.PrunedBad++
		}
	}
	return r
}

// play is a world in the course of its days.
type play struct {
	World
	random         *rand.Rand
	config         confidence.Config
	worth          []bool // of each memory; no part of the product sees it
	ledgers        []*confidence.Ledger
	weights        memory.ProjectWeights
	now            time.Time
	sessions       int
	seen, seenGood int // in the last 30 days
}

func (s *play) good(i int) bool { return s.worth[i] }

func (s *play) helps(i int) float64 {
	if s.good(i) {
		return s.Helps
	}
	return s.Misleads
}

// session is the work of one agent on one topic.
func (s *play) session(day int) {
	s.sessions++
	s.now = s.now.Add(8 * time.Minute)
	agent := s.random.IntN(s.Agents)
	topic := s.random.IntN(s.Topics)
	type hit struct {
		at    int
		score float64
	}
	var hits []hit
	of := len(s.ledgers) / s.Topics
	for i := topic * of; i < (topic+1)*of; i++ {
		c := s.ledgers[i].Memory.Confidence
		text := 0.7 + 0.3*s.random.Float64() // how well its text answers
		if c >= minConfidence {
			hits = append(hits, hit{i, text * (1 - confidenceShare*(1-c))})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), a.at-b.at) })
	hits = hits[:min(shown, len(hits))]
	success := 0.0
	for _, h := range hits {
		success += s.helps(h.at) / float64(len(hits))
		s.say(h.at, agent, memory.SignalUsage, true, 1)
		if day >= s.Days-30 {
			s.seen++
			if s.good(h.at) {
				s.seenGood++
			}
		}
	}
	for _, h := range hits {
		if s.random.Float64() < s.Feedback {
			helped := s.random.Float64() < s.helps(h.at)
			s.say(h.at, agent, memory.SignalExplicit, helped != (agent < s.Hostile), 1)
		}
	}
	if s.random.Float64() < s.Outcomes {
		succeeded := s.random.Float64() < 0.7*s.Luck+(1-s.Luck)*success
		for _, h := range hits {
			s.say(h.at, agent, memory.SignalOutcome, succeeded != (agent < s.Hostile), confidence.ImpliedShare)
		}
	}
}

func (s *play) say(i, agent int, kind memory.SignalType, positive bool, share float64) {
	l := s.ledgers[i]
	l.Weights = s.weights
	r := confidence.Recorder{Config: s.config, NewID: func(string) string { return "" }}
	r.Record(l, confidence.Observation{
		Type: kind, Positive: positive, Share: share, Session: fmt.Sprint("s", s.sessions), At: s.now,
		Who: memory.Principal{ID: fmt.Sprint("agent ", agent), Highest: memory.OriginAgent},
	})
	s.weights = l.Weights
}

// upkeep is the daily one.
func (s *play) upkeep() {
	for _, l := range s.ledgers {
		n := 0
		for n < len(l.Given) && s.now.Sub(l.Given[n].At) > confidence.Window {
			n++
		}
		l.State = l.State.RollUp(l.Given[:n], s.now)
		l.Given = slices.Delete(l.Given, 0, n)
		l.Weights = s.weights
		r := confidence.Recorder{Config: s.config}
		r.Refresh(l, s.now)
	}
}

func (s *play) measure() Day {
	var good, bad []float64
	for i, l := range s.ledgers {
		if s.good(i) {
			good = append(good, l.Memory.Confidence)
		} else {
			bad = append(bad, l.Memory.Confidence)
		}
	}
	return Day{Good: spread(good), Bad: spread(bad), AUC: AUC(good, bad)}
}

// AUC returns the chance that one of good is greater than one of bad; equal ones count
// half.
func AUC(good, bad []float64) float64 {
	sum := 0.0
	for _, g := range good {
		for _, b := range bad {
			switch {
			case g > b:
				sum++
			case g == b:
				sum += 0.5
			}
		}
	}
	return sum / float64(len(good)*len(bad))
}

func spread(list []float64) [3]float64 {
	sorted := slices.Sorted(slices.Values(list))
	mean := 0.0
	for _, x := range sorted {
		mean += x / float64(len(sorted))
	}
	return [3]float64{sorted[len(sorted)/10], mean, sorted[len(sorted)*9/10]}
}
