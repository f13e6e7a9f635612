package rules

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

var (
	// holds matches statements of a summary about how the project works, beyond
	// what was built that day.
	holds = regexp.MustCompile(`(?i)\b(?:(?:this|the) (?:project|repo|repository|codebase|build|pipeline|ci) (?:uses?|requires?|enforces?|expects?|keeps?|runs?|has no|does(?:n['’]t| not))|must be \w+|(?:is|are|mode) required (?:for|to|by|before)|required for|(?:is|are) gitignored|often needs?|hooks? (?:enforc\w+|requir\w+|run(?:s|ning)?|block\w*)|(?:does|do)(?:n['’]t| not) support|only (?:works|supports|accepts)` +
		`|(?:dieses|das) (?:projekt|repo|repository) (?:nutzt|verwendet|verlangt|erwartet|braucht)|(?:muss|müssen) \S+ \S*(?:werden)|(?:ist|sind) (?:erforderlich|nötig|pflicht) (?:für|vor|bei)|unterstützt (?:\S+ ){0,3}(?:nicht|nur))\b`)
	// learnt matches the introduction of what was learned.
	learnt = regexp.MustCompile(`(?i)^(?:[^:` + "`" + `]{3,60}:\s+)?(?:established|learned|found|discovered|realized|noted|confirmed|festgestellt|gelernt|bestätigt)(?: out)?,? (?:that|dass)\s+`)
	// did matches news of the day.
	did = regexp.MustCompile(`(?i)(?:^|\s)(?:added|created|implemented|extracted|designed|built|refactored|moved|we (?:will|need)|next step|i (?:will|need)|was (?:added|created)|hinzugefügt|angelegt|umgesetzt|entworfen)\b`)
)

// maxInsight is the length of a statement in characters: a longer one explains.
const maxInsight = 200

// insight returns the lasting statement of an entry about concepts; empty where
// the entry only lists what was used. An insight ranks below a lesson.
func insight(l transcript.Line, p point) candidate {
	if len(p.lines[0]) > extract.MaxQuote {
		return candidate{}
	}
	for _, part := range spans(plain(p.lines[0])) {
		text := learnt.ReplaceAllString(strings.TrimSpace(part), "")
		n := utf8.RuneCountInString(text)
		if n < minLesson || n > maxInsight || !holds.MatchString(text) || did.MatchString(text) || unmended.MatchString(text) || unsure.MatchString(text) ||
			passing.MatchString(text) || back.MatchString(text) && !thisProject.MatchString(text) || !concrete(text) || strings.HasSuffix(text, "?") || strings.HasSuffix(text, ":") {
			continue
		}
		return candidate{rank: rankSummed, worth: 1, turn: l.N, Extraction: extract.Extraction{
			Kind: memory.KindFact, Text: sentence(text), Evidence: []extract.Quote{{Turn: l.N, Text: p.lines[0]}},
		}}
	}
	return candidate{}
}
