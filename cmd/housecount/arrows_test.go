package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "housecount"

// arrows says who may import whom within the house, but for the ground floor, which
// everybody may. outside says who may import what only one room is meant to know. Rooms that
// are only there for tests are imported by none of the others. It is the design, asserted.
var (
	arrows = map[string][]string{
		"cmd/housecount": {"cmd/housecount/certificates", "cmd/housecount/demohouse", "cmd/housecount/limits", "cmd/housecount/load", "cmd/housecount/observe", "cmd/housecount/options", "cmd/housecount/report", "handlers", "handlers/hooks", "handlers/signin", "web", "web/admin", "web/explain", "web/live", "web/manual", "web/setup", "web/words", "aggregator", "aggregator/figures", "aggregator/figures/evening", "aggregator/figures/evening/alertlog", "aggregator/figures/catalogue", "aggregator/figures/ledger", "aggregator/notify", "aggregator/poller", "aggregator/store", "aggregator/store/backup",
			"apiclient", "apiclient/probe", "apiclient/profile", "apiclient/services", "apiclient/sandbox", "apiclient/sandbox/faults", "apiclient/sandbox/idp", "assets"},
		"cmd/housecount/certificates":          {"aggregator/store"},
		"cmd/housecount/certificates/certtest": {},
		"cmd/housecount/demohouse":             {"aggregator", "aggregator/figures", "aggregator/figures/evening", "aggregator/store", "apiclient/sandbox", "apiclient/sandbox/idp", "web", "web/admin"},
		"cmd/housecount/limits":                {"web/live"},
		"cmd/housecount/load":                  {"web/live"},
		"cmd/housecount/observe":               {"aggregator", "aggregator/figures", "aggregator/figures/evening", "aggregator/poller", "aggregator/store", "apiclient", "web", "web/live"},
		"cmd/housecount/options":               {"cmd/housecount/certificates", "aggregator/notify", "aggregator/store", "apiclient", "apiclient/profile", "apiclient/sandbox/faults", "handlers/signin", "web", "web/words"},
		"cmd/housecount/report":                {"apiclient", "apiclient/probe", "apiclient/profile"},
		"cmd/release":                          {},
		"cmd/screens":                          {"apiclient/sandbox", "apiclient/sandbox/idp", "aggregator/store", "web", "web/live", "web/night", "web/wall", "web/words"},
		"handlers/admission":                   {"aggregator/store"},
		"handlers/compress":                    {"assets"},
		"handlers/hooks":                       {"aggregator/figures", "aggregator/store"},
		"handlers/oidctest":                    {},
		"handlers/outbox":                      {"aggregator/store", "web"},
		"handlers/outage":                      {"aggregator/store"},
		"handlers/presence":                    {"aggregator/store", "web/live"},
		"handlers/screens":                     {"handlers/presence", "aggregator/figures", "aggregator/store", "web", "web/live", "web/programme", "web/wall"},
		"handlers/sessions":                    {"handlers/signin", "aggregator/store", "web"},
		"handlers/signin":                      {"aggregator/store", "web"},
		"handlers/visits":                      {"aggregator/store"},
		"handlers":                             {"handlers/admission", "handlers/compress", "handlers/hooks", "handlers/outage", "handlers/outbox", "handlers/presence", "handlers/screens", "handlers/sessions", "handlers/signin", "handlers/visits", "web", "web/admin", "web/calendar", "web/event", "web/events", "web/explain", "web/live", "web/manual", "web/money", "web/night", "web/programme", "web/setup", "web/wall", "web/query", "web/words", "aggregator", "aggregator/notify", "aggregator/figures", "aggregator/figures/evening", "aggregator/figures/evening/compare", "aggregator/figures/catalogue", "aggregator/store", "assets"},
		"web":                                  {"web/charts", "web/live", "web/programme", "web/query", "web/words", "web/xlsx", "aggregator/figures", "aggregator/figures/evening", "aggregator/figures/evening/arriving", "aggregator/figures/evening/licence", "aggregator/figures/evening/bridge", "aggregator/figures/evening/marketing", "aggregator/figures/evening/compare", "aggregator/figures/evening/search", "aggregator/figures/catalogue", "assets"},
		"web/programme":                        {"aggregator/figures", "aggregator/figures/evening"},
		"web/words":                            {},
		"web/xlsx":                             {},
		"web/live":                             {},
		"aggregator/store":                     {"aggregator", "aggregator/store/bodies", "aggregator/store/engine", "aggregator/store/pages", "aggregator/store/tables"},
		"aggregator/notify":                    {"aggregator/store"},
		"aggregator/notify/mailtest":           {},
		"aggregator/store/backup":              {"aggregator/figures", "aggregator/store", "aggregator/store/bodies", "aggregator/store/engine", "aggregator/store/tables"},
		"aggregator/store/bodies":              {},
		"aggregator/store/engine":              {"aggregator/store/bodies", "aggregator/store/tables"},
		"aggregator/store/pages":               {"aggregator/store/bodies"},
		"aggregator/store/rowtest":             {"aggregator/store/pgtest"},
		"aggregator/store/tables":              {},
		"aggregator/store/pgtest":              {},
		"aggregator/poller":                    {"aggregator", "aggregator/figures", "aggregator/figures/evening", "apiclient"},
		"aggregator/logtest":                   {"aggregator", "aggregator/figures", "aggregator/figures/ledger"},
		"aggregator":                           {"aggregator/figures", "aggregator/figures/evening", "aggregator/figures/catalogue", "aggregator/figures/ledger", "aggregator/figures/ledger/replay"},
		"aggregator/figures/catalogue":         {"aggregator/figures", "aggregator/figures/evening", "aggregator/figures/evening/arriving", "aggregator/figures/evening/licence", "aggregator/figures/evening/bridge", "aggregator/figures/evening/marketing", "aggregator/figures/evening/compare", "aggregator/figures/ledger"},
		"aggregator/figures/evening":           {"aggregator/figures", "aggregator/figures/evening/arriving", "aggregator/figures/evening/model"},
		"aggregator/figures/evening/alertlog":  {"aggregator/figures", "aggregator/figures/evening"},
		"aggregator/figures/evening/arriving":  {"aggregator/figures", "aggregator/figures/evening/model"},
		"aggregator/figures/evening/bridge":    {"aggregator/figures", "aggregator/figures/evening"},
		"aggregator/figures/evening/compare":   {"aggregator/figures", "aggregator/figures/evening"},
		"aggregator/figures/evening/licence":   {"aggregator/figures", "aggregator/figures/evening"},
		"aggregator/figures/evening/planning":  {"aggregator/figures", "aggregator/figures/evening"},
		"aggregator/figures/evening/search":    {"aggregator/figures", "aggregator/figures/evening"},
		"aggregator/figures/evening/marketing": {"aggregator/figures", "aggregator/figures/evening"},
		"aggregator/figures/evening/model":     {"aggregator/figures"},
		"aggregator/figures/ledger":            {"aggregator/figures", "aggregator/figures/ledger/areas", "aggregator/figures/ledger/diagnoses", "aggregator/figures/ledger/entered", "aggregator/figures/ledger/exchanges", "aggregator/figures/ledger/rows", "aggregator/figures/ledger/sums"},
		"aggregator/figures/ledger/areas":      {"aggregator/figures", "aggregator/figures/ledger/sums"},
		"aggregator/figures/ledger/diagnoses":  {"aggregator/figures"},
		"aggregator/figures/ledger/entered":    {"aggregator/figures"},
		"aggregator/figures/ledger/exchanges":  {},
		"aggregator/figures/ledger/replay":     {"aggregator/figures", "aggregator/figures/ledger"},
		"aggregator/figures/ledger/rows":       {},
		"aggregator/figures/ledger/sums":       {"aggregator/figures"},
		"web/webtest":                          {"assets", "web", "web/admin", "web/calendar", "web/event", "web/events", "web/explain", "web/live", "web/money", "web/night", "web/wall", "web/query", "web/words", "aggregator/figures", "aggregator/figures/evening", "aggregator/figures/ledger", "aggregator/figures/foldtest", "apiclient/record"},
		"aggregator/figures/foldtest":          {"aggregator/figures", "aggregator/figures/evening", "aggregator/figures/evening/marketing", "aggregator/figures/catalogue", "aggregator/figures/ledger", "aggregator/figures/ledger/replay"},
		"aggregator/figures":                   {},
		"apiclient/probe":                      {"apiclient", "apiclient/profile"},
		"apiclient":                            {"apiclient/profile"},
		"apiclient/services":                   {"apiclient"},
		"apiclient/profile":                    {},
		"apiclient/sandbox":                    {"apiclient/sandbox/faults", "apiclient/sandbox/idp"},
		"apiclient/sandbox/faults":             {"apiclient/sandbox/idp"},
		"apiclient/sandbox/idp":                {},
		"apiclient/record":                     {},
		"assets":                               {},
		"web/admin":                            {"web", "web/programme", "web/query", "web/words", "aggregator/figures", "aggregator/figures/evening", "aggregator/figures/evening/compare"},
		"web/events":                           {"web", "web/charts", "web/query", "web/words", "aggregator/figures", "aggregator/figures/evening", "aggregator/figures/evening/arriving", "aggregator/figures/evening/search"},
		"web/calendar":                         {"web", "web/query", "web/words", "aggregator/figures", "aggregator/figures/evening", "aggregator/figures/evening/planning", "aggregator/figures/evening/search"},
		"web/explain":                          {"web", "web/charts", "web/refunds", "web/vat", "web/query", "web/words", "aggregator/figures", "aggregator/figures/evening", "aggregator/figures/evening/arriving", "aggregator/figures/catalogue", "apiclient/record", "aggregator/figures/evening/compare"},
		"web/manual":                           {"web"},
		"web/night":                            {"web", "web/charts", "web/query", "web/words", "aggregator/figures", "aggregator/figures/evening", "aggregator/figures/evening/compare", "aggregator/figures/evening/marketing", "aggregator/figures/evening/licence", "aggregator/figures/catalogue", "apiclient/record", "web/xlsx"},
		"web/money":                            {"web", "web/refunds", "web/vat", "web/charts", "web/query", "web/words", "aggregator/figures", "aggregator/figures/evening", "aggregator/figures/evening/bridge", "aggregator/figures/evening/marketing", "aggregator/figures/evening/compare", "aggregator/figures/catalogue", "web/xlsx"},
		"web/wall":                             {"web", "web/charts", "web/query", "web/words", "aggregator/figures", "aggregator/figures/evening", "aggregator/figures/evening/arriving", "aggregator/figures/evening/licence"},
		"web/event":                            {"web", "web/refunds", "web/charts", "web/live", "web/query", "web/words", "aggregator/figures", "aggregator/figures/evening", "aggregator/figures/evening/arriving", "aggregator/figures/evening/bridge", "aggregator/figures/evening/marketing", "aggregator/figures/evening/compare", "aggregator/figures/catalogue", "web/xlsx"},
		"web/charts":                           {"web/words"},
		"web/refunds":                          {"web", "web/words", "web/xlsx", "aggregator/figures"},
		"web/vat":                              {"web", "web/words", "aggregator/figures", "aggregator/figures/evening", "aggregator/figures/evening/marketing", "aggregator/figures/catalogue"},
		"web/query":                            {"web/programme", "web/words", "aggregator/figures"},
		"web/setup":                            {"web", "web/words"},
	}
	ground  = "apiclient/record"
	tested  = []string{"aggregator/figures/foldtest", "aggregator/logtest", "aggregator/notify/mailtest", "aggregator/store/pgtest", "aggregator/store/rowtest", "cmd/housecount/certificates/certtest", "handlers/oidctest", "web/webtest"} // and nothing but tests imports them
	outside = map[string][]string{
		"modernc.org/sqlite":                    {"aggregator/store/engine", "aggregator/store/rowtest"},
		"github.com/jackc/pgx":                  {"aggregator/store/engine", "aggregator/store/pgtest", "aggregator/store/rowtest", "aggregator/store/tables"},
		"github.com/pressly/goose":              {"aggregator/store/engine"},
		"database/sql":                          {"aggregator/store", "aggregator/store/engine", "aggregator/store/pages", "aggregator/store/rowtest", "aggregator/store/tables"},
		"github.com/go-echarts/go-echarts":      {"web/charts", "web/event"},
		"github.com/a-h/templ":                  {"web", "web/admin", "web/calendar", "web/charts", "web/event", "web/events", "web/explain", "web/manual", "web/money", "web/night", "web/refunds", "web/setup", "web/vat", "web/wall"},
		"github.com/arran4/golang-ical":         {"web/calendar"},
		"github.com/wneessen/go-mail":           {"aggregator/notify"},
		"github.com/SherClockHolmes/webpush-go": {"aggregator/notify"},
		"github.com/emersion/go-smtp":           {"aggregator/notify/mailtest"},
		"github.com/yuin/goldmark":              {"web/manual"},
		"github.com/xuri/excelize":              {"web/xlsx"},
		"github.com/boombuler/barcode":          {"web/wall"},
		"html/template":                         {"apiclient/sandbox", "apiclient/sandbox/idp"},
		"github.com/gorilla/websocket":          {"web/live"},
		"github.com/coreos/go-oidc":             {"apiclient", "handlers/signin"},
		"golang.org/x/oauth2":                   {"apiclient", "handlers/signin"},
		"github.com/go-jose/go-jose":            {"apiclient/sandbox/idp", "handlers/signin"},
		"github.com/alexedwards/scs":            {"handlers/sessions", "cmd/housecount"},
		"github.com/alecthomas/kong":            {"cmd/housecount", "cmd/housecount/options"},
		"golang.org/x/crypto/acme":              {"cmd/housecount/certificates"},
		"github.com/itchyny/gojq":               {"apiclient/profile"},
		"github.com/getkin/kin-openapi":         {"apiclient/probe"},
		"github.com/prometheus":                 {"cmd/housecount/observe"},
		"github.com/chromedp/chromedp":          {"cmd/screens"},
		"github.com/go-playground/locales":      {"web/words"},
		"testing":                               tested,
	}
)

// TestArrows holds the imports of the program, its tests left out, against the design.
func TestArrows(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./../../...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := map[string]bool{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		room := strings.TrimPrefix(p.ImportPath, module+"/")
		allowed, known := arrows[room]
		if !known {
			t.Errorf("%s is a room that the design does not have: add it to design and test, or move its code", room)
			continue
		}
		seen[room] = true
		for _, path := range p.Imports {
			if ours, ok := strings.CutPrefix(path, module+"/"); ok && ours != ground && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s: the design has no such arrow", room, ours)
			}
			for lib, rooms := range outside {
				if (path == lib || strings.HasPrefix(path, lib+"/")) && !slices.Contains(rooms, room) {
					t.Errorf("%s imports %s: only %v may", room, path, rooms)
				}
			}
		}
	}
	for room := range arrows {
		if !seen[room] {
			t.Errorf("the room %s is gone", room)
		}
	}
}
