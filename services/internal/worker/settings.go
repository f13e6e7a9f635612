package worker

import "maps"

// Config is a group of settings: a struct whose fields have the tags koanf (the
// name in a file), help (one sentence for docs/config.md) and, for what must not
// be shown, secret:"true".
type Config interface {
	// Validate joins one error for every value that cannot be used, each as
	// "name: what is wrong; what to write".
	Validate() error
}

// Section is what package run knows of [Settings], which are its only
// implementation: where the group stands, and how it is read and checked.
type Section interface {
	// Key is the path of the group for a worker of this name, such as
	// reasoning_bank.distillation; empty is the top level.
	Key(worker string) string
	// Open puts a copy of the defaults into all and returns a pointer to it, for
	// the sources to be decoded into.
	Open(all *Configured) any
	// Validate checks the group as it stands in all.
	Validate(all Configured) error

	section()
}

// Settings are one group of a worker's settings with their defaults. A worker
// declares them as a variable, lists that in [Definition.Config] and reads the
// values from what it is built from:
//
//	var settings = worker.SettingsOf(DefaultConfig)
//
//	func newWork(d worker.Deps) (worker.Work, error) { return &work{d, settings.Of(d)}, nil }
//
// Two workers that need the same values declare a group each at the same key:
// the values are decoded into both. Settings do not change and are safe for
// concurrent use.
type Settings[C Config] struct {
	key      string
	own      bool // stands under the worker's name
	defaults func() C
}

// SettingsOf is a group that stands under the worker's name. defaults returns a
// new value at each call.
func SettingsOf[C Config](defaults func() C) *Settings[C] {
	return &Settings[C]{own: true, defaults: defaults}
}

// SettingsAt is a group with a path of its own, empty for the top level: for names
// that are older than the worker, or that several workers share.
func SettingsAt[C Config](key string, defaults func() C) *Settings[C] {
	return &Settings[C]{key: key, defaults: defaults}
}

// Of returns the values that the worker of d runs with, the defaults where none
// were given.
func (s *Settings[C]) Of(d Deps) C { return s.In(d.Settings) }

// In returns the values among those of all workers, for a command that has to work
// with the same ones as the worker.
func (s *Settings[C]) In(all Configured) C {
	if v, given := all.values[s]; given {
		return *v.(*C)
	}
	return s.defaults()
}

// Change replaces the values in all by what change makes of them. Copies of all
// that were taken before keep theirs.
func (s *Settings[C]) Change(all *Configured, change func(*C)) {
	v := s.In(*all)
	change(&v)
	all.put(s, &v)
}

// Key implements [Section].
func (s *Settings[C]) Key(worker string) string {
	if s.own {
		return worker
	}
	return s.key
}

// Open implements [Section].
func (s *Settings[C]) Open(all *Configured) any {
	v := s.defaults()
	all.put(s, &v)
	return &v
}

// Validate implements [Section].
func (s *Settings[C]) Validate(all Configured) error { return s.In(all).Validate() }

func (s *Settings[C]) section() {}

// Configured are the settings of all workers, as they were decoded. The zero value
// has every default.
type Configured struct {
	values map[Section]any // a *C for each *Settings[C]
}

func (c *Configured) put(s Section, value any) {
	values := maps.Clone(c.values)
	if values == nil {
		values = map[Section]any{}
	}
	values[s] = value
	c.values = values
}
