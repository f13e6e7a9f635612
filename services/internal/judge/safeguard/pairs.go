package safeguard

// pair is two classes that make a sentence sensitive where they meet.
type pair struct {
	a, b   class
	near   int   // words between them at most, in one part of the sentence; 0 is the whole sentence
	also   class // a class that has to stand somewhere in the sentence as well, 0 for none
	unless class // a class that excuses where it stands near either word, in the same clause
}

// pairs are tried in order; the words of the first that meet are the reason given.
var pairs = []pair{
	{a: hole},
	{a: gap, b: guard | secure | secret},
	{a: guard, b: off, near: 10},
	{a: keep, b: off, near: 10},
	{a: watch, b: off, near: 8, also: secure},
	{a: guard | keep | flow, b: less, near: 8, unless: hard},
	{a: secret, b: public, unless: hard | off},
	{a: secret, b: factory, near: 8, unless: off},
	{a: secret, b: desk, unless: hard | off},
	{a: secret, b: venue, near: 10, also: sent, unless: hard | off},
	{a: data, b: public | venue, near: 12, also: opens | sent | stranger, unless: hard | off},
	{a: stuff, b: exposed, near: 10, also: opens | sent | moved, unless: hard | off},
	{a: life, b: less | longer, near: 8},
	{a: data, b: elsewhere, near: 12, unless: hard | off},
	{a: data | flow, b: stranger, near: 12, also: sent, unless: hard},
	{a: weak, b: opens, near: 6, unless: hard | off | denies},
	{a: data | keep | flow, b: outside, also: sent, unless: hard},
	{a: source, b: outside, also: fetched | moved},
	{a: handed, b: outside, near: 5, unless: hard},
	{a: identity, b: outside | value, also: moved},
	{a: access, b: wide, near: 10, also: opens, unless: hard},
	{a: proof, b: wide, near: 8, also: accepts, unless: hard},
	{a: power | strong, b: grants, near: 9, unless: hard | denies},
	{a: strong, b: has, near: 9, unless: hard | denies},
	{a: actor, b: freely, unless: hard},
	{a: actor, b: strong, near: 10, also: grants | has | opens, unless: hard | denies},
	{a: input, b: accepts, near: 10, unless: hard | denies},
	{a: office, b: approved, near: 5},
	{a: flaw, b: dismiss, near: 10},
}
