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

// arrows says who may import whom within the house, and outside modules is who may
// import what only one room is meant to know. It is the design, asserted.
var (
	arrows = map[string][]string{
		"cmd/housecount": {"handlers", "web", "web/live", "aggregator", "aggregator/figures", "aggregator/poller", "aggregator/store",
			"apiclient", "apiclient/probe", "apiclient/profile", "apiclient/record", "apiclient/sandbox", "assets"},
		"handlers":           {"web", "web/live", "aggregator/figures", "aggregator/store", "apiclient/record", "assets"},
		"web":                {"aggregator/figures", "apiclient/record", "assets", "web/live"},
		"web/live":           {},
		"aggregator/store":   {"aggregator", "aggregator/figures", "apiclient/record"},
		"aggregator/figures": {"apiclient/record"},
		"aggregator":         {"aggregator/figures", "apiclient/record"},
		"aggregator/poller":  {"aggregator", "aggregator/figures", "apiclient", "apiclient/record"},
		"aggregator/logtest": {"aggregator", "aggregator/figures", "apiclient/record"},
		"apiclient/sandbox":  {"apiclient/record"},
		"apiclient":          {"apiclient/profile", "apiclient/record"},
		"apiclient/probe":    {"apiclient", "apiclient/profile", "apiclient/record"},
		"apiclient/profile":  {"apiclient/record"},
		"apiclient/record":   {},
		"assets":             {},
	}
	outside = map[string][]string{
		"modernc.org/sqlite":               {"aggregator/store"},
		"github.com/pressly/goose":         {"aggregator/store"},
		"database/sql":                     {"aggregator/store"},
		"github.com/go-echarts/go-echarts": {"web"},
		"github.com/gorilla/websocket":     {"web/live"},
		"github.com/coreos/go-oidc":        {"apiclient", "handlers"},
		"golang.org/x/oauth2":              {"apiclient", "handlers"},
		"github.com/go-jose/go-jose":       {"apiclient/sandbox", "handlers"},
		"github.com/alexedwards/scs":       {"handlers", "cmd/housecount"},
		"github.com/alecthomas/kong":       {"cmd/housecount"},
		"github.com/itchyny/gojq":          {"apiclient/profile"},
		"github.com/getkin/kin-openapi":    {"apiclient/probe"},
		"github.com/chromedp/chromedp":     {},
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
			if ours, ok := strings.CutPrefix(path, module+"/"); ok && !slices.Contains(allowed, ours) {
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
