package signed_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/store/signed"
)

var begun = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

func key(t *testing.T, secret string) signed.Key {
	t.Helper()
	k, err := signed.NewKey(strings.Repeat(secret, 40))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// chain has so many links, whose hashes are their numbers behind a mark; it grew by a link
// an hour.
func chain(links int64, mark string) signed.Chain {
	return signed.Chain{
		Tenant: "default", Links: links, First: begun, Last: begun.Add(time.Duration(links) * time.Hour),
		Hash: func(seq int64) string {
			if seq < 1 || seq > links {
				return ""
			}
			return fmt.Sprint(mark, seq)
		},
	}
}

func head(seq int64, mark string) signed.Head {
	return signed.Head{Tenant: "default", Seq: seq, Hash: fmt.Sprint(mark, seq), At: begun.Add(time.Duration(seq) * time.Hour)}
}

func TestOpenRefusesForgeries(t *testing.T) {
	t.Parallel()
	mine, other := key(t, "a"), key(t, "b")
	note := mine.Sign(head(7, "x"))
	if h, err := signed.Open(note); err != nil || h.Seq != 7 || h.Public != mine.Public() || !signed.ValidPublic(h.Public) {
		t.Fatalf("%+v, %v", h, err)
	}
	if strings.ContainsAny(note, " \n") || strings.Contains(note, "..") {
		t.Errorf("no trailer of a commit: %q", note)
	}
	parts, others := strings.Split(note, "."), strings.Split(other.Sign(head(8, "x")), ".")
	body, _ := base64.RawURLEncoding.DecodeString(parts[1])
	changed := func(old, text string) string {
		forged := strings.Replace(string(body), old, text, 1)
		if forged == string(body) {
			t.Fatalf("no %s in %s", old, body)
		}
		return parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(forged)) + "." + parts[2]
	}
	for name, forged := range map[string]string{
		"empty": "", "a plain hash": strings.Repeat("ab", 32), "two parts": parts[0] + "." + parts[1], "another form": "winnow-head-9." + parts[1] + "." + parts[2],
		"another's body": parts[0] + "." + others[1] + "." + parts[2], "another's signature": parts[0] + "." + parts[1] + "." + others[2],
		"number": changed(`"seq":7`, `"seq":6`), "tenant": changed("default", "acme"), "hash": changed("x7", "x6"),
		"key": changed(mine.Public(), other.Public()), "no key": changed(mine.Public(), ""), "accepted": changed(`"seq":7`, `"accepted":true,"seq":7`),
		"no signature": parts[0] + "." + parts[1] + ".", "a byte more": note + "A", "padding": note + "=",
	} {
		if h, err := signed.Open(forged); !errors.Is(err, signed.ErrNote) {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
	if _, err := signed.NewKey("short"); err == nil {
		t.Error("a short secret made a key")
	}
	if s := fmt.Sprintf("%v %+v %#v", mine, mine, mine); strings.Trim(s, "* ") != "" {
		t.Errorf("a printed key: %s", s)
	}
}

// What each state of chain and heads means. An accepted head comes from an operator who
// restored a backup of link 4, on which three links were written.
func TestCheck(t *testing.T) {
	t.Parallel()
	mine, old, stranger := key(t, "a"), key(t, "b"), key(t, "c")
	in := func(place string, notes ...string) (found []signed.Found) {
		for _, n := range notes {
			found = append(found, signed.Found{Place: place, Note: n})
		}
		return found
	}
	acme := head(3, "x")
	acme.Tenant = "acme"
	accepted := signed.Head{Tenant: "default", Seq: 7, Hash: "y7", At: begun.Add(20 * time.Hour), Accepted: true, Since: 4}
	both := func(seq int64) string {
		if seq > 4 {
			return fmt.Sprint("y", seq)
		}
		return fmt.Sprint("x", seq)
	}
	restored := chain(7, "")
	restored.Hash = both
	trust := []string{mine.Public(), old.Public()}
	for name, c := range map[string]struct {
		chain   signed.Chain
		trusted []string
		found   []signed.Found
		newest  int64
		problem string
		note    string
	}{
		"in the chain":              {chain(9, "x"), trust, in("stream", mine.Sign(head(3, "x")), mine.Sign(head(8, "x"))), 8, "", ""},
		"tail cut off":              {chain(5, "x"), trust, in("stream", mine.Sign(head(8, "x"))), 0, "ends at link 5, and link 8 was signed", ""},
		"cut, known by vault alone": {chain(5, "x"), trust, in("vault", mine.Sign(head(5, "x")), mine.Sign(head(8, "x"))), 5, "(vault)", ""},
		"written anew":              {chain(9, "y"), trust, in("stream", mine.Sign(head(8, "x"))), 0, "link 8 is not the one", ""},
		"everything gone":           {chain(0, "x"), trust, in("stream", mine.Sign(head(8, "x"))), 0, "ends at link 0", ""},
		"backup restored":           {restored, trust, in("stream", mine.Sign(head(4, "x")), mine.Sign(head(9, "x")), mine.Sign(head(6, "x"))), 4, "older than the last signed head", ""},
		"restored and accepted":     {restored, trust, in("stream", mine.Sign(head(4, "x")), mine.Sign(head(9, "x")), mine.Sign(head(6, "x")), mine.Sign(accepted)), 7, "", "2 signed heads belong to links that a restore lost"},
		"accepted by a stranger":    {restored, trust, in("stream", mine.Sign(head(9, "x")), stranger.Sign(accepted)), 0, "ends at link 7", "does not name"},
		"cut after accepting":       {chain(2, "x"), trust, in("stream", mine.Sign(accepted)), 0, "ends at link 2", ""},
		"key rotated":               {chain(9, "x"), trust, in("stream", old.Sign(head(3, "x")), mine.Sign(head(8, "x"))), 8, "", ""},
		"rotated, old one cut":      {chain(2, "x"), trust, in("stream", old.Sign(head(3, "x"))), 0, "ends at link 2", ""},
		"rotated, old one unnamed":  {chain(9, "x"), trust[:1], in("stream", old.Sign(head(3, "x")), mine.Sign(head(8, "x"))), 8, "", "audit.public_keys does not name"},
		"a stranger's alone":        {chain(9, "x"), trust, in("stream", stranger.Sign(head(9, "z"))), 0, "no head signed by a key", "does not name"},
		"no key anywhere":           {chain(9, "x"), nil, nil, 0, "", "no signed head was found"},
		"no heads anywhere":         {chain(9, "x"), trust, nil, 0, "they were removed", ""},
		"young":                     {chain(1, "x"), trust, nil, 0, "", "no head is signed yet"},
		"empty":                     {chain(0, "x"), trust, nil, 0, "", ""},
		"on trust":                  {chain(9, "x"), nil, in("stream", mine.Sign(head(8, "x"))), 8, "", "taken on trust: " + mine.Public()},
		"on trust, cut off":         {chain(5, "x"), nil, in("stream", mine.Sign(head(8, "x"))), 0, "ends at link 5", "taken on trust"},
		"not signed lately":         {chain(9, "x"), trust, in("vault", mine.Sign(head(3, "x"))), 3, "", "is winnow-relay running"},
		"another tenant's":          {chain(9, "x"), trust, in("stream", mine.Sign(head(8, "x")), mine.Sign(acme)), 8, "", "no signed heads of tenant default"},
		"garbage":                   {chain(9, "x"), trust, in("stream", "x", mine.Sign(head(8, "x"))), 8, "", "1 notes in the stream"},
	} {
		r := signed.Check(c.chain, c.trusted, c.found)
		var newest int64
		if r.Newest != nil {
			newest = r.Newest.Seq
		}
		problems, notes := strings.Join(r.Problems, "\n"), strings.Join(r.Notes, "\n")
		if newest != c.newest || !strings.Contains(problems, c.problem) || (problems == "") != (c.problem == "") ||
			!strings.Contains(notes, c.note) || (notes == "") != (c.note == "") {
			t.Errorf("%s: newest %d\nproblems %q\nnotes %q\nwant %d, %q, %q", name, newest, problems, notes, c.newest, c.problem, c.note)
		}
	}
}
