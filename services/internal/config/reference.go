package config

import (
	"fmt"
	"strings"
)

// Reference returns a Markdown table of settings with their defaults.
func Reference(fields []Field) string {
	var b strings.Builder
	b.WriteString("| Key | Environment | Type | Default | Meaning |\n|---|---|---|---|---|\n")
	for _, f := range fields {
		help := f.Help
		if f.Secret {
			help += " Secret: also `" + f.Env + strings.ToUpper(fileSuffix) + "`."
		}
		def := f.Default
		if def != "" {
			def = "`" + def + "`"
		}
		env := "`" + f.Env + "`"
		if f.Alias != "" {
			env += ", `" + f.Alias + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", f.Key, env, f.Type, def, strings.ReplaceAll(help, "|", "\\|"))
	}
	return b.String()
}
