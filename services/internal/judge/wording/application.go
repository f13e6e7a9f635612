package wording

// application returns the token at which the application part of a lesson begins:
// "Context: … Lesson: … Application: …". len(t.Tokens) for other texts. The part says
// how to use what was learned; its orders make no convention of the lesson. What it
// forbids or demands without exception is a rule there too.
func application(t *Text) int {
	learned := false
	for i := range t.Tokens {
		if i+1 >= len(t.Tokens) || i > 0 && t.Tokens[i].Sep != '\n' || t.Tokens[i+1].Sep != ':' && t.Tokens[i+1].Sep != '\n' {
			continue
		}
		switch t.Tokens[i].Value {
		case "lesson", "lektion", "erkenntnis", "learning":
			learned = true
		case "application", "anwendung":
			if learned {
				return i
			}
		}
	}
	return len(t.Tokens)
}
