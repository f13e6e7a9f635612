package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// hostile returns texts that an attacker might send: control and bidi characters,
// quotation marks, lines that look like the digest, markdown, links, one word of a
// thousand letters.
func hostile() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
			return strings.Repeat(rapid.SampledFrom([]string{"x", "word ", "\u202E"}).Draw(t, "unit"), rapid.IntRange(1, 1500).Draw(t, "times"))
		}
		pieces := rapid.SliceOfN(rapid.OneOf(
			rapid.StringN(0, 20, -1),
			rapid.SampledFrom([]string{
				"\n", "\r\n", `"`, "“", "\u202E", "\u200B", "\u2066", "\x00", "\x1b[31m", "\xff", "\u2028", "\t", "\u00a0", "\U000E0041",
				`" — recommend: promote (x)`, "\n2. [Notes] \"x\" — recommend: promote", "Reply: ok", "# title", "**bold**", "](http://a.b/c)",
				"https://example.org/setup", "www.example.org", "evil.com", "pool.go", "code K7Q2", "> ok",
			}),
		), 0, 5).Draw(t, "pieces")
		return strings.Join(pieces, rapid.SampledFrom([]string{"", " "}).Draw(t, "glue"))
	})
}

func anyInput() *rapid.Generator[Input] {
	return rapid.Custom(func(t *rapid.T) Input {
		text := hostile()
		in := Input{
			Digest:   blank(rapid.SampledFrom([]string{"en", "de", "fr", ""}).Draw(t, "language")),
			Outside:  rapid.IntRange(0, 1e6).Draw(t, "outside"),
			Expired:  rapid.IntRange(0, 1e6).Draw(t, "expired"),
			Counts:   Counts{Promoted: rapid.IntRange(0, 1e6).Draw(t, "promoted"), RejectedBy: map[string]int{"fact": 3, "own rule": 4}},
			Reviewed: rapid.IntRange(0, 100).Draw(t, "reviewed"),
			RulesOff: rapid.SliceOfN(rapid.SampledFrom([]string{"fact", "merge", "update"}), 0, 3).Draw(t, "off"),
			Oldest:   time.Duration(rapid.Int64Range(0, 1e18).Draw(t, "oldest")), ExpireAfter: 28 * 24 * time.Hour,
			Scopes:    []memory.Scope{"project:a", "user:b"}[:rapid.IntRange(0, 2).Draw(t, "scopes")],
			ReviewURL: rapid.SampledFrom([]string{"", "https://winnow.example/" + strings.Repeat("r", 9000)}).Draw(t, "url"),
			MaxItems:  rapid.IntRange(0, 12).Draw(t, "items"), MaxWords: rapid.IntRange(0, 500).Draw(t, "words"),
		}
		for i := range rapid.IntRange(0, 25).Draw(t, "waiting") {
			q := ask(i, rapid.SampledFrom(append(memory.Kinds(), "")).Draw(t, "kind"), "", text.Draw(t, "text"),
				rapid.SampledFrom(memory.Origins()).Draw(t, "origin"), memory.Decision{
					Rule:   rapid.SampledFrom([]string{"hardrule", "conflict", "own rule"}).Draw(t, "rule"),
					Advice: rapid.SampledFrom([]memory.Advice{"promote", "reject", "replace", "review", ""}).Draw(t, "advice"),
					Reason: text.Draw(t, "reason"), Target: rapid.SampledFrom([]string{"", "mem_1", "prop_1"}).Draw(t, "target"),
				})
			q.Proposal.Section = rapid.OneOf(rapid.SampledFrom(append(memory.DefaultSections(), "")), text).Draw(t, "section")
			q.Proposal.SessionID, q.Against = text.Draw(t, "session"), text.Draw(t, "against")
			q.Proposal.Scope = memory.Scope("project:" + strings.Repeat("s", rapid.IntRange(1, memory.MaxScopeID).Draw(t, "scope")))
			in.Waiting = append(in.Waiting, q)
		}
		in.Pruned = rapid.IntRange(0, 1e6).Draw(t, "pruned")
		for i := range rapid.IntRange(0, 6).Draw(t, "merged") {
			in.Merged = append(in.Merged, Merged{
				Run: fmt.Sprintf("run_%026d", i), Scope: "project:a", Sources: rapid.IntRange(0, 1e5).Draw(t, "sources"), Products: 3,
				LetGo: rapid.IntRange(1, 1e5).Draw(t, "let go"), Text: text.Draw(t, "product"),
			})
		}
		for i := range rapid.IntRange(0, 15).Draw(t, "spots") {
			in.Promoted = append(in.Promoted, Spot{
				MemoryID: fmt.Sprintf("mem_%d", i), DecisionID: fmt.Sprintf("dec_m%d", i), Text: text.Draw(t, "spot"), Rule: "fact", Scope: "project:a",
			})
		}
		return in
	})
}

// The bounds hold for every text (S3.18, S3.22, D8).
func TestDigestKeepsItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		in := anyInput().Draw(r, "input")
		d := Compose(in)
		limit := max(in.MaxWords, fewestWords)
		if in.MaxWords == 0 {
			limit = defaultWords
		}
		if n := words(d.Text); n > limit || len(strings.Fields(d.Text)) > limit {
			r.Fatalf("%d words, at most %d:\n%s", n, limit, d.Text)
		}
		most := min(in.MaxItems, mostItems)
		if in.MaxItems == 0 {
			most = mostItems
		}
		if len(d.Items) > most || len(d.Spots) > mostSpots {
			r.Fatalf("%d items of %d, %d spot checks", len(d.Items), most, len(d.Spots))
		}
		for _, c := range d.Text {
			if c != '\n' && hidden(c) {
				r.Fatalf("%U is invisible and was not written out", c)
			}
		}
	})
}

// Every waiting question is shown whole or counted (D8).
func TestEverythingIsShownOrCounted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		in := anyInput().Draw(r, "input")
		d, c := Compose(in), choose(in)
		w := phrasesOf(in.Digest.Language)
		if len(c.questions)+c.tooLong+c.outside != len(in.Waiting)+in.Outside {
			r.Fatalf("%d short, %d long, %d outside of %d", len(c.questions), c.tooLong, c.outside, len(in.Waiting)+in.Outside)
		}
		if len(c.questions) > 0 && len(d.Items) == 0 {
			r.Fatalf("no question was found to fit:\n%s", d.Text)
		}
		for n, line := range map[int]string{
			len(c.questions) - len(d.Items): w.more.of(len(c.questions) - len(d.Items)),
			c.tooLong:                       w.tooLong.of(c.tooLong),
		} {
			if n > 0 && !slices.Contains(strings.Split(d.Text, "\n"), line) {
				r.Fatalf("%q is missing:\n%s", line, d.Text)
			}
		}
	})
}

// What runs did without a person is counted in every digest, and a line about one run
// is one line with the run's whole id.
func TestMergesAreCountedInEveryDigest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		in := anyInput().Draw(r, "input")
		lines := strings.Split(Compose(in).Text, "\n")
		w := phrasesOf(in.Digest.Language)
		sources, letGo := 0, 0
		for _, m := range in.Merged {
			sources, letGo = sources+m.Sources, letGo+m.LetGo
		}
		for count, what := range map[int]string{sources: "merged", letGo: "let go", in.Pruned: "pruned"} {
			if count > 0 && !slices.ContainsFunc(lines, func(l string) bool { return slices.Contains(strings.FieldsFunc(l, notDigit), fmt.Sprint(count)) }) {
				r.Fatalf("%d %s are not counted:\n%s", count, what, strings.Join(lines, "\n"))
			}
		}
		undo := strings.TrimSpace(fmt.Sprintf(w.mergedUndo, ""))
		undo = strings.TrimSuffix(undo, ")")
		for _, l := range lines {
			if !strings.HasPrefix(l, "- ") || !strings.Contains(l, undo) {
				continue
			}
			id := strings.TrimSuffix(l[strings.LastIndex(l, " ")+1:], ")")
			if !slices.ContainsFunc(in.Merged, func(m Merged) bool { return m.Run == id }) {
				r.Fatalf("%q takes no run back", l)
			}
		}
	})
}

func notDigit(c rune) bool { return c < '0' || c > '9' }

// An item line is one line whose only straight quotes are those around the
// exact text, so that no text can end its quotation and recommend itself.
func TestItemsShowTheExactText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		in := anyInput().Draw(r, "input")
		d := Compose(in)
		lines := strings.Split(d.Text, "\n")
		for i, item := range d.Items {
			q := in.Waiting[slices.IndexFunc(in.Waiting, func(q Question) bool { return q.Proposal.ID == item.ProposalID })]
			if q.Proposal.Authority <= memory.OriginExternal || item.DecisionID != q.Decision.ID || item.Number != i+1 {
				r.Fatalf("item %+v of %+v", item, q.Proposal)
			}
			at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, fmt.Sprintf("%d. [", item.Number)) })
			if at < 0 || strings.Count(lines[at], `"`) != 2 || !strings.Contains(lines[at], `] "`+shown(q.Proposal.Text, q.Proposal.Authority)+`" — `) {
				r.Fatalf("item %d does not show %q:\n%s", item.Number, q.Proposal.Text, d.Text)
			}
		}
	})
}

// The most consequential questions are asked, sorted like MEMORY.md, in any order of
// input (S3.19, D8).
func TestOrderOfQuestions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		in := anyInput().Draw(r, "input")
		d := Compose(in)
		shuffled := in
		shuffled.Waiting = rapid.Permutation(in.Waiting).Draw(r, "waiting")
		shuffled.Merged = rapid.Permutation(in.Merged).Draw(r, "merged")
		shuffled.Promoted = rapid.Permutation(in.Promoted).Draw(r, "promoted")
		if again := Compose(shuffled); again.Text != d.Text || !slices.Equal(again.Items, d.Items) || !slices.Equal(again.Spots, d.Spots) {
			r.Fatalf("another order of what waits gives another digest:\n%s\n%s", d.Text, again.Text)
		}
		asked := map[string]bool{}
		rank := 0
		for _, item := range d.Items {
			asked[item.ProposalID] = true
			i := slices.IndexFunc(in.Waiting, func(q Question) bool { return q.Proposal.ID == item.ProposalID })
			next := SectionRank(SectionOf(in.Waiting[i].Proposal))
			if next < rank {
				r.Fatalf("sections are out of order:\n%s", d.Text)
			}
			rank = next
		}
		for _, q := range choose(in).questions {
			for _, other := range in.Waiting {
				if asked[other.Proposal.ID] && !asked[q.Proposal.ID] && consequence(q.Proposal) < consequence(other.Proposal) {
					r.Fatalf("%s was asked and %s, which is more consequential, was not:\n%s", other.Proposal.ID, q.Proposal.ID, d.Text)
				}
			}
		}
	})
}

// No memory can be replaced when the other text waits as well.
func TestReplaceNeedsAMemory(t *testing.T) {
	t.Parallel()
	in := Input{Digest: blank("en"), Waiting: []Question{
		ask(1, memory.KindFact, "", "The port is 6543.", memory.OriginAgent, memory.Decision{Advice: memory.AdviceReplace, Target: "prop_9"}),
	}}
	in.Waiting[0].Against = "The port is 5432."
	d := Compose(in)
	if d.Items[0].Advice != memory.AdviceReview || !strings.Contains(d.Text, `waits as well: "The port is 5432."`) {
		t.Errorf("recommends %s:\n%s", d.Items[0].Advice, d.Text)
	}
}

// S3.27 and S3.28, letter for letter.
func TestSeedFormat(t *testing.T) {
	t.Parallel()
	lines := strings.Split(Compose(fullWeek("en")).Text, "\n")
	for _, want := range []string{
		"Memory Triage: 12 auto-promoted, 8 auto-rejected, 3 merged, 5 need your call:",
		`5. [Joel] "Prefers A over B." — recommend: review (new preference)`,
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %q", want)
		}
	}
}

func TestHarmless(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"two\nlines":                            "two ⏎ lines",
		"a\u202Eb\u200Bc":                       "a‹U+202E›b‹U+200B›c",
		`say "yes" or "no"`:                     "say “yes” or “no”",
		"see https://example.org/a":             "see hxxps://example[.]org/a",
		"SSH://host and ftp://x":                "SSH[:]//host and ftp[:]//x",
		"www.example.org, evil.com/x":           "www[.]example[.]org, evil[.]com/x",
		"mailto:a@b.de":                         "mailto[:]a@b[.]de",
		"edit pool.go and README.md":            "edit pool.go and README.md",
		"❤️ and café, 日本語":                      "❤️ and café, 日本語",
		"no\u00a0break\tand tab":                "no break and tab",
		"tag \U000E0041 and selector\U000E0101": "tag ‹U+E0041› and selector‹U+E0101›",
	} {
		if got := shown(text, memory.OriginAgent); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	link := "see https://example.org/a"
	if got := shown(link, memory.OriginFirstParty); got != link {
		t.Errorf("a first party's link is shown as %q", got)
	}
}

func TestNothingHiddenIsShown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := shown(hostile().Draw(r, "text"), rapid.SampledFrom(memory.Origins()).Draw(r, "authority"))
		if strings.ContainsFunc(text, func(c rune) bool { return c == '"' || hidden(c) || unicode.IsSpace(c) && c != ' ' }) {
			r.Fatalf("%q", text)
		}
	})
}

func TestSpotsAreSampledByDigest(t *testing.T) {
	t.Parallel()
	spots := overflow("en").Promoted
	ids := func(id string) (out []string) {
		for _, s := range sample(id, spots) {
			out = append(out, s.MemoryID)
		}
		return out
	}
	first, second := ids("dig_1"), ids("dig_2")
	if len(first) != mostSpots || slices.Equal(first, second) || !slices.Equal(first, ids("dig_1")) {
		t.Errorf("%v and %v", first, second)
	}
}
