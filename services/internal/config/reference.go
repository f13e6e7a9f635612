package config

import (
	"fmt"
	"strings"
)

// Reference is a Markdown table of all settings with their defaults.
func Reference(defaults any) string {
	var b strings.Builder
	b.WriteString("| Key | Environment | Type | Default | Meaning |\n|---|---|---|---|---|\n")
	for _, f := range Fields(defaults) {
		help := f.Help
		if f.Secret {
			help += " Secret: also `" + f.Env + strings.ToUpper(fileSuffix) + "`."
		}
		def := f.Default
		if def != "" {
			def = "`" + def + "`"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s |\n", f.Key, f.Env, f.Type, def, strings.ReplaceAll(help, "|", "\\|"))
	}
	return b.String()
}
