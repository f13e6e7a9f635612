package merge

// The rules of the gate. A finding names the one that it broke.
const (
	RulePoison      = "poison"      // gives orders to a reader or a model
	RuleNumber      = "number"      // a number, version or date that no source has
	RuleName        = "name"        // a path, URL, identifier, name or word that no source has
	RuleMoved       = "moved"       // a detail beside words that no source has it with
	RuleTurned      = "turned"      // turns a negation, an obligation or a direction round
	RuleUnsupported = "unsupported" // no source says so
	RuleThin        = "thin"        // leaves out many details that there is room for
	RuleForm        = "form"        // the answer has not the agreed fields
	RuleLanguage    = "language"    // in another language than the sources
	RuleSize        = "size"        // too long or empty
	RuleMarkup      = "markup"      // Markdown or HTML that would break what stands around it
)
