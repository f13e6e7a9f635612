# What one does with this repository. `make` alone lists it.
#
# Go and make are all that must be installed. `make demo` downloads PostgreSQL
# once where none is; tests download no server: one that needs what is not here
# skips with the reason, and WINNOW_REQUIRE=postgres,nats,… turns such a skip
# into a failure.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO ?= go

# The three modules of go.work: the application, what others import, the
# contract.
ALL := ./... ./pkg/... ./proto/...
MODULES := . pkg proto

# Packages whose correctness hangs on what happens at once. The race detector
# makes a test several times slower, so the rest goes without.
RACY := ./pkg/publish/... ./services/internal/worker/... ./services/internal/bus/... \
	./services/internal/store/... \
	./services/triage/... ./services/api/... ./cmd/winnow/bridge/... ./services/run/... ./services/relay/... ./services/digest/... \
	./services/internal/recall/... ./services/internal/recall/indexing/... ./services/internal/vector/...

# What the race detector need not see: long tests in which one goroutine asks one
# question after the other.
SEQUENTIAL := ^(TestPlansUseIndexes|TestMigrationsForwardAndBack|TestRetentionOfAHistory|TestReadsOfAHistory|TestReadsOfManyRuns|TestBadInputToTools|TestNothingCrosses|TestEveryOperation)

# How long a package may take before it is held to hang. Go's own ten minutes are
# short where the machine is slow and others use it too.
PATIENCE ?= 40m

# A test program is linked for each package. Without the debugger's tables that takes a
# third less time; `make lint` runs vet, as one of golangci-lint's.
TESTING := -vet=off -ldflags=-w

# Tests of `make chaos` that run at once. They mostly wait for their processes.
CHAOS_PARALLEL ?= 4
# How long `make storm` blows.
STORM ?= 5m

# Proposals and sessions of `make memory`.
MEMORY ?= 45000,2000

# The packages with benchmarks.
TIMED = $$(grep -rl --include='*_test.go' '^func Benchmark' cmd pkg services | xargs -n1 dirname | sort -u | sed 's|^|./|')

# Time for each fuzz target of `make fuzz-short`, and the benchmarks' length.
FUZZTIME ?= 10s
BENCHTIME ?= 1s

##@ Use

.PHONY: build
build: ## Build winnow and every worker into bin/
	$(GO) build -o bin/ ./cmd/...

.PHONY: demo
demo: ## Watch a sample week of proposals and sessions sort itself
	$(GO) build -o bin/ ./cmd/winnow
	./bin/winnow demo

.PHONY: fleet-env
fleet-env: ## Write .env with random secrets for docker compose
	scripts/fleet-env.sh

##@ Check

.PHONY: test
test: ## Run the fast set of all three modules; the last line says what was skipped and why
	@cd tools && GOWORK=off GOFLAGS= $(GO) test ./gotest >/dev/null && GOWORK=off GOFLAGS= $(GO) build -o ../bin/gotest ./gotest
	$(GO) test $(TESTING) -json -timeout=$(PATIENCE) $(ALL) | bin/gotest

.PHONY: race
race: ## Run the packages that share memory under the race detector
	$(GO) test $(TESTING) -race -short -skip='$(SEQUENTIAL)' -timeout=$(PATIENCE) $(RACY)
	$(GO) test $(TESTING) -race -run=Concurrent -timeout=$(PATIENCE) ./services/internal/guard/redact

.PHONY: chaos
chaos: ## Kill real processes, the broker and Postgres, fill disks, then count (minutes)
	WINNOW_CHAOS=1 $(GO) test $(TESTING) -count=1 -timeout=20m -parallel=$(CHAOS_PARALLEL) -v ./services/internal/test/chaos/...

.PHONY: storm
storm: ## Everything at once for STORM (5m), and a flood of 60,000; then count what was lost or done twice
	WINNOW_CHAOS=1 WINNOW_TEST_STORM=$(STORM) $(GO) test $(TESTING) -count=1 -timeout=60m -parallel=1 -v \
		-run='^(TestStorm|TestFloodOfOnePrincipal)$$' ./services/internal/test/chaos

.PHONY: memory
memory: ## Peak memory of each worker over 45,000 proposals and 2,000 sessions
	WINNOW_CHAOS=1 WINNOW_TEST_MEMORY=$(MEMORY) $(GO) test $(TESTING) -count=1 -timeout=60m -v -run='^TestMemoryOfEachWorker$$' ./services/internal/test/chaos

.PHONY: fuzz-short
fuzz-short: ## Run every fuzz target for FUZZTIME
	GO=$(GO) scripts/fuzz.sh $(FUZZTIME)

.PHONY: bench
bench: ## Run the benchmarks beside their baselines (BENCHTIME=5s for steadier figures)
	$(GO) test $(TESTING) -run='^$$' -bench=. -benchmem -benchtime=$(BENCHTIME) -timeout=2h $(TIMED)

.PHONY: bench-once
bench-once: ## Run each benchmark once at its smallest size, to see that it still runs
	$(GO) test $(TESTING) -short -run='^$$' -bench=. -benchtime=1x -timeout=$(PATIENCE) $(TIMED)

.PHONY: cover
cover: ## Say how much of the code the fast set reaches (coverage.out)
	$(GO) test -coverpkg=./cmd/...,./pkg/...,./services/... -coverprofile=coverage.out $(ALL)
	$(GO) tool cover -func=coverage.out | tail -1

.PHONY: lint
lint: ## Check format, and what vet and the pinned linters find
	@unformatted="$$(gofmt -l cmd examples pkg proto services tools)"; \
	if [ -n "$$unformatted" ]; then echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; fi
	tools/lint.sh golangci
	tools/lint.sh deadcode

.PHONY: vuln
vuln: ## Look for known holes in what is linked, where their database can be reached
	tools/lint.sh vuln

.PHONY: first-hour
first-hour: ## Walk through a new user's first hour in a clean home, each command with its time
	$(GO) build -o bin/ ./cmd/winnow
	WINNOW=$(CURDIR)/bin/winnow tools/first-hour.sh

.PHONY: verify-modules
verify-modules: ## Build the modules as an outsider gets them, and weigh what pkg/publish drags in
	WINNOW_VERIFY_MODULES=1 $(GO) test -count=1 -v -run='^TestOutsider' ./services/internal/test/archtest

.PHONY: conformance
conformance: ## Hold MCP against the official suite and inspector, where npm's registry can be reached
	GO=$(GO) tools/mcp-conformance.sh

.PHONY: http-check
http-check: ## Have schemathesis derive requests from the HTTP contract, where PyPI can be reached (minutes)
	GO=$(GO) tools/schemathesis.sh

.PHONY: compose-check
compose-check: ## Load docker-compose.yml as docker does, and hold it against the fleet
	cd tools/compose && GOWORK=off $(GO) test -count=1 ./...

.PHONY: llm-check
llm-check: ## Choose tools, distil a session and merge memories with a real small model (DATA=…, LLM_URL=… LLM_MODEL=… for yours)
	GO=$(GO) scripts/llm-check.sh $(DATA)

.PHONY: release-check
release-check: ## Make every form of a release and try it, publishing nothing (minutes; Linux)
	GO=$(GO) tools/release-check.sh

##@ Contract

.PHONY: proto-lint
proto-lint: ## Lint the protobuf contract
	tools/buf.sh lint

.PHONY: proto-breaking
proto-breaking: ## Compare the contract with the released one
	tools/buf.sh breaking

.PHONY: proto-archive
proto-archive: ## Write the .proto files to bin/winnow-proto.tar.gz, as /api/proto.tar.gz has them
	mkdir -p bin && tar -czf bin/winnow-proto.tar.gz -C proto $(patsubst proto/%,%,$(wildcard proto/winnow/v1/*.proto))

.PHONY: generate
generate: ## Generate the protobuf code and the reference documents
	tools/buf.sh generate
	$(MAKE) docs

.PHONY: docs
docs: ## Generate the reference documents, nats.conf and .env.example
	$(GO) run ./services/internal/docgen

.PHONY: verify
verify: ## Fail when a generated file is stale
	tools/buf.sh check
	$(GO) test -count=1 -run='^TestDocumentsAreFresh$$' ./services/internal/docgen

##@ Help

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@ / {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
