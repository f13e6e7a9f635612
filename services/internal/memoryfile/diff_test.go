package memoryfile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/memoryfile"
)

func texts(list []memoryfile.Entry) []string {
	var out []string
	for _, e := range list {
		out = append(out, e.Section+": "+e.Text)
	}
	return out
}

// Edits of a person in an editor, and their meaning.
func TestDiffReadsHandEdits(t *testing.T) {
	t.Parallel()
	before := `# Memory: project:shop

## Conventions

- Handlers return early.
- Table tests where there are more than two cases.
- The gateway listens on port 8443 behind the load balancer.

## Notes

- Staging is rebuilt every night.
- Mara owns the billing service.
- Mara owns the billing service.
`
	after := `# Memory: project:shop

## Notes

- The VPN drops idle connections.
- Mara owns the billing service.

## Conventions

- Table tests where there are more than two cases.
- The gateway listens on port 9443 behind the load balancer.
- Staging is rebuilt every night.
`
	c := memoryfile.Diff(parse(t, before), parse(t, after))
	if got := texts(c.Added); !slices.Equal(got, []string{"Notes: The VPN drops idle connections."}) {
		t.Errorf("added %q", got)
	}
	if got := texts(c.Removed); !slices.Equal(got, []string{"Conventions: Handlers return early.", "Notes: Mara owns the billing service."}) {
		t.Errorf("removed %q", got)
	}
	var changed []string
	for _, x := range c.Changed {
		changed = append(changed, x.Before.Section+": "+x.Before.Text+" → "+x.After.Section+": "+x.After.Text)
	}
	if !slices.Equal(changed, []string{
		"Conventions: The gateway listens on port 8443 behind the load balancer. → Conventions: The gateway listens on port 9443 behind the load balancer.",
		"Notes: Staging is rebuilt every night. → Conventions: Staging is rebuilt every night.",
	}) {
		t.Errorf("changed %q", changed)
	}
}

// Changes that an editor makes by itself are no edits.
func TestDiffIgnoresWhatIsNoEntry(t *testing.T) {
	t.Parallel()
	before := "# Memory: project:shop\n\n## Notes\n\n- one  \n  two\t\n- three\n"
	after := "---\nowner: mara\n---\n# Memory: project:shop\n<!-- look -->\n## Notes\n* three\n* one\n  two\n"
	if c := memoryfile.Diff(parse(t, before), parse(t, after)); !c.Empty() {
		t.Errorf("%+v", c)
	}
}

// Most of a section written anew is not compared pair by pair.
func TestDiffOfARewrittenSectionIsBounded(t *testing.T) {
	t.Parallel()
	file := func(word string) memoryfile.File {
		var b strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&b, "- %s number %d\n", word, i)
		}
		return parse(t, b.String())
	}
	c := memoryfile.Diff(file("before"), file("after"))
	if len(c.Added) != 20_000 || len(c.Removed) != 20_000 || len(c.Changed) != 0 {
		t.Errorf("%d added, %d removed, %d changed", len(c.Added), len(c.Removed), len(c.Changed))
	}
}

// Applying a difference to the one file gives the other, for any edits.
func TestDiffAddsUp(t *testing.T) {
	t.Parallel()
	entry := rapid.Custom(func(r *rapid.T) memoryfile.Entry {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "port", "8443", "9443"}), 1, 5).Draw(r, "words")
		return memoryfile.Entry{Section: rapid.SampledFrom([]string{"", "A", "B"}).Draw(r, "section"), Text: strings.Join(words, " ")}
	})
	rapid.Check(t, func(r *rapid.T) {
		before := memoryfile.File{Entries: rapid.SliceOfN(entry, 0, 12).Draw(r, "before")}
		after := memoryfile.File{Entries: rapid.SliceOfN(entry, 0, 12).Draw(r, "after")}
		c := memoryfile.Diff(before, after)
		got := memoryfile.File{Entries: slices.Clone(before.Entries)}
		remove := func(e memoryfile.Entry) {
			i := slices.IndexFunc(got.Entries, func(x memoryfile.Entry) bool { return x == e })
			if i < 0 {
				r.Fatalf("%+v is not there", e)
			}
			got.Entries = slices.Delete(got.Entries, i, i+1)
		}
		for _, x := range c.Changed {
			if x.Before == x.After {
				r.Fatalf("%+v changed into itself", x.Before)
			}
			remove(x.Before)
			got.Entries = append(got.Entries, x.After)
		}
		for _, e := range c.Removed {
			remove(e)
		}
		got.Entries = append(got.Entries, c.Added...)
		same(r, after, got)
		if memoryfile.Diff(before, before).Empty() != true {
			r.Fatalf("a file differs from itself")
		}
	})
}
