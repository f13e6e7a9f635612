package account

import (
	"fmt"
	"strings"
)

// Owner is the account of JetStream in every configuration that Write writes.
const Owner = "WINNOW"

// unserved is a subject without a subscriber. Every account but Owner imports it as
// $JS.API.INFO. Without that import the server itself answers all of $JS.API.> in the
// account, that JetStream is not enabled, and that answer would race the one from
// Owner.
const unserved = "winnow.nowhere"

// User is one login of the server.
type User struct {
	Name    string
	Summary string // one line for the reader of the file
	// Password as it stands in the file: a variable such as $NATS_PASSWORD, or
	// what Quote returns.
	Password string
	// Admin users log in to the account of JetStream. Every other user has an account
	// of its own, with the user's name.
	Admin bool
	// Publish and Subscribe list the subjects that the user may use, each once. An
	// empty list refuses everything.
	Publish, Subscribe []string
}

// Quote returns a literal password for User.Password.
func Quote(password string) string { return fmt.Sprintf("%q", password) }

// Write returns the block `accounts { … }`. limits is the JetStream block of Owner,
// such as `jetstream: enabled`. Admins come first, then the other users, both in the
// given order.
func Write(limits string, users []User) string {
	p := newPlan(users)
	var b strings.Builder
	fmt.Fprintf(&b, "accounts {\n  # The account of JetStream. Only what manages streams logs in here.\n  %s {\n    %s\n    users: [", Owner, limits)
	for _, u := range users {
		if u.Admin {
			if u.Summary != "" {
				fmt.Fprintf(&b, "\n      # %s", u.Summary)
			}
			writeUser(&b, u)
		}
	}
	b.WriteString("    ]\n")
	writeExports(&b, p)
	b.WriteString("  }\n")
	for _, u := range users {
		if !u.Admin {
			writeAccount(&b, u, p)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// writeExports writes the subjects that other accounts import from Owner, each with
// those accounts.
func writeExports(b *strings.Builder, p plan) {
	fmt.Fprintf(b, "    exports: [\n      { service: %q }\n", unserved)
	for _, e := range p.services {
		kind := ""
		if streamed(e.subject) {
			kind = ", response_type: stream"
		}
		fmt.Fprintf(b, "      { service: %q%s, accounts: [%s] }\n", e.subject, kind, quoted(e.accounts))
	}
	for _, e := range p.streams {
		fmt.Fprintf(b, "      { stream: %q, accounts: [%s] }\n", e.subject, quoted(e.accounts))
	}
	b.WriteString("    ]\n")
}

func writeAccount(b *strings.Builder, u User, p plan) {
	b.WriteString("\n")
	if u.Summary != "" {
		fmt.Fprintf(b, "  # %s\n", u.Summary)
	}
	fmt.Fprintf(b, "  %q {\n    users: [", u.Name)
	writeUser(b, u)
	b.WriteString("    ]\n")
	var served []export
	for _, e := range p.peers {
		if p.listener[e.subject] == u.Name {
			served = append(served, e)
		}
	}
	if len(served) > 0 {
		b.WriteString("    exports: [\n")
		for _, e := range served {
			fmt.Fprintf(b, "      { service: %q, accounts: [%s] }\n", e.subject, quoted(e.accounts))
		}
		b.WriteString("    ]\n")
	}
	fmt.Fprintf(b, "    imports: [\n      { service: { account: %q, subject: %q }, to: %q }\n", Owner, unserved, "$JS.API.INFO")
	for _, s := range u.Publish {
		if from := p.from(s); from != u.Name {
			fmt.Fprintf(b, "      { service: { account: %q, subject: %q } }\n", from, s)
		}
	}
	for _, s := range p.watched(u) {
		fmt.Fprintf(b, "      { stream: { account: %q, subject: %q } }\n", Owner, s)
	}
	b.WriteString("    ]\n  }\n")
}

func writeUser(b *strings.Builder, u User) {
	fmt.Fprintf(b, "\n      {\n        user: %q, password: %s\n        permissions {\n", u.Name, u.Password)
	writeSubjects(b, "publish", u.Publish)
	writeSubjects(b, "subscribe", u.Subscribe)
	b.WriteString("        }\n      }\n")
}

func writeSubjects(b *strings.Builder, what string, subjects []string) {
	if len(subjects) == 0 {
		// NATS reads an empty list as no restriction.
		fmt.Fprintf(b, "          %s { deny: [\">\"] }\n", what)
		return
	}
	fmt.Fprintf(b, "          %s { allow: [\n", what)
	for _, s := range subjects {
		fmt.Fprintf(b, "            %q\n", s)
	}
	b.WriteString("          ] }\n")
}

// streamed reports whether a request on subject gets several answers, as a pull of
// messages and a direct get of a batch do.
func streamed(subject string) bool {
	return strings.HasPrefix(subject, "$JS.API.CONSUMER.MSG.NEXT.") || strings.HasPrefix(subject, "$JS.API.DIRECT.GET.")
}

func quoted(names []string) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(q, ", ")
}
