package qdranttest

import (
	"slices"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// passes reports whether a point passes a filter; nil passes all.
func (c *collection) passes(f *qdrant.Filter, id string, p *point) (bool, error) {
	if f.GetMinShould() != nil {
		return false, unsupported("filter", f)
	}
	for _, condition := range f.GetMust() {
		met, err := c.meets(condition, id, p)
		if err != nil || !met {
			return false, err
		}
	}
	for _, condition := range f.GetMustNot() {
		met, err := c.meets(condition, id, p)
		if err != nil || met {
			return false, err
		}
	}
	for _, condition := range f.GetShould() {
		met, err := c.meets(condition, id, p)
		if err != nil || met {
			return met, err
		}
	}
	return len(f.GetShould()) == 0, nil
}

// checkFilter implements strict mode: every field of a filter needs an index. Qdrant
// checks before it reads any point.
func (c *collection) checkFilter(f *qdrant.Filter) error {
	for _, condition := range slices.Concat(f.GetMust(), f.GetMustNot(), f.GetShould()) {
		if within := condition.GetFilter(); within != nil {
			if err := c.checkFilter(within); err != nil {
				return err
			}
		}
		if field := condition.GetField(); field != nil {
			if _, indexed := c.indexed[field.Key]; !indexed {
				return status.Errorf(codes.InvalidArgument, "Index required but not found for %q", field.Key)
			}
		}
	}
	return nil
}

func (c *collection) meets(condition *qdrant.Condition, id string, p *point) (bool, error) {
	if has := condition.GetHasId(); has != nil {
		return slices.ContainsFunc(has.HasId, func(other *qdrant.PointId) bool { return other.GetUuid() == id }), nil
	}
	if within := condition.GetFilter(); within != nil {
		return c.passes(within, id, p)
	}
	field := condition.GetField()
	if field == nil {
		return false, unsupported("condition", condition)
	}
	value := p.payload[field.Key]
	switch {
	case field.Match != nil:
		return matches(field.Match, value)
	case field.Range != nil:
		return inRange(field.Range, value), nil
	case field.DatetimeRange != nil:
		return inTimes(field.DatetimeRange, value), nil
	}
	return false, unsupported("condition", condition)
}

func matches(m *qdrant.Match, value *qdrant.Value) (bool, error) {
	switch want := m.MatchValue.(type) {
	case *qdrant.Match_Keyword:
		text, ok := textOf(value)
		return ok && text == want.Keyword, nil
	case *qdrant.Match_Keywords:
		text, ok := textOf(value)
		return ok && slices.Contains(want.Keywords.GetStrings(), text), nil
	case *qdrant.Match_Boolean:
		have, ok := value.GetKind().(*qdrant.Value_BoolValue)
		return ok && have.BoolValue == want.Boolean, nil
	}
	return false, unsupported("match", m)
}

func textOf(value *qdrant.Value) (string, bool) {
	text, ok := value.GetKind().(*qdrant.Value_StringValue)
	if !ok {
		return "", false
	}
	return text.StringValue, true
}

func inRange(r *qdrant.Range, value *qdrant.Value) bool {
	var x float64
	switch have := value.GetKind().(type) {
	case *qdrant.Value_IntegerValue:
		x = float64(have.IntegerValue)
	case *qdrant.Value_DoubleValue:
		x = have.DoubleValue
	default:
		return false
	}
	return (r.Lt == nil || x < *r.Lt) && (r.Lte == nil || x <= *r.Lte) &&
		(r.Gt == nil || x > *r.Gt) && (r.Gte == nil || x >= *r.Gte)
}

func inTimes(r *qdrant.DatetimeRange, value *qdrant.Value) bool {
	at, ok := timeOf(value)
	return ok && (r.Lt == nil || at.Before(r.Lt.AsTime())) && (r.Lte == nil || !at.After(r.Lte.AsTime())) &&
		(r.Gt == nil || at.After(r.Gt.AsTime())) && (r.Gte == nil || !at.Before(r.Gte.AsTime()))
}

// timeOf parses a time as Qdrant indexes it, to the microsecond.
func timeOf(value *qdrant.Value) (time.Time, bool) {
	text, _ := textOf(value)
	at, err := time.Parse(time.RFC3339Nano, text)
	return at.Truncate(time.Microsecond), err == nil
}
