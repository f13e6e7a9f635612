package page

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// understood maps what people type to its canonical form (SPEC §13).
var understood = map[string]string{
	"ok": "ok", "OK.": "ok", " okay ": "ok", "passt": "ok", "Einverstanden!": "ok", "“ok”": "ok",
	"ok except 3n 5n": "ok except 3n 5n", "Ok, except 3n, 5n.": "ok except 3n 5n", "ok außer 3n 5n": "ok except 3n 5n",
	"ok ausser 5 nein, 3 nein": "ok except 3n 5n", "passt außer 3n und 5j": "ok except 3n 5y", "ok except\n3n": "ok except 3n",
	"OK AUSSER 2N": "ok except 2n", "ok au\u00dfer 2n": "ok except 2n",
	"1y 2n": "1y 2n", "1y2n": "1y 2n", "1y,2n": "1y 2n", "2n 1y": "1y 2n", "1 yes 2 no": "1y 2n", "1j 2n": "1y 2n",
	"1 ja, 2 nein": "1y 2n", "1: y, 2: n": "1y 2n", "1. y\n2. n": "1y 2n", "1y 1y": "1y", "1y\n\n2n\n3y": "1y 2n 3y",
	"1-3y": "1y 2y 3y", "1–3y": "1y 2y 3y", "1 — 3 yes": "1y 2y 3y", "1-2y 3n": "1y 2y 3n", "7-7n": "7n", "1−2j": "1y 2y",
	"all n": "all n", "alle nein": "all n", "ALL Y": "all y", "alles ja": "all y", "all n except 2y": "all n except 2y",
	"4: Prefers A for tests": "4: Prefers A for tests", "4 :  Prefers A ": "4: Prefers A", "4: no comments in code": "4: no comments in code",
	"4: use “curly” – and 5": "4: use “curly” – and 5", "1y 4: new text": "1y\n4: new text", "ok\n4: new text": "ok\n4: new text",
	"4: one\n5: two": "4: one\n5: two", "4: pnpm": "4: pnpm", "ok except 2n 4: new text": "ok except 2n\n4: new text", "4y\n4: new text": "4: new text",
	"p2n": "p2n", "P2 N": "p2n", "p1-3n": "p1n p2n p3n", "ok p2n": "ok p2n", "ok except 3n p2n": "ok except 3n p2n", "p1y": "p1y",
	"later": "later", "Später": "later", "spa\u0308ter": "later", "spaeter.": "later", "undo": "undo", "Rückgängig": "undo", "zurück": "undo",
	"K7Q2 ok except 3n": "K7Q2 ok except 3n", "ok except 3n k7q2": "K7Q2 ok except 3n", "Code: K7Q2 1y": "K7Q2 1y", "1y code k7q2": "K7Q2 1y",
	"[K7Q2] undo": "K7Q2 undo", "#k7q2 later": "K7Q2 later", "4: new text K7Q2": "K7Q2\n4: new text", "K7Q2\nok": "K7Q2 ok", "ok\nK7Q2": "K7Q2 ok",
	"K7Q2 4: says M3R4": "K7Q2\n4: says M3R4", "1n k7q2.": "K7Q2 1n",
	"ok\n\nOn Mon, 23 Nov 2026 at 09:00, Winnow wrote:\n> Memory Triage: 12 auto-promoted": "ok",
	"ok\n\nOn Mon, 23 Nov 2026 at 09:00, Winnow\n<w@example.org> wrote:\n> 1. [X]":         "ok",
	"1n\r\n\r\nAm Mo., 23. Nov. 2026 um 09:00 Uhr schrieb Winnow:\r\n> Reply: ok":          "1n",
	"> 1. [Conventions] \"text\"\nok":                                                      "ok", "1y\n-- \nAlice": "1y", "1y\n-----Original Message-----\nFrom: x": "1y",
	"ok\nMemory Triage: 1 auto-promoted, 0 auto-rejected, 0 merged, 1 need your call:\n1. [Notes] \"x\"": "ok",
	"1y\nSent from my phone": "1y", "ok\n________________________________\nVon: Winnow": "ok",
}

// unclear maps replies that must change nothing to the reason.
var unclear = map[string]Why{
	"": WhyEmpty, "  \n\t": WhyEmpty, "K7Q2": WhyEmpty, "> ok": WhyEmpty, "and": WhyEmpty, "Memory Triage: 1 auto-promoted\nok": WhyEmpty,
	"yes": WhyUnknown, "sure": WhyUnknown, "ok thanks": WhyUnknown, "ok 👍": WhyUnknown, "n 3": WhyUnknown, "except 3n": WhyUnknown,
	"later alligator": WhyUnknown, "p n": WhyUnknown, "p2: text": WhyUnknown, "1-3: text": WhyUnknown, "ok except except 1n": WhyUnknown, "١y": WhyUnknown,
	"3": WhyNoChoice, "1 2n": WhyNoChoice, "ok except 3": WhyNoChoice, "ok except": WhyNoChoice, "all": WhyNoChoice, "all of them n": WhyNoChoice,
	"4:": WhyNoChoice, "4: ok": WhyNoChoice, "4: K7Q2": WhyNoChoice, "1maybe": WhyNoChoice, "1.5y": WhyNoChoice, "p2": WhyNoChoice, "1y 2": WhyNoChoice,
	"1y 1n": WhyContradiction, "1-3y 2n": WhyContradiction, "ok all n": WhyContradiction, "4: a b\n4: c d": WhyContradiction, "4n\n4: c d": WhyContradiction,
	"p1y p1n": WhyContradiction, "all y all n": WhyContradiction,
	"ok 3n": WhyExcept, "3n ok": WhyExcept, "all n 3y": WhyExcept,
	"later 1y": WhyAlone, "undo ok": WhyAlone, "undo later": WhyAlone, "ok\nlater": WhyAlone, "undo p1n": WhyAlone,
	"4: new text 5n": WhyText, "4: new text, 5 nein": WhyText, "4:/K7Q2": WhyText, "4: new K7Q2\n5y": WhyText,
	"0n": WhyRange, "100y": WhyRange, "3-1y": WhyRange, "1-100y": WhyRange, "99999999999999999999y": WhyRange, "p0n": WhyRange,
	strings.Repeat("1y ", longestReply): WhyLong,
}

func TestRepliesInTheirManyForms(t *testing.T) {
	t.Parallel()
	for text, want := range understood {
		r, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v, want %q", text, err, want)
			continue
		}
		if r.String() != want {
			t.Errorf("%q is read as %q, want %q", text, r, want)
		}
	}
}

func TestUnclearRepliesSayWhy(t *testing.T) {
	t.Parallel()
	for text, want := range unclear {
		r, err := Parse(text)
		var not *NotUnderstoodError
		if !errors.As(err, &not) || not.Why != want || !reflect.DeepEqual(r, Reply{}) {
			t.Errorf("%.80q: %+v, %v; want %q", text, r, err, want)
		}
	}
}

func TestUnclearRepliesSayWhatWasUnderstood(t *testing.T) {
	t.Parallel()
	_, err := Parse("k7q2 1y 2n and the third maybe, I think")
	var not *NotUnderstoodError
	if !errors.As(err, &not) || not.Code != "K7Q2" || !slices.Equal(not.Understood, []string{"1y", "2n"}) || not.Rest != "the third maybe, I think" {
		t.Errorf("%#v", err)
	}
	if got, want := Refused("en", err), "Nothing was done. Not understood: “the third maybe, I think”: these are not words of a reply. Understood: 1y, 2n."; got != want {
		t.Errorf("says %q, want %q", got, want)
	}
}

func anyReply() *rapid.Generator[Reply] {
	numbers := func(t *rapid.T, label string) []int {
		ns := rapid.SliceOfNDistinct(rapid.IntRange(1, maxNumber), 0, 6, rapid.ID[int]).Draw(t, label)
		slices.Sort(ns)
		return ns
	}
	text := rapid.StringMatching(`[A-Z][a-z]{2,9}( [a-zäöüß]{2,9}){1,5}[.!"”]?`)
	return rapid.Custom(func(t *rapid.T) Reply {
		r := Reply{Code: rapid.SampledFrom([]string{"", "K7Q2", "A2B3"}).Draw(t, "code")}
		switch rapid.IntRange(0, 9).Draw(t, "alone") {
		case 0:
			r.Later = true
			return r
		case 1:
			r.Undo = true
			return r
		}
		r.Base = rapid.SampledFrom([]Base{BaseNone, BaseRecommended, BaseYes, BaseNo}).Draw(t, "base")
		choice := rapid.SampledFrom([]Choice{Yes, No})
		for _, n := range numbers(t, "items") {
			a := Answer{Number: n, Choice: choice.Draw(t, "choice")}
			if a.Choice == Yes && rapid.Bool().Draw(t, "edited") {
				a.Text = text.Draw(t, "text")
			}
			r.Answers = append(r.Answers, a)
		}
		for _, n := range numbers(t, "spots") {
			r.Spots = append(r.Spots, Answer{Number: n, Choice: choice.Draw(t, "spot")})
		}
		if r.Base == BaseNone && len(r.Answers)+len(r.Spots) == 0 {
			r.Base = BaseRecommended
		}
		return r
	})
}

func TestCanonicalFormReadsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		want := anyReply().Draw(r, "reply")
		got, err := Parse(want.String())
		if err != nil || !reflect.DeepEqual(got, want) {
			r.Fatalf("%q: %+v, %v; want %+v", want, got, err, want)
		}
	})
}

// Case, spacing and manner do not matter, and the digest may be quoted below.
func TestMannerDoesNotMatter(t *testing.T) {
	t.Parallel()
	quoted := "\n\n> " + strings.ReplaceAll(Compose(fullWeek("en")).Text, "\n", "\n> ")
	rapid.Check(t, func(r *rapid.T) {
		want := anyReply().Draw(r, "reply")
		text := want.String()
		edited := slices.ContainsFunc(want.Answers, func(a Answer) bool { return a.Text != "" })
		if !edited && rapid.Bool().Draw(r, "shout") {
			text = strings.ToUpper(text)
		}
		if !edited {
			text = strings.ReplaceAll(text, " ", rapid.SampledFrom([]string{" ", ", ", "  ", " · ", "\u00a0"}).Draw(r, "gap"))
		}
		text = rapid.SampledFrom([]string{"", "\n", "  ", "\ufeff"}).Draw(r, "lead") + text + rapid.SampledFrom([]string{"", "\n", "\r\n\r\n", quoted}).Draw(r, "tail")
		got, err := Parse(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			r.Fatalf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	})
}

// One part that is not understood makes the whole reply do nothing.
func TestOneUnclearPartIsEnough(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		lines := strings.Split(anyReply().Draw(r, "reply").String(), "\n")
		at := rapid.IntRange(0, len(lines)).Draw(r, "at")
		bad := rapid.SampledFrom([]string{"maybe", "3", "the rest no", "thanks!", "p9", "1y 1n", "all", "0n", "?"}).Draw(r, "bad")
		got, err := Parse(strings.Join(slices.Insert(lines, at, bad), "\n"))
		if err == nil || !reflect.DeepEqual(got, Reply{}) {
			r.Fatalf("%q was read as %+v", lines, got)
		}
	})
}

// FuzzParse checks that no message panics or is read in two ways: the canonical form of
// a parsed reply parses to the same.
func FuzzParse(f *testing.F) {
	for text := range understood {
		f.Add(text)
	}
	for text := range unclear {
		if len(text) < longestReply {
			f.Add(text)
		}
	}
	f.Add(Compose(fullWeek("de")).Text)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(text)
		if err != nil {
			var not *NotUnderstoodError
			if !errors.As(err, &not) || !reflect.DeepEqual(r, Reply{}) || Refused("de", err) == "" {
				t.Fatalf("%q: %+v, %v", text, r, err)
			}
			return
		}
		again, err := Parse(r.String())
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Fatalf("%q is read as %+v, whose form %q as %+v, %v", text, r, r, again, err)
		}
	})
}
