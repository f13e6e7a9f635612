package recall_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// Neighbours lift the search of the product as they lift that of the evaluation:
// the turns of a conversation, each a memory of its session, and questions with
// the turns that answer them.
func TestNeighboursOfAConversation(t *testing.T) {
	t.Parallel()
	var file []struct {
		Conversation map[string]json.RawMessage `json:"conversation"`
		QA           []struct {
			Question string   `json:"question"`
			Evidence []string `json:"evidence"`
		} `json:"qa"`
	}
	raw, err := os.ReadFile(testenv.Shared(t, "retrieval/locomo_shared_3.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	c := file[0]
	var turns []said
	var places []string
	for n := 1; ; n++ {
		session := fmt.Sprintf("session_%d", n)
		list, ok := c.Conversation[session]
		if !ok {
			break
		}
		var spoken []struct {
			Speaker string `json:"speaker"`
			Place   string `json:"dia_id"`
			Text    string `json:"text"`
		}
		if err := json.Unmarshal(list, &spoken); err != nil {
			t.Fatal(err)
		}
		for _, s := range spoken {
			turns = append(turns, said{session: session, text: s.Speaker + ": " + s.Text})
			places = append(places, s.Place)
		}
	}
	b := setup(t)
	place := map[string]string{}
	for i, id := range b.storeSaid(memory.DefaultTenant, turns...) {
		place[id] = places[i]
	}
	at10 := func() float64 {
		var sum float64
		asked := 0
		for _, q := range c.QA {
			evidence := slices.DeleteFunc(slices.Clone(q.Evidence), func(e string) bool { return !slices.Contains(places, e) })
			if len(evidence) == 0 {
				continue
			}
			asked++
			var found []string
			for _, id := range ids(b.search(recall.Question{Text: strings.TrimSpace(q.Question), Limit: 10})) {
				found = append(found, place[id])
			}
			hits := 0
			for _, e := range evidence {
				if slices.Contains(found, e) {
					hits++
				}
			}
			sum += float64(hits) / float64(len(evidence))
		}
		return sum / float64(asked)
	}
	alone := at10()
	b.recall.Neighbours = b.store
	with := at10()
	t.Logf("recall@10 %.3f alone, %.3f beside", alone, with)
	if with < alone+0.03 {
		t.Errorf("recall@10 %.3f with neighbours, %.3f without", with, alone)
	}
}
