# What a newcomer and CI run. `make test` is everything; `make help` lists the rest.
SHELL := /bin/bash
GO ?= go
export CGO_ENABLED ?= 0
LDFLAGS := -s -w

# The race detector runs everywhere but where it would only measure itself: contention, crashes, the scripts that start the
# program hundreds of times, and the SQLite store's own long tests (its pure-Go engine is twenty times slower under it).
# Those run without it.
RACELESS := ./sqlite ./e2e ./e2e/crash ./e2e/contention
RACED = $(filter-out $(addprefix github.com/testigo/testigo/,$(RACELESS:./%=%)) github.com/testigo/testigo/bench%,$(shell $(GO) list ./...))
# Kills of the crash suite in `make test`.
KILLS ?= 500
# Random schedules of the delivery engine in `make test`.
SCHEDULES ?= 200000
# Time for each fuzz target in `make test`.
FUZZTIME ?= 2s
TARGETS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: help build test prepare race plain sim crash fuzz inspect cross size lint tidy vuln bench bench-search soak test-hosts clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "%-14s %s\n", $$1, $$2}'

build: ## build bin/testigo
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/testigo ./cmd/testigo

test: prepare tidy build race plain sim crash fuzz inspect cross ## everything that CI runs; installs what it needs where it can

prepare: ## install what the tests need, or say what is missing
	@scripts/prepare

tidy: ## fail on an untidy go.mod or unformatted file
	@scripts/tidy

race: ## tests with the race detector
	@if command -v gcc >/dev/null || [ "$$CI" = true ]; then CGO_ENABLED=1 $(GO) test -race $(RACED); else $(GO) test $(RACED); fi

plain: ## the tests that run without the race detector
	$(GO) test ./sqlite ./e2e ./e2e/contention ./bench/...

crash: ## kill real processes at named points and count what is left
	KILLS=$(KILLS) $(GO) test -count=1 -v -run . ./e2e/crash | grep -vE '^(=== |--- PASS| +--- PASS)'; exit $${PIPESTATUS[0]}

sim: ## random schedules of the delivery engine; a failing one prints its seed
	SCHEDULES=$(SCHEDULES) GOGC=400 $(GO) test -count=1 -v -run 'TestSchedules$$' ./engine | grep -vE '^(=== |--- PASS)'; exit $${PIPESTATUS[0]}

fuzz: ## a short run of every fuzz target
	@FUZZTIME=$(FUZZTIME) scripts/fuzz

inspect: build ## the MCP inspector on the built binary
	@scripts/inspect

cross: ## build for every platform, and keep the binary small
	@for t in $(TARGETS); do GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o /dev/null ./cmd/testigo || exit 1; done
	@size=$$(stat -c %s bin/testigo 2>/dev/null || stat -f %z bin/testigo); [ $$size -lt 40000000 ] || { echo "bin/testigo has $$size bytes; 40 MB is the limit" >&2; exit 1; }
	@echo "cross: $(words $(TARGETS)) platforms build"
	@echo "the costliest initialisers of a start, in ms:"; GODEBUG=inittrace=1 bin/testigo version 2>&1 >/dev/null | awk '$$1 == "init" {print $$5, $$2}' | sort -rn | head -5

lint: ## golangci-lint, from a tool module of its own
	$(GO) tool -modfile=tools/go.mod golangci-lint run

vuln: ## known vulnerabilities (needs its database)
	$(GO) tool -modfile=tools/go.mod govulncheck ./...

bench: build ## measure against raw SQL, C and the peers; prints the tables of docs/performance.md
	bench/run

bench-search: ## search quality on LoCoMo (needs ../shared/data)
	$(GO) run ./bench/locomo/evaluate

soak: ## hours of kills, contention and schedules
	KILLS=20000 $(GO) test -count=1 -timeout 12h -v ./e2e/crash
	SOAK=1 $(GO) test -count=1 -timeout 12h -v ./e2e/contention
	SCHEDULES=50000000 GOGC=400 $(GO) test -count=1 -timeout 12h -v -run 'TestSchedules$$' ./engine

test-hosts: build ## drive real coding agents with a mock model (needs npm, 200 to 400 MB each)
	e2e/hosts/run

clean: ## remove what was built
	rm -rf bin .cache
