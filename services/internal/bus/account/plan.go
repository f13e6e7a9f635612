package account

import (
	"slices"
	"strings"
)

// plan holds the exports between accounts.
type plan struct {
	// services and streams are Owner's; peers are between the other accounts.
	services, streams, peers []export
	// listener maps a subject of peers to the user that serves it.
	listener map[string]string
}

// export is a subject with the accounts that import it.
type export struct {
	subject  string
	accounts []string
}

// newPlan derives the exports from the rights of all users. A subject that one user
// publishes on and another subscribes to is exported from account to account: a
// message that reached Owner as a service is not exported again. Owner exports every
// other subject.
func newPlan(users []User) plan {
	p := plan{listener: map[string]string{}}
	users = slices.DeleteFunc(slices.Clone(users), func(u User) bool { return u.Admin })
	for _, u := range users {
		for _, s := range u.Subscribe {
			// A pattern is watched and not served: Owner stores the messages that it
			// matches.
			if !strings.ContainsAny(s, "*>") && slices.ContainsFunc(users, func(o User) bool { return o.Name != u.Name && slices.Contains(o.Publish, s) }) {
				p.listener[s] = u.Name
			}
		}
	}
	for _, u := range users {
		for _, s := range u.Publish {
			switch from := p.from(s); from {
			case Owner:
				p.services = add(p.services, s, u.Name)
			case u.Name:
			default:
				p.peers = add(p.peers, s, u.Name)
			}
		}
		for _, s := range p.watched(u) {
			p.streams = add(p.streams, s, u.Name)
		}
	}
	return p
}

// from returns the account that serves a published subject.
func (p plan) from(subject string) string {
	if who, ok := p.listener[subject]; ok {
		return who
	}
	return Owner
}

// watched returns the subjects that u receives from Owner: all that it may subscribe
// to, except its inbox, whose answers arrive inside its own account, and the subjects
// that it serves itself.
func (p plan) watched(u User) []string {
	return slices.DeleteFunc(slices.Clone(u.Subscribe), func(s string) bool {
		return strings.HasPrefix(s, "_INBOX") || p.listener[s] == u.Name
	})
}

func add(all []export, subject, account string) []export {
	i := slices.IndexFunc(all, func(e export) bool { return e.subject == subject })
	if i < 0 {
		return append(all, export{subject, []string{account}})
	}
	all[i].accounts = append(all[i].accounts, account)
	return all
}
