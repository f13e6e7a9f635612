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
	// unmended entries tell of what is not mended, or was nothing.
	unmended = regexp.MustCompile(`\bCURRENT\b|(?i)\b(?:un(?:resolved|solved|fixed)|in progress|pending|blocking|attempted|workaround failed|still (?:fail\w*|broken|open|occurs?|investigating)|not (?:yet |been )?(?:fixed|resolved|solved|verified)|need(?:s)? to (?:fix|restructure|investigate|be (?:fixed|investigated))|not (?:a )?real (?:errors?|bugs?|issues?)|false alarm|expected (?:during|while|until|since|as|because)|intermediate|ungelöst|noch (?:nicht|offen)|kein(?:e)? echter? fehler|erwartet(?:e[rsn]?)? (?:während|weil)|schlägt (?:weiter|immer noch))\b|(?i)(?:^|[:.]\s+)(?:as )?expected\b(?:\.|,|;|$| \w)|(?i)(?:^|:\s+)todo\b`)
	// mends says that something was done about it.
	mends = regexp.MustCompile(`(?i)\b(?:fix(?:ed|es)?|(?:re)?solve[ds]?|used?|using|switch\w*|chang\w+|set|moved?|re(?:wrote|written|write|placed?|moved)|convert\w*|configur\w+|pinned|ran|run(?:ning)?|adding|added|avoided|worked around|instead|needed|required|must|behoben|gelöst|geändert|ersetzt|umgestellt|verwende\w*|nutz\w+|gesetzt|ausgeführt|nötig|erforderlich|hinzugefügt|umgeschrieben)\b`)
	// mechanism says how the world is: the part of a lesson that is still true
	// when the code has changed.
	mechanism = regexp.MustCompile(`(?i)\b(?:(?:does|did|do|was|were|is|are)(?:n['’]t| not) (?:exist|support|track|see|know|include|accept|allow|export|inherit|share|match|handle|run|load|read|persist|work|supported|available|loaded|inherited|shared|visible)\w*|can(?:['’]t|not| not|not be) \w+|unsupported|only (?:supports?|works?|accepts?|allows?|runs?)|requires?|(?:was|is|were|are) (?:required|needed|gitignored|read-only|deprecated)|needed (?:inside|before|in|for|when)|needs [a-z]+|breaks?|silently|because|caused by|due to|(?:was|were|is) (?:the )?wrong|blocked by|refuse[sd]?|reject(?:s|ed)|expects|instead of just` +
		`|weil|liegt (?:daran|an)|existiert nicht|unterstützt|kann (?:\S+ ){0,4}nicht|benötigt|erwartet|verlangt|war (?:nötig|falsch|erforderlich)|wird (?:ignoriert|abgelehnt))\b|gitignored`)
	// contrast names the wrong way; swapped names both, in code.
	contrast = regexp.MustCompile(`(?i)\b(?:instead(?: of)?|rather than|in favou?r of|statt(?:dessen)?|anstatt|not an? \w+)\b`)
	swapped  = regexp.MustCompile("(?i)\\b(?:chang|convert|switch|replac|ersetz|änder)\\w* [^.`]{0,30}`[^`]+`.{0,60}? (?:to|with|into|by|durch|zu|in) [^.`]{0,30}`")
	// established ways are the house's own.
	established = regexp.MustCompile(`(?i)\b(?:already (?:established|used|existing) |same pattern|existing pattern|convention|house style|wie (?:schon|bisher|im übrigen)|übliche[nsr]? muster)\b`)
	// limit is a number that a tool enforces.
	limit = regexp.MustCompile(`(?i)\((?:max|limit|at most|min|höchstens)\b[^)]*\d[^)]*\)|\(\w* ?\d+ ?[>≥] ?(?:max )?\d+\)`)
	// ordered commands stand in backticks with an argument.
	ordered = regexp.MustCompile("`(?:(?:npx|pnpm|npm|yarn|bun|mix|go|cargo|make|just|git|docker|kubectl|terraform|poetry|uv|pip|pytest|python3?|node|deno|ruby|bundle|rails|rake|gradle|mvn|dotnet|swift|cmake|bazel|composer|php|alembic|prisma|black|ruff|eslint|prettier|gofmt)\\s)[^`\n]+`")
	// routine is what every edit brings with it: names that are gone, things that
	// were forgotten. It teaches only where a mechanism stands behind it.
	routine = regexp.MustCompile(`(?i)\b(?:undefined|unused|undeclared|typos?|tippfehler|syntax|misspel\w+|missing (?:import|alias|function|comma|bracket|parenthes[ie]s|module|file|method|argument|definition)|unbenutzt\w*|undefiniert\w*|fehlende[rsn]? (?:import|funktion|klammer|datei))\b`)
	renamed = regexp.MustCompile(`(?i)\b(?:(?:was|were|been|be|got) renamed|renaming|renamed (?:to|from)|umbenannt|not (?:yet )?(?:created|written)|forgot\w*|left ?over|vergessen)\b`)
	// bypasses are ways around a guard. They are no lesson, whoever took them.
	bypasses = regexp.MustCompile(`(?i)--no-verify\b|bypass\w*permission|\bdangerously|\w://[^\s/]*:[^\s/]*@|--insecure\b|\bchmod\s+(?:-R\s+)?777\b|\brm\s+-rf?\b|\bpush\s+(?:\S+\s+)*(?:-f|--force)\b|\bverify\s*=\s*false\b|\bskip(?:ped|ping|s)?\b.{0,20}\b(?:tests?|hooks?|checks?)\b|\b(?:curl|wget|sudo)\b|https?://`)
	// labelled begins the part of an entry that is called so; a person's word that
	// the agent reports is the person's to give.
	labelled = regexp.MustCompile(`(?i)^\**(?:errors?|problem|issue|symptom|fehler|fix|solution|resolution|cause|root cause|reason|lösung|ursache|behebung|grund)\**\s*:\**\s*`)
	feedback = regexp.MustCompile(`(?i)^\**(?:user|human|nutzer|anwender)\b`)
	// ticket begins a symptom with a number that nobody knows next month.
	ticket = regexp.MustCompile(`^(?:[A-Za-z]+[-.]?)?[\w]*[-.]\d+:\s|^#\d+:?\s`)
	// deed is a symptom that is none.
	deed = regexp.MustCompile(`(?i)^(?:added|removed|renamed|created|updated|fixed|moved|extracted|implemented|\d+ (?:failing|failed|tests?|errors?))\b`)
	// story is what happened that day, told by whom it happened to.
	story = regexp.MustCompile(`\bI\b|\b[Mm]y (?:\S+ )?(?:enhancement|change|edit|implementation|code|fix|patch)\w*\b|(?i)\b(?:user (?:said|asked|corrected|reported|wanted|wants|noticed|pointed|clarified|feedback)|accident\w*|(?:first|second|third) (?:attempt|try)|multiple times|timed out (?:again|multiple)|ich|versehentlich|(?:erster|zweiter) versuch)\b`)
)

// Bounds of a lesson from a summary, in characters.
const (
	minLesson = 40
	maxLesson = 600
)

// signs are what makes an entry worth keeping.
var signs = []struct {
	expr   *regexp.Regexp
	points int
}{{mechanism, 2}, {limit, 2}, {ordered, 2}, {swapped, 2}, {contrast, 1}, {established, 1}}

// worthy is what an entry has to be worth: one sign that it is about more than
// that day, or two weak ones.
const worthy = 2

// lesson is what an entry about an error teaches; empty where it is about that
// day only.
func lesson(l transcript.Line, p point, de bool) candidate {
	symptom, fix := split(&p)
	text := sentence(symptom) + " " + sentence(fix)
	n := utf8.RuneCountInString(text)
	switch {
	case symptom == "" || len(strings.Fields(fix)) < 3 || n < minLesson || n > maxLesson || len(p.lines) > extract.MaxQuotes, feedback.MatchString(symptom):
		return candidate{}
	case unmended.MatchString(text), !mends.MatchString(fix), deed.MatchString(symptom), ticket.MatchString(symptom), story.MatchString(text), unsure.MatchString(text), !told(text):
		return candidate{}
	case renamed.MatchString(text), routine.MatchString(symptom) && !mechanism.MatchString(text):
		return candidate{}
	}
	worth := 0
	for _, s := range signs {
		if s.expr.MatchString(text) {
			worth += s.points
		}
	}
	if worth < worthy {
		return candidate{}
	}
	return candidate{rank: rankSummed, worth: worth, turn: l.N, Extraction: extract.Extraction{
		Kind: memory.KindStrategy, Outcome: extract.OutcomeSuccess, Text: text, Evidence: p.quotes(l),
		Title: heard(symptom, de), Description: describe(symptom, de), Tags: tagged(text),
	}}
}

// split parts an entry into what went wrong and what was done, as the agent says
// it, without the marks of the list. Lines that report a person are taken out of
// the entry.
func split(p *point) (symptom, fix string) {
	lines := p.lines[:1]
	var rest []string
	for _, line := range p.lines[1:] {
		if feedback.MatchString(line) {
			continue
		}
		lines = append(lines[:len(lines):len(lines)], line)
		rest = append(rest, sentence(plain(labelled.ReplaceAllString(line, ""))))
	}
	p.lines = lines
	symptom, fix = parted(lines[0])
	if labelled.MatchString(symptom+":") && len(rest) > 0 {
		symptom, fix = fix, ""
	}
	if fix != "" && len(rest) > 0 {
		fix = sentence(fix)
	}
	return symptom, strings.TrimSpace(labelled.ReplaceAllString(fix, "") + " " + strings.Join(rest, " "))
}

// plain is a text without the marks of bold type.
func plain(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "**", "")) }

// parted cuts an entry's first line after the name of the trouble: behind what is
// in bold type, at the colon or the end of the sentence that comes first.
func parted(line string) (name, rest string) {
	from := 0
	if strings.HasPrefix(line, "**") {
		if i := strings.Index(line[2:], "**"); i >= 0 {
			from = i + 2
		}
	}
	code := strings.Count(line[:from], "`")%2 == 1
	for i := from; i < len(line); i++ {
		switch c := line[i]; {
		case c == '`':
			code = !code
		case code || i+1 < len(line) && line[i+1] != ' ' && !strings.HasPrefix(line[i+1:], "** "):
		case c == ':' || c == '.' && !extract.Abbreviated(line[:i+1]):
			return strings.TrimRight(plain(line[:i]), ":"), plain(line[i+1:])
		}
	}
	return plain(line), ""
}

// told reports a text that names something and tells nobody what to do. Code is
// looked at for what leaves the machine or goes around a guard only.
func told(text string) bool {
	return named(text) && !bypasses.MatchString(text) && !strings.Contains(text, "⟨secret") &&
		!orders.MatchString(extract.CodeSpan.ReplaceAllString(text, "x"))
}

// heard is a symptom as a title: without what stands in brackets, and cut between
// words where that is not enough.
func heard(symptom string, de bool) string {
	if utf8.RuneCountInString(symptom) <= extract.MaxTitle {
		return symptom
	}
	short := strings.Join(strings.Fields(bracketed.ReplaceAllString(symptom, " ")), " ")
	if utf8.RuneCountInString(short) <= extract.MaxTitle && short != "" {
		return short
	}
	short = extract.Ellipsis(short, extract.MaxTitle)
	if strings.Count(short, "`")%2 == 1 { // half a name is another name
		if short = strings.TrimRight(short[:strings.LastIndexByte(short, '`')], " ,;:–-("); short != "" {
			short += "…"
		}
	}
	switch {
	case short != "":
		return short
	case de:
		return "Ein Fehler und seine Behebung"
	}
	return "An error and its fix"
}

var bracketed = regexp.MustCompile(`\s+\([^()]*\)`)

func describe(symptom string, de bool) string {
	if de {
		return extract.Ellipsis("Wenn dies vorkommt: "+symptom, extract.MaxDescription-1) + "."
	}
	return extract.Ellipsis("When this comes up: "+symptom, extract.MaxDescription-1) + "."
}

// tagged is the program that a lesson names.
func tagged(text string) []string {
	if m := ordered.FindString(text); m != "" {
		return []string{program(strings.Trim(m, "`"))}
	}
	return nil
}
