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

// Section is the part of [Settings] that package run uses: the group's path, and how
// it is read and checked. [Settings] is the only implementation.
type Section interface {
	// Key is the path of the group for a worker of this name, such as
	// reasoning_bank.distillation; empty is the top level.
	Key(worker string) string
	// Open puts a copy of the defaults into all and returns a pointer to the copy,
	// into which the sources are decoded.
	Open(all *Configured) any
	// Validate checks the group's values in all.
	Validate(all Configured) error

	section()
}

// Settings is one group of a worker's settings with its defaults. A worker declares
// a variable of this type, lists it in [Definition.Config] and reads the values from
// its [Deps]:
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
	own      bool // the path is the worker's name
	defaults func() C
}

// SettingsOf returns a group whose path is the worker's name. defaults returns a new
// value at each call.
func SettingsOf[C Config](defaults func() C) *Settings[C] {
	return &Settings[C]{own: true, defaults: defaults}
}

// SettingsAt returns a group with the given path, empty for the top level: for names
// that are older than the worker, or that several workers share.
func SettingsAt[C Config](key string, defaults func() C) *Settings[C] {
	return &Settings[C]{key: key, defaults: defaults}
}

// Of returns the values with which the worker of d runs, or the defaults when none
// were given.
func (s *Settings[C]) Of(d Deps) C { return s.In(d.Settings) }

// In returns the group's values among those of all workers, for a command that must
// use the same values as the worker.
func (s *Settings[C]) In(all Configured) C {
	if v, given := all.values[s]; given {
		return *v.(*C)
	}
	return s.defaults()
}

// Change replaces the values in all by the result of change. Earlier copies of all
// are not affected.
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

// Configured holds the decoded settings of all workers. The zero value has every
// default.
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
