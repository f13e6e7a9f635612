package redact_test

import (
	"strings"
	"testing"
)

// A secret is found in the middle of a long text as it is alone: rules are tried near
// their keywords, and a token is never cut where that begins or ends.
func TestLongTextsAreReadLikeShortOnes(t *testing.T) {
	t.Parallel()
	r := redactor(t, false)
	for _, secret := range []string{
		"aws_access_key_id = AKIAQ4W7TZ2PLM5XK3VN",
		"push with ghp_x7Kd92LmQp4Rt8Wz1Yb6Xc3Vn5Hg0JfSaE2i now",
		"slack: xoxb-730191371696-1413868247813-IG7Z6nYevC2hdviE3aJhb5kY",
		"api_key=q7W9e2R4t6Y8u1I3o5P0a2S4d6F8g0H1",
		"postgres://app:hunter2x@db/app",
	} {
		alone, _ := r.Text("acme", " "+secret+" ")
		if !strings.Contains(alone, "⟨secret:") {
			t.Fatalf("%q is no secret by itself", secret)
		}
		// Lines without a keyword of any rule beside the secret.
		filler := strings.Repeat("walrus 12 otter\n", 9000)
		out, _ := r.Text("acme", filler+" "+secret+" "+filler)
		if want := filler + alone + filler; out != want {
			i := 0
			for i < min(len(out), len(want)) && out[i] == want[i] {
				i++
			}
			t.Errorf("%q: differs at %d: %q, want %q", secret, i, out[i:min(len(out), i+80)], want[i:min(len(want), i+80)])
		}
		// One token without an end on either side is the secret's neighbour here.
		glued := strings.Repeat("a", 200_000) + "\n" + secret + "\n" + strings.Repeat("b", 200_000)
		if out, _ := r.Text("acme", glued); strings.Contains(out, secret) {
			t.Errorf("%q stays between long tokens", secret)
		}
	}
}
