// Package redact decides which parts of a text are secrets and replaces them,
// before any other step reads the text.
//
// Three sources of rules are applied together: the rule set of gitleaks v8
// (regular expressions, entropy bounds and allowlists as published; package
// gitleaks holds its file), Winnow's own rules for what that set misses in
// prose, chat and logs (URL user info, authorization headers, low-entropy
// password assignments, connection strings, truncated private keys, cookies,
// vendor-like keys, unlabelled random tokens), and, on request, rules for
// personal data.
//
// A finding is replaced by ⟨secret:rule:tag⟩. The tag is a keyed digest of
// tenant and secret. The same secret has the same tag everywhere in a tenant,
// the tag reveals nothing without the key, and tags differ between tenants.
// Redaction is idempotent: placeholders are never scanned.
//
// What identifies rather than authorises is not replaced: commit ids and
// digests, ULIDs and UUIDs, file paths, versions, names of environment
// variables, references such as $TOKEN, and placeholders such as <your
// password>.
package redact
