// Package consolidation decides which memories of a scope become one, and what
// replacing them changes.
//
// [Find] plans: it takes the active memories of a scope with their vectors and
// returns groups. There are two kinds of groups, because people merge two kinds of
// texts. Near-duplicates and texts of which one contains the other are merged by the
// engine ([ModeMerge]): the specifics guard proves that no detail differs. Texts on
// one theme are offered to a person ([ModeTheme]): what belongs together is a matter
// of taste there, and similarity alone is never a reason to act (D3).
//
// Memories of different scope, tenant, outcome, kind or trust are never compared
// (D13). A pair that is about two subjects, or that contradicts itself, is never in
// one group, whatever its similarity.
//
// [Apply] returns the change of one merged group, [Offer] that of one offered group:
// rows, links, evidence, decision, events and audit entries, for one transaction.
//
// All functions are pure and safe for concurrent use.
package consolidation
