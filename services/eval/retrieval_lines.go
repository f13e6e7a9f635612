package eval

// RetrievalLine is a line of Winnow's format: a text {id, store, title, text, session}
// or a question {qid, store, query, evidence, category}. Without evidence it is a question
// that no text answers.
type RetrievalLine struct {
	Store    string   `json:"store"`
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Text     string   `json:"text"`
	Session  string   `json:"session"`
	QID      string   `json:"qid"`
	Query    string   `json:"query"`
	Evidence []string `json:"evidence"`
	Category string   `json:"category"`
}

// storesOf sorts the lines by store; texts and questions may come in any order.
func storesOf(lines []RetrievalLine) []retrievalStore {
	var stores []retrievalStore
	at := map[string]int{}
	for _, l := range lines {
		if _, ok := at[l.Store]; !ok {
			at[l.Store] = len(stores)
			stores = append(stores, retrievalStore{name: l.Store})
		}
		if l.QID == "" {
			s := &stores[at[l.Store]]
			s.docs = append(s.docs, retrievalDoc{id: l.ID, title: l.Title, text: l.Text, session: l.Session})
		}
	}
	for _, l := range lines {
		if l.QID == "" {
			continue
		}
		s, q := &stores[at[l.Store]], retrievalQuestion{id: l.QID, query: l.Query, category: l.Category, evidence: l.Evidence}
		if len(q.evidence) == 0 {
			s.unanswerable = append(s.unanswerable, q)
			continue
		}
		s.addQuestion(q)
	}
	return stores
}
