package embedtest

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// datum and answer are the shapes of the protocol.
type datum struct {
	Object    string    `json:"object"`
	Index     int       `json:"index"`
	Embedding []float32 `json:"embedding"`
}

type answer struct {
	Object string  `json:"object"`
	Model  string  `json:"model"`
	Data   []datum `json:"data"`
}

func vectorsOf(in Request, dim int) answer {
	out := answer{Object: "list", Model: in.Model}
	for i, text := range in.Input {
		out.Data = append(out.Data, datum{Object: "embedding", Index: i, Embedding: hashed(text, dim)})
	}
	return out
}

// hashed counts words by hash. Its length is not 1, because not every server normalises
// its vectors.
func hashed(text string, dim int) []float32 {
	out := make([]float32, dim)
	for word := range strings.FieldsSeq(text) {
		h := fnv.New64a()
		_, _ = io.WriteString(h, word)
		sum := h.Sum64()
		out[sum%uint64(dim)] += 1 + float32(sum>>60)
	}
	return out
}

func write(w http.ResponseWriter, v any) {
	_ = json.NewEncoder(w).Encode(v) // a client that went away is its own test
}

// Valid answers correctly.
func Valid(w http.ResponseWriter, _ *http.Request, in Request, dim int) {
	write(w, vectorsOf(in, dim))
}

// Shuffled gives the vectors in another order, with their indexes.
func Shuffled(w http.ResponseWriter, _ *http.Request, in Request, dim int) {
	out := vectorsOf(in, dim)
	slices.Reverse(out.Data)
	write(w, out)
}

// WrongDimension gives vectors that are one value too long.
func WrongDimension(w http.ResponseWriter, _ *http.Request, in Request, dim int) {
	write(w, vectorsOf(in, dim+1))
}

// TooFew leaves the last vector out.
func TooFew(w http.ResponseWriter, _ *http.Request, in Request, dim int) {
	out := vectorsOf(in, dim)
	out.Data = out.Data[:len(out.Data)-1]
	write(w, out)
}

// SameIndex gives the first vector for every text.
func SameIndex(w http.ResponseWriter, _ *http.Request, in Request, dim int) {
	out := vectorsOf(in, dim)
	for i := range out.Data {
		out.Data[i].Index = 0
	}
	write(w, out)
}

// Empty gives no vectors.
func Empty(w http.ResponseWriter, _ *http.Request, in Request, _ int) {
	write(w, answer{Object: "list", Model: in.Model})
}

// Zeroes gives vectors without a direction.
func Zeroes(w http.ResponseWriter, _ *http.Request, in Request, dim int) {
	out := vectorsOf(in, dim)
	for i := range out.Data {
		clear(out.Data[i].Embedding)
	}
	write(w, out)
}

// NaN gives vectors of NaN, as Python's encoder writes them.
func NaN(w http.ResponseWriter, _ *http.Request, in Request, dim int) {
	literal(w, in, dim, "NaN")
}

// Infinite gives numbers that no float32 holds.
func Infinite(w http.ResponseWriter, _ *http.Request, in Request, dim int) {
	literal(w, in, dim, "1e99")
}

// Nulls gives null for every number, as encoders write NaN that know no other
// way.
func Nulls(w http.ResponseWriter, _ *http.Request, in Request, dim int) {
	literal(w, in, dim, "null")
}

func literal(w http.ResponseWriter, in Request, dim int, number string) {
	vector := "[" + strings.TrimSuffix(strings.Repeat(number+",", dim), ",") + "]"
	var b strings.Builder
	b.WriteString(`{"object":"list","data":[`)
	for i := range in.Input {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"object":"embedding","index":` + strconv.Itoa(i) + `,"embedding":` + vector + `}`)
	}
	b.WriteString(`]}`)
	_, _ = io.WriteString(w, b.String())
}

// Malformed sends a proxy's page in place of JSON.
func Malformed(w http.ResponseWriter, _ *http.Request, _ Request, _ int) {
	_, _ = io.WriteString(w, "<html><body>Welcome to the gateway</body></html>")
}

// CutOff ends in the middle of the answer.
func CutOff(w http.ResponseWriter, _ *http.Request, in Request, dim int) {
	raw, err := json.Marshal(vectorsOf(in, dim))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	_, _ = w.Write(raw[:len(raw)/2])
}

// Huge never ends: it sends blanks until the client hangs up.
func Huge(w http.ResponseWriter, r *http.Request, _ Request, _ int) {
	blanks := []byte(strings.Repeat(" ", 1<<16))
	for r.Context().Err() == nil {
		if _, err := w.Write(blanks); err != nil {
			return
		}
	}
}

// Slow never answers; the client hangs up.
func Slow(_ http.ResponseWriter, r *http.Request, _ Request, _ int) {
	<-r.Context().Done()
}

// TooMany answers 429 with a Retry-After of this value, none when it is empty.
func TooMany(retryAfter string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ Request, _ int) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		refuse(w, http.StatusTooManyRequests, "rate_limit_exceeded")
	}
}

// Refuse answers with a status and the protocol's error of this code. Its
// message repeats what was sent, as some servers do.
func Refuse(status int, code string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, in Request, _ int) {
		w.WriteHeader(status)
		write(w, map[string]any{"error": map[string]any{
			"message": "cannot embed: " + strings.Join(in.Input, " "), "type": "invalid_request_error", "code": code,
		}})
	}
}

// On gives one reply to requests with a text that contains the word, and the other
// reply to the rest.
func On(word string, reply Reply) Reply {
	return func(w http.ResponseWriter, r *http.Request, in Request, dim int) {
		if slices.ContainsFunc(in.Input, func(text string) bool { return strings.Contains(text, word) }) {
			reply(w, r, in, dim)
			return
		}
		Valid(w, r, in, dim)
	}
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	write(w, map[string]any{"error": map[string]any{"message": "no", "type": "server_error", "code": code}})
}
