package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/winnowhq/winnow/services/local/jsonedit"
)

// ErrNone says that a client's configuration has no entry of Winnow's.
var ErrNone = errors.New("no entry for winnow")

// PlanRemoval plans to undo what an installation wrote into a client's configuration,
// for the person with this home folder.
func PlanRemoval(name, home string) (*Plan, error) {
	c, err := find(name)
	if err != nil {
		return nil, err
	}
	return c.planRemoval(c.user(home))
}

// PlanProjectRemoval plans to undo an installation in a project's folder.
func PlanProjectRemoval(name, dir string) (*Plan, error) {
	c, err := find(name)
	if err != nil {
		return nil, err
	}
	if c.project == "" {
		return nil, noProject(name)
	}
	return c.planRemoval(filepath.Join(dir, c.project))
}

func (c client) planRemoval(file string) (*Plan, error) {
	p := &Plan{Client: c.name, File: file, removal: true}
	var err error
	if p.before, err = os.ReadFile(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the client's configuration: %w", err)
	}
	copied := file + backupEnding
	if real, err := filepath.EvalSymlinks(file); err == nil {
		copied = real + backupEnding
	}
	backup, err := os.ReadFile(copied)
	if err != nil {
		backup, copied = nil, ""
	}
	switch p.after, err = c.without(p.before, backup); {
	case errors.Is(err, ErrNone):
		p.after = p.before
	case err != nil:
		return nil, fmt.Errorf("%s: %w; nothing was changed", file, err)
	}
	p.delete = p.before != nil && p.after == nil
	if backup != nil && bytes.Equal(p.after, backup) {
		p.restored = copied
	}
	p.Diff = diff(string(p.before), string(p.after))
	return p, nil
}

// without returns a configuration as it was before the installation: to the byte where
// nobody has changed the file since, else without the entry. It is nil for a file that
// the installation created. The error is [ErrNone] where the entry is missing.
func (c client) without(text, backup []byte) ([]byte, error) {
	s, err := c.entry(text)
	if err != nil {
		return nil, err
	}
	bare, whole, err := c.remove(text)
	if err != nil {
		return nil, err
	}
	candidates := [][]byte{whole, bare}
	if backup != nil {
		candidates = append([][]byte{backup}, candidates...)
	} else {
		candidates = append([][]byte{nil}, candidates...)
	}
	for _, old := range candidates {
		if _, err := c.entry(old); !errors.Is(err, ErrNone) {
			continue // the entry of an installation before
		}
		if again, err := c.edit(old, s.Server); err == nil && bytes.Equal(again, text) {
			return old, nil
		}
	}
	return bare, nil
}

// removeJSON returns a configuration without the entry, and without the list of servers
// too where nothing else is in it.
func removeJSON(text []byte, key string) (bare, whole []byte, err error) {
	var before, after map[string]any
	if err := jsonedit.Decode(text, &before); err != nil {
		return nil, nil, err
	}
	if bare, err = jsonedit.Remove(text, key, serverName); err != nil {
		return nil, nil, err
	}
	servers, _ := before[key].(map[string]any)
	if len(servers) == 1 {
		whole, err = jsonedit.Remove(text, key)
		delete(before, key)
	} else {
		whole = bare
		delete(servers, serverName)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := jsonedit.Decode(whole, &after); err != nil || !reflect.DeepEqual(before, after) {
		return nil, nil, errOurs
	}
	return bare, whole, nil
}
