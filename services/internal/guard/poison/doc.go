// Package poison decides whether a text reads as an attempt to steer an agent
// and not as knowledge: instructions to the agent, claims of authority,
// exfiltration, careless handling of credentials, planted recommendations.
//
// Its detectors are patterns in English and German over normalised text:
// compatibility forms, look-alike letters and light leetspeak are folded, and
// invisible characters are removed, which is itself a finding where they split
// a word. A hit only ever lowers trust. The absence of hits proves nothing:
// such filters are easily evaded, and what protects the memory is that words
// from outside are never promoted without a person.
//
// The detectors are tuned to leave developer notes alone. Those speak of
// prompts, instructions and hooks, and say "always" and "never" on every other
// line; what tells an attack is whom the sentence addresses and what it is
// about.
package poison
