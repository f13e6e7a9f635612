package run

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/winnowhq/winnow/services/internal/config"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// ConfigPath is read when it exists and no other file is named.
const ConfigPath = "/etc/winnow/winnow.yaml"

// notSettings are environment variables with the prefix of settings that are no settings.
var notSettings = []string{"WINNOW_CONFIG", "WINNOW_CRASH_AT", "WINNOW_PG_BINDIR", "WINNOW_REQUIRE", "WINNOW_CHAOS", "WINNOW_GATEWAY_URL", "WINNOW_API_KEY", "WINNOW_TEST_", "WINNOW_SEED"}

// Flags is a set of flags, one for each setting: --postgres-url is
// postgres.url. A secret also has a flag for the file that contains it:
// --embed-key-file.
type Flags struct {
	set  *pflag.FlagSet
	defs []worker.Definition
	keys map[string]string // flag name → key
	file string
}

// Bind adds the flags of all settings, those of the given workers included, and --config
// to a flag set. The help shows the given names; the other flags work and are hidden. A
// key of any other worker is unknown, so processes that read one file must be given the
// same workers.
func Bind(set *pflag.FlagSet, defs []worker.Definition, shown ...string) *Flags {
	f := &Flags{set: set, defs: defs, keys: map[string]string{}}
	set.StringVar(&f.file, "config", "", "YAML file of settings (default "+ConfigPath+" if it exists)")
	visible := map[string]bool{}
	for _, name := range shown {
		visible[name] = true
	}
	defaults := DefaultConfig()
	for _, field := range config.Fields(defaults.sections(defs)...) {
		name := strings.NewReplacer(".", "-", "_", "-").Replace(field.Key)
		f.keys[name] = field.Key
		set.String(name, "", strings.TrimSuffix(field.Help, "."))
		flag := set.Lookup(name)
		flag.Hidden = !visible[name]
		if field.Type == "bool" {
			flag.NoOptDefVal = "true"
		}
		if field.Secret { // other users can see a command line
			f.keys[name+"-file"] = field.Key + "_file"
			set.String(name+"-file", "", "File that holds it: "+strings.TrimSuffix(field.Help, "."))
			set.Lookup(name + "-file").Hidden = true
		}
	}
	return f
}

// Load returns the settings of this process: defaults, then the file, then the
// environment, then flags. The error joins all problems.
func (f *Flags) Load() (Config, []config.Value, error) {
	opts := config.Options{File: f.file, Required: true, Environ: os.Environ(), Known: notSettings, Flags: map[string]string{}}
	if opts.File == "" {
		opts.File = os.Getenv("WINNOW_CONFIG")
	}
	if opts.File == "" {
		opts.File, opts.Required = ConfigPath, false
	}
	// A command parses into another flag set that shares these flags. So the flags, and
	// not f's set, show which ones the user gave.
	f.set.VisitAll(func(flag *pflag.Flag) {
		if key, ok := f.keys[flag.Name]; ok && flag.Changed {
			opts.Flags[key] = flag.Value.String()
		}
	})
	cfg := DefaultConfig()
	values, err := config.Load(cfg.sections(f.defs), opts)
	if err == nil {
		err = cfg.Validate(f.defs...)
	}
	return cfg, values, err
}

// ConfigProblems lists the problems in an error of Load.
func ConfigProblems(err error) []*config.Problem { return config.Problems(err) }

// sections returns all groups of settings, into which the sources are decoded: those that
// every process has, then the workers'.
func (c *Config) sections(defs []worker.Definition) []config.Section {
	all := []config.Section{{Into: c}}
	for _, d := range defs {
		for _, group := range d.Config {
			all = append(all, opened(d, group, &c.Workers))
		}
	}
	return all
}

// opened returns a worker's group in all, with its defaults.
func opened(d worker.Definition, group worker.Section, all *worker.Configured) config.Section {
	return config.Section{Key: group.Key(d.Name), Into: group.Open(all)}
}

// workerProblems returns the problems of the workers' groups. A problem of a setting that
// two workers read is returned once.
func (c Config) workerProblems(defs []worker.Definition) []error {
	var problems []error
	told := map[string]bool{}
	for _, d := range defs {
		for _, group := range d.Config {
			fields := config.Fields(opened(d, group, new(worker.Configured)))
			for _, p := range config.Problems(config.Within(group.Key(d.Name), fields, group.Validate(c.Workers))) {
				if !told[p.Error()] {
					told[p.Error()] = true
					problems = append(problems, p)
				}
			}
		}
	}
	return problems
}

// ConfigReference returns the reference of every setting as Markdown: those of all
// processes, then each worker's, with the package that declares them.
func ConfigReference(defs []worker.Definition) string {
	var b strings.Builder
	common := DefaultConfig()
	shared := config.Fields(config.Section{Into: &common})
	b.WriteString("## Every process\n\n" + config.Reference(shared))
	seen := map[string]string{}
	for _, d := range defs {
		var own []config.Field
		var also []string
		for _, group := range d.Config {
			for _, f := range config.Fields(opened(d, group, new(worker.Configured))) {
				if first, told := seen[f.Key]; told && first != d.Name {
					also = append(also, "`"+f.Key+"`")
					continue
				}
				seen[f.Key] = d.Name
				own = append(own, f)
			}
		}
		if len(own)+len(also) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\nDeclared in [services/%[1]s/config.go](../services/%[1]s/config.go).", d.Name)
		if len(also) > 0 {
			fmt.Fprintf(&b, " Read here too: %s.", strings.Join(also, ", "))
		}
		b.WriteString("\n")
		if len(own) > 0 {
			b.WriteString("\n" + config.Reference(own))
		}
	}
	return b.String()
}
