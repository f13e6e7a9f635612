package topic_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
	"github.com/winnowhq/winnow/services/internal/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var now = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

// member returns the n-th memory of a topic.
func member(n int, text string) memory.Memory {
	return memory.Memory{
		ID: fmt.Sprintf("mem_%02d", n), Scope: "project:shop", State: memory.StateActive, Kind: memory.KindFact, Text: text,
		Topics: []string{"auth"}, Origin: memory.OriginAgent, Authority: memory.OriginAgent, CreatedAt: now.Add(-time.Hour),
	}
}

// statements are what the memories of the topic auth say, one each.
var statements = []string{
	"The login service runs on port 8080 behind the gateway.",
	"Access tokens live 15 minutes and are signed with RS256.",
	"Refresh tokens live 30 days and rotate at each use.",
	"The session cookie is named `shop_session` and is set with SameSite=Lax.",
	"Login attempts are limited to 5 per minute for each address.",
	"Passwords are hashed with argon2id in `auth/hash.go`.",
	"The key set is served at https://auth.shop.example/jwks.json.",
	"Clock skew of 30 s between nodes caused logins to fail, and leeway was added in `auth/verify.go`.",
	"Single sign-on with Keycloak was chosen over a login of our own.",
	"It is open whether service accounts get tokens of their own.",
	"The login page does not remember the user name.",
	"Logout deletes the refresh token on the server.",
}

// corpus returns a topic with n memories.
func corpus(n int) topic.Corpus {
	c := topic.Corpus{Topic: "auth", Count: n}
	for i := range n {
		text := fmt.Sprintf("Note %d on auth says that a login was tried again.", i)
		if i < len(statements) {
			text = statements[i]
		}
		c.Members = append(c.Members, member(i, text))
	}
	return c
}

// good is a summary of the corpus, in the form that the protocol asks for.
const good = `Authentication protects the shop: the login service runs on port 8080 behind the gateway and issues tokens to every other service. It exists so that no service checks passwords of its own.

Current state and key decisions: access tokens live 15 minutes and are signed with RS256. Refresh tokens live 30 days and rotate at each use. The session cookie is named ` + "`shop_session`" + ` and is set with SameSite=Lax. Passwords are hashed with argon2id in ` + "`auth/hash.go`" + `. The key set is served at https://auth.shop.example/jwks.json. Single sign-on with Keycloak was chosen over a login of our own, which was expensive to revisit.

Solved problems: clock skew of 30 s between nodes caused logins to fail, and leeway was added in ` + "`auth/verify.go`" + `. Login attempts are limited to 5 per minute for each address. Logout deletes the refresh token on the server.

Open questions: it is open whether service accounts get tokens of their own.`

// researched is the research of an author who did everything.
func researched(c topic.Corpus) *topic.Research {
	r := &topic.Research{Deep: []topic.Searched{{Topic: c.Topic}}, Read: map[string]bool{}}
	for _, m := range c.Members {
		r.Read[m.ID] = true
	}
	if c.Current != nil {
		r.Read[c.Current.ID] = true
	}
	return r
}

func request(c topic.Corpus, content string) topic.Request {
	return topic.Request{Content: content, Research: researched(c), Authority: memory.OriginAgent, Now: now}
}

// sized returns a text without specifics of exactly so many characters.
func sized(characters int) string {
	var b strings.Builder
	for b.Len() < characters {
		b.WriteString("the login is what the shop asks of its visitors and it stays as it is. ")
	}
	return b.String()[:characters-1] + "x"
}

func summary(id, text string, at time.Time, count int) memory.Memory {
	return memory.Memory{
		ID: id, Scope: "project:shop", State: memory.StateActive, Kind: memory.KindSummary, Title: "auth", Text: text, Topics: []string{"auth"},
		SummaryTopic: "auth", SummaryCount: count, SummaryAt: at, Origin: memory.OriginAgent, Authority: memory.OriginAgent,
	}
}

func archived(m memory.Memory, successor string) memory.Memory {
	m.State, m.Kind, m.Topics, m.SuccessorID = memory.StateArchived, memory.KindSummaryArchived, nil, successor
	return m
}
