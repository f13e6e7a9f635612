package git

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// historyFile caches the history, so that a new process need not read all
// commits. A missing or broken file is rebuilt from the commits.
const (
	historyFile = ownDir + "/history.json"
	historyTemp = ownDir + "/history.new"
)

// historyLag bounds the commits that the file may be behind. Writing the file
// with each commit would cost more than reading that many commits.
const historyLag = 100

// history holds a record of each scope for the commits up to Head.
type history struct {
	Head   plumbing.Hash                `json:"head"`
	Scopes map[memory.Scope]scopeRecord `json:"scopes"`
	behind int                          // commits missing in the file
}

// scopeRecord is a scope's newest rendering and the hand edits after it.
type scopeRecord struct {
	Commit  plumbing.Hash   `json:"commit"` // zero: never rendered
	Trailer vault.Trailer   `json:"trailer"`
	At      time.Time       `json:"at"`
	Hand    []plumbing.Hash `json:"hand,omitempty"` // oldest first
}

// record returns the current record of a scope.
func (v *Vault) record(s *session, scope memory.Scope) (scopeRecord, error) {
	now, err := s.head()
	if err != nil {
		return scopeRecord{}, err
	}
	return v.recordAt(s, now, scope)
}

// recordAt returns a scope's record at the tip. When another goroutine has moved
// the history beyond that tip, all commits are read again.
func (v *Vault) recordAt(s *session, now tip, scope memory.Scope) (scopeRecord, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.history == nil {
		v.history = s.loadHistory()
	}
	if err := s.follow(v.history, now.commit); err != nil {
		v.history = nil // the history may contain only some of the commits
		return scopeRecord{}, fmt.Errorf("read history: %w", err)
	}
	return v.history.Scopes[scope], nil
}

// follow advances a history to a commit: by the commits since its Head, or by
// all commits when Head is not among the commit's first parents.
func (s *session) follow(h *history, head plumbing.Hash) error {
	var since []*object.Commit
	at := head
	for at != h.Head && !at.IsZero() {
		c, err := object.GetCommit(s.store, at)
		if err != nil {
			return fmt.Errorf("commit %s: %w", at, err)
		}
		since = append(since, c)
		at = firstParent(c)
	}
	if at != h.Head {
		h.Scopes = map[memory.Scope]scopeRecord{}
	}
	for _, c := range slices.Backward(since) {
		if err := s.add(h, c); err != nil {
			return fmt.Errorf("commit %s: %w", c.Hash, err)
		}
	}
	h.Head = head
	h.behind += len(since)
	return nil
}

// add adds one commit to a history.
func (s *session) add(h *history, c *object.Commit) error {
	scope, trailer, ok, err := s.rendered(c)
	if err != nil {
		return err
	}
	if ok {
		h.Scopes[scope] = scopeRecord{Commit: c.Hash, Trailer: trailer, At: c.Committer.When.UTC()}
		return nil
	}
	touched, err := s.touched(c)
	for _, scope := range touched {
		record := h.Scopes[scope]
		record.Hand = append(record.Hand, c.Hash)
		h.Scopes[scope] = record
	}
	return err
}

// touched lists the scopes with files that a commit changes, compared with its
// first parent.
func (s *session) touched(c *object.Commit) ([]memory.Scope, error) {
	before, err := s.rootOf(firstParent(c))
	if err != nil {
		return nil, err
	}
	var scopes []memory.Scope
	for _, kind := range scopeKinds {
		old, err := s.treeIn(before, kind)
		if err != nil {
			return nil, err
		}
		new, err := s.treeIn(c.TreeHash, kind)
		if err != nil {
			return nil, err
		}
		dirs, err := s.differing(old, new, kind)
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			scope, err := scopeOf(dir)
			if err != nil {
				continue // a person's folder that is not a scope
			}
			earlier, later, err := s.filesAround(c, scope)
			if err != nil {
				return nil, err
			}
			if !maps.Equal(earlier, later) {
				scopes = append(scopes, scope)
			}
		}
	}
	return scopes, nil
}

// differing returns the folders, two levels above files, that differ between two
// trees. dir is the path of the trees.
func (s *session) differing(old, new plumbing.Hash, dir string) ([]string, error) {
	if old == new {
		return nil, nil
	}
	before, err := s.folders(old)
	if err != nil {
		return nil, err
	}
	after, err := s.folders(new)
	if err != nil {
		return nil, err
	}
	names := maps.Clone(before)
	maps.Copy(names, after)
	var found []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch {
		case before[name] == after[name]:
		case strings.HasSuffix(name, "%"): // the name continues in a folder inside
			deeper, err := s.differing(before[name], after[name], dir+"/"+name)
			if err != nil {
				return nil, err
			}
			found = append(found, deeper...)
		default:
			found = append(found, dir+"/"+name)
		}
	}
	return found, nil
}

// folders returns the trees directly in a tree.
func (s *session) folders(tree plumbing.Hash) (map[string]plumbing.Hash, error) {
	entries, err := s.entries(tree)
	if err != nil {
		return nil, err
	}
	found := map[string]plumbing.Hash{}
	for _, e := range entries {
		if e.Mode == filemode.Dir {
			found[e.Name] = e.Hash
		}
	}
	return found, nil
}

// loadHistory reads the file, or returns an empty history.
func (s *session) loadHistory() *history {
	var h history
	data, err := s.root.ReadFile(historyFile)
	if err == nil {
		err = json.Unmarshal(data, &h)
	}
	if err != nil || h.Scopes == nil {
		return &history{Scopes: map[memory.Scope]scopeRecord{}}
	}
	return &h
}

// saveHistory writes the file when it is historyLag commits behind. The file is
// not synced: a torn file counts as missing.
func (v *Vault) saveHistory() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.history == nil || v.history.behind < historyLag {
		return nil
	}
	data, err := json.Marshal(v.history)
	if err != nil {
		return fmt.Errorf("save history: %w", err)
	}
	v.history.behind = 0
	return v.with(func(s *session) error {
		if err := s.root.WriteFile(historyTemp, data, 0o600); err != nil {
			return fmt.Errorf("save history: %w", err)
		}
		return s.root.Rename(historyTemp, historyFile)
	})
}
