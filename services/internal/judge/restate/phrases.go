package restate

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// phrases are several words that mean what one does.
var phrases = readPhrases(`
delete: get rid of | gets rid of | getting rid of
skip: lässt aus
: more than | greater than | larger than | longer than | bigger than | higher than | less than | fewer than | smaller than | shorter than | lower than
twice: two times | zwei mal
search: look up | looks up
add: put in
depend: relies on | rely on
fail: go red | goes red | went red | gone red | turn red | turns red | turned red
own: on its own | by itself | by themselves | of itself | on their own | von selbst
`)

// phrasal are the verbs of English that mean something of their own with a particle, with a verb
// that means the same; every form of the verb counts. The particle may stand behind the object.
const phrasal = `
delete: throw away, throw out, clear away, clear out, wipe out, cross out, strike out, take out, take away, clean up, tidy up, weed out
skip: leave out, pass over, miss out
continue: carry on, go on, keep on
disable: switch off, turn off, shut off, cut off
enable: switch on, turn on
stop: shut down, give up, call off, break off, drop out, run down
restore: bring back, roll back, put back, win back, get back
return: come back, go back, hand back, give back, send back
notice: pick up, find out, make out
fallback: fall back
start: boot up, start up, set in, kick off, fire up, spin up, bring up, kick in, set off
reject: turn away, turn down, send away, keep out, shut out, rule out, filter out
exhaust: run out, use up, eat up
keep: hold on, hang on, hold back
correct: put right, set right, sort out, iron out
close: hang up, close down, lock up
lag: fall behind, lag behind, trail behind
perform: carry out
compute: work out, figure out
fill: top up, fill up, fill in
create: set up, make up, draw up
distribute: hand out, give out, roll out, send out, farm out
wait: hold off, put off
increase: go up, build up, push up, move up
decrease: go down, come down, bring down, cut down, run low
end: wind up, wrap up, finish up, end up
disconnect: drop off, fall off, log off
register: sign up, sign in, check in, log in
distinguish: tell apart
replace: swap out, change over, switch over
print: write out, print out
list: write down, note down, put down
`

type phrase struct {
	words []string
	head  string
}

func readPhrases(list string) map[string][]phrase {
	out := map[string][]phrase{}
	for line := range strings.Lines(strings.TrimSpace(list)) {
		head, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		for p := range strings.SplitSeq(rest, "|") {
			w := strings.Fields(p)
			out[w[0]] = append(out[w[0]], phrase{w, head})
		}
	}
	for line := range strings.Lines(strings.TrimSpace(phrasal)) {
		head, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		for p := range strings.SplitSeq(rest, ",") {
			verb, particle, _ := strings.Cut(strings.TrimSpace(p), " ")
			for _, form := range inflected(verb) {
				out[form] = append(out[form], phrase{[]string{form, particle}, head})
			}
		}
	}
	return out
}

// inflected returns the forms of an English verb.
func inflected(verb string) []string {
	forms := []string{verb}
	stem := strings.TrimSuffix(verb, "e")
	if n := len(verb); n > 2 && !strings.ContainsAny(verb[n-1:], "aeiouwy") && strings.ContainsAny(verb[n-2:n-1], "aeiou") && !strings.ContainsAny(verb[n-3:n-2], "aeiou") {
		stem = verb + verb[n-1:] // "cutting", "dropped"
	}
	switch {
	case strings.HasSuffix(verb, "s"), strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "ch"), strings.HasSuffix(verb, "x"), verb == "go":
		forms = append(forms, verb+"es")
	case strings.HasSuffix(verb, "rry"), strings.HasSuffix(verb, "idy"):
		forms = append(forms, strings.TrimSuffix(verb, "y")+"ies", strings.TrimSuffix(verb, "y")+"ied")
	default:
		forms = append(forms, verb+"s")
	}
	forms = append(forms, stem+"ing")
	irregular := false
	for form, infinitive := range bases {
		if infinitive == verb {
			forms, irregular = append(forms, form), true
		}
	}
	if !irregular && verb != "put" && verb != "set" && verb != "cut" && verb != "shut" {
		forms = append(forms, strings.TrimSuffix(stem, "e")+"ed")
	}
	return forms
}

// maxObject is how many words of an object stand between a verb and its particle at most.
const maxObject = 4

// phraseAt returns the head of the phrase that begins at i and its last token, i without.
func phraseAt(tokens []memory.Token, i int) (string, int) {
next:
	for _, p := range phrases[tokens[i].Value] {
		if i+len(p.words) > len(tokens) {
			continue
		}
		for k, w := range p.words {
			if tokens[i+k].Value != w || k > 0 && tokens[i+k].Sep != 0 {
				continue next
			}
		}
		return p.head, i + len(p.words) - 1
	}
	return "", i
}

// partedAt returns the head of the verb at i whose particle stands behind its object, at the end
// of its clause: "throws a recorded point away". It is empty for other words.
func partedAt(tokens []memory.Token, i int) string {
	all := phrases[tokens[i].Value]
	if len(all) == 0 || i > 0 && determiner[tokens[i-1].Value] { // "a locked attempt"
		return ""
	}
	for j := i + 2; j < len(tokens) && j <= i+1+maxObject; j++ {
		if j-1 > i && (tokens[j-1].Sep != 0 || adposition[tokens[j-1].Value] || auxiliaries[tokens[j-1].Value]) || tokens[j].Sep != 0 {
			return ""
		}
		if j+1 < len(tokens) && tokens[j+1].Sep == 0 && !conjunctions[tokens[j+1].Value] && !adposition[tokens[j+1].Value] {
			continue
		}
		for _, p := range all {
			if len(p.words) == 2 && p.head != "" && p.words[1] == tokens[j].Value {
				return p.head
			}
		}
	}
	return ""
}
