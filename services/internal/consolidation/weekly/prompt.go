package weekly

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// SchemaName is the name of the answer's schema in a request to a model.
const SchemaName = "consolidation"

// Limit is how many memories a user should have after a run (S1.6).
const Limit = 50

// threshold is the number of memories that a user may have without a run (S1.3).
const threshold = 20

// Due reports whether a user with so many active memories takes part in the weekly run:
// strictly more than twenty (S1.3).
func Due(active int) bool { return active > threshold }

// PromptOptions says how a user's memories are shown to a model.
type PromptOptions struct {
	Language string    // from [Language]
	Now      time.Time // what "four weeks" is counted from
	// Nonce is the random word of the fence. It is the same for the same run, because a
	// question must not change between deliveries, and a publisher cannot know it.
	// Letters and digits, 16 or more.
	Nonce string
	// Tokens bounds the list, at four characters per token (D27); 0 shows all of it.
	// Memories are shown whole or not at all.
	Tokens int
	// Turn chooses which part of a list that is too long is shown: week by week another
	// one, so that every memory gets its turn.
	Turn int
}

// Question is what a model is asked about one user.
type Question struct {
	System string
	User   string
	Schema json.RawMessage
	// Version identifies language and wording. It changes with every letter of a
	// template.
	Version string
	// Subject identifies the list: another set of memories, or a changed one, is another
	// question and must not find the answer to this one.
	Subject string
	// Hidden is how many memories did not fit. They are kept.
	Hidden int

	shown map[string]string // memory ids by alias
}

//go:embed template
var templates embed.FS

// file returns one of the embedded templates.
func file(name string) string {
	text, err := templates.ReadFile("template/" + name)
	if err != nil {
		return "" // tests check that every template exists
	}
	return string(text)
}

// Prompt builds the question about the active memories of one user (S1.4, S1.5). The
// instructions stand before and after the list, so that the last words are never a
// memory's.
func Prompt(memories []memory.Memory, o PromptOptions) Question {
	language := o.Language
	if !slices.Contains(Languages(), language) {
		language = fallback
	}
	byID := aliases(memories)
	shown := fitting(memories, byID, o)
	var list strings.Builder
	q := Question{shown: make(map[string]string, len(shown)), Hidden: len(memories) - len(shown)}
	subject := sha256.New()
	fmt.Fprintf(&list, "<<<MEMORIES %s\n", o.Nonce)
	for i := range shown {
		m := &shown[i]
		alias := byID[m.ID]
		q.shown[alias] = m.ID
		fmt.Fprintf(subject, "%s %s %d\n", alias, m.ID, m.Version)
		list.WriteString(line(m, alias))
	}
	fmt.Fprintf(&list, "MEMORIES %s>>>", o.Nonce)
	q.Subject = hex.EncodeToString(subject.Sum(nil))[:16]
	q.System = file(language + "/system.txt")
	q.Schema = json.RawMessage(file("schema.json"))
	q.Version = version(language)
	q.User = strings.NewReplacer(
		"{{today}}", o.Now.UTC().Format(time.DateOnly), "{{count}}", strconv.Itoa(len(shown)), "{{list}}", list.String(),
	).Replace(file(language + "/user.txt"))
	return q
}

func version(language string) string {
	h := sha256.New()
	for _, name := range []string{language + "/system.txt", language + "/user.txt", "schema.json"} {
		text := file(name)
		fmt.Fprintf(h, "%s %d\n%s", name, len(text), text)
	}
	return "weekly-" + language + "-" + hex.EncodeToString(h.Sum(nil))[:12]
}

// shownMemory is one line of the list (S1.4).
type shownMemory struct {
	ID         string `json:"id"`
	Content    string `json:"content"`
	Category   string `json:"category"`
	Importance int    `json:"importance"`
	CreatedAt  string `json:"created_at"`
	LastSeen   string `json:"last_seen"`
	TimesSeen  int    `json:"times_seen"`
	Fixed      bool   `json:"fixed,omitempty"`
}

// line returns a memory as one line of JSON. Line ends and angle brackets are escaped in
// it, so that no text can close the fence or begin a line of its own.
func line(m *memory.Memory, alias string) string {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(shownMemory{
		ID: alias, Content: textOf(m), Category: categoryOf(m), Importance: m.Importance,
		CreatedAt: m.CreatedAt.UTC().Format(time.DateOnly), LastSeen: lastSeen(m).UTC().Format(time.DateOnly),
		TimesSeen: max(m.SeenCount, 1), Fixed: fixed(m) != "",
	}); err != nil {
		return "" // strings and numbers always encode
	}
	return b.String()
}

// textOf returns the whole text of a memory: title, description and content, in this
// order (D23). The description of a consolidated memory says where it came from, which is
// nothing to consolidate.
func textOf(m *memory.Memory) string {
	text := m.Text
	if m.Description != "" && !strings.Contains(text, m.Description) && !slices.Contains(m.Tags, memory.TagConsolidated) {
		text = m.Description + "\n" + text
	}
	if m.Title != "" && !strings.Contains(text, m.Title) {
		text = m.Title + "\n" + text
	}
	return text
}

// categoryOf returns the category that a model is shown. Memories that no publisher
// categorised are grouped by their kind.
func categoryOf(m *memory.Memory) string { return cmp.Or(m.Category, string(m.Kind)) }

// lastSeen returns when the statement was made or repeated last.
func lastSeen(m *memory.Memory) time.Time {
	last := m.CreatedAt
	for _, t := range []time.Time{m.ObservedAt, m.LastConfirmed} {
		if t.After(last) {
			last = t
		}
	}
	return last
}

// order sorts by category, then by creation (S1.4), then by id.
func order(memories []memory.Memory) []memory.Memory {
	out := slices.Clone(memories)
	slices.SortFunc(out, func(a, b memory.Memory) int {
		return cmp.Or(strings.Compare(categoryOf(&a), categoryOf(&b)), a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	return out
}

// fitting returns the memories of the list, in its order. When they do not all fit, the
// list is cut into parts that do, and Turn chooses one: neighbours in the list, which are
// what can be merged, stay together.
func fitting(memories []memory.Memory, byID map[string]string, o PromptOptions) []memory.Memory {
	all := order(memories)
	if o.Tokens <= 0 {
		return all
	}
	var parts [][]memory.Memory
	var part []memory.Memory
	room := 4 * o.Tokens
	for i := range all {
		size := len([]rune(line(&all[i], byID[all[i].ID])))
		if size > 4*o.Tokens {
			continue // longer than the whole budget: kept
		}
		if size > room {
			parts, part, room = append(parts, part), nil, 4*o.Tokens
		}
		part, room = append(part, all[i]), room-size
	}
	if len(part) > 0 {
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return nil
	}
	return parts[((o.Turn%len(parts))+len(parts))%len(parts)]
}
