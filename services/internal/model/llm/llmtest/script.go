package llmtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Script chooses the answer to the n-th request, from 1.
type Script func(n int, in Request) Reply

// Always gives every request the same answer.
func Always(r Reply) Script { return func(int, Request) Reply { return r } }

// InOrder gives these answers one after the other, and then always the last.
func InOrder(replies ...Reply) Script {
	return func(n int, _ Request) Reply { return replies[min(n, len(replies))-1] }
}

// When gives one answer to requests that contain the text, and leaves the others to a
// script.
func When(text string, r Reply, otherwise Script) Script {
	return func(n int, in Request) Reply {
		if strings.Contains(in.Prompt(), text) {
			return r
		}
		return otherwise(n, in)
	}
}

// behaviours are the answers by name, as the program takes them.
func behaviours() map[string]Reply {
	return map[string]Reply{
		"valid": Valid, "json": JSON, "markdown": Markdown, "empty": Empty, "none": None,
		"malformed": Malformed, "truncated": Truncated, "huge": Huge, "slow": Slow,
		"busy": TooMany("1"), "error": Fail, "refusing": Refusing, "ungrounded": Ungrounded, "hostile": Hostile,
		"garbled": Garbled, "unauthorized": Refuse(401, "invalid_api_key"),
	}
}

// Names lists the behaviours that [Named] knows.
func Names() []string {
	names := []string{}
	for name := range behaviours() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// MergeNames lists the behaviours that answer requests to merge memories.
func MergeNames() []string { return slices.Sorted(maps.Keys(mergers())) }

// Named returns a behaviour by its name, after a delay. The error lists the names.
func Named(name string, delay time.Duration) (Reply, error) {
	r, ok := behaviours()[name]
	if !ok {
		if r, ok = mergers()[name]; !ok {
			return nil, fmt.Errorf("behaviour %q: want one of %s, %s", name, strings.Join(Names(), ", "), strings.Join(MergeNames(), ", "))
		}
	}
	if delay > 0 {
		r = After(delay, r)
	}
	return r, nil
}
