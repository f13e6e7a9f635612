package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/ops"
)

// ADR 76: a process that keeps answers of the directory refuses at once a key that it
// revoked itself, and looks from the scopes that it was told of, however long it may keep
// answers. A project of the same name in another tenant is never answered from the entry of
// the first.
func TestRecentAnswersAreItsOwn(t *testing.T) {
	t.Parallel()
	b := serveRecent(t, provisioned(t), time.Hour)
	b.belongs(memory.DefaultTenant, "project:shop", "team:red")
	b.belongs(acme, "project:shop", "team:blue")
	red := b.remember(memory.DefaultTenant, memory.Memory{Scope: "team:red", Text: "The walrus sleeps at noon."})[0]
	blue := b.remember(acme, memory.Memory{Scope: "team:blue", Text: "The walrus sleeps at noon."})[0]
	finds := func(key string, want ...string) {
		t.Helper()
		status, text, _ := b.send(http.MethodGet, "/api/search?q=walrus&project=shop", key, "")
		var got answer
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusOK || !slices.Equal(got.ids(), want) {
			t.Errorf("%d %s, want %v", status, text, want)
		}
	}
	key := b.principal("operator", memory.Permissions()...)
	for range 2 {
		finds("", red)
		finds(key, blue)
	}
	if status, text, _ := b.send(http.MethodDelete, "/api/scopes/parent?scope=project:shop", key, ""); status/100 != 2 {
		t.Fatalf("%d %s", status, text)
	}
	finds(key)
	finds("", red)

	_, text, _ := b.send(http.MethodPost, "/api/keys", key, `{"principal":"operator"}`)
	var made struct{ ID, Key string }
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		t.Fatal(text)
	}
	finds(made.Key)
	if status, text, _ := b.send(http.MethodDelete, "/api/keys/"+made.ID, key, ""); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	if status, text, _ := b.send(http.MethodGet, "/api/search?q=walrus", made.Key, ""); status != http.StatusUnauthorized {
		t.Errorf("a revoked key: %d %s", status, text)
	}
}

// ADR 76: a key that another process revoked is refused to every request that begins
// [postgres.Recent] after the revocation, and one that expires likewise.
func TestRevokedElsewhere(t *testing.T) {
	t.Parallel()
	b := serveRecent(t, provisioned(t), postgres.Recent)
	b.principal("bot", memory.MayRead)
	k, key, err := b.admin().AddKey(t.Context(), ops.NewKey{Principal: "bot"})
	if err != nil {
		t.Fatal(err)
	}
	ask := func() int {
		status, _, _ := b.send(http.MethodGet, "/api/search?q=walrus", key, "")
		return status
	}
	if status := ask(); status != http.StatusOK {
		t.Fatalf("%d before", status)
	}
	if err := b.admin().RevokeKey(t.Context(), k.ID); err != nil {
		t.Fatal(err)
	}
	revoked := time.Now()
	for {
		began := time.Now()
		status := ask()
		switch {
		case status == http.StatusUnauthorized:
			return
		case status != http.StatusOK:
			t.Fatalf("%d", status)
		case began.Sub(revoked) >= postgres.Recent:
			t.Fatalf("honoured %v after it was revoked", began.Sub(revoked))
		}
	}
}
