package trust

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// printers lists the programs that print what the workspace or the machine
// holds and can reach nothing else: an address among their arguments is only a
// word. Those that can start another program by an argument are checked
// separately.
var printers = append(strings.Fields(`
	\[ : true false test cd pushd popd dirs pwd ls dir tree exa eza cat bat tac nl head tail less more wc cut paste join comm
	sort uniq tr rev fold fmt column expand unexpand split csplit shuf seq yes echo printf print grep egrep fgrep zgrep rg ag ack
	sed gsed awk gawk mawk nawk jq yq xq xmllint find fd fdfind locate which whereis type command hash file stat du df diff cmp
	colordiff sdiff patch diffstat md5sum sha1sum sha256sum sha512sum shasum b2sum cksum base64 base32 xxd hexdump od strings
	basename dirname realpath readlink mktemp touch mkdir rmdir rm mv cp ln install chmod chown chgrp umask tee truncate dd sync
	tar gzip gunzip zcat bzip2 bunzip2 xz unxz zstd zip unzip zipinfo 7z ar cpio
	date cal time uptime uname arch hostname whoami id groups who w tty nproc free vmstat iostat lscpu lsblk lsof ps pgrep pidof
	top htop kill pkill killall wait jobs bg fg disown sleep env printenv export set unset shopt alias unalias local declare
	typeset readonly read mapfile readarray getopts shift return exit break continue let ulimit times trap history clear reset stty
	tput ss netstat ifconfig ip sysctl dmesg ldd nm objdump readelf size strip otool sqlite3 plutil defaults sw_vers
	cloc tokei scc ctags cscope pandoc shellcheck shfmt hadolint actionlint yamllint markdownlint prettier winnow
	get-childitem get-content get-location set-location get-item test-path select-string select-object where-object
	foreach-object apply_patch applypatch ll la measure-object sort-object write-output write-host out-string out-file set-content new-item remove-item`), "tshark -r", "tshark -n -r", "tcpdump -r", "tcpdump -n -r")

// gitPrinters lists the commands of git that read and write only the workspace.
var gitPrinters = strings.Fields(`
	add am apply bisect blame branch cat-file check-ignore check-attr checkout cherry cherry-pick clean commit commit-tree config
	count-objects describe diff diff-files diff-index diff-tree for-each-ref format-patch fsck gc grep hash-object help init
	log ls-files ls-tree merge merge-base merge-tree mv name-rev notes prune range-diff read-tree rebase reflog replace rerere
	reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stash status switch
	symbolic-ref tag update-index update-ref var verify-commit version whatchanged worktree write-tree --version --help`)

// builders lists the programs that run the workspace's own code or check it:
// compilers, tests, linters. They can reach what the code reaches; an address
// among their arguments says that they do.
var builders = append(strings.Fields(`
	make gmake cmake ctest ninja meson bazel bazelisk buck2 just task rake invoke tox nox pytest py.test unittest coverage mypy
	pyright pylint flake8 black isort ruff bandit pyupgrade pre-commit cython gofmt goimports gofumpt golangci-lint staticcheck
	govulncheck gotestsum gci benchstat dlv buf protoc sqlc mockgen stringer templ rustc rustfmt rust-analyzer clippy-driver
	javac java kotlinc kotlin scala scalac sbt gradle gradlew mvn mvnw ant groovy gcc g++ cc c++ clang clang++ clang-format
	clang-tidy ld gdb lldb valgrind tsc ts-node tsx jest vitest mocha ava karma eslint stylelint biome rollup webpack vite esbuild
	swc babel turbo nx lerna rspec rubocop sorbet srb steep phpunit phpstan psalm pint php-cs-fixer pest elixir iex erl rebar3
	ghc runghc cabal stack hlint ocaml dune opam swiftc swiftlint xcodebuild xcrun zig nim crystal fpc gfortran octave julia
	lualatex pdflatex latexmk xelatex bibtex typst dot gnuplot terraform-docs tflint helm-docs kubeconform kustomize
	poetry-core hatchling flit maturin setuptools sphinx-build mkdocs hugo jekyll alembic flask django-admin manage.py`),
	"go test", "go build", "go vet", "go run", "go fmt", "go generate", "go tool", "go env", "go version", "go clean", "go work", "go fix", "go help",
	"cargo test", "cargo build", "cargo check", "cargo clippy", "cargo fmt", "cargo run", "cargo bench", "cargo tree", "cargo clean",
	"cargo metadata", "cargo nextest", "cargo --version", "npm test", "npm t", "npm run", "npm run-script", "npm start", "npm ls", "npm list",
	"npm pack", "npm version", "npm --version", "npm -v", "pnpm test", "pnpm run", "pnpm build", "pnpm lint", "pnpm ls", "yarn test", "yarn run",
	"yarn build", "yarn lint", "yarn typecheck", "yarn format", "yarn start", "yarn --version", "bun test", "bun run", "bun build", "deno test", "deno fmt",
	"deno lint", "deno check", "deno run", "deno task", "deno bench", "npx tsc", "npx jest", "npx vitest", "npx eslint", "npx prettier", "npx mocha",
	"npx playwright test", "pip list", "pip freeze", "pip check", "pip --version", "pip3 list", "pip3 freeze", "uv venv", "uv lock", "uv tree",
	"poetry check", "poetry show", "dotnet test", "dotnet build", "dotnet run", "dotnet format", "swift test", "swift build", "swift run",
	"mix test", "mix compile", "mix format", "mix credo", "mix dialyzer", "composer test", "composer validate", "composer dump-autoload",
	"yarn jest", "yarn tsc", "yarn eslint", "yarn vitest", "yarn prettier", "yarn check", "pnpm jest", "pnpm tsc", "pnpm vitest", "pnpm eslint",
	"pnpm typecheck", "pnpm check", "pnpm format", "conda activate", "conda env list", "nvm use", "pyenv versions", "bundle check", "bundle list", "rails test", "terraform fmt", "terraform validate", "helm lint", "helm template", "docker ps", "docker images",
	"docker version", "docker compose build", "docker compose ps", "docker compose down", "docker compose up -d", "flutter test", "flutter analyze", "dart test", "dart analyze",
	"dart format")

// foreignDirs lists the folders in which workspaces store what others wrote.
var foreignDirs = []string{
	"node_modules", "bower_components", "vendor", "third_party", "site-packages", "dist-packages", ".venv", "venv", ".tox", ".nox", ".cargo",
	"go/pkg/mod", ".m2", ".gradle", ".npm", ".pnpm-store", ".yarn/cache", ".bundle", "Pods", "Carthage", ".pub-cache",
}

// quiet lists the printers that print nothing of a file's content, so that
// third-party files are harmless to them.
var quiet = memory.WordSet(`ls dir tree exa eza du df rm rmdir mkdir touch chmod chown chgrp stat test [ wc which type echo printf print
	basename dirname realpath readlink source . add check-ignore commit status clean ls-files checkout restore reset export set
	md5sum sha1sum sha256sum shasum tar zip sleep kill alias`)

// starters lists the options with which a printer starts a program.
var starters = []string{
	"--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "--compress-program", "--pre=", "--hostname-bin",
	"--pager", "--filter=", "+!", "--open-files-in-pager", "--upload-pack", "--receive-pack", "--exec-path", "--remote", "--ext-diff",
}

// programVariables lists the variables that name a program which others start.
var programVariables = memory.WordSet(`PAGER GIT_PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_SSH
	GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS LESSOPEN LESSCLOSE PROMPT_COMMAND BROWSER`)

// gitEntries returns the commands of git as entries of a list.
func gitEntries() []string {
	all := []string{"git remote -v", "git remote get-url", "git remote add", "git remote set-url", "git remote remove", "git remote rename", "git submodule status"}
	for _, sub := range gitPrinters {
		all = append(all, "git "+sub)
	}
	return all
}
