package page

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/memory"
)

func TestConfigNamesEveryProblem(t *testing.T) {
	t.Parallel()
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	err := Config{Zone: "Mars/Olympus", Language: "fr", MaxItems: 11, MaxWords: 100, ExpireAfter: time.Hour, UndoWithin: -1}.Validate()
	for _, field := range []string{"zone", "language", "max_items", "max_words", "expire_after", "undo_within"} {
		if err == nil || !strings.Contains(err.Error(), field+": ") {
			t.Errorf("%s is not named: %v", field, err)
		}
	}
}

// A code is never an answer, so that "K7Q2 1y" has one reading.
func TestCodesAreNoAnswers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		id := rapid.String().Draw(r, "id")
		code := Code(id)
		if code != Code(id) || strings.ContainsAny(code, "0O1IL") {
			r.Fatal(code)
		}
		if shaped, is := codeShaped(strings.ToLower(code)); !is || shaped != code {
			r.Fatalf("%s is not read as a code", code)
		}
		for _, text := range []string{code + " 1y", "1y " + strings.ToLower(code)} {
			if reply, err := Parse(text); err != nil || reply.Code != code || len(reply.Answers) != 1 {
				r.Fatalf("%q: %+v, %v", text, reply, err)
			}
		}
		if reply, err := Parse(code); err == nil {
			r.Fatalf("%s alone is read as %+v", code, reply)
		}
	})
}

func TestSlotNames(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	lateSunday := time.Date(2026, 11, 22, 23, 30, 0, 0, time.UTC) // already Monday in Berlin
	for _, c := range []struct {
		schedule string
		at       time.Time
		zone     *time.Location
		want     string
	}{
		{"0 9 * * 1", monday, time.UTC, "2026-W48"},
		{"0 9 * * MON", lateSunday, time.UTC, "2026-W47"},
		{"0 9 * * 1", lateSunday, berlin, "2026-W48"},
		{"@weekly", time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), time.UTC, "2026-W53"},
		{"0 9 * * 1", time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC), time.UTC, "2027-W01"},
		{"0 9 * * 1,4", monday, berlin, "2026-11-23T10:00+01:00"},
		{"0 9 * * *", monday, time.UTC, "2026-11-23T09:00Z"},
		{"0 9 1 * 1", monday, time.UTC, "2026-11-23T09:00Z"},
		{"*/5 9 * * 1", monday, time.UTC, "2026-11-23T09:00Z"},
		{"@daily", monday, time.UTC, "2026-11-23T09:00Z"},
		{"30 0 9 * * 1", monday.Add(30 * time.Second), time.UTC, "2026-11-23T09:00:30Z"},
		{"*/10 * * * * *", monday, berlin, "2026-11-23T10:00:00+01:00"},
	} {
		if got := SlotName(c.schedule, c.at, c.zone); got != c.want {
			t.Errorf("%s at %s is %s, want %s", c.schedule, c.at, got, c.want)
		}
	}
}

// A language without a phrase would print nothing where a word belongs.
func TestLanguagesLackNoPhrase(t *testing.T) {
	t.Parallel()
	for language, w := range languages {
		v := reflect.ValueOf(*w)
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			switch f := v.Field(i); f.Kind() {
			case reflect.String:
				if f.Len() == 0 {
					t.Errorf("%s has no %s", language, name)
				}
			case reflect.Struct:
				if f.Field(0).Len() == 0 || f.Field(1).Len() == 0 {
					t.Errorf("%s has no %s", language, name)
				}
			case reflect.Map:
				if other := reflect.ValueOf(english).Field(i); name != "reasons" && f.Len() != other.Len() {
					t.Errorf("%s has %d of %d %s", language, f.Len(), other.Len(), name)
				}
			}
		}
	}
}

func TestWhence(t *testing.T) {
	t.Parallel()
	p := memory.Proposal{Principal: "claude", SessionID: "s-1", Origin: memory.OriginAgent, ObservedAt: monday, SeenCount: 3}
	if got, want := SourceOf(p), "an agent's statement (claude, session s-1, 23 Nov 2026, seen 3 times)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
