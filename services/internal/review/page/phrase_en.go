package page

import "github.com/winnowhq/winnow/services/internal/memory"

// header and nothing are the wording of S3.27 and S3.28.
var english = phrases{
	header:  "Memory Triage: %d auto-promoted, %d auto-rejected, %d merged, %d need your call",
	nothing: "Nothing needs you this week.",
	item:    `%d. [%s] "%s" — recommend: %s`,
	advice: map[memory.Advice]string{
		memory.AdvicePromote: "promote", memory.AdviceReject: "reject",
		memory.AdviceReplace: "replace", memory.AdviceReview: "review",
	},
	rules: map[string]string{
		"poison": "tried to steer an agent", "echo.prompt": "restated a boot file", "echo.recall": "restated what was served",
		"artifact": "order to edit the file", "rawdate": "date without a text", "retired": "named something retired",
		"settled": "rejected by a person before", "dup.exact": "stored already word for word", "dup.near": "stored already in other words",
		"update": "a value that changed", "boundary": "exactly at the threshold", "conflict": "another value for something stored",
		"merge": "overlapping", "remember": "somebody asked for it", "personal": "said about their own matters",
		"fact": "dated fact", "strategy": "distilled lesson", "transient": "plan of the moment", "hardrule": "rule",
		"preference": "preference", "opinion": "opinion", "convention": "convention", "undated": "undated",
		"ambiguous": "no rule was sure", "absorbed": "taken in by a fuller one",
	},
	origin: map[memory.Origin]string{
		memory.OriginHuman: "a person said it", memory.OriginFirstParty: "a registered service or its user said it",
		memory.OriginAgent: "an agent's statement", memory.OriginExternal: "from outside, no person said it",
		memory.OriginUnknown: "nobody knows from where",
	},
	session: ", session %s", seen: ", seen %d times", date: "2 Jan 2006",
	stored: `stored now: "%s"`, open: `waits as well: "%s"`,
	either: "yes keeps the first in place of both, no keeps both",
	merges: "merge these %d into it? %s",

	more:       plural{"+%d more next week", "+%d more next week"},
	tooLong:    plural{"%d is too long for a message: winnow review", "%d are too long for a message: winnow review"},
	outside:    plural{"%d from outside waits, no person said it: winnow review", "%d from outside wait, no person said them: winnow review"},
	expired:    plural{"%d expired after %d days without an answer; nothing of it was stored", "%d expired after %d days without an answer; nothing of them was stored"},
	oldest:     plural{"Oldest question: %d day old.", "Oldest question: %d days old."},
	merged:     "Merged for you: %s. The originals are kept, see winnow runs list.",
	became:     "%d memories became %d",
	letGo:      plural{"%d archived as outdated", "%d archived as outdated"},
	pruned:     plural{"%d that did not prove itself was archived: winnow memory list --archived", "%d that did not prove themselves were archived: winnow memory list --archived"},
	mergedInto: `, such as "%s"`, mergedOne: `: "%s"`, mergedUndo: " (undo: winnow runs undo %s)",
	spots: "Spot check, promoted without you (p1n takes p1 back):", spotsOf: "Spot check, promoted without you, showing %d of %d (p1n takes p1 back):",
	why: "Why rejected: %s.", override: "Decided otherwise than recommended: %d of %d (%d %%).",
	ruleOff: "Stopped acting by itself, because people disagreed too often: %s (%s).",

	reply: "Reply: ", except: "ok except %dn", yes: "1y", no: "2n", text: "%d: new text", later: "later", undo: "undo", code: "code",
	page: "Or: %s",
	grammar: `ok — as recommended; what says review stays open
ok except 3n 5y — as recommended, but do not store 3, and store 5
1y 2n, 1-3y, all n — y stores the text, n does not
4: new text — store this text instead, up to the end of the line
p2n — the spot check 2 was wrong; take it back
later — leave everything open
undo — take the last answer back`,

	done: "Done: %s.", promoted: "%s promoted", edited: "%s promoted in your words", replaced: "%s replaced what was stored",
	rejected: "%s rejected", left: "%s open", already: "%s was so already", kept: "%s confirmed", retracted: "%s taken back",
	undoWithin:  " Undo within %s: undo",
	nothingDone: "Nothing to do.", postponed: "Later: everything stays open.",
	undone:        plural{"Taken back: %d decision of your last answer.", "Taken back: %d decisions of your last answer."},
	notUnderstood: "Nothing was done. Not understood: “%s”: %s.", understood: " Understood: %s.",
	complaints: map[Why]string{
		WhyUnknown: "these are not words of a reply", WhyEmpty: "there is no answer in it", WhyNoChoice: "say y or n with the number",
		WhyContradiction: "it contradicts the rest", WhyExcept: "write ok except 3n, or only 3n", WhyAlone: "it must stand alone",
		WhyText: "an answer or code at the end of a new text belongs on a line of its own", WhyRange: "numbers go from 1 to 99, the smaller first",
		WhyLong: "it is too long",
	},
	unknownItem: "Nothing was done. This digest has no %s.",
	moved:       "Nothing was done. Decided elsewhere since: %s.",
	states: map[memory.ProposalState]string{
		memory.ProposalPromoted: "promoted", memory.ProposalRejected: "rejected", memory.ProposalMerged: "merged",
		memory.ProposalExpired: "expired", memory.ProposalQuarantined: "set aside as suspicious",
	},
	elsewhere: "is another question now",
	foreign:   "Nothing was done. No open digest of yours has this code.",
	lapsed:    "Nothing was done. This digest has expired; its open questions come again.",
}
