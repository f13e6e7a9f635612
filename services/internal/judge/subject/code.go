package subject

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// coded reports a code that begins with digits, and is no amount: "32UNE", "11YN-NORD",
// "4a". The letters of an amount are a unit.
func coded(text string, t *memory.Token) bool {
	if t.Class != memory.TokenNumber || t.Unit == "" || memory.IsUnit(t.Unit) || t.End > len(text) {
		return false
	}
	written := text[t.Start:t.End]
	if len(t.Unit) == 1 {
		return !strings.Contains(shortUnits, t.Unit) && (written == t.Value+t.Unit || !strings.Contains(symbols, t.Unit))
	}
	return written == strings.ToUpper(written) && (len(t.Unit) > 2 || strings.IndexByte(written, '-') > 0) && !capitals[t.Unit]
}

// symbols are units that are one capital letter.
const symbols = "abcfjnv"

// capitals are units and currencies that are written in capitals.
var capitals = memory.WordSet(`eur usd gbp chf jpy cny sek nok dkk pln rpm fps psi btu kwh mwh gwh bar dpi ppm ppb utc gmt cet cest est pst mhz ghz khz thz`)

// dimensions reports a width and a height: "640x360".
func dimensions(t *memory.Token) bool {
	if t.Class != memory.TokenIdent {
		return false
	}
	w, h, ok := strings.Cut(t.Value, "x")
	return ok && w != "" && h != "" && strings.Trim(w+h, "0123456789") == ""
}
