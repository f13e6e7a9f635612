package worker

import (
	"maps"
	"sync"
)

// Conditions are what keeps a worker from its work for longer than one event and is no
// dependency that the process checks itself, such as a full disk below the vault.
// Readiness lists them, and a process with one is not ready. The zero value has none; nil
// drops what is set. Safe for concurrent use.
type Conditions struct {
	mu sync.Mutex
	of map[string]error
}

// Set says that a condition lasts, with a reason for a person, or with nil that it is
// over.
func (c *Conditions) Set(name string, reason error) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if reason == nil {
		delete(c.of, name)
		return
	}
	if c.of == nil {
		c.of = map[string]error{}
	}
	c.of[name] = reason
}

// All returns the conditions of now by name.
func (c *Conditions) All() map[string]error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.of)
}
