package wording

import (
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/guard/poison"
	"github.com/winnowhq/winnow/services/internal/judge/norm"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Features are what the rules may read of a proposal: extracted from its text, plus
// what was bound to it on arrival. They are stored with the decision as JSON, and a
// replay extracts them again.
type Features struct {
	// From the text.
	Words       int          `json:"words"`
	RawDate     bool         `json:"raw_date,omitempty"`
	DateInText  string       `json:"date_in_text,omitempty"`
	Anchors     []string     `json:"anchors,omitempty"`    // tools, files, commands and settings that the text names
	Particular  bool         `json:"particular,omitempty"` // is about one numbered thing: "lab 3", "release 4.2"
	Works       bool         `json:"works,omitempty"`      // an anchor outside quotations
	Artifact    string       `json:"artifact,omitempty"`
	Imperative  string       `json:"imperative,omitempty"`
	Cues        []Cue        `json:"cues,omitempty"` // detectors that fired
	Transitions []Transition `json:"transitions,omitempty"`
	Observed    bool         `json:"observed,omitempty"` // reports an event, a measure or a cause
	Idle        bool         `json:"idle,omitempty"`     // one of its sentences names nothing and reports nothing
	Reasons     bool         `json:"reasons,omitempty"`  // says when, why or instead of what
	Poison      []string     `json:"poison,omitempty"`
	Retired     []string     `json:"retired,omitempty"`
	Announces   bool         `json:"announces,omitempty"` // names retired terms only to announce their end
	Kind        memory.Kind  `json:"kind"`

	// From what the text rests on.
	Asked   bool `json:"asked,omitempty"`   // a person asked for it to be remembered
	Printed bool `json:"printed,omitempty"` // the text only repeats a tool's output

	// Bound on arrival.
	Stated     memory.Kind      `json:"stated,omitempty"` // the kind that the publisher named
	Section    string           `json:"section,omitempty"`
	Origin     memory.Origin    `json:"origin"`
	Authority  memory.Origin    `json:"authority"`
	ScopeKind  memory.ScopeKind `json:"scope_kind"`
	ObservedAt time.Time        `json:"observed_at,omitzero"`
}

// Cue is a detector that fired, with the words that it found.
type Cue struct {
	Detector string `json:"detector"`
	Words    string `json:"words"`
}

// Has reports whether the detector with this id fired.
func (f *Features) Has(detector string) bool { return f.Cue(detector) != "" }

// Cue returns the words by which the detector with this id fired, empty when it did
// not.
func (f *Features) Cue(detector string) string {
	for _, c := range f.Cues {
		if c.Detector == detector {
			return c.Words
		}
	}
	return ""
}

// Dated reports whether there is a date in the text or bound to its evidence (D31).
func (f *Features) Dated() bool { return f.DateInText != "" || !f.ObservedAt.IsZero() }

// Names reports whether the text names a thing that somebody could look at (S3.5).
func (f *Features) Names() bool { return len(f.Anchors) > 0 || f.Particular }

// Personal reports wording that no automation promotes: rules, conventions,
// preferences, opinions, and text that orders or addresses the reader.
func (f *Features) Personal() bool {
	return f.Imperative != "" || f.Has("opinion") || f.Has("preference") || f.Has("rule") || f.Has("convention") || f.Has("second_person") || f.Has("question") || f.Has("generic") || f.Has("norm") || f.Has("possible")
}

// Guarded reports that only a person may let the text in: it says that a protection was
// lowered or that a source of trust changed, and comes from below a person.
func (f *Features) Guarded() bool { return f.Authority < memory.OriginHuman && f.Has("sensitive") }

// Orders reports wording that obliges, advises or orders.
func (f *Features) Orders() bool {
	return f.Imperative != "" || f.Has("rule") || f.Has("convention")
}

// Given is what was bound to a proposal when it arrived.
type Given struct {
	Kind       memory.Kind
	Section    string
	Origin     memory.Origin
	Authority  memory.Origin
	ScopeKind  memory.ScopeKind
	ObservedAt time.Time

	// Label is the title and the description; Spans are the quoted words that the
	// text rests on.
	Label string
	Spans []Span
}

var wordingBook = newPhraseBook(detectors)

// Extract returns the features of a text. retired are the terms of the scope's
// registry.
func Extract(t *Text, given Given, retired []Term) Features {
	f := Features{
		Stated: given.Kind, Section: given.Section, Origin: given.Origin, Authority: given.Authority,
		ScopeKind: given.ScopeKind, ObservedAt: given.ObservedAt,
	}
	f.shape(t)
	announce := f.wording(t)
	if n := norm.Of(t.Tokens[:application(t)], t.Stamps, t.Doc.German); n.Norm() {
		f.Cues = append(f.Cues, Cue{Detector: "norm", Words: n.Words})
	}
	f.Artifact = artifact(t)
	if f.Artifact == "" {
		f.Imperative = imperative(t)
	}
	if !supposes(t) {
		f.Transitions = append(transitions(t.Tokens), exchanges(t.Tokens)...)
	}
	f.Observed, f.Idle = observes(t), idle(t)
	for _, hit := range poison.Scan(t.Clean) {
		f.Poison = append(f.Poison, hit.Detector)
	}
	f.label(given.Label)
	f.spans(t, given.Spans)
	f.Retired, f.Announces = findRetired(retired, t, announce)
	f.Kind = f.classify()
	return f
}

// shape reads dates and names.
func (f *Features) shape(t *Text) {
	dates := 0
	names := naming{tokens: t.Tokens, stamps: t.Stamps, german: t.Doc.German}
	for i, tok := range t.Tokens {
		switch tok.Class {
		case memory.TokenDate:
			dates++
			if f.DateInText == "" {
				f.DateInText = tok.Value
			}
		case memory.TokenArrow:
		default:
			if !t.Stamps[i] {
				f.Words++
			}
			f.Reasons = f.Reasons || reasons[tok.Value]
			f.Works = f.Works || isAnchor(tok) && tok.Quote == 0
			if names.anchor(i) && len(f.Anchors) < 8 && !slices.Contains(f.Anchors, tok.Value) {
				f.Anchors = append(f.Anchors, tok.Value)
			}
		}
	}
	f.RawDate = dates > 0 && f.Words == 0
	f.Particular = t.Subject.Numbered() || lettered(t) || released(t)
}

// released reports that the text names a release: a version of three parts, which measures
// nothing ("5.6.1"), or a name inside the sentence with its version ("mit Sphinx 7.2").
func released(t *Text) bool {
	for i, tok := range t.Tokens {
		if tok.Class != memory.TokenNumber || t.Stamps[i] || tok.Unit != "" || strings.Trim(tok.Value, "0123456789.") != "" {
			continue
		}
		switch strings.Count(tok.Value, ".") {
		case 2:
			return true
		case 1:
			if i > 0 && tok.Sep == 0 && strings.IndexByte(t.Tokens[i-1].Value, '-') > 1 && t.Tokens[i-1].Class == memory.TokenWord && tok.Value[0] != '0' && (i+1 == len(t.Tokens) || t.Tokens[i+1].Sep != 0) {
				return true // "axe-core 4.9"
			}
			if i > 1 && tok.Sep == 0 && t.Tokens[i-1].Upper && t.Tokens[i-1].Class == memory.TokenWord && !clauseStart(t.Tokens, i-1) && !rates[t.Tokens[i-1].Value] && t.Clean[tok.Start:tok.End] == tok.Value &&
				(i+1 == len(t.Tokens) || t.Tokens[i+1].Sep != 0 || !unitLike(t.Tokens[i+1].Value)) {
				return true
			}
		}
	}
	return false
}

// unitLike reports a unit, or a word as short as one that is no small word: "km".
func unitLike(w string) bool { return memory.IsUnit(w) || len(w) < 3 && !slight[w] }

// rates are nouns whose number with a point is an amount. DE: English writes them small.
var rates = memory.WordSet(`faktor wert rate quote note kosten preis anteil schnitt mittel durchschnitt score index skala gewicht schwelle grenze von um`)

// reasons are words by which a lesson says when it holds, why, or instead of what. EN
// and DE.
var reasons = memory.WordSet(`when whenever if unless until before after because since instead rather than avoids prevents
 wenn falls sobald bevor nachdem weil da statt anstatt sonst damit als bis`)

// isAnchor reports whether a token is written as a name of the work: code, a file, a
// known tool. What a lesson rests on has to be.
func isAnchor(t memory.Token) bool {
	switch t.Class {
	case memory.TokenIdent:
		return true
	case memory.TokenWord:
		return t.Code || knownTools[t.Value]
	}
	return false
}

// headline is how many words at the start of a text say what it is about. A plan or a
// state of the moment is announced there; later, "trying to" and "so far" belong to a
// story.
const headline = 25

// wording runs the detectors and returns the tokens at which an announcement was
// found.
func (f *Features) wording(t *Text) (announce []int) {
	german, use := t.Doc.German, application(t)
	wordingBook.match(t.Tokens, german, func(d, at int, words string) {
		if d == detAnnounce {
			announce = append(announce, at)
		}
		if t.Tokens[at].Quote != 0 && d != detAnnounce { // a quotation
			return
		}
		if d == detTransient && at > headline {
			return
		}
		if d == detConvention && at >= use {
			return
		}
		if d == detOpinion && (named(t.Tokens, at) || counted(t.Tokens, at)) {
			return // Prettier is a tool, and "23 needless borrows" were counted
		}
		if d == detSteering && words == "whenever" && happened(clauseAfter(t.Tokens, at)) {
			return // it says when something happened, and orders nothing
		}
		if d == detSteering && words == "verified by" && at+2 < len(t.Tokens) && deeds[t.Tokens[at+2].Value] {
			return // somebody looked, and no authority is named
		}
		if d == detTransient && (words == "soon" && at > 0 && t.Tokens[at-1].Value == "as" || settled(t, at, words)) {
			return // "as soon as"; a plan that is over
		}
		if descriptive(t.Tokens, d, at, words) || d == detOpinion && supposed(t.Tokens, at, words) {
			return
		}
		id := detectors[d].ID
		switch {
		case d == detSecondPerson && experiences(t.Tokens, at):
			id = "habit"
		case d == detSecondPerson && at+1 < len(t.Tokens) && can[t.Tokens[at+1].Value]:
			id = "possible" // "you can restore one table"
		}
		if d == detRule || d == detConvention || d == detPreference {
			if c := clauseAt(t.Tokens, t.Stamps, at, german); c.rhetorical(t.Clean) {
				return
			}
			switch read(t.Tokens, t.Stamps, d, at, words, german) {
			case describes:
				return
			case habit:
				id = "habit"
			}
		}
		if d == detTransient && (consequent(t, at, words) || general(t, at, words)) {
			id = "habit"
		}
		if f.Cue(id) == "" {
			f.Cues = append(f.Cues, Cue{Detector: id, Words: words})
		}
	})
	if w := choice(t); w != "" {
		f.Cues = append(f.Cues, Cue{Detector: "choice", Words: w})
	}
	if w := generic(t, german); w != "" {
		f.Cues = append(f.Cues, Cue{Detector: "generic", Words: w})
	}
	if w := progressing(t); w != "" && !f.Has("transient") {
		f.Cues = append(f.Cues, Cue{Detector: "transient", Words: w})
	}
	if w := narrated(t); w != "" && !f.Has("transient") {
		f.Cues = append(f.Cues, Cue{Detector: "transient", Words: w})
	}
	if w := sensitive(t); w != "" {
		f.Cues = append(f.Cues, Cue{Detector: "sensitive", Words: w})
	}
	if q := question(t); q != "" {
		f.Cues = append(f.Cues, Cue{Detector: "question", Words: q})
	}
	slices.SortFunc(f.Cues, func(a, b Cue) int { return strings.Compare(a.Detector, b.Detector) })
	return announce
}

// can are verbs of what somebody is able to do. EN and DE.
var can = memory.WordSet(`can could can't cannot couldn't kannst könnt könntest`)

// supposed reports that a word of judgement tells what would have followed, what was
// meant to be or what was measured: "would have been enough to …", "eigentlich sollten",
// "showed no gain".
func supposed(tokens []memory.Token, i int, words string) bool {
	switch words {
	case "would have been":
		if i+3 >= len(tokens) {
			return false
		}
		next := tokens[i+3]
		if tokens[0].Value == "had" && tokens[0].Upper {
			return true // "had the backup run, the loss would have been four hours"
		}
		return next.Value == "enough" || pastVerb(next) && next.Class == memory.TokenWord
	case "eigentlich":
		return i+1 < len(tokens) && (missable[tokens[i+1].Value] || i > 0 && missable[tokens[i-1].Value])
	case "is enough":
		return i+2 < len(tokens) && (tokens[i+2].Value == "that" || tokens[i+2].Value == "if" || tokens[i+2].Value == "when") // a condition that suffices
	case "no gain":
		return i > 0 && (tokens[i-1].Value == "showed" || tokens[i-1].Value == "brought" || tokens[i-1].Value == "measured" || tokens[i-1].Value == "found")
	}
	return false
}

var missable = memory.WordSet(`sollte sollten hätte hätten wollte wollten`)

// deeds are ways to verify something oneself. A list, because "engineering" vouches for it.
var deeds = memory.WordSet(`reading running building comparing inspecting executing grepping tracing measuring counting`)

// named reports that the word at i is written as a name: with a capital inside a
// sentence, or as a known tool with a capital.
func named(tokens []memory.Token, i int) bool {
	return tokens[i].Upper && (!clauseStart(tokens, i) || knownTools[tokens[i].Value]) && tokens[i].Value != "i"
}

// counted reports that a number stands before the word at i: what is counted was found,
// whatever the finder thinks of it.
func counted(tokens []memory.Token, i int) bool {
	return i > 0 && tokens[i].Sep == 0 && tokens[i-1].Class == memory.TokenNumber
}

// clauseAfter returns the tokens behind i up to the end of its clause.
func clauseAfter(tokens []memory.Token, i int) []memory.Token {
	for j := i + 1; j < len(tokens); j++ {
		if tokens[j].Sep != 0 && tokens[j].Sep != '(' {
			return tokens[i+1 : j]
		}
	}
	return tokens[i+1:]
}

// question returns the first word of a sentence that asks. A question mark in code or
// in a URL does not ask.
func question(t *Text) string {
	first := ""
	for i, tok := range t.Tokens {
		if first == "" || clauseStart(t.Tokens, i) {
			first = tok.Value
		}
		if !tok.Code && tok.Quote == 0 && tok.Class != memory.TokenURL && tok.End < len(t.Clean) && t.Clean[tok.End] == '?' {
			return first
		}
	}
	if len(t.Tokens) > 0 && strings.HasSuffix(strings.TrimSpace(t.Clean), "?") {
		return first // behind a quotation
	}
	return ""
}

// classify returns the kind: the publisher's, unless the text obliges more than that.
// A text that forbids something is a rule, even where the publisher calls it a fact.
func (f *Features) classify() memory.Kind {
	switch {
	case f.Stated == memory.KindStrategy:
		// A strategy is advice, and stays out of MEMORY.md unless pinned.
		return memory.KindStrategy
	case f.Has("choice"):
		return memory.KindPreference
	case f.Has("rule"):
		return memory.KindRule
	case f.Has("preference"):
		return memory.KindPreference
	case f.Has("convention"), f.Imperative != "":
		return memory.KindConvention
	}
	if f.Stated != "" {
		return f.Stated
	}
	switch {
	case f.Has("transient"):
		return memory.KindTask
	case f.Has("decision"):
		return memory.KindDecision
	}
	return memory.KindFact
}

// knownTools are names of tools that look like ordinary words, so that a sentence
// without backticks still names something.
var knownTools = memory.WordSet(`docker kubernetes k8s kubectl helm terraform ansible nginx redis postgres postgresql mysql sqlite kafka rabbitmq nats prometheus
 grafana jenkins github gitlab bitbucket git npm pnpm yarn node deno bun python pip poetry uv conda ruff mypy pytest jest vitest mocha cypress playwright eslint
 prettier webpack vite rollup esbuild babel react vue angular svelte django flask fastapi rails laravel spring gradle maven bazel cmake make cargo rustc golang
 swift xcode kotlin android ios flutter fastlane cocoapods airflow dbt spark pandas numpy snowflake bigquery s3 ec2 lambda cloudfront cloudflare vercel netlify
 heroku stripe sentry datadog argocd istio envoy traefik vault consul nomad systemd cron ssh bash zsh curl mongodb elasticsearch opensearch clickhouse duckdb
 mlflow jupyter tensorflow pytorch sqlalchemy alembic celery gunicorn uvicorn openssl oauth graphql grpc protobuf graphviz telegram slack linux ubuntu debian alpine
 goose qdrant ollama keycloak minio longhorn cilium flux crossplane karpenter loki tempo jaeger sonarqube renovate dependabot firebase detox metro hermes expo realm`)
