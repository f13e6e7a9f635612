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
	// unmended matches entries about a problem that is not fixed, or was none.
	unmended = regexp.MustCompile(`\bCURRENT\b|(?i)\b(?:un(?:resolved|solved|fixed)|in progress|pending|blocking|attempted|workaround failed|still (?:fail\w*|broken|open|occurs?|investigating)|not (?:yet |been )?(?:fixed|resolved|solved|verified)|need(?:s)? to (?:fix|restructure|investigate|be (?:fixed|investigated))|not (?:a )?real (?:errors?|bugs?|issues?)|false alarm|expected (?:during|while|until|since|as|because)|intermediate|ungelöst|noch (?:nicht|offen)|kein(?:e)? echter? fehler|erwartet(?:e[rsn]?)? (?:während|weil)|schlägt (?:weiter|immer noch))\b|(?i)(?:^|[:.]\s+)(?:as )?expected\b(?:\.|,|;|$| \w)|(?i)(?:^|:\s+)todo\b`)
	// mends matches the statement that a problem was fixed.
	mends = regexp.MustCompile(`(?i)\b(?:fix(?:ed|es)?|(?:re)?solve[ds]?|used?|using|switch\w*|chang\w+|set|moved?|re(?:wrote|written|write|placed?|moved)|convert\w*|configur\w+|pinned|ran|run(?:ning)?|adding|added|avoided|worked around|instead|needed|required|must|behoben|gelöst|geändert|ersetzt|umgestellt|verwende\w*|nutz\w+|gesetzt|ausgeführt|nötig|erforderlich|hinzugefügt|umgeschrieben)\b`)
	// mechanism matches how tools and systems behave: the part of a lesson that
	// is still true when the code has changed.
	mechanism = regexp.MustCompile(`(?i)\b(?:(?:does|did|do|was|were|is|are)(?:n['’]t| not) (?:exist|support|track|see|know|include|accept|allow|export|inherit|share|match|handle|run|load|read|persist|work|supported|available|loaded|inherited|shared|visible)\w*|can(?:['’]t|not| not|not be) \w+|unsupported|only (?:supports?|works?|accepts?|allows?|runs?)|requires?|(?:was|is|were|are) (?:required|needed|gitignored|read-only|deprecated)|needed (?:inside|before|in|for|when)|needs [a-z]+|breaks?|silently|because|caused by|due to|(?:was|were|is) (?:the )?wrong|blocked by|refuse[sd]?|reject(?:s|ed)|expects|instead of just` +
		`|weil|liegt (?:daran|an)|existiert nicht|unterstützt|kann (?:\S+ ){0,4}nicht|benötigt|erwartet|verlangt|war (?:nötig|falsch|erforderlich)|wird (?:ignoriert|abgelehnt))\b|gitignored`)
	// contrast matches the wrong way; swapped matches both ways, in code.
	contrast = regexp.MustCompile(`(?i)\b(?:instead(?: of)?|rather than|in favou?r of|statt(?:dessen)?|anstatt|not an? \w+)\b`)
	swapped  = regexp.MustCompile("(?i)\\b(?:chang|convert|switch|replac|ersetz|änder)\\w* [^.`]{0,30}`[^`]+`.{0,60}? (?:to|with|into|by|durch|zu|in) [^.`]{0,30}`")
	// established matches the project's own ways.
	established = regexp.MustCompile(`(?i)\b(?:already (?:established|used|existing) |same pattern|existing pattern|convention|house style|wie (?:schon|bisher|im übrigen)|übliche[nsr]? muster)\b`)
	// limit matches a number that a tool enforces.
	limit = regexp.MustCompile(`(?i)\((?:max|limit|at most|min|höchstens)\b[^)]*\d[^)]*\)|\(\w* ?\d+ ?[>≥] ?(?:max )?\d+\)`)
	// ordered matches commands in backticks with an argument.
	ordered = regexp.MustCompile("`(?:(?:npx|pnpm|npm|yarn|bun|mix|go|cargo|make|just|git|docker|kubectl|terraform|poetry|uv|pip|pytest|python3?|node|deno|ruby|bundle|rails|rake|gradle|mvn|dotnet|swift|cmake|bazel|composer|php|alembic|prisma|black|ruff|eslint|prettier|gofmt)\\s)[^`\n]+`")
	// routine matches the by-products of every edit: names that no longer
	// exist, forgotten parts. They teach only together with a mechanism.
	routine = regexp.MustCompile(`(?i)\b(?:undefined|unused|undeclared|typos?|tippfehler|syntax|misspel\w+|missing (?:import|alias|function|comma|bracket|parenthes[ie]s|module|file|method|argument|definition)|unbenutzt\w*|undefiniert\w*|fehlende[rsn]? (?:import|funktion|klammer|datei))\b`)
	renamed = regexp.MustCompile(`(?i)\b(?:(?:was|were|been|be|got) renamed|renaming|renamed (?:to|from)|umbenannt|not (?:yet )?(?:created|written)|forgot\w*|left ?over|vergessen)\b`)
	// bypasses matches ways around a guard, which are never a lesson.
	bypasses = regexp.MustCompile(`(?i)--no-verify\b|bypass\w*permission|\bdangerously|\w://[^\s/]*:[^\s/]*@|--insecure\b|\bchmod\s+(?:-R\s+)?777\b|\brm\s+-rf?\b|\bpush\s+(?:\S+\s+)*(?:-f|--force)\b|\bverify\s*=\s*false\b|\bskip(?:ped|ping|s)?\b.{0,20}\b(?:tests?|hooks?|checks?)\b|\b(?:curl|wget|sudo)\b|https?://`)
	// labelled matches the label of an entry's part. A person's words that the
	// agent reports are not the agent's to propose.
	labelled = regexp.MustCompile(`(?i)^\**(?:errors?|problem|issue|symptom|fehler|fix|solution|resolution|cause|root cause|reason|lösung|ursache|behebung|grund)\**\s*:\**\s*`)
	feedback = regexp.MustCompile(`(?i)^\**(?:user|human|nutzer|anwender)\b`)
	// ticket matches a number at the start of a symptom that is meaningless a
	// month later.
	ticket = regexp.MustCompile(`^(?:[A-Za-z]+[-.]?)?[\w]*[-.]\d+:\s|^#\d+:?\s`)
	// deed matches a change described where a symptom belongs.
	deed = regexp.MustCompile(`(?i)^(?:added|removed|renamed|created|updated|fixed|moved|extracted|implemented|\d+ (?:failing|failed|tests?|errors?))\b`)
	// story matches a narrative of the day.
	story = regexp.MustCompile(`\bI\b|\b[Mm]y (?:\S+ )?(?:enhancement|change|edit|implementation|code|fix|patch)\w*\b|(?i)\b(?:user (?:said|asked|corrected|reported|wanted|wants|noticed|pointed|clarified|feedback)|accident\w*|(?:first|second|third) (?:attempt|try)|multiple times|timed out (?:again|multiple)|ich|versehentlich|(?:erster|zweiter) versuch)\b`)
)

// Bounds of a lesson from a summary, in characters.
const (
	minLesson = 40
	maxLesson = 600
	maxLines  = 8
)

// signs lists what makes an entry worth proposing.
var signs = []struct {
	expr   *regexp.Regexp
	points int
}{{mechanism, 2}, {limit, 2}, {ordered, 2}, {swapped, 2}, {contrast, 1}, {established, 1}}

// worthy is the least weight of an entry: one sign that it is about more than
// that day, or two weak ones.
const worthy = 2

// lesson returns what an entry about an error teaches; empty where the entry is
// about that day only.
func lesson(l transcript.Line, p point, de bool) candidate {
	symptom, fix := split(&p)
	text := sentence(symptom) + " " + sentence(fix)
	n := utf8.RuneCountInString(text)
	switch {
	case symptom == "" || len(strings.Fields(fix)) < 3 || n < minLesson || n > maxLesson || len(p.lines) > maxLines, feedback.MatchString(symptom):
		return candidate{}
	case unmended.MatchString(text), !mends.MatchString(fix), deed.MatchString(symptom), ticket.MatchString(symptom), story.MatchString(text), unsure.MatchString(text), !concrete(text):
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
		Title: titleOf(symptom, de), Description: describe(symptom, de), Tags: tagged(text),
	}}
}

// split separates an entry into the problem and the fix, in the agent's words,
// without the marks of the list. It removes lines that report a person's words
// from the entry.
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

// plain returns a text without the marks of bold type.
func plain(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "**", "")) }

// parted splits an entry's first line after the name of the problem: after the
// first bold text, colon or sentence.
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

// concrete reports whether a text names something and gives no orders. In code
// only what leaves the machine or bypasses a guard is checked.
func concrete(text string) bool {
	return named(text) && !bypasses.MatchString(text) && !strings.Contains(text, "⟨secret") &&
		!orders.MatchString(extract.CodeSpan.ReplaceAllString(text, "x"))
}

// titleOf returns a symptom as a title: without brackets, and cut between words
// where that is still too long.
func titleOf(symptom string, de bool) string {
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

// tagged returns the program that a lesson names.
func tagged(text string) []string {
	if m := ordered.FindString(text); m != "" {
		return []string{program(strings.Trim(m, "`"))}
	}
	return nil
}
