package webtest

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/web"
)

// Export returns the export of a view's page, and the columns of its heads by their lasting names.
func Export(t *testing.T, r *web.Renderer, q web.Request, s *figures.Snapshot, comma rune) (rows [][]string, column map[string]int) {
	t.Helper()
	var b bytes.Buffer
	name, err := r.Export(&b, web.Frame{Request: q, Snapshot: s, Now: ShowTime, Ready: true})
	if err != nil {
		t.Fatalf("%s: %v", q.Topic(), err)
	}
	if !regexp.MustCompile(`^housecount-((?:revenue|marketing|tonight)-[\d-]+|performance-\d{4}-\d\d-\d\d-[a-z0-9-]+)$`).MatchString(name) {
		t.Errorf("the file is called %q", name)
	}
	text, marked := strings.CutPrefix(b.String(), "\ufeff")
	table := csv.NewReader(strings.NewReader(text))
	table.Comma = comma
	if rows, err = table.ReadAll(); err != nil || !marked {
		t.Fatalf("the mark is there: %v, %v", marked, err)
	}
	column = map[string]int{}
	for i, head := range rows[0] {
		_, key, _ := strings.Cut(head, "(")
		column[strings.TrimSuffix(key[strings.LastIndex(key, "(")+1:], ")")] = i
	}
	return rows[1:], column
}

// AmountOf returns an amount in euros as a spreadsheet has it.
func AmountOf(text string) string {
	return strings.NewReplacer("€", "", ",", "", "−", "-").Replace(text)
}

// FigureLink is a figure that leads to its explanation: the address and the text.
var FigureLink = regexp.MustCompile(`<a class="f[^"]*" href="([^"]+)">([^<]*)<`)
