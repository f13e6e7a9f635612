package told

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

var (
	// pairs matches "user / value" and its like at the beginning of a string.
	pairs = regexp.MustCompile(`^["'\x60„“]?([A-Za-z0-9][\w.@+-]{0,60})["'\x60“”]?\s{0,2}(?:/|\||,|:|\+|and|und|with|mit|→|->)\s{0,2}(?:(?i:the |dem |das |password |passwort |kennwort |pw |pass ){0,3})["'\x60„“]?([^\s"'\x60“”]{4,100})`)
	// asWith matches "as user with value" and its like anywhere in a sentence.
	asWith = regexp.MustCompile(`(?i)\b(?:as|als|used|user|benutzer|username|with|mit)\s+["'\x60„“]?[\w.@+-]{1,60}["'\x60“”]?\s*(?:/|:|,|and|und|with|mit|using|per)\s+(?:(?:the|dem|das|my|our|password|passwort|kennwort|pw|pass|token)\s+){0,3}["'\x60„“]?([^\s"'\x60“”]{4,100})`)
)

// assignedName matches the name of an assignment, which has rules of its own.
var assignedName = regexp.MustCompile(`(?i)^\w*(?:pass|passwd|password|pwd|pw|secret|token|passwort|kennwort)=`)

// general lists the nouns that mean much else; announces matches what must follow them.
var (
	general   = plausible.Set("access", "anmeldung", "kennung", "u/p", "user:pass", "zugänge")
	announces = regexp.MustCompile(`^\s(?:mit|with|as|als)\s|^(?:\s(?:of|for|on|to|data|zum|zur|für|am|im|beim|vom)\s(?:[\p{L}\d'-]{1,20}\s?){1,4})?\s?(?:[:=]|->|→|–|—)\s|^\s[\w.@+-]{1,40}\s?(?:/|\|)`)
)

// findLogin finds the second of two values that a word about logging in
// announces: "Login: admin / …", "als admin mit … angemeldet".
func findLogin(text string, start, end int, emit func(from, to int)) {
	if joinedBefore(text, start) && text[start] >= 'a' {
		// "pluginlogin" is an identifier; German compounds ("Gastzugang") are
		// nouns of the same meaning.
		if r, _ := utf8.DecodeLastRuneInString(text[:start]); !unicode.IsLower(r) {
			return
		}
	}
	noun := strings.ToLower(text[start:end])
	if general[noun] && !announces.MatchString(text[end:min(len(text), end+60)]) {
		return
	}
	accept := func(from, to int, tight bool) bool {
		for to > from && strings.IndexByte(".,;:)]", text[to-1]) >= 0 {
			to--
		}
		v := text[from:to]
		if general[noun] && !plausible.Named(v, 2) || assignedName.MatchString(v) {
			return false
		}
		if !plausible.Strict(v) && !plausible.Named(v, 4) && !(tight && len(v) >= 6 && plausible.Loose(v) && strings.ContainsAny(v, plausible.Digits) && strings.Trim(v, plausible.Digits) != "" && !plausible.Host.MatchString(v)) {
			return false
		}
		emit(from, to)
		return true
	}
	from, to := sentenceAround(text, start, end)
	if noun == "rein" && (joinedBefore(text, start) || end < len(text) && strings.IndexByte(" .,;!\n", text[end]) < 0) {
		return
	}
	for _, m := range asWith.FindAllStringSubmatchIndex(text[from:to], 4) {
		if accept(from+m[2], from+m[3], true) {
			return
		}
	}
	if noun == "rein" {
		return
	}
	at := end
	for range maxWords {
		i := strings.IndexAny(text[at:to], ":= ")
		if i < 0 {
			return
		}
		at += i + 1
		rest := strings.TrimLeft(text[at:to], " \t")
		if m := pairs.FindStringSubmatchIndex(rest); m != nil && !strings.HasSuffix(rest[:m[4]], " /") {
			base := to - len(rest)
			if accept(base+m[4], base+m[5], strings.ContainsAny(rest[m[3]:m[4]], "/|:")) {
				return
			}
		}
	}
}

// sentenceAround returns the line's part of at most sentenceReach bytes on either side
// of a word.
func sentenceAround(text string, start, end int) (from, to int) {
	from, to = max(0, start-sentenceReach), min(len(text), end+sentenceReach)
	if i := strings.LastIndexByte(text[from:start], '\n'); i >= 0 {
		from += i + 1
	}
	for from < start && !utf8.RuneStart(text[from]) {
		from++
	}
	if i := strings.IndexByte(text[end:to], '\n'); i >= 0 {
		to = end + i
	}
	for to < len(text) && to > end && !utf8.RuneStart(text[to]) {
		to--
	}
	return from, to
}

var (
	// notedHead matches the user of a note, with what it belongs to before it: a bullet, a
	// colon or a dash.
	notedHead = regexp.MustCompile(`(?:^|\n|:\s|\s[–—-]\s|[(|]\s?|[-*•]\s)["'\x60]?[A-Za-z][\w.@+-]{1,40}["'\x60]?$`)
	notedTail = regexp.MustCompile(`^["'\x60]?([^\s"'\x60]{6,60})["'\x60]?(?:$|[\s,;)|])`)
)

// What a program divides: a member of something, a constant.
var (
	member   = regexp.MustCompile(`^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$`)
	constant = regexp.MustCompile(`^[A-Z0-9_]+$`)
)

// findPass finds what follows "pass" where that is a noun: in brackets, behind a user, at the
// beginning of a comment. The value must end its clause, since a verb goes on.
func findPass(text string, start, end int, emit func(from, to int)) {
	if !passHead.MatchString(text[max(0, start-60):start]) {
		return
	}
	m := passTail.FindStringSubmatchIndex(text[end:min(len(text), end+140)])
	if m == nil {
		return
	}
	from, to := trimValue(text, end+m[2], end+m[3])
	if plausible.Named(text[from:to], 3) {
		emit(from, to)
	}
}

var (
	passHead = regexp.MustCompile(`(?:[(,;|#]\s{0,2}|/\s{1,2}|\b(?:with|using|mit|und|and) |\*\s)$`)
	passTail = regexp.MustCompile(`^(?: for [^:\n]{1,30}:\s| is\s| ?[=:]\s?|\s)["'\x60]?([^\s"'\x60]{6,60})["'\x60]?(?:$|[),.;\n]|\s(?:\(|$|\n))`)
)

var taggedHead = regexp.MustCompile(`[:=]\s["'\x60]?([^\s"'\x60]{6,60})["'\x60]?\s$`)

// findTagged finds a value before the account to which it belongs: "switch: … (root)".
func findTagged(text string, start, _ int, emit func(from, to int)) {
	base := max(0, start-70)
	if m := taggedHead.FindStringSubmatchIndex(text[base:start]); m != nil {
		if from, to := trimValue(text, base+m[2], base+m[3]); plausible.Named(text[from:to], 3) && strings.ContainsAny(text[from:to], plausible.Digits) && !member.MatchString(text[from:to]) {
			emit(from, to)
		}
	}
}

// findWifi finds the key of a wireless network behind its name.
func findWifi(text string, start, end int, emit func(from, to int)) {
	if joinedBefore(text, start) {
		return
	}
	m := wifiKey.FindStringSubmatchIndex(text[end:min(len(text), end+160)])
	if m == nil {
		m = wifiTold.FindStringSubmatchIndex(text[end:min(len(text), end+160)])
	}
	if m == nil {
		return
	}
	from, to := trimValue(text, end+m[2], end+m[3])
	if v := text[from:to]; len(v) >= 8 && plausible.Named(v, 2) {
		emit(from, to)
	}
}

// wifiTold matches a sentence that names a network and then its key.
var wifiTold = regexp.MustCompile(`(?i)^[^.\n]{3,70}?\b(?:key|schlüssel)\s(?:is|ist|lautet|reads|:)\s["'\x60„]?([^\s"'\x60„“]{8,63})`)

var wifiKey = regexp.MustCompile(`(?i)^[\s:=]{1,3}["'\x60]?[^\s"'\x60,;/]{1,32}["'\x60]?[\s,;/|]{1,4}(?:key|schlüssel|psk|pass|password|passwort|kennwort|pw|wpa[23]?|code)["'\x60]?[\s:=]{1,3}["'\x60]?([^\s"'\x60]{8,63})`)

// findNoted finds "user / value" without any noun: both sides must look like what they are.
func findNoted(text string, start, end int, emit func(from, to int)) {
	if !notedHead.MatchString(text[max(0, start-60):start]) {
		return
	}
	m := notedTail.FindStringSubmatchIndex(text[end:min(len(text), end+80)])
	if m == nil {
		return
	}
	from, to := trimValue(text, end+m[2], end+m[3])
	if v := text[from:to]; plausible.Named(v, 3) && strings.ContainsAny(v, plausible.Digits) && !member.MatchString(v) && !constant.MatchString(v) {
		emit(from, to)
	}
}
