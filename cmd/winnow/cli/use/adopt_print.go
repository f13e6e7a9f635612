package use

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/local"
)

// shownOfProject bounds the printed lessons of one project; --json prints all.
const shownOfProject = 8

func printAdoption(w io.Writer, p *local.Adoption) {
	fmt.Fprintf(w, "%s → %s, %s\n", command.Plural(p.Sessions, "session"), command.Plural(p.Lessons, "lesson"), command.Plural(p.Questions, "question"))
	for _, project := range p.Projects {
		fmt.Fprintf(w, "\n%s  %s", project.Scope, command.Plural(project.Sessions, "session"))
		entries := 0
		for _, m := range project.Memories {
			entries += m.Entries
		}
		if entries > 0 {
			fmt.Fprintf(w, ", %s in %s", command.Plural(entries, "entry"), command.Plural(len(project.Memories), "memory file"))
		}
		fmt.Fprintln(w)
		printAdopted(w, "learn", project.Lessons)
		printAdopted(w, "ask", project.Questions)
		for _, m := range project.Memories {
			line := fmt.Sprintf("  %-6s %s, %s", "import", m.Path, command.Plural(m.Entries, "entry"))
			if m.Problem != "" {
				line = fmt.Sprintf("  %-6s %s: %s", "leave", m.Path, m.Problem)
			}
			fmt.Fprintln(w, line)
		}
	}
	fmt.Fprintln(w)
	for _, part := range []struct {
		n    int
		what string
	}{
		{p.Secrets, "secrets taken out first"}, {p.Repeated, "lessons said twice"},
		{p.Withheld, "lessons turned away: of strangers' making, of the moment, or of no use"},
		{p.Empty, "transcripts in which nothing was said"},
		{p.Parts, "transcripts of an agent's own helpers, which are part of their sessions"},
	} {
		if part.n > 0 {
			fmt.Fprintf(w, "%d %s\n", part.n, part.what)
		}
	}
	if f := p.Foresight; f.Met > 0 {
		fmt.Fprintf(w, "%s of later sessions had been met before; %d of them solved, and the lesson would have been shown for %d\n",
			command.Plural(f.Met, "error"), f.Solved, f.Foreseen)
	}
	for _, u := range p.Unreadable {
		fmt.Fprintf(w, "%s of %s cannot be read; the first, %s: %s\n", command.Plural(u.Files, "transcript"), u.Agent, u.First, u.Problem)
	}
	if p.Sessions+p.Entries == 0 {
		fmt.Fprintln(w, "No transcript and no memory file was found. Name a project's folder: winnow adopt DIR")
		return
	}
	fmt.Fprint(w, "Nothing was written. Take it in, beside a running winnow dev: winnow adopt --write\n")
}

func printAdopted(w io.Writer, verb string, list []local.AdoptedLesson) {
	for i, l := range list {
		if i == shownOfProject {
			fmt.Fprintf(w, "  %-6s … and %d more: --json lists them all\n", verb, len(list)-i)
			return
		}
		text := l.Text
		if l.Title != "" {
			text = l.Title + ": " + text
		}
		fmt.Fprintf(w, "  %-6s [%s] %s  (%s:%d)\n", verb, l.Kind, command.Short(text, 110), filepath.Base(l.Session), l.Turn)
	}
}
