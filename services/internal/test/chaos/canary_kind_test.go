package chaos

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// canary is an invented secret, in a text as people write it.
type canary struct {
	kind, secret, text string
}

// kinds of secrets: what it is called, what it is made of, and how it is written.
var kinds = []struct {
	name, alphabet string
	length         int
	format         string // of the secret
	text           string
}{
	{"url password", alnum, 14, "%s", "DATABASE_URL=postgres://app:%s@db.internal:5432/app"},
	{"redis password", alnum, 14, "%s", "cache at redis://:%s@cache:6379/0"},
	{"driver dsn", alnum, 14, "%s", `dsn := "app:%s@tcp(10.0.0.5:3306)/orders?parseTime=true"`},
	{"bearer token", alnum, 24, "%s", "Authorization: Bearer %s"},
	{"quoted password", alnum, 14, "%s", `password = "%s"`},
	{"bare password", alnum, 14, "%s", "password: %s"},
	{"told password", alnum, 12, "%s", "The password for staging is %s."},
	{"German password", alnum, 12, "%s", "Das Passwort für den Testserver lautet %s"},
	{"flag", alnum, 14, "%s", "mysqldump --password %s orders"},
	{"client secret", hexadecimal, 32, "%s", `client_secret: "%s"`},
	{"api key", alnum, 24, "%s", "API_KEY=%s"},
	{"session cookie", hexadecimal, 24, "%s", "Set-Cookie: SESSIONID=%s; HttpOnly; Path=/"},
	{"openai key", alnum, 20, "sk-proj-%s", "OPENAI_API_KEY is %s"},
	{"github token", alnum, 36, "ghp_%s", "git remote uses %s today"},
	{"gitlab token", alnum, 20, "glpat-%s", "GITLAB=%s"},
	{"slack token", digits, 12, "xoxb-%[1]s-%[1]s-aBcDeFgHiJkLmNoPqRsTuVwX", "the bot posts with %s"},
	{"aws key", upper, 16, "AKIA%s", "aws_access_key_id = %s"},
	{"aws secret", alnum, 40, "%s", "aws_secret_access_key = %s"},
	{"stripe key", alnum, 24, "sk_live_%s", "payments use %s"},
	{"npm token", alnum, 36, "npm_%s", "//registry.example/:_authToken=%s"},
	{"json web token", alnum, 40, "", "token %s expires soon"},
	{"private key", alnum, 64, "", "-----BEGIN RSA PRIVATE KEY-----\n%s\n-----END RSA PRIVATE KEY-----"},
}

const (
	digits      = "0123456789"
	hexadecimal = "0123456789abcdef"
	upper       = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	alnum       = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
)

// plant makes n secrets, the same in every run.
func plant(n int) []canary {
	rng := rand.New(rand.NewPCG(5, 50))
	word := func(alphabet string, length int) string {
		b := make([]byte, length)
		for i := range b {
			b[i] = alphabet[rng.IntN(len(alphabet))]
		}
		return string(b)
	}
	var out []canary
	for i := range n {
		k := kinds[i%len(kinds)]
		random := word(k.alphabet, k.length)
		secret := random
		switch {
		case k.name == "json web token":
			claims := base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"` + word(digits, 12) + `"}`))
			secret = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + claims + "." + random
		case k.format != "":
			secret = fmt.Sprintf(k.format, random)
		}
		out = append(out, canary{k.name, secret, fmt.Sprintf(k.text, secret)})
	}
	return out
}

// trace is a session from which there is something to learn, with the secret in a
// message, in a call, in a tool's output and in an answer.
func (c canary) trace(i int) []byte {
	type call struct {
		ID       string            `json:"id"`
		Type     string            `json:"type"`
		Function map[string]string `json:"function"`
	}
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content,omitempty"`
		Calls   []call `json:"tool_calls,omitempty"`
		CallID  string `json:"tool_call_id,omitempty"`
	}
	command, _ := json.Marshal(map[string]string{"command": "./deploy.sh --verbose # " + c.text})
	raw, _ := json.Marshal([]message{
		{Role: "system", Content: "You deploy. " + c.text},
		{Role: "user", Content: fmt.Sprintf("Deploy service-%d. Remember that service-%d runs on port %d. %s", i, i, 7000+i, c.text)},
		{Role: "assistant", Calls: []call{{ID: "1", Type: "function", Function: map[string]string{"name": "bash", "arguments": string(command)}}}},
		{Role: "tool", CallID: "1", Content: "error: cannot connect\n" + c.text + "\n" + strings.Repeat("log line\n", 20)},
		{Role: "assistant", Content: fmt.Sprintf("The deploy of service-%d failed because the settings were stale; I will run `./sync.sh` first. %s", i, c.text)},
		{Role: "assistant", Calls: []call{{ID: "2", Type: "function", Function: map[string]string{"name": "bash", "arguments": `{"command":"./sync.sh && ./deploy.sh"}`}}}},
		{Role: "tool", CallID: "2", Content: "deployed\n" + c.text},
		{Role: "assistant", Content: fmt.Sprintf("Running `./sync.sh` before `./deploy.sh` fixed the deploy of service-%d.", i)},
	})
	return raw
}
