package run

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/winnowhq/winnow/services/internal/config"
)

// ConfigPath is read when it exists and no other file is named.
const ConfigPath = "/etc/winnow/winnow.yaml"

// notSettings are variables with our prefix that mean something else.
var notSettings = []string{"WINNOW_CONFIG", "WINNOW_CRASH_AT", "WINNOW_PG_BINDIR", "WINNOW_REQUIRE", "WINNOW_CHAOS", "WINNOW_GATEWAY_URL", "WINNOW_API_KEY", "WINNOW_TEST_", "WINNOW_SEED"}

// Flags is a set of flags, one for each setting: --postgres-url is
// postgres.url. A secret has a second one, which names the file that holds it:
// --embed-key-file.
type Flags struct {
	set  *pflag.FlagSet
	keys map[string]string // flag name → key
	file string
}

// Bind adds the flags of all settings, and --config, to a flag set. The given
// names are shown in the help, the others work and are hidden.
func Bind(set *pflag.FlagSet, shown ...string) *Flags {
	f := &Flags{set: set, keys: map[string]string{}}
	set.StringVar(&f.file, "config", "", "YAML file of settings (default "+ConfigPath+" if it exists)")
	visible := map[string]bool{}
	for _, name := range shown {
		visible[name] = true
	}
	defaults := DefaultConfig()
	for _, field := range config.Fields(&defaults) {
		name := strings.NewReplacer(".", "-", "_", "-").Replace(field.Key)
		f.keys[name] = field.Key
		set.String(name, "", strings.TrimSuffix(field.Help, "."))
		flag := set.Lookup(name)
		flag.Hidden = !visible[name]
		if field.Type == "bool" {
			flag.NoOptDefVal = "true"
		}
		if field.Secret { // what stands in a command line, others see
			f.keys[name+"-file"] = field.Key + "_file"
			set.String(name+"-file", "", "File that holds it: "+strings.TrimSuffix(field.Help, "."))
			set.Lookup(name + "-file").Hidden = true
		}
	}
	return f
}

// Load reads the settings of this process: defaults, then the file, then the
// environment, then flags. The error joins everything that is wrong.
func (f *Flags) Load() (Config, []config.Value, error) {
	opts := config.Options{File: f.file, Required: true, Environ: os.Environ(), Known: notSettings, Flags: map[string]string{}}
	if opts.File == "" {
		opts.File = os.Getenv("WINNOW_CONFIG")
	}
	if opts.File == "" {
		opts.File, opts.Required = ConfigPath, false
	}
	// A command parses into a set of its own that shares our flags, so they and
	// not our set know what was given.
	f.set.VisitAll(func(flag *pflag.Flag) {
		if key, ok := f.keys[flag.Name]; ok && flag.Changed {
			opts.Flags[key] = flag.Value.String()
		}
	})
	cfg := DefaultConfig()
	values, err := config.Load(&cfg, opts)
	if err == nil {
		err = cfg.Validate()
	}
	return cfg, values, err
}

// ConfigProblems lists the problems in an error of Load.
func ConfigProblems(err error) []*config.Problem { return config.Problems(err) }

// ConfigReference documents every setting, as Markdown.
func ConfigReference() string {
	defaults := DefaultConfig()
	return config.Reference(&defaults)
}

// isConfig says whether err is about settings.
func isConfig(err error) bool {
	return err != nil && (len(config.Problems(err)) > 0 || errors.Is(err, pflag.ErrHelp))
}
