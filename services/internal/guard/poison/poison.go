package poison

// Class groups detectors by what an attacker would gain.
type Class string

// The classes of detectors.
const (
	Instruction    Class = "instruction"    // tells the agent what to do
	Authority      Class = "authority"      // claims to speak for someone in charge
	Exfiltration   Class = "exfiltration"   // moves data out
	Credential     Class = "credential"     // weakens secrets or checks
	Recommendation Class = "recommendation" // plants a bland preference
	Obfuscation    Class = "obfuscation"    // hides text from readers or filters
)

// Span is a range of byte offsets of the scanned text, End exclusive.
type Span struct{ Start, End int }

// Hit is one suspicious passage.
type Hit struct {
	Detector string // id, see Detectors
	Class    Class
	Span     Span   // in the text as given, before normalisation
	Phrase   string // what matched, normalised; at most maxPhrase bytes
}

const maxPhrase = 120

// Scan returns the suspicious passages of a text, in no particular order, at
// most one per detector. It is pure and safe for concurrent use.
func Scan(text string) []Hit {
	n := normalise(text)
	hits := n.hidden
	hits = compiled.scan(n, hits)
	if folded, ok := foldLeet(n); ok && len(hits) == 0 {
		hits = compiled.scan(folded, hits)
	}
	return scanPayloads(text, hits)
}
