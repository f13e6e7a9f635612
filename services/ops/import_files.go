package ops

import (
	"context"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/local"
)

// ImportOptions configures [Ops.ImportFiles].
type ImportOptions struct {
	Scope    string
	DryRun   bool
	Progress func(stored int) // may be nil
}

// Imported is the result of an import.
type Imported struct {
	*local.Reading
	Scope    string           `json:"scope"`
	DryRun   bool             `json:"dry_run,omitempty"`
	Entries  int              `json:"entries"`
	Stored   int              `json:"stored"`   // new memories; in a dry run those that would be stored
	Present  int              `json:"present"`  // already active, or repeated in the files
	Redacted int              `json:"redacted"` // stored memories with a redacted secret
	Memories []ImportedMemory `json:"memories"`
}

// ImportedMemory is a stored entry with its position in the file.
type ImportedMemory struct {
	ID      string `json:"id,omitempty"` // empty in a dry run
	File    string `json:"file"`
	Line    int    `json:"line"`
	Section string `json:"section"`
	Kind    string `json:"kind"`
	Text    string `json:"text"` // redacted
}

// ImportFiles stores the entries of memory files as the person's own memories,
// without judging, and skips active texts. ImportFiles is idempotent. A failure
// leaves the stored batches; the next call stores the rest.
func (o *Ops) ImportFiles(ctx context.Context, r *local.Reading, opts ImportOptions) (Imported, error) {
	scope, err := memory.ParseScope(opts.Scope)
	if err != nil {
		return Imported{}, fmt.Errorf("import: %w", err)
	}
	known, err := o.inService(ctx, scope)
	if err != nil {
		return Imported{}, fmt.Errorf("import: %w", err)
	}
	done := Imported{Reading: r, Scope: opts.Scope, DryRun: opts.DryRun, Entries: r.Entries(), Memories: []ImportedMemory{}}
	stamp, kinds := o.stamp(), kinder{wording.NewAnalyzer()}
	var list []memory.Memory
	for _, e := range r.List() {
		kind := kinds.of(e.Section, e.Text)
		m, err := o.imported(stamp, Entry{Scope: opts.Scope, Section: e.Section, Kind: string(kind), Text: e.Text})
		if err != nil {
			return Imported{}, fmt.Errorf("import %s, line %d: %w", e.File, e.Line, err)
		}
		m.ObservedAt = e.ObservedAt
		if !known.add(m.Text) {
			done.Present++
			continue
		}
		if m.Text != e.Text {
			done.Redacted++
		}
		list = append(list, m)
		shown := ImportedMemory{ID: m.ID, File: e.File, Line: e.Line, Section: m.Section, Kind: string(kind), Text: m.Text}
		if opts.DryRun {
			shown.ID = ""
		}
		done.Memories = append(done.Memories, shown)
	}
	done.Stored = len(list)
	if opts.DryRun {
		return done, nil
	}
	progress := opts.Progress
	if progress == nil {
		progress = func(int) {}
	}
	if err := o.storeImported(ctx, stamp, list, progress); err != nil {
		return Imported{}, fmt.Errorf("import: %w", err)
	}
	return done, nil
}

// kinder classifies a person's line.
type kinder struct{ analyzer *wording.Analyzer }

// stated lists the words of headings and labels that name a kind.
var stated = []struct {
	word string
	kind memory.Kind
}{
	{"rule", memory.KindRule}, {"regel", memory.KindRule},
	{"convention", memory.KindConvention}, {"konvention", memory.KindConvention}, {"guideline", memory.KindConvention}, {"style", memory.KindConvention},
	{"preference", memory.KindPreference}, {"vorlieben", memory.KindPreference},
	{"decision", memory.KindDecision}, {"entscheidung", memory.KindDecision},
}

// of returns the kind of a line. A bold label decides first, then the heading.
// Otherwise the text decides as in triage, but never becomes a task or a
// strategy: the author of a line in a file that is loaded at every start wants
// the line to stay there.
func (k kinder) of(section, text string) memory.Kind {
	heading := section
	if i := strings.LastIndex(section, " / "); i >= 0 {
		heading = section[i:]
	}
	for _, name := range []string{memoryfile.Label(text), heading} {
		for _, s := range stated {
			if strings.Contains(strings.ToLower(name), s.word) {
				return s.kind
			}
		}
	}
	switch kind := wording.Extract(k.analyzer.Text(text), wording.Given{}, nil).Kind; kind {
	case memory.KindTask, memory.KindStrategy:
		return memory.KindFact
	default:
		return kind
	}
}
