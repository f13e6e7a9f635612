package foreign

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite" // registers the driver

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// openCodeDatabase matches the name of a database of OpenCode: opencode.db, or of another
// channel than the released one opencode-CHANNEL.db.
var openCodeDatabase = regexp.MustCompile(`^opencode(-[A-Za-z0-9._-]+)?\.db$`)

// openCodeLimit bounds how long one database is read.
const openCodeLimit = time.Minute

// IsOpenCode reports whether a file is named like a database of OpenCode, which holds many
// sessions. One of them is named by the database, a slash and the session's id, as
// [OpenCodeSessions] lists them; [Rewrite] reads it by that name.
func IsOpenCode(name string) bool { return openCodeDatabase.MatchString(filepath.Base(name)) }

// FileOf returns the file in which a transcript is stored: itself, or the database that a
// session's name begins with.
func FileOf(name string) string {
	if folder := filepath.Dir(name); IsOpenCode(folder) && fileID.MatchString(filepath.Base(name)) {
		return folder
	}
	return name
}

// OpenCodeSessions lists the sessions in a database of OpenCode, in the order of their ids.
// A subagent's is among them, as its file was: no person speaks in it.
func OpenCodeSessions(name string) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), openCodeLimit)
	defer cancel()
	db, err := openDatabase(ctx, name)
	if err != nil {
		return nil, err
	}
	defer db.close()
	var ids []string
	for _, table := range []string{"session", "session_v2"} {
		if !db.has[table] {
			continue
		}
		err := db.rows(ctx, `select id, '', '', 0 from `+table, func(r openCodeRow) {
			if fileID.MatchString(r.id) {
				ids = append(ids, filepath.Join(name, r.id))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// openCodeStored reads a session from a database. Versions 1.2 to 1.x have the tables
// session, message and part, whose columns data hold what the files of JSON held. Version 2
// has session_v2 and session_message, and leaves the others as they were; so a session that
// both have is read from the newer ones.
func openCodeStored(name string) ([]byte, bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), openCodeLimit)
	defer cancel()
	file, id := FileOf(name), filepath.Base(name)
	db, err := openDatabase(ctx, file)
	if err != nil {
		return nil, true, err
	}
	defer db.close()
	o := &openCodeStore{left: trace.DefaultLimits().MaxBytes}
	found, newer := false, false
	for _, table := range []string{"session", "session_v2"} {
		if !db.has[table] {
			continue
		}
		err := db.rows(ctx, `select id, directory, coalesce(parent_id, ''), time_created from `+table+` where id = ?`, func(r openCodeRow) {
			if found, newer = true, table == "session_v2"; newer {
				o.w = writer{}
			}
			o.agents = r.data != ""
			o.w.add(line{ID: r.id, Agent: "opencode", Dir: r.kind, Started: milliseconds(r.at)})
		}, id)
		if err != nil {
			return nil, true, err
		}
	}
	switch {
	case !found:
		return nil, true, fmt.Errorf("%s has no session %s", filepath.Base(file), id)
	case newer && db.has["session_message"]:
		err = o.newer(ctx, db, id)
	case db.has["message"] && db.has["part"]:
		err = o.older(ctx, db, id)
	default:
		err = errors.New("this version of OpenCode stores its messages in a way that is not known here; send what `opencode export` prints")
	}
	if err != nil {
		return nil, true, err
	}
	if o.lost {
		o.w.cut()
	}
	return o.w.text()
}

// older reads the messages of version 1 and their parts.
func (o *openCodeStore) older(ctx context.Context, db *openCodeDB, id string) error {
	parts := map[string][]openCodePart{}
	err := db.rows(ctx, `select p.id, p.message_id, p.data, 0 from part p join message m on m.id = p.message_id
		where m.session_id = ? order by p.message_id, p.id`, func(r openCodeRow) {
		var one openCodePart
		if o.fits(r) && o.decoded(r, &one) {
			one.ID = r.id
			parts[r.kind] = append(parts[r.kind], one)
		}
	}, id)
	if err != nil {
		return err
	}
	return db.rows(ctx, `select id, '', data, time_created from message where session_id = ? order by time_created, id`, func(r openCodeRow) {
		var m openCodeInfo
		if o.fits(r) && o.decoded(r, &m) {
			m.ID, m.Time.Created = r.id, cmp.Or(m.Time.Created, r.at)
			o.parts(m, parts[r.id])
		}
	}, id)
}

// openCodeMessage is a message of version 2, whose kind is a column of its own.
type openCodeMessage struct {
	Text    string `json:"text"`    // of a person, or added by the program
	Call    string `json:"callID"`  // of a command that a person ran
	Command string `json:"command"` // the same
	Output  string `json:"output"`  // the same
	Content []struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		ID    string `json:"id"`
		Name  string `json:"name"`
		State struct {
			Status  string          `json:"status"`
			Input   json.RawMessage `json:"input"`
			Content json.RawMessage `json:"content"`
			Error   struct {
				Message string `json:"message"`
			} `json:"error"`
		} `json:"state"`
	} `json:"content"`
	Summary string `json:"summary"` // of what was cut away
}

// newer reads the messages of version 2.
func (o *openCodeStore) newer(ctx context.Context, db *openCodeDB, id string) error {
	order := "time_created, id"
	if db.ordered {
		order = "seq, id"
	}
	return db.rows(ctx, `select id, type, data, time_created from session_message where session_id = ? order by `+order, func(r openCodeRow) {
		var m openCodeMessage
		if !o.fits(r) || !o.decoded(r, &m) {
			return
		}
		at := milliseconds(r.at)
		switch r.kind {
		case user:
			if o.agents {
				o.w.add(line{Role: tool, Tool: "added", Text: m.Text, At: at})
			} else {
				o.w.add(line{Role: user, Text: m.Text, At: at})
			}
		case "shell":
			o.w.add(line{Role: assistant, Tool: "bash", Call: m.Call, Command: m.Command, At: at})
			o.w.add(line{Role: tool, Tool: "bash", Call: m.Call, Text: m.Output, At: at})
		case assistant:
			o.answer(m, at)
		default: // what the program added: its own words, a summary
			o.w.add(line{Role: tool, Tool: "added", Text: cmp.Or(m.Text, m.Summary), At: at})
		}
	}, id)
}

func (o *openCodeStore) answer(m openCodeMessage, at string) {
	for _, c := range m.Content {
		switch {
		case c.Type == "text":
			o.w.add(line{Role: assistant, Text: c.Text, At: at})
		case c.Type == "tool" && c.Name != "":
			p := openCodePart{Tool: c.Name, Call: c.ID}
			p.State.Status, p.State.Input = c.State.Status, c.State.Input
			p.State.Output, p.State.Error = strings.Join(texts(c.State.Content), "\n"), c.State.Error.Message
			o.call(p, at)
		}
	}
}

// fits reports whether a row is within what a trace may have.
func (o *openCodeStore) fits(r openCodeRow) bool {
	o.left -= int64(len(r.data))
	o.lost = o.lost || o.left < 0
	return o.left >= 0
}

func (o *openCodeStore) decoded(r openCodeRow, into any) bool {
	err := json.Unmarshal([]byte(r.data), into)
	o.lost = o.lost || err != nil
	return err == nil
}

// openCodeDB is an open database, and what it has.
type openCodeDB struct {
	*sql.DB
	has     map[string]bool
	ordered bool // messages of version 2 have a number
}

// openCodeRow is a row of any of the tables.
type openCodeRow struct {
	id, kind, data string
	at             float64 // milliseconds since 1970
}

// openDatabase opens a database to be read, while OpenCode may write to it. Nothing is
// written: a database without a journal beside it is opened as one that does not change, so
// that no file for locks appears beside it.
func openDatabase(ctx context.Context, name string) (*openCodeDB, error) {
	if info, err := os.Stat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	ask := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(2000)", "query_only(1)", "trusted_schema(0)"}}
	if info, err := os.Stat(name + "-wal"); err != nil || info.Size() == 0 {
		ask.Set("immutable", "1")
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: ask.Encode()}
	pool, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	db := &openCodeDB{DB: pool, has: map[string]bool{}}
	err = db.rows(ctx, `select name, '', '', 0 from sqlite_master where type = 'table'`, func(r openCodeRow) { db.has[r.id] = true })
	if err == nil && db.has["session_message"] {
		err = db.rows(ctx, `select name, '', '', 0 from pragma_table_info('session_message')`, func(r openCodeRow) { db.ordered = db.ordered || r.id == "seq" })
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read OpenCode's database: %w; `opencode export ID > FILE` writes a session that `winnow publish FILE` reads", err), pool.Close())
	}
	return db, nil
}

func (db *openCodeDB) close() { _ = db.Close() } // nothing was written

// rows calls each for every row of a query for an id, a kind, data and a time.
func (db *openCodeDB) rows(ctx context.Context, query string, each func(openCodeRow), args ...any) error {
	// Text longer than a trace may be is not read: one row could have a gigabyte.
	query = fmt.Sprintf(`with r(id, kind, data, at) as (%s) select id, kind, case when length(data) > %d then '' else data end, at from r`,
		query, trace.DefaultLimits().MaxBytes)
	list, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer list.Close()
	for list.Next() {
		var r openCodeRow
		if err := list.Scan(&r.id, &r.kind, &r.data, &r.at); err != nil {
			return err
		}
		each(r)
	}
	return list.Err()
}
