// Package safeguard decides whether a text says that a protection was lowered or that a
// source of trust changed (SPEC §6, rule `sensitive`). False facts of this kind cannot be
// told from true ones by their wording: "TLS verification is off for payments since March"
// reads like any other fact, and an agent that believes it becomes less safe. So a person
// confirms them.
//
// A sentence is read as a whole, without a parser. Each word is given the classes that it
// has in the vocabulary (vocabulary.go): what protects, what opens a door, a credential, a
// place where many can read, a direction. A table of pairs (pairs.go) says which two have to
// meet, how near, and which word of the safe direction excuses them. Neither alone says
// anything: certificates are renewed and flags are switched off every day. Settings are read
// by their form (setting.go), because `HSM_BYPASS=1` and `verify: false` need no verb.
//
// What names no protection ("any card opens it", "it lands on main straight away") is found
// by signs (signs.go): how carelessly a sentence speaks, and of what that is at risk
// (traits.go). Each has a weight, and their sum decides.
package safeguard
