package rules

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/extract"
)

// norms are the ways in which a person lays down how things are done, without a word such
// as "always" at the start. Each looks at a sentence without its interjection.
var norms = regexp.MustCompile(`(?i)` +
	// "must never be reset", "are always in English", "never go into values.yaml"
	`\b(?:must|may|should|can) (?:never|always|only)\b|\bmust not\b|\b(?:is|are|go|goes|get|gets) (?:always|never|only)\b|\b(?:always|never|only) (?:go|goes|be|get|gets|come|comes|live|lives|contain|contains)\b` +
	`|\b(?:muss|müssen|darf|dürfen|sollen?) (?:\S+ ){0,5}(?:immer|nie|niemals|nur|nicht|kein\w*)\b|\bbei uns (?:\S+ ){0,3}(?:nur|immer|nie|nicht|keine?)\b` +
	// "every new endpoint needs an entry", "no default exports in this codebase"
	`|^(?:every|each|all) (?:new |single )?\S+ (?:needs?|must|has to|have to|gets?)\b|^no (?:\w+[ -]){1,3}(?:in|on|without|into)\b|^jede[rs]? (?:neue[rs]? )?\S+ (?:braucht|muss|bekommt)\b|^keine? (?:\S+ ){1,3}(?:in|auf|ohne)\b` +
	// "we don't squash here", "wir schreiben Commits auf Englisch"
	`|^we (?:don't|do not) \w+ .{0,40}\bhere\b|\bwe use \S+ everywhere\b|^for \w+ we (?:use|have)\b|^wir (?:schreiben|testen|formatieren|committen|mergen|deployen|benennen) (?:\S+ ){0,4}(?:auf|in|nur|immer|nie|mit|ohne|nach|gegen)\b` +
	// "don't mock the database, use testcontainers"
	`|^(?:please )?(?:don't|do not|stop|never) \w+ .{3,60}[,;:] (?:use|we (?:use|have|prefer)|they are|it is|it's|take)\b|^(?:bitte )?(?:nicht|nie|keine?) .{3,60}[,;:] (?:nimm|nutze|verwende|wir (?:haben|nutzen|nehmen))\b` +
	// "I want you to always ask before …"
	`|^(?:i|we)(?:'d like| want| expect| would like) (?:you|us) to (?:\S+ ){0,3}?(?:always|never|only)\b|^(?:ich|wir) (?:will|wollen|möchten?|erwarten?), dass (?:du|wir) (?:\S+ ){0,3}?(?:immer|nie|niemals|nur|vor jede[mr]|nach jede[mr])\b` +
	`|` + reminding + `|^that's not how we \w+|^so \w+ wir (?:das )?nicht\b`)

// reminding matches how a person repeats a rule: "I wanted to remind you to always …".
const reminding = `\b(?:remind(?:ed)?|told|asked) you to ((?:always|never|only)\s)`

var remindsOf = regexp.MustCompile(`(?i)^.*?` + reminding)

// reminded returns the rule of which a sentence reminds, or the sentence.
func reminded(text string) string { return remindsOf.ReplaceAllString(text, "$1") }

// taste matches a lasting dislike: of a kind of things, not of the thing on the screen.
var taste = regexp.MustCompile(`(?i)^(?:(?:i|ich)\s+(?:really\s+|wirklich\s+)?(?:hate|dislike|loathe|detest|can't stand|cannot stand|hasse|verabscheue)|can't stand)\s+((?:(?:when|wenn) (?:that|this|it|das|dies|es)\b)?\S*)`)

// present matches the beginnings of what is at hand: "the ton of helpers", "how you did it",
// "wasting money".
var present = regexp.MustCompile(`(?i)^(?:the|this|that|these|those|it|how|your?|my|his|her|some|to|seeing|having|\w+ing|der|die|das|den|dies\w*|es|wie|dein\w*|dass|dich|(?:when|wenn) \w+)$`)

// tastes reports whether a person says what they never like to see.
func tastes(text string) bool {
	m := taste.FindStringSubmatch(interjection.ReplaceAllString(text, ""))
	n := len(strings.Fields(text))
	return m != nil && !present.MatchString(m[1]) && n >= 4 && n <= 30
}

// moment matches reports and trouble, which lay nothing down.
var moment = regexp.MustCompile(`(?i)^(?:i|ich)\b|\bhave (?:had|been)\b|\bshould (?:never|not|only) have \w+(?:ed|en|one|ade)\b|\b(?:fail\w*|errors?|crash\w*|broken|bugs?|saw|seen|happen\w*|fehler\w*|kaputt|jetzt|now|let's|lass uns|end(?:s|ed)? up|be (?:here|there)|screenshots?|bildschirm)\b`)

// told matches the beginning of a repeated order. The words "no" and "stop" behind it may
// belong to the order: "no default exports", "stop using moment".
var told = regexp.MustCompile(`(?i)^(?:as )?i (?:already )?(?:told|said)(?: you)?(?: before| already)?[,:]\s*`)

// wanted matches the rules that a person words as a wish of their own.
var wanted = regexp.MustCompile(`(?i)^(?:i|we|ich|wir)(?:'d| want| expect| would| will| wollen| möchten?| erwarten?)\b`)

// laysDown reports whether a sentence says how things are done here, now and later. A
// person is asked about it before it becomes a rule.
func laysDown(text string) bool {
	rest := fromNow.ReplaceAllString(interjection.ReplaceAllString(text, ""), "")
	held := heldIn.ReplaceAllString(rest, "")
	n := len(strings.Fields(rest))
	wants := wanted.MatchString(rest) || remindsOf.MatchString(rest)
	if n < 4 || n > 30 || moment.MatchString(rest) && !wants || asksFor.MatchString(rest) || history.MatchString(rest) || vague.MatchString(held) {
		return false
	}
	return norms.MatchString(held) || norms.MatchString(told.ReplaceAllString(text, "")) || held != rest && contrasts.MatchString(held)
}

// contrasted matches a statement with the value that it corrects: "the port is 8443, not
// 8080".
var contrasted = regexp.MustCompile(`(?i)^(?:the|our|der|die|das|unser|unsere)\s.{2,40}\b(?:is|are|ist|sind|heißt|steht|liegt)\s.{1,40}, (?:not|nicht|never|nie)\s`)

// opposes reports whether a sentence names what is and what is not.
func opposes(text string) bool {
	rest := interjection.ReplaceAllString(text, "")
	return contrasted.MatchString(rest) && !asks.MatchString(rest) && !moment.MatchString(rest) && len(extract.Claims(rest)) > 0
}
