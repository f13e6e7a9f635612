package redact

func personalRules() []anchoredRule { return nil }
