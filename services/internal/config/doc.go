// Package config reads settings into structs of defaults and says where each
// value came from.
//
// It decides the order of the sources (defaults, then one YAML file, then the
// environment, then flags), that an unknown key is an error and never ignored,
// and that a person sees all problems at once, each with its field and a
// remedy. What the fields are and which values make sense is said beside what
// they configure, by a struct with tags:
//
//	URL string `koanf:"url" secret:"true" help:"where PostgreSQL is"`
//
// A key is the path of its [Section] and of the tags, joined by dots. Its environment variable is the
// prefix and the key in capitals with underscores. A field that is secret may
// also be read from a file: WINNOW_POSTGRES_URL_FILE, or postgres.url_file in
// YAML.
package config
