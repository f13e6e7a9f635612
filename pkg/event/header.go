package event

import (
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"
)

// The headers that are read, folded to lower case.
const (
	headerID          = "ce-id"
	headerType        = "ce-type"
	headerSource      = "ce-source"
	headerTime        = "ce-time"
	headerSpecVersion = "ce-specversion"
	headerDataType    = "ce-datacontenttype"
	headerContentType = "content-type"
	headerMsgID       = "nats-msg-id"
	headerTraceparent = "traceparent"
	headerTracestate  = "tracestate"
	headerTenant      = "winnow-tenant"
)

// attributes are what a message says about itself, from headers or, in
// structured mode, from its body.
type attributes struct {
	id, typ, source, time, specVersion string
	contentType                        string
	traceparent, tracestate            string
	data                               []byte
}

// fold returns the first value of each header under its lower-case name. NATS
// compares names exactly, CloudEvents without regard to case. Where a message
// has one name in two spellings, the lower-case one wins, then the one that
// sorts first: an id must not depend on the order of a map.
func fold(header map[string][]string) map[string]string {
	out := make(map[string]string, len(header))
	from := make(map[string]string, len(header))
	for name, values := range header {
		if len(values) == 0 {
			continue
		}
		low := strings.ToLower(name)
		if prev, ok := from[low]; ok && (prev == low || name != low && prev < name) {
			continue
		}
		from[low], out[low] = name, strings.TrimSpace(values[0])
	}
	return out
}

// readAttributes detects binary or structured mode and reads the attributes.
// Its result is usable beside an error.
func readAttributes(h map[string]string, data []byte) (attributes, error) {
	a := attributes{
		id:          first(percentDecode(h[headerID]), h[headerMsgID]),
		typ:         percentDecode(h[headerType]),
		source:      percentDecode(h[headerSource]),
		time:        percentDecode(h[headerTime]),
		specVersion: percentDecode(h[headerSpecVersion]),
		contentType: first(percentDecode(h[headerDataType]), h[headerContentType]),
		data:        data,
	}
	a.traceparent, a.tracestate = traceContext(
		first(h[headerTraceparent], percentDecode(h["ce-traceparent"])),
		first(h[headerTracestate], percentDecode(h["ce-tracestate"])))
	// Content-Type alone decides the mode: ce-datacontenttype describes the
	// payload inside.
	media, _, _ := mime.ParseMediaType(h[headerContentType])
	switch {
	case media == contentStructured:
		return readStructured(a)
	case strings.HasPrefix(media, "application/cloudevents"):
		return a, fmt.Errorf("%w: Content-Type %q; send CloudEvents in binary mode or as %s", ErrContentType, media, contentStructured)
	}
	for _, f := range []struct{ name, value string }{{headerType, a.typ}, {headerSource, a.source}} {
		if !utf8.ValidString(f.value) || strings.IndexByte(f.value, 0) >= 0 {
			return a, fmt.Errorf("%w: %s is not valid UTF-8 or holds NUL; percent-encode it", ErrMalformed, f.name)
		}
	}
	return a, nil
}

// percentEncode returns a value as the CloudEvents bindings require it in a
// header: everything outside printable ASCII, and space, quote and percent, is
// encoded.
func percentEncode(s string) string {
	const hex = "0123456789ABCDEF"
	first := 0
	for first < len(s) && !encoded(s[first]) {
		first++
	}
	if first == len(s) {
		return s // nearly always
	}
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case encoded(c):
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// encoded reports whether percentEncode replaces a byte.
func encoded(c byte) bool { return c <= ' ' || c >= 0x7f || c == '"' || c == '%' }

// percentDecode is the inverse of percentEncode. A percent sign without two
// hexadecimal digits stands for itself, because publishers that do not know the
// encoding send it so.
func percentDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, lo := unhex(s[i+1]), unhex(s[i+2])
			if hi >= 0 && lo >= 0 {
				b = append(b, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// traceContext returns the W3C trace context, or empty strings if it is not
// well-formed: the specification requires readers to continue without a trace
// then.
func traceContext(parent, state string) (string, string) {
	// version "-" trace id "-" parent id "-" flags, lower-case hexadecimal.
	if len(parent) < 55 || parent[2] != '-' || parent[35] != '-' || parent[52] != '-' {
		return "", ""
	}
	for i := range 55 {
		if i == 2 || i == 35 || i == 52 {
			continue
		}
		if c := parent[i]; unhex(c) < 0 || 'A' <= c && c <= 'F' {
			return "", ""
		}
	}
	version := parent[:2]
	switch {
	case version == "ff",
		version == "00" && len(parent) != 55,
		len(parent) > 55 && parent[55] != '-',
		parent[3:35] == strings.Repeat("0", 32),
		parent[36:52] == strings.Repeat("0", 16):
		return "", ""
	}
	// A state over 512 characters need not be carried, and one with control
	// characters must not be.
	if len(state) > 512 || strings.IndexFunc(state, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		state = ""
	}
	if strings.IndexFunc(parent[55:], func(r rune) bool { return r <= ' ' || r > '~' }) >= 0 || len(parent) > 255 {
		return "", ""
	}
	return parent, state
}
