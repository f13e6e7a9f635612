package topic_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
)

func TestName(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"Auth": "auth", "#auth": "auth", " auth ": "auth", "rate limiting": "rate-limiting", "rate_limiting": "rate-limiting",
		"Rate  Limiting!": "rate-limiting", "c++": "c++", "C#": "c#", "node.js": "node.js", "checkout/api": "checkout/api", "Über-Größe": "über-größe",
		"": "", "  ": "", "---": "", "42": "", "🚀": "", strings.Repeat("a", 60): strings.Repeat("a", 60), strings.Repeat("a", 61): "",
	} {
		if got := topic.Name(s); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := topic.Name(rapid.String().Draw(t, "s"))
		if again := topic.Name(name); again != name {
			t.Fatalf("%q becomes %q", name, again)
		}
	})
}

func TestOf(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text           topic.Text
		topics, macros []string
	}{
		"given":            {topic.Text{Topics: []string{"Auth", "#auth", "Login Page"}, Macros: []string{"Security"}, Tags: []string{"x"}}, []string{"auth", "login-page"}, []string{"security"}},
		"tags":             {topic.Text{Tags: []string{"Kitchen", "pinned", "bug", "workflow:wf_1", "kitchen", "oven"}, Body: "It is so."}, []string{"kitchen", "oven"}, nil},
		"few":              {topic.Text{Tags: []string{"a", "b", "c", "d", "e", "f"}}, []string{"a", "b", "c", "d", "e"}, nil},
		"a theme":          {topic.Text{Body: "The refresh token expires before the session does, so the login is asked again."}, nil, []string{"auth"}},
		"a theme by name":  {topic.Text{Body: "Auth is done by the gateway."}, nil, []string{"auth"}},
		"German":           {topic.Text{Body: "Die Datenbank hat eine Tabelle ohne Index, und die Migration sperrt sie."}, nil, []string{"database"}},
		"tag and theme":    {topic.Text{Tags: []string{"database"}, Body: "The migration locks the table."}, []string{"database"}, nil},
		"one word is none": {topic.Text{Body: "The table in the kitchen is free on Friday."}, nil, nil},
		"nothing":          {topic.Text{}, nil, nil},
	} {
		topics, macros := topic.Of(tt.text)
		if !slices.Equal(topics, tt.topics) || !slices.Equal(macros, tt.macros) {
			t.Errorf("%s: %v and %v, want %v and %v", name, topics, macros, tt.topics, tt.macros)
		}
	}
	text := topic.Text{Title: "Payment tests", Body: strings.Repeat("The invoice job and the payment fixture use one database table with a lock and a cache with a ttl. ", 3)}
	if _, macros := topic.Of(text); len(macros) != 2 {
		t.Errorf("of many themes: %v", macros)
	}
}

// A question asks for a topic when it has every word of the name.
func TestNames(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"rate limiting": true, "How is rate limiting done?": true, "what limits the rate": true, "rate_limiting": true,
		"rates": false, "limits": false, "": false, "caching": false,
	} {
		if got := topic.Names(topic.Words(question), "rate-limiting"); got != want {
			t.Errorf("%q: %v", question, got)
		}
	}
	if n := len(topic.Words(strings.Repeat("red blue green white black brown pink grey gold silver ", 9) + strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz", ""), " "))); n != 32 {
		t.Errorf("%d words", n)
	}
}
