package memoryfile

import (
	"fmt"
	"regexp"
	"strings"
)

// key is a line of YAML that names a field at the outermost level.
var key = regexp.MustCompile(`^(?:[A-Za-z_][\w .-]*|"[^"]*"|'[^']*'):(?:[ \t]+(.*))?$`)

// front parses the front matter at the top and returns it with its number of lines. A
// line of dashes that opens no YAML is only a separator before text.
//
// The YAML is stored and not interpreted: which files apply to whom is decided by other
// programs. Visibly broken YAML is refused, so that it is not read as memories, nor the
// rest of the file as YAML.
func front(lines []string) (text string, taken int, err error) {
	if strings.TrimRight(lines[0], " \t") != "---" {
		return "", 0, nil
	}
	end := 1
	for end < len(lines) && !ends(lines[end]) {
		end++
	}
	if end == len(lines) {
		if len(lines) > 1 && key.MatchString(lines[1]) {
			return "", 0, &Problem{Line: 1, What: "front matter is opened and never closed", Remedy: "close it with a line of three dashes", kind: ErrFrontMatter}
		}
		return "", 0, nil
	}
	body := lines[1:end]
	if !yamlish(body) {
		return "", 0, nil
	}
	for i := range body {
		if what := faulty(body, i); what != "" {
			return "", 0, &Problem{Line: i + 2, What: "front matter: " + what, Remedy: "write it as `key: value`, or remove the front matter", kind: ErrFrontMatter}
		}
	}
	return strings.Join(body, "\n"), end + 1, nil
}

func ends(line string) bool {
	s := strings.TrimRight(line, " \t")
	return s == "---" || s == "..."
}

// yamlish distinguishes front matter from text between two lines of dashes.
func yamlish(body []string) bool {
	for _, line := range body {
		if !blank(line) {
			return key.MatchString(line) || strings.HasPrefix(line, "#") && len(body) > 1 && key.MatchString(body[1])
		}
	}
	return true
}

// faulty returns what is wrong with a line of YAML, "" for nothing. It finds the
// mistakes that people make by hand and is no parser.
func faulty(body []string, i int) string {
	line := body[i]
	switch {
	case blank(line), strings.HasPrefix(line, "#"), strings.HasPrefix(line, " "), strings.HasPrefix(line, "- "), line == "-":
		return ""
	case strings.HasPrefix(line, "\t"):
		return "a tab indents it, which YAML does not allow"
	case strings.Trim(line, "]} \t,") == "":
		return ""
	}
	m := key.FindStringSubmatch(line)
	if m == nil {
		return fmt.Sprintf("%q is no field", cut(line, 40))
	}
	value := strings.TrimSpace(m[1])
	continued := i+1 < len(body) && (blank(body[i+1]) || strings.ContainsAny(body[i+1][:1], " ]}"))
	if value == "" || continued {
		return ""
	}
	if open := value[:1]; strings.Contains(`"'[{`, open) && !closed(value) {
		return open + " is opened and not closed"
	}
	return ""
}

// closed reports that a value ends what its first character opens.
func closed(value string) bool {
	switch value[0] {
	case '[':
		return strings.Contains(value, "]")
	case '{':
		return strings.Contains(value, "}")
	default:
		return strings.Count(value, value[:1]) > 1
	}
}

// cut returns at most n characters of a line.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
