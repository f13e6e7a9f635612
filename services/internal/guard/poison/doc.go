// Package poison decides whether a text looks like an attempt to steer an agent
// rather than knowledge: instructions to the agent, claims of authority,
// exfiltration, careless handling of credentials, planted recommendations.
//
// Its detectors are patterns in English and German over normalised text:
// compatibility forms, look-alike letters and light leetspeak are folded, and
// invisible characters are removed, which is itself a finding where they split
// a word. A hit only ever lowers trust. The absence of hits proves nothing,
// because such filters are easily evaded. The memory is protected by another
// rule: words from outside are never promoted without a person.
//
// The detectors are tuned to ignore developer notes. Notes mention prompts,
// instructions and hooks, and say "always" and "never" on every other line. An
// attack differs in whom the sentence addresses and what it is about.
package poison
