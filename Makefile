# make demo    a night at a made-up venue, everything embedded
# make test    every test, as CI runs them
# make build   the program, in bin/housecount
# make generate  the Go code of the templates, web/**/*_templ.go
# make assets  stylesheet, script and fonts, in assets/dist
# make bench   the benchmarks; TICKETS=5000000 has the one of the ledger measure that many instead of 200,000
# make lint    formatting, vet, staticcheck, and whether modules were withdrawn by their authors, which needs the network
# make release VERSION=v1.2.3  tags the commit, and makes archives, checksums and a bill of materials in bin/release
# make drill   an operator's day as a test: backup, upgrades, a move, and the database away for DRILL (9m); says how long each part takes
# make week    a week at 300 times the speed, with a fault of the service in each hour: 34 minutes
# make screens pictures of every page, in assets/screens, and the four of the README;
#              SCREENS="-evening" follows an evening instead, "-measure" says what a screen costs, "-help" what else
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.PHONY: demo test build generate assets bench lint release drill week screens browser postgres office compiler tools clean

export CGO_ENABLED ?= 0
# What is built does not depend on where the checkout is, so what was built in one is not built again in another.
export GOFLAGS ?= -trimpath

demo: build
	exec bin/housecount demo $(DEMO)

build: assets generate
	go build -o bin/housecount ./cmd/housecount

# The templates' Go code is not in git: it is made with the tool of go.mod.
TEMPLATES := $(wildcard web/*.templ web/*/*.templ)
generate: bin/generated

# A missing file, and one whose template is gone, makes all anew.
ifneq ($(sort $(TEMPLATES:.templ=_templ.go)),$(sort $(wildcard web/*_templ.go web/*/*_templ.go)))
.PHONY: bin/generated
endif
bin/generated: $(TEMPLATES) go.mod | tools
	find web -name '*_templ.go' -delete
	go tool templ generate -path web -log-level error
	mkdir -p bin && touch $@

assets: assets/dist/manifest.json assets/dist/licences.txt

assets/dist/manifest.json: assets/node_modules/.ready $(wildcard assets/src/* assets/*.mjs assets/*.json)
	cd assets && npm run --silent build

# The licences of what is in the program, which it prints.
assets/dist/licences.txt: assets/dist/manifest.json go.mod assets/package-lock.json bin/generated
	go run ./cmd/release -licences $@

assets/node_modules/.ready: assets/package-lock.json assets/package.json | tools
	cd assets && npm ci --no-audit --no-fund --loglevel=error
	touch $@

# What reads the document of the service's API in the tests: two linters, and a server made up from it.
assets/contract/node_modules/.ready: assets/contract/package-lock.json assets/contract/package.json | tools
	cd assets/contract && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

# Both are tools of go.mod. Code that nothing reaches fails too.
LINT := go tool staticcheck ./... && unreached="$$(go tool deadcode -test ./...)" && { test -z "$$unreached" || { echo "$$unreached" >&2; exit 1; }; }

# Packages that start goroutines or have something to lock are tested with the race detector, which needs cgo: their names
# are found in the code. The others are tested without it. So are, by the beginning of their names (LONG), the tests that
# start and kill processes, fold thousands of random streams or copy whole databases in one goroutine: they take many times
# as long with it; that of the memory of programs, as the detector itself needs more than they may have; and those (Upkeep)
# that let hours pass in a bubble with a database in it, in which the detector itself crashes now and then
# (https://github.com/golang/go/issues/78156). Of packages whose tests calculate, render or play in the goroutine that asks
# (ALONE), what is called from several is raced elsewhere: pages in web/webtest, the sandbox by SEVERAL. Of the program's own
# tests, most of which start and kill processes or drive a browser, the one runs with it that has the whole of it in
# one process and thousands of pages open.
# SQLite is C made into Go: its two packages are built without the detector, which has nothing to find
# in them and would make whatever touches a database two to three times as slow.
# The program's own tests are built once and run from the beginning beside the others: they mostly wait.
LONG := ^Test(Ledger|Corrections|Kill|Upkeep|MemoryOfPrograms|RequestsOf|LargePages|BuiltinSamples|Backup|Restore|Upgrade)
WHOLE := ^TestLoad
BROWSER := ^TestBrowser
PLAYED := ^Test(Chaos|Kill|Season)
ALONE := web|apiclient/sandbox|aggregator/figures/evening
SEVERAL := ^Test(ManyAtOnce|Latency|Stall|Clock|RateLimit)
RACE := -race -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc=-race=false
# The slowest begin first.
CONCURRENT = $$(for package in aggregator/store handlers $$(grep -rlE --include='*.go' '^\s*go (func|[a-z]+[.(])|\.Go\(|sync\.(RW)?Mutex' aggregator apiclient handlers web cmd | xargs -n1 dirname | sort -u); do \
	  grep -qxE 'cmd/housecount|$(ALONE)' <<<$$package || echo ./$$package; done)
# A binary is not built for a package that has no long test.
LONGEST = $$(grep -lE '^func $(LONG:^%=%)' $$(printf '%s/*_test.go ' $(CONCURRENT)) 2>/dev/null | xargs -n1 dirname | sort -u)
OTHERS = $$(comm -23 <(go list ./... | sed 's|^housecount|.|' | grep -vxF ./cmd/housecount | sort) <(printf '%s\n' $(CONCURRENT) | sort -u))
# Memory is collected rarely, which is a tenth of the work. Temporary files are in memory where it has 8 GB to spare for
# them: on a disk most tests wait for it more than for the processor.
MEMORY = $(shell test "$$(df --output=avail -k /dev/shm 2>/dev/null | tail -1)" -gt 8000000 2>/dev/null && ! grep -q ' /dev/shm .*noexec' /proc/mounts && echo /dev/shm)
test: export GOGC ?= 400
test: export TMPDIR := $(or $(TMPDIR),$(MEMORY),/tmp)
PROGRAM := cd cmd/housecount && exec ../../bin/housecount.test -test.timeout 60m
test: assets generate browser postgres office compiler assets/contract/node_modules/.ready
	test -z "$$(gofmt -l cmd web handlers aggregator apiclient assets/*.go | tee /dev/stderr)"
	go vet ./...
	go test -vet=off -c -o bin/housecount.test ./cmd/housecount
	($(LINT) && cd assets/contract && npm run --silent lint) & lint=$$!; \
	($(PROGRAM) -test.parallel 2 -test.run '$(BROWSER)') & pids="$$lint $$!"; \
	($(PROGRAM) -test.parallel 2 -test.run '$(PLAYED)') & pids="$$pids $$!"; \
	($(PROGRAM) -test.skip '$(WHOLE)|$(BROWSER)|$(PLAYED)') & pids="$$pids $$!"; \
	(status=0; go test -vet=off -timeout 60m $(OTHERS) || status=1; \
	go test -vet=off -timeout 60m -run '$(LONG)' $(LONGEST) || status=1; exit $$status) & pids="$$pids $$!"; \
	export CGO_ENABLED=1 status=0; go test -vet=off $(RACE) -p 2 -timeout 60m -skip '$(LONG)' $(CONCURRENT) || status=1; \
	go test -vet=off $(RACE) -timeout 60m -run '$(SEVERAL)' ./apiclient/sandbox || status=1; \
	go test -vet=off $(RACE) -timeout 60m -run '$(WHOLE)' ./cmd/housecount || status=1; \
	for pid in $$pids; do wait $$pid || status=1; done; exit $$status

bench: assets generate postgres
	go test -run '^$$' -bench . -benchmem ./apiclient/... ./aggregator/... ./web/... ./cmd/...

lint: assets generate
	test -z "$$(gofmt -l cmd web handlers aggregator apiclient assets/*.go | tee /dev/stderr)"
	go vet ./...
	go run ./cmd/release -retracted
	$(LINT)

release: assets generate
	git tag -a -m "$(VERSION)" $(VERSION)
	go run ./cmd/release

drill: assets generate postgres
	go test -run '^TestUpgradeFromEachSchema$$' -v ./aggregator/store | grep -E '^(---|ok|FAIL)'
	DRILL=$(or $(DRILL),9m) go test -timeout 60m -run '^TestDrill$$' -v ./cmd/housecount

week: assets generate
	WEEK=168h go test -timeout 60m -run '^TestWeek$$' -v ./cmd/housecount

screens: build browser
	go run ./cmd/screens $(if $(SCREENS),$(SCREENS),-readme assets/readme)

tools:
	@for tool in go node npm; do command -v $$tool >/dev/null || { echo "housecount needs $$tool: install Go 1.26 and Node.js 20 or newer" >&2; exit 1; }; done

# The browser tests drive Chromium, most of them without its windows where Debian has that as a package of its own; on
# Debian as root both are installed here.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends chromium; \
	  else \
	    echo "the browser test needs Chromium: install it (on Debian: apt-get install chromium)" >&2; exit 1; \
	  fi; }
	@command -v chromium-headless-shell >/dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || \
	  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends chromium-headless-shell; } || \
	  echo "the browser tests take longer without chromium-headless-shell" >&2

# The tests start a PostgreSQL of their own, or use that of TEST_DATABASE_URL. On Debian as
# root its binaries are installed here, without a cluster and without starting anything.
postgres:
	@test -n "$${TEST_DATABASE_URL:-}" || command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    mkdir -p /etc/postgresql-common/createcluster.d && \
	    echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/housecount.conf && \
	    apt-get update -q && DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -yq --no-install-recommends postgresql; \
	  else \
	    echo "the tests need PostgreSQL: install it (on Debian: apt-get install postgresql), or set TEST_DATABASE_URL" >&2; exit 1; \
	  fi; }

# LibreOffice reads the workbooks in the tests, as a spreadsheet program that is not ours; on Debian as root it is installed here.
office:
	@command -v soffice >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends libreoffice-calc-nogui; \
	  else \
	    echo "the tests need LibreOffice: install it (on Debian: apt-get install libreoffice-calc-nogui)" >&2; exit 1; \
	  fi; }

compiler:
	@command -v "$${CC:-gcc}" >/dev/null || { echo "go test -race needs a C compiler: install gcc (on Debian: apt-get install gcc libc6-dev)" >&2; exit 1; }

clean:
	rm -rf bin assets/node_modules assets/contract/node_modules
	find web -name '*_templ.go' -delete
	find assets/dist -type f ! -name .gitkeep -delete
