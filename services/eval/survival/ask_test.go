package survival

import (
	"context"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/model/llm"
)

// saying answers every question alike; the question is kept.
type saying struct {
	answer   func(question llm.Question) string
	question llm.Question
}

func (s *saying) ID() string { return "scripted" }

func (s *saying) Complete(ctx context.Context, q llm.Question) (llm.Answer, error) {
	s.question = q
	if s.answer == nil { // it thinks for ever
		<-ctx.Done()
		return llm.Answer{}, ctx.Err()
	}
	return llm.Answer{Text: s.answer(q)}, nil
}

// S1.11, D11: the list in German is asked about in German, and what a model says about it
// goes through the gates.
func TestAsk(t *testing.T) {
	t.Parallel()
	for language, begins := range map[string]string{"en": "You receive", "de": "Du bekommst"} {
		model := &saying{answer: func(q llm.Question) string {
			var found []string
			for line := range strings.Lines(q.User) {
				if strings.Contains(line, "Ulm") && strings.Contains(line, `"content":"`) && (strings.Contains(line, "nurse") || strings.Contains(line, "Pflegerin")) {
					found = append(found, line[len(`{"id":"`):][:6])
				}
			}
			text := map[string]string{"en": "Works as a nurse at the clinic in Ulm, mostly on ward 3.", "de": "Arbeitet als Pflegerin in der Klinik in Ulm, meist auf Station 3."}[language]
			return "```json\n" + `{"keep":[],"merge":[{"ids":["` + strings.Join(found, `","`) + `"],"merged_content":"` + text + `","category":"work","importance":6}],"delete":[]}` + "\n```"
		}}
		a, err := Ask(t.Context(), model, AskOptions{List: language})
		if err != nil {
			t.Fatal(err)
		}
		if a.Language != language || !strings.HasPrefix(model.question.System, begins) || !a.Valid || a.Before != 22 || a.After != 21 || len(a.Merged) != 1 {
			t.Errorf("%s: %+v", language, *a)
		}
	}
	a, err := Ask(t.Context(), &saying{answer: func(llm.Question) string { return "Sure!" }}, AskOptions{})
	if err != nil || a.Valid || a.Gate != "unparseable" || a.After != 22 {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := Ask(t.Context(), &saying{}, AskOptions{List: "../ask"}); err == nil {
		t.Error("a list that does not ship was read")
	}

	// A model that does not answer in its time changes nothing, and a short list is asked
	// about as it is.
	silent := &saying{}
	a, err = Ask(t.Context(), silent, AskOptions{Most: 3, AnswerTokens: 99, Within: 1})
	if err != nil || a.Valid || a.Gate != "time" || a.Before != 3 || silent.question.MaxTokens != 99 {
		t.Errorf("%+v, %v, asked %+v", a, err, silent.question)
	}
}
