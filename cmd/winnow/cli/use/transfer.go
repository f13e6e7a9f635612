package use

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/ops"
)

func importCommand(a *command.App) *cobra.Command {
	var opts ops.ImportOptions
	var follow string
	cmd := &cobra.Command{
		Use: "import FILE|-…", Short: "Bring in MEMORY.md, CLAUDE.md or AGENTS.md",
		Long: "Every bullet, paragraph, table and block of code becomes a memory of yours, under\n" +
			"the heading that it stands under. Nothing is judged; secrets are taken out, and\n" +
			"what is remembered already is left out. Topic files that a MEMORY.md links to are\n" +
			"read, too.",
		Example: "  winnow import MEMORY.md --scope project:shop --dry-run   # what would be remembered\n" +
			"  winnow import MEMORY.md CLAUDE.md --scope project:shop",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Usagef("which file? for example: winnow import MEMORY.md --scope project:shop")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wantScope(opts.Scope); err != nil {
				return err
			}
			reading, err := readMemoryFiles(a, args, follow)
			if err != nil {
				return command.Usage(err)
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				return runImport(ctx, a, s, reading, opts)
			})
		},
	}
	cmd.Flags().StringVar(&opts.Scope, "scope", "", "where it is remembered: user:, project:, team: or org:")
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "show what would be remembered and store nothing")
	cmd.Flags().StringVar(&follow, "follow", local.FollowTopics, "links that are followed: topics, all or none")
	return cmd
}

func runImport(ctx context.Context, a *command.App, s *command.Session, reading *local.Reading, opts ops.ImportOptions) error {
	bar := a.Bar(reading.Entries(), "import")
	opts.Progress = func(stored int) { _ = bar.Set(stored) }
	done, err := s.Ops.ImportFiles(ctx, reading, opts)
	_ = bar.Finish()
	if err != nil {
		return err
	}
	if err := a.Show(done, func(w io.Writer) { printImported(w, done) }); err != nil {
		return err
	}
	broken := 0
	for _, l := range done.Links {
		if l.Broken {
			broken++
		}
	}
	if broken > 0 {
		return fmt.Errorf("%w: %d linked file(s) cannot be read as memory files", ops.ErrPartial, broken)
	}
	return nil
}

// wantScope requires a scope: a guess would import a whole file into a scope
// that the person does not read.
func wantScope(scope string) error {
	if scope == "" {
		return command.Usagef("which scope? name it, for example --scope project:shop")
	}
	return nil
}

// readMemoryFiles reads the named files. Linked files are opened only below
// their own folder, which the operating system enforces.
func readMemoryFiles(a *command.App, names []string, follow string) (*local.Reading, error) {
	var sources []local.Source
	for _, name := range names {
		if name == "-" {
			data, err := readMost(a.In)
			if err != nil {
				return nil, err
			}
			sources = append(sources, local.Source{Name: "standard input", Data: data})
			continue
		}
		// The named file may be a link to any path; a file that it links to may
		// not.
		data, err := readFile(os.Open(name))
		if err != nil {
			return nil, missing(name, err)
		}
		root, err := os.OpenRoot(filepath.Dir(name))
		if err != nil {
			return nil, missing(name, err)
		}
		defer root.Close()
		open := func(below string) ([]byte, error) { return readFile(root.Open(filepath.FromSlash(below))) }
		sources = append(sources, local.Source{Name: filepath.ToSlash(name), Data: data, Open: open})
	}
	return local.ReadFiles(sources, follow)
}

// errFolder says that the argument is a folder and not a file.
var errFolder = errors.New("is a folder")

// missing returns why a named file cannot be read, in one line with the remedy.
func missing(name string, err error) error {
	switch {
	case errors.Is(err, errFolder):
		return fmt.Errorf("%s is a folder; name the file in it, such as %s", name, filepath.Join(name, "MEMORY.md"))
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is not there; name an existing MEMORY.md, CLAUDE.md or AGENTS.md", name)
	}
	return fmt.Errorf("%s cannot be read: %w", name, err)
}

// readFile reads an opened file. The error is the one of the opening, or
// errFolder.
func readFile(f *os.File, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errFolder
	}
	return readMost(f)
}

// readMost reads at most one byte more than a file may have.
func readMost(r io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, local.MaxMemoryFile+1))
}

// shownInDryRun bounds the printed lines of a dry run; --json prints all.
const shownInDryRun = 20

func printImported(w io.Writer, d ops.Imported) {
	verb := "stored"
	if d.DryRun {
		verb = "would be stored"
		for i, m := range d.Memories {
			if i == shownInDryRun {
				fmt.Fprintf(w, "… and %d more: --json lists them all\n", len(d.Memories)-i)
				break
			}
			fmt.Fprintf(w, "%s:%d  [%s] %s: %s\n", m.File, m.Line, m.Section, m.Kind, command.Short(m.Text, 80))
		}
	}
	fmt.Fprintf(w, "%d of %d entries %s in %s", d.Stored, d.Entries, verb, d.Scope)
	for _, part := range []struct {
		n    int
		what string
	}{{d.Present, "remembered already"}, {d.Redacted, "with a secret taken out"}} {
		if part.n > 0 {
			fmt.Fprintf(w, ", %d %s", part.n, part.what)
		}
	}
	fmt.Fprintln(w)
	for _, f := range d.Files {
		var notes []string
		if f.FrontMatter {
			notes = append(notes, "front matter")
		}
		if f.Comments > 0 {
			notes = append(notes, fmt.Sprintf("%d comment(s)", f.Comments))
		}
		line := fmt.Sprintf("  %5d  %s", f.Entries, f.Name)
		if len(notes) > 0 {
			line += "; left in the file: " + strings.Join(notes, ", ")
		}
		fmt.Fprintln(w, line)
	}
	printLinks(w, d.Links)
	if !d.DryRun && d.Stored > 0 {
		fmt.Fprintf(w, "take one back: winnow undo %s\n", d.Memories[0].ID)
	}
}

// printLinks prints the links that were not followed; documents are only
// counted.
func printLinks(w io.Writer, links []local.ReadLink) {
	documents := 0
	for _, l := range links {
		switch {
		case l.Followed, l.Reason == local.LinkRead:
		case l.Reason == local.LinkDocument:
			documents++
		default:
			fmt.Fprintf(w, "  %s:%d links to %s: %s\n", l.File, l.Line, l.Target, l.Reason)
		}
	}
	if documents > 0 {
		fmt.Fprintf(w, "  %d link(s) to documents, which are no topic files: --follow all reads them\n", documents)
	}
}

func exportCommand(a *command.App) *cobra.Command {
	var scope, out, format string
	cmd := &cobra.Command{
		Use: "export", Short: "Write all that a scope remembers into one file", Args: cobra.NoArgs,
		Long: "Markdown in the form of MEMORY.md, with every kind of memory and no budget, or JSON\n" +
			"with all that is known of each. Importing the Markdown gives the same texts.",
		Example: "  winnow export --scope project:shop --out MEMORY.md\n" +
			"  winnow export --scope project:shop --format json | jq .memories[].text",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := wantScope(scope); err != nil {
				return err
			}
			if a.JSON {
				format = "json"
			}
			if format != "md" && format != "json" {
				return command.Usagef("format %q: want md or json", format)
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				e, err := s.Ops.Export(ctx, scope)
				if err != nil {
					return err
				}
				if len(e.Memories) == 0 {
					a.Say("nothing is remembered in %s", scope)
				}
				text := e.Markdown()
				if format == "json" {
					if text, err = asJSON(e); err != nil {
						return err
					}
				}
				if out == "" {
					_, err = a.Out.Write(text)
					return err
				}
				if err := replaceFile(out, text); err != nil {
					return err
				}
				a.Say("%d memories in %s", len(e.Memories), out)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "what to write: user:, project:, team: or org:")
	cmd.Flags().StringVar(&out, "out", "", "file (default: standard output)")
	cmd.Flags().StringVar(&format, "format", "md", "md or json")
	return cmd
}

func asJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	printer := &command.App{Out: &b, JSON: true}
	err := printer.Show(v, nil)
	return b.Bytes(), err
}

// replaceFile writes a file atomically.
func replaceFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".winnow-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer os.Remove(f.Name()) // already renamed on success
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
