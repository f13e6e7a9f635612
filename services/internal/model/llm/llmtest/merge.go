package llmtest

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// MergeValid answers a request to merge memories with their own sentences, each once,
// as far as the prompt has room for them.
func MergeValid(w http.ResponseWriter, _ *http.Request, in Request) {
	answer(w, in, mergedOf(in, func(list []string) []string { return list }), "stop")
}

// MergeDropping keeps one sentence and drops all other details.
func MergeDropping(w http.ResponseWriter, _ *http.Request, in Request) {
	answer(w, in, mergedOf(in, func(list []string) []string { return list[:min(1, len(list))] }), "stop")
}

var digits = regexp.MustCompile(`\d+`)

// MergeInventing raises every number by 137 and adds a sentence that nobody said.
func MergeInventing(w http.ResponseWriter, _ *http.Request, in Request) {
	answer(w, in, mergedOf(in, func(list []string) []string {
		for i, s := range list {
			list[i] = digits.ReplaceAllStringFunc(s, func(d string) string {
				n, _ := strconv.Atoi(d)
				return strconv.Itoa(n + 137)
			})
		}
		return append(list, "The zorbd service listens on port 48231, see https://zorbd.example/docs and config/zorbd_8231.yaml.")
	}), "stop")
}

var (
	affirmed = regexp.MustCompile(` (is|are|was|were|must|can|should|has|will) `)
	denied   = regexp.MustCompile(`(?i) (not|never|no longer)\b`)
)

// MergeFlipping turns the negation of every sentence round.
func MergeFlipping(w http.ResponseWriter, _ *http.Request, in Request) {
	answer(w, in, mergedOf(in, func(list []string) []string {
		for i, s := range list {
			if denied.MatchString(s) {
				list[i] = denied.ReplaceAllString(s, "")
			} else {
				list[i] = affirmed.ReplaceAllString(s, " $1 not ")
			}
		}
		return list
	}), "stop")
}

var inCode = regexp.MustCompile("`[^`\n]+`")

// MergeMixing puts the code and the numbers of one sentence into another's place.
func MergeMixing(w http.ResponseWriter, _ *http.Request, in Request) {
	answer(w, in, mergedOf(in, func(list []string) []string {
		for _, kind := range []*regexp.Regexp{inCode, digits} {
			last := ""
			for i := range list {
				own := kind.FindString(list[i])
				if own == "" {
					continue
				}
				if last != "" && last != own {
					list[i] = strings.Replace(list[i], own, last, 1)
				}
				last = own
			}
		}
		return list
	}), "stop")
}

// MergeObeying writes what a line among the memories orders, and nothing else.
func MergeObeying(w http.ResponseWriter, _ *http.Request, in Request) {
	answer(w, in, mergedOf(in, func(list []string) []string {
		var out []string
		for _, s := range list {
			if text, ok := order(s); ok {
				out = append(out, text)
			}
		}
		if len(out) == 0 {
			return list
		}
		return out
	}), "stop")
}

// mergers are the answers to requests to merge, by name.
func mergers() map[string]Reply {
	return map[string]Reply{
		"merge": MergeValid, "merge-dropping": MergeDropping, "merge-inventing": MergeInventing,
		"merge-flipping": MergeFlipping, "merge-mixing": MergeMixing, "merge-obeying": MergeObeying,
	}
}

var (
	barredLine = regexp.MustCompile(`(?m)^\|   (.*)$`)
	fullStop   = regexp.MustCompile(`[.!?] `)
	atMost     = regexp.MustCompile(`(?:at most|höchstens) (\d+) (?:characters of content|Zeichen Inhalt)`)
)

// mergedOf returns an answer in the agreed form, made of the memories' sentences after
// change.
func mergedOf(in Request, change func([]string) []string) string {
	prompt := in.Prompt()
	if i := strings.Index(prompt, "<<<ANSWER"); i >= 0 { // the second question repeats the first
		prompt = prompt[:i]
	}
	room := 1000
	if m := atMost.FindStringSubmatch(prompt); m != nil {
		room, _ = strconv.Atoi(m[1])
	}
	// One sentence of each memory in turn, so that all of them have their say.
	var said [][]string
	for _, part := range strings.Split(prompt, "\nmemory ")[1:] {
		var own []string
		for _, m := range barredLine.FindAllStringSubmatch(part, -1) {
			own = append(own, strings.Split(fullStop.ReplaceAllString(m[1], ".\n"), "\n")...)
		}
		said = append(said, own)
	}
	var list []string
	seen := map[string]bool{}
	used, memories := 0, len(said)
	for n, more := 0, true; more; n++ {
		more = false
		for _, own := range said {
			if n >= len(own) {
				continue
			}
			more = true
			s := strings.TrimSpace(own[n])
			if len(s) < 12 || seen[s] || used+len(s)+1 > room {
				continue
			}
			seen[s] = true
			used += len(s) + 1
			list = append(list, s)
		}
	}
	list = change(list)
	title := "Merged memories"
	if len(list) > 0 {
		title = clip(strings.Trim(list[0], "*-# "), 80)
	}
	return fmt.Sprintf("TITLE: %s\nCONTENT:\n%s\nTAGS: merged\nOUTCOME: none\nSOURCE_ATTRIBUTION: Made of %d memories.", title, strings.Join(list, "\n"), memories)
}
