// Package config reads settings into structs of defaults and reports the source of each
// value.
//
// It decides the order of the sources (defaults, then one YAML file, then the environment,
// then flags), that an unknown key is an error, and that all problems are reported at once,
// each with its field and a remedy. The package that uses a setting declares it and
// validates it, by a struct with tags:
//
//	URL string `koanf:"url" secret:"true" help:"where PostgreSQL is"`
//
// A key is the path of its [Section] and of the tags, joined by dots. Its environment
// variable is the prefix and the key in capitals with underscores. A secret field may also
// be read from a file: WINNOW_POSTGRES_URL_FILE, or postgres.url_file in YAML.
package config
