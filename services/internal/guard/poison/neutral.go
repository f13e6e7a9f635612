package poison

import (
	"net/netip"
	"regexp"
	"strings"
)

// Addresses outside the machine, on normalised text.
const (
	mailAddress    = `[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}`
	ipAddress      = `(?:\d{1,3}\.){3}\d{1,3}\b`
	outsideAddress = `(?:(?:https?|hxxps?|ftp|wss?)://[^\s]+|` + mailAddress + `|` + ipAddress + `|www\.[^\s]+)`
)

// addressParts occur in every address a sender could name. A dot before a
// digit stands for bare IP addresses.
var addressParts = []string{"@", "://", "www.", ".0", ".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8", ".9"}

var addressIP = regexp.MustCompile(ipAddress)

// publicAddress rejects matches whose only address is one of a private net: a
// note about the office printer is no exfiltration.
func publicAddress(n *normal, start, end int) bool {
	ip := addressIP.FindString(n.text[start:end])
	if ip == "" {
		return true
	}
	addr, err := netip.ParseAddr(ip)
	return err == nil && !addr.IsPrivate() && !addr.IsLoopback() && !addr.IsUnspecified() && !addr.IsLinkLocalUnicast()
}

// neutralDetectors need no language: markers of chat formats and commands.
func neutralDetectors() []detector {
	return []detector{
		{
			id: "any.chat-marker", class: Authority, language: "any", inside: true,
			sentence: "Holds control marks of a chat format (<|im_start|>, [INST], <<SYS>>).",
			words:    []string{"<|im_", "<|system", "<|user", "<|assistant", "<|end", "<|start", "<|begin", "<|eot", "[inst]", "[/inst]", "<<sys>>", "[system]", "</system>", "[system_prompt]", "<|tool"},
			expr:     regexp.MustCompile(`^(?:<\|[a-z_]{3,20}\|?>|\[/?inst\]|<</?sys>>|\[system(?:_prompt)?\]|</system>)`),
		},
		{
			id: "any.role-label", class: Authority, language: "any",
			sentence: "Begins a sentence with a role in capitals and a colon (SYSTEM:, ADMIN:, OPERATOR:).",
			words:    []string{"system", "admin", "administrator", "operator", "developer", "root", "betreiber"},
			expr:     regexp.MustCompile(`^(?:system|admin|administrator|operator|developer|root|betreiber)(?:\s+(?:message|prompt|notice|override|instructions?|nachricht|anweisung|note|alert))?\s*(?:\]|\))?\s*:`),
			left:     regexp.MustCompile(`(?:^|[.!?:;\n\[(#>|-])\s*$`),
			accept: func(n *normal, start, end int) bool {
				s := n.span(start, start+4)
				label := n.original[s.Start:s.End]
				return label == strings.ToUpper(label)
			},
		},
		{
			id: "any.forged-tool-call", class: Instruction, language: "any", inside: true,
			sentence: "Imitates a tool call or its result.",
			words:    []string{"<tool_call", "<function_call", "<invoke", "<tool_use", "<tool_result", "<function_result", "[tool_call", "<antml"},
			expr:     regexp.MustCompile(`^(?:<(?:tool_call|function_calls?|invoke\s+name=|tool_use|tool_result|function_results?|antml:\w+)\b[^>]*>[^<]*|\[tool_calls?\]\s*[\[{:])`),
			accept:   func(n *normal, start, end int) bool { return !quotedAt(n.text, start) },
		},
		{
			id: "any.image-beacon", class: Exfiltration, language: "any", inside: true,
			sentence: "Holds a Markdown image whose address carries data out.",
			words:    []string{"!["},
			expr:     regexp.MustCompile(`^!\[[^\]]*\]\(\s*https?://[^)\s]+[?&/](?:[a-z_]*(?:data|secret|context|prompt|conversation|history|token|key|leak|exfil|memory|msg|message|info|content|user)[a-z_]*=|[^)\s]*(?:\{|<|%7b|\$\(|\[))`),
		},
		{
			id: "any.pipe-to-shell", class: Exfiltration, language: "any",
			sentence: "Fetches a script over an unencrypted or bare address and runs it.",
			words:    []string{"curl", "wget", "iwr", "invoke-webrequest"},
			expr:     regexp.MustCompile(`^(?:curl|wget|iwr|invoke-webrequest)\s[^|\n]*(?:http://|` + ipAddress + `)[^|\n]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?(?:sh|python3?|perl|iex|node)\b`),
		},
		{
			id: "any.run-remote-script", class: Exfiltration, language: "any",
			sentence: "Orders the reader to run a script fetched from the network.",
			needs:    []string{"|"},
			words:    []string{"run", "execute", "paste", "fuehre", "starte"},
			expr:     regexp.MustCompile(`^(?:run|execute|paste|fuehre|starte)\b[^.\n]*\b(?:curl|wget)\s[^|\n]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b`),
			left:     regexp.MustCompile(`(?:\b(?:must|always|you|immediately|agent|assistant|from now on|first|before (?:each|every)\s+\w+)\W+(?:always\s+)?)$`),
		},
		{
			id: "any.upload-code", class: Exfiltration, language: "any", inside: true,
			sentence: "Holds code that reads a file, the screen or the machine and sends it to another host.",
			words:    []string{"requests.post(", "requests.put(", ".sendall(", "sock.send(", "storbinary(", `"scp"`, `"rsync"`, `"curl"`, "conn.request(", "urlopen(", "axios.post(", "fetch("},
			expr:     regexp.MustCompile(`(?s)^.`),
			accept:   func(n *normal, start, end int) bool { return uploads(n.text, start) },
		},
	}
}

// uploads reports whether code around a sending call also reads something private
// and names another host.
func uploads(text string, at int) bool {
	around := text[max(0, at-600):min(len(text), at+300)]
	return readsPrivate.MatchString(around) && namesHost.MatchString(around)
}

var (
	readsPrivate = regexp.MustCompile(`open\(|screenshot|getpass|platform\.|geocoder|check_output|pkg_resources|clipboard|keylog|os\.environ|file=@|snippingtool|screencapture|\.ssh|listen\(|recv\(|while true:|shutil\.|ffmpeg`)
	namesHost    = regexp.MustCompile(`https?://|@[a-z0-9.-]+:|connect\(|host|server|ftp\(`)
)

// quotedAt reports whether the text at i stands in backticks or quotes, as code that
// is talked about does.
func quotedAt(text string, i int) bool {
	return i > 0 && strings.IndexByte("`\"'", text[i-1]) >= 0
}
