package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/qdrant/go-client/qdrant"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

// sink is a place where data is stored or shown: its contents by location.
type sink struct {
	name   string
	pieces map[string][][]byte
}

func (s *sink) add(where string, piece []byte) {
	if s.pieces == nil {
		s.pieces = map[string][][]byte{}
	}
	s.pieces[where] = append(s.pieces[where], piece)
}

// holds looks for a secret as it is and as JSON writes it.
func (s *sink) holds(secret string) (where string, ok bool) {
	quoted, _ := json.Marshal(secret)
	for where, pieces := range s.pieces {
		for _, p := range pieces {
			for _, form := range [][]byte{[]byte(secret), bytes.Trim(quoted, `"`)} {
				if at := bytes.Index(p, form); at >= 0 {
					return fmt.Sprintf("%s: …%q", where, p[max(0, at-60):min(len(p), at+60)]), true
				}
			}
		}
	}
	return "", false
}

func (s *sink) size() (n int) {
	for _, pieces := range s.pieces {
		for _, p := range pieces {
			n += len(p)
		}
	}
	return n
}

// addRows adds the rows of a table that a condition picks, each value as it is stored.
func (f *fleet) addRows(s *sink, table, where string, args ...any) {
	f.t.Helper()
	rows, err := f.pool.Query(f.t.Context(), `select * from `+strconv.Quote(table)+where, args...)
	if err != nil {
		f.t.Fatalf("%s: %v", table, err)
	}
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			f.t.Fatalf("%s: %v", table, err)
		}
		for _, v := range values {
			if raw, ok := v.([]byte); ok {
				s.add(table, raw)
				continue
			}
			s.add(table, fmt.Append(nil, v))
		}
	}
	if err := rows.Err(); err != nil {
		f.t.Fatalf("%s: %v", table, err)
	}
}

// database is every row of every table, and the traces unpacked.
func (f *fleet) database() sink {
	f.t.Helper()
	s := sink{name: "database"}
	ctx := f.t.Context()
	for table := range f.texts(`select table_name, table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`) {
		f.addRows(&s, table, ``)
	}
	for id := range f.texts(`select id, id from sessions`) {
		chunks, err := f.store.Trace(ctx, memory.DefaultTenant, id)
		if err != nil {
			f.t.Fatal(err)
		}
		lines, err := transcript.Read(chunks)
		if err != nil {
			f.t.Fatal(err)
		}
		s.add("trace of "+id, fmt.Append(nil, lines))
	}
	return s
}

// streams are the broker's files as they lie on the disk.
func (f *fleet) streams() sink { return files(f.t, "streams", filepath.Join(f.dir, "stream")) }

// logs are all lines of all workers.
func (f *fleet) logs() sink {
	s := sink{name: "logs"}
	s.add("lines", []byte(f.log.everything()))
	return s
}

// asked returns the requests to the model.
func asked(model *llmtest.Server) sink {
	s := sink{name: "model"}
	for _, r := range model.Requests() {
		raw, _ := json.Marshal(r.Messages)
		s.add("request", raw)
		s.add("request", fmt.Append(nil, r.Messages))
	}
	return s
}

// history is the vault: its files, and every version of them.
func (f *fleet) history(folder string) sink {
	f.t.Helper()
	s := files(f.t, "vault", folder)
	repos, _ := filepath.Glob(filepath.Join(folder, "*", ".git"))
	for _, r := range repos {
		out, err := exec.Command("git", "--git-dir", r, "log", "--all", "-p").CombinedOutput()
		if err != nil {
			f.t.Fatalf("git log: %v\n%s", err, out)
		}
		s.add("git log", out)
	}
	return s
}

// files reads a folder. One that is renamed meanwhile is read by its new name.
func files(t *testing.T, name, folder string) sink {
	t.Helper()
	s := sink{name: name}
	_ = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // a folder that is renamed meanwhile is read by its new name
		}
		if raw, err := os.ReadFile(path); err == nil && len(raw) > 0 {
			s.add(strings.TrimPrefix(path, folder), raw)
		}
		return nil
	})
	return s
}

// points returns all data that was written to the index.
func points(t *testing.T, address string) sink {
	t.Helper()
	s := sink{name: "index"}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.Atoi(port)
	client, err := qdrant.NewClient(&qdrant.Config{Host: host, Port: n, SkipCompatibilityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	names, err := client.ListCollections(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		list, err := client.Scroll(t.Context(), &qdrant.ScrollPoints{
			CollectionName: name, Limit: qdrant.PtrOf(uint32(1000)), WithPayload: qdrant.NewWithPayload(true),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			s.add(name, fmt.Append(nil, p.GetPayload()))
		}
	}
	return s
}
