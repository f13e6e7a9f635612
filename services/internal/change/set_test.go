package change_test

import (
	"reflect"
	"slices"
	"testing"

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
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if !slices.Equal(set.ProposalUpdates, before) {
		t.Error("the original changed")
	}
}
