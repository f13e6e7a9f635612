package review_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/review"
)

// Two changes together hold the rows of both, of every kind: rows of a kind left
// out would be lost without an error.
func TestTogetherForgetsNothing(t *testing.T) {
	t.Parallel()
	var one change.Set
	v := reflect.ValueOf(&one).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice {
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		}
	}
	two := one
	one.ProposalUpdates, one.MemoryUpdates = []change.ProposalUpdate{{ID: "a"}}, []change.MemoryUpdate{{ID: "b"}}
	two.ProposalUpdates, two.MemoryUpdates = []change.ProposalUpdate{{ID: "c"}}, []change.MemoryUpdate{{ID: "d"}}
	one.Slot = &change.Slot{Schedule: "digest", At: time.Now()}
	both, err := review.Together(one, two)
	if err != nil {
		t.Fatal(err)
	}
	v = reflect.ValueOf(both)
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() != 2 || f.Kind() == reflect.Pointer && f.IsNil() {
			t.Errorf("%s has %v", v.Type().Field(i).Name, f)
		}
	}
}

func TestTogetherRefusesTwoOfOne(t *testing.T) {
	t.Parallel()
	slot := change.Set{Slot: &change.Slot{Schedule: "digest"}}
	for name, s := range map[string]change.Set{
		"a proposal": {ProposalUpdates: []change.ProposalUpdate{{ID: "prop_1"}}},
		"a memory":   {MemoryUpdates: []change.MemoryUpdate{{ID: "mem_1"}}},
		"the slot":   slot,
	} {
		if both, err := review.Together(s, s); !errors.Is(err, review.ErrState) || !both.Empty() {
			t.Errorf("%s twice: %+v, %v", name, both, err)
		}
	}
}
