package survival

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// erringModel answers the weekly question like a good model that is wrong in a share of
// its judgements: it deletes what is needed, merges what does not belong together, invents,
// and overlooks. It reads the question as it was asked, so the prompt's form is tested too.
type erringModel struct {
	rng    *rand.Rand
	erring float64
	truth  map[string]note // by text
	now    time.Time

	runs, judgements, misjudged int
}

// What the model invents: a number and a name that no memory has.
const (
	inventedSum  = "4711"
	inventedName = "Hargrove"
)

// The model's answer, in the contract's form.
type (
	modelAnswer struct {
		Keep   []modelNamed `json:"keep"`
		Merge  []modelMerge `json:"merge"`
		Delete []modelNamed `json:"delete"`
	}
	modelNamed struct {
		ID     string `json:"id"`
		Reason string `json:"reason"`
	}
	modelMerge struct {
		IDs        []string `json:"ids"`
		Content    string   `json:"merged_content"`
		Category   string   `json:"category"`
		Importance int      `json:"importance"`
	}
	modelLine struct {
		ID       string `json:"id"`
		Content  string `json:"content"`
		Category string `json:"category"`
		LastSeen string `json:"last_seen"`
		Fixed    bool   `json:"fixed"`
	}
)

// answer reads the list in a question and says what to do with it.
func (m *erringModel) answer(question string) string {
	groups := map[string][]modelLine{}
	var keys []string
	for line := range strings.Lines(question) {
		var l modelLine
		if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &l) != nil {
			continue
		}
		key := m.truth[l.Content].key
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], l)
	}
	a := modelAnswer{Keep: []modelNamed{}, Merge: []modelMerge{}, Delete: []modelNamed{}}
	taken := map[string]bool{}
	for i, key := range keys {
		if taken[key] {
			continue
		}
		taken[key] = true
		m.judgements++
		if m.rng.Float64() < m.erring {
			m.misjudged++
			var other []modelLine
			if next := keys[(i+1)%len(keys)]; !taken[next] {
				other = groups[next]
			}
			if m.err(&a, groups[key], other) && other != nil {
				taken[keys[(i+1)%len(keys)]] = true
			}
			continue
		}
		m.judge(&a, groups[key])
	}
	text, err := json.Marshal(a)
	if err != nil {
		return ""
	}
	// As often as it misjudges, the whole answer breaks the contract.
	if m.runs++; m.erring > 0 && m.runs%max(int(1/m.erring), 1) == 0 {
		m.misjudged++
		return m.garbled(a, string(text))
	}
	return string(text)
}

// judge is the right answer about the rows of one key.
func (m *erringModel) judge(a *modelAnswer, rows []modelLine) {
	n := m.truth[rows[0].Content]
	switch {
	case rows[0].Fixed:
		a.keep(rows)
	case len(rows) > 1:
		category := rows[0].Category
		if n.class == notePlan || n.class == noteDeed {
			category = "achieved"
		}
		a.Merge = append(a.Merge, modelMerge{IDs: idsOf(rows), Content: n.merged, Category: category, Importance: 6})
	case n.class == noteOutdated:
		a.delete(rows, "outdated")
	case n.class == noteEmotion && m.older(rows[0], 28):
		a.delete(rows, "emotion, not repeated")
	default:
		a.keep(rows)
	}
}

// err is one of the wrong answers. It reports whether it used the other rows too.
func (m *erringModel) err(a *modelAnswer, rows, other []modelLine) bool {
	both := func(content string, importance int) bool {
		if other == nil {
			a.keep(rows)
			return false
		}
		a.Merge = append(a.Merge, modelMerge{IDs: idsOf(append(slices.Clone(rows), other...)), Content: content, Category: rows[0].Category, Importance: importance})
		return true
	}
	right := m.truth[rows[0].Content].merged
	switch m.rng.IntN(5) {
	case 0: // deletes what is needed
		a.delete(rows, "irrelevant")
	case 1: // lets one of two different things disappear
		return both(right, 9)
	case 2: // says of one thing what is true of another
		words := strings.Fields(right)
		if other != nil {
			words = append(words[:len(words)/2], strings.Fields(other[0].Content)[min(3, len(words)/2):]...)
		}
		return both(strings.Join(words, " "), 1)
	case 3: // invents
		if len(rows) < 2 {
			a.keep(rows)
			return false
		}
		a.Merge = append(a.Merge, modelMerge{IDs: idsOf(rows), Content: right + " Owes " + inventedSum + " euros to Mr " + inventedName + ".", Category: rows[0].Category, Importance: 10})
	default: // overlooks
		a.keep(rows)
	}
	return false
}

// garbled breaks the contract in one of the ways that S1.21 lists.
func (m *erringModel) garbled(a modelAnswer, text string) string {
	switch m.rng.IntN(4) {
	case 0:
		return text[:len(text)/2]
	case 1:
		return "I have merged the memories as you asked.\n" + text
	case 2:
		return strings.Replace(text, `"keep":`, `"kept":`, 1)
	default:
		a.Delete = append(a.Delete, modelNamed{ID: "mnopqr", Reason: "outdated"})
		out, err := json.Marshal(a)
		if err != nil {
			return ""
		}
		return string(out)
	}
}

func (m *erringModel) older(l modelLine, days int) bool {
	at, err := time.Parse(time.DateOnly, l.LastSeen)
	return err == nil && m.now.Sub(at) > time.Duration(days+1)*24*time.Hour
}

func (a *modelAnswer) keep(rows []modelLine) {
	for _, r := range rows {
		a.Keep = append(a.Keep, modelNamed{ID: r.ID, Reason: "unique"})
	}
}

func (a *modelAnswer) delete(rows []modelLine, reason string) {
	for _, r := range rows {
		a.Delete = append(a.Delete, modelNamed{ID: r.ID, Reason: reason})
	}
}

func idsOf(rows []modelLine) []string {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids
}
