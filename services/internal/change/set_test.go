package change_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// A set with a value in any field is not empty: rows of a field that Empty omits
// would silently not be committed.
func TestEmptyForgetsNothing(t *testing.T) {
	t.Parallel()
	var none change.Set
	if !none.Empty() {
		t.Error("a set with nothing in it is not empty")
	}
	kind := reflect.TypeFor[change.Set]()
	for i := range kind.NumField() {
		var s change.Set
		switch f := reflect.ValueOf(&s).Elem().Field(i); f.Kind() {
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		default:
			t.Fatalf("%s is a %s, of which this test does not know when it is empty", kind.Field(i).Name, f.Kind())
		}
		if s.Empty() {
			t.Errorf("with %s alone it is empty", kind.Field(i).Name)
		}
	}
}

// Append carries every field of a set: rows of a field that it left out would be
// lost at the commit without an error.
func TestAppendForgetsNothing(t *testing.T) {
	t.Parallel()
	var other change.Set
	v := reflect.ValueOf(&other).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		}
	}
	var s change.Set
	s.Append(other)
	s.Append(other)
	v = reflect.ValueOf(s)
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() != 2 || f.Kind() == reflect.Pointer && f.IsNil() {
			t.Errorf("%s has %v", v.Type().Field(i).Name, f)
		}
	}
}

// Coalesced leaves the last update of each row, with the accumulated fields of the
// earlier ones.
func TestCoalesced(t *testing.T) {
	t.Parallel()
	set := change.Set{
		ProposalUpdates: []change.ProposalUpdate{
			{ID: "a", SeenCount: 1, Lift: memory.OriginHuman, Expect: 4}, {ID: "b", SeenCount: 1},
			{ID: "a", SeenCount: 2, Lift: memory.OriginAgent, Outside: true, Expect: 5}, {ID: "a", SeenCount: 3},
		},
		MemoryUpdates: []change.MemoryUpdate{
			{ID: "m", SeenCount: 1, Outside: true}, {ID: "n"}, {ID: "m", SeenCount: 2, Lift: memory.OriginFirstParty, Expect: 9},
		},
		SessionUpdates: []change.SessionUpdate{{ID: "s", Note: "first"}, {ID: "s", Note: "last"}},
		Reviewers: []memory.Reviewer{
			{Principal: "ann", Scope: "project:shop", Language: "en"}, {Principal: "bob", Scope: "project:shop"},
			{Principal: "ann", Scope: "project:shop", Language: "de"},
		},
		RunUpdates: []change.RunUpdate{{ID: "r", Created: 1, Expect: 3}, {ID: "q"}, {ID: "r", Created: 2, Expect: 4}},
		RunItems: []memory.RunItem{
			{RunID: "r", N: 1, State: memory.ItemPlanned}, {RunID: "q", N: 1}, {RunID: "r", N: 2},
			{RunID: "r", N: 1, State: memory.ItemApplied},
		},
		WeightGains: []memory.ProjectWeights{{Scope: "project:a", UsageAlpha: 1}, {Scope: "project:b"}, {Scope: "project:a", UsageAlpha: 1, OutcomeBeta: 1}},
		Learned:     []memory.Learned{{MemoryID: "m", Signals: 1}, {MemoryID: "m", Signals: 2}},
		Aggregates:  []memory.SignalAggregate{{MemoryID: "m", Principal: "a", UsagePos: 1}, {MemoryID: "m", Principal: "b"}, {MemoryID: "m", Principal: "a", UsagePos: 2}},
	}
	before := slices.Clone(set.ProposalUpdates)
	got := set.Coalesced()
	want := change.Set{
		ProposalUpdates: []change.ProposalUpdate{{ID: "a", SeenCount: 3, Lift: memory.OriginHuman, Outside: true, Expect: 4}, {ID: "b", SeenCount: 1}},
		MemoryUpdates:   []change.MemoryUpdate{{ID: "m", SeenCount: 2, Outside: true, Lift: memory.OriginFirstParty, Expect: 9}, {ID: "n"}},
		SessionUpdates:  []change.SessionUpdate{{ID: "s", Note: "last"}},
		Reviewers: []memory.Reviewer{
			{Principal: "ann", Scope: "project:shop", Language: "de"}, {Principal: "bob", Scope: "project:shop"},
		},
		RunUpdates:  []change.RunUpdate{{ID: "r", Created: 2, Expect: 3}, {ID: "q"}},
		RunItems:    []memory.RunItem{{RunID: "r", N: 1, State: memory.ItemApplied}, {RunID: "q", N: 1}, {RunID: "r", N: 2}},
		WeightGains: []memory.ProjectWeights{{Scope: "project:a", UsageAlpha: 2, OutcomeBeta: 1}, {Scope: "project:b"}},
		Learned:     []memory.Learned{{MemoryID: "m", Signals: 2}},
		Aggregates:  []memory.SignalAggregate{{MemoryID: "m", Principal: "a", UsagePos: 2}, {MemoryID: "m", Principal: "b"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if !slices.Equal(set.ProposalUpdates, before) {
		t.Error("the original changed")
	}
}

// An update of a run carries every mutable field of the row: one that UpdateOf left
// out would be lost by the next writer.
func TestUpdateOfRun(t *testing.T) {
	t.Parallel()
	var r memory.Run
	row := reflect.ValueOf(&r).Elem()
	fixed := []string{"Tenant", "Scope", "Strategy", "Trigger", "Options", "WindowStart", "WindowEnd", "Principal", "RequestedAt"}
	for i := range row.NumField() {
		f := row.Field(i)
		if slices.Contains(fixed, row.Type().Field(i).Name) {
			continue
		}
		switch v := f.Addr().Interface().(type) {
		case *time.Time:
			*v = time.Unix(int64(i), 0)
		case *json.RawMessage:
			*v = json.RawMessage(`{}`)
		default:
			switch f.Kind() {
			case reflect.String:
				f.SetString(row.Type().Field(i).Name)
			case reflect.Int, reflect.Int64:
				f.SetInt(int64(i))
			case reflect.Bool:
				f.SetBool(true)
			default:
				t.Fatalf("%s is a %s", row.Type().Field(i).Name, f.Kind())
			}
		}
	}
	u := reflect.ValueOf(change.UpdateOf(r))
	for i := range u.NumField() {
		name := u.Type().Field(i).Name
		from := name
		if name == "Expect" {
			from = "Version"
		}
		if got, want := u.Field(i).Interface(), row.FieldByName(from).Interface(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if u.NumField() != row.NumField()-len(fixed) {
		t.Errorf("%d fields of an update for %d mutable ones of a run", u.NumField(), row.NumField()-len(fixed))
	}
}
