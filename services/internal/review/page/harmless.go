package page

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// harmless returns a text with its deceptive characters made visible. Line breaks,
// invisible characters and those that turn the direction of reading are written out;
// straight double quotes become typographic ones, so that no text can end its own
// quotation and continue as part of the digest.
func harmless(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var b strings.Builder
	open := false
	for _, r := range text {
		switch {
		case r == '\n' || r == '\u2028' || r == '\u2029':
			b.WriteString(" ⏎ ")
		case r == '"':
			open = !open
			if open {
				b.WriteRune('“')
			} else {
				b.WriteRune('”')
			}
		case r == '\t' || unicode.Is(unicode.Zs, r):
			b.WriteByte(' ')
		case hidden(r):
			fmt.Fprintf(&b, "‹U+%04X›", r)
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// hidden reports whether a reader cannot see the character. Variation selectors 15 and
// 16 only choose between text and emoji.
func hidden(r rune) bool {
	switch {
	case !unicode.IsGraphic(r), r == utf8.RuneError:
		return true
	case r == '\u034F', r == '\u115F', r == '\u1160', r == '\u3164', r == '\uFFA0', r == '\u2800', r == '\u17B4', r == '\u17B5':
		return true // letters and marks without a shape
	case r >= '\uFE00' && r <= '\uFE0D', r >= 0xE0100 && r <= 0xE01EF:
		return true // selectors that can carry hidden bytes
	}
	return false
}

var (
	scheme = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*)(://)`)
	action = regexp.MustCompile(`(?i)\b(mailto|javascript|data|tel|vbscript):`)
	// host matches a name that chat clients turn into a link although it has no scheme.
	// Endings that are also those of files (md, rs, py, sh) are left out.
	host = regexp.MustCompile(`(?i)\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|de|eu|ai|co|uk|info|biz|xyz|link|top|ru|cn|example|test)\b|\bwww\.`)
)

// unlinked disables the links of a harmless text; the reader can still see where they
// pointed.
func unlinked(text string) string {
	text = scheme.ReplaceAllStringFunc(text, func(s string) string {
		name, _ := strings.CutSuffix(s, "://")
		switch strings.ToLower(name) {
		case "http", "https":
			return "hxxp" + name[len("http"):] + "://"
		}
		return name + "[:]//"
	})
	text = action.ReplaceAllString(text, "$1[:]")
	return host.ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, ".", "[.]") })
}

// shown returns a text as the digest shows it. Links stay only in texts of registered
// publishers and people.
func shown(text string, authority memory.Origin) string {
	text = harmless(text)
	if authority < memory.OriginFirstParty {
		text = unlinked(text)
	}
	return text
}
