// Package redact decides which parts of a text are secrets and replaces them,
// before anything else sees the text.
//
// Three sources of rules are applied together: the rule set of gitleaks v8
// (regular expressions, entropy bounds and allowlists as published; its file lies
// in the package gitleaks), our own rules for what that set misses in prose, chat
// and logs (URL user info, authorization headers, low-entropy password assignments,
// connection strings, truncated private keys, cookies, vendor-like keys, unlabelled
// random tokens), and, when asked, rules for personal data.
//
// A finding is replaced by ⟨secret:rule:tag⟩. The tag is a keyed digest of
// tenant and secret: the same secret reads the same everywhere in a tenant,
// says nothing without the key, and differs between tenants. Redaction is
// idempotent: placeholders are never looked into.
//
// What identifies rather than authorises survives: commit ids and digests,
// ULIDs and UUIDs, file paths, versions, names of environment variables,
// references such as $TOKEN, and placeholders such as <your password>.
package redact
