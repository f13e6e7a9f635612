package topic_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// S2.18, S2.25: nine memories are refused with their number, ten are enough.
func TestS2_18MemoryCount(t *testing.T) {
	t.Parallel()
	for n, accepted := range map[int]bool{0: false, 7: false, 9: false, 10: true, 11: true} {
		c := corpus(n)
		_, err := topic.Decide(c, request(c, good))
		if n >= 10 != accepted {
			t.Fatal("the table is wrong")
		}
		switch {
		case accepted && n < len(statements) && errors.Is(err, topic.ErrRefused) && strings.Contains(err.Error(), "memories, at least 10"):
			t.Errorf("%d memories: %v", n, err)
		case !accepted && (!errors.Is(err, topic.ErrRefused) || !strings.Contains(err.Error(), `the topic "auth" has `+strconv.Itoa(n)+" memories")):
			t.Errorf("%d memories: %v", n, err)
		}
	}
	c := corpus(12)
	if d, err := topic.Decide(c, request(c, good)); err != nil || d.Content != good || len(d.Notes) != 0 {
		t.Errorf("a good summary: %+v, %v", d, err)
	}
}

// S2.19: 796 characters are 199 tokens and refused; 797 are 200 by rounding up, and so
// are 800 (D27).
func TestS2_19Tokens(t *testing.T) {
	t.Parallel()
	for characters, want := range map[int]int{0: 0, 1: 1, 4: 1, 5: 2, 796: 199, 797: 200, 800: 200, 801: 201} {
		if got := topic.Tokens(strings.Repeat("ü", characters)); got != want {
			t.Errorf("%d characters are %d tokens, want %d", characters, got, want)
		}
	}
	for characters, accepted := range map[int]bool{600: false, 796: false, 797: true, 800: true, 16_000: true, 16_001: false} {
		c := corpus(12)
		_, err := topic.Decide(c, request(c, sized(characters)))
		if (err == nil) != accepted {
			t.Errorf("%d characters: %v", characters, err)
		}
		if characters == 796 && !strings.Contains(err.Error(), "199 tokens") {
			t.Errorf("the refusal does not say the count: %v", err)
		}
	}
}

// S2.9, S2.10, S2.11, D18: 19 % of change is silent, 20 % warns, both ways; without a
// footer a summary is stale.
func TestS2_10Staleness(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		count, live int
		stale       bool
	}{
		{100, 100, false}, {100, 119, false}, {100, 120, true}, {100, 81, false}, {100, 80, true}, {100, 0, true},
		{10, 11, false}, {10, 12, true}, {10, 9, false}, {10, 8, true}, {11, 13, false}, {11, 14, true}, {21, 25, false}, {21, 26, true},
		{0, 0, false}, {0, 1, true}, {1, 1, false}, {4, 4, false}, {4, 5, true},
	} {
		if got := topic.Stale(tt.count, tt.live); got != tt.stale {
			t.Errorf("written from %d, now %d: stale %v", tt.count, tt.live, got)
		}
	}
	m := summary("mem_s", good, now, 40)
	if w := topic.Warning(&m, 47); w != "" {
		t.Errorf("17.5 %% warns: %s", w)
	}
	for _, want := range []string{"had 40 memories", "now has 48", "(+8)", "memory_consolidate"} { // S2.11
		if w := topic.Warning(&m, 48); !strings.Contains(w, want) {
			t.Errorf("the warning lacks %q: %s", want, w)
		}
	}
	if w := topic.Warning(&m, 30); !strings.Contains(w, "now has 30 (-10)") {
		t.Errorf("of a topic that shrank: %q", w)
	}
	if f := topic.Footer(&m); !strings.Contains(f, "2026-11-23") || !strings.Contains(f, "40 memories") {
		t.Errorf("footer %q", f)
	}
	bare := summary("mem_s", good, time.Time{}, 0) // S2.29
	if topic.Footer(&bare) != "" || !strings.Contains(topic.Warning(&bare, 40), "may be out of date") {
		t.Errorf("without a footer: %q, %q", topic.Footer(&bare), topic.Warning(&bare, 40))
	}
}

// D17, S2.14–S2.16: what is missing is named; with 20 read of 25 it suffices, and with
// twelve all twelve must be read.
func TestD17Protocol(t *testing.T) {
	t.Parallel()
	c := corpus(25)
	current := summary("mem_s", "Auth is what the shop asks of its visitors.", now.Add(-time.Hour), 20)
	c.Current = &current
	read := func(n int, more ...string) map[string]bool {
		m := map[string]bool{}
		for _, x := range c.Members[:n] {
			m[x.ID] = true
		}
		for _, id := range more {
			m[id] = true
		}
		return m
	}
	deep := []topic.Searched{{Words: topic.Words("What do we know about Auth tokens?")}}
	for name, tt := range map[string]struct {
		research topic.Research
		missing  []string // in the refusal; none: accepted
		no       []string
	}{
		"nothing":        {topic.Research{}, []string{"depth deep", "read 20 more of its 25", "mem_s", "mem_00"}, nil},
		"no deep search": {topic.Research{Read: read(20, "mem_s")}, []string{"depth deep"}, []string{"more of its"}},
		"another topic":  {topic.Research{Deep: []topic.Searched{{Topic: "billing", Words: []string{"billing"}}}, Read: read(20, "mem_s")}, []string{"depth deep"}, nil},
		"19 read":        {topic.Research{Deep: deep, Read: read(19, "mem_s")}, []string{"read 1 more", "19 of 20"}, []string{"depth deep"}},
		"20 of others":   {topic.Research{Deep: deep, Read: map[string]bool{"mem_s": true, "mem_x": true}}, []string{"read 20 more"}, nil},
		"summary unread": {topic.Research{Deep: deep, Read: read(25)}, []string{"present summary mem_s"}, []string{"more of its"}},
		"all done":       {topic.Research{Deep: deep, Read: read(20, "mem_s")}, nil, nil},
	} {
		r := request(c, good)
		r.Research = &tt.research
		_, err := topic.Decide(c, r)
		if (err == nil) != (tt.missing == nil) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range tt.missing {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the refusal lacks %q: %v", name, want, err)
			}
		}
		for _, not := range tt.no {
			if strings.Contains(err.Error(), not) {
				t.Errorf("%s: the refusal asks for %q: %v", name, not, err)
			}
		}
		// summary.protocol: warn stores it and says the same.
		r.Protocol = topic.Warn
		d, err := topic.Decide(c, r)
		if err != nil || (len(d.Notes) == 0) != (tt.missing == nil) {
			t.Errorf("%s, only warned: %v, %v", name, d.Notes, err)
		}
	}
	c = corpus(12)
	r := request(c, good)
	r.Research = &topic.Research{Deep: deep, Read: read(11)}
	if _, err := topic.Decide(c, r); err == nil || !strings.Contains(err.Error(), "11 of 12") {
		t.Errorf("eleven of twelve: %v", err)
	}
	r.Research.Read = read(12)
	if _, err := topic.Decide(c, r); err != nil {
		t.Errorf("all twelve: %v", err)
	}
	// The last memory that is missing is not asked of a person.
	r.Research = nil
	if _, err := topic.Decide(c, r); err != nil {
		t.Errorf("a person: %v", err)
	}
}

// S2.22, D18: an archived summary is put back by its text, as it was shown, or by its
// id, without the research and in a topic that has shrunk; what somebody took back is
// not.
func TestS2_22Restore(t *testing.T) {
	t.Parallel()
	c := corpus(3)
	current := summary("mem_new", "Auth is done by somebody else now, says the newer summary of the two.", now, 12)
	old, withdrawn := archived(summary("mem_old", good, now.Add(-time.Hour), 12), "mem_new"), archived(summary("mem_bad", sized(900), now, 12), "")
	c.Current, c.Archived = &current, []memory.Memory{old, withdrawn}
	shown := summary("mem_old", good, now.Add(-time.Hour), 12)
	asShown := "<memory-abc234>\n" + strings.ToUpper(good[:1]) + good[1:] + "\n</memory-abc234>\n" + topic.Footer(&shown) + "\n" + topic.Warning(&shown, 3)
	for name, r := range map[string]topic.Request{
		"by text": {Content: good}, "as it was shown": {Content: asShown}, "by id": {RestoreID: "mem_old"}, "by both": {RestoreID: "mem_old", Content: good},
	} {
		r.Research, r.Authority, r.Now = &topic.Research{}, memory.OriginAgent, now
		d, err := topic.Decide(c, r)
		if err != nil || d.Restored == nil || d.Restored.ID != "mem_old" || d.Content != good {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	for name, tt := range map[string]struct {
		r    topic.Request
		want string
	}{
		"one that was taken back":    {topic.Request{RestoreID: "mem_bad"}, "restore_id"},
		"its text":                   {topic.Request{Content: sized(900)}, "at least 10"},
		"an unknown one":             {topic.Request{RestoreID: "mem_other"}, "kind summary_archived"},
		"the one in force":           {topic.Request{Content: current.Text}, "in force"},
		"id and another text":        {topic.Request{RestoreID: "mem_old", Content: sized(900)}, "give one of both"},
		"nothing":                    {topic.Request{}, "content is empty"},
		"only what Winnow adds":      {topic.Request{Content: topic.Footer(&shown)}, "content is empty"},
		"the old text with a change": {topic.Request{Content: strings.Replace(good, "15 minutes", "90 minutes", 1)}, "at least 10"},
	} {
		tt.r.Research, tt.r.Authority, tt.r.Now = &topic.Research{}, memory.OriginAgent, now
		if _, err := topic.Decide(c, tt.r); !errors.Is(err, topic.ErrRefused) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// S2.24: when a summary is due.
func TestS2_24Due(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		memories, sessions int
		summarised, footer bool
		count              int
		due                bool
	}{
		{9, 5, false, false, 0, false}, {14, 5, false, false, 0, false}, {15, 1, false, false, 0, false}, {15, 2, false, false, 0, true},
		{15, 0, false, false, 0, true}, {40, 5, true, true, 40, false}, {47, 5, true, true, 40, false}, {48, 5, true, true, 40, true},
		{30, 5, true, true, 40, true}, {40, 5, true, false, 0, true}, {9, 5, true, true, 40, false},
	} {
		if got := topic.Due(tt.memories, tt.sessions, tt.summarised, tt.footer, tt.count); (got != "") != tt.due {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}
