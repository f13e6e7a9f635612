package archtest

import (
	"path"
	"strings"
)

// list flattens patterns and lists of patterns.
func list(parts ...any) []string {
	var out []string
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			out = append(out, p)
		case []string:
			out = append(out, p...)
		}
	}
	return out
}

// fits says whether a path matches a pattern of the table.
func fits(pattern, p string) bool {
	if pattern == "..." {
		return true
	}
	if open := strings.IndexByte(pattern, '{'); open >= 0 {
		end := strings.IndexByte(pattern, '}')
		for _, choice := range strings.Split(pattern[open+1:end], ",") {
			if fits(pattern[:open]+choice+pattern[end+1:], p) {
				return true
			}
		}
		return false
	}
	prefix, below := strings.CutSuffix(pattern, "/...")
	// `**test` is a last element that ends in "test" at any depth.
	if base, last, deep := strings.Cut(prefix, "/**"); deep {
		for ; strings.HasPrefix(p, base+"/"); p = path.Dir(p) {
			if strings.HasSuffix(path.Base(p), last) {
				return true
			}
		}
		return false
	}
	want, got := strings.Split(prefix, "/"), strings.Split(p, "/")
	if len(got) < len(want) || !below && len(got) > len(want) {
		return false
	}
	for i := range want {
		if want[i] != "*" && want[i] != got[i] {
			return false
		}
	}
	return true
}

func fitsAny(patterns []string, p string) bool {
	for _, pattern := range patterns {
		if fits(pattern, p) {
			return true
		}
	}
	return false
}

// rowOf finds a package's row.
func rowOf(p string) (row, bool) {
	for _, r := range table {
		if fits(r.from, p) {
			return r, true
		}
	}
	return row{}, false
}
