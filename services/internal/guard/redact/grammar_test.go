package redact_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// carrier is a line of testdata/carriers.tsv: a way in which a secret is given.
type carrier struct {
	theme, class, template string
}

// grammar reads a table of carriers and the alternatives that they name.
func grammar(t testing.TB, name string) (carriers []carrier, names map[string][]string) {
	t.Helper()
	names = map[string][]string{}
	for _, line := range testenv.Table(t, "testdata/"+name) {
		cols := strings.SplitN(line, "\t", 3)
		if strings.HasPrefix(line, "@") && len(cols) == 2 {
			names[cols[0][1:]] = strings.Split(cols[1], "|")
			continue
		}
		if len(cols) != 3 {
			t.Fatalf("%s: %q has no three columns", name, line)
		}
		carriers = append(carriers, carrier{cols[0], cols[1], strings.ReplaceAll(cols[2], `\n`, "\n")})
	}
	return carriers, names
}

var (
	named  = regexp.MustCompile(`@[a-z]+`)
	choice = regexp.MustCompile(`«[^«»]*»`)
)

// expand makes one text of a template, with ¤ where its value stands.
func expand(template string, names map[string][]string, r *rand.Rand) string {
	text := named.ReplaceAllStringFunc(template, func(name string) string {
		for n := len(name); n > 1; n-- {
			if from := names[name[1:n]]; from != nil {
				return from[r.IntN(len(from))] + name[n:]
			}
		}
		return name
	})
	for choice.MatchString(text) {
		text = choice.ReplaceAllStringFunc(text, func(c string) string {
			from := strings.Split(c[len("«"):len(c)-len("»")], "|")
			return from[r.IntN(len(from))]
		})
	}
	return strings.NewReplacer(`\t`, "\t", `\?`, "?", `\\`, `\`).Replace(text)
}

const (
	lower62 = "abcdefghijkmnopqrstuvwxyz"
	upper62 = "ABCDEFGHJKLMNPQRSTUVWXYZ"
	some10  = "23456789"
)

func drawn(alphabet string, n int, r *rand.Rand) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

// key draws a token of mixed letters and digits, at least three of them digits.
func key(n int, r *rand.Rand) string {
	for {
		if v := drawn(lower62+upper62+some10, n, r); digitsIn(v) >= 3 {
			return v
		}
	}
}

func digitsIn(s string) int {
	return strings.Count(strings.Map(func(c rune) rune {
		if '0' <= c && c <= '9' {
			return '0'
		}
		return 'x'
	}, s), "0")
}

// invented are syllables of no language, so that no list of words decides.
func word(r *rand.Rand) string {
	w := ""
	for range 2 + r.IntN(2) {
		w += pick(r, "bra", "kel", "mo", "stin", "fur", "gro", "lan", "tes", "ril", "hof", "zem", "pau", "dor", "wik", "sal", "nuf", "berg", "ton", "mir", "cas")
	}
	return w
}

func title(w string) string { return strings.ToUpper(w[:1]) + w[1:] }

// value makes a value of a class; url leaves out what an address would escape.
func value(class string, r *rand.Rand) string {
	number := fmt.Sprint(11 + r.IntN(9888))
	sign := pick(r, "!", "#", "%", "+", "*", "=")
	joint := pick(r, "_", "-", ".")
	if class == "url" {
		sign = pick(r, "_", "-", "~")
	}
	switch class {
	case "pw", "url":
		switch r.IntN(11) {
		case 0:
			return title(word(r)) + joint + number
		case 1:
			return title(word(r)) + number
		case 2:
			return word(r) + number
		case 3:
			return title(word(r)) + sign + number
		case 4:
			return title(word(r)) + "-" + title(word(r)) + "-" + drawn(some10, 2, r)
		case 5:
			return word(r) + joint + number
		case 6:
			return title(word(r)) + sign + title(word(r)) + drawn(some10, 2, r)
		case 7:
			return key(8+r.IntN(13), r)
		case 8:
			w := title(word(r))
			return w[:1] + drawn(some10, 1, r) + w[2:] + joint + drawn(some10+lower62, 4, r)
		case 9:
			return word(r) + sign + word(r) + drawn(some10, 1, r)
		}
		return drawn(lower62, 2, r) + drawn(some10, 1, r) + "-" + word(r)
	case "key":
		return key(20+r.IntN(25), r)
	case "pin":
		return drawn(some10, 4+2*r.IntN(2), r)
	case "door":
		return pick(r, drawn(some10, 4, r), drawn(some10, 4, r)+"#", drawn(some10, 4, r)+"#"+drawn(some10, 2, r), drawn(some10, 2, r)+"*"+drawn(some10, 4, r), drawn(some10, 2, r)+"-"+drawn(some10, 2, r)+"-"+drawn(some10, 2, r), "#"+drawn(some10, 4, r), drawn(some10, 6, r))
	case "words":
		return word(r) + " " + word(r) + " " + word(r) + " " + word(r)
	case "hex":
		return pick(r, drawn("0123456789abcdef", 32, r), drawn("0123456789abcdef", 40, r), drawn("0123456789abcdef", 64, r))
	case "seed":
		return "J2" + drawn("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 14+8*r.IntN(3), r)
	case "code":
		return pick(r, drawn("23456789abcdefgh", 4, r)+"7-3"+drawn("23456789abcdefgh", 4, r), drawn(some10, 8, r), drawn(some10, 4, r)+" "+drawn(some10, 4, r), "k4"+drawn(some10+lower62, 3, r)+"-"+drawn(some10+lower62, 5, r))
	case "license":
		a := upper62 + some10
		return drawn(a, 4, r) + "7-" + drawn(a, 5, r) + "-3" + drawn(a, 4, r) + "-" + drawn(a, 5, r) + "-" + drawn(a, 5, r)
	}
	if v, ok := crossedValue(class, r); ok {
		return v
	}
	panic("no class " + class)
}

// filled puts values in the places of a text.
func filled(text, class string, r *rand.Rand) (out string, secrets []string) {
	for {
		i := strings.Index(text, "¤")
		if i < 0 {
			return text, secrets
		}
		rest, v := text[i+len("¤"):], ""
		switch {
		case strings.HasPrefix(rest, "kkkk"):
			v, rest = key(86, r), rest[4:]
		case strings.HasPrefix(rest, "kk"):
			v, rest = key(43, r)+"=", rest[2:]
		case strings.HasPrefix(rest, "h"):
			v, rest = drawn("0123456789abcdef", 32, r), rest[1:]
		case strings.HasPrefix(rest, "l") && class == "key":
			v, rest = value("license", r), rest[1:]
		case strings.HasPrefix(rest, "u"):
			v, rest = value("url", r), rest[1:]
		default:
			v = value(class, r)
		}
		secrets = append(secrets, v)
		text = text[:i] + v + rest
	}
}

// perCarrier is how many texts are made of each carrier.
const perCarrier = 24

// S7: a secret is found in whatever way it is given. The texts are the product of the
// grammar and of invented values. A third of them, by hash, was never looked at when the
// rules were mended: their share counts by itself.
func TestSecretsAreFoundInAnyCarrier(t *testing.T) {
	t.Parallel()
	red := redactor(t, false)
	carriers, names := grammar(t, "carriers.tsv")
	var all, found [2]int
	for i, c := range carriers {
		r := rand.New(rand.NewPCG(seed(t), uint64(i)))
		for range perCarrier {
			text, secrets := filled(expand(c.template, names, r), c.class, r)
			third := fnv.New32a()
			third.Write([]byte(text))
			held := 0
			if third.Sum32()%3 == 0 {
				held = 1
			}
			out, _ := red.Text("acme", text)
			for _, s := range secrets {
				all[held]++
				if !strings.Contains(out, s) {
					found[held]++
				} else if held == 0 {
					t.Logf("%s: kept %q: %q", c.theme, s, out)
				}
			}
		}
	}
	for held, name := range []string{"looked at", "held out"} {
		t.Logf("%s: found %d of %d", name, found[held], all[held])
		if found[held]*100 < all[held]*97 {
			t.Errorf("%s: found %d of %d, less than 97 %%", name, found[held], all[held])
		}
	}
}

// seed is fixed, so that a failure repeats; another one draws other texts.
func seed(t *testing.T) uint64 {
	s := uint64(4)
	if v := os.Getenv("WINNOW_GRAMMAR_SEED"); v != "" {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		s = n
	}
	return s
}

// S7: the same carriers without a secret stay as they are for our own rules: with a
// reference or a mask in its place, and sentences also with a word that describes.
func TestCarriersWithoutSecretsSurvive(t *testing.T) {
	t.Parallel()
	rules, err := redact.Rules()
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	for _, r := range rules {
		own[r.ID] = r.Source == redact.SourceOwn
	}
	red := redactor(t, false)
	carriers, names := grammar(t, "carriers.tsv")
	for i, c := range carriers {
		r := rand.New(rand.NewPCG(seed(t), uint64(i)))
		values := []string{"<password>", "${DB_PASS}", "$SECRET", "********", "[REDACTED]", "{{ vault_pw }}", "%PW%"}
		if strings.HasPrefix(c.theme, "en-") || strings.HasPrefix(c.theme, "de-") || c.theme == "note" || c.theme == "life" {
			values = append(values, "expired", "required", "wrong", "optional", "revoked", "abgelaufen", "unverändert", "gesperrt", "2026-03-04")
		}
		for _, v := range values {
			text := places.ReplaceAllLiteralString(expand(c.template, names, r), v)
			out, found := red.Text("acme", text)
			for _, f := range found {
				if own[f.Rule] {
					t.Errorf("%s: %q became %q (%s)", c.theme, text, out, f.Rule)
				}
			}
		}
	}
}

// places matches the places of values with what says how long they are.
var places = regexp.MustCompile(`¤(?:k{2,4}|[hlu])?`)
