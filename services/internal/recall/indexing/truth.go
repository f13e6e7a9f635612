package indexing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"sync"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
)

const (
	// page is how many rows are read, and at most embedded, at once.
	page = 500
	// loadPage is how many rows are read at once to load a tenant or its changes. It is
	// larger, because every page costs a search among all rows.
	loadPage = 2000
	// share is the least number of documents that justifies a goroutine.
	share = 64
)

// Truth reads the rows of Postgres that an index projects. It is safe for concurrent
// use.
type Truth struct {
	Store    store.Vectors
	Embedder embed.Embedder
	Analyzer *search.Analyzer
	// Local says that the embedder is in this process. A call then costs no time and no
	// money, so every read of rows may embed what lacks a vector.
	Local bool
	// Originals says that the index is in this process: its documents carry their rows.
	// Documents of other indexes carry a hash of the text instead.
	Originals bool
}

var (
	_ vector.Source = (&Truth{}).Source
	_ vector.Source = (&Truth{}).Stored
)

// Generation returns the generation of an index by this embedder and analyzer, with
// number n.
func (t *Truth) Generation(n int) vector.Generation {
	return vector.Generation{N: n, Model: t.Embedder.ID(), Dim: t.Embedder.Dim(), Analyzer: search.AnalyzerID, AvgLen: search.AvgLen}
}

// Source implements [vector.Source]: it returns the next page of a tenant, to fill an
// index. It embeds rows without a vector, and waits for the embedder.
func (t *Truth) Source(ctx context.Context, g vector.Generation, tenant memory.Tenant, after string) ([]vector.Doc, error) {
	docs, err := t.docs(ctx, g, tenant, store.IndexQuery{After: after, Limit: page})
	if err != nil {
		return nil, err // a document of words alone would count as done
	}
	return docs, nil
}

// Stored is Source for an index that answers searches meanwhile: it does not wait for a
// remote embedder.
func (t *Truth) Stored(ctx context.Context, g vector.Generation, tenant memory.Tenant, after string) ([]vector.Doc, error) {
	return t.stored(ctx, g, tenant, store.IndexQuery{After: after, Limit: loadPage})
}

func (t *Truth) stored(ctx context.Context, g vector.Generation, tenant memory.Tenant, q store.IndexQuery) ([]vector.Doc, error) {
	if t.Local {
		return t.docs(ctx, g, tenant, q)
	}
	rows, err := t.rows(ctx, g, tenant, q)
	return t.docsOf(rows), err
}

// Last returns the id of the newest row of a tenant, empty for none: where a comparison
// that begins now ends.
func (t *Truth) Last(ctx context.Context, tenant memory.Tenant) (string, error) {
	rows, err := t.Store.IndexRows(ctx, tenant, store.IndexQuery{Newest: true, Limit: 1})
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[0].ID, nil
}

// Docs returns the documents of these memories; missing ones are left out. Where the
// error is that of the embedder, the documents are complete but for the vectors that it
// did not make.
func (t *Truth) Docs(ctx context.Context, g vector.Generation, tenant memory.Tenant, ids []string) ([]vector.Doc, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return t.docs(ctx, g, tenant, store.IndexQuery{IDs: ids})
}

// StoredDocs is Docs without the wait for a remote embedder.
func (t *Truth) StoredDocs(ctx context.Context, g vector.Generation, tenant memory.Tenant, ids []string) ([]vector.Doc, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return t.stored(ctx, g, tenant, store.IndexQuery{IDs: ids})
}

// Embed makes the next vectors that a tenant lacks, stores them, and returns their
// documents. looked counts the rows that it read, and last is the id of the last one,
// for the next call.
func (t *Truth) Embed(ctx context.Context, g vector.Generation, tenant memory.Tenant, after string) (made []vector.Doc, looked int, last string, err error) {
	docs, err := t.docs(ctx, g, tenant, store.IndexQuery{After: after, Limit: page, Lacking: true})
	if err != nil || len(docs) == 0 {
		return nil, 0, "", err
	}
	for _, d := range docs {
		if d.Dense != nil {
			made = append(made, d)
		}
	}
	return made, len(docs), docs[len(docs)-1].ID, nil
}

// Rows returns memories with the vectors of this embedder, as a comparison of memories
// with each other needs them. It makes vectors that are not stored yet only where the
// embedder is in this process; otherwise they come without.
func (t *Truth) Rows(ctx context.Context, tenant memory.Tenant, q store.IndexQuery) ([]store.IndexRow, error) {
	g := t.Generation(1) // the number does not matter: only model and dimension are read
	rows, err := t.rows(ctx, g, tenant, q)
	if err == nil && t.Local {
		err = t.fill(ctx, g, tenant, rows)
	}
	return rows, err
}

func (t *Truth) docs(ctx context.Context, g vector.Generation, tenant memory.Tenant, q store.IndexQuery) ([]vector.Doc, error) {
	rows, err := t.rows(ctx, g, tenant, q)
	if err != nil {
		return nil, err
	}
	err = t.fill(ctx, g, tenant, rows)
	return t.docsOf(rows), err
}

func (t *Truth) rows(ctx context.Context, g vector.Generation, tenant memory.Tenant, q store.IndexQuery) ([]store.IndexRow, error) {
	q.Model = g.Model
	rows, err := t.Store.IndexRows(ctx, tenant, q)
	if err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	return rows, nil
}

// docsOf analyses rows, on all processors where there are many rows.
func (t *Truth) docsOf(rows []store.IndexRow) []vector.Doc {
	docs := make([]vector.Doc, len(rows))
	analyse := func(docs []vector.Doc, rows []store.IndexRow) {
		for i := range rows {
			docs[i] = t.doc(&rows[i])
		}
	}
	part := max(share, (len(rows)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	var others sync.WaitGroup
	rest := docs
	for len(rows) > part {
		of, from := rest[:part], rows[:part]
		others.Go(func() { analyse(of, from) })
		rest, rows = rest[part:], rows[part:]
	}
	analyse(rest, rows)
	others.Wait()
	return docs
}

// fill embeds the rows without a vector and stores the vectors. For a generation of
// another model it does nothing, because that model's embedder is not at hand.
func (t *Truth) fill(ctx context.Context, g vector.Generation, tenant memory.Tenant, rows []store.IndexRow) error {
	if g.Dim == 0 || g.Model != t.Embedder.ID() {
		return nil
	}
	var lacking []int
	var texts []string
	for i := range rows {
		if rows[i].Vector == nil {
			lacking = append(lacking, i)
			texts = append(texts, embed.Text(rows[i].Memory))
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	vectors, err := t.Embedder.Embed(ctx, texts)
	if err != nil {
		return fmt.Errorf("embed %d memories: %w", len(texts), err)
	}
	made := make(map[string][]float32, len(lacking))
	for n, i := range lacking {
		// A text without a word that the model knows has no vector, and is asked for
		// again with the next read.
		if vectors[n] != nil {
			rows[i].Vector = vectors[n]
			made[rows[i].ID] = vectors[n]
		}
	}
	if len(made) == 0 {
		return nil
	}
	if err := t.Store.PutVectors(ctx, tenant, g.Model, made); err != nil {
		return fmt.Errorf("keep vectors: %w", err)
	}
	return nil
}

// version orders the states of a row in an index: a vector that came later is a newer
// state, although the row did not change.
func version(r *store.IndexRow) int64 {
	if r.Vector == nil {
		return 2 * r.Version
	}
	return 2*r.Version + 1
}

// doc returns the document of a row.
func (t *Truth) doc(r *store.IndexRow) vector.Doc {
	text := embed.Text(r.Memory)
	clean := memory.Clean(text)
	tokens := memory.Scan(clean)
	var terms vector.Sparse
	if clean == text { // the usual case; scanning is half of the work and done once
		terms = t.Analyzer.TermsOf(text, tokens)
	} else {
		terms = t.Analyzer.Terms(text)
	}
	state := vector.Active
	if r.State == memory.StateArchived {
		state = vector.Archived
	}
	d := vector.Doc{
		ID: r.ID, Tenant: r.Tenant, Scope: r.Scope, Kind: r.Kind, State: state, Outcome: r.Outcome, Successor: r.SuccessorID,
		Version: version(r), UpdatedAt: r.UpdatedAt, Dense: r.Vector, Terms: terms,
	}
	switch {
	case !t.Originals:
		sum := sha256.Sum256([]byte(memory.NormalOf(clean, tokens, memory.Stamps(clean, tokens))))
		d.ContentHash = hex.EncodeToString(sum[:16])
	case state == vector.Active:
		d.Original = &vector.Original{Memory: r.Memory, Passage: text, Session: r.Session}
	default: // a redirect is never shown, only compared
		d.Redirect = &vector.Redirect{Title: r.Title, Passage: text}
	}
	return d
}
